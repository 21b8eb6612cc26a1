//! Assignments: what stands behind `password =`, `"api_key":`, `--token` or
//! `<secret>`, in any language and at any level of quotation (gitleaks
//! `generic-api-key`, detect-secrets `keyword.py`).

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::value::{Kind, Stands, is_secret};

/// The name of the rule.
pub(super) const RULE: &str = "assigned-secret";
/// Words of which a text with an assignment holds one.
pub(super) const WORDS: &[&str] =
    &["pass", "pwd", "secret", "token", "key", "credential", "authorization"];
/// Longest value, in bytes.
const LONGEST: usize = 4_096;
/// Up to this size a value is looked into for a name with another, in bytes.
const SHORT: usize = 128;
/// Names before `token` that make it a place in a list.
const PLACES: &[&str] = &["page", "next", "continuation", "sync", "cursor", "pagination", "resume"];

/// A name, what says that a value follows, and the quote that opens it.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    let owner = "db|user|smtp|mail|admin|root|ftp|redis|mysql|pg|mongo|auth|login|proxy|ssh|sudo";
    let password = format!("passw(?:or)?d|pwd|passphrase|(?:{owner})[_-]?pass");
    let token = "secret(?:[_.-]?(?:access[_.-]?key|key|token|id|value))?(?:[_-]?base)?|token|\
                 (?:api|access|auth|private|encryption|signing|master|account|license)[_.-]?key|\
                 credentials?|authorization";
    let name = format!("(?i-u:(?<password>{password})|(?<token>{token}))");
    let typed = r"(?::\s?&?[A-Za-z]{1,12}(?:\s[a-z]{1,8})?\s{0,2}=)";
    let sign = format!(r#"(?:\\*["'`])?\]?\s{{0,4}}(?:{typed}|:=|=>|={{1,3}}|:)\s{{0,4}}"#);
    let listed = r#"(?<listed>\\*["'`],\s{0,4})"#;
    // A flag's value stands behind a space, an element's behind its bracket.
    let behind = format!(r"(?:{sign}|{listed}|(?<flag>\s{{1,4}})|>)");
    let pattern = format!(r#"(?<dashes>--[A-Za-z0-9-]{{0,30}})?{name}{behind}(?<quote>\\*["'`])?"#);
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});

/// The values that are secrets, in order.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(named) = NAME.captures_at(text, at) {
        let Some(whole) = named.get(0) else { break };
        at = whole.end();
        let is = |group: &str| named.name(group).is_some();
        let kind = if is("password") { Kind::Password } else { Kind::Token };
        let a_place = named.name("token").is_some_and(|name| is_place(&text[..name.start()]));
        let misread = (is("flag") && !is("dashes"))
            || (is("listed") && (kind == Kind::Password || !is("quote")));
        if a_place || misread {
            continue;
        }
        let (end, stands) = match named.name("quote") {
            Some(quote) => (quoted_end(text, at, quote.as_str()), Stands::Quoted),
            None => (bare_end(text, at), Stands::Bare),
        };
        let secret = is_secret(&text[at..end], kind, stands);
        if secret {
            found.push(at..end);
        }
        // In a short value that is none, a name may stand with one; that the next
        // begins within each long one would cost more than a pass.
        if secret || end - at > SHORT {
            at = end;
        }
    }
    found
}

/// True behind a name that makes `token` a place in a list: `next_page_token`.
fn is_place(before: &str) -> bool {
    let name = before.trim_end_matches(['_', '-', '.']);
    let from = name.len().saturating_sub(12);
    let from = (from..=name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or(name.len());
    let name = name[from..].to_ascii_lowercase();
    PLACES.iter().any(|place| name.ends_with(place))
}

/// Where a quoted value ends: at the same quote with no more backslashes before it
/// than the one that opened it has; one that the line does not close, at a space.
fn quoted_end(text: &str, from: usize, quote: &str) -> usize {
    let depth = quote.len() - 1;
    let sign = quote.as_bytes()[depth];
    let bytes = text.as_bytes();
    let limit = bytes.len().min(from + LONGEST);
    let mut slashes = 0;
    for (at, byte) in bytes.iter().enumerate().take(limit).skip(from) {
        match *byte {
            b'\\' => slashes += 1,
            byte if byte == sign && slashes <= depth => return at - slashes,
            b'\n' | b'\r' => break,
            // The end of a line inside a string that holds strings.
            b'n' | b'r' if slashes > 0 && slashes <= depth => break,
            _ => slashes = 0,
        }
    }
    let rest = &text[from..floor(text, limit)];
    let ends = |c: char| c.is_whitespace() || c == '\\';
    from + rest.find(ends).unwrap_or(rest.len())
}

/// Where a bare value ends; nowhere where it is a call or an index.
fn bare_end(text: &str, from: usize) -> usize {
    let rest = &text[from..floor(text, text.len().min(from + LONGEST))];
    let ends = |c: char| c.is_whitespace() || "\"'`\\,;&<>|".contains(c);
    let end = rest.find(|c: char| ends(c) || "(){}[]".contains(c)).unwrap_or(rest.len());
    let named = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    match rest[end..].chars().next() {
        Some('(' | '[' | '{') if rest[..end].chars().all(named) => from,
        Some('(' | '[' | '{') => from + rest.find(ends).unwrap_or(rest.len()),
        _ => from + end,
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
