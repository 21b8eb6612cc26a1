//! Assignments: the values after `password =`, `"api_key":`, `--token`, `put("db.password",` or
//! `<secret>`, in any language and at any level of quotation.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::name::{NameKind, NameMatch, SUFFIX, identifier_start, is_screaming, kind};
use super::value::{ValueContext, is_secret, is_word};

/// The name of the rule.
pub(super) const RULE: &str = "assigned-secret";
/// Maximum length of a value, in bytes.
const LONGEST: usize = 4_096;
/// Maximum length of a value, in bytes, that is searched for a nested name and value.
const SHORT: usize = 128;
/// The beginnings of functions that take a name and its value.
const SETTERS: &[&str] =
    &["set", "put", "define", "get", "add", "append", "header", "env", "config", "with", "default"];

/// Number of bytes after a name that are searched for an assignment sign.
const SIGN: usize = 96;

/// The first byte of a full-width sign: `：`, `＝`.
const FULL_WIDTH: u8 = 0xEF;

/// Number of bytes before a name that are searched for the start of its line.
const INDENT: usize = 80;

/// Matches the text between a name and its value: the assignment sign, and the quote that opens the
/// value.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    let typed = r"(?::\s?&?[A-Za-z]{1,12}(?:\s[a-z]{1,8})?\s{0,2}=)";
    let gap = r"[ \t]{0,24}";
    // A block of YAML, or a label with its value on the next line.
    let line = r"(?:\r?\n|(?:\\+r)?\\+n)";
    let block = format!(r"(?<block>[|>][+-]?[ \t]{{0,4}}{line}\s{{1,24}})");
    let below = format!(r"(?:{block}|(?<below>{line}[ \t]{{0,24}}))?");
    let assigned =
        format!(r"(?:{typed}|:=|=>|={{1,3}}|[:：＝]|\\+u[Ff]{{2}}1[Aa]|%3[Dd]){gap}{below}");
    let sign = format!(r#"(?:\\*["'`])?\]?{gap}(?<sign>{assigned})"#);
    // An element of an array, or the next line of a YAML list.
    let listed = r#"(?<listed>\\*["'`],\s{0,24})"#;
    let item = r#"(?<item>["']?[ \t]{0,4}\r?\n\s{0,24}-\s{1,4})"#;
    let other = r#"(?<gap>(?:[ \t]|\\+t){1,24})|(?<call>\()|(?<element>(?:\\*["'])?>)"#;
    let quote = r#"(?:[bruBRU@]?(?<quote>\\*["'`]))?"#;
    let pattern = format!(r"\A{SUFFIX}(?:{sign}|{listed}|{item}|{other}){quote}");
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});

/// Returns the values after `names` that are secrets, in order.
pub(super) fn find(text: &str, names: &[NameMatch]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for name in names {
        if name.start < at || !may_assign(&text.as_bytes()[name.end..], || is_flag(text, name)) {
            continue;
        }
        let behind = &text[name.end..floor(text, text.len().min(name.end + SIGN))];
        let Some(captures) = BEHIND.captures(behind) else { continue };
        let Some(named) = Named::new(text, name, &captures).filter(Named::is_read) else {
            continue;
        };
        let Range { start: from, end } = named.value;
        let value = &text[from..end];
        let listed = named.has("listed") || named.has("item");
        let secret = is_secret(value, named.kind, named.context());
        let secret = secret && !(listed && value.starts_with('-'));
        if secret {
            found.push(from..end);
        }
        // A short value that is not a secret may contain a name with its value. Searching long
        // values as well would cost more than one pass.
        at = if secret || end - from > SHORT { end } else { from };
    }
    found
}

/// Returns true if the bytes after a name may begin an assignment. After a flag, a space is enough,
/// in columns a tab or two spaces.
fn may_assign(behind: &[u8], is_flag: impl Fn() -> bool) -> bool {
    let spaces = behind.iter().take(SIGN).take_while(|byte| b" \t".contains(byte)).count();
    match behind.get(spaces) {
        Some(next) if spaces > 0 => {
            let column = spaces > 1 || behind[0] == b'\t';
            column || b"=:".contains(next) || is_flag()
        }
        Some(&FULL_WIDTH) => true,
        Some(next) => next.is_ascii_digit() || b"\"'`\\]=:>(_-bBvVsS%\r\n".contains(next),
        None => false,
    }
}

fn is_flag(text: &str, name: &NameMatch) -> bool {
    text[identifier_start(text, name.start)..].starts_with("--")
}

/// A name with the text that introduces its value.
struct Named<'t> {
    text: &'t str,
    captures: &'t Captures<'t>,
    /// The range of the whole identifier.
    identifier: Range<usize>,
    kind: NameKind,
    quote: Option<String>,
    /// The range of the text that may be its value.
    value: Range<usize>,
}

