//! A store in a temporary folder, for the tests of this crate.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;

use crate::folder::Folder;
use crate::index::folder_index::Index;
use crate::media::{FAKES, MEDIUM, Medium, private_objects};
use crate::objects::fake::FakeStore;
use crate::records::record::Record;
use crate::write::opened::Opened;
use crate::{
    Call, Chat, ClaimedFile, Claims, Coverage, Durability, EndedFile, ExpiredFile, FileCache,
    FileName, Lifetimes, Location, LroPrefix, Moment, Origin, PRIVATE, RootSpec, Roots, Run, Stem,
    Store, SweepEvent, SweepOptions, SweepReport, sweep,
};

/// The time at which tests begin: later than the machine's.
pub(crate) fn start() -> SystemTime {
    UNIX_EPOCH + seconds(START)
}

pub(crate) const START: u64 = 4_000_000_000;

pub(crate) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn after(secs: u64) -> SystemTime {
    start() + seconds(secs)
}

#[derive(Deserialize)]
struct Header {
    #[serde(default, deserialize_with = "present")]
    ttl_seconds: Option<Option<u64>>,
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<u64>>, D::Error> {
    Option::<u64>::deserialize(value).map(Some)
}

fn header_ttl(head: &[u8]) -> Option<Option<u64>> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    serde_json::from_slice::<Header>(line).ok()?.ttl_seconds
}

/// A lifetime of an hour for everything.
pub(crate) fn lifetimes() -> Lifetimes {
    let hour = Some(seconds(3600));
    Lifetimes { store: hour, lro: hour, temporary: seconds(3600), header_ttl }
}

pub(crate) struct Shop {
    pub(crate) temp: tempfile::TempDir,
    pub(crate) roots: Roots,
    pub(crate) store: Store,
    /// The object store that keeps the files; `None` for a local folder.
    pub(crate) fake: Option<Arc<FakeStore>>,
}

pub(crate) fn shop() -> Shop {
    shop_in(tempfile::tempdir().unwrap())
}

/// Returns an empty open folder.
pub(crate) fn folder() -> (tempfile::TempDir, cap_std::fs::Dir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = cap_std::fs::Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority());
    (temp, dir.unwrap())
}

/// Returns the shop of a folder, as a restarted process opens it.
pub(crate) fn shop_in(temp: tempfile::TempDir) -> Shop {
    let base = temp.path().canonicalize().unwrap();
    let known = FAKES.lock().unwrap().get(&base).cloned();
    let fake = known.or_else(|| {
        let is_local = MEDIUM.get() == Medium::Local;
        (!is_local).then(|| FakeStore::new(SystemTime::now()))
    });
    let specs = [RootSpec::parse(base.to_str().unwrap())];
    let roots = match &fake {
        Some(fake) => {
            FAKES.lock().unwrap().insert(base.clone(), Arc::clone(fake));
            let cache = base.join(format!("cache-{}", ulid::Ulid::generate()));
            Roots::of_objects(&specs, &fake.replica(&cache)).unwrap()
        }
        None => {
            std::fs::create_dir_all(base.join("store")).unwrap();
            Roots::open(&specs).unwrap()
        }
    };
    let at = roots.locate(base.join("store").to_str().unwrap()).unwrap();
    let store = Store::new(at, Durability::Relaxed, Arc::new(FileCache::new(10_000)));
    Shop { temp, roots, store, fake }
}

pub(crate) fn name(name: &str) -> FileName {
    FileName::parse(name).unwrap()
}

