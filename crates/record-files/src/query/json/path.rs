//! A path: the dotted name of a field. It goes through objects by key and through arrays to all
//! elements; a segment of digits selects one element. Keys may have dots: in each object, the
//! longest key that leads to a value is used.

use raw_json::{each_element, each_member};

use crate::query::error::{QueryError, quoted};

const MAX_BYTES: usize = 1024;
const MAX_SEGMENTS: usize = 32;
/// Maximum nesting of arrays on the way to a field.
const MAX_ARRAYS: usize = 16;

/// A field's place in a record. Without segments it is the record itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// The segments joined by dots, without a leading dot or brackets.
    pub(crate) text: String,
    /// Start and end of each segment in `text`.
    segments: Vec<(usize, usize)>,
}

/// The values of a path in one record.
#[derive(Debug, Default)]
pub(crate) struct Hits<'a> {
    /// The raw values in the order of the record.
    pub(crate) values: Vec<&'a str>,
    /// True if the path traversed an array, so that there may be several values.
    pub(crate) many: bool,
}

impl Hits<'_> {
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.many = false;
    }
}

impl Path {
    /// Parses `a.b`, `.a.b`, `a[].b` (the brackets have no effect) and `a[0].b`; `.` is the record
    /// itself. Accepts at most 1,024 bytes and 32 segments. Errors name `member` of the request.
    pub(crate) fn parse(spelled: &str, member: &str) -> Result<Self, QueryError> {
        let too_many = |what, found, limit| QueryError::TooMany {
            member: format!("the path in {member}"),
            found,
            what,
            limit,
        };
        if spelled.is_empty() {
            return Err(QueryError::BadMember {
                member: member.to_owned(),
                found: "an empty path".to_owned(),
                accepted: "the dotted name of a field, such as `provenance.agent`",
            });
        }
        if spelled.len() > MAX_BYTES {
            return Err(too_many("bytes", spelled.len(), MAX_BYTES));
        }
        let text = without_brackets(spelled.strip_prefix('.').unwrap_or(spelled));
        let segments = segments(&text);
        if segments.len() > MAX_SEGMENTS {
            return Err(too_many("segments", segments.len(), MAX_SEGMENTS));
        }
        Ok(Self { text, segments })
    }

    /// Returns the prefixes of the path after which an array gives all its elements: the number of
    /// segments, and the text of each.
    pub(crate) fn prefixes(&self) -> impl Iterator<Item = (usize, String)> + '_ {
        let next = self.segments.iter().enumerate().skip(1);
        let next = next.filter(|(_, (start, end))| index(&self.text[*start..*end]).is_none());
        next.map(|(length, (start, _))| (length, self.text[..start - 1].to_owned()))
    }

    /// Returns the path for a text of [`Path::prefixes`].
    pub(crate) fn of_prefix(text: &str) -> Self {
        Self { text: text.to_owned(), segments: segments(text) }
    }

    /// Returns true if the path traverses all elements of an array at `prefix`.
    pub(crate) fn goes_through(&self, prefix: &str) -> bool {
        let rest = self.text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.'));
        let next = rest.map(|rest| rest.split_once('.').map_or(rest, |(next, _)| next));
        next.is_some_and(|next| index(next).is_none())
    }

    /// Returns the number of segments.
    pub(crate) fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns the path for messages; `.` for the record itself.
    pub(crate) fn name(&self) -> String {
        if self.text.is_empty() { ".".to_owned() } else { quoted(&self.text) }
    }

    /// Returns the keys of a record that could be the first segments, the longest first, each with
    /// its number of segments.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (&str, usize)> {
        let ends = self.segments.iter().enumerate().rev();
        ends.map(|(index, (_, end))| (&self.text[..*end], index + 1))
    }

    /// Adds the values in `value`, which is valid JSON, for the segments from index `from`.
    pub(crate) fn follow<'a>(&self, from: usize, value: &'a str, hits: &mut Hits<'a>) {
        self.step(from, value, MAX_ARRAYS, hits);
    }

    /// Visits each part of `value` for one segment only, so the work is at most its size times the
    /// number of segments and arrays.
    fn step<'a>(&self, from: usize, value: &'a str, arrays: usize, hits: &mut Hits<'a>) {
        let Some(&(start, end)) = self.segments.get(from) else {
            hits.values.push(value);
            return;
        };
        match value.as_bytes().first() {
            Some(b'{') => self.step_object(from, value, arrays, hits),
            Some(b'[') if arrays > 0 => match index(&self.text[start..end]) {
                Some(index) => {
                    if let Some(element) = each_element(value).nth(index) {
                        self.step(from + 1, element, arrays - 1, hits);
                    }
                }
                None => {
                    hits.many = true;
                    for element in each_element(value) {
                        self.step(from, element, arrays - 1, hits);
                    }
                }
            },
            _ => {}
        }
    }

    fn step_object<'a>(&self, from: usize, value: &'a str, arrays: usize, hits: &mut Hits<'a>) {
        let start = self.segments[from].0;
        let rest = &self.text[start..];
        let mut found: Vec<(usize, &'a str)> = Vec::new();
        for (key, value) in each_member(value) {
            let key = key.text();
            if !rest.starts_with(key.as_ref()) {
                continue;
            }
            let ends = self.segments.binary_search_by_key(&(start + key.len()), |(_, end)| *end);
            let Some(used) = ends.ok().filter(|index| *index >= from).map(|index| index + 1) else {
                continue;
            };
            match found.iter_mut().find(|(known, _)| *known == used) {
                Some(entry) => entry.1 = value,
                None => found.push((used, value)),
            }
        }
        found.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        let before = hits.values.len();
        for (used, value) in found {
            self.step(used, value, arrays, hits);
            if hits.values.len() > before {
                return;
            }
        }
    }
}

