//! A store in a temporary folder, for the tests of this module.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;

use super::{
    Call, Claims, Durability, Entry, ExpiredFile, FileName, Ledger, Lifetimes, Location, LroPrefix,
    RootSpec, Roots, Run, Stem, Store, SweepReport, sweep,
};

/// The moment that tests begin at.
pub(super) fn start() -> SystemTime {
    UNIX_EPOCH + seconds(1_800_000_000)
}

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
        let hash = blake3::hash(content.as_bytes());
        let claim =
            self.store.claim(&mut Claims::default(), &[(stem.clone(), hash)]).unwrap().remove(0);
        let written = self.store.write(&[(stem, claim)], |_| Cow::Borrowed(content)).unwrap();
        written.into_iter().next().unwrap().name
    }

    pub(super) fn write_call(&self, id: &str, content: &str) -> FileName {
        self.write(Stem::of_call(Some(id), &blake3::hash(content.as_bytes())), content)
    }

    pub(super) fn write_lro(&self, content: &str) -> FileName {
        let hash = blake3::hash(content.as_bytes());
        self.write(Stem::of_lro(LroPrefix::Lro, "search", 1_700_000_000_000, &hash), content)
    }

    /// Writes and records a call's result made at `at`.
    pub(super) fn made(&self, id: &str, content: &str, at: SystemTime) -> FileName {
        let name = self.write_call(id, content);
        self.age(&name, at);
        self.store.record(&[entry(&name, content, at, None)]);
        name
    }

    pub(super) fn age(&self, name: &FileName, at: SystemTime) {
        set_modified(&self.path(name.as_str()), at);
    }

    pub(super) fn sweep(&self, now: SystemTime) -> SweepReport {
        self.sweep_with(&lifetimes(), now)
    }

    pub(super) fn sweep_with(&self, lifetimes: &Lifetimes, now: SystemTime) -> SweepReport {
        let folders = [self.store.folder().clone()];
        sweep(&self.roots, &folders, lifetimes, now, Run::Real, &mut |_| {})
    }

    pub(super) fn manifest(&self) -> String {
        std::fs::read_to_string(self.path(super::manifest::MANIFEST)).unwrap_or_default()
    }

    pub(super) fn open(&self) -> cap_std::fs::Dir {
        let at = self.store.folder();
        at.dir().open_dir(at.relative()).unwrap()
    }
}

pub(super) fn set_modified(path: &std::path::Path, at: SystemTime) {
    std::fs::File::open(path).unwrap().set_modified(at).unwrap();
}

pub(super) fn entry(name: &FileName, content: &str, at: SystemTime, ttl: Option<u64>) -> Entry {
    Entry {
        name: name.clone(),
        hash: blake3::hash(content.as_bytes()),
        bytes: content.len() as u64,
        created_at: at,
        ttl_seconds: ttl,
        call: Call {
            tool: Some("web_search".to_owned()),
            call_id: Some(format!("id of {name}")),
            arguments: Some("{\"q\":\"x\"}".to_owned()),
        },
        chat: None,
    }
}

pub(super) fn paths(files: &[ExpiredFile]) -> Vec<&str> {
    let mut names: Vec<&str> =
        files.iter().filter_map(|file| file.path.rsplit('/').next()).collect();
    names.sort_unstable();
    names
}
