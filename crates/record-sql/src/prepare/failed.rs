//! A statement that SQLite cannot prepare.

use crate::prepare::guard::Denied;
use crate::sql::statement::{Chain, Statement};

/// A statement that SQLite refused.
pub(crate) struct Failed {
    pub(crate) message: String,
    /// The byte of the statement.
    pub(crate) offset: Option<usize>,
    pub(crate) denied: Option<Denied>,
}

impl Failed {
    /// Returns the table that SQLite does not know.
    pub(crate) fn unknown_table(&self) -> Option<&str> {
        self.message.strip_prefix("no such table: ")
    }

    /// Returns the names that SQLite knows no column for.
    pub(crate) fn unknown_column(&self, statement: &Statement) -> Option<Chain> {
        let name = self.message.strip_prefix("no such column: ")?;
        let name = name.split_once(" - should this be").map_or(name, |(name, _)| name);
        let name = name.strip_prefix('"').and_then(|n| n.strip_suffix('"')).unwrap_or(name);
        let chains = statement.chains();
        let at = |chain: &&Chain| {
            self.offset.is_some_and(|offset| chain.range().contains(&offset))
                && chain.path(0).ends_with(name)
        };
        let found = chains.iter().find(at);
        found.or_else(|| chains.iter().find(|chain| chain.path(0) == name)).cloned()
    }
}
