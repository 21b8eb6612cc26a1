//! The service: one method an operation, shared by every door. HTTP and the
//! command line parse, call one of these, and print; no decision is theirs.

use std::sync::Arc;

use serde::Serialize;

use crate::config::{Config, ReloadConfig, SummariserError};
use crate::envelope::Answer;
use crate::history::HistoryError;
use crate::offload::{
    ActionKind, FileOfCall, Files, OffloadError, Offloaded, Offloader, Outcome, Report, Request,
    Run, UNCHANGED, replacements,
};
use crate::params::{HistoryOrParam, ParamError, Params, invalid};
use crate::reload::rehydrate::Rehydrated;
use crate::reload::{ReloadError, Target, grep, read_file, rehydrate};
use crate::store::{Durability, Ledger, Location, RootSpec, Roots, StoreError};
use crate::tokens::Tokenizer;
use crate::tokens::measure::Measure;

/// Why an operation gave no answer. Facts only; `http::error` maps them to
/// statuses, the command line to exit codes.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request cannot be read.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The messages cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A path cannot be used.
    #[error("{field}: {source}")]
    Store {
        /// The field that holds it.
        field: &'static str,
        /// Why.
        source: StoreError,
    },
    /// A file cannot be searched or read.
    #[error("{source}")]
    Reload {
        /// The field that holds its path.
        field: &'static str,
        /// Why.
        source: ReloadError,
    },
}

impl From<HistoryOrParam> for Failure {
    fn from(error: HistoryOrParam) -> Failure {
        match error {
            HistoryOrParam::Param(error) => error.into(),
            HistoryOrParam::History(error) => error.into(),
        }
    }
}

impl From<OffloadError> for Failure {
    fn from(error: OffloadError) -> Failure {
        match error {
            OffloadError::History(error) => error.into(),
            OffloadError::Store(source) => Failure::Store { field: "store_dir", source },
        }
    }
}

/// Why the service could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A root.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The summariser.
    #[error(transparent)]
    Summariser(#[from] SummariserError),
}

/// Everything the doors share; one for the process.
pub struct Service {
    roots: Arc<Roots>,
    measure: Arc<Measure>,
    offloader: Offloader,
    reload: ReloadConfig,
}

impl Service {
    /// Opens the configured roots, and prepares the model's client; writes nothing
    /// and calls nobody.
    pub fn open(config: &Config) -> Result<Service, OpenError> {
        let specs: Vec<RootSpec> =
            config.store.roots.iter().map(|spec| RootSpec::parse(spec)).collect();
        let roots = Arc::new(Roots::open(&specs)?);
        let measure = Arc::new(Measure::new(config.cache.measured_bytes));
        let offloader = Offloader {
            roots: Arc::clone(&roots),
            measure: Arc::clone(&measure),
            ledger: Arc::new(Ledger::new(config.cache.files)),
            durability: config.store.durability.into(),
            replacements: replacements(config.cache.replacement_bytes),
            summariser: config.llm.summariser(config.compression.summariser)?,
        };
        Ok(Service { roots, measure, offloader, reload: config.reload.clone() })
    }

    /// `POST /context_offload`.
    pub fn offload(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let request = Request::read(&params)?;
        let offloaded = self.offload_request(&request)?;
        Ok(offload_answer(offloaded, &request))
    }

    /// The same for a door that made its request itself.
    pub fn offload_request(&self, request: &Request<'_>) -> Result<Offloaded, Failure> {
        Ok(self.offloader.offload(request)?)
    }

    /// `POST /grep`.
    pub fn grep(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let pattern = params.required("pattern", "a regular expression, as a string")?;
        if !crate::history::raw::is_string(pattern) {
            return Err(invalid("pattern", pattern, "a regular expression, as a string").into());
        }
        let query = grep::Query {
            pattern: params.string("pattern")?.unwrap_or_default().into_owned(),
            glob: params.string("glob")?.map(std::borrow::Cow::into_owned),
            limit: params.whole("limit", 0)?,
            context: params.whole("context", 0)?.unwrap_or(0),
            case: if params.flag("ignore_case")?.unwrap_or(true) {
                grep::CaseMode::Ignore
            } else {
                grep::CaseMode::Sensitive
            },
            syntax: if params.flag("literal")?.unwrap_or(false) {
                grep::Syntax::Literal
            } else {
                grep::Syntax::Regex
            },
            max_tokens: params.whole("max_tokens", 1)?,
        };
        let path = params.string("path")?;
        let at = match path.as_deref() {
            Some(path) => self.readable("path", path)?,
            None => self.roots.first().ok_or_else(|| missing("path", "."))?,
        };
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let place = target(&at);
        let found = grep::grep(&place, &query, &self.reload.grep(), &count)
            .map_err(|source| Failure::Reload { field: "path", source })?;
        let mut answer = Answer::text(found.answer);
        answer.put("matches", &found.matches);
        answer.put("truncated", &found.truncated.is_some());
        answer.put("truncated_by", &found.truncated);
        answer.put("files_searched", &found.files_searched);
        answer.put("files_skipped", &found.files_skipped);
        answer.put("skipped", &found.skipped);
        Ok(answer.with_unknown(&params))
    }

