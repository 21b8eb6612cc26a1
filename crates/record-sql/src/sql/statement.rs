//! A statement before SQLite sees it: its tokens, its form, and the files it names.

use std::ops::Range;

use crate::error::SqlError;
use crate::sql::quoting;
use crate::sql::token::{Kind, Token, tokens};

/// A file that a statement names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The name as the statement spells it.
    pub name: String,
    /// True for `records('name')`; false for a name in the place of a table, which need not be a
    /// file.
    pub must_exist: bool,
}

/// A statement with its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) tokens: Vec<Token>,
}

/// Names that are joined by dots: `alias.column`, `a.b.c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) parts: Vec<Part>,
}

/// A name of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) range: Range<usize>,
    pub(crate) quoted: bool,
}

impl Chain {
    pub(crate) fn range(&self) -> Range<usize> {
        self.from(0)
    }

    /// Returns the range from part `at` to the end.
    pub(crate) fn from(&self, at: usize) -> Range<usize> {
        let end = self.parts.last().map_or(0, |part| part.range.end);
        self.parts.get(at).map_or(end, |part| part.range.start)..end
    }

    /// Returns true for one of these words, without quotes.
    pub(crate) fn is_word(&self, words: &[&str]) -> bool {
        let [part] = self.parts.as_slice() else { return false };
        !part.quoted && words.iter().any(|word| part.name.eq_ignore_ascii_case(word))
    }

    /// Returns the path of the parts from `at`.
    pub(crate) fn path(&self, at: usize) -> String {
        let names: Vec<&str> = self.parts[at..].iter().map(|part| part.name.as_str()).collect();
        names.join(".")
    }
}

impl Statement {
    pub(crate) fn new(sql: String) -> Self {
        let tokens = tokens(&sql);
        Self { sql, tokens }
    }

    /// Returns the statement without a semicolon at its end, with each `records('name')` as a
    /// table.
    ///
    /// # Errors
    ///
    /// Fails unless it is one statement that reads.
    pub(crate) fn parse(sql: &str) -> Result<Self, SqlError> {
        let mut statement = Self::new(sql.to_owned());
        let end = statement.tokens.iter().position(|token| token.is(sql, ";"));
        if let Some(end) = end {
            if statement.tokens[end..].iter().any(|token| !token.is(sql, ";")) {
                return Err(SqlError::statement(
                    "SQL: one statement is accepted, and another one follows the `;`: send each \
                     in a call of its own, or join them with WITH or UNION ALL",
                ));
            }
            let start = statement.tokens[end].range.start;
            statement = Self::new(sql[..start].to_owned());
        }
        statement.check()?;
        let calls: Vec<(Range<usize>, String)> = statement.calls().collect();
        for (range, name) in calls.into_iter().rev() {
            statement.sql.replace_range(range, &quoting::name(&name));
        }
        Ok(Self::new(statement.sql))
    }

    fn check(&self) -> Result<(), SqlError> {
        let first = self.tokens.first().map_or("", |token| token.text(&self.sql));
        if !["select", "with", "values", "("].contains(&first.to_ascii_lowercase().as_str()) {
            let first: String = first.chars().take(30).collect();
            return Err(SqlError::statement(format!(
                "SQL: a statement begins with SELECT or WITH, not {first:?}: the records can only \
                 be read. {COLUMNS_OF_ALL}"
            )));
        }
        self.parameters()?;
        self.percentiles()?;
        self.elements()?;
        if (0..self.tokens.len()).any(|at| self.is(at, "within") && self.is(at + 1, "group")) {
            return Err(SqlError::statement(
                "SQL: there is no WITHIN GROUP: percentile_cont(x, 0.95) and percentile(x, 95) \
                 take the column as their first argument",
            ));
        }
        Ok(())
    }

