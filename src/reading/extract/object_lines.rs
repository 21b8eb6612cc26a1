//! The lines of a text that are JSON objects, where other lines are damaged: cut, or with a value
//! that JSON does not have, such as `NaN`.

/// The most numbers of lines in a note.
const MAX_SHOWN: usize = 5;

/// The fewest objects that make a text without the name of a `.jsonl` lines of objects.
const MIN_OBJECTS: usize = 3;

/// The lines of a text, but for blank ones.
#[derive(Debug, Default)]
pub(super) struct ObjectLines {
    /// The objects, one on each line.
    pub(super) objects: String,
    /// The number of objects.
    count: usize,
    /// The numbers of all other lines, from 1.
    others: Vec<usize>,
    /// The bytes of those.
    other_bytes: usize,
}

impl ObjectLines {
    pub(super) fn of(content: &str) -> Self {
        let mut lines = Self::default();
        let content = content.trim_start_matches('\u{feff}');
        for (at, line) in content.lines().map(str::trim).enumerate() {
            if line.starts_with('{') && raw_json::value(line).is_some() {
                lines.objects.push_str(line);
                lines.objects.push('\n');
                lines.count += 1;
            } else if !line.is_empty() {
                lines.others.push(at + 1);
                lines.other_bytes += line.len();
            }
        }
        lines
    }

    /// Returns true if no line is damaged, and there are objects.
    pub(super) fn are_whole(&self) -> bool {
        self.others.is_empty() && self.count > 0
    }

    /// Returns true if most of the text are objects.
    pub(super) fn are_most(&self, path: &str) -> bool {
        let least = if path.ends_with(".jsonl") { 1 } else { MIN_OBJECTS };
        self.count >= least && self.objects.len() > self.other_bytes
    }

    /// Returns a note on the damaged lines.
    pub(super) fn note(&self) -> Option<String> {
        let [first, more @ ..] = self.others.as_slice() else { return None };
        if more.is_empty() {
            return Some(format!(
                "line {first} is damaged and left out: it is no whole JSON object"
            ));
        }
        let shown = self.others.iter().take(MAX_SHOWN).map(ToString::to_string);
        let rest = self.others.len().saturating_sub(MAX_SHOWN);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        Some(format!(
            "lines {}{rest} are damaged and left out: they are no whole JSON objects",
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
