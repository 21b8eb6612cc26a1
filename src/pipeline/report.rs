//! The report: what was done to a history, message by message, and why (`metadata.report` in
//! `openapi.yaml`). Its numbers are those of the checks.

use chat_history::repair::Repair;
use serde::{Deserialize, Serialize};

use crate::snapshot::format::summary::Writer;
use crate::snapshot::retention::Retention;

/// The outcome of an offload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The messages are unchanged.
    Unchanged,
    /// Results were moved to files.
    Compacted,
    /// Older messages became a snapshot.
    Compressed,
    /// Results were moved, and older messages became a snapshot.
    CompactedAndCompressed,
}

/// The kind of an action on one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionKind {
    /// Moved to a file.
    Compact,
    /// Moved to a file of records.
    Materialize,
    /// Became part of a snapshot.
    Compress,
    /// Above the threshold, but unchanged.
    Keep,
}

impl ActionKind {
    /// Returns true if the text moved to a file.
    pub(crate) fn moved(self) -> bool {
        matches!(self, ActionKind::Compact | ActionKind::Materialize)
    }
}

/// One text of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Action {
    /// The message, counted from 0.
    pub index: usize,
    /// Its kind.
    pub action: ActionKind,
    /// The id of the call that it answers.
    pub tool_call_id: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// Tokens before.
    pub tokens_before: u64,
    /// Tokens after.
    pub tokens_after: u64,
    /// The file of its text.
    pub path: Option<String>,
    /// The reason.
    pub why: String,
}

/// The invariants checked before the answer is returned. All are true, or the messages are the
/// caller's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Checks {
    /// No rule of the format is broken that was not broken before.
    pub pairing: bool,
    /// Every new reference leads to a readable, complete file.
    pub references_readable: bool,
    /// Everything that was not chosen is byte for byte unchanged.
    pub protected_untouched: bool,
    /// No message and no total is larger than before.
    pub not_larger: bool,
}

impl Checks {
    /// All checks hold; also for an answer that changes nothing.
    pub(crate) const HOLD: Checks = Checks {
        pairing: true,
        references_readable: true,
        protected_untouched: true,
        not_larger: true,
    };

    /// Returns the names of the checks that failed.
    pub(crate) fn failed(self) -> Vec<&'static str> {
        let all = [
            ("pairing", self.pairing),
            ("references_readable", self.references_readable),
            ("protected_untouched", self.protected_untouched),
            ("not_larger", self.not_larger),
        ];
        all.iter().filter(|(_, holds)| !holds).map(|(name, _)| *name).collect()
    }
}

/// The writer of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SnapshotSource {
    /// The configured model.
    Llm,
    /// The built-in summariser.
    Extractive,
}

impl From<Writer> for SnapshotSource {
    fn from(writer: Writer) -> SnapshotSource {
        match writer {
            Writer::Model => SnapshotSource::Llm,
            Writer::Extractive => SnapshotSource::Extractive,
        }
    }
}

/// The messages that one snapshot replaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GroupReport {
    /// The file with the originals.
    pub path: String,
    /// The first message, counted from 0 in the posted history.
    pub first: usize,
    /// The last message.
    pub last: usize,
    /// Their tokens, including the earlier snapshot that was merged.
    pub tokens_before: u64,
    /// The tokens of the snapshot.
    pub tokens_after: u64,
    /// Its writer.
    pub source: SnapshotSource,
}

/// The snapshots of a compression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotReport {
    /// `llm` if a model wrote every snapshot of this compression.
    pub source: SnapshotSource,
    /// The model that was called.
    pub model: Option<String>,
    /// True if snapshots of an earlier call were used unchanged.
    pub reused: bool,
    /// The groups that were compressed.
    pub groups: Vec<GroupReport>,
    /// The reasons why a model's text was rejected, one line each.
    pub rejected: Vec<String>,
    /// Sentences that were dropped from an accepted text, each with the reason.
    #[serde(default)]
    pub dropped: Vec<String>,
    /// The cost of the model.
    #[serde(default)]
    pub cost: ModelCost,
}

/// The cost of the model of a compression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelCost {
    /// HTTP calls, failed ones included.
    pub calls: u32,
    /// Tokens of the prompts of answered calls, as counted here.
    pub prompt_tokens: u64,
    /// Tokens of the answers, as counted here.
    pub reply_tokens: u64,
    /// From the first call to the last answer, in milliseconds.
    pub milliseconds: u64,
}

/// The whole report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Report {
    /// The outcome.
    pub outcome: Outcome,
    /// The messages' wire format.
    pub format: &'static str,
    /// The reason for that format: named in the request, or a feature only that format has.
    pub format_source: String,
    /// The tokenizer; `estimate:…` if no public one exists.
    pub tokenizer: &'static str,
    /// Tokens of the counted parts, as posted.
    pub tokens_before: u64,
    /// Tokens of the answer's counted parts; of a dry run, those that the answer would have.
    pub tokens_after: u64,
    /// tokens_after / tokens_before, rounded to four places.
    pub compaction_ratio: f64,
    /// Number of posted messages.
    pub messages_before: usize,
    /// Number of messages in the answer.
    pub messages_after: usize,
    /// The first message that differs: a prompt cache is lost from there on.
    pub first_changed_index: Option<usize>,
    /// Tokens of the answer from the first message on that this call changed and no earlier one:
    /// the tokens that a provider with a prompt cache bills again, with those that are new in any
    /// case.
    pub rewritten_tokens: u64,
    /// True if nothing was written and the messages are the caller's own.
    pub dry_run: bool,
    /// Every text above the threshold, and the action on it.
    pub actions: Vec<Action>,
    /// The snapshots, if there are any.
    pub snapshot: Option<SnapshotReport>,
    /// The number of identifiers of compressed messages that were kept or lost.
    pub retention: Option<Retention>,
    /// The checks.
    pub checks: Checks,
    /// The repairs that were made before, if `repair` requested them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Returns tokens_after / tokens_before, rounded to four places; 1 for an empty history.
pub(crate) fn ratio(before: u64, after: u64) -> f64 {
    if before == 0 {
        return 1.0;
    }
    let ratio = after as f64 / before as f64;
    (ratio * 10_000.0).round() / 10_000.0
}
