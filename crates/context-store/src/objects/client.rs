//! The client of an object store: blocking requests, each within the time limit of its operation,
//! and retried if they fail. They run on a thread of their own; async workers must not call them.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    UpdateVersion,
};
use tokio::runtime::Runtime;

use super::content_cache::{ContentCache, Fetched};
use super::counts::{Counts, Kind, RequestCounts};
use super::health::{Health, Late, STORE, may_pass, words};
use super::patience::Patience;
use super::server_clock::ServerClock;
use crate::folder::{Version, changed, is_changed};

/// The object that is written to find out whether the store is available again, and the timeout.
const PROBE: &str = ".unburden-check/probe";
const PROBED: Duration = Duration::from_secs(2);

/// How often a request is tried, and the first pause; each pause is twice the one before, up to a
/// limit. If a store fails every fourth request, one request in 65,000 fails this often in a row.
/// Every request may be repeated: a conditional one finds the effect of its first try.
const TRIES: u32 = 8;
pub(super) const PAUSE: Duration = Duration::from_millis(50);
const DOUBLED: u32 = 3;

/// How often a conditional create is repeated if a server rejects it although the object does not
/// exist, because another request for the key was in flight.
const CONFLICTS: u32 = 8;

/// An object store with a prefix.
pub struct Objects {
    pub(super) store: Arc<dyn ObjectStore>,
    /// `None` while it is dropped.
    runtime: Option<Runtime>,
    /// Its spelling in messages: `s3://bucket/prefix`.
    pub(super) url: String,
    pub(super) prefix: String,
    pub(super) timeout: Duration,
    /// The pause before the first retry of a request.
    pause: Duration,
    pub(super) cache: Arc<ContentCache>,
    pub(super) clock: ServerClock,
    /// The folders that are known to be registered as stores.
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
        (timeout, pause): (Duration, Duration),
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
            pause,
            cache: Arc::new(cache),
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

    /// Returns why the store cannot be written to; `None` if it can. Sends a request only if the
    /// last one failed.
    pub(crate) fn failure(&self) -> Option<String> {
        let failure = self.health.failure()?;
        let asked = self.put(&self.key_below(PROBE), Vec::new(), &Patience::of(PROBED));
        asked.is_err().then_some(failure)
    }

    /// Runs a request within the remaining time; retries it if the failure may be temporary.
    pub(super) fn run<T>(
        &self,
        kind: Kind,
        patience: &Patience,
        request: impl AsyncFnMut() -> object_store::Result<T>,
    ) -> io::Result<T> {
        self.tried(Some(kind), patience, request).map_err(|error| io_error(&error))
    }

    pub(super) fn tried<T>(
        &self,
        kind: Option<Kind>,
        patience: &Patience,
        mut request: impl AsyncFnMut() -> object_store::Result<T>,
    ) -> object_store::Result<T> {
        let (Some((_waiting, left)), Some(runtime)) = (patience.begin(self.timeout), &self.runtime)
        else {
            return Err(late(self.timeout));
        };
        let tries = async {
            for tried in 1.. {
                kind.into_iter().for_each(|kind| self.counts.add(kind));
                match request().await {
                    Err(error) if tried < TRIES && may_pass(&error) => {
                        tokio::time::sleep(pause(self.pause, tried)).await;
                    }
                    done => return done,
                }
            }
            unreachable!("the last try returns")
        };
        let done = runtime.block_on(async { tokio::time::timeout(left, tries).await });
        let done = done.unwrap_or_else(|_| Err(late(self.timeout.max(left))));
        self.health.note(&done);
        done
    }

    /// Reads an object, or its beginning; `None` if it does not exist.
    pub(crate) fn get(
        &self,
        key: &str,
        most: Option<u64>,
        patience: &Patience,
    ) -> io::Result<Option<Read>> {
        let range = most.map(|most| GetRange::Bounded(0..most));
        let options = GetOptions { range, ..GetOptions::default() };
        found(self.run(Kind::Get, patience, async || {
            let got = self.store.get_opts(&path(key), options.clone()).await?;
            let version = version(&got.meta);
            Ok(Read { bytes: got.bytes().await?.to_vec(), version })
        }))
    }

