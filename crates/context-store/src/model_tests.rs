//! Compares a model of the store, a map in memory, with the real store over both kinds of storage:
//! any sequence of posts, references, deletions, sweeps and restarts, with processes that crash at
//! any request to an object store.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::media::{Medium, on};
use crate::testing::{Shop, after, ended_of, lifetimes, origin, read, shop, shop_in};
use crate::{
    Chat, ClaimedFile, Claims, FileName, FilesState, Lease, MissingIndex, Run, Stem, delete_chat,
};

/// A step of a sequence. There are few chats, calls and texts, so that they collide.
#[derive(Debug, Clone)]
enum Step {
    Post { chat: u8, call: u8, text: u8 },
    Refer { chat: u8, file: usize },
    Delete { chat: u8 },
    Sweep,
    Restart,
}

/// The model's state of a file.
#[derive(Debug, Clone)]
struct Known {
    text: String,
    /// `None` if a crash or an expiry leaves both states possible.
    is_alive: Option<bool>,
    /// Chats that refer to it, and chats that may.
    chats: BTreeSet<u8>,
    maybe: BTreeSet<u8>,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..3u8, 0..3u8, 0..2u8)
            .prop_map(|(chat, call, text)| Step::Post { chat, call, text }),
        3 => (0..3u8, 0..6usize).prop_map(|(chat, file)| Step::Refer { chat, file }),
        3 => (0..3u8).prop_map(|chat| Step::Delete { chat }),
        1 => Just(Step::Sweep),
        2 => Just(Step::Restart),
    ]
}

/// Steps, each with the request at which the process crashes, if it does.
fn steps() -> impl Strategy<Value = Vec<(Step, Option<u32>)>> {
    prop::collection::vec((step(), prop::option::weighted(0.3, 0..14u32)), 1..20)
}

#[derive(Debug, Default)]
struct Model {
    files: BTreeMap<FileName, Known>,
    /// The chats whose post of a text crashed: they may have it, under any name.
    died: BTreeMap<String, BTreeSet<u8>>,
    sweeps: u64,
}

fn chat_name(chat: u8) -> String {
    format!("chat {chat}")
}

impl Model {
    fn run(&mut self, mut shop: Shop, steps: &[(Step, Option<u32>)]) {
        for (step, dies) in steps {
            if let (Some(fake), Some(_)) = (&shop.fake, dies) {
                fake.die_after(*dies);
            }
            let done = self.step(&shop, step, dies.is_some() && shop.fake.is_some());
            if let Some(fake) = &shop.fake {
                fake.die_after(None);
            }
            if !done || matches!(step, Step::Restart) {
                shop = shop_in(shop.temp);
            }
            if !done && let Step::Delete { .. } | Step::Sweep = step {
                // The next process finishes the interrupted step.
                assert!(self.step(&shop, step, false), "{step:?}");
            }
            self.check(&shop, step);
        }
    }

    /// Returns false if the process crashed.
    fn step(&mut self, shop: &Shop, step: &Step, may_die: bool) -> bool {
        match *step {
            Step::Restart => true,
            Step::Post { chat, call, text } => self.post(shop, chat, call, text, may_die),
            Step::Refer { chat, file } => self.refer(shop, chat, file, may_die),
            Step::Delete { chat } => self.delete(shop, chat, may_die),
            Step::Sweep => self.sweep(shop, may_die),
        }
    }

    fn post(&mut self, shop: &Shop, chat: u8, call: u8, text: u8, may_die: bool) -> bool {
        let text = format!("text {text}");
        let hash = blake3::hash(text.as_bytes());
        let stem = Stem::of_call(Some(&call.to_string()), &hash);
        let of = Chat::of(&chat_name(chat));
        let posted = (|| {
            let wanted = [(stem.clone(), hash)];
            let claim = shop.store.claim(&mut Claims::default(), &wanted)?.remove(0);
            if claim.stored {
                let names = std::slice::from_ref(&claim.name);
                shop.store.renew(names, &lifetimes(), std::time::SystemTime::now());
                shop.store.note_references(of, names, MissingIndex::Create);
            }
            let own = origin(Some(&chat_name(chat)), &call.to_string());
            let files = [ClaimedFile { stem: stem.clone(), claim, origin: own }];
            shop.store.write(&files, |_| text.as_str().into()).map(|mut claims| claims.remove(0))
        })();
        match posted {
            Ok(claim) if shop.store.state_of(&[&claim]) == FilesState::Held => {
                let known = self.files.entry(claim.name).or_insert_with(|| Known {
                    text: text.clone(),
                    is_alive: Some(true),
                    chats: BTreeSet::new(),
                    maybe: self.died.get(&text).cloned().unwrap_or_default(),
                });
                assert_eq!(known.text, text, "a name has one content for good");
                known.is_alive = Some(true);
                known.chats.insert(chat);
                true
            }
            Ok(_) | Err(_) => {
                // Nobody may have renewed a file that expired: the next post writes it.
                self.died.entry(text.clone()).or_default().insert(chat);
                for known in self.files.values_mut().filter(|known| known.text == text) {
                    known.maybe.insert(chat);
                    if known.is_alive == Some(false) {
                        known.is_alive = None;
                    }
                }
                !may_die
            }
        }
    }

