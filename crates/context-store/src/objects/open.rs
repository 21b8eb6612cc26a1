//! Opens an object store, and accesses the objects at the top of its prefix.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::client::{Objects, PAUSE};
use super::content_cache::ContentCache;
use super::folder::{Place, STORES};
use super::health::is_away;
use super::key_path::{escape, unescape};
use super::patience::Patience;
use super::self_test::self_test;
use super::settings::{BucketUrl, ObjectSettings, is_endpoint};
use super::sweep_lock::{SweepLock, place};
use crate::error::StoreError;

/// How often a store that does not answer is tested, and the pause in between.
const TESTS: usize = 3;
const BETWEEN: Duration = Duration::from_secs(2);

/// The registered name of the store that is the whole prefix: no escaped name equals it.
const TOP: &str = "!";

impl Objects {
    /// Opens an object store and tests whether it has the properties that this crate relies on.
    ///
    /// # Errors
    ///
    /// Fails if the URL or a setting is invalid, if the cache's folder cannot be created, or if the
    /// store cannot be reached or fails the test.
    pub fn open(settings: &ObjectSettings) -> Result<Arc<Objects>, StoreError> {
        let refused = |reason: String| StoreError::Url { url: settings.url.clone(), reason };
        let Some(BucketUrl { bucket, prefix }) = BucketUrl::parse(&settings.url) else {
            return Err(refused(
                "accepted is \"s3://BUCKET\" or \"s3://BUCKET/PREFIX\"".to_owned(),
            ));
        };
        if let Some(endpoint) = settings.endpoint.as_ref().filter(|url| !is_endpoint(url)) {
            let accepted = "accepted is a URL such as \"https://s3.example.com\"";
            return Err(refused(format!("its endpoint is \"{endpoint}\"; {accepted}")));
        }
        let store = settings.client(&bucket).map_err(|error| refused(with_root(&error)))?;
        let dir = settings.cache_dir.clone();
        let cache = ContentCache::open(dir, settings.cache_bytes).map_err(|error| {
            let dir = settings.cache_dir.as_deref().map(|dir| format!(" \"{}\"", dir.display()));
            refused(format!("its cache{} cannot be opened: {error}", dir.unwrap_or_default()))
        })?;
        let url = format!("s3://{bucket}/{prefix}");
        let url = (url.trim_end_matches('/').to_owned(), prefix);
        let objects = Objects::with_store(store, url, (settings.timeout, PAUSE), cache);
        let objects = Arc::new(objects.map_err(|error| refused(error.to_string()))?);
        let mut tested = self_test(&objects);
        for _ in 1..TESTS {
            // A store that is only busy at the moment may pass a later test.
            if tested.as_ref().is_err_and(is_away) {
                std::thread::sleep(BETWEEN);
                tested = self_test(&objects);
            }
        }
        tested.map_err(|error| refused(error.to_string()))?;
        Ok(objects)
    }

    /// Returns the folder of the cache.
    pub fn cache_dir(&self) -> &Path {
        self.cache.path()
    }

    /// Returns a key below the prefix.
    pub(crate) fn key_below(&self, key: &str) -> String {
        let parts = [self.prefix.as_str(), key].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("/")
    }

    fn top(self: &Arc<Objects>, patience: Arc<Patience>) -> Place {
        Place { objects: Arc::clone(self), patience, key: self.prefix.clone() }
    }

    /// Lists the folders that are registered as stores, as paths below the prefix, at most `most`.
    pub(crate) fn stores(
        self: &Arc<Objects>,
        patience: &Arc<Patience>,
        most: usize,
    ) -> io::Result<Vec<PathBuf>> {
        let names = self.top(Arc::clone(patience)).child(STORES).names().take(most);
        names.filter_map(|name| name.map(|name| path_of(&name)).transpose()).collect()
    }

    /// Takes the lock of sweeps; `None` if another replica holds it.
    pub(crate) fn sweep_lock(self: &Arc<Objects>) -> io::Result<Option<SweepLock>> {
        SweepLock::take(place(&self.top(Arc::new(Patience::unlimited()))))
    }
}

/// Returns the name under which the folder of a key is registered as a store.
pub(super) fn listed_name(below: &str) -> String {
    if below.is_empty() { TOP.to_owned() } else { escape(below) }
}

/// Parses the result of [`listed_name`]: the path of a folder below the prefix.
fn path_of(listed: &str) -> Option<PathBuf> {
    if listed == TOP {
        return Some(PathBuf::new());
    }
    unescape(listed)?.split('/').map(unescape).collect()
}

/// Returns the text of an error and of its root cause, which may be the only part that says what to
/// do.
fn with_root(error: &dyn Error) -> String {
    let root = std::iter::successors(error.source(), |cause| (*cause).source()).last();
    root.map_or_else(|| error.to_string(), |root| format!("{error}: {root}"))
}
