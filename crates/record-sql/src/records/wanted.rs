//! The columns whose values a scan keeps.

use std::collections::HashSet;

use crate::sql::statement::Statement;

/// The name of the column that has the whole record.
pub(crate) const RECORD: &str = "record";

/// The columns whose values a scan keeps. A statement may read others as well: which, is known
/// after the scan.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Names in lower case; None for every column.
    names: Option<HashSet<String>>,
}

impl Wanted {
    /// Returns every column.
    #[cfg(test)]
    pub(crate) fn all() -> Self {
        Self { names: None }
    }

    /// Returns the columns of these names.
    pub(crate) fn named<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        Self { names: Some(names.map(str::to_lowercase).collect()) }
    }

    /// Returns the columns that a statement seems to name, also by the last key of a path.
    pub(crate) fn by(statement: &Statement) -> Self {
        let tokens = statement.tokens.iter();
        let names = tokens.filter(|token| token.is_name()).map(|token| token.value(&statement.sql));
        Self { names: Some(names.map(|name| name.to_lowercase()).collect()) }
    }

    /// Returns true for the name of a wanted column.
    pub(crate) fn has(&self, name: &str) -> bool {
        let Some(names) = &self.names else { return true };
        let name = name.to_lowercase();
        let last = name.rsplit('.').next().unwrap_or_default();
        names.contains(&name) || names.contains(last) || names.contains(&name.replace('.', "_"))
    }
}
