//! A store in a temporary folder, for the tests of this module.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;

use super::index::Index;
use super::record::Record;
use super::{
    Call, Chat, ClaimedFile, Claims, Durability, ExpiredFile, FileName, Ledger, Lifetimes,
    Location, LroPrefix, Moment, Origin, PRIVATE, RootSpec, Roots, Run, Stem, Store, SweepReport,
    sweep,
};

/// The moment that tests begin at: later than the machine's.
pub(super) fn start() -> SystemTime {
    UNIX_EPOCH + seconds(START)
}

pub(super) const START: u64 = 4_000_000_000;

pub(super) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) fn after(secs: u64) -> SystemTime {
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

/// An hour for everything.
pub(super) fn lifetimes() -> Lifetimes {
    let hour = Some(seconds(3600));
    Lifetimes { store: hour, lro: hour, temporary: seconds(3600), header_ttl }
}

pub(super) struct Shop {
    pub(super) temp: tempfile::TempDir,
    pub(super) roots: Roots,
    pub(super) store: Store,
}

pub(super) fn shop() -> Shop {
    shop_in(tempfile::tempdir().unwrap())
}

/// An empty folder, open.
pub(super) fn folder() -> (tempfile::TempDir, cap_std::fs::Dir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = cap_std::fs::Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority());
    (temp, dir.unwrap())
}

/// As a restarted process sees the folder.
pub(super) fn shop_in(temp: tempfile::TempDir) -> Shop {
    let base = temp.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("store")).unwrap();
    let roots = Roots::open(&[RootSpec::parse(base.to_str().unwrap())]).unwrap();
    let at = roots.locate(base.join("store").to_str().unwrap()).unwrap();
    let store = Store::new(at, Durability::Relaxed, Arc::new(Ledger::new(10_000)));
    Shop { temp, roots, store }
}

pub(super) fn name(name: &str) -> FileName {
    FileName::of_minted(name).unwrap()
}

impl Shop {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join("store").join(name)
    }

    pub(super) fn at(&self, name: &str) -> Location {
        self.store.folder().child(name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    pub(super) fn write(&self, stem: Stem, content: &str) -> FileName {
        self.write_as(stem, content, Origin::default())
    }

    pub(super) fn write_as(&self, stem: Stem, content: &str, origin: Origin) -> FileName {
        let hash = blake3::hash(content.as_bytes());
        let claim =
            self.store.claim(&mut Claims::default(), &[(stem.clone(), hash)]).unwrap().remove(0);
        let files = [ClaimedFile { stem, claim, origin }];
        let written = self.store.write(&files, |_| Cow::Borrowed(content)).unwrap();
        written.into_iter().next().unwrap().name
    }

    /// A file that is there without a record, as an older store or a copy leaves it.
    pub(super) fn plant(&self, name: &str, content: &str, at: SystemTime) -> FileName {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(self.path(name), content).unwrap();
        let mode = PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(self.path(name), mode).unwrap();
        let name = FileName::of_minted(name).unwrap();
        self.age(&name, at);
        name
    }

    pub(super) fn write_call(&self, id: &str, content: &str) -> FileName {
        self.write(Stem::of_call(Some(id), &blake3::hash(content.as_bytes())), content)
    }

    pub(super) fn write_lro(&self, content: &str) -> FileName {
        let hash = blake3::hash(content.as_bytes());
        self.write(Stem::of_lro(LroPrefix::Lro, "search", 1_700_000_000_000, &hash), content)
    }

    /// Writes a call's result made at `at`.
    pub(super) fn made(&self, id: &str, content: &str, at: SystemTime) -> FileName {
        let stem = Stem::of_call(Some(id), &blake3::hash(content.as_bytes()));
        let name = self.write_as(stem, content, origin(None, id));
        self.age(&name, at);
        name
    }

    /// Writes a call's result for a chat, with words that only this chat has.
    pub(super) fn made_for(&self, chat: &str, id: &str, content: &str) -> FileName {
        let stem = Stem::of_call(Some(id), &blake3::hash(content.as_bytes()));
        self.write_as(stem, content, origin(Some(chat), id))
    }

    pub(super) fn index(&self) -> Index {
        Index::make(&self.open()).unwrap()
    }

    pub(super) fn record(&self, name: &FileName) -> Option<Record> {
        self.index().record(name)
    }

    /// Every file of the private folder, by its path there, but for the clock.
    pub(super) fn private(&self) -> std::collections::BTreeMap<String, String> {
        let mut found = std::collections::BTreeMap::new();
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

    pub(super) fn age(&self, name: &FileName, at: SystemTime) {
        set_modified(&self.path(name.as_str()), at);
    }

    pub(super) fn sweep(&self, now: SystemTime) -> SweepReport {
        self.sweep_with(&lifetimes(), now)
    }

    pub(super) fn sweep_with(&self, lifetimes: &Lifetimes, now: SystemTime) -> SweepReport {
        let folders = [self.store.folder().clone()];
        sweep(&self.roots, &folders, lifetimes, &moment(now), Run::Real, &mut |_| {})
    }

    pub(super) fn open(&self) -> cap_std::fs::Dir {
        let at = self.store.folder();
        at.dir().open_dir(at.relative()).unwrap()
    }
}

pub(super) fn set_modified(path: &std::path::Path, at: SystemTime) {
    std::fs::File::open(path).unwrap().set_modified(at).unwrap();
}

/// A later moment of this machine, whose wall clock was not set in between.
pub(super) fn moment(wall: SystemTime) -> Moment {
    let now = Moment::now();
    let up = now.up + wall.duration_since(now.wall).unwrap();
    Moment { wall, up, ..now }
}

pub(super) fn origin(chat: Option<&str>, id: &str) -> Origin {
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

pub(super) fn paths(files: &[ExpiredFile]) -> Vec<&str> {
    let mut names: Vec<&str> =
        files.iter().filter_map(|file| file.path.rsplit('/').next()).collect();
    names.sort_unstable();
    names
}
