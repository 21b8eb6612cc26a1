//! Finds the secrets in a text – keys, tokens, passwords – and replaces each by `[redacted: RULE]`.
//!
//! Token formats are data (`rules.toml`, in the form of gitleaks' rules): each is a regular
//! expression that runs in linear time, and only on texts that contain one of its keywords. A value
//! without a format of its own is recognised by its name: in an assignment, in a pair of members,
//! or in a table. The same text always gets the same marks.
//!
//! ```
//! use redact::Redact;
//!
//! let token = ["gh", "p_", "q7Zr2KfX9mWc4TnB6vYh1JpL8sDg3GdRk5Vt"].concat();
//! let text = format!("export GITHUB_TOKEN={token}; git push");
//! let shown = Redact::Secrets.text(text.as_str());
//! assert_eq!(shown, "export GITHUB_TOKEN=[redacted: github-token]; git push");
//! assert_eq!(Redact::Off.text(text.as_str()), text);
//!
//! // A part is shown by what the whole text holds: half a secret would pass for none.
//! let secrets = Redact::Secrets.secrets(&text);
//! assert_eq!(secrets.shown(&text, 0..30), "export GITHUB_TOKEN=[redacted: github-token]");
//! ```

mod assignment;
mod name;
mod pair;
mod private_key;
mod rules;
mod table;
mod value;
mod word;

use std::borrow::Cow;
use std::ops::Range;

/// The start of every mark.
const OPEN: &str = "[redacted: ";

pub use word::{hidden, is_word};

/// Whether secrets are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Redact {
    /// Shows texts unchanged.
    #[default]
    Off,
    /// Replaces the secrets that the rules find by marks.
    Secrets,
}

/// A secret in a text, with the rule that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Secret<'r> {
    bytes: Range<usize>,
    rule: &'r str,
}

/// The secrets of one text, in order and without overlaps.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// The address of the text, to locate slices of it.
    base: usize,
    found: Vec<Secret<'static>>,
}

impl Redact {
    /// Returns the text with its secrets marked.
    pub fn text<'a>(self, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        let text = text.into();
        let secrets = self.secrets(&text);
        match secrets.is_empty() {
            true => text,
            false => Cow::Owned(secrets.shown(&text, 0..text.len()).into_owned()),
        }
    }

    /// Returns the places of the secrets in a text. To show a part of the text, use
    /// [`Secrets::shown`]: a secret that is cut off would not be recognised in the part alone.
    pub fn secrets(self, text: &str) -> Secrets {
        let found = match self {
            Redact::Off => Vec::new(),
            Redact::Secrets => merged(rules::find(text)),
        };
        Secrets { base: text.as_ptr() as usize, found }
    }
}

/// Sorts the secrets and merges overlapping ones. A merged secret gets the rule that is first in
/// the list of rules.
fn merged(mut found: Vec<Secret<'static>>) -> Vec<Secret<'static>> {
    // The sort is stable: if starts are equal, the earlier rule stays first.
    found.sort_by_key(|secret| secret.bytes.start);
    let mut merged: Vec<Secret<'static>> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.bytes.start < last.bytes.end => {
                last.bytes.end = last.bytes.end.max(secret.bytes.end);
                if rules::rank(secret.rule) < rules::rank(last.rule) {
                    last.rule = secret.rule;
                }
            }
            _ => merged.push(secret),
        }
    }
    merged
}

impl Secrets {
    /// Returns true if there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns a part of the text that the secrets were found in, with its secrets marked. Marks a
    /// secret at its edge like a whole one. Keeps a line feed at its end.
    pub fn shown<'a>(&self, text: &'a str, part: Range<usize>) -> Cow<'a, str> {
        let first = self.found.partition_point(|secret| secret.bytes.end <= part.start);
        let within = self.found[first..].iter().take_while(|s| s.bytes.start < part.end);
        let (mut out, mut at) = (String::new(), part.start);
        for secret in within {
            out.push_str(&text[at..secret.bytes.start.max(at)]);
            out.push_str(&format!("{OPEN}{}]", secret.rule));
            at = secret.bytes.end.min(part.end);
        }
        if out.is_empty() {
            return Cow::Borrowed(&text[part]);
        }
        out.push_str(&text[at..part.end]);
        if text[..part.end].ends_with('\n') && !out.ends_with('\n') {
            out.push('\n');
        }
        Cow::Owned(out)
    }

    /// Returns true if `part`, a slice of the text that the secrets were found in, overlaps a
    /// secret.
    pub fn touch(&self, part: &str) -> bool {
        if self.is_empty() || part.is_empty() {
            return false;
        }
        let start = (part.as_ptr() as usize).wrapping_sub(self.base);
        let end = start.wrapping_add(part.len());
        let next = self.found.partition_point(|secret| secret.bytes.end <= start);
        self.found.get(next).is_some_and(|secret| secret.bytes.start < end)
    }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