    fn refer(&mut self, shop: &Shop, chat: u8, file: usize, may_die: bool) -> bool {
        let Some((name, known)) = self.files.iter_mut().nth(file) else { return true };
        let of = Chat::of(&chat_name(chat));
        let names = std::slice::from_ref(name);
        let mut leases = shop.store.renew(names, &lifetimes(), std::time::SystemTime::now());
        if leases == [Lease::Held] {
            leases = shop.store.note_references(of, names, MissingIndex::Create);
        }
        known.maybe.insert(chat);
        if may_die {
            // A failure counts as held: the check of the answer detects it.
            return false;
        }
        match (leases[0], known.is_alive) {
            (Lease::Held, Some(false)) => panic!("{name} is gone"),
            (Lease::Gone, Some(true)) => panic!("{name} is there"),
            (Lease::Held, _) => {
                known.chats.insert(chat);
                known.is_alive = Some(true);
            }
            (Lease::Gone, _) => known.is_alive = Some(false),
        }
        true
    }

    fn delete(&mut self, shop: &Shop, chat: u8, may_die: bool) -> bool {
        let of = Chat::of(&chat_name(chat));
        let deletion = delete_chat(&shop.roots, None, of, after(9), Run::Real);
        let is_whole = deletion.errors.is_empty() && deletion.complete;
        assert!(is_whole || may_die, "{deletion:?}");
        for known in self.files.values_mut() {
            let was_of = known.chats.contains(&chat);
            let others = known.chats.iter().any(|other| *other != chat);
            let may_others = known.maybe.iter().any(|other| *other != chat);
            if is_whole {
                known.chats.remove(&chat);
                known.maybe.remove(&chat);
            }
            if was_of && !others && known.is_alive != Some(false) {
                known.is_alive = (is_whole && !may_others).then_some(false);
            } else if !was_of && !others {
                // No chat is known to have it.
                known.is_alive = known.is_alive.filter(|is_alive| !is_alive);
            }
        }
        is_whole
    }

    fn sweep(&mut self, shop: &Shop, may_die: bool) -> bool {
        self.sweeps += 1;
        let swept = shop.sweep(after(self.sweeps * 100_000));
        let is_whole = swept.errors.is_empty();
        assert!(is_whole || may_die, "{swept:?}");
        for known in self.files.values_mut() {
            // Posts refer to it again, and deletions may find these references.
            known.maybe.extend(known.chats.clone());
            let before = known.is_alive;
            known.is_alive = if is_whole { Some(false) } else { before.filter(|alive| !alive) };
        }
        is_whole
    }

    fn check(&self, shop: &Shop, step: &Step) {
        for (name, known) in &self.files {
            let at = shop.at(name.as_str());
            match (read(&at), known.is_alive) {
                (Ok(text), Some(true) | None) => assert_eq!(text, known.text, "{name} {step:?}"),
                (Ok(_), Some(false)) => panic!("{name} came back after {step:?}: {known:?}"),
                (Err(error), Some(true)) => panic!("{name} is lost after {step:?}: {error}"),
                (Err(error), Some(false) | None) => {
                    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
                    let ended = ended_of(&at).and_then(|file| file.ended);
                    assert!(ended.is_some() || known.is_alive.is_none(), "{name} {step:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_local_folder_does_what_the_model_says(steps in steps()) {
        Model::default().run(on(Medium::Local, shop), &steps);
    }

    #[test]
    fn an_object_store_does_what_the_model_says(steps in steps()) {
        Model::default().run(on(Medium::Objects, shop), &steps);
    }
}
