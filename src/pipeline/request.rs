//! The request of an offload: fields, defaults and ranges of `openapi.yaml`, validated once
//! here.

use chat_history::repair::{Mend, Mended};
use chat_history::{History, HistoryError};

use crate::compaction::call::ReloadTools;
use crate::compaction::preview_settings::PreviewSize;
use crate::descriptor::Richness;
use crate::params::{HistoryOrParam, ParamError, Params, invalid};
use token_count::Tokenizer;

/// The ways in which a history may become smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Compact; compress what compaction leaves too large.
    Auto,
    /// Only move results to files.
    Compact,
    /// Only summarise.
    Compress,
}

/// The messages whose texts may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactRole {
    /// Results of tools.
    Tool,
    /// Observations that an agent sends as the user's text.
    User,
}

/// The repetition of file contents in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// `metadata.write_file_dict` holds every file of the call.
    Include,
    /// The paths alone.
    Omit,
}

/// The form in which arrays of records move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsMode {
    /// As JSONL with a descriptor.
    Materialize,
    /// As any text.
    AsText,
}

/// The kind of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// Plan, write, answer.
    Real,
    /// Plan and report only.
    Dry,
}

/// Everything a caller can set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `context_manage_mode`, also `working_summary_mode`.
    pub mode: Mode,
    /// Below this whole count nothing happens, in tokens.
    pub max_total_tokens: u64,
    /// A result above this may move, in tokens.
    pub max_tool_message_tokens: u64,
    /// The newest messages, never touched; None = 1 for compaction, 2 for
    /// compression.
    pub keep_recent_count: Option<u64>,
    /// Compression: a group is as large as this at most, in tokens; 0 = one group.
    pub group_token_threshold: u64,
    /// Compression: the largest share of identifiers that may be lost, 0 to 1.
    pub max_loss: Option<f64>,
    /// Names the chat in files of a compression.
    pub chat_id: Option<String>,
    /// `auto`: compress when tokens_after / tokens_before is above it.
    pub compact_ratio_threshold: f64,
    /// The folder of files, as the caller spells it.
    pub store_dir: String,
    /// Picks the tokenizer.
    pub model: Option<String>,
    /// The size of the preview of a moved result.
    pub preview: PreviewSize,
    /// The messages whose texts may move.
    pub compact_roles: Vec<CompactRole>,
    /// The most tokens that the answer should have.
    pub target_tokens: Option<u64>,
    /// The tools that references may name.
    pub reload_tools: ReloadTools,
    /// The form in which arrays of records move.
    pub records: RecordsMode,
    /// The richness of the descriptor of records that moved.
    pub descriptor: Richness,
    /// A pass that saves fewer tokens is skipped.
    pub min_savings_tokens: u64,
    /// The repetition of file contents in the answer.
    pub files: Files,
    /// The kind of run.
    pub run: Run,
    /// True to repair an invalid history first.
    pub repair: bool,
}

impl Settings {
    /// The newest messages that compaction never touches.
    pub fn recent_for_compaction(&self) -> u64 {
        self.keep_recent_count.unwrap_or(if self.mode == Mode::Compress { 2 } else { 1 })
    }

    /// The newest messages that compression never touches.
    pub fn recent_for_compression(&self) -> u64 {
        self.keep_recent_count.unwrap_or(2)
    }
}

/// A parsed request.
pub struct Request<'a> {
    /// The messages.
    pub history: History<'a>,
    /// Tool definitions, raw.
    pub tools: Option<&'a str>,
    /// A separate system prompt, raw.
    pub system: Option<&'a str>,
    /// The settings.
    pub settings: Settings,
    /// Warnings for the caller: unknown fields, settings without effect.
    pub warnings: Vec<String>,
    /// The places that were mended before.
    pub mends: Vec<Mend>,
}

const MODES: [(&str, Mode); 3] =
    [("auto", Mode::Auto), ("compact", Mode::Compact), ("compress", Mode::Compress)];
const DESCRIPTORS: [(&str, Richness); 3] =
    [("pointer", Richness::Pointer), ("compact", Richness::Compact), ("full", Richness::Full)];
const ROLES: [(&str, CompactRole); 2] = [("tool", CompactRole::Tool), ("user", CompactRole::User)];

