//! Tables: the cells of a column whose heading names a secret, in CSV, TSV, Markdown, the output of
//! database clients, and columns aligned by spaces.

use std::ops::Range;

use super::name::{NameKind, NameMatch, kind_of};
use super::value::{ValueContext, is_secret};

/// Maximum length of a line of a table, in bytes.
const LINE: usize = 16 * 1024;
/// Maximum number of columns.
const COLUMNS: usize = 256;

/// Separates the cells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Sign(u8),
    /// Two or more spaces.
    Spaces,
}

/// Returns the cells that are secrets, in order.
pub(super) fn find(text: &str, names: &[NameMatch]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    for name in names.iter().filter(|name| ends_cell(&text.as_bytes()[name.end..])) {
        // Read each line once, however many of its cells are names.
        if name.start >= at {
            let head = line_around(text, name.start);
            at = read(text, head.clone(), &mut found).unwrap_or(head.end);
        }
    }
    found
}

/// Returns true if the bytes after a name can end a cell.
fn ends_cell(behind: &[u8]) -> bool {
    let skipped =
        behind.iter().take(3).take_while(|byte| b"0123456789_\"'*` ".contains(byte)).count();
    match &behind[skipped..] {
        [b',' | b';' | b'\t' | b'|' | b'\r' | b'\n' | b'\\', ..] => true,
        _ => behind.starts_with(b"  "),
    }
}

/// Reads the table under a heading line; returns the end of the table, or `None` if there is no
/// such table.
fn read(text: &str, head: Range<usize>, found: &mut Vec<Range<usize>>) -> Option<usize> {
    let mut next = line_behind(text, head.end)?;
    let ruled = is_rule(&text[next.clone()]);
    let separator = separator(&text[head.clone()], ruled)?;
    let names = cells(text, head.clone(), separator);
    let kinds: Vec<Option<NameKind>> =
        names.iter().map(|name| kind_of(bare(&text[name.clone()]))).collect();
    let one = names.len() == 1 && !ruled;
    let heads = names.iter().all(|name| is_head(&text[name.clone()]));
    if one || !heads || kinds.iter().all(Option::is_none) {
        return None;
    }
    let mut end = head.end;
    loop {
        let row = &text[next.clone()];
        if !is_rule(row) {
            let values = cells(text, next.clone(), separator);
            if row.trim().is_empty() || values.len() != names.len() {
                break;
            }
            for (value, kind) in values.into_iter().zip(&kinds) {
                let value = trimmed(text, value);
                let secret = |kind: &NameKind| {
                    is_secret(&text[value.clone()], *kind, ValueContext::Assigned)
                };
                found.extend(kind.filter(secret).map(|_| value.clone()));
            }
        }
        end = next.end;
        match line_behind(text, end) {
            Some(line) => next = line,
            None => break,
        }
    }
    Some(end)
}

/// Returns the separator of the heading line. Only a table with a rule under its heading may have
/// one column.
fn separator(head: &str, ruled: bool) -> Option<Separator> {
    let sign = [b'|', b'\t', b',', b';'].into_iter().find(|sign| head.as_bytes().contains(sign));
    match sign {
        Some(sign) => Some(Separator::Sign(sign)),
        None if ruled => Some(Separator::Sign(b'|')),
        None => head.trim().contains("  ").then_some(Separator::Spaces),
    }
}

/// Returns the cells of a line. A comma in quotes does not separate cells.
fn cells(text: &str, line: Range<usize>, separator: Separator) -> Vec<Range<usize>> {
    let (bytes, line) = (text.as_bytes(), within_frame(text, line, separator));
    let (mut cells, mut quoted, mut from, mut at) = (Vec::new(), false, line.start, line.start);
    while at < line.end && cells.len() < COLUMNS {
        let wide = match separator {
            Separator::Sign(sign) => usize::from(bytes[at] == sign && !quoted),
            Separator::Spaces => {
                let spaces = bytes[at..line.end].iter().take_while(|byte| **byte == b' ').count();
                if spaces >= 2 { spaces } else { 0 }
            }
        };
        quoted ^= bytes[at] == b'"' && separator == Separator::Sign(b',');
        if wide > 0 {
            cells.push(from..at);
            from = at + wide;
        }
        at += wide.max(1);
    }
    cells.push(from..line.end);
    cells
}

/// Returns a line without the signs at its ends, as in `| a | b |`.
fn within_frame(text: &str, line: Range<usize>, separator: Separator) -> Range<usize> {
    let whole = &text[line.clone()];
    let inner = match separator {
        Separator::Spaces => whole.trim(),
        Separator::Sign(b'|') if whole.trim_start().starts_with('|') => {
            let inner = whole.trim().trim_start_matches('|');
            inner.strip_suffix('|').unwrap_or(inner)
        }
        Separator::Sign(_) => return line,
    };
    let start = line.start + (inner.as_ptr() as usize - whole.as_ptr() as usize);
    start..start + inner.len()
}

/// Returns true for a line of signs only, such as the one under a heading.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.bytes().all(|byte| b"-+|: =\t\r".contains(&byte))
}

/// Returns true for text that can be a heading: a few words, no code.
fn is_head(cell: &str) -> bool {
    let cell = bare(cell);
    let plain = |c: char| c.is_alphanumeric() || " _.-/#%?".contains(c);
    cell.len() <= 60 && cell.chars().all(plain) && cell.split(' ').count() <= 4
}

/// Returns a cell without surrounding spaces, quotes, emphasis and backslashes.
fn bare(cell: &str) -> &str {
    cell.trim().trim_matches(['"', '\'', '`', '*', '\\'])
}

fn trimmed(text: &str, cell: Range<usize>) -> Range<usize> {
    let bare = bare(&text[cell.clone()]);
    let start = bare.as_ptr() as usize - text.as_ptr() as usize;
    start..start + bare.len()
}

/// Returns the line that contains `at`. Line ends may be real or escaped as `\n`.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(LINE);
    let start = (from..at).rev().find(|at| {
        bytes[*at] == b'\n' || (bytes[*at] == b'n' && *at > 0 && bytes[*at - 1] == b'\\')
    });
    let start = start.map_or(from, |start| start + 1);
    let start = (start..=at).find(|at| text.is_char_boundary(*at)).unwrap_or(at);
    start..line_end(text, at)
}

/// Returns the line after one that ends at `end`.
fn line_behind(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = &text[end..];
    let ends = ["\r\n", "\n", "\\r\\n", "\\n"];
    let start = end + ends.iter().find(|ends| rest.starts_with(**ends))?.len();
    (start < text.len()).then(|| start..line_end(text, start))
}

/// Returns the end of a line; a line that is too long for a table ends at the limit.
fn line_end(text: &str, from: usize) -> usize {
    let bytes = &text.as_bytes()[..text.len().min(from + LINE)];
    let mut at = from;
    while let Some(more) = memchr::memchr2(b'\n', b'\\', &bytes[at..]) {
        at += more;
        if bytes[at] == b'\n' {
            return if at > from && bytes[at - 1] == b'\r' { at - 1 } else { at };
        }
        if bytes[at..].starts_with(b"\\n") || bytes[at..].starts_with(b"\\r\\n") {
            return at;
        }
        at += 1;
    }
    (from..=bytes.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from)
}
