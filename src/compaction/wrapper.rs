//! The wrapper: what a host puts around a part of a stored file when it shows the part to the
//! model, such as tags, a header, or a number before each line.

use serde::{Deserialize, Serialize};

/// The text around a part of a file, and the numbers of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wrapper {
    /// The text before the part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head: String,
    /// The text after the part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// The numbers before the lines of the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<LineNumbers>,
}

/// Consecutive numbers before the lines of a text, such as `     1\t` or `00001| `.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LineNumbers {
    /// The number of the first line.
    pub first: u64,
    /// The characters that a shorter number is padded to, on its left.
    pub width: usize,
    /// True if zeros pad it; false for spaces.
    pub zeros: bool,
    /// The text between a number and its line.
    pub separator: String,
}

impl Wrapper {
    /// Returns true if the host shows `part` as `text`.
    pub(crate) fn gives(&self, part: &str, text: &str) -> bool {
        if self.numbers.is_some() {
            return self.around(part, text.len() as u64).as_deref() == Some(text);
        }
        let within = text.strip_prefix(&*self.head).and_then(|rest| rest.strip_suffix(&*self.tail));
        within == Some(part)
    }

    /// Returns the part as the host shows it, or `None` if that exceeds `limit` bytes.
    pub(crate) fn around(&self, part: &str, limit: u64) -> Option<String> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut out = self.head.clone();
        match &self.numbers {
            None => out.push_str(part),
            Some(numbers) => numbers.write(part, limit, &mut out)?,
        }
        out.push_str(&self.tail);
        (out.len() <= limit).then_some(out)
    }
}

impl LineNumbers {
    /// Appends the lines with their numbers. Returns `None` if `out` would exceed `limit` bytes.
    fn write(&self, lines: &str, limit: usize, out: &mut String) -> Option<()> {
        for (place, line) in lines.split('\n').enumerate() {
            if place > 0 {
                out.push('\n');
            }
            let number = self.first.checked_add(place as u64)?.to_string();
            let padding = self.width.saturating_sub(number.len());
            let rest = number.len() + self.separator.len() + line.len();
            let room = limit.checked_sub(out.len())?.checked_sub(rest)?;
            if padding > room {
                return None;
            }
            out.extend(std::iter::repeat_n(if self.zeros { '0' } else { ' ' }, padding));
            out.push_str(&number);
            out.push_str(&self.separator);
            out.push_str(line);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(first: u64, width: usize, zeros: bool, separator: &str) -> Wrapper {
        let separator = separator.to_owned();
        let numbers = Some(LineNumbers { first, width, zeros, separator });
        Wrapper { head: "<file>\n".to_owned(), tail: "\n</file>".to_owned(), numbers }
    }

    #[test]
    fn lines_get_their_numbers() {
        let around = |wrapper: Wrapper| wrapper.around("a\n\nb", 1_000).unwrap();
        assert_eq!(
            around(numbered(9, 6, false, "\t")),
            "<file>\n     9\ta\n    10\t\n    11\tb\n</file>"
        );
        assert_eq!(around(numbered(9, 3, true, "| ")), "<file>\n009| a\n010| \n011| b\n</file>");
        assert_eq!(around(numbered(9, 0, false, ": ")), "<file>\n9: a\n10: \n11: b\n</file>");
        assert_eq!(around(Wrapper::default()), "a\n\nb");
    }

    #[test]
    fn no_more_is_written_than_there_is_room_for() {
        let whole = numbered(1, 6, false, "\t");
        let length = whole.around("a\nb", 1_000).unwrap().len() as u64;
        assert!(whole.around("a\nb", length).is_some());
        assert_eq!(whole.around("a\nb", length - 1), None);
        assert_eq!(numbered(1, usize::MAX, true, "").around("a", 1_000), None);
        assert_eq!(numbered(u64::MAX, 0, true, "").around("a\nb", 1_000), None);
    }
}
