//! A line as an answer shows it: whole where it is short, a window around its
//! first match where it is not. A window of a line of megabytes costs no more
//! than one of a line of kilobytes, and bytes that are not UTF-8 are shown as
//! replacement characters.

/// The bytes around a match that the note of a cut line offers to read.
const READ_BYTES: u64 = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line, or the window on it, with nothing added.
    pub(crate) text: String,
    pub(crate) extent: Extent,
}

/// The extent of an excerpt in its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Window {
        left_out_before: bool,
        left_out_after: bool,
        line_bytes: usize,
        /// The position of the window's focus in its line.
        focus: usize,
    },
}

impl Excerpt {
    /// Takes at most `chars` characters of `line`, which comes without its
    /// terminator, around the byte `focus`.
    pub(crate) fn of(line: &[u8], focus: usize, chars: usize) -> Self {
        // No character has more than four bytes.
        let may_be_short = line.len() <= chars.saturating_mul(4);
        if may_be_short {
            let text = String::from_utf8_lossy(line);
            if text.chars().count() <= chars {
                return Self { text: text.into_owned(), extent: Extent::Whole };
            }
        }
        // A quarter of the window shows what leads up to the match; more of
        // it where the line ends soon after.
        let focus = character_start(line, focus.min(line.len()));
        let before_focus = window(line, focus.saturating_sub(chars.saturating_mul(4)), focus);
        let after_focus = window(line, focus, focus.saturating_add(chars.saturating_mul(4)));
        let after_count = after_focus.text.chars().count();
        let before_count = before_focus.text.chars().count();
        let before = before_count.min((chars / 4).max(chars.saturating_sub(after_count)));
        let after = after_count.min(chars - before);
        let text = before_focus
            .text
            .chars()
            .skip(before_count - before)
            .chain(after_focus.text.chars().take(after))
            .collect();
        Self {
            text,
            extent: Extent::Window {
                left_out_before: before_focus.start > 0 || before < before_count,
                left_out_after: after_focus.end < line.len() || after < after_count,
                line_bytes: line.len(),
                focus,
            },
        }
    }

    /// The line in an answer. `line_start` is its first byte in the file.
    pub(crate) fn shown(&self, line_start: u64) -> String {
        let Extent::Window { left_out_before, left_out_after, line_bytes, focus } = self.extent
        else {
            return self.text.trim().to_owned();
        };
        let mark = |left_out: bool| if left_out { "…" } else { "" };
        let line_end = line_start + line_bytes as u64;
        let from = (line_start + focus as u64).saturating_sub(READ_BYTES / 4).max(line_start);
        format!(
            "{}{}{} [line of {line_bytes} bytes; its part: byte_offset={from} byte_limit={}]",
            mark(left_out_before),
            self.text.trim(),
            mark(left_out_after),
            READ_BYTES.min(line_end - from),
        )
    }
}

struct Window {
    text: String,
    start: usize,
    end: usize,
}

/// The characters that lie wholly in a byte range.
fn window(line: &[u8], start: usize, end: usize) -> Window {
    let end = end.min(line.len());
    let end = if end == line.len() { end } else { character_start(line, end) };
    let mut start = start.min(end);
    while start < end && start > 0 && is_continuation(line[start]) && start_of(line, start) < start
    {
        start += 1;
    }
    Window { text: String::from_utf8_lossy(&line[start..end]).into_owned(), start, end }
}

/// The start of the character that a byte belongs to.
fn character_start(line: &[u8], at: usize) -> usize {
    if at >= line.len() { line.len() } else { start_of(line, at) }
}

fn start_of(line: &[u8], at: usize) -> usize {
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&start| !is_continuation(line[start]))
        // Four such bytes in a row are no text; each stands for itself.
        .unwrap_or(at)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}
