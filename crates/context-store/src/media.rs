//! The storage that tests run over: a local folder and an object store.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::objects::fake::FakeStore;

/// The storage of a shop's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Medium {
    Local,
    Objects,
}

thread_local! {
    pub(crate) static MEDIUM: Cell<Medium> = const { Cell::new(Medium::Local) };
}

/// The object stores of shops, by their folders, so that a restarted process finds its own.
pub(crate) static FAKES: Mutex<BTreeMap<PathBuf, Arc<FakeStore>>> = Mutex::new(BTreeMap::new());

/// Runs a test over both kinds of storage.
pub(crate) fn over_both(test: impl Fn()) {
    for medium in [Medium::Local, Medium::Objects] {
        MEDIUM.set(medium);
        test();
    }
    MEDIUM.set(Medium::Local);
}

/// Runs a function over one kind of storage.
pub(crate) fn on<T>(medium: Medium, run: impl FnOnce() -> T) -> T {
    MEDIUM.set(medium);
    let done = run();
    MEDIUM.set(Medium::Local);
    done
}

/// Generates tests that run over both kinds of storage.
macro_rules! on_both {
    ($($(#[$meta:meta])* fn $name:ident() $body:block)+) => {
        $($(#[$meta])* #[test] fn $name() { $crate::media::over_both(|| $body); })+
    };
}
pub(crate) use on_both;

/// Returns the small objects of a store, by the paths that they would have in a local private
/// folder.
pub(crate) fn private_objects(fake: &FakeStore) -> BTreeMap<String, String> {
    let own = |(key, text): (String, String)| {
        let path = key.split_once("/.unburden/")?.1.to_owned();
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            ["files", ..] | ["chats", _, "generation"] => None,
            ["chats", chat, _, name] => Some((format!("chats/{chat}/{name}"), text)),
            _ => Some((path, text)),
        }
    };
    fake.all().into_iter().filter_map(own).collect()
}
