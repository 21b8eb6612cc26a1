//! The authorizer: a statement may read the tables of records and call pure functions. Everything
//! else is denied.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::records::table::Table;
use crate::sql::statement::Statement;

/// The functions of SQLite that a statement may call, and ours.
pub(crate) const FUNCTIONS: &str = "\
    abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling changes char coalesce concat \
    concat_ws cos cosh count cume_dist current_date current_time current_timestamp date datetime \
    degrees dense_rank exp first_value floor format glob group_concat hex if ifnull iif instr \
    json json_array json_array_length json_extract json_group_array json_group_object json_insert \
    json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type \
    json_valid json_error_position -> ->> julianday lag last_value lead length like likelihood \
    likely ln log log10 log2 lower ltrim max median min mod nfc nth_value ntile nullif \
    octet_length percent_rank percentile percentile_cont pi pow power printf quote radians \
    random rank regexp replace round row_number rtrim sign sin sinh sqrt stddev stddev_pop \
    stddev_samp strftime string_agg substr substring subtype sum tan tanh time timediff total trim \
    trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely upper variance var_pop \
    var_samp";

/// The table-valued functions that a statement may read.
const TABLE_FUNCTIONS: [&str; 4] = ["json_each", "json_tree", "jsonb_each", "jsonb_tree"];

/// Notes the columns that a statement reads, and what was denied.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    on: bool,
    tables: Vec<String>,
    /// The names that the statement's WITH gives.
    derived: Vec<String>,
    reads: Vec<(String, String)>,
    denied: Option<Denied>,
}

/// An action that was denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    Function(String),
    /// A table that has no records: `sqlite_schema` and the like.
    Table(String),
    Other,
}

impl Guard {
    /// Installs the guard; it allows everything until [`Guard::watch`].
    pub(crate) fn install(db: &mut Connection) -> rusqlite::Result<Self> {
        let guard = Self::default();
        let state = Arc::clone(&guard.0);
        db.authorizer(Some(move |context: AuthContext<'_>| {
            state.lock().unwrap_or_else(PoisonError::into_inner).decide(&context)
        }))?;
        Ok(guard)
    }

    /// Guards a statement that is prepared from here, which may read `tables`.
    pub(crate) fn watch(&self, statement: &Statement, tables: &[Table]) {
        let tables = tables.iter().map(|table| table.name.clone()).collect();
        let derived = statement.derived_names();
        *self.state() = State { on: true, tables, derived, ..State::default() };
    }

    /// Ends the guard. Returns the columns that were read, as table and column without
    /// duplicates, and the first action that was denied.
    pub(crate) fn end(&self) -> (Vec<(String, String)>, Option<Denied>) {
        let state = std::mem::take(&mut *self.state());
        (state.reads, state.denied)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn decide(&mut self, context: &AuthContext<'_>) -> Authorization {
        if !self.on {
            return Authorization::Allow;
        }
        let denied = match context.action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } => {
                if TABLE_FUNCTIONS.contains(&table_name) {
                    return Authorization::Allow;
                }
                if self.tables.iter().any(|known| known == table_name) {
                    let read = (table_name.to_owned(), column_name.to_owned());
                    if !self.reads.contains(&read) {
                        self.reads.push(read);
                    }
                    return Authorization::Allow;
                }
                // SQLite names a derived table only where none of its columns is read.
                let is_derived = |name: &String| name.eq_ignore_ascii_case(table_name);
                if column_name.is_empty() && self.derived.iter().any(is_derived) {
                    return Authorization::Allow;
                }
                Denied::Table(table_name.to_owned())
            }
            AuthAction::Function { function_name } if is_function(function_name) => {
                return Authorization::Allow;
            }
            AuthAction::Function { function_name } => Denied::Function(function_name.to_owned()),
            _ => Denied::Other,
        };
        self.denied.get_or_insert(denied);
        Authorization::Deny
    }
}

fn is_function(name: &str) -> bool {
    FUNCTIONS.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(name))
}
