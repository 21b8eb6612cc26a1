//! The JSON objects among the lines of a text, or the elements of an array, if others are damaged:
//! truncated, or with a value that JSON does not have, such as `NaN`.

use raw_json::Cursor;

/// Maximum number of line numbers in a note.
const MAX_SHOWN: usize = 5;

/// Minimum number of objects in a text that is not named `.jsonl`.
const MIN_OBJECTS: usize = 3;

/// The non-blank lines of a text, or the elements of an array.
#[derive(Debug)]
pub(super) struct ObjectLines {
    /// The objects, one per line.
    pub(super) objects: String,
    /// The number of objects.
    count: usize,
    /// `line` or `element`.
    part: &'static str,
    /// The numbers of all other lines or elements, from 1.
    others: Vec<usize>,
    /// The size of the others, in bytes.
    other_bytes: usize,
}

impl ObjectLines {
    pub(super) fn of(content: &str) -> Self {
        Self::of_parts("line", content.trim_start_matches('\u{feff}').lines())
    }

    /// Reads the elements of the array at the start of a text, up to an element without an end.
    pub(super) fn of_array(content: &str) -> Self {
        let text = content.trim_start_matches('\u{feff}').trim();
        let mut cursor = Cursor::new(text.as_bytes(), 0);
        let mut goes_on = cursor.take(b'[');
        let elements = std::iter::from_fn(|| {
            cursor.skip_space();
            let start = cursor.at();
            if !goes_on || matches!(cursor.peek(), Some(b']') | None) {
                return None;
            }
            let element = cursor.value().unwrap_or(start..text.len());
            cursor.skip_space();
            goes_on = cursor.take(b',');
            text.get(element)
        });
        Self::of_parts("element", elements)
    }

    fn of_parts<'t>(part: &'static str, parts: impl Iterator<Item = &'t str>) -> Self {
        let mut lines =
            Self { objects: String::new(), count: 0, part, others: Vec::new(), other_bytes: 0 };
        for (at, one) in parts.map(str::trim).enumerate() {
            if one.starts_with('{') && raw_json::value(one).is_some() {
                // A line break here is white space: strings in JSON contain none.
                lines.objects.extend(one.split(['\n', '\r']));
                lines.objects.push('\n');
                lines.count += 1;
            } else if !one.is_empty() {
                lines.others.push(at + 1);
                lines.other_bytes += one.len();
            }
        }
        lines
    }

    /// Returns true if there are objects and no line is damaged.
    pub(super) fn are_whole(&self) -> bool {
        self.others.is_empty() && self.count > 0
    }

    /// Returns true if objects are more than half of the text, in bytes.
    pub(super) fn are_most(&self, path: &str) -> bool {
        let least = if path.ends_with(".jsonl") { 1 } else { MIN_OBJECTS };
        self.count >= least && self.objects.len() > self.other_bytes
    }

    /// Returns a note on the damaged lines.
    pub(super) fn note(&self) -> Option<String> {
        let [first, more @ ..] = self.others.as_slice() else { return None };
        if more.is_empty() {
            return Some(format!(
                "{} {first} is damaged and left out: it is not a complete JSON object",
                self.part
            ));
        }
        let shown = self.others.iter().take(MAX_SHOWN).map(ToString::to_string);
        let rest = self.others.len().saturating_sub(MAX_SHOWN);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        Some(format!(
            "{}s {}{rest} are damaged and left out: they are not complete JSON objects",
            self.part,
            shown.collect::<Vec<_>>().join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &str) -> (usize, bool, String) {
        let lines = ObjectLines::of(content);
        (lines.count, lines.are_most("x.json"), lines.note().unwrap_or_default())
    }

    #[test]
    fn damaged_lines_are_told_by_their_numbers() {
        let good = "{\"n\":1}\n".repeat(8);
        assert_eq!(of(&good), (8, true, String::new()));
        let (count, are_most, note) = of(&format!("\u{feff}{good}\n{{\"n\":NaN}}\r\n{good}"));
        assert!(count == 16 && are_most && note.starts_with("line 10 is damaged"), "{note}");
        let (count, are_most, note) = of(&format!("{good}{}", "{\"n\":\n".repeat(7)));
        assert!(count == 8 && are_most && note.contains("9, 10, 11, 12, 13 and 2 more"), "{note}");
    }

    #[test]
    fn damaged_elements_are_told_by_their_numbers() {
        let of = |content: &str| {
            let found = ObjectLines::of_array(content);
            (found.objects.clone(), found.are_most("x.json"), found.note().unwrap_or_default())
        };
        let good = "{\"n\": 1,\n\"s\": \"]\"},\n".repeat(3);
        let lines = "{\"n\": 1,\"s\": \"]\"}\n".repeat(3);
        for (rest, told) in [
            ("{\"n\": NaN}]", "element 4 is damaged"),
            ("{\"n\": [\"a", "element 4 is damaged"),
            ("{\"n\": 1} {\"n\": 2}, {\"n\"", ""),
            ("", ""),
        ] {
            let (objects, are_most, note) = of(&format!(" [{good}{rest}"));
            assert!(objects.starts_with(&lines) && are_most, "{rest}: {objects}");
            assert!(note.starts_with(told), "{rest}: {note}");
        }
        assert!(!of("[1, 2, 3]").1 && !of("{\"n\": 1}").1 && !of("[{\"n\": 1}, {\"n").1);
    }

    #[test]
    fn a_text_with_a_few_objects_has_no_lines_of_them() {
        for text in
            ["", "words", "{\"n\":1}\n{\"n\":2}\n{", "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]"]
        {
            assert!(!of(text).1, "{text}");
        }
        let words = format!("{}{}", "{\"n\":1}\n".repeat(3), "many words\n".repeat(9));
        assert!(!of(&words).1);
    }
}
