//! An object store in memory for tests, with a clock that tests set, and with faults.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::stream::{BoxStream, StreamExt};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

use super::client::Objects;
use super::content_cache::ContentCache;

/// The faults of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// Every third write is executed, but its answer is lost.
    LostAnswers,
    /// Every request takes this long.
    Slow(Duration),
    /// Every request fails.
    Away,
    /// Conditional puts ignore their condition.
    NotAtomic,
    /// Lists lag behind writes.
    StaleLists,
    /// One in this many requests for a key fails without effect.
    Fails(u64),
    /// One in this many writes of a key is executed, but its connection breaks.
    Breaks(u64),
    /// One in this many reads of a key breaks off in the middle.
    Cuts(u64),
    /// One in this many conditional writes of a key is rejected because another is in flight.
    Conflicts(u64),
    /// Requests for keys that contain this text fail.
    FailsFor(&'static str),
    /// The first write of a key that contains this text gets no answer, and is executed at
    /// [`arrive`](FakeStore::arrive).
    Late(&'static str),
}

/// The kinds of requests before which a test can run a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Put,
    Get,
}

thread_local! {
    /// True if the last request of this thread that could fail did fail.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// The step before a request for a key that contains this text.
type Before = (Request, &'static str, Box<dyn FnOnce() + Send>);

/// The store.
pub(crate) struct FakeStore {
    inner: InMemory,
    dates: Mutex<HashMap<Path, SystemTime>>,
    now: Mutex<SystemTime>,
    fault: Mutex<Fault>,
    writes: AtomicU64,
    /// Slow requests in flight, and their maximum number.
    in_flight: AtomicU64,
    most_in_flight: AtomicU64,
    /// Number of requests by key.
    requests: Mutex<HashMap<Option<Path>, u64>>,
    /// The step of another process directly before the next request for such a key.
    before: Mutex<Option<Before>>,
    /// Requests until the process dies: from then on all fail. Negative if it lives.
    left: AtomicI64,
    /// Bytes of contents that were requested.
    sent: AtomicU64,
    /// The write that is delayed.
    late: Mutex<Option<(Path, PutPayload, PutOptions)>>,
}

impl fmt::Debug for FakeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FakeStore")
    }
}

impl fmt::Display for FakeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FakeStore")
    }
}

impl FakeStore {
    pub(crate) fn new(now: SystemTime) -> Arc<FakeStore> {
        Arc::new(FakeStore {
            inner: InMemory::new(),
            dates: Mutex::default(),
            now: Mutex::new(now),
            fault: Mutex::default(),
            writes: AtomicU64::default(),
            in_flight: AtomicU64::default(),
            most_in_flight: AtomicU64::default(),
            requests: Mutex::default(),
            before: Mutex::default(),
            left: AtomicI64::new(-1),
            sent: AtomicU64::default(),
            late: Mutex::default(),
        })
    }

    /// Returns a replica on this store, with its own cache.
    pub(crate) fn replica(self: &Arc<FakeStore>, cache: &std::path::Path) -> Arc<Objects> {
        self.replica_that_waits(cache, Duration::from_secs(20))
    }

    pub(crate) fn replica_that_waits(
        self: &Arc<FakeStore>,
        cache: &std::path::Path,
        timeout: Duration,
    ) -> Arc<Objects> {
        let cache = ContentCache::open(Some(cache.to_owned()), 1 << 26).unwrap();
        let times = (timeout, Duration::from_millis(1));
        let url = ("s3://bucket/some/prefix".to_owned(), "some/prefix".to_owned());
        let objects = Objects::with_store(Arc::clone(self) as _, url, times, cache).unwrap();
        objects.clock.set(*self.now.lock().unwrap());
        Arc::new(objects)
    }

    /// Sets the clock of the store.
    pub(crate) fn set_now(&self, at: SystemTime) {
        *self.now.lock().unwrap() = at;
    }

    /// Sets the time of the objects whose keys have this end.
    pub(crate) fn set_date(&self, end: &str, at: SystemTime) {
        let mut dates = self.dates.lock().unwrap();
        dates.iter_mut().filter(|(key, _)| key.as_ref().ends_with(end)).for_each(|(_, d)| *d = at);
    }

    pub(crate) fn set_fault(&self, fault: Fault) {
        *self.fault.lock().unwrap() = fault;
    }

    /// Runs a step directly before the next request for a key that contains this text.
    pub(crate) fn before(
        &self,
        request: Request,
        part: &'static str,
        happens: impl FnOnce() + Send + 'static,
    ) {
        *self.before.lock().unwrap() = Some((request, part, Box::new(happens)));
    }

    fn happen(&self, request: Request, key: &Path) {
        let mut before = self.before.lock().unwrap();
        let is_now = |(of, part, _): &Before| *of == request && key.as_ref().contains(part);
        let Some((.., happens)) = before.take_if(|next| is_now(next)) else { return };
        drop(before);
        // The step uses a runtime of its own.
        std::thread::spawn(happens).join().unwrap();
    }

    /// Returns the maximum number of slow requests in flight.
    pub(crate) fn most_in_flight(&self) -> u64 {
        self.most_in_flight.load(Ordering::SeqCst)
    }

