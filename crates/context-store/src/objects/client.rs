//! The object store as the rules call it: blocking requests, each within the patience of its
//! operation. They run on a thread of their own, and no async worker may call them.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use futures::{Stream, StreamExt};
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    UpdateVersion,
};
use tokio::runtime::Runtime;

use super::content_cache::ContentCache;
use super::counts::{Counts, Kind, RequestCounts};
use super::health::{Health, words};
use super::patience::Patience;
use super::server_clock::ServerClock;
use crate::folder::{Version, changed};

/// The object that is written to learn whether the store is there again, and the time for it.
const PROBE: &str = ".unburden-check/probe";
const PROBED: Duration = Duration::from_secs(2);

/// How often a conditional create is tried that a server refuses though nothing is there:
/// another request for the key was in flight.
const CONFLICTS: u32 = 8;

/// An object store with a prefix.
pub struct Objects {
    pub(super) store: Arc<dyn ObjectStore>,
    /// None while it is dropped.
    runtime: Option<Runtime>,
    /// How messages spell it: `s3://bucket/prefix`.
    pub(super) url: String,
    pub(super) prefix: String,
    pub(super) timeout: Duration,
    pub(super) cache: ContentCache,
    pub(super) clock: ServerClock,
    /// The folders that are known to be listed as stores.
    pub(super) registered: Mutex<HashSet<String>>,
    /// Small objects that never change, by key.
    pub(super) constants: quick_cache::sync::Cache<String, Arc<[u8]>>,
    counts: Counts,
    health: Health,
}

/// An object that was read.
pub(crate) struct Read {
    pub(crate) bytes: Vec<u8>,
    pub(crate) version: Version,
}

/// The facts of an object.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) len: u64,
    pub(crate) version: Version,
}

