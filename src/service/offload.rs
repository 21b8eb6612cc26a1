//! `/context_offload`: shrinks a history.

use chat_history::repair::repair;
use chat_history::{History, HistoryError};
use context_store::Chat;

use super::budget::GrowingReservation;
use super::failure::Failure;
use super::outline::with_outline;
use super::state::Service;
use crate::envelope::{Answer, counted};
use crate::params::Params;
use crate::pipeline::{FileOfCall, Offloaded, Outcome, Report, Request, Run, UNCHANGED};

/// Number of digits of a chat's hash in the log.
const CHAT_DIGITS: usize = 16;
/// Maximum number of bytes of stored files that one request reads to follow references; the chat's
/// next request follows the rest.
const READ_BYTES: u64 = 512 * 1024 * 1024;

impl Service {
    /// `POST /context_offload`.
    pub fn offload(&self, body: &[u8]) -> Result<Answer, Failure> {
        with_outline(body, |params| self.offload_outlined(params))
    }

    fn offload_outlined(&self, params: &Params<'_>) -> Result<Answer, Failure> {
        let request = Request::read(params)?;
        let offloaded = self.offload_request(&request)?;
        let report = &offloaded.report;
        metrics::counter!("unburden_tokens_before_total").increment(report.tokens_before);
        metrics::counter!("unburden_tokens_after_total").increment(report.tokens_after);
        let span = tracing::Span::current();
        span.record("tokens_before", report.tokens_before);
        span.record("tokens_after", report.tokens_after);
        if let Some(chat) = &request.settings.chat_id {
            log_chat(chat);
        }
        Ok(offload_answer(offloaded, &request))
    }

    /// Offloads a request that an interface built itself.
    pub(crate) fn offload_request(&self, request: &Request<'_>) -> Result<Offloaded, Failure> {
        let memory = GrowingReservation::new(&self.budget);
        let hold = |bytes: u64| memory.take(bytes);
        let allowance = self.allowance(READ_BYTES, &hold);
        if !request.settings.repair {
            return Ok(self.offloader.offload(request, allowance)?);
        }
        let mended = repair(&request.history)?;
        let mut request = request.mended(&mended)?;
        request.warnings.extend(still_broken(&request.history)?);
        Ok(self.offloader.offload(&request, allowance)?)
    }
}

/// Returns a warning that names the rules that a repaired history breaks; `None` if it is valid.
fn still_broken(history: &History<'_>) -> Result<Option<String>, HistoryError> {
    let views = history.views()?;
    let problems = history.dialect().problems(&views.iter().collect::<Vec<_>>());
    let mut rules: Vec<&str> = Vec::new();
    for problem in &problems {
        if !rules.contains(&problem.rule.name) {
            rules.push(problem.rule.name);
        }
    }
    let Some(first) = problems.first() else { return Ok(None) };
    let (rules, index) = (rules.join(", "), first.index);
    Ok(Some(format!(
        "repair does not fix {rules}, from messages[{index}] of the repaired history on; /validate \
         names each place"
    )))
}

/// Adds the hash of a chat's id to the log lines of the request; the id is the caller's text.
pub(super) fn log_chat(chat_id: &str) {
    let hash = Chat::of(chat_id).to_string();
    tracing::Span::current().record("chat", &hash[..CHAT_DIGITS.min(hash.len())]);
}

/// Returns the answer of an offload: a line for each file, or why there is none.
pub(crate) fn offload_answer(offloaded: Offloaded, request: &Request<'_>) -> Answer {
    let Offloaded { messages, system, files, report } = offloaded;
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
    let mends = report.repairs.len();
    let text = match mends {
        0 => text,
        _ => format!("Repaired {} of the history. {text}", counted(mends, "place")),
    };
    let mut answer = Answer::text(text).with_messages(messages).with_system(system);
    answer.put("report", &report);
    if !request.settings.include_files {
        return answer;
    }
    let contents = files.into_iter().filter_map(|file| Some((file.path, file.content?)));
    answer.with_files(contents.collect())
}

/// Returns why no file was written.
pub(crate) fn nothing_written(report: &Report, request: &Request<'_>) -> String {
    let settings = &request.settings;
    let (before, after) = (report.tokens_before, report.tokens_after);
    let moved = report.actions.iter().filter(|a| a.action.moved()).count();
    let texts = counted(moved, "text");
    let new = report.snapshot.as_ref().filter(|snapshot| !snapshot.reused);
    let compressed = new.map_or(0, |snapshot| snapshot.groups.len());
    if moved == 0 && report.snapshot.as_ref().is_some_and(|snapshot| snapshot.reused) {
        return "Nothing to write: the snapshots of an earlier call are reused.".to_owned();
    }
    if report.outcome != Outcome::Unchanged && settings.run() == Run::Dry {
        let snapshots = match compressed {
            0 => String::new(),
            number => format!(", {} would be written", counted(number, "snapshot")),
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
    if let Some(target) = settings.target_tokens.filter(|target| before <= *target) {
        return format!(
            "Nothing to do: the history has {before} tokens, no more than target_tokens ({target})."
        );
    }
    let limit = settings.max_total_tokens;
    if before < limit && settings.target_tokens.is_none() {
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
