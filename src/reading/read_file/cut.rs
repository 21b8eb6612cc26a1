//! Turns the bytes of a page into its answer: truncates it to its limits, adds a header, and states
//! where the next page begins. A cut never splits a character and never leaves a page empty, so
//! offsets always grow; a character that alone exceeds a limit is returned anyway.

use std::ops::Range;

use super::answer::ReadAnswer;
use super::page::Page;
use crate::reading::fit;
use crate::reading::limit::{CountTokens, TruncatedBy};

/// Bytes per token, assumed for the first attempt to fit a page.
const LIKELY_BYTES_PER_TOKEN: u64 = 4;

/// The size limits of an answer.
pub(crate) struct Room<'a> {
    pub(crate) bytes: usize,
    pub(crate) tokens: Option<u64>,
    pub(crate) count: CountTokens<'a>,
}

/// The page contains a byte that is not part of any UTF-8 text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotText {
    pub(crate) byte_offset: u64,
}

/// The text of a page, and what comes after it.
struct Text<'a> {
    text: &'a str,
    /// Its first byte in the file.
    start: u64,
    then: Then,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// Nothing more was requested.
    Done,
    /// More was requested than the limit allows.
    TooMuch,
    /// A byte that is not UTF-8 text.
    NotText,
}

/// Returns a page of lines from the line `offset` on.
pub(crate) fn lines(
    page: &Page,
    offset: u64,
    limit: Option<u64>,
    room: &Room<'_>,
) -> Result<ReadAnswer, NotText> {
    let Text { text, start, then } = text(page, 0..page.kept.len())?;
    let asked_end =
        limit.and_then(|limit| offset.checked_add(limit)).filter(|end| *end < page.total_lines);
    let header = |cut: usize| {
        let next = match then {
            Then::Done if cut == text.len() => asked_end,
            // If such a page fits, it is an error and needs no header.
            Then::NotText if cut == text.len() => None,
            _ => Some(offset + line_feeds(&text[..cut])),
        };
        next.map_or_else(String::new, |next| {
            format!(
                "Showing lines {}-{next} of {} total lines.\n\n---\n\n",
                offset + 1,
                page.total_lines
            )
        })
    };
    let line_end =
        |at: usize| memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |at| at + 1);
    let (cut, why) = fit::longest(text.len(), room.guess(text.len()), line_end, |cut| {
        if cut == text.len() && then == Then::TooMuch {
            return Err(TruncatedBy::AnswerBytes);
        }
        room.holds(&header(cut), &text[..cut])
    });
    if why.is_none() && then == Then::NotText {
        return Err(not_text(start, text));
    }
    match why {
        Some(why) if cut == 0 => {
            Ok(inside_line(page, offset, &Text { text, start, then }, why, room))
        }
        _ => {
            let next =
                if why.is_some() { Some(offset + line_feeds(&text[..cut])) } else { asked_end };
            Ok(ReadAnswer {
                next_offset: next,
                last_line: next.unwrap_or(page.total_lines).saturating_sub(1),
                truncated: why,
                ..answer(page, &header(cut), &text[..cut], start, offset)
            })
        }
    }
}

/// Returns a page that ends inside its first line.
fn inside_line(
    page: &Page,
    line: u64,
    text: &Text<'_>,
    why: TruncatedBy,
    room: &Room<'_>,
) -> ReadAnswer {
    let Text { text, start, then } = *text;
    let first = &text[..memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |at| at + 1)];
    let header = |cut: usize| {
        let end = start + cut as u64;
        format!(
            "Showing bytes {start}-{} of {} total bytes (line {} is {} bytes long; \
             continue with byte_offset={end}).\n\n---\n\n",
            end - 1,
            page.total_bytes,
            line + 1,
            page.first_line_end - start,
        )
    };
    let (cut, _) = fit::longest(
        first.len(),
        room.guess(first.len()),
        |at| first.floor_char_boundary(at),
        |cut| {
            // The whole line has already been tried.
            if cut == first.len() {
                return Err(why);
            }
            room.holds(&header(cut), &first[..cut])
        },
    );
    let cut = at_least_one_character(first, cut);
    if cut == text.len() && then == Then::Done && start + cut as u64 == page.total_bytes {
        // One character is the whole rest of the file.
        return answer(page, "", first, start, line);
    }
    ReadAnswer {
        // The whole line may be one line feed.
        next_offset: first[..cut]
            .ends_with('\n')
            .then_some(line + 1)
            .filter(|next| *next < page.total_lines),
        truncated: Some(why),
        ..answer(page, &header(cut), &first[..cut], start, line)
    }
}