impl Shop {
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join("store").join(name)
    }

    pub(crate) fn at(&self, name: &str) -> Location {
        self.store.folder().child(name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.fake {
            None => self.path(name).symlink_metadata().is_ok(),
            Some(_) => read(&self.at(name)).is_ok(),
        }
    }

    /// Returns another process's view of the same store.
    pub(crate) fn replica(&self) -> Store {
        let at = match &self.fake {
            None => self.store.folder().clone(),
            Some(fake) => {
                let cache = self.temp.path().join(format!("cache-{}", ulid::Ulid::generate()));
                let spec = RootSpec::parse(self.temp.path().to_str().unwrap());
                let roots = Roots::of_objects(&[spec], &fake.replica(&cache)).unwrap();
                roots.locate(self.store.folder().spelled()).unwrap()
            }
        };
        Store::new(at, Durability::Relaxed, Arc::new(FileCache::new(10_000)))
    }

    /// Writes a content, like a writer that has reserved its name.
    pub(crate) fn put_file(&self, name: &FileName, text: &str) {
        match &self.fake {
            None => std::fs::write(self.path(name.as_str()), text).unwrap(),
            Some(_) => {
                let file = self.record(name).map_or(name.to_string(), |record| record.file(name));
                self.folder().publish(&file, text.as_bytes(), Durability::Relaxed).unwrap();
            }
        }
    }

    /// Removes a content without recording it.
    pub(crate) fn remove_file(&self, name: &FileName) {
        match &self.fake {
            None => std::fs::remove_file(self.path(name.as_str())).unwrap(),
            Some(_) => {
                let file = self.record(name).map_or(name.to_string(), |record| record.file(name));
                self.folder().remove(&file).unwrap();
            }
        }
    }

    /// Returns the names of all contents, without the days of an object store.
    pub(crate) fn files(&self) -> Vec<String> {
        let paths = self.folder().names().unwrap().map(Result::unwrap);
        let names = paths.map(|path| path.rsplit('/').next().unwrap().to_owned());
        let mut names: Vec<String> = names.filter(|name| name != PRIVATE).collect();
        names.sort();
        names
    }

    pub(crate) fn write(&self, stem: Stem, content: &str) -> FileName {
        self.write_as(stem, content, Origin::default())
    }

    pub(crate) fn write_as(&self, stem: Stem, content: &str, origin: Origin) -> FileName {
        let hash = blake3::hash(content.as_bytes());
        let claim =
            self.store.claim(&mut Claims::default(), &[(stem.clone(), hash)]).unwrap().remove(0);
        let files = [ClaimedFile { stem, claim, origin }];
        let written = self.store.write(&files, |_| Cow::Borrowed(content)).unwrap();
        written.into_iter().next().unwrap().name
    }

    /// Creates a file without a record, as an older store or a copy leaves it.
    pub(crate) fn plant(&self, name: &str, content: &str, at: SystemTime) -> FileName {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(self.path(name), content).unwrap();
        let mode = PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(self.path(name), mode).unwrap();
        let name = FileName::parse(name).unwrap();
        self.age(&name, at);
        name
    }

    pub(crate) fn write_call(&self, id: &str, content: &str) -> FileName {
        self.write(Stem::of_call(Some(id), &blake3::hash(content.as_bytes())), content)
    }

    pub(crate) fn write_lro(&self, content: &str) -> FileName {
        let hash = blake3::hash(content.as_bytes());
        self.write(Stem::of_lro(LroPrefix::Lro, "search", 1_700_000_000_000, &hash), content)
    }

    /// Writes a call's result made at `at`.
    pub(crate) fn made(&self, id: &str, content: &str, at: SystemTime) -> FileName {
        let stem = Stem::of_call(Some(id), &blake3::hash(content.as_bytes()));
        let name = self.write_as(stem, content, origin(None, id));
        self.age(&name, at);
        name
    }

    /// Writes a call's result for a chat, with a text that only this chat has.
    pub(crate) fn made_for(&self, chat: &str, id: &str, content: &str) -> FileName {
        let stem = Stem::of_call(Some(id), &blake3::hash(content.as_bytes()));
        self.write_as(stem, content, origin(Some(chat), id))
    }

    pub(crate) fn index(&self) -> Index {
        Index::make(&self.folder()).unwrap()
    }

    pub(crate) fn record(&self, name: &FileName) -> Option<Record> {
        self.index().records.get(name).unwrap()
    }

    /// Returns every file of the private folder by its path there, except the clock.
    pub(crate) fn private(&self) -> BTreeMap<String, String> {
        if let Some(fake) = &self.fake {
            return private_objects(fake);
        }
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path(PRIVATE)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(self.path(PRIVATE)).unwrap().display().to_string();
                if name != "clock" {
                    found.insert(name, std::fs::read_to_string(path).unwrap());
                }
            }
        }
        found
    }

    pub(crate) fn age(&self, name: &FileName, at: SystemTime) {
        match &self.fake {
            None => set_modified(&self.path(name.as_str()), at),
            Some(fake) => {
                let file = self.record(name).map_or(name.to_string(), |record| record.file(name));
                fake.set_date(&format!("/files/{file}"), at);
                fake.set_date(&format!("/names/{name}.json"), at);
            }
        }
    }

    /// Sets the store's clock.
    fn show(&self, now: SystemTime) {
        if let (Some(fake), Some(objects)) = (&self.fake, self.roots.objects()) {
            fake.set_now(now);
            objects.set_server_now(now);
        }
    }

    pub(crate) fn sweep(&self, now: SystemTime) -> SweepReport {
        self.sweep_with(&lifetimes(), now)
    }

    pub(crate) fn sweep_with(&self, lifetimes: &Lifetimes, now: SystemTime) -> SweepReport {
        self.sweep_at(lifetimes, &moment(now))
    }

    pub(crate) fn sweep_at(&self, lifetimes: &Lifetimes, now: &Moment) -> SweepReport {
        self.show(now.wall);
        let folders = [self.store.folder().clone()];
        let (roots, coverage, run) = (&self.roots, Coverage::Roots, Run::Real);
        let options = SweepOptions { roots, folders: &folders, coverage, lifetimes, now, run };
        sweep(&options, &mut |_| {})
    }

    /// Sweeps only the stores under the roots.
    pub(crate) fn sweep_roots(
        &self,
        now: &Moment,
        run: Run,
        events: &mut dyn FnMut(SweepEvent<'_>),
    ) -> SweepReport {
        self.show(now.wall);
        let (roots, coverage, lifetimes) = (&self.roots, Coverage::Roots, &lifetimes());
        sweep(&SweepOptions { roots, folders: &[], coverage, lifetimes, now, run }, events)
    }

    pub(crate) fn opened(&self) -> Opened<'_> {
        Opened::open(&self.store.folder, &self.store.known).unwrap().unwrap()
    }

    pub(crate) fn open(&self) -> cap_std::fs::Dir {
        let (dir, path) = self.store.folder().local().unwrap();
        dir.open_dir(path).unwrap()
    }

    /// Returns the folder as the rules see it.
    pub(crate) fn folder(&self) -> Folder {
        self.store.folder().open_folder().unwrap().unwrap()
    }
}