    /// `POST /read_file`.
    pub fn read_file(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let accepted = "a path, as a string";
        let path = params.string("absolute_path")?.ok_or_else(|| ParamError::Missing {
            field: "absolute_path",
            accepted: accepted.to_owned(),
        })?;
        let byte_offset = params.whole("byte_offset", 0)?;
        let byte_limit = params.whole("byte_limit", 1)?;
        let offset = params.whole("offset", 0)?;
        let limit = params.whole("limit", 1)?;
        let bytes = byte_offset.is_some() || byte_limit.is_some();
        if bytes && (offset.is_some() || limit.is_some()) {
            let accepted = "either offset and limit (lines) or byte_offset and byte_limit";
            return Err(invalid("byte_offset", "given beside offset or limit", accepted).into());
        }
        let range = if bytes {
            read_file::Part::Bytes { offset: byte_offset.unwrap_or(0), limit: byte_limit }
        } else {
            read_file::Part::Lines { offset: offset.unwrap_or(0), limit }
        };
        let query = read_file::Query { part: range, max_tokens: params.whole("max_tokens", 1)? };
        let at = self.readable("absolute_path", &path)?;
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let place = target(&at);
        let page = read_file::read_file(&place, &query, &self.reload.read_file(), &count)
            .map_err(|source| Failure::Reload { field: "absolute_path", source })?;
        let mut answer = Answer::text(page.answer);
        answer.put("total_lines", &page.total_lines);
        answer.put("total_bytes", &page.total_bytes);
        answer.put("next_offset", &page.next_offset);
        answer.put("next_byte_offset", &page.next_byte_offset);
        answer.put("truncated", &page.truncated.is_some());
        answer.put("truncated_by", &page.truncated);
        Ok(answer.with_unknown(&params))
    }

    /// `POST /rehydrate`.
    pub fn rehydrate(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let history = params.history()?;
        let back = rehydrate::rehydrate(&history, &self.roots)?;
        let text = put_back(&back);
        let mut answer = Answer::text(text).with_messages(back.messages);
        answer.put("restored", &back.restored);
        answer.put("messages_restored", &back.messages_restored);
        answer.put("unresolved", &back.unresolved);
        Ok(answer.with_unknown(&params))
    }

    /// `POST /count_tokens`.
    pub fn count_tokens(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let history = params.history()?;
        let model = params.string("model")?.filter(|model| !model.trim().is_empty());
        let tokenizer = Tokenizer::for_model(model.as_deref());
        let known = model.as_deref().is_none_or(Tokenizer::knows);
        let each: Vec<u64> =
            self.measure.history(&history, tokenizer)?.iter().map(|m| m.tokens).collect();
        let value = |raw: Option<&str>| raw.map_or(0, |raw| self.measure.value(raw, tokenizer));
        let (tools, system) = (value(params.raw("tools")), value(params.raw("system")));
        let messages: u64 = each.iter().sum();
        let total = messages + tools + system;
        let mut answer = Answer::text(format!("{total} tokens ({}).", tokenizer.name()));
        answer.put("tokens", &total);
        answer.put("tokens_by_part", &ByPart { messages, tools, system });
        answer.put("tokens_by_message", &each);
        answer.put("tokenizer", &tokenizer.name());
        answer.put("exact", &(known && tokenizer.is_exact()));
        answer.put("format", &history.dialect().name());
        Ok(answer.with_unknown(&params))
    }

    /// Bytes of messages counted so far, for a progress bar.
    pub fn counted_bytes(&self) -> u64 {
        self.measure.counted_bytes()
    }

    /// The allowed roots, for the log.
    pub fn roots(&self) -> String {
        self.roots.spelled()
    }

    /// `GET /readyz`: why the service cannot work now, if it cannot.
    pub fn unready(&self) -> Option<String> {
        self.roots.unwritable()
    }

