//! The columns of joins by name, `USING (…)` and `NATURAL JOIN`. SQLite does not tell its
//! authorizer that they are read.

use crate::records::table::Table;
use crate::sql::statement::Statement;

/// Returns the columns by which the statement joins tables, as table and column.
pub(crate) fn joined(statement: &Statement, tables: &[Table]) -> Vec<(String, String)> {
    let lists = statement.places_of(&["using"]).filter(|at| statement.is(at + 1, "("));
    let names = lists.flat_map(|at| statement.arguments(at + 1));
    let names: Vec<String> = names.map(|argument| statement.value(argument.start)).collect();
    let all = statement.has_any(&["natural"]);

    let columns = tables.iter().flat_map(|table| {
        let columns = table.columns.iter().map(|column| column.name.as_str());
        columns.map(|column| (table.name.as_str(), column))
    });
    let is_joined =
        |column: &str| all || names.iter().any(|name| name.eq_ignore_ascii_case(column));
    let joined = columns.filter(|(_, column)| is_joined(column));
    joined.map(|(table, column)| (table.to_owned(), column.to_owned())).collect()
}
