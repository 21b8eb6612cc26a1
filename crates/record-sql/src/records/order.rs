//! The orders of the columns that a statement orders or compares.

use std::collections::HashSet;

use raw_json::unescape;
use rusqlite::Connection;

use crate::error::SqlError;
use crate::letter_order::{Bound, order_of};
use crate::limits::Clock;
use crate::records::column::Column;
use crate::records::profile::{Profile, Type};
use crate::records::rows::{Filled, unkept};
use crate::records::source::Scanned;
use crate::records::table::Table;
use crate::records::values::Values;
use crate::sql::comparison::{Comparison, Literal, comparisons};
use crate::sql::condition::EQUALITY;
use crate::sql::statement::Statement;

/// The words of a statement that orders or compares values.
const WORDS: [&str; 8] = ["order", "min", "max", "between", "<", "<=", ">", ">="];

/// The columns that a statement orders or compares.
pub(crate) struct Ordered {
    /// Columns, each with a constant that it is compared with.
    compared: Vec<(String, Bound)>,
    /// Columns that are nothing but keys of joins: their order does not matter.
    keys: Vec<String>,
}

impl Ordered {
    /// Returns the columns of a statement; None for one without an order.
    pub(crate) fn by(db: &Connection, statement: &Statement) -> Option<Self> {
        let has_order = statement.has_any(&WORDS);

        has_order.then_some(())?;
        let of = |one: Comparison| {
            let column = one.column?.parts.pop()?.name;
            let is_first = matches!(one.operator.as_str(), ">=" | "<" | "BETWEEN");
            let of_literal = move |(at, literal): (usize, Literal)| {
                let text = format!("SELECT CAST({} AS TEXT)", literal.sql);
                let text = db.query_row(&text, [], |row| row.get(0)).ok()?;
                Some((column.clone(), Bound { text, is_first: is_first && at == 0 }))
            };
            Some(one.literals.into_iter().enumerate().filter_map(of_literal))
        };
        let ordering = comparisons(statement).into_iter().filter(Comparison::is_order);
        let compared = ordering.filter_map(of).flatten().collect();
        Some(Self { compared, keys: keys(statement) })
    }

    pub(crate) fn bounds(&self) -> Vec<Bound> {
        self.compared.iter().map(|(_, bound)| bound.clone()).collect()
    }
}

/// Returns the columns that stand next to `=` wherever a statement names them.
fn keys(statement: &Statement) -> Vec<String> {
    // A star may give a column to an order without its name; not that of `count(*)`.
    let is_star = |at: &usize| statement.is(*at, "*") && !statement.is(at - 1, "(");
    let has_star = (1..statement.tokens.len()).any(|at| is_star(&at));
    let (mut keys, mut others) = (Vec::new(), Vec::new());
    for chain in statement.chains().into_iter().filter(|_| !has_star) {
        let Some(places) = statement.places(&chain.range()) else { continue };
        let around = [places.start.saturating_sub(1), places.end];
        let is_key = around.iter().any(|at| statement.is_any(*at, &EQUALITY))
            && !around.iter().any(|at| statement.is_any(*at, &WORDS));
        let all = if is_key { &mut keys } else { &mut others };
        all.extend(chain.parts.into_iter().next_back().map(|part| part.name.to_lowercase()));
    }
    keys.retain(|key| !others.contains(key));
    keys
}

/// Finds the orders of the texts of these columns.
///
/// # Errors
///
/// Fails at the end of the time.
pub(crate) fn find(
    table: &mut Table,
    scanned: &Scanned<'_>,
    ordered: &Ordered,
    read: &[String],
    clock: &Clock,
) -> Result<(), SqlError> {
    let is_text = |column: &&Column| {
        read.contains(&column.name)
            && !ordered.keys.contains(&column.name.to_lowercase())
            && column.profile(scanned).map(Profile::kind) == Some(Type::Text)
    };
    let columns = table.columns.iter().filter(is_text);
    let columns: Vec<Filled<'_>> = columns.map(|column| Filled::new(column, scanned)).collect();
    let mut texts = vec![HashSet::new(); columns.len()];
    let unkept = unkept(&columns, scanned);
    scanned.each_part(unkept.as_ref(), clock, |part| {
        for (texts, filled) in texts.iter_mut().zip(&columns) {
            texts.extend(filled.values(part).into_iter().flat_map(Values::texts));
        }
        Ok(())
    })?;
    let mut orders = Vec::new();
    for (filled, texts) in columns.iter().zip(texts) {
        if clock.is_over() {
            return Err(SqlError::Deadline);
        }
        let texts: Vec<_> = texts.into_iter().map(|text| unescape(text).text).collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let name = &filled.column.name;
        let own = ordered.compared.iter().filter(|(of, _)| of.eq_ignore_ascii_case(name));
        let own: Vec<&str> = own.map(|(_, bound)| bound.text.as_str()).collect();
        orders.extend(order_of(&texts, &own).map(|kind| (name.clone(), kind)));
    }
    for (name, kind) in orders {
        let columns = table.columns.iter_mut().filter(|column| column.name == name);
        columns.for_each(|column| column.order = Some(kind));
    }
    Ok(())
}