impl<'t> Named<'t> {
    fn new(text: &'t str, name: &NameMatch, captures: &'t Captures<'t>) -> Option<Named<'t>> {
        let start = identifier_start(text, name.start);
        let identifier = start..name.end;
        let kind = kind(&text[identifier.clone()], name.start - start, name.password)?;
        let quote = captures.name("quote").map(|quote| quote.as_str().to_owned());
        let from = name.end + captures.get(0).map_or(0, |whole| whole.end());
        let end = match &quote {
            Some(quote) => quoted_end(text, from, quote),
            None => bare_end(text, from),
        };
        Some(Named { text, captures, identifier, kind, quote, value: from..end })
    }

    fn has(&self, group: &str) -> bool {
        self.captures.name(group).is_some()
    }

    fn name(&self) -> &str {
        &self.text[self.identifier.clone()]
    }

    fn is_flag(&self) -> bool {
        self.name().starts_with("--")
    }

    fn sign(&self) -> &str {
        self.captures.name("sign").map_or("", |sign| sign.as_str())
    }

    /// Returns true if a value follows: after a space or in a YAML list only for a flag with
    /// dashes, after spaces or below a label only if nothing else is on the line, and in a list or
    /// a call only for names and functions that take a value.
    fn is_read(&self) -> bool {
        let (flag, quoted) = (self.is_flag(), self.quote.is_some());
        if self.has("below") {
            let value = self.text[self.value.clone()].trim_end_matches('=');
            let ends_text = self.text[self.value.end..].starts_with(['"', '\'']);
            return (ends_text || self.ends_line()) && !value.contains([':', '=']);
        }
        if let Some(gap) = self.captures.name("gap") {
            let tab = gap.as_str().contains(['\t', '\\']);
            let column = gap.len() > 1 && self.starts_line() && self.ends_line();
            return flag || tab || column;
        }
        if self.has("item") {
            return flag;
        }
        if self.has("listed") {
            return quoted && (flag || self.kind != NameKind::Password || self.is_set_by_call());
        }
        let name = self.name();
        let sets =
            ["set", "with"].iter().any(|verb| name.starts_with(verb)) || name.contains(".set");
        !self.has("call") || (quoted && sets)
    }

    /// Returns true if the name is the first argument of a function that sets or reads a value:
    /// `put("password", `.
    fn is_set_by_call(&self) -> bool {
        let before = self.text[..self.identifier.start].trim_end_matches(['"', '\'', '`', '\\']);
        let Some(before) = before.strip_suffix('(') else { return false };
        let start = identifier_start(before, before.len());
        let callee = before[start..].rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        SETTERS.iter().any(|setter| callee.starts_with(setter))
    }

    /// Returns true if nothing but `export` or the sign of a diff or a list is before the name.
    fn starts_line(&self) -> bool {
        let before = &self.text[..self.identifier.start];
        let near = &before[floor(before, before.len().saturating_sub(INDENT))..];
        let line = near.rsplit('\n').next().unwrap_or_default();
        let whole = line.len() < near.len() || near.len() == before.len();
        let line = line.trim_matches([' ', '\t', '+', '-', '"', '\'']);
        (whole && ["", "export"].contains(&line)) || before.ends_with("\\n")
    }

    fn ends_line(&self) -> bool {
        let after = &self.text[self.value.end..];
        after.is_empty() || after.starts_with(['\n', '\r', '\\'])
    }

    /// Returns the context of the value: whether the text around it indicates a value.
    fn context(&self) -> ValueContext {
        if self.quote.is_some() {
            // In a list of words, the next word need not be the value.
            let words = self.has("listed") && !self.is_flag() && !self.is_set_by_call();
            return if words { ValueContext::Bare } else { ValueContext::Quoted };
        }
        let before = &self.text[..self.identifier.start];
        let (text, after) = (&self.text[self.value.clone()], &self.text[self.value.end..]);
        let (starts, ends) = (self.starts_line(), self.ends_line());
        let sign = match self.sign() {
            "＝" | "%3D" | "%3d" => "=",
            sign => sign,
        };
        let told = match sign {
            "" if self.has("element") => after.starts_with("</") || after.starts_with("<\\"),
            "" if !self.is_flag() => {
                starts && ends && is_screaming(self.name()) && !is_screaming(text)
            }
            // In the help text of a command, the type of the value is in its place.
            "" => !is_screaming(text) && !after.starts_with([']', ')']) && !after.starts_with("  "),
            _ if self.has("block") => true,
            _ if self.has("below") => false,
            "=" if is_screaming(self.name()) || self.is_flag() => true,
            "=" if self.name().contains('.') => ends && is_word(text),
            "=" => {
                let argument = before.ends_with(['(', ',']) || before.ends_with(", ");
                !argument && !after.starts_with([',', ')', '(', '.', ']']) && is_word(text)
            }
            _ if sign.starts_with([':', '：']) && !sign.contains('=') => {
                starts && ends && (is_screaming(self.name()) || is_word(text))
            }
            // In a program, this would be a variable.
            _ if sign.starts_with('=') => {
                starts && ends && is_word(text) && text.len() >= 10 && !self.name().contains('.')
            }
            _ => false,
        };
        if told { ValueContext::Assigned } else { ValueContext::Bare }
    }
}

/// Returns the end of a quoted value: the position of the same quote with at most as many
/// backslashes before it as the opening quote. If there is none on the line, the value ends at a
/// space.
pub(super) fn quoted_end(text: &str, from: usize, quote: &str) -> usize {
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
            // The end of a line in a string that contains quoted strings.
            b'n' | b'r' if slashes > 0 && slashes <= depth => break,
            _ => slashes = 0,
        }
    }
    let rest = &text[from..floor(text, limit)];
    let ends = |c: char| c.is_whitespace() || c == '\\';
    from + rest.find(ends).unwrap_or(rest.len())
}

/// Returns the end of a bare value; `from` if it is a call or an index.
pub(super) fn bare_end(text: &str, from: usize) -> usize {
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
