//! Texts of a column in the order of their letters where another order is meant.

use rusqlite::types::Value;

use crate::letter_order::{MAX_TEXTS, Misordered, Spelled, TextKind, misordered};
use crate::notes::facts::Facts;
use crate::notes::values::Subject;
use crate::notes::written::written;
use crate::records::profile::Type;
use crate::sql::quoting;

/// Returns the way to order the texts of a subject.
fn way(facts: &Facts<'_>, of: &Subject, found: &Misordered) -> String {
    if let TextKind::Written(_) = found.kind
        && let Some(written) = written(facts, of)
    {
        return format!("{} orders numbers{}", written.number(&of.name), written.doubt);
    }
    let is_grouped = [&found.first, &found.second].iter().any(|text| text.contains(','));
    let way = match found.kind {
        TextKind::Numbers => "CAST({} AS REAL) orders numbers",
        TextKind::MonthFirst => {
            "substr({}, 7, 4) || substr({}, 1, 5) orders months and days of two digits"
        }
        TextKind::DayFirst => {
            "substr({}, 7, 4) || substr({}, 4, 2) || substr({}, 1, 2) orders days and months of \
             two digits"
        }
        TextKind::Versions => "sort_by and where compare them part by part",
        TextKind::Zones => "datetime({}) is in UTC",
        TextKind::MonthNames => "sort_by and where read them as dates",
        TextKind::Written(_) | TextKind::Beginning if is_grouped => {
            "CAST(replace({}, ',', '') AS REAL) is a number at the start, without its unit"
        }
        TextKind::Written(_) | TextKind::Beginning => {
            "CAST({} AS REAL) is a number at the start, without its unit"
        }
        TextKind::Units => "bring them to one unit first",
        TextKind::Natural => {
            let [first, second] = [&found.first, &found.second].map(|text| beginning(text));
            let number =
                format!("CAST(substr({{}}, {}) AS REAL) is the number", 1 + first.chars().count());
            let way = if first == second { &number } else { "order them by the numbers in them" };
            return way.replace("{}", &of.name);
        }
    };
    way.replace("{}", &of.name)
}

/// Returns the letters before the first digit.
fn beginning(text: &str) -> &str {
    text.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default()
}

/// Returns the note on values whose texts, with `more` texts beside them, stand in another order as
/// text than as what they are.
pub(crate) fn of_letters(facts: &Facts<'_>, of: &Subject, more: &[&str]) -> Option<String> {
    Some(told(facts, of, &misordered_in(facts, of, more)?))
}

/// Returns the same note on values that are shown in their order, all of them: of names with
/// numbers, this order is no other answer.
pub(crate) fn of_shown_letters(facts: &Facts<'_>, of: &Subject) -> Option<String> {
    let found = misordered_in(facts, of, &[])?;
    (found.kind != TextKind::Natural).then(|| told(facts, of, &found))
}

fn told(facts: &Facts<'_>, of: &Subject, found: &Misordered) -> String {
    format!(
        "{} is text of {}, compared letter by letter ({} < {}): {}",
        of.name,
        found.kind.name(),
        quoting::text(&found.first),
        quoting::text(&found.second),
        way(facts, of, found)
    )
}

/// Returns true for texts that are versions, such as `1.9` and `1.10`.
pub(crate) fn are_versions(facts: &Facts<'_>, of: &Subject) -> bool {
    misordered_in(facts, of, &[]).is_some_and(|found| found.kind == TextKind::Versions)
}

fn misordered_in(facts: &Facts<'_>, of: &Subject, more: &[&str]) -> Option<Misordered> {
    let is_text = match of.column {
        Some(Type::Text) => true,
        Some(Type::Integer | Type::Real) => false,
        Some(Type::Mixed) | None => {
            let other = "WHERE {} IS NOT NULL AND typeof({}) <> 'text' LIMIT 1";
            facts.is_empty(&of.query("1", other)) == Some(true)
        }
    };
    is_text.then_some(())?;
    let of_texts = format!("WHERE {{}} <> '' LIMIT {MAX_TEXTS}");
    let mut rows = facts.rows(&of.query("DISTINCT {}, julianday({})", &of_texts))?;
    for text in more {
        let text = quoting::text(text);
        rows.extend(facts.row(&format!("SELECT {text}, julianday({text})")));
    }
    misordered(rows.into_iter().filter_map(spelled_of).collect())
}

fn spelled_of(row: Vec<Value>) -> Option<Spelled> {
    let [text, day] = row.try_into().ok()?;
    let Value::Text(text) = text else { return None };
    let day = if let Value::Real(day) = day { Some(day) } else { None };
    Some(Spelled { text, day })
}