pub(crate) fn set_modified(path: &std::path::Path, at: SystemTime) {
    std::fs::File::open(path).unwrap().set_modified(at).unwrap();
}

/// Returns a later moment of this machine, whose wall clock was not set in between.
pub(crate) fn moment(wall: SystemTime) -> Moment {
    let now = Moment::now();
    let up = now.up + wall.duration_since(now.wall).unwrap();
    Moment { wall, up, ..now }
}

pub(crate) fn origin(chat: Option<&str>, id: &str) -> Origin {
    let text = |text: String| Some(text);
    let whose = chat.unwrap_or("nobody");
    Origin {
        call: Call {
            tool: text(format!("tool of {whose}")),
            call_id: text(id.to_owned()),
            arguments: text(format!("arguments of {whose}")),
        },
        chat: chat.map(Chat::of),
        ttl_seconds: None,
    }
}

pub(crate) fn paths(files: &[ExpiredFile]) -> Vec<&str> {
    let mut names: Vec<&str> =
        files.iter().filter_map(|file| file.path.rsplit('/').next()).collect();
    names.sort_unstable();
    names
}

/// Returns the record of a file that no longer exists.
pub(crate) fn ended_of(at: &Location) -> Option<EndedFile> {
    crate::ended_file(at).unwrap()
}

/// Reads the whole file at a location.
pub(crate) fn read(at: &Location) -> std::io::Result<String> {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut at.open_file()?, &mut text)?;
    Ok(text)
}

/// Reads `tool_call_{current}.txt` with 16 threads while `change` runs, which sets the number: each
/// read finds the whole content, or the recorded end of the file.
pub(crate) fn read_in_parallel(shop: &Shop, content: &str, change: impl FnOnce(&AtomicUsize)) {
    let hash = blake3::hash(content.as_bytes());
    let (current, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (read, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let read_once = || {
        let at = shop.at(&format!("tool_call_{}.txt", current.load(Ordering::Acquire)));
        match crate::testing::read(&at) {
            Ok(text) => {
                assert_eq!(blake3::hash(text.as_bytes()), hash);
                read.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
                let end = ended_of(&at).and_then(|file| file.ended);
                assert!(end.is_some(), "a 404 for a file that was there");
                ended.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    read_once();
                }
            });
        }
        change(&current);
        done.store(true, Ordering::Relaxed);
    });
    assert!(read.into_inner() > 0 && ended.into_inner() > 0);
}
