//! Retention: the share of the identifiers in summarised messages that can still be found. It
//! measures a snapshot without a model.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::snapshot::text::identifiers::{canonical, identifiers};
use crate::snapshot::text::text_index::{Edge, Needle, TextIndex, fold};
use crate::snapshot::transcript::TranscriptMessage;

/// Counts of the distinct identifiers of summarised messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Retention {
    /// In the snapshot.
    pub kept: usize,
    /// Not in the snapshot, but the agent can read the original messages.
    pub recoverable: usize,
    /// Not in the snapshot, and the agent cannot read the original messages.
    pub lost: usize,
}

impl Retention {
    /// Returns the lost share, 0 to 1.
    pub(crate) fn loss(&self) -> f64 {
        self.lost as f64 / (self.kept + self.recoverable + self.lost).max(1) as f64
    }

    /// Counts the identifiers of the messages in the snapshot's text. `readable` is true if the
    /// agent has a tool that reads the file with the originals.
    pub(crate) fn of(
        messages: &[TranscriptMessage<'_>],
        snapshot: &str,
        readable: bool,
    ) -> Retention {
        let mut index = TextIndex::default();
        index.push(snapshot);
        let words = index.words();
        let spelled: HashSet<Cow<'_, str>> = identifiers(snapshot).iter().map(canonical).collect();
        // Hashes save memory: there may be hundreds of thousands of identifiers. A collision of 64
        // bits changes a count by one only.
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
                    unsure.push(Needle { text: fold(&text), edge: Edge::of(found.kind) });
                }
            }
        }
        kept += index.holds(&unsure).into_iter().filter(|held| *held).count();
        let gone = seen.len() - kept;
        let (recoverable, lost) = if readable { (gone, 0) } else { (0, gone) };
        Retention { kept, recoverable, lost }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::Retention;
    use crate::snapshot::transcript::TranscriptMessage;
    use chat_history::message::Role;

    fn said(text: &str) -> TranscriptMessage<'_> {
        let texts = vec![Cow::Borrowed(text)];
        TranscriptMessage { index: 0, role: Role::User, texts, calls: vec![], results: vec![] }
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