    /// Fetches bytes of an object into the cache, from those already fetched up to `end`. Bytes
    /// that arrived before a failure are not fetched again.
    ///
    /// # Errors
    ///
    /// Fails with [`io::ErrorKind::NotFound`] if the object does not exist.
    pub(crate) fn fetch(
        &self,
        key: &str,
        fetched: &mut Fetched,
        end: u64,
        patience: &Patience,
    ) -> io::Result<()> {
        self.run(Kind::Get, patience, async || {
            let there = fetched.bytes();
            if there >= end && end > 0 {
                return Ok(Ok(()));
            }
            // A range of zero bytes is an error in S3.
            let range = (end > 0).then_some(GetRange::Bounded(there..end));
            let options = GetOptions { range, ..GetOptions::default() };
            let mut parts = self.store.get_opts(&path(key), options).await?.into_stream();
            while let Some(part) = parts.next().await {
                if let Err(error) = fetched.write(&part?) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        })?
    }

    /// Returns the facts of an object; `None` if it does not exist.
    pub(crate) fn head(&self, key: &str, patience: &Patience) -> io::Result<Option<Head>> {
        let head = self.run(Kind::Head, patience, async || self.store.head(&path(key)).await);
        found(head.map(|meta| Head { len: meta.size, version: version(&meta) }))
    }

    /// Writes an object.
    pub(crate) fn put(&self, key: &str, bytes: Vec<u8>, patience: &Patience) -> io::Result<()> {
        self.put_as(key, same(bytes), PutMode::Overwrite, patience)
    }

    /// Writes an object that does not exist. Returns false if it exists. If an answer was lost,
    /// false can mean that this call wrote it.
    pub(crate) fn create(&self, key: &str, bytes: &[u8], patience: &Patience) -> io::Result<bool> {
        self.create_as(key, same(bytes.to_vec()), patience)
    }

    /// Like `create`, but with different bytes for each try: if a server executes one try after the
    /// object of another was deleted, it does not restore an object that existed before.
    pub(crate) fn create_unique(
        &self,
        key: &str,
        mut bytes: impl FnMut() -> String,
        patience: &Patience,
    ) -> io::Result<bool> {
        self.create_as(key, || PutPayload::from(bytes()), patience)
    }

    fn create_as(
        &self,
        key: &str,
        mut bytes: impl FnMut() -> PutPayload,
        patience: &Patience,
    ) -> io::Result<bool> {
        for round in 0..CONFLICTS {
            match self.put_as(key, &mut bytes, PutMode::Create, patience) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                put => return put.map(|()| true),
            }
            // A conflict with a request in flight is reported in the same way.
            if self.head(key, patience)?.is_some() {
                return Ok(false);
            }
            std::thread::sleep(pause(self.pause, round));
        }
        let reason = "the object store refuses to create an object that is not there; try again";
        Err(io::Error::new(io::ErrorKind::HostUnreachable, reason))
    }

    /// Replaces an object that has this version.
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
        match self.put_as(key, same(bytes.to_vec()), PutMode::Update(version), patience) {
            Err(error) if is_changed(&error) => {
                // If an answer was lost, the change was this one.
                let read = self.get(key, None, patience)?;
                if read.is_some_and(|read| read.bytes == bytes) { Ok(()) } else { Err(error) }
            }
            put => put,
        }
    }

    fn put_as(
        &self,
        key: &str,
        mut bytes: impl FnMut() -> PutPayload,
        mode: PutMode,
        patience: &Patience,
    ) -> io::Result<()> {
        let path = path(key);
        let is_update = matches!(mode, PutMode::Update(_));
        let options = PutOptions { mode, ..PutOptions::default() };
        self.run(Kind::Put, patience, async || {
            match self.store.put_opts(&path, bytes(), options.clone()).await {
                // Another request for the object is in flight: its outcome decides.
                Err(object_store::Error::AlreadyExists { source, .. }) if is_update => {
                    Err(object_store::Error::Generic { store: STORE, source })
                }
                put => put.map(drop),
            }
        })
    }

    /// Deletes an object; no-op if it does not exist.
    pub(crate) fn delete(&self, key: &str, patience: &Patience) -> io::Result<()> {
        let path = path(key);
        found(self.run(Kind::Delete, patience, async || self.store.delete(&path).await)).map(drop)
    }
}

/// Returns the payload for each try of a write that may be executed more than once.
fn same(bytes: Vec<u8>) -> impl Fn() -> PutPayload {
    let payload = PutPayload::from(bytes);
    move || payload.clone()
}

pub(super) fn io_error(error: &object_store::Error) -> io::Error {
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
    io::Error::new(kind, format!("the object store failed: {}", words(error)))
}

/// Returns `None` for a not-found error.
fn found<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

/// Returns the error of a request that got no answer within this time.
fn late(time: Duration) -> object_store::Error {
    object_store::Error::Generic { store: STORE, source: Late(time).into() }
}

/// Returns the pause after `tried` tries, plus a random part of up to half of it: many requests
/// that failed together must not be retried together.
fn pause(first: Duration, tried: u32) -> Duration {
    let pause = first * (1 << tried.saturating_sub(1).min(DOUBLED));
    let [random, ..] = ulid::Ulid::generate().random().to_le_bytes();
    pause + pause * u32::from(random) / 512
}

pub(super) fn path(key: &str) -> Path {
    Path::from(key)
}

pub(super) fn version(meta: &ObjectMeta) -> Version {
    Version { tag: meta.e_tag.clone(), written_at: Some(SystemTime::from(meta.last_modified)) }
}
