//! How much of what the compressed messages named can still be found: a measure
//! of a snapshot that needs no model and no judge.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::compression::haystack::{Edge, Haystack, Needle, fold};
use crate::compression::identifiers::{Kind, canonical, identifiers};
use crate::compression::transcript::Said;

/// The distinct identifiers of the compressed messages, by what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// Named in the snapshot.
    pub kept: usize,
    /// Not named, but the agent can read the original messages.
    pub recoverable: usize,
    /// Out of the agent's reach.
    pub lost: usize,
}

impl Retention {
    /// The share that is out of reach, 0 to 1.
    pub fn loss(&self) -> f64 {
        self.lost as f64 / (self.kept + self.recoverable + self.lost).max(1) as f64
    }

    /// Of the messages in the snapshot's text. `readable`: the agent has a tool
    /// that reads the file with the originals.
    pub fn of(messages: &[Said<'_>], snapshot: &str, readable: bool) -> Retention {
        let mut haystack = Haystack::default();
        haystack.push(snapshot);
        let words = haystack.words();
        let spelled: HashSet<Cow<'_, str>> = identifiers(snapshot).iter().map(canonical).collect();
        // Hashes instead of texts: there may be hundreds of thousands, and a measure
        // bears a collision in many lifetimes.
        let mut seen: HashSet<u64> = HashSet::new();
        let (mut kept, mut unsure) = (0, Vec::new());
        for said in messages {
            let calls = said.calls.iter().map(|call| &call.arguments);
            let results = said.results.iter().map(|result| &result.text);
            for found in said.texts.iter().chain(calls).chain(results).flat_map(|t| identifiers(t))
            {
                let text = canonical(&found);
                if !seen.insert(xxh3_64_with_seed(text.as_bytes(), found.kind as u64)) {
                    continue;
                }
                if spelled.contains(&text) {
                    kept += 1;
                } else if words.may_hold(&text) {
                    unsure.push(Needle { text: fold(&text), edge: edge(found.kind) });
                }
            }
        }
        kept += haystack.holds(&unsure).into_iter().filter(|held| *held).count();
        let gone = seen.len() - kept;
        let (recoverable, lost) = if readable { (gone, 0) } else { (0, gone) };
        Retention { kept, recoverable, lost }
    }
}

fn edge(kind: Kind) -> Edge {
    match kind {
        Kind::Path | Kind::Url | Kind::Id => Edge::Name,
        Kind::Quoted => Edge::Word,
        Kind::Number => Edge::Digits,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::Retention;
    use crate::compression::transcript::Said;
    use chat_history::message::Role;

    fn said(text: &str) -> Said<'_> {
        let texts = vec![Cow::Borrowed(text)];
        Said { index: 0, role: Role::User, texts, calls: vec![], results: vec![] }
    }

    #[test]
    fn each_identifier_is_counted_once() {
        let messages = [said("src/a.rs src/b.rs BUG-17 12,345"), said("./src/a.rs BUG-18")];
        let snapshot = "Read `src/a.rs`; 12345 lines; BUG-17";
        let counted = |readable| Retention::of(&messages, snapshot, readable);
        assert_eq!(counted(true), Retention { kept: 3, recoverable: 2, lost: 0 });
        assert_eq!(counted(false), Retention { kept: 3, recoverable: 0, lost: 2 });
        assert_eq!(Retention::of(&[], "", false), Retention::default());
    }
}