/// A listing, page by page.
pub(crate) type Listing = Pin<Box<dyn Stream<Item = object_store::Result<ObjectMeta>> + Send>>;

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Objects {
    pub(super) fn with_store(
        store: Arc<dyn ObjectStore>,
        (url, prefix): (String, String),
        timeout: Duration,
        cache: ContentCache,
    ) -> io::Result<Objects> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("object-store")
            .enable_all()
            .build()?;
        Ok(Objects {
            store,
            runtime: Some(runtime),
            url,
            prefix,
            timeout,
            cache,
            clock: ServerClock::default(),
            registered: Mutex::default(),
            constants: quick_cache::sync::Cache::new(4_096),
            counts: Counts::default(),
            health: Health::default(),
        })
    }

    /// Returns the time by the store's clock.
    pub(crate) fn server_now(&self) -> SystemTime {
        self.clock.now()
    }

    /// Sets the store's clock as this process knows it.
    #[cfg(test)]
    pub(crate) fn set_server_now(&self, at: SystemTime) {
        self.clock.set(at);
    }

    /// Returns the time that one operation waits.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns how many requests this process has made.
    pub fn requests(&self) -> RequestCounts {
        self.counts.so_far()
    }

    /// Returns why the last request failed; None if it did not.
    pub(crate) fn last_failure(&self) -> Option<String> {
        self.health.reason()
    }

    /// Returns why the store cannot be written to; None if it can. It is asked only if the last
    /// request failed.
    pub(crate) fn failure(&self) -> Option<String> {
        let failure = self.health.failure()?;
        let asked = self.put(&self.key_below(PROBE), Vec::new(), &Patience::of(PROBED));
        asked.is_err().then_some(failure)
    }

    /// Runs a request, within what is left of the patience.
    pub(super) fn run<T>(
        &self,
        kind: Kind,
        patience: &Patience,
        request: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        self.count(kind);
        self.wait(patience, request)
    }

    pub(super) fn count(&self, kind: Kind) {
        self.counts.add(kind);
    }

    fn wait<T>(
        &self,
        patience: &Patience,
        request: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        let broken =
            |words: String| object_store::Error::Generic { store: "S3", source: words.into() };
        let late = || broken(format!("no answer within {:?}", self.timeout));
        let begun = Instant::now();
        if let Some(reason) = self.health.broken() {
            return Err(broken(reason));
        }
        let done = match (patience.begin(self.timeout), &self.runtime) {
            (Some((_waiting, left)), Some(runtime)) => runtime
                .block_on(async { tokio::time::timeout(left, request).await })
                .unwrap_or_else(|_| Err(late())),
            _ => Err(late()),
        };
        self.health.note(&done, (begun.elapsed(), self.timeout));
        done
    }

    fn error(&self, error: &object_store::Error) -> io::Error {
        use object_store::Error;
        let kind = match error {
            Error::NotFound { .. } => io::ErrorKind::NotFound,
            Error::AlreadyExists { .. } => io::ErrorKind::AlreadyExists,
            Error::Precondition { .. } => return changed(),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                io::ErrorKind::ConnectionRefused
            }
            _ => io::ErrorKind::HostUnreachable,
        };
        io::Error::new(kind, format!("the object store {} failed: {}", self.url, words(error)))
    }

    /// Reads an object, or the beginning of it; None if there is none.
    pub(crate) fn get(
        &self,
        key: &str,
        most: Option<u64>,
        patience: &Patience,
    ) -> io::Result<Option<Read>> {
        let range = most.map(|most| GetRange::Bounded(0..most));
        let options = GetOptions { range, ..GetOptions::default() };
        let read = self.run(Kind::Get, patience, async {
            let got = self.store.get_opts(&path(key), options).await?;
            let version = version(&got.meta);
            Ok(Read { bytes: got.bytes().await?.to_vec(), version })
        });
        self.found(read)
    }

    /// Reads an object in parts; calls `part` with each.
    pub(crate) fn stream(
        &self,
        key: &str,
        patience: &Patience,
        mut part: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Option<()>> {
        let read = self.run(Kind::Get, patience, async {
            let mut parts = self.store.get(&path(key)).await?.into_stream();
            while let Some(bytes) = parts.next().await {
                if let Err(error) = part(&bytes?) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        self.found(read)?.transpose()
    }

    /// Looks at an object; None if there is none.
    pub(crate) fn head(&self, key: &str, patience: &Patience) -> io::Result<Option<Head>> {
        let head = self.run(Kind::Head, patience, self.store.head(&path(key)));
        self.found(head.map(|meta| Head { len: meta.size, version: version(&meta) }))
    }

    /// Writes an object.
    pub(crate) fn put(&self, key: &str, bytes: Vec<u8>, patience: &Patience) -> io::Result<()> {
        let put = self.put_as(key, bytes, PutMode::Overwrite, patience);
        put.map_err(|error| self.error(&error))
    }

    /// Writes an object that is not there; false if it is. If an answer was lost, false can
    /// mean that this call wrote it.
    pub(crate) fn create(&self, key: &str, bytes: &[u8], patience: &Patience) -> io::Result<bool> {
        for round in 0..CONFLICTS {
            match self.put_as(key, bytes.to_vec(), PutMode::Create, patience) {
                Ok(()) => return Ok(true),
                Err(object_store::Error::AlreadyExists { .. }) => {}
                Err(error) => return Err(self.error(&error)),
            }
            // A conflict with a request in flight is reported in the same way.
            if self.head(key, patience)?.is_some() {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(10 << round));
        }
        let reason = "the object store refuses to create an object that is not there; try again";
        Err(io::Error::new(io::ErrorKind::HostUnreachable, reason))
    }

    /// Replaces an object of that version.
    ///
    /// # Errors
    ///
    /// Fails with the error of [`changed`] if it has another version.
    pub(crate) fn replace(
        &self,
        key: &str,
        bytes: &[u8],
        seen: &Version,
        patience: &Patience,
    ) -> io::Result<()> {
        let Some(tag) = &seen.tag else {
            return if self.create(key, bytes, patience)? { Ok(()) } else { Err(changed()) };
        };
        let version = UpdateVersion { e_tag: Some(tag.clone()), version: None };
        match self.put_as(key, bytes.to_vec(), PutMode::Update(version), patience) {
            Ok(()) => Ok(()),
            Err(object_store::Error::Precondition { .. }) => {
                // Where an answer was lost, the change was this one.
                match self.get(key, None, patience)? {
                    Some(read) if read.bytes == bytes => Ok(()),
                    Some(_) | None => Err(changed()),
                }
            }
            Err(error) => Err(self.error(&error)),
        }
    }

    fn put_as(
        &self,
        key: &str,
        bytes: Vec<u8>,
        mode: PutMode,
        patience: &Patience,
    ) -> object_store::Result<()> {
        let options = PutOptions { mode, ..PutOptions::default() };
        let (path, payload) = (path(key), PutPayload::from(bytes));
        let put = self.store.put_opts(&path, payload, options);
        self.run(Kind::Put, patience, put).map(drop)
    }

    /// Deletes an object; no-op if it is not there.
    pub(crate) fn delete(&self, key: &str, patience: &Patience) -> io::Result<()> {
        let path = path(key);
        let deleted = self.run(Kind::Delete, patience, self.store.delete(&path));
        self.found(deleted).map(drop)
    }

    /// Begins a listing of everything below a key.
    pub(crate) fn list(&self, key: &str) -> Listing {
        let prefix = (!key.is_empty()).then(|| path(key));
        self.store.list(prefix.as_ref())
    }

    /// Returns the next object of a listing: its key below `key`, and what is known of it.
    pub(crate) fn next(
        &self,
        listing: &mut Listing,
        key: &str,
        patience: &Patience,
    ) -> Option<io::Result<(String, Head)>> {
        let meta = match self.wait(patience, async { listing.next().await.transpose() }) {
            Ok(None) => return None,
            Ok(Some(meta)) => meta,
            Err(error) => return Some(Err(self.error(&error))),
        };
        let below = meta.location.as_ref().strip_prefix(key).unwrap_or_default();
        let below = below.trim_start_matches('/').to_owned();
        Some(Ok((below, Head { len: meta.size, version: version(&meta) })))
    }

    /// Lists the folders right below a key.
    pub(crate) fn folders(&self, key: &str, patience: &Patience) -> io::Result<Vec<String>> {
        let path = path(key);
        let listed = self.run(Kind::List, patience, self.store.list_with_delimiter(Some(&path)));
        let listed = listed.map_err(|error| self.error(&error))?;
        let last = |path: &Path| path.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(listed.common_prefixes.iter().filter_map(last).collect())
    }

    fn found<T>(&self, done: object_store::Result<T>) -> io::Result<Option<T>> {
        match done {
            Ok(value) => Ok(Some(value)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error(&error)),
        }
    }
}

fn path(key: &str) -> Path {
    Path::from(key)
}

fn version(meta: &ObjectMeta) -> Version {
    Version { tag: meta.e_tag.clone(), written_at: Some(SystemTime::from(meta.last_modified)) }
}
