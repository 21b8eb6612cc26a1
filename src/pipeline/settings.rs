//! The settings of an offload, each declared once.

use crate::compaction::call::ReloadTools;
use crate::compaction::preview_settings::PreviewSize;
use crate::descriptor::Richness;
use crate::params::{Blank, PATH, request, words};
use crate::pipeline::recent::Recent;

/// The ways to make a history smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Compact; then compress if compaction leaves too much.
    Auto,
    /// Only move results to files.
    Compact,
    /// Only summarise.
    Compress,
}

words!(Mode { "auto" = Auto, "compact" = Compact, "compress" = Compress });

/// Whose texts may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompactRole {
    /// Results of tools.
    Tool,
    /// Observations that an agent sends as the user's text.
    User,
}

words!(CompactRole { "tool" = Tool, "user" = User });

/// The parts of a request that its limits in tokens count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountedParts {
    /// Messages, tools and the separate system prompt.
    All,
    /// Messages, and the snapshots in a separate system prompt.
    Messages,
}

words!(CountedParts { "all" = All, "messages" = Messages });

/// The part of the earlier history that the provider's prompt cache still has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptCache {
    /// Its beginning, as it was sent.
    Warm,
    /// Nothing.
    Cold,
}

words!(PromptCache { "warm" = Warm, "cold" = Cold });

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// Plan, write, answer.
    Real,
    /// Plan and report only.
    Dry,
}

/// The minimum of `max_total_tokens` in [`Settings::high_water`]: a smaller value requests
/// compression of any history, and is not a limit.
const MIN_TOTAL: u64 = 4_000;

/// Returns a share of a number of tokens, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "part of a number of tokens is less than it")]
fn share_of(tokens: u64, share: f64) -> u64 {
    (tokens as f64 * share) as u64
}

