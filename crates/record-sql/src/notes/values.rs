//! The values of an expression as a clause of a note.

use std::ops::Range;

use raw_json::nearest;
use rusqlite::types::Value;

use crate::letter_order::TextKind;
use crate::notes::facts::{Db, Facts, Read, literal, plain};
use crate::records::profile::Type;
use crate::sql::comparison::Literal;
use crate::sql::quoting;

/// The most values that are listed, and that are compared with a literal.
const MAX_LISTED: usize = 6;
const MAX_COMPARED: usize = 5_000;

/// An expression with the rows that it is read from.
#[derive(Clone, Debug)]
pub(crate) struct Subject<'r> {
    pub(crate) db: Db<'r>,

    /// The expression.
    pub(crate) sql: String,
    /// The expression as a note names it.
    pub(crate) name: String,
    /// The WITH clause, or nothing.
    pub(crate) with: String,
    /// The FROM clause.
    pub(crate) from: String,
    /// The type of a column; None for an expression.
    pub(crate) column: Option<Type>,
    /// The order of a column.
    pub(crate) order: Option<TextKind>,
}

impl<'r> Subject<'r> {
    /// Returns a column with its table.
    pub(crate) fn of(read: Read<'r>) -> Self {
        Self {
            db: read.db,
            sql: quoting::name(&read.column.name),
            name: quoting::spelled(&read.column.name),
            with: String::new(),
            from: format!("FROM {}", quoting::name(&read.table.name)),
            column: Some(read.profile.kind()),
            order: read.column.order,
        }
    }

    /// Returns an expression over one row of the statement, or the column that it is. None if it
    /// has no columns, or is of several rows.
    pub(crate) fn at(facts: &Facts<'r>, places: Range<usize>) -> Option<Self> {
        let statement = facts.statement();
        let (place, name) = (places.start, statement.text(places.clone()).to_owned());
        let kept = facts.kept_from(place)?;
        if let Some(read) = facts.column_at(places.clone()) {
            let of = Self::of(read);

            // A column of an inner SELECT may be an expression of this name.
            let is_own = !kept.to_lowercase().contains("select") && statement.with().is_empty();
            if is_own && facts.from(place).as_ref() == Some(&kept) {
                return Some(of);
            }
            return Some(Self { sql: name, with: statement.with(), from: kept, ..of });
        }
        if !statement.has_columns(places.clone()) || !statement.is_scalar(places) {
            return None;
        }
        Some(Self::over(facts, name, kept))
    }

    /// Returns an expression over the rows of a FROM clause.
    pub(crate) fn over(facts: &Facts<'r>, name: String, from: String) -> Self {
        let (sql, with) = (format!("({name})"), facts.statement().with());
        Self { db: facts.db, sql, name, with, from, column: None, order: None }
    }

    /// Returns the subject if its rows have it. Its names may be those of results instead.
    pub(crate) fn resolved(self, facts: &Facts<'r>, bytes: &Range<usize>) -> Option<Self> {
        let is_known = |of: &Self| facts.db.prepares(&of.query("it", ""));
        if is_known(&self) {
            return Some(self);
        }
        let statement = facts.statement();
        let sql = format!("({})", statement.with_results(statement.places(bytes)?)?);
        Some(Self { sql, ..self }).filter(is_known)
    }

    /// Returns a query over the rows; `it` is the expression.
    pub(crate) fn query(&self, select: &str, rest: &str) -> String {
        let Self { sql, with, from, .. } = self;
        format!("{with}SELECT {select} FROM (SELECT {sql} AS it {from}) {rest}")
    }

    /// Returns the rows of a query; None if it fails.
    pub(crate) fn rows(&self, select: &str, rest: &str) -> Option<Vec<Vec<Value>>> {
        self.db.rows(&self.query(select, rest))
    }

    /// Returns the first row of a query; None if it fails.
    pub(crate) fn row(&self, select: &str, rest: &str) -> Option<Vec<Value>> {
        self.db.row(&self.query(select, rest))
    }

    /// Returns whole numbers over all rows; null is 0.
    pub(crate) fn counts<const N: usize>(&self, select: &str) -> Option<[i64; N]> {
        self.db.counts(&self.query(select, ""))
    }

    /// Returns true if a row meets a condition; None if it fails.
    pub(crate) fn has(&self, condition: &str) -> Option<bool> {
        let found = self.query("1", &format!("WHERE {condition} LIMIT 1"));
        self.db.is_empty(&found).map(|is_empty| !is_empty)
    }

