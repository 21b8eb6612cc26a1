//! Found records: their lines, and the rest of the text.

use std::borrow::Cow;

use raw_json as raw;

use crate::layout::{EscapeStyle, Region, Source, Wrap, flatten, unflatten};

/// Maximum number of bytes of [`Found::around`], of one member in it, and of the number of those
/// left out.
pub(super) const MAX_AROUND_BYTES: usize = 300;
pub(super) const MAX_MEMBER_BYTES: usize = 120;
const MORE_BYTES: usize = 24;

/// The records of a text, and the rest of the text.
///
/// ```
/// use record_files::find::{Accept, find_records};
///
/// let text = r#"{"total": 3, "items": [{"id": 10}, {"id": 11}, {"id": 12}]}"#;
/// let found = find_records(text, Accept::Objects).ok_or("no records")?;
/// assert_eq!((found.count(), found.place()), (3, "items"));
/// assert_eq!(found.around().as_deref(), Some(r#"{"total":3}"#));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Found {
    pub(super) source: Source,
    body: String,
    count: usize,
    exact: bool,
    /// The members around the records: keys as literals, and values.
    members: Vec<(String, String)>,
    /// The words before and after the records, from the outermost to the innermost, as `members`.
    words: Vec<(String, String)>,
    /// The keys and indexes that lead to the records.
    place: String,
}

impl Found {
    /// Returns the number of records.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the records, one JSON value each: without white space between tokens, and
    /// otherwise as spelled in the text.
    pub fn records(&self) -> impl Iterator<Item = &str> {
        self.body.split_terminator('\n')
    }

    /// Returns the records as lines, each with its line feed.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns true if a file of these records rebuilds the text byte for byte. If not, only
    /// white space between JSON tokens and escapes in strings differ.
    pub fn exact(&self) -> bool {
        self.exact
    }

    /// Returns the rest of the text.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the words before and after the records, and the other members of the objects around
    /// them, as a JSON object of at most 300 bytes. Shows only the size of a long member, and the
    /// number of members that do not fit. Returns `None` if there is nothing.
    pub fn around(&self) -> Option<String> {
        let mut members: Vec<(&str, String)> = Vec::new();
        let (mut length, mut left_out) = (MORE_BYTES, 0);
        for (key, value) in self.words.iter().chain(&self.members) {
            if members.iter().any(|(known, _)| known == key) {
                continue;
            }
            let mut member = format!("{key}:{value}");
            if member.len() > MAX_MEMBER_BYTES {
                member = format!("{key}:\"({} bytes)\"", value.len());
            }
            if member.len() <= MAX_MEMBER_BYTES && length + member.len() < MAX_AROUND_BYTES {
                length += member.len() + 1;
                members.push((key, member));
            } else {
                left_out += 1;
            }
        }
        let mut members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
        members.extend((left_out > 0).then(|| format!("\"…\":\"({left_out} more)\"")));
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    /// Returns the keys and indexes that lead from the JSON of the text to the records, such as
    /// `data.items` and `[1].text`; empty if the records are the whole JSON.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Writes the records of `region`, a part of `text`, as lines.
    pub(super) fn of_region(text: &str, region: &Region<'_>) -> Found {
        let (shape, count) = (region.shape, region.records.len());
        let (body, spacing) = flatten(region);
        let region = region.text;
        let limit = region.len() as u64;
        let rebuilt = unflatten(shape, spacing.as_ref(), body.split_terminator('\n'), limit);
        let exact = rebuilt.is_ok_and(|rebuilt| rebuilt == region);
        // If the text has two styles, its spacing cannot be kept, so compact JSON is used.
        let spacing = spacing.filter(|_| exact);
        let wraps = Some(wrap(text, region, None)).filter(|wrap| !wrap.is_empty());
        let source = Source { shape, bytes: 0, wraps: wraps.into_iter().collect(), spacing };
        Found {
            source,
            body,
            count,
            exact,
            members: Vec::new(),
            words: Vec::new(),
            place: String::new(),
        }
    }

    /// Wraps the records in `literal`, a string literal of `text` that contains them. `exact` is
    /// true if `style` restores the literal.
    pub(super) fn in_literal(
        mut self,
        text: &str,
        literal: &str,
        style: EscapeStyle,
        exact: bool,
    ) -> Found {
        self.exact &= exact;
        self.source.wraps.insert(0, wrap(text, literal, Some(style)));
        self
    }

    /// Adds members outside of the present ones.
    pub(super) fn with_members_around(mut self, members: &[(String, Cow<'_, str>)]) -> Found {
        let outer = members.iter().map(|(key, value)| (key.clone(), value.as_ref().to_owned()));
        self.members.splice(..0, outer);
        self
    }

    /// Prepends the keys and indexes that lead to the text of the records.
    pub(super) fn in_place(mut self, place: &str) -> Found {
        let is_apart = !place.is_empty() && !self.place.is_empty() && !self.place.starts_with('[');
        self.place = format!("{place}{}{}", if is_apart { "." } else { "" }, self.place);
        self
    }

    /// Adds words outside of the present ones.
    pub(super) fn with_words(mut self, words: Vec<(String, String)>) -> Found {
        self.words.splice(..0, words);
        self
    }

    /// Sets the length of the rebuilt text; `None` if it cannot be rebuilt.
    pub(super) fn measured(mut self, text: &str) -> Option<Found> {
        let bytes = match self.exact {
            true => text.len(),
            false => self.source.text(self.records(), u64::MAX).ok()?.len(),
        };
        self.source.bytes = bytes as u64;
        Some(self)
    }
}

/// Returns the text before and after `region`.
fn wrap(text: &str, region: &str, literal: Option<EscapeStyle>) -> Wrap {
    let start = raw::offset_in(text, region);
    let (before, after) = (&text[..start], &text[start + region.len()..]);
    Wrap { before: before.to_owned(), after: after.to_owned(), literal }
}