request! {
    /// Everything a caller can set.
    #[derive(Debug, Clone)]
    pub(crate) struct Settings {
        /// Folder that files go to; it must lie under an allowed root.
        ///
        /// Absolute, or relative to the service's working directory; made where it does not
        /// exist. At most 4096 bytes, no control character.
        store_dir: String {
            unit: "dir",
            blank: Blank::Refused,
            accepted: "a folder under an allowed root, as a string",
            schema: PATH,
        },
        /// How the history becomes smaller.
        ///
        /// `compact` moves results to files. `compress` puts snapshots in place of older
        /// messages. `auto` does the first, and the second where the first is not enough.
        context_manage_mode: Option<Mode> { unit: "mode" } = "auto",
        /// The later name of `context_manage_mode`, which wins if both are given.
        ///
        /// A word that is no mode is refused all the same.
        working_summary_mode: Option<Mode> { unit: "mode" },
        /// A history below this is left alone.
        ///
        /// Counts what `counted_parts` says. For compression, the messages that may leave must
        /// have as many, too, with the snapshots before them. With `target_tokens` that is the
        /// limit instead.
        max_total_tokens: u64 { unit: "tokens" } = 20000,
        /// A tool result above this may move.
        max_tool_message_tokens: u64 { unit: "tokens" } = 2000,
        /// The newest messages, which are left alone.
        ///
        /// Widened, so that an assistant's calls and their results stay together; calls at the
        /// end that still wait for results are never compressed, also with 0. With
        /// `target_tokens`, as many more stay as have a quarter of it; for compression without
        /// both settings, a quarter of `max_total_tokens`. Only `target_tokens` can move results
        /// among them.
        keep_recent_count: Option<u64> {
            unit: "messages",
            absent: "1 for compaction, 2 for compression",
        },
        /// `auto` compresses if compaction leaves more than this fraction of the tokens.
        ///
        /// Where the call moves nothing, the texts behind references of earlier calls count as
        /// tokens before it: a history that was compacted well is not compressed only because
        /// it is sent again. Half as many tokens again as `max_total_tokens` (6,000 at least)
        /// are too many at any fraction below 1, and so are more than `max_total_tokens` next to
        /// a snapshot.
        compact_ratio_threshold: f64 { unit: "fraction" } = 0.75,
        /// A hard budget for the answer; `counted_parts` says for which parts of it.
        ///
        /// A history of as many tokens is left alone. A larger one goes down to about
        /// `low_water_ratio` of the budget, so that the next turns change nothing: large results
        /// move, oldest first; where they do not suffice, `auto` and `compress` put older
        /// messages into a snapshot of what room is left. In `compact`, or where no snapshot is
        /// possible, smaller results move, oldest first, down to 49 tokens; then previews are
        /// given up. The last resort, where a snapshot of 1,500 tokens would leave too much:
        /// results of the newest messages move, the largest first, with a preview or, if need
        /// be, without; a warning counts them. In `compress` no other results move. Where the
        /// budget cannot be met all this is done all the same, and a warning says so, with the
        /// tokens that remain; what no compression can reach is no reason for new snapshots on
        /// each call.
        target_tokens: Option<u64> { unit: "tokens", min: 1, absent: "no target" },
        /// The fraction of `target_tokens` that is left once it was exceeded.
        ///
        /// A change costs the provider's prompt cache, so it makes room for turns to come. For
        /// compression without a target: the fraction of `max_total_tokens` that snapshots and
        /// newest messages may have. Where system messages and tools take much of the target,
        /// at least half of this fraction of the rest is used; a small target is filled up to
        /// six sevenths, as long as a snapshot has fewer than 1,750 tokens. The user's words in
        /// a snapshot may go beyond it, by a quarter of the tokens that are left of the target.
        low_water_ratio: f64 { unit: "fraction" } = 0.5,
        /// Delays a change until it frees this fraction of the tokens that it rewrites.
        ///
        /// A provider bills anew what stands behind the first change (`rewritten_tokens` in the
        /// report). 0 delays nothing. Texts that moved once, and kept snapshots, stay as they
        /// are. `target_tokens` is met all the same.
        rewrite_when_saved_ratio: f64 { unit: "fraction" } = 0,
        /// Whether the provider's prompt cache still has the history that was sent before.
        ///
        /// `cold`: a rewrite costs nothing more, so that none is delayed. For the first call
        /// after a pause that is longer than the provider's cache lives.
        cache: PromptCache { unit: "state" } = "warm",
        /// The parts that the limits and the report count.
        ///
        /// `all`: `messages`, `tools` and `system` together. `messages`: these alone, with the
        /// snapshots that stand in `system`. Concerns `max_total_tokens`, `target_tokens`,
        /// `compact_ratio_threshold` and the report's `tokens_before` and `tokens_after`.
        counted_parts: CountedParts { unit: "parts" } = "all",
        /// A pass of compaction or compression that would save less is skipped.
        ///
        /// Every edit costs the caller its prompt cache from that message on.
        min_savings_tokens: u64 { unit: "tokens" } = 0,
        /// Size of the preview of a moved result; 0 leaves the reference only.
        ///
        /// Note and reference are not included.
        preview_tokens: Option<u64> { unit: "tokens" } = 120,
        /// Size of the preview instead of `preview_tokens`, which wins if both are given.
        preview_char_length: Option<u64> { unit: "characters" },
        /// Whose texts may move.
        ///
        /// `tool`: results of tools. `user`: observations that an agent sends as the user's
        /// text. An empty list: nothing. The newest user message is never touched, nor user
        /// content that is no text.
        compact_roles: Vec<CompactRole> { unit: "roles" } = ["tool"],
        /// The retrieval tools that the agent has; references name only those.
        ///
        /// A list, or an object that gives each the name under which the agent has it, such as
        /// `mcp__unburden__read_file`. With an empty list notes above references name no tool.
        /// Without any of `read_file`, `grep`, `read_tool_result` and `shell`, what a snapshot
        /// does not name counts as lost (`max_loss`).
        reload_tools: ReloadTools { schema: ReloadTools::SCHEMA, unit: "tools" }
            = ["read_file", "grep", "lro_extract", "read_tool_result", "shell"],
        /// Whether the answer repeats the content of every file of the call.
        ///
        /// In `metadata.write_file_dict`. false for large histories.
        include_files: bool = true,
        /// Whether to plan and report only.
        ///
        /// Nothing is written, no model is called, `messages` come back unchanged. The size of a
        /// snapshot is that of a kept one, or of the built-in summariser's; with a model
        /// configured a warning says that it was not called.
        dry_run: bool = false,
        /// Whether to mend an invalid history first.
        ///
        /// Only what its provider would reject for its calls and results: a result that stands
        /// apart from its call goes behind it, one without a call is dropped, a call without a
        /// result is answered by `(no result: the history that was sent has none for this
        /// call)`, where its format has its results. Where a later request has that stub and
        /// the result, known by its id, the stub goes. `metadata.report.repairs` names each
        /// mend; tokens and messages are counted after it.
        repair: bool = false,
        /// Name of the chat in the files of a compression.
        ///
        /// At most 64 characters of it, any outside `[A-Za-z0-9_-]` as `_`. What is stored for
        /// the chat can be deleted under this name (`DELETE /chats/{chat_id}`).
        chat_id: Option<String> {
            unit: "name",
            blank: Blank::Refused,
            accepted: "a name that is not blank",
            absent: "the name in the files of its earlier snapshots, else 16 hex digits of the \
                     BLAKE3 hash of the first message that leaves",
        },
        /// The most of one snapshot's group; 0 is one group for all.
        group_token_threshold: u64 { unit: "tokens" } = 0,
        /// The largest fraction of identifiers that a compression may lose.
        ///
        /// lost / (kept + recoverable + lost) of `metadata.report.retention`. Where it would be
        /// above, nothing new is compressed, and a warning says so; kept snapshots that are
        /// above do not serve again either.
        max_loss: Option<f64> { unit: "fraction", absent: "any" },
        /// Whether arrays of records move to files of records that the agent can query.
        ///
        /// false moves them as texts.
        materialize: bool = true,
        /// How much of a file of records is described in the history.
        ///
        /// `pointer`: the note in brackets. `compact`: above it a line on each field and three
        /// recipes. `full`: all ten recipes. Recipes are named only to an agent with
        /// `lro_extract` or a shell.
        descriptor: Richness { words: &["pointer", "compact", "full"], unit: "size" } = "pointer",
        /// Name of the model that will read the history; it picks the tokenizer only.
        ///
        /// With or without a provider's prefix. An unknown name counts as absent and adds a
        /// warning.
        model: Option<String> { unit: "name", blank: Blank::Absent, absent: "`o200k_base`" },
    }
}

