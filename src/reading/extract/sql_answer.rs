//! The answer to an SQL statement: a table for a model, one row per line.

use raw_json::{each_element, is_string, quote, unescape};
use record_sql::{Outcome, cut};

use super::answer::Extracted;
use crate::reading::fit::longest;
use crate::reading::limit::{CountTokens, TruncatedBy};

/// The maximum characters of each cell, tried in this order if one row alone is too large.
const CELL_CHARACTERS: [usize; 4] = [1_000, 200, 40, 8];

/// Renders the rows of a page that begins at `offset`.
pub(super) fn of_sql(
    outcome: &Outcome,
    offset: u64,
    records: u64,
    room: u64,
    count: CountTokens<'_>,
) -> Extracted {
    let table = Table { outcome, offset };
    let fits = |rows: &[String]| count(&table.text(rows)) <= room;
    let (mut shown, _) = longest(
        outcome.rows.len(),
        16,
        |at| at,
        |shown| {
            if fits(&outcome.rows[..shown]) { Ok(()) } else { Err(TruncatedBy::MaxTokens) }
        },
    );
    let mut rows = outcome.rows[..shown].to_vec();
    if shown == 0
        && let Some(first) = outcome.rows.first()
    {
        let smaller = CELL_CHARACTERS.map(|most| vec![shortened(first, most)]);
        let [.., least] = &smaller;
        rows = smaller.iter().find(|rows| fits(rows)).unwrap_or(least).clone();
        shown = 1;
    }
    let next = table.next(shown);
    let more = next < outcome.total || !outcome.complete;
    Extracted {
        answer: table.text(&rows),
        count: outcome.complete.then_some(outcome.total),
        records_total: Some(records),
        truncated: more,
        next_offset: more.then_some(next),
        notes: outcome.notes.clone(),
        complete: outcome.complete,
        columns: Some(outcome.columns.clone()),
        rows: Some(rows),
        ..Extracted::default()
    }
}

struct Table<'a> {
    outcome: &'a Outcome,
    offset: u64,
}

impl Table<'_> {
    /// Returns the offset after the shown rows. Skips a row that is too large for any answer.
    fn next(&self, shown: usize) -> u64 {
        let too_large = shown == 0 && self.outcome.total > self.offset;
        self.offset + shown as u64 + u64::from(too_large)
    }

    /// Returns the header, the rows, their number, and the notes.
    fn text(&self, rows: &[String]) -> String {
        let columns = &self.outcome.columns;
        let names: Vec<String> = columns.iter().map(|name| plain(name)).collect();
        let mut text = names.join(" | ");
        for row in rows {
            let cells: Vec<String> = each_element(row).map(cell).collect();
            text.push('\n');
            text.push_str(&cells.join(" | "));
        }
        text.push('\n');
        text.push_str(&self.footer(rows.len()));
        for note in &self.outcome.notes {
            text.push_str(&format!("\nNote: {note}."));
        }
        text
    }

    fn footer(&self, shown: usize) -> String {
        let Outcome { total, complete, own_limit, .. } = *self.outcome;
        let least = if complete { "" } else { "at least " };
        let rows = format!("{least}{} row{}", thousands(total), if total == 1 { "" } else { "s" });
        let next = self.next(shown);
        if shown == 0 && next > self.offset {
            return format!("[the row is too large for an answer; offset={next} goes past it]");
        }
        if shown == 0 && self.offset > 0 && complete {
            return format!("[offset={} is past the last of {rows}]", self.offset);
        }
        let shown = shown as u64;
        if next < total || !complete {
            return format!("[{} of {rows} shown; offset={next} for more]", thousands(shown));
        }
        let last = if self.offset > 0 {
            format!("{} of {rows} shown, the last", thousands(shown))
        } else {
            rows
        };
        match own_limit {
            Some(_) => format!("[{last}, as many as the LIMIT of the statement]"),
            None => format!("[{last}]"),
        }
    }
}

/// Returns the value of a cell as a text in one line.
fn cell(value: &str) -> String {
    if is_string(value) { plain(&unescape(value).text) } else { value.to_owned() }
}