    /// A place to read from. Outside the roots is answered as missing: the two
    /// must not be told apart.
    fn readable(&self, field: &'static str, path: &str) -> Result<Location, Failure> {
        self.roots.locate(path).map_err(|source| match source {
            StoreError::Outside { .. } => missing(field, path),
            source => Failure::Store { field, source },
        })
    }
}

#[derive(Serialize)]
struct ByPart {
    messages: u64,
    tools: u64,
    system: u64,
}

fn target(at: &Location) -> Target<'_> {
    Target { dir: at.dir(), path: at.relative(), spelled: at.spelled() }
}

fn missing(field: &'static str, path: &str) -> Failure {
    Failure::Reload { field, source: ReloadError::NotFound { path: path.to_owned() } }
}

/// What a rehydration put back, in one sentence.
fn put_back(back: &Rehydrated) -> String {
    let some = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        many => Some(format!("{many} {what}s")),
    };
    let parts = [some(back.messages_restored, "message"), some(back.restored, "reference")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (parts.join(" and "), back.unresolved.len()) {
        (parts, 0) if parts.is_empty() => "No reference to put back.".to_owned(),
        (parts, 0) => format!("Put back {parts}."),
        (parts, lost) if parts.is_empty() => {
            format!("Put back nothing; {lost} could not be read.")
        }
        (parts, lost) => format!("Put back {parts}; {lost} could not be read."),
    }
}

/// The answer of an offload: the seed's one line a file, or why there is none.
pub fn offload_answer(offloaded: Offloaded, request: &Request<'_>) -> Answer {
    let Offloaded { messages, files, report } = offloaded;
    let line = |file: &FileOfCall| {
        if file.created {
            format!("Successfully created and wrote to new file: {}", file.path)
        } else {
            format!("File already holds this content: {}", file.path)
        }
    };
    let text = if files.is_empty() {
        nothing_written(&report, request)
    } else {
        files.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let mut answer = Answer::text(text).with_messages(messages);
    let contents: Vec<(&str, &str)> = files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), file.content.as_deref()?)))
        .collect();
    if request.settings.files == Files::Include {
        answer.put_raw_map("write_file_dict", &contents);
    }
    answer.put("report", &report);
    answer
}

/// Why no file was named.
fn nothing_written(report: &Report, request: &Request<'_>) -> String {
    let settings = &request.settings;
    let (before, after) = (report.tokens_before, report.tokens_after);
    let moved = report.actions.iter().filter(|a| a.action == ActionKind::Compact).count();
    let texts = if moved == 1 { "1 text".to_owned() } else { format!("{moved} texts") };
    let new = report.snapshot.as_ref().filter(|snapshot| !snapshot.reused);
    let compressed = new.map_or(0, |snapshot| snapshot.groups.len());
    if moved == 0 && report.snapshot.as_ref().is_some_and(|snapshot| snapshot.reused) {
        return "Nothing to write: the snapshots of an earlier call serve again.".to_owned();
    }
    if report.outcome != Outcome::Unchanged && settings.run == Run::Dry {
        let snapshots = match compressed {
            0 => String::new(),
            1 => ", 1 snapshot would be written".to_owned(),
            n => format!(", {n} snapshots would be written"),
        };
        return format!(
            "Dry run: {texts} would move{snapshots}; {before} tokens would become {after}."
        );
    }
    if report.outcome == Outcome::Compacted {
        return format!("Nothing to write: {texts} had been read back from files of the store.");
    }
    if let Some(warning) = report.warnings.iter().find(|w| w.contains(UNCHANGED)) {
        return format!("Nothing was done: {warning}.");
    }
    let asked = settings.target_tokens.is_some_and(|target| before > target);
    if before < settings.max_total_tokens && !asked {
        let limit = settings.max_total_tokens;
        return format!(
            "Nothing to do: the history has {before} tokens, fewer than max_total_tokens ({limit})."
        );
    }
    if let Some(why) = report.warnings.iter().find(|warning| warning.starts_with("not compressed"))
    {
        return format!("Nothing to do: {why}.");
    }
    match report.actions.first() {
        Some(action) => format!(
            "Nothing to do: every text above max_tool_message_tokens ({}) stays, \
             the first because it {}.",
            settings.max_tool_message_tokens, action.why
        ),
        None => format!(
            "Nothing to do: no text that may move is above max_tool_message_tokens ({}).",
            settings.max_tool_message_tokens
        ),
    }
}

impl From<crate::config::DurabilityConfig> for Durability {
    fn from(durability: crate::config::DurabilityConfig) -> Durability {
        match durability {
            crate::config::DurabilityConfig::Sync => Durability::Sync,
            crate::config::DurabilityConfig::Relaxed => Durability::Relaxed,
        }
    }
}
