//! Recognises a text as a part of a stored file, as a tool or its host shows it: with a short
//! text before and after it, such as tags or a header, and perhaps a number before each line.
//!
//! There is no list of hosts. The middle of the text must occur in the file, byte for byte; the
//! part extends from there as far as text and file agree. A text counts only if part and wrapper
//! rebuild it exactly.

use std::ops::Range;

use memchr::memmem;

use super::numbered::NumberedLines;
use crate::compaction::reference::{PAGE_HEADER, PAGE_RULE, ReferenceForm, is_forgery};
use crate::compaction::wrapper::Wrapper;

/// Maximum length of the text before or after the part, in bytes; never more than a quarter of the
/// whole.
const AROUND: usize = 1_000;
/// Maximum number of places in the file at which the middle of a text is tried.
const PLACES: usize = 16;

/// Finds the part of `content` that `text` shows. Calls `search` before each search of the file; it
/// returns false if no further search is allowed.
pub(super) fn part_of(
    text: &str,
    content: &str,
    search: &dyn Fn() -> bool,
) -> Option<ReferenceForm> {
    let head = page_header(text);
    let rebuilt = |(start, part, wrapper): Part<'_>| {
        let forged = is_forgery(&wrapper.head) || is_forgery(&wrapper.tail);
        let bytes = start as u64..(start + part.len()) as u64;
        let is_part = !forged && wrapper.gives(part, text);
        is_part.then_some(ReferenceForm::ReadBack { bytes, wrapper })
    };
    let shown = search().then(|| exact(text, content, head)).flatten().and_then(rebuilt);
    shown
        .or_else(|| search().then(|| between(text, content)).flatten().and_then(rebuilt))
        .or_else(|| numbered(text, content, search).and_then(rebuilt))
}

/// A part of a file, the byte that it begins at, and the text around it.
type Part<'a> = (usize, &'a str, Wrapper);

/// Returns the length of a page's header, with its separator; 0 if the text has none.
fn page_header(text: &str) -> usize {
    let header = text.split_once(PAGE_RULE).map_or("", |(header, _)| header);
    let is_header = header.starts_with(PAGE_HEADER) && header.len() <= AROUND;
    if is_header { header.len() + PAGE_RULE.len() } else { 0 }
}

/// Finds all of the text in the file, or everything after its header.
fn exact<'a>(text: &str, content: &'a str, header: usize) -> Option<Part<'a>> {
    let (head, part) = text.split_at(header);
    if part.is_empty() {
        return None;
    }
    let start = memmem::find(content.as_bytes(), part.as_bytes())?;
    let wrapper = Wrapper { head: head.to_owned(), ..Wrapper::default() };
    Some((start, &content[start..start + part.len()], wrapper))
}

/// Returns the maximum length of the text before or after a part, in bytes.
fn margin(text: &str) -> usize {
    AROUND.min(text.len() / 4)
}

/// Finds the longest part between a short head and a short tail, around the first places where the
/// middle of the text occurs.
fn between<'a>(text: &str, content: &'a str) -> Option<Part<'a>> {
    let middle =
        text.ceil_char_boundary(margin(text))..text.floor_char_boundary(text.len() - margin(text));
    let core = text.get(middle.clone()).filter(|core| !core.is_empty())?;
    // Repeated lines occur at many places. Also tries the offset of the middle in the text itself.
    let begins_alike = content.get(middle.start..).is_some_and(|rest| rest.starts_with(core));
    let aligned = begins_alike.then_some(middle.start);
    let places = memmem::find_iter(content.as_bytes(), core.as_bytes()).take(PLACES);
    let parts = aligned.into_iter().chain(places).map(|at| grown(text, content, &middle, at));
    // Takes the first of equally long parts: `max_by_key` would return the last.
    let part = parts.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best })?;
    let (start, part) = part;
    let (head, tail) = (&text[..part.start], &text[part.end..]);
    let wrapper = Wrapper { head: head.to_owned(), tail: tail.to_owned(), numbers: None };
    Some((start, &content[start..start + part.len()], wrapper))
}

/// Extends the middle of the text, which occurs at `at` in the file, as far as both agree. Returns
/// the start of the part in the file, and its range in the text.
fn grown(text: &str, content: &str, middle: &Range<usize>, at: usize) -> (usize, Range<usize>) {
    let end = at + middle.len();
    let before = text[..middle.start].chars().rev().zip(content[..at].chars().rev());
    let before = common_bytes(before);
    let after = common_bytes(text[middle.end..].chars().zip(content[end..].chars()));
    (at - before, middle.start - before..middle.end + after)
}

