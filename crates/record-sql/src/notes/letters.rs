//! The order of texts: the one of their column, or that of the letters of an expression where
//! another one is meant.

use rusqlite::types::Value;

use crate::letter_order::{MAX_TEXTS, Misordered, TextKind, misordered, misordered_as};
use crate::notes::facts::Facts;
use crate::notes::values::Subject;
use crate::notes::written::written;
use crate::records::profile::Type;
use crate::sql::quoting;

/// The words of a statement that orders or compares.
const ORDERING: [&str; 7] = ["order", "having", "between", "<", "<=", ">", ">="];
/// The functions that give a value of their argument.
const RESULTS: [&str; 10] = [
    "min",
    "max",
    "lag",
    "lead",
    "first_value",
    "last_value",
    "nth_value",
    "coalesce",
    "ifnull",
    "iif",
];

/// The values of a subject whose order is not that of their letters.
struct Order<'r, 's> {
    facts: &'r Facts<'r>,
    of: &'s Subject<'s>,
    texts: Vec<String>,
    found: Misordered,
}

/// Returns the note on the order of values, with `more` other texts, if it is not that of
/// their letters or should not be.
pub(crate) fn of_letters(facts: &Facts<'_>, of: &Subject<'_>, more: &[&str]) -> Option<String> {
    Order::new(facts, of, more).map(|order| order.note())
}

/// Returns the same note on values that are shown in their order, all of them: of names with
/// numbers, this order is no other answer.
pub(crate) fn of_shown_letters(facts: &Facts<'_>, of: &Subject<'_>) -> Option<String> {
    let order = Order::new(facts, of, &[])?;
    (order.found.kind != TextKind::Natural).then(|| order.note())
}

/// Returns true for texts that are versions, such as `1.9` and `1.10`.
pub(crate) fn are_versions(facts: &Facts<'_>, of: &Subject<'_>) -> bool {
    Order::new(facts, of, &[]).is_some_and(|order| order.found.kind == TextKind::Versions)
}

impl<'r, 's> Order<'r, 's> {
    fn new(facts: &'r Facts<'r>, of: &'s Subject<'s>, more: &[&str]) -> Option<Self> {
        let is_text = match of.column {
            Some(Type::Text) => true,
            Some(Type::Integer | Type::Real) => false,
            Some(Type::Mixed) | None => {
                of.has("it IS NOT NULL AND typeof(it) <> 'text'") == Some(false)
            }
        };
        is_text.then_some(())?;
        let rows = format!("WHERE it IS NOT NULL LIMIT {MAX_TEXTS}");
        let rows = of.rows("DISTINCT it", &rows)?;
        let text = |row: Vec<Value>| match row.into_iter().next() {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        };
        let mut texts: Vec<String> = rows.into_iter().filter_map(text).collect();
        texts.extend(more.iter().map(|text| (*text).to_owned()));
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = match of.order {
            Some(kind) => misordered_as(kind, &all)?,
            None => misordered(&all)?,
        };
        // A number next to texts of one unit is no other unit.
        let own = || misordered(&all[..all.len() - more.len()]);
        if found.kind == TextKind::Units
            && own().is_none_or(|own| own.kind != TextKind::Units)
            && more.iter().all(|text| text.parse::<f64>().is_ok())
        {
            return None;
        }
        Some(Self { facts, of, texts, found })
    }

    fn note(&self) -> String {
        let (name, kind) = (&self.of.name, self.found.kind.name());
        if self.is_in_letters() {
            let [first, second] = [&self.found.first, &self.found.second].map(|t| quoting::text(t));
            let way = self.way();
            return format!(
                "{name} is text of {kind}, compared letter by letter ({first} < {second}): {way}"
            );
        }
        let is_other = |text: &&String| !self.found.kind.reads(text);
        let others = self.texts.iter().find(is_other);
        let others = others.map_or_else(String::new, |text| {
            format!("; others, such as {}, come first", quoting::text(text))
        });
        format!("{name} is in the order of {kind}{others}{}{}", self.doubt(), self.of_results())
    }

    /// Returns the clause on results of functions, which do not have the collation of their
    /// column, if the statement orders or compares anything next to such a result.
    fn of_results(&self) -> String {
        let statement = self.facts.statement();
        let call = statement.calls_of(&RESULTS).next().filter(|_| statement.has_any(&ORDERING));

        let (Some(at), Some(collation)) = (call, self.found.kind.collation()) else {
            return String::new();
        };
        let function = statement.word(at).to_lowercase();

        format!(
            "; a result such as {function}({}) is ordered and compared by its letters: add \
             COLLATE {collation} to it",
            self.of.name
        )
    }

    /// Returns true if SQLite compares the two texts by their letters: an expression does not have
    /// the collation of its columns.
    fn is_in_letters(&self) -> bool {
        let literal = |text: &String| format!("'{}'", text.replace('\'', "''"));
        let [first, second] = [&self.found.first, &self.found.second].map(literal);
        let compared =
            format!("(it = {first} AND it < {second}) OR (it = {second} AND it > {first})");

        let is_less = || self.found.kind.compare(&self.found.first, &self.found.second).is_gt();
        self.found.kind.collation().is_none() || (is_less() && self.of.has(&compared) == Some(true))
    }

    /// Returns the way to order the texts.
    fn way(&self) -> String {
        match self.found.kind.collation() {
            Some(collation) => format!(
                "{} COLLATE {collation} is in the order of {}{}",
                self.of.name,
                self.found.kind.name(),
                self.doubt()
            ),
            None => "bring them to one first".to_owned(),
        }
    }

    /// Returns the clause on another reading of the texts, or nothing.
    fn doubt(&self) -> String {
        let of_other =
            |text: &String| !self.found.kind.reads(text) || TextKind::DayFirst.reads(text);
        match self.found.kind {
            TextKind::MonthFirst if self.texts.iter().all(of_other) => {
                format!(", the month first; if the day is: {} COLLATE day_first", self.of.name)
            }
            TextKind::Versions if self.texts.iter().all(|text| text.parse::<f64>().is_ok()) => {
                format!("; if they are decimals: CAST({} AS REAL)", self.of.name)
            }
            TextKind::Written(_) => {
                written(self.of).map_or_else(String::new, |written| written.doubt)
            }
            _ => String::new(),
        }
    }
}