impl<'a> Request<'a> {
    /// Reads a request body.
    pub fn read(params: &Params<'a>) -> Result<Request<'a>, HistoryOrParam> {
        let history = params.history()?;
        let settings = settings(params)?;
        let tools = params.raw("tools");
        let system = params.system()?;
        let mut warnings = Vec::new();
        if let Some(model) = settings.model.as_deref().filter(|model| !Tokenizer::knows(model)) {
            let model: String = model.chars().take(60).collect();
            warnings.push(format!("the model \"{model}\" is not known; counted with o200k_base"));
        }
        warnings.extend(params.unknown_warnings());
        Ok(Request { history, tools, system, settings, warnings, mends: Vec::new() })
    }

    /// The same for a history that was mended.
    pub fn mended<'m>(&self, mended: &'m Mended) -> Result<Request<'m>, HistoryError>
    where
        'a: 'm,
    {
        let history = self.history.alike(&mended.array)?;
        Ok(Request {
            history,
            tools: self.tools,
            system: self.system,
            settings: self.settings.clone(),
            warnings: self.warnings.clone(),
            mends: mended.mends.clone(),
        })
    }
}

fn settings(params: &Params<'_>) -> Result<Settings, ParamError> {
    let later_name = params.word("working_summary_mode", &MODES)?;
    let mode = params.word("context_manage_mode", &MODES)?.or(later_name).unwrap_or(Mode::Auto);
    Ok(Settings {
        mode,
        max_total_tokens: params.whole("max_total_tokens", 0)?.unwrap_or(20_000),
        max_tool_message_tokens: params.whole("max_tool_message_tokens", 0)?.unwrap_or(2_000),
        keep_recent_count: params.whole("keep_recent_count", 0)?,
        group_token_threshold: params.whole("group_token_threshold", 0)?.unwrap_or(0),
        max_loss: params.number("max_loss", 0.0, 1.0)?,
        chat_id: params
            .string("chat_id")?
            .filter(|chat| !chat.trim().is_empty())
            .map(std::borrow::Cow::into_owned),
        compact_ratio_threshold: params
            .number("compact_ratio_threshold", 0.0, 1.0)?
            .unwrap_or(0.75),
        store_dir: store_dir(params)?,
        model: params
            .string("model")?
            .filter(|model| !model.trim().is_empty())
            .map(std::borrow::Cow::into_owned),
        preview: preview(params)?,
        compact_roles: params
            .words("compact_roles", &ROLES)?
            .unwrap_or_else(|| vec![CompactRole::Tool]),
        target_tokens: params.whole("target_tokens", 1)?,
        reload_tools: ReloadTools::read(params)?,
        records: if params.flag("materialize")?.unwrap_or(true) {
            RecordsMode::Materialize
        } else {
            RecordsMode::AsText
        },
        descriptor: params.word("descriptor", &DESCRIPTORS)?.unwrap_or(Richness::Pointer),
        min_savings_tokens: params.whole("min_savings_tokens", 0)?.unwrap_or(0),
        files: if params.flag("include_files")?.unwrap_or(true) {
            Files::Include
        } else {
            Files::Omit
        },
        repair: params.flag("repair")?.unwrap_or(false),
        run: if params.flag("dry_run")?.unwrap_or(false) { Run::Dry } else { Run::Real },
    })
}

fn store_dir(params: &Params<'_>) -> Result<String, ParamError> {
    let store_dir = params.string("store_dir")?.ok_or_else(|| ParamError::Missing {
        field: "store_dir",
        accepted: "a folder under an allowed root, as a string".to_owned(),
    })?;
    if store_dir.trim().is_empty() {
        return Err(invalid(
            "store_dir",
            &format!("{store_dir:?}"),
            "a folder under an allowed root, as a string",
        ));
    }
    Ok(store_dir.into_owned())
}

fn preview(params: &Params<'_>) -> Result<PreviewSize, ParamError> {
    let tokens = params.whole("preview_tokens", 0)?;
    let chars = params.whole("preview_char_length", 0)?;
    Ok(match (tokens, chars) {
        (Some(tokens), _) => PreviewSize::Tokens(tokens),
        (None, Some(chars)) => PreviewSize::Chars(chars),
        (None, None) => PreviewSize::Tokens(120),
    })
}
