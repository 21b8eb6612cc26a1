//! The report: what was done to a history, message by message, and why
//! (`metadata.report` in `openapi.yaml`). Its numbers are the ones that were checked.

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
    /// Both.
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
    /// Became a snapshot, with others.
    Compress,
    /// Above the threshold, and left alone.
    Keep,
}

impl ActionKind {
    /// True where the text moved to a file.
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
    /// The call it answers.
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

/// The invariants that were checked before the answer left; all true, or the
/// messages are the caller's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Checks {
    /// No rule of the format is broken that was not broken before.
    pub pairing: bool,
    /// Every new reference can be read by its path, as long as it should be.
    pub references_readable: bool,
    /// Everything that was not chosen is byte for byte what came.
    pub protected_untouched: bool,
    /// No message and no sum is larger than before.
    pub not_larger: bool,
}

impl Checks {
    /// All hold: also for an answer that changes nothing.
    pub(crate) const HOLD: Checks = Checks {
        pairing: true,
        references_readable: true,
        protected_untouched: true,
        not_larger: true,
    };

    /// The names of those that do not hold.
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

/// The messages under one snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GroupReport {
    /// The file with the originals.
    pub path: String,
    /// The first message, counted from 0 in the history that came.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// Their tokens, with the earlier snapshot that was merged.
    pub tokens_before: u64,
    /// The tokens of the snapshot.
    pub tokens_after: u64,
    /// Its writer.
    pub source: SnapshotSource,
}

/// The snapshots of a compression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotReport {
    /// `llm` where a model wrote every snapshot of this compression.
    pub source: SnapshotSource,
    /// The model that was asked.
    pub model: Option<String>,
    /// True where snapshots of an earlier call were used as they were.
    pub reused: bool,
    /// The groups that were compressed.
    pub groups: Vec<GroupReport>,
    /// The reasons that a model's text was not accepted, one line each.
    pub rejected: Vec<String>,
    /// Sentences of an accepted text that do not hold, each with the reason.
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
    /// The same for the answer; of a dry run, what the answer would have.
    pub tokens_after: u64,
    /// tokens_after / tokens_before, rounded to four places.
    pub compaction_ratio: f64,
    /// Messages that came.
    pub messages_before: usize,
    /// Messages that leave.
    pub messages_after: usize,
    /// The first message that differs: a prompt cache is lost from there on.
    pub first_changed_index: Option<usize>,
    /// Tokens of the answer from the first message on that this call changed and no earlier one:
    /// what a provider with a prompt cache bills anew, with what is new in any case.
    pub rewritten_tokens: u64,
    /// True where nothing was written and the messages are the caller's own.
    pub dry_run: bool,
    /// Every text above the threshold, and what was done.
    pub actions: Vec<Action>,
    /// The snapshot, where there is one.
    pub snapshot: Option<SnapshotReport>,
    /// The number of identifiers of compressed messages that were kept, and lost.
    pub retention: Option<Retention>,
    /// The checks.
    pub checks: Checks,
    /// The places that were mended before, if `repair` asked for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// tokens_after / tokens_before; 1 for an empty history.
pub(crate) fn ratio(before: u64, after: u64) -> f64 {
    if before == 0 {
        return 1.0;
    }
    let ratio = after as f64 / before as f64;
    (ratio * 10_000.0).round() / 10_000.0
}
