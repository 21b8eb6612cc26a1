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
use crate::sql::statement::Statement;

/// The words of a statement that orders or compares values.
const WORDS: [&str; 8] = ["order", "min", "max", "between", "<", "<=", ">", ">="];

/// A column with a constant that it is compared with.
pub(crate) struct Compared {
    column: String,
    pub(crate) bound: Bound,
}

/// Returns the columns that a statement compares with constants; None for a statement without an
/// order.
pub(crate) fn compared(db: &Connection, statement: &Statement) -> Option<Vec<Compared>> {
    let has_order = (0..statement.tokens.len()).any(|at| statement.is_any(at, &WORDS));
    has_order.then_some(())?;
    let of = |one: Comparison| {
        let column = one.column?.parts.pop()?.name;
        let is_first = matches!(one.operator.as_str(), ">=" | "<" | "BETWEEN");
        let of_literal = move |(at, literal): (usize, Literal)| {
            let text = format!("SELECT CAST({} AS TEXT)", literal.sql);
            let text = db.query_row(&text, [], |row| row.get(0)).ok()?;
            let bound = Bound { text, is_first: is_first && at == 0 };
            Some(Compared { column: column.clone(), bound })
        };
        Some(one.literals.into_iter().enumerate().filter_map(of_literal))
    };
    let ordering = comparisons(statement).into_iter().filter(Comparison::is_order);
    Some(ordering.filter_map(of).flatten().collect())
}

/// Finds the orders of the texts of these columns.
///
/// # Errors
///
/// Fails at the end of the time.
pub(crate) fn find(
    table: &mut Table,
    scanned: &Scanned<'_>,
    compared: &[Compared],
    read: &[String],
    clock: &Clock,
) -> Result<(), SqlError> {
    let is_text = |column: &&Column| {
        read.contains(&column.name)
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
    let orders: Vec<_> = columns
        .iter()
        .zip(texts)
        .filter_map(|(filled, texts)| {
            let texts: Vec<_> = texts.into_iter().map(|text| unescape(text).text).collect();
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let name = &filled.column.name;
            let own = compared.iter().filter(|one| one.column.eq_ignore_ascii_case(name));
            let own: Vec<&str> = own.map(|one| one.bound.text.as_str()).collect();
            Some((name.clone(), order_of(&texts, &own)?))
        })
        .collect();
    for (name, kind) in orders {
        let columns = table.columns.iter_mut().filter(|column| column.name == name);
        columns.for_each(|column| column.order = Some(kind));
    }
    Ok(())
}