    pub(crate) fn is(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(&self.sql, word))
    }

    /// Returns the token at a place as it is spelled.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.tokens[at].text(&self.sql)
    }

    /// Returns the name or text at a place without its quotes.
    pub(crate) fn value(&self, at: usize) -> String {
        self.tokens[at].value(&self.sql)
    }

    /// Returns true for this name at a place, with or without quotes.
    pub(crate) fn is_name(&self, at: usize, name: &str) -> bool {
        self.tokens[at].is_name() && self.value(at).eq_ignore_ascii_case(name)
    }

    /// Returns the place of the bracket that closes the one at `open`; the last place if there
    /// is none.
    pub(crate) fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            if self.is(at, "(") {
                depth += 1;
            } else if self.is(at, ")") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// Returns the range of each `records('name')`, and the name; `records()` is `records`.
    fn calls(&self) -> impl Iterator<Item = (Range<usize>, String)> {
        (0..self.tokens.len()).filter_map(|at| {
            if !self.is(at, "records") || !self.is(at + 1, "(") {
                return None;
            }
            let start = self.tokens[at].range.start;
            if self.is(at + 2, ")") {
                return Some((start..self.tokens[at + 2].range.end, "records".to_owned()));
            }
            let name = self.tokens.get(at + 2)?;
            let named = matches!(name.kind, Kind::Text | Kind::Quoted) && self.is(at + 3, ")");
            named.then(|| (start..self.tokens[at + 3].range.end, name.value(&self.sql)))
        })
    }

    /// Returns the places of names where tables are: after FROM, JOIN, and commas between them.
    pub(crate) fn table_places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        // For each open bracket, whether a FROM clause is open in it.
        let mut from = vec![false];
        for at in 0..self.tokens.len() {
            let inside = from.last().copied().unwrap_or(false);
            let starts = self.is_any(at, &["from", "join"]) || (inside && self.is(at, ","));
            if self.is(at, "(") {
                from.push(false);
            } else if self.is(at, ")") {
                from.pop();
            } else if let Some(last) = from.last_mut() {
                let goes_on = starts || self.is_any(at, &["on", "using"]);
                *last = goes_on || (inside && !self.is_any(at, &CLAUSES));
            }
            let name =
                self.tokens.get(at + 1).filter(|next| next.is_name() || next.kind == Kind::Text);
            if starts && name.is_some() && !self.is(at + 2, "(") {
                places.push(at + 1);
            }
        }
        places
    }

    /// Returns the chains of names; a name before a bracket is a function and no chain.
    pub(crate) fn chains(&self) -> Vec<Chain> {
        let mut chains = Vec::new();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            if !token.is_name() {
                at += 1;
                continue;
            }
            let mut parts = vec![self.part(at)];
            while self.is(at + 1, ".") && self.tokens.get(at + 2).is_some_and(Token::is_name) {
                at += 2;
                parts.push(self.part(at));
            }
            at += 1;
            if !self.is(at, "(") {
                chains.push(Chain { parts });
            }
        }
        chains
    }

    fn part(&self, at: usize) -> Part {
        let token = &self.tokens[at];
        let (name, range) = (token.value(&self.sql), token.range.clone());
        Part { name, range, quoted: token.kind == Kind::Quoted }
    }

    /// Returns the statement with a name in the place of the parts from `from` of each chain that
    /// is spelled like this one.
    pub(crate) fn renamed(&self, chain: &Chain, from: usize, name: &str) -> Self {
        let is_same = |other: &Chain| {
            other.parts.len() == chain.parts.len()
                && other.path(0).eq_ignore_ascii_case(&chain.path(0))
        };
        let same = self.chains().into_iter().filter(is_same);
        same.rev().fold(self.clone(), |renamed, same| renamed.replaced(same.from(from), name))
    }

    /// Returns the statement with another text in a range.
    pub(crate) fn replaced(&self, range: Range<usize>, with: &str) -> Self {
        let mut sql = self.sql.clone();
        sql.replace_range(range, with);
        Self::new(sql)
    }
}

/// The words after a FROM clause.
const CLAUSES: [&str; 10] = [
    "where",
    "group",
    "order",
    "limit",
    "select",
    "union",
    "having",
    "window",
    "except",
    "intersect",
];

/// The form of a statement that shows every column.
const COLUMNS_OF_ALL: &str = "`SELECT * FROM records LIMIT 1` shows the columns";

/// Returns the sentence that offers a corrected statement, if it is short.
pub(crate) fn send_instead(corrected: &str) -> String {
    if corrected.chars().count() > 500 {
        return "Send the statement with that change".to_owned();
    }
    format!("Send instead: {corrected}")
}

/// Returns the files that a statement may name: those in `records('name')`, and names other than
/// `records` in the place of a table.
///
/// ```
/// let named = record_sql::named_files("SELECT * FROM records r JOIN records('b.jsonl') USING (id)");
/// assert_eq!((named[0].name.as_str(), named[0].must_exist), ("b.jsonl", true));
/// assert_eq!(named.len(), 1);
/// ```
pub fn named_files(sql: &str) -> Vec<NamedFile> {
    let statement = Statement::new(sql.to_owned());
    let mut named: Vec<NamedFile> = Vec::new();
    let calls = statement.calls().map(|(_, name)| NamedFile { name, must_exist: true });
    let places = statement.table_places().into_iter();
    let tables =
        places.map(|at| NamedFile { name: statement.tokens[at].value(sql), must_exist: false });
    for file in calls.chain(tables) {
        let known = named.iter().any(|known| known.name == file.name);
        if !known && !file.name.eq_ignore_ascii_case("records") {
            named.push(file);
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sql: &str) -> Vec<String> {
        named_files(sql).into_iter().map(|file| file.name).collect()
    }

    #[test]
    fn files_are_named_where_tables_are() {
        assert_eq!(names("SELECT a, b FROM records, x WHERE c = 'd' GROUP BY e, f"), ["x"]);
        assert_eq!(
            names("SELECT (SELECT 1 FROM \"a b.jsonl\") FROM records JOIN t2 ON a = b, t3"),
            ["a b.jsonl", "t2", "t3"]
        );
        assert_eq!(names("SELECT * FROM json_each('[1]'), records"), Vec::<String>::new());
        assert_eq!(names("SELECT * FROM records('x'), records()"), ["x"]);
    }

    #[test]
    fn a_call_becomes_a_table() {
        let statement = Statement::parse("select * from records('a\"b.jsonl') ;").unwrap();
        assert_eq!(statement.sql, "select * from \"a\"\"b.jsonl\" ");
    }

    #[test]
    fn other_statements_are_refused() {
        for sql in ["", "DELETE FROM records", "SELECT 1; SELECT 2", "PRAGMA x", "SELECT ?1"] {
            assert!(Statement::parse(sql).is_err(), "{sql}");
        }
        let error = Statement::parse("SELECT percentile(a, 0.95) FROM records").unwrap_err();
        assert!(error.to_string().contains("Send instead: SELECT percentile(a, 95) FROM records"));
    }

    #[test]
    fn chains_are_whole() {
        let statement = Statement::new("a.b.c + \"d\".e * f(g)".to_owned());
        let paths: Vec<String> = statement.chains().iter().map(|chain| chain.path(0)).collect();
        assert_eq!(paths, ["a.b.c", "d.e", "g"]);
    }
}