/// Returns a text unchanged, or as a JSON string if it could be mistaken for anything but one cell.
fn plain(text: &str) -> String {
    let edge = |c: char| c.is_whitespace() || c == '"';
    let other = text.contains('|')
        || text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
        || text.is_empty()
        || text.starts_with(edge)
        || text.ends_with(edge);
    // The footer and the notes begin like this.
    let posing =
        (text.starts_with('[') && raw_json::value(text).is_none()) || text.starts_with("Note:");
    let scalar = text == "null" || text.parse::<f64>().is_ok();
    if other || posing || scalar { quote(text) } else { text.to_owned() }
}

/// Returns a row with each text truncated to `most` characters.
fn shortened(row: &str, most: usize) -> String {
    let cells = each_element(row).map(|value| {
        if is_string(value) { quote(&cut(&unescape(value).text, most)) } else { value.to_owned() }
    });
    format!("[{}]", cells.collect::<Vec<_>>().join(","))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(rows: &[&str]) -> Outcome {
        Outcome {
            columns: vec!["a".to_owned()],
            rows: rows.iter().map(|&row| row.to_owned()).collect(),
            total: rows.len() as u64,
            complete: true,
            ..Outcome::default()
        }
    }

    fn answer(outcome: &Outcome, room: u64) -> Extracted {
        of_sql(outcome, 0, 9, room, &|text| text.len() as u64)
    }

    #[test]
    fn cells_are_plain_unless_they_could_be_read_otherwise() {
        let rows = [
            r#"["word"]"#,
            r#"["5"]"#,
            "[5]",
            r#"["null"]"#,
            "[null]",
            r#"["a | b"]"#,
            r#"["a\nb"]"#,
            r#"["[1,2]"]"#,
            r#"["[2 rows]"]"#,
            r#"["Note: x"]"#,
            r#"[""]"#,
            r#"[" x"]"#,
        ];
        let expected = "a\nword\n\"5\"\n5\n\"null\"\nnull\n\"a | b\"\n\"a\\nb\"\n[1,2]\n\
                        \"[2 rows]\"\n\"Note: x\"\n\"\"\n\" x\"\n[12 rows]";
        assert_eq!(answer(&outcome(&rows), 1_000).answer, expected);
    }

    #[test]
    fn a_cut_says_so_and_how_to_go_on() {
        let rows = vec!["[1234567]"; 1_500];
        let cut = answer(&outcome(&rows), 120);
        assert!(
            cut.answer.ends_with("[9 of 1,500 rows shown; offset=9 for more]"),
            "{}",
            cut.answer
        );
        assert_eq!((cut.truncated, cut.next_offset), (true, Some(9)));
        let long = format!("[\"{}\"]", "x".repeat(5_000));
        let cut = answer(&outcome(&[&long, "[1]"]), 300);
        assert!(cut.answer.contains("xx… [4800 more characters]\n[1 of 2 rows shown; offset=1"));
    }

    #[test]
    fn the_rest_of_the_footers() {
        let footer = |outcome: &Outcome, offset| {
            let answer = of_sql(outcome, offset, 9, 1_000, &|text| text.len() as u64).answer;
            answer.lines().last().unwrap_or_default().to_owned()
        };
        assert_eq!(footer(&outcome(&[]), 0), "[0 rows]");
        assert_eq!(footer(&outcome(&["[1]"]), 0), "[1 row]");
        let past = Outcome { total: 3, ..outcome(&[]) };
        assert_eq!(footer(&past, 5), "[offset=5 is past the last of 3 rows]");
        let limited = Outcome { own_limit: Some(1), ..outcome(&["[1]"]) };
        assert_eq!(footer(&limited, 0), "[1 row, as many as the LIMIT of the statement]");
        let limited = Outcome { own_limit: Some(3), total: 3, ..outcome(&["[1]"]) };
        let last = "[1 of 3 rows shown, the last, as many as the LIMIT of the statement]";
        assert_eq!(footer(&limited, 2), last);
        let open = Outcome { complete: false, total: 7, ..outcome(&["[1]"]) };
        assert_eq!(footer(&open, 0), "[1 of at least 7 rows shown; offset=1 for more]");
    }
}
