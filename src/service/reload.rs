//! `/grep`, `/read_file` and `/rehydrate`: reads of stored data.

use super::budget::GrowingReservation;
use super::failure::Failure;
use super::requests;
use super::state::Service;
use super::stored_file::{COPIES, missing};
use crate::envelope::{Answer, counted};
use crate::params::{Elsewhere, Params, checked, invalid};
use crate::reading::restore::proof::Prover;
use crate::reading::restore::rehydrate;
use crate::reading::restore::rehydrate::Rehydrated;
use crate::reading::target::Target;
use crate::reading::{grep, read_file};
use context_store::{Reader, regular_len};
use token_count::Tokenizer;

/// One part in this many of the memory budget is the maximum length of a line in a search.
const SEARCHES: u64 = 16;
/// Names for a last line, in place of which `/read_file` takes a number of lines.
const LAST_LINE: &[Elsewhere] =
    &[(&["end_line", "last_line", "to_line"], "{\"start_line\": …, \"limit\": …}")];

impl Service {
    /// `POST /grep`.
    pub fn grep(&self, body: &[u8]) -> Result<Answer, Failure> {
        let body = checked(body, requests::Grep::FIELDS, &[])?;
        let params = Params::parse(&body)?;
        let asked = requests::Grep::from_params(&params)?;
        let query = grep::Query {
            pattern: asked.pattern,
            glob: asked.glob,
            limit: asked.limit,
            offset: asked.offset,
            context: asked.context,
            case: if asked.ignore_case {
                grep::CaseMode::Ignore
            } else {
                grep::CaseMode::Sensitive
            },
            syntax: if asked.literal { grep::Syntax::Literal } else { grep::Syntax::Regex },
            max_tokens: self.reload.ceiling(asked.max_tokens),
        };
        let at = match asked.path.as_deref() {
            Some(path) => self.readable("path", path)?,
            None => self.roots.first().ok_or_else(|| missing("path", "."))?,
        };
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let place = Target::of(&at);
        let mut limits = self.reload.grep();
        limits.line_bytes = limits.line_bytes.min(self.longest_line());
        // A line is held once, and twice while its buffer grows.
        let line = regular_len(&at).unwrap_or(u64::MAX).min(limits.line_bytes as u64);
        let _reserved = self.budget.take(line.saturating_mul(2))?;
        let found = grep::grep(&place, &query, &limits, &count)
            .map_err(|source| self.no_file("path", &at, source))?;
        let mut answer = Answer::text(found.answer);
        answer.put("matches", &found.matches);
        answer.put("matches_total", &found.matches_total);
        answer.put("matches_total_exact", &found.matches_total_exact);
        answer.put("next_offset", &found.next_offset);
        answer.put("truncated", &found.truncated.is_some());
        answer.put("truncated_by", &found.truncated);
        answer.put("files_searched", &found.files_searched);
        answer.put("files_skipped", &found.files_skipped);
        answer.put("skipped", &found.skipped);
        Ok(answer)
    }

    /// Returns the longest line that a search holds, in bytes, so that several searches fit.
    fn longest_line(&self) -> usize {
        usize::try_from(self.budget.total() / SEARCHES).unwrap_or(usize::MAX)
    }

    /// `POST /read_file`.
    pub fn read_file(&self, body: &[u8]) -> Result<Answer, Failure> {
        let body = checked(body, requests::Read::FIELDS, LAST_LINE)?;
        let params = Params::parse(&body)?;
        let requests::Read {
            absolute_path: path,
            byte_offset,
            byte_limit,
            offset,
            start_line,
            limit,
            max_tokens,
        } = requests::Read::from_params(&params)?;
        if offset.is_some() && start_line.is_some() {
            let accepted = "either start_line (from 1) or offset (from 0)";
            return Err(invalid("offset", "given together with start_line", accepted).into());
        }
        let offset = start_line.map(|line| line - 1).or(offset);
        let bytes = byte_offset.is_some() || byte_limit.is_some();
        if bytes && (offset.is_some() || limit.is_some()) {
            let accepted = "either start_line and limit (lines) or byte_offset and byte_limit";
            let found = "given together with start_line, offset or limit";
            return Err(invalid("byte_offset", found, accepted).into());
        }
        let range = if bytes {
            read_file::Part::Bytes { offset: byte_offset.unwrap_or(0), limit: byte_limit }
        } else {
            read_file::Part::Lines { offset: offset.unwrap_or(0), limit }
        };
        let max_tokens = self.reload.ceiling(max_tokens);
        let query = read_file::Query { part: range, max_tokens };
        let at = self.readable("absolute_path", &path)?;
        let page = regular_len(&at).unwrap_or(0).min(self.reload.read_answer_bytes as u64);
        let _reserved = self.budget.take(page.saturating_mul(COPIES))?;
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let place = Target::of(&at);
        let limits = self.reload.read_file(self.time_limit);
        let page = read_file::read_file(&place, &query, &limits, &count)
            .map_err(|source| self.no_file("absolute_path", &at, source))?;
        let mut answer = Answer::text(page.answer);
        answer.put("total_lines", &page.total_lines);
        answer.put("total_bytes", &page.total_bytes);
        answer.put("next_offset", &page.next_offset);
        let next_line = page.next_offset.filter(|_| !bytes).map(|offset| offset + 1);
        answer.put("next_start_line", &next_line);
        answer.put("next_byte_offset", &page.next_byte_offset);
        answer.put("truncated", &page.truncated.is_some());
        answer.put("truncated_by", &page.truncated);
        Ok(answer)
    }

    /// `POST /rehydrate`.
    pub fn rehydrate(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let history = params.history()?;
        let memory = GrowingReservation::new(&self.budget);
        let hold = |bytes: u64| memory.take(bytes.saturating_mul(COPIES));
        let room = self.reload.rehydrate_bytes;
        let reader = Reader::new(&self.offloader.file_cache, self.allowance(room, &hold));
        let roots = self.roots.for_operation();
        let prover = Prover { reader: &reader, roots: &roots };
        let back = rehydrate::rehydrate(&history, params.system()?, &prover, room, &hold)?;
        // Without memory a reference was not tried, so it is not reported as unreadable.
        let back = back.filter(|_| !memory.is_exhausted()).ok_or_else(|| memory.error())?;
        let text = put_back(&back);
        let mut answer = Answer::text(text).with_messages(back.messages).with_system(back.system);
        answer.put("restored", &back.restored);
        answer.put("messages_restored", &back.messages_restored);
        answer.put("unresolved", &back.unresolved);
        Ok(answer.with_unknown(&params))
    }
}

/// Describes a rehydration in one sentence.
fn put_back(back: &Rehydrated) -> String {
    let parts = [(back.messages_restored, "message"), (back.restored, "reference")];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, noun)| counted(number, noun)).collect();
    match (parts.join(" and "), back.unresolved.len()) {
        (parts, 0) if parts.is_empty() => "No reference to put back.".to_owned(),
        (parts, 0) => format!("Put back {parts}."),
        (parts, lost) if parts.is_empty() => {
            format!("Put back nothing; {lost} could not be read.")
        }
        (parts, lost) => format!("Put back {parts}; {lost} could not be read."),
    }
}
