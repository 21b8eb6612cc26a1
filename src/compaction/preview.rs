//! The preview: the part of a moved text that stays visible. It has the beginning, the
//! end, and between them the lines with errors, exit codes and totals, with their line
//! numbers; then the omitted range and the exact call that returns it. It is deterministic.

use std::ops::Range;

use chat_history::message::SlotKind;
use redact::Secrets;

use super::call::{FilePart, call};
use super::evidence::{EvidenceLine, evidence};
use super::fit::{count_newlines, head_within, tail_within};
use super::preview_settings::PreviewSettings;
use super::reference;

/// A text that moves to a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedText<'a> {
    /// The text as the file stores it.
    pub text: &'a str,
    /// Its kind in the message.
    pub kind: SlotKind,
    /// The number of its tokens in the message.
    pub tokens: u64,
    /// The path of its file, as the caller spells it.
    pub path: &'a str,
}

/// Renders the text that stays in the message.
pub(crate) fn replacement(moved: &MovedText<'_>, spec: &PreviewSettings) -> String {
    let last = reference::line(moved.path);
    let json = |facts: &str| match moved.kind {
        SlotKind::Json => reference::json_note(facts),
        SlotKind::String => format!("[{facts}]"),
    };
    if spec.budget.whole() == 0 {
        return format!("{}\n{last}", json(&format!("{} tokens", moved.tokens)));
    }
    let shown = Shown::choose(moved.text, spec);
    // Searches the whole text for secrets, because no rule matches half a secret.
    let mut out = shown.render(moved.text, &spec.redact.secrets(moved.text));
    out.push_str(&json(&shown.facts(moved, spec)));
    out.push('\n');
    out.push_str(&last);
    out
}

/// The parts that stay: `text[..head]`, `text[tail..]` and evidence lines between them.
struct Shown {
    head: usize,
    tail: usize,
    evidence: Vec<EvidenceLine>,
    /// Number of lines before `head`, before `tail` and in the whole text.
    head_lines: u64,
    tail_lines: u64,
    lines: u64,
}

impl Shown {
    fn choose(text: &str, spec: &PreviewSettings) -> Shown {
        let whole = spec.budget.whole();
        let edge = whole.saturating_mul(7) / 20;
        let (head, head_left) = head_within(text, spec, edge);
        let (tail, tail_left) = tail_within(&text[head..], spec, edge);
        let tail = head + tail;
        let newlines = |range: Range<usize>| count_newlines(&text[range]);
        let head_lines = newlines(0..head);
        let tail_lines = head_lines + newlines(head..tail);
        let room = (whole - 2 * edge) + head_left + tail_left;
        let evidence = evidence(text, head..tail, head_lines, spec, room);
        let lines = tail_lines + newlines(tail..text.len()) + u64::from(!text.ends_with('\n'));
        Shown { head, tail, evidence, head_lines, tail_lines, lines }
    }

    fn render(&self, text: &str, secrets: &Secrets) -> String {
        let mut out = String::new();
        push_honest(&mut out, &secrets.shown(text, 0..self.head));
        let starts_line = self.head == 0 || text[..self.head].ends_with('\n');
        let mut next = if starts_line { self.head_lines + 1 } else { self.head_lines + 2 };
        if !starts_line {
            out.push_str(" …\n");
        }
        for hit in &self.evidence {
            gap(&mut out, next, hit.line);
            out.push_str(&format!("L{}: {}", hit.line, if hit.is_cut { "… " } else { "" }));
            push_honest(&mut out, secrets.shown(text, hit.part.clone()).trim());
            let rest = &text[hit.part.end..];
            if !rest.is_empty() && !rest.starts_with(['\n', '\r']) {
                out.push_str(" …");
            }
            out.push('\n');
            next = hit.line + 1;
        }
        let tail_starts_line = text[..self.tail].ends_with('\n');
        gap(&mut out, next, self.tail_lines + 1);
        if !tail_starts_line && self.tail < text.len() {
            out.push_str("… ");
        }
        push_honest(&mut out, &secrets.shown(text, self.tail..text.len()));
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    fn facts(&self, moved: &MovedText<'_>, spec: &PreviewSettings) -> String {
        let text = moved.text;
        let on_lines = (self.head == 0 || text[..self.head].ends_with('\n'))
            && (self.tail == text.len() || text[..self.tail].ends_with('\n'));
        let (what, part) = if on_lines {
            let end = if self.tail == text.len() { self.lines } else { self.tail_lines };
            let what = format!("L{}-L{end}", self.head_lines + 1);
            (what, FilePart::Lines(self.head_lines..end))
        } else {
            let what = format!("bytes {}-{}", self.head, self.tail.saturating_sub(1));
            (what, FilePart::Bytes(self.head as u64..self.tail as u64))
        };
        let call =
            call(&spec.tools, moved.path, &part).map_or_else(String::new, |c| format!(": {c}"));
        let lines =
            if self.lines == 1 { "1 line".to_owned() } else { format!("{} lines", self.lines) };
        format!("{lines}, {} tokens, {} bytes; {what} left out{call}", moved.tokens, text.len())
    }
}

/// Writes which lines are omitted before line `to`, if any.
fn gap(out: &mut String, from: u64, to: u64) {
    match to.saturating_sub(from) {
        0 => {}
        1 => out.push_str(&format!("[… L{from} …]\n")),
        _ => out.push_str(&format!("[… L{from}-L{} …]\n", to - 1)),
    }
}

/// Appends a text. Replaces lines that look like references.
fn push_honest(out: &mut String, text: &str) {
    if !reference::is_forgery(text) {
        out.push_str(text);
        return;
    }
    for line in text.split_inclusive('\n') {
        if reference::is_forgery(line) {
            out.push_str(reference::NOT_SHOWN);
            out.push('\n');
        } else {
            out.push_str(line);
        }
    }
}
