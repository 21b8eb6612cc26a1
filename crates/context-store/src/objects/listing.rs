//! Listings of an object store. One that fails continues after the last object that was returned.

use std::io;
use std::pin::Pin;

use futures::{Stream, StreamExt};
use object_store::ObjectMeta;
use object_store::path::Path;

use super::client::{Head, Objects, io_error, path, version};
use super::counts::Kind;
use super::patience::Patience;

/// Number of objects on a page of a listing.
const PAGE: usize = 1_000;

/// A listing of everything below a key, page by page.
pub(crate) struct Listing {
    key: String,
    /// The last object that was returned, and the number of returned objects.
    last: Option<Path>,
    listed: usize,
    /// `None` before the start, and after a failure; it then continues after the last object.
    stream: Option<Pin<Box<dyn Stream<Item = object_store::Result<ObjectMeta>> + Send>>>,
}

impl Objects {
    /// Starts a listing of everything below a key.
    pub(crate) fn list(&self, key: &str) -> Listing {
        Listing { key: key.to_owned(), last: None, listed: 0, stream: None }
    }

    /// Returns the next object of a listing: its key relative to that of the listing, and its
    /// facts.
    pub(crate) fn next(
        &self,
        listing: &mut Listing,
        patience: &Patience,
    ) -> Option<io::Result<(String, Head)>> {
        let Listing { key, last, listed, stream } = listing;
        let prefix = (!key.is_empty()).then(|| path(key));
        let page = listed.is_multiple_of(PAGE).then_some(Kind::List);
        let next = self.tried(page, patience, async || {
            let begin = || match last {
                None => self.store.list(prefix.as_ref()),
                Some(last) => self.store.list_with_offset(prefix.as_ref(), last),
            };
            let next = stream.get_or_insert_with(begin).next().await.transpose();
            if next.is_err() {
                *stream = None;
            }
            next
        });
        let meta = match next.transpose()? {
            Ok(meta) => meta,
            Err(error) => return Some(Err(io_error(&error))),
        };
        *listed += 1;
        let below = meta.location.as_ref().strip_prefix(key.as_str()).unwrap_or_default();
        let below = below.trim_start_matches('/').to_owned();
        let head = Head { len: meta.size, version: version(&meta) };
        *last = Some(meta.location);
        Some(Ok((below, head)))
    }

    /// Lists the folders directly below a key.
    pub(crate) fn folders(&self, key: &str, patience: &Patience) -> io::Result<Vec<String>> {
        let path = path(key);
        let listed = self.run(Kind::List, patience, async || {
            self.store.list_with_delimiter(Some(&path)).await
        })?;
        let last = |path: &Path| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(listed.common_prefixes.iter().filter_map(last).collect())
    }
}
