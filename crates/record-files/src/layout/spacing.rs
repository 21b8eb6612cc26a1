//! Spacing: the white space around and inside records. A writer of JSON spaces all
//! records alike, so a few strings describe a text of any length.

use raw_json::{Tokens, offset_in};
use serde::{Deserialize, Serialize};

use super::bounded_text::BoundedText;
use super::shape::Shape;

/// The white space that is removed when records become lines.
///
/// `[\n  {"a": 1},\n  {"a": 2}\n]` has `open` `\n  `, `between` `,\n  `, `close` `\n`, and
/// records with `": "`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spacing {
    /// From the opening bracket to the first record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) open: String,
    /// From one record to the next, the comma included.
    pub(super) between: String,
    /// From the last record to the closing bracket.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) close: String,
    /// Inside each record.
    #[serde(default, skip_serializing_if = "RecordStyle::is_compact")]
    pub(super) record: RecordStyle,
}

impl Spacing {
    /// Returns the spacing of a text without optional white space.
    pub(super) fn compact(shape: Shape) -> Spacing {
        let (open, close) = (String::new(), String::new());
        Spacing {
            open,
            between: shape.separator().to_owned(),
            close,
            record: RecordStyle::default(),
        }
    }

    /// Derives the spacing from the first records of `inner`, the text between the brackets. Only
    /// rebuilding shows whether the other records have the same spacing.
    pub(super) fn detect(shape: Shape, inner: &str, records: &[&str]) -> Spacing {
        let compact = Spacing::compact(shape);
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return Spacing { open: inner.to_owned(), ..compact };
        };
        let end = |record: &str| offset_in(inner, record) + record.len();
        let between = match records.get(1) {
            Some(second) => inner[end(first)..offset_in(inner, second)].to_owned(),
            None => compact.between,
        };
        Spacing {
            open: inner[..offset_in(inner, first)].to_owned(),
            between,
            close: inner[end(last)..].to_owned(),
            record: RecordStyle::detect(records),
        }
    }
}

/// The white space that a writer puts between the tokens of a record. The default is compact
/// JSON; Python's `json.dumps` has a space after colons and commas; pretty-printers break
/// lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RecordStyle {
    /// The colon with its white space.
    #[serde(skip_serializing_if = "is_plain_colon")]
    colon: String,
    /// The white space after a comma, if `line` is empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    comma: String,
    /// Before the closing bracket of a record: a line end with its indentation, or
    /// a space.
    #[serde(skip_serializing_if = "String::is_empty")]
    line: String,
    /// Added to `line` for each level inside the record.
    #[serde(skip_serializing_if = "String::is_empty")]
    indent: String,
}

fn is_plain_colon(colon: &str) -> bool {
    colon == ":"
}

impl Default for RecordStyle {
    fn default() -> RecordStyle {
        let [comma, line, indent] = [const { String::new() }; 3];
        RecordStyle { colon: ":".to_owned(), comma, line, indent }
    }
}

impl RecordStyle {
    fn is_compact(&self) -> bool {
        *self == RecordStyle::default()
    }

    /// Takes the first gap of each kind; keeps the default for a kind without a gap.
    fn detect(records: &[&str]) -> RecordStyle {
        let (mut colon, mut comma, mut line, mut first) = (None, None, None, None);
        for record in records {
            let (mut depth, mut previous, mut before_colon) = (0, "", "");
            for (gap, token) in Tokens::new(record) {
                if token == ":" {
                    before_colon = gap;
                } else if previous == ":" {
                    colon.get_or_insert_with(|| format!("{before_colon}:{gap}"));
                } else if previous == "," {
                    comma.get_or_insert(gap);
                } else if depth == 1 && is_open(previous) != is_close(token) {
                    let seen = if is_close(token) { &mut line } else { &mut first };
                    seen.get_or_insert(gap);
                }
                depth += usize::from(is_open(token));
                depth = depth.saturating_sub(usize::from(is_close(token)));
                previous = token;
            }
            if colon.is_some() && comma.is_some() && line.is_some() {
                break;
            }
        }
        let line = line.unwrap_or_default();
        RecordStyle {
            colon: colon.unwrap_or_else(|| ":".to_owned()),
            comma: comma.filter(|_| line.is_empty()).unwrap_or_default().to_owned(),
            line: line.to_owned(),
            indent: first.and_then(|first| first.strip_prefix(line)).unwrap_or_default().to_owned(),
        }
    }

    /// Appends a compact record in this style.
    pub(super) fn write(&self, record: &str, out: &mut BoundedText) {
        if self.is_compact() {
            return out.push(record);
        }
        let (mut depth, mut previous) = (0, "");
        for (_, token) in Tokens::new(record) {
            let closes = is_close(token);
            let empty = closes && is_open(previous);
            if closes {
                depth = usize::saturating_sub(depth, 1);
            }
            if previous == "," && self.line.is_empty() {
                out.push(&self.comma);
            } else if !empty && (closes || previous == "," || is_open(previous)) {
                self.break_line(depth, out);
            }
            out.push(if token == ":" { &self.colon } else { token });
            depth += usize::from(is_open(token));
            previous = token;
        }
    }

    fn break_line(&self, depth: usize, out: &mut BoundedText) {
        out.push(&self.line);
        for _ in 0..depth {
            // Forged records can be deep; the limit stops the loop.
            if self.indent.is_empty() || out.is_over() {
                break;
            }
            out.push(&self.indent);
        }
    }
}

fn is_open(token: &str) -> bool {
    matches!(token, "[" | "{")
}

fn is_close(token: &str) -> bool {
    matches!(token, "]" | "}")
}