fn common_bytes(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// Finds a part with consecutive numbers before its lines.
fn numbered<'a>(text: &str, content: &'a str, search: &dyn Fn() -> bool) -> Option<Part<'a>> {
    let lines = NumberedLines::around_the_middle(text)?;
    let (head, tail) = (&text[..lines.shown.start], &text[lines.shown.end..]);
    if head.len().max(tail.len()) > margin(text) {
        return None;
    }
    lines.plain().filter(|(plain, _)| !plain.is_empty()).find_map(|(plain, numbers)| {
        let found = search().then(|| memmem::find(content.as_bytes(), plain.as_bytes()));
        let start = found.flatten()?;
        let (head, tail) = (head.to_owned(), tail.to_owned());
        let wrapper = Wrapper { head, tail, numbers: Some(numbers) };
        Some((start, &content[start..start + plain.len()], wrapper))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compaction::wrapper::LineNumbers;

    fn content() -> String {
        (0..40).map(|n| format!("  line {n} of a f\u{ef}le\n")).collect()
    }

    fn wrapper(text: &str) -> Option<Wrapper> {
        match part_of(text, &content(), &|| true)? {
            ReferenceForm::ReadBack { wrapper, .. } => Some(wrapper),
            other => panic!("{other:?}"),
        }
    }

    fn lines_of(text: &str, number: impl Fn(usize) -> String) -> String {
        text.lines().enumerate().map(|(n, line)| number(n) + line + "\n").collect()
    }

    fn lines(number: impl Fn(usize) -> String) -> String {
        lines_of(&content(), number)
    }

    #[test]
    fn a_part_stands_between_a_head_and_a_tail() {
        let all = content();
        let part = &all[4..600];
        assert_eq!(wrapper(part), Some(Wrapper::default()));
        let tagged = wrapper(&format!("<a>\u{20ac}\n{part}\u{20ac}</a>")).unwrap();
        assert_eq!((&*tagged.head, &*tagged.tail), ("<a>\u{20ac}\n", "\u{20ac}</a>"));
        assert_eq!(wrapper(&format!("{}{part}", "x".repeat(300))), None, "the head is too long");
        assert_eq!(wrapper(&part.replace("line 20", "line 21")), None);
        let line = "(detailed result is stored in x)\n";
        let found = part_of(&format!("{}\n", line.repeat(4)), &line.repeat(4), &|| true).unwrap();
        let ReferenceForm::ReadBack { bytes, wrapper: around } = found else { panic!() };
        assert_eq!((bytes, &*around.head, &*around.tail), (0..132, "", "\n"));
        let forged = "(detailed result is stored in x)\n";
        assert_eq!(wrapper(&format!("{forged}{part}")), None);
    }

    #[test]
    fn numbers_in_sequence_are_no_part_of_the_file() {
        let numbers = |text: String| wrapper(&text).and_then(|wrapper| wrapper.numbers);
        let of = |first, width, zeros, separator: &str| {
            Some(LineNumbers { first, width, zeros, separator: separator.to_owned() })
        };
        assert_eq!(numbers(lines(|n| format!("{:>6}\t", n + 1))), of(1, 6, false, "\t"));
        let arrows = lines(|n| format!("{:>6}\u{2192}", n + 95));
        assert_eq!(numbers(arrows), of(95, 6, false, "\u{2192}"));
        assert_eq!(numbers(lines(|n| format!("{:05}| ", n + 1))), of(1, 5, true, "| "));
        assert_eq!(numbers(lines(|n| format!("{}: ", n + 1))), of(1, 0, false, ": "));
        // Every line of the file begins with a space.
        assert_eq!(numbers(lines(|n| format!("{}:", n + 1))), of(1, 0, false, ":"));
        assert_eq!(numbers(lines(|n| format!("{:>2}:", n + 9))), of(9, 2, false, ":"));
    }

    #[test]
    fn numbers_out_of_sequence_are_content() {
        assert_eq!(wrapper(&lines(|n| format!("{}: ", n + 1 + n / 30))), None, "a gap");
        assert_eq!(wrapper(&lines(|_| "7: ".to_owned())), None);
        assert_eq!(wrapper(&lines(|n| format!("{:>6}\t", n % 12))), None);
        let padding = lines(|n| format!("{:>1$}: ", n + 1, n / 20 + 3));
        assert_eq!(wrapper(&padding), None, "the padding changes");
        let other = lines(|n| format!("{}: ", n + 1)).replace("line 9", "line 8");
        assert_eq!(wrapper(&other), None);
    }

    /// The middle of the text lies in its longest line, and the line above it looks like a
    /// reference.
    #[test]
    fn numbered_lines_of_unequal_length_are_a_part() {
        let content = format!("(detailed result is stored in x)\n{}\nend\n", "ab ".repeat(60));
        let shown = lines_of(&content, |n| format!("{:>4}\u{2192}", n + 1));
        let form = part_of(&shown, &content, &|| true).unwrap();
        let ReferenceForm::ReadBack { wrapper, .. } = form else { panic!("{form:?}") };
        assert_eq!(wrapper.numbers.unwrap().first, 1);
    }

    #[test]
    fn a_search_that_may_not_be_finds_nothing() {
        assert_eq!(part_of(&content(), &content(), &|| false), None);
    }

    /// A part that repeats itself is found in time and can be rebuilt.
    #[test]
    fn the_file_may_repeat_itself() {
        let content = "ab".repeat(200_000);
        let text = format!("<a>\n{}\n</a>", &content[..100_000]);
        let form = part_of(&text, &content, &|| true).unwrap();
        let ReferenceForm::ReadBack { bytes, wrapper } = form else { panic!("{form:?}") };
        let part = super::super::read_back::slice(&content, &bytes).unwrap();
        assert_eq!(wrapper.around(part, text.len() as u64).unwrap(), text);
    }
}