    /// Returns a value as SQL spells it.
    pub(crate) fn example(&self) -> Option<String> {
        Some(literal(self.row("it", "WHERE it IS NOT NULL LIMIT 1")?.first()?))
    }

    /// Returns the values as a clause: all of a few, or the nearest ones.
    pub(crate) fn values(&self, wanted: &Literal) -> Option<String> {
        let name = &self.name;
        let few = format!("WHERE it IS NOT NULL LIMIT {}", MAX_LISTED + 1);
        let few = self.rows("DISTINCT it", &few)?.len() <= MAX_LISTED;
        if !few && let Some(near) = self.containing(wanted) {
            return Some(format!("nearest in {name}: {near}"));
        }
        let rows = self.rows(
            "it, count(*)",
            &format!("WHERE it IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MAX_COMPARED}"),
        )?;

        let all: Vec<(Value, String)> = rows
            .into_iter()
            .filter_map(|row| {
                let [value, count] = row.try_into().ok()?;
                let entry = format!("{} ({})", literal(&value), plain(&count));
                Some((value, entry))
            })
            .collect();
        if all.is_empty() {
            return Some(format!("{name} is null in every record"));
        }
        if all.len() > 2
            && all.iter().all(|(value, _)| !matches!(value, Value::Text(_) | Value::Blob(_)))
        {
            return self.range();
        }
        let join = |entries: Vec<&str>| entries.join(", ");
        if all.len() <= MAX_LISTED {
            let all = all.iter().map(|(_, entry)| entry.as_str()).collect();
            return Some(format!("{name} has {}", join(all)));
        }
        let texts: Vec<String> = all.iter().map(|(value, _)| plain(value)).collect();
        let wanted = wanted.value.trim_matches(['%', '*']);
        let near = nearest(wanted, texts.iter().map(String::as_str), 3);
        let entry = |near: &&str| {
            let at = texts.iter().position(|text| text == near)?;
            Some(all[at].1.as_str())
        };
        let near: Vec<&str> = near.iter().filter_map(entry).collect();
        if near.is_empty() && all[0].1.ends_with(" (1)") {
            return Some(format!("{name} has values such as {}", literal(&all[0].0)));
        }
        if near.is_empty() {
            let most = all.iter().take(3).map(|(_, entry)| entry.as_str()).collect();
            return Some(format!("most frequent in {name}: {}", join(most)));
        }
        Some(format!("nearest in {name}: {}", join(near)))
    }

    /// Returns the values that contain a text of three bytes and more, in any case.
    fn containing(&self, wanted: &Literal) -> Option<String> {
        let text = wanted.value.trim_matches(['%', '*', ' ']);
        if !wanted.is_text() || text.len() < 3 {
            return None;
        }
        let text = text.replace('\'', "''");
        let nearest = format!(
            "WHERE instr(lower(it), lower('{text}')) GROUP BY 1 ORDER BY length(it), 2 DESC \
             LIMIT 3"
        );
        let rows = self.rows("it, count(*)", &nearest)?;

        let entry = |row: &Vec<Value>| format!("{} ({})", literal(&row[0]), plain(&row[1]));
        let near: Vec<String> = rows.iter().map(entry).collect();
        (!near.is_empty()).then(|| near.join(", "))
    }

    /// Returns the values in order, as SQL spells them, if they are a few texts.
    pub(crate) fn few(&self) -> Option<Vec<String>> {
        let limit = MAX_LISTED + 1;
        let rows = format!("WHERE it IS NOT NULL LIMIT {limit}");
        let mut all = self.rows("DISTINCT it", &rows)?;

        all.sort_by_key(|row| plain(&row[0]));
        let is_text = all.iter().all(|row| matches!(row[0], Value::Text(_)));
        let words = all.iter().map(|row| literal(&row[0])).collect();
        (is_text && all.len() > 1 && all.len() <= MAX_LISTED).then_some(words)
    }

    /// Returns the smallest and the largest value as a clause.
    pub(crate) fn range(&self) -> Option<String> {
        let ends = self.row("min(it), max(it)", "")?;
        let [low, high] = ends.as_slice() else { return None };
        Some(format!("{} goes from {} to {}", self.name, literal(low), literal(high)))
    }
}