    /// Returns the bytes of objects that were requested.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::SeqCst)
    }

    /// Lets the process die after this many requests; with `None` it lives.
    pub(crate) fn die_after(&self, requests: Option<u32>) {
        self.left.store(requests.map_or(-1, i64::from), Ordering::SeqCst);
    }

    /// Executes the delayed write, if its condition holds now.
    pub(crate) fn arrive(&self) {
        let (location, payload, options) = self.late.lock().unwrap().take().unwrap();
        let put = self.inner.put_opts(&location, payload, options);
        let _ = futures::executor::block_on(put);
    }

    /// Returns every key with its text.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        futures::executor::block_on(async {
            let mut all = Vec::new();
            for meta in self.inner.list(None).collect::<Vec<_>>().await {
                let key = meta.unwrap().location;
                let bytes = self.inner.get_opts(&key, GetOptions::default()).await.unwrap();
                let text = String::from_utf8_lossy(&bytes.bytes().await.unwrap()).into_owned();
                all.push((key.to_string(), text));
            }
            all
        })
    }

    /// Returns true for one in `many` requests for a key, but never twice in a row for one thread:
    /// such a fault is temporary.
    fn is_one_of(&self, many: u64, key: Option<&Path>) -> bool {
        let mut requests = self.requests.lock().unwrap();
        let number = requests.entry(key.cloned()).or_default();
        *number += 1;
        let is_due = number.is_multiple_of(many);
        FAILED.replace(is_due && !FAILED.get());
        FAILED.get()
    }

    async fn meet(&self, key: Option<&Path>) -> Result<Fault> {
        let fault = *self.fault.lock().unwrap();
        if self.left.load(Ordering::SeqCst) >= 0 && self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            self.left.store(0, Ordering::SeqCst);
            return Err(broken("the process died"));
        }
        match fault {
            Fault::Slow(time) => {
                let now = self.in_flight.fetch_add(1, Ordering::SeqCst) + 1;
                self.most_in_flight.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(time).await;
                self.in_flight.fetch_sub(1, Ordering::SeqCst);
            }
            Fault::Away => return Err(broken("status code: 503 Slow Down")),
            Fault::Fails(many) if self.is_one_of(many, key) => {
                return Err(broken("status code: 500 Internal Server Error"));
            }
            Fault::FailsFor(part) if key.is_some_and(|key| key.as_ref().contains(part)) => {
                return Err(broken("status code: 500 Internal Server Error"));
            }
            _ => {}
        }
        Ok(fault)
    }

    fn dated(&self, mut meta: ObjectMeta) -> ObjectMeta {
        if let Some(at) = self.dates.lock().unwrap().get(&meta.location) {
            meta.last_modified = (*at).into();
        }
        meta
    }
}

fn broken(words: &'static str) -> object_store::Error {
    object_store::Error::Generic { store: "fake", source: words.into() }
}

#[async_trait::async_trait]
impl ObjectStore for FakeStore {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        self.happen(Request::Put, location);
        let fault = self.meet(Some(location)).await?;
        if fault == Fault::NotAtomic {
            options.mode = PutMode::Overwrite;
        }
        if let Fault::Late(part) = fault
            && location.as_ref().contains(part)
        {
            let mut late = self.late.lock().unwrap();
            if late.is_none() {
                *late = Some((location.clone(), payload, options));
                return Err(broken("no answer came"));
            }
        }
        let mode = options.mode.clone();
        if let Fault::Conflicts(many) = fault
            && !matches!(mode, PutMode::Overwrite)
            && self.is_one_of(many, Some(location))
        {
            let (path, source) = (location.to_string(), "409 Conflict".into());
            return Err(object_store::Error::AlreadyExists { path, source });
        }
        let put = self.inner.put_opts(location, payload, options).await?;
        self.dates.lock().unwrap().insert(location.clone(), *self.now.lock().unwrap());
        if let Fault::Breaks(many) = fault
            && self.is_one_of(many, Some(location))
        {
            return Err(broken("the connection broke"));
        }
        let number = self.writes.fetch_add(1, Ordering::SeqCst);
        if fault == Fault::LostAnswers && number.is_multiple_of(3) {
            // The client's retry finds the object.
            let (path, source) = (location.to_string(), "lost".into());
            return match mode {
                PutMode::Overwrite => Ok(put),
                PutMode::Create => Err(object_store::Error::AlreadyExists { path, source }),
                PutMode::Update(_) => Err(object_store::Error::Precondition { path, source }),
            };
        }
        Ok(put)
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.happen(Request::Get, location);
        let fault = self.meet(Some(location)).await?;
        let is_head = options.head;
        let mut got = self.inner.get_opts(location, options).await?;
        got.meta = self.dated(got.meta);
        if let Fault::Cuts(many) = fault
            && !is_head
            && self.is_one_of(many, Some(location))
        {
            let meta = got.meta.clone();
            let (range, attributes) = (got.range.clone(), got.attributes.clone());
            let bytes = got.bytes().await?;
            let half = Ok(bytes.slice(..bytes.len() / 2));
            let parts = futures::stream::iter([half, Err(broken("the connection broke"))]);
            let payload = GetResultPayload::Stream(parts.boxed());
            got = GetResult { payload, meta, range, attributes, extensions: Default::default() };
        }
        if !is_head {
            self.sent.fetch_add(got.range.end - got.range.start, Ordering::SeqCst);
        }
        Ok(got)
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        match futures::executor::block_on(self.meet(None)) {
            Ok(_) => self.inner.delete_stream(locations),
            Err(error) => futures::stream::once(async { Err(error) }).boxed(),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match futures::executor::block_on(self.meet(None)) {
            Ok(Fault::StaleLists) => futures::stream::empty().boxed(),
            Ok(_) => {
                let listed: Vec<_> =
                    futures::executor::block_on(self.inner.list(prefix).collect::<Vec<_>>());
                let dated: Vec<_> =
                    listed.into_iter().map(|meta| meta.map(|meta| self.dated(meta))).collect();
                futures::stream::iter(dated).boxed()
            }
            Err(error) => futures::stream::once(async { Err(error) }).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.meet(None).await?;
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