impl Settings {
    /// Returns the mode, under either of its names.
    pub(crate) fn mode(&self) -> Mode {
        let given = self.context_manage_mode.or(self.working_summary_mode);
        given.unwrap_or_else(|| Self::context_manage_mode.default_value())
    }

    /// Returns the size of the preview of a moved result.
    pub(crate) fn preview(&self) -> PreviewSize {
        match (self.preview_tokens, self.preview_char_length) {
            (Some(tokens), _) => PreviewSize::Tokens(tokens),
            (None, Some(chars)) => PreviewSize::Chars(chars),
            (None, None) => PreviewSize::Tokens(Self::preview_tokens.default_value()),
        }
    }

    /// Returns whether anything is written.
    pub(crate) fn run(&self) -> Run {
        if self.dry_run { Run::Dry } else { Run::Real }
    }

    /// Returns the limit of a history in tokens: the target, or `max_total_tokens`.
    pub(crate) fn limit(&self) -> u64 {
        self.target_tokens.unwrap_or(self.max_total_tokens)
    }

    /// Returns the number of tokens that are left once a history exceeded its limit.
    pub(crate) fn low_water(&self) -> u64 {
        self.low_water_of(self.limit())
    }

    /// Returns the same share of another number of tokens.
    pub(crate) fn low_water_of(&self, tokens: u64) -> u64 {
        share_of(tokens, self.low_water_ratio)
    }

    /// Returns the number of tokens that a target requires of a history of `level` tokens: `level`
    /// if it meets the target, otherwise fewer, in steps. A history that grows and is posted whole
    /// each time thus changes once per step of growth.
    pub(crate) fn aim(&self, level: u64) -> u64 {
        let target = self.target_tokens.unwrap_or(level);
        let step = target.saturating_sub(self.low_water_of(target)).max(1);
        let steps = level.saturating_sub(target).div_ceil(step);
        level.saturating_sub(steps * step)
    }

    /// Returns the number of tokens from which on `auto` compresses a history whatever compaction
    /// saved; `None` if `compact_ratio_threshold` is at least 1.
    pub(crate) fn high_water(&self) -> Option<u64> {
        let total = self.max_total_tokens.max(MIN_TOTAL);
        (self.compact_ratio_threshold < 1.0).then(|| total.saturating_add(total / 2))
    }

    /// Returns the tokens that a change must free if it rewrites `rewritten` tokens.
    pub(crate) fn asked_of_rewrite(&self, rewritten: u64) -> u64 {
        match self.cache {
            PromptCache::Cold => 0,
            PromptCache::Warm => share_of(rewritten, self.rewrite_when_saved_ratio),
        }
    }

    /// Returns the newest messages that compaction never touches.
    pub(crate) fn recent(&self) -> Recent {
        let count = if self.mode() == Mode::Compress { 2 } else { 1 };
        Recent {
            count: self.keep_recent_count.unwrap_or(count),
            tokens: self.target_tokens.map_or(0, quarter),
        }
    }

    /// Returns the newest messages that compression never touches, if the limit has room for them.
    pub(crate) fn recent_for_compression(&self) -> Recent {
        let is_exact = self.target_tokens.is_none() && self.keep_recent_count.is_some();
        Recent {
            count: self.keep_recent_count.unwrap_or(2),
            tokens: if is_exact { 0 } else { quarter(self.limit()) },
        }
    }
}

fn quarter(tokens: u64) -> u64 {
    tokens / 4
}