/// Returns a page of bytes from the character that contains the byte `offset`.
pub(crate) fn bytes(
    page: &Page,
    offset: u64,
    limit: Option<u64>,
    room: &Room<'_>,
) -> Result<ReadAnswer, NotText> {
    let kept = whole_characters(page, offset, limit);
    let first_line =
        page.first_line + memchr::memchr_iter(b'\n', &page.kept[..kept.start]).count() as u64;
    let Text { text, start, then } = text(page, kept)?;
    let header = |cut: usize| {
        let end = start + cut as u64;
        if end == page.total_bytes {
            return String::new();
        }
        format!("Showing bytes {start}-{} of {} total bytes.\n\n---\n\n", end - 1, page.total_bytes)
    };
    let (cut, why) = fit::longest(
        text.len(),
        room.guess(text.len()),
        |at| text.floor_char_boundary(at),
        |cut| {
            if cut == text.len() && then == Then::TooMuch {
                return Err(TruncatedBy::AnswerBytes);
            }
            room.holds(&header(cut), &text[..cut])
        },
    );
    if why.is_none() && then == Then::NotText {
        return Err(not_text(start, text));
    }
    let cut = at_least_one_character(text, cut);
    let answer = answer(page, &header(cut), &text[..cut], start, first_line);
    Ok(ReadAnswer {
        next_offset: answer.next_byte_offset,
        truncated: why.filter(|_| cut < text.len() || then != Then::Done),
        ..answer
    })
}

/// Returns an answer that no limit truncated.
fn answer(page: &Page, header: &str, body: &str, start: u64, first_line: u64) -> ReadAnswer {
    let end = start + body.len() as u64;
    let inner = body.strip_suffix('\n').unwrap_or(body);
    ReadAnswer {
        answer: format!("{header}{body}"),
        body_start: header.len(),
        total_lines: page.total_lines,
        total_bytes: page.total_bytes,
        first_line,
        last_line: first_line + line_feeds(inner),
        first_byte: start,
        end_byte: end,
        next_offset: None,
        next_byte_offset: (end < page.total_bytes).then_some(end),
        truncated: None,
    }
}

impl Room<'_> {
    fn holds(&self, header: &str, body: &str) -> Result<(), TruncatedBy> {
        if header.len() + body.len() > self.bytes {
            return Err(TruncatedBy::AnswerBytes);
        }
        match self.tokens {
            Some(tokens) if (self.count)(&format!("{header}{body}")) > tokens => {
                Err(TruncatedBy::MaxTokens)
            }
            _ => Ok(()),
        }
    }

    /// Returns the first cut to try. It avoids counting the tokens of megabytes for a page of
    /// kilobytes.
    fn guess(&self, len: usize) -> usize {
        self.tokens.map_or(len, |tokens| {
            usize::try_from(tokens.saturating_mul(LIKELY_BYTES_PER_TOKEN)).unwrap_or(len)
        })
    }
}

/// Returns the valid UTF-8 at the beginning of a part of the kept bytes. It is empty only at the
/// end of the file.
fn text(page: &Page, kept: Range<usize>) -> Result<Text<'_>, NotText> {
    let start = page.start + kept.start as u64;
    let cut_by_ceiling = kept.end == page.kept.len()
        && (page.kept.len() as u64) < page.end.saturating_sub(page.start);
    let (text, bad) = match str::from_utf8(&page.kept[kept.clone()]) {
        Ok(text) => (text, false),
        Err(error) => {
            let valid = &page.kept[kept.start..kept.start + error.valid_up_to()];
            let split = error.error_len().is_none() && cut_by_ceiling;
            let text = str::from_utf8(valid).expect("the error says that this much is valid");
            (text, !split)
        }
    };
    let then = match (bad, cut_by_ceiling) {
        (true, _) => Then::NotText,
        (false, true) => Then::TooMuch,
        (false, false) => Then::Done,
    };
    if text.is_empty() && then == Then::NotText {
        return Err(not_text(start, text));
    }
    Ok(Text { text, start, then })
}

/// Returns the part of the kept bytes that a byte range requests, with both ends moved back to the
/// start of a character. It is empty only for an empty file.
fn whole_characters(page: &Page, offset: u64, limit: Option<u64>) -> Range<usize> {
    let kept = page.kept.as_slice();
    let back = |from: usize, at: usize| {
        (from.max(at.saturating_sub(3))..=at)
            .rev()
            .find(|&start| kept.get(start).is_none_or(|byte| byte & 0b1100_0000 != 0b1000_0000))
            .unwrap_or(at)
    };
    let lead =
        usize::try_from(offset.saturating_sub(page.start)).map_or(0, |lead| lead.min(kept.len()));
    // If the character at `start` ends before `lead`, the byte at `lead` is not text: a page from
    // `start` would end where it should begin.
    let start = back(0, lead);
    let start = if start + width(kept, start) > lead { start } else { lead };
    let asked = limit.and_then(|limit| usize::try_from(limit).ok());
    let asked = asked.map_or(kept.len(), |limit| lead.saturating_add(limit).min(kept.len()));
    let end = back(start, asked);
    if end > start {
        return start..end;
    }
    let one = (start + 1..kept.len())
        .find(|&at| kept[at] & 0b1100_0000 != 0b1000_0000)
        .unwrap_or(kept.len());
    start..one
}

/// Returns the length in bytes that the byte at `at` declares for its character; 1 if it declares
/// none.
fn width(kept: &[u8], at: usize) -> usize {
    match kept.get(at) {
        Some(0xF0..=0xF7) => 4,
        Some(0xE0..=0xEF) => 3,
        Some(0xC0..=0xDF) => 2,
        _ => 1,
    }
}

fn at_least_one_character(text: &str, cut: usize) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    cut.max(first)
}

fn line_feeds(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

fn not_text(start: u64, valid: &str) -> NotText {
    NotText { byte_offset: start + valid.len() as u64 }
}