/// Returns start and end of each segment.
fn segments(text: &str) -> Vec<(usize, usize)> {
    let mut segments = Vec::new();
    if !text.is_empty() {
        let mut start = 0;
        for segment in text.split('.') {
            segments.push((start, start + segment.len()));
            start += segment.len() + 1;
        }
    }
    segments
}

fn index(segment: &str) -> Option<usize> {
    let digits = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    if digits { segment.parse().ok() } else { None }
}

/// Removes `[]` and replaces `[7]` by `.7`.
fn without_brackets(spelled: &str) -> String {
    let mut text = String::with_capacity(spelled.len());
    let mut rest = spelled;
    while let Some(open) = rest.find('[') {
        let inside = rest[open + 1..].find(']').map(|length| &rest[open + 1..open + 1 + length]);
        text.push_str(&rest[..open]);
        match inside {
            Some("") => {}
            Some(digits) if index(digits).is_some() => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(digits);
            }
            _ => {
                text.push('[');
                rest = &rest[open + 1..];
                continue;
            }
        }
        rest = &rest[open + 1 + inside.map_or(0, str::len) + 1..];
        if text.is_empty() {
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::{Hits, Path};

    fn hits(path: &str, record: &str) -> Vec<String> {
        let mut hits = Hits::default();
        Path::parse(path, "field").unwrap().follow(0, record, &mut hits);
        hits.values.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn dots_walk_objects() {
        let record = r#"{"a":{"b":{"c":1}},"b":2}"#;
        assert_eq!(hits("a.b.c", record), ["1"]);
        assert_eq!(hits(".a.b", record), [r#"{"c":1}"#]);
        assert_eq!(hits("a.x", record), [""; 0]);
        assert_eq!(hits("a.b.c.d", record), [""; 0]);
        assert_eq!(hits(".", "[1]"), ["[1]"]);
    }

    #[test]
    fn arrays_mean_any_element_and_digits_one_of_them() {
        let record = r#"{"f":[{"o":1},{"o":[2,3]},[{"o":4}],5]}"#;
        assert_eq!(hits("f.o", record), ["1", "[2,3]", "4"]);
        assert_eq!(hits("f[].o", record), ["1", "[2,3]", "4"]);
        assert_eq!(hits("f.1.o.0", record), ["2"]);
        assert_eq!(hits("f[1].o[1]", record), ["3"]);
        assert_eq!(hits("f.9.o", record), [""; 0]);
        assert_eq!(hits("f.3", record), ["5"]);
        assert_eq!(hits("[0].o", r#"[{"o":6}]"#), ["6"]);
        assert_eq!(hits("[].o", r#"[{"o":6}]"#), ["6"]);
    }

    #[test]
    fn digits_are_a_key_in_an_object() {
        assert_eq!(hits("a.0", r#"{"a":{"0":1}}"#), ["1"]);
    }

    #[test]
    fn the_longest_key_with_dots_that_leads_somewhere_is_taken() {
        let record = r#"{"a":{"b":{"c":1}},"a.b":{"c":2},"x.y":{"z":3},"x":{"y":{"w":4}}}"#;
        assert_eq!(hits("a.b.c", record), ["2"]);
        assert_eq!(hits("x.y.z", record), ["3"]);
        assert_eq!(hits("x.y.w", record), ["4"]);
        assert_eq!(hits("a..b", r#"{"a..b":5}"#), ["5"]);
    }

    #[test]
    fn the_last_of_duplicate_keys_counts_and_escaped_keys_are_read() {
        assert_eq!(hits("a", r#"{"a":1,"a":2}"#), ["2"]);
        assert_eq!(hits("é.x", r#"{"\u00e9":{"\u0078":1}}"#), ["1"]);
    }

    #[test]
    fn paths_are_bounded() {
        assert!(Path::parse("", "field").is_err());
        assert!(Path::parse(&"a".repeat(2000), "field").is_err());
        assert!(Path::parse(&"a.".repeat(40), "field").is_err());
        assert!(Path::parse("a[b", "field").is_ok());
        let deep = format!("{}{{\"a\":1}}{}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(hits("a", &deep), [""; 0]);
    }
}
