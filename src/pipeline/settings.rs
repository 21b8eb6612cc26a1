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
    /// Move results to files, without summaries.
    Compact,
    /// Summarise older messages, without moving results.
    Compress,
}

words!(Mode { "auto" = Auto, "compact" = Compact, "compress" = Compress });

/// The role of a message whose texts may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompactRole {
    /// Results of tools.
    Tool,
    /// Observations that an agent sends as user messages.
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
        /// The folder for the files; it must be under an allowed root.
        ///
        /// The path is absolute, or relative to the service's working directory. The service
        /// creates the folder if it does not exist. Limits: 4096 bytes, no control characters.
        store_dir: String {
            unit: "dir",
            blank: Blank::Refused,
            accepted: "a folder under an allowed root, as a string",
            schema: PATH,
        },
        /// Selects how the history is reduced.
        ///
        /// `compact` moves results to files. `compress` replaces older messages with snapshots.
        /// `auto` compacts, and compresses if compaction is not enough.
        context_manage_mode: Option<Mode> { unit: "mode" } = "auto",
        /// Newer name of `context_manage_mode`, which takes precedence if both are given.
        ///
        /// An invalid value is an error even then.
        working_summary_mode: Option<Mode> { unit: "mode" },
        /// A history with fewer tokens is returned unchanged.
        ///
        /// `counted_parts` selects the parts that count. Compression also requires that the
        /// messages that it may replace, with the snapshots before them, have at least this many
        /// tokens. If `target_tokens` is given, it is the limit instead.
        max_total_tokens: u64 { unit: "tokens" } = 20000,
        /// A tool result with more tokens may move to a file.
        max_tool_message_tokens: u64 { unit: "tokens" } = 2000,
        /// Number of newest messages that stay unchanged.
        ///
        /// The range grows so that an assistant's calls stay with their results. Calls at the end
        /// that have no results yet are never compressed, even with 0. With `target_tokens`, the
        /// range also grows to as many messages as fit into a quarter of the target; for
        /// compression without both settings, into a quarter of `max_total_tokens`. Results in
        /// the range move only if `target_tokens` requires it.
        keep_recent_count: Option<u64> {
            unit: "messages",
            absent: "1 for compaction, 2 for compression",
        },
        /// `auto` compresses if compaction leaves more than this fraction of the tokens.
        ///
        /// If the call moves nothing, the texts that earlier calls moved count as tokens before
        /// compaction: a well compacted history is not compressed only because it is sent again.
        /// At any fraction below 1, `auto` also compresses from 1.5 times `max_total_tokens` on
        /// (at least 6,000 tokens). If the history already has a snapshot, `auto` compresses when
        /// snapshots and the messages that may be replaced reach `max_total_tokens`.
        compact_ratio_threshold: f64 { unit: "fraction" } = 0.75,
        /// Hard token budget of the answer; `counted_parts` selects the parts that count.
        ///
        /// A history within the budget is returned unchanged. A larger one is reduced to about
        /// `low_water_ratio` of the budget, so that the next turns change nothing. First, large
        /// results move, oldest first. If that is not enough, `auto` and `compress` replace older
        /// messages with a snapshot that fits the remaining room. In `compact`, or if no snapshot
        /// is possible, smaller results of at least 49 tokens move, oldest first; then previews
        /// are removed. The last resort applies if a snapshot of 1,500 tokens would still exceed
        /// the budget: results of the newest messages move, largest first, with a preview or, if
        /// necessary, without one, and a warning states their number. In `compress`, no other
        /// results move. If the budget cannot be met, all these steps still run, and a warning
        /// states the remaining tokens. Tokens that no compression can remove do not cause new
        /// snapshots on each call.
        target_tokens: Option<u64> { unit: "tokens", min: 1, absent: "no target" },
        /// A history that exceeds `target_tokens` is reduced to this fraction of it.
        ///
        /// A change costs the provider's prompt cache, so each change also makes room for later
        /// turns. For compression without a target, this is the fraction of `max_total_tokens`
        /// that snapshots and the newest messages may use together. If system messages and tools
        /// use much of the target, the messages may use at least half of this fraction of the
        /// rest. A small target is used up to six sevenths, until a snapshot has room for 1,750
        /// tokens. The user's words in a snapshot may exceed the level by a quarter of the tokens
        /// that are left up to the target.
        low_water_ratio: f64 { unit: "fraction" } = 0.5,
        /// Delays a change until it frees this fraction of the tokens that it rewrites.
        ///
        /// After a change, the provider bills everything from the first changed message on at the
        /// full price (`rewritten_tokens` in the report). 0 delays nothing. Texts that have moved
        /// and kept snapshots stay as they are. Changes for `target_tokens` are never delayed.
        rewrite_when_saved_ratio: f64 { unit: "fraction" } = 0,
        /// Whether the provider's prompt cache still holds the previous history.
        ///
        /// With `cold` a rewrite has no extra cost, so none is delayed. Send it with the first
        /// call after a pause that is longer than the lifetime of the provider's cache.
        cache: PromptCache { unit: "state" } = "warm",
        /// The parts of the request that the limits and the report count.
        ///
        /// `all`: `messages`, `tools` and `system` together. `messages`: `messages` alone, with
        /// the snapshots in `system`. Applies to `max_total_tokens`, `target_tokens`,
        /// `compact_ratio_threshold`, and `tokens_before` and `tokens_after` of the report.
        counted_parts: CountedParts { unit: "parts" } = "all",
        /// Skips a pass of compaction or compression that would save less.
        ///
        /// Every change invalidates the provider's prompt cache from that message on.
        min_savings_tokens: u64 { unit: "tokens" } = 0,
        /// Size of the preview of a moved result; 0 removes the preview.
        ///
        /// The size excludes the note and the reference, which stay in any case.
        preview_tokens: Option<u64> { unit: "tokens" } = 120,
        /// Size of the preview; `preview_tokens` takes precedence if both are given.
        preview_char_length: Option<u64> { unit: "characters" },
        /// The roles whose texts may move.
        ///
        /// `tool`: results of tools. `user`: observations that an agent sends as user messages.
        /// With an empty list nothing moves. The newest user message and user content that is not
        /// text never move.
        compact_roles: Vec<CompactRole> { unit: "roles" } = ["tool"],
        /// The retrieval tools that the agent has; references name only those.
        ///
        /// A list, or an object that maps each tool to the agent's name for it, such as
        /// `mcp__unburden__read_file`. With an empty list the notes above references name no
        /// tool. If the agent has none of `read_file`, `grep`, `read_tool_result` and `shell`,
        /// everything that a snapshot does not name counts as lost (`max_loss`).
        reload_tools: ReloadTools { schema: ReloadTools::SCHEMA, unit: "tools" }
            = ["read_file", "grep", "lro_extract", "read_tool_result", "shell"],
        /// Whether the answer includes the content of every file of the call.
        ///
        /// The content is in `metadata.write_file_dict`. Send false for large histories.
        include_files: bool = true,
        /// Whether to plan and report only.
        ///
        /// Nothing is written, no model is called, and `messages` are returned unchanged. The
        /// report uses the size of a kept snapshot, or of one by the built-in summariser. If a
        /// model is configured, a warning says that it was not called.
        dry_run: bool = false,
        /// Whether to repair an invalid history first.
        ///
        /// Repairs only calls and results that the provider would reject. A result that is
        /// separated from its call moves after it. A result without a call is removed. A call
        /// without a result gets the result `(no result: the history that was sent has none for
        /// this call)`, at the place that the format requires. If a later request has both this
        /// stub and the result with the same id, the stub is removed. `metadata.report.repairs`
        /// lists each repair; tokens and messages are counted after the repairs.
        repair: bool = false,
        /// Name of the chat; a part of the names of the files of a compression.
        ///
        /// File names use at most 64 characters of it, with `_` for any character outside
        /// `[A-Za-z0-9_-]`. `DELETE /chats/{chat_id}` deletes the files of the chat.
        chat_id: Option<String> {
            unit: "name",
            blank: Blank::Refused,
            accepted: "a name that is not blank",
            absent: "the name in the files of earlier snapshots of the history, else 16 hex \
                     digits of the BLAKE3 hash of the first message that a snapshot replaces",
        },
        /// Maximum size of the messages that one snapshot replaces; 0 makes one snapshot.
        group_token_threshold: u64 { unit: "tokens" } = 0,
        /// The maximum fraction of identifiers that a compression may lose.
        ///
        /// The fraction is lost / (kept + recoverable + lost) of `metadata.report.retention`. If
        /// new snapshots would exceed it, nothing new is compressed, and a warning says so. Kept
        /// snapshots that exceed it are not reused either.
        max_loss: Option<f64> { unit: "fraction", absent: "any" },
        /// Whether arrays of records become files of records that the agent can query.
        ///
        /// With false they move as texts.
        materialize: bool = true,
        /// Level of detail of the description of a file of records in the history.
        ///
        /// `pointer`: a note in brackets with the fields and one call. `compact`: also a line for
        /// each field and a second call above the note. `full`: also an example record, up to two
        /// more calls, and the names of the recipes if the agent has `lro_extract`.
        descriptor: Richness { words: &["pointer", "compact", "full"], unit: "size" } = "pointer",
        /// Name of the model that will read the history; it selects only the tokenizer.
        ///
        /// A provider's prefix is optional. An unknown name counts as absent and adds a warning.
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
