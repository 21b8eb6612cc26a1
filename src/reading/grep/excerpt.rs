//! A line as an answer shows it: whole if it is short, otherwise a window around its first match.
//! The cost of a window does not depend on the length of the line. Bytes that are not UTF-8 are
//! shown as replacement characters.

use memchr::memmem;

/// Bytes around a match that the note of a truncated line offers to read.
const READ_BYTES: u64 = 4096;

/// The start of the note of a truncated line.
const NOTE: &str = " [line of ";

/// Precedes the first byte that the note offers.
const NOTE_BYTES: &str = "byte_offset=";

/// The mark for omitted text.
const LEFT_OUT: char = '…';

/// Maximum number of places in a line at which the text of a window is tried.
const PLACES: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line, or the window on it, without marks and note.
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
        /// The offset of the window's focus in its line.
        focus: usize,
    },
}

impl Excerpt {
    /// Returns at most `chars` characters of `line`, which has no terminator, around the byte
    /// `focus`.
    pub(crate) fn of(line: &[u8], focus: usize, chars: usize) -> Self {
        // A character has at most four bytes.
        let may_be_short = line.len() <= chars.saturating_mul(4);
        if may_be_short {
            let text = String::from_utf8_lossy(line);
            if text.chars().count() <= chars {
                return Self { text: text.into_owned(), extent: Extent::Whole };
            }
        }
        // A quarter of the window shows the text before the match; more if the line ends soon after
        // it.
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

    /// Returns the line as an answer shows it. `line_start` is its first byte in the file.
    pub(crate) fn shown(&self, line_start: u64) -> String {
        let Extent::Window { left_out_before, left_out_after, line_bytes, focus } = self.extent
        else {
            return self.text.trim().to_owned();
        };
        let mark = |left_out: bool| if left_out { String::from(LEFT_OUT) } else { String::new() };
        let line_end = line_start + line_bytes as u64;
        let from = (line_start + focus as u64).saturating_sub(READ_BYTES / 4).max(line_start);
        format!(
            "{}{}{}{NOTE}{line_bytes} bytes; its part: {NOTE_BYTES}{from} byte_limit={}]",
            mark(left_out_before),
            self.text.trim(),
            mark(left_out_after),
            READ_BYTES.min(line_end - from),
        )
    }

    /// Returns the focus of the excerpt of `line` that an answer shows as `shown`, or `None` if
    /// `shown` is no such excerpt. If several are possible, returns any of them.
    pub(crate) fn focus_of(
        shown: &str,
        line: &str,
        line_start: u64,
        chars: usize,
    ) -> Option<usize> {
        let is_shown =
            |focus: &usize| Self::of(line.as_bytes(), *focus, chars).shown(line_start) == shown;
        if is_shown(&0) {
            return Some(0);
        }
        let (window, note) = shown.rsplit_once(NOTE)?;
        let (_, bytes) = note.split_once(NOTE_BYTES)?;
        let from: u64 = bytes.split_once(' ')?.0.parse().ok()?;
        // The note implies the focus, unless the line begins less than `READ_BYTES / 4` bytes
        // before it.
        let before = from.checked_sub(line_start).filter(|before| *before > 0);
        if let Some(before) = before {
            let focus = usize::try_from(before + READ_BYTES / 4).ok()?;
            return Some(focus).filter(is_shown);
        }
        let window = window.strip_prefix(LEFT_OUT)?;
        let window = window.strip_suffix(LEFT_OUT).unwrap_or(window);
        let places = memmem::find_iter(line.as_bytes(), window.as_bytes()).take(PLACES);
        let starts = places.flat_map(|place| {
            let space = place - line[..place].trim_end().len();
            (place - space..=place).rev().take(chars).filter(|at| line.is_char_boundary(*at))
        });
        let focus = |start: usize| {
            let mut quarter = line[start..].char_indices().skip(chars / 4);
            quarter.next().map_or(line.len(), |(at, _)| start + at)
        };
        starts.map(focus).find(is_shown)
    }
}

struct Window {
    text: String,
    start: usize,
    end: usize,
}

/// Returns the characters that lie wholly in a byte range.
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

/// Returns the start of the character that contains the byte at `at`.
fn character_start(line: &[u8], at: usize) -> usize {
    if at >= line.len() { line.len() } else { start_of(line, at) }
}

fn start_of(line: &[u8], at: usize) -> usize {
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&start| !is_continuation(line[start]))
        // Four continuation bytes in a row are not text; each stands for itself.
        .unwrap_or(at)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The focus that is found gives the same excerpt as the original focus.
    #[test]
    fn the_focus_of_an_excerpt_is_found_again() {
        let plain: String = (0..900).map(|n| format!("w{n} ")).collect();
        let wide: String = (0..900).map(|n| format!("ü{n}  ")).collect();
        let blank = format!("{}{}{}x", "a ".repeat(90), " ".repeat(300), "b c".repeat(400));
        let marked = format!("…{}…", "x…y ".repeat(400));
        for line in [plain, wide, blank, marked, "short".to_owned()] {
            for focus in (0..line.len()).step_by(7) {
                let shown = Excerpt::of(line.as_bytes(), focus, 500).shown(70);
                let found = Excerpt::focus_of(&shown, &line, 70, 500).unwrap();
                assert_eq!(Excerpt::of(line.as_bytes(), found, 500).shown(70), shown, "{focus}");
            }
        }
        let long = "a".repeat(600);
        assert_eq!(Excerpt::focus_of(&long, &long, 0, 500), None);
    }
}
