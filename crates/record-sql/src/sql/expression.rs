//! The ends of expressions, and the clauses they are in.

use std::ops::Range;

use crate::sql::statement::Statement;
use crate::sql::token::Kind;

/// The operators that compare.
pub(crate) const COMPARING: [&str; 13] =
    ["=", "==", "!=", "<>", "<", "<=", ">", ">=", "like", "glob", "regexp", "between", "in"];

/// Words and symbols between expressions.
const BETWEEN_EXPRESSIONS: [&str; 40] = [
    ",",
    "where",
    "and",
    "or",
    "not",
    "on",
    "having",
    "select",
    "distinct",
    "all",
    "when",
    "then",
    "else",
    "case",
    "end",
    "by",
    "from",
    "limit",
    "offset",
    "using",
    "union",
    "except",
    "intersect",
    "values",
    "as",
    "is",
    "isnull",
    "notnull",
    "escape",
    "join",
    "inner",
    "left",
    "cross",
    "group",
    "order",
    "window",
    "asc",
    "desc",
    "nulls",
    "collate",
];

/// The functions that read many rows.
pub(crate) const AGGREGATES: [&str; 19] = [
    "count",
    "sum",
    "avg",
    "total",
    "median",
    "percentile",
    "percentile_cont",
    "group_concat",
    "string_agg",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "variance",
    "var_pop",
    "var_samp",
    "json_group_array",
    "json_group_object",
    "first_value",
    "row_number",
];

impl Statement {
    /// Returns true if any of these words or symbols is at a place.
    pub(crate) fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }

    /// Returns the places of these words and symbols.
    pub(crate) fn places_of<'s>(&'s self, words: &'s [&str]) -> impl Iterator<Item = usize> + 's {
        (0..self.tokens.len()).filter(|at| self.is_any(*at, words))
    }

    /// Returns true if any of these words and symbols is in the statement.
    pub(crate) fn has_any(&self, words: &[&str]) -> bool {
        self.places_of(words).next().is_some()
    }

    pub(crate) fn ends_expression(&self, at: usize) -> bool {
        at >= self.tokens.len()
            || self.is_any(at, &[")", "("])
            || self.is_any(at, &BETWEEN_EXPRESSIONS)
            || self.is_any(at, &COMPARING)
    }

    /// Returns the place of the bracket that is open before a place.
    pub(crate) fn enclosing(&self, place: usize) -> Option<usize> {
        self.unpaired((0..place).rev(), "(", ")")
    }

    /// Returns the first place of a word that none of `other` before it belongs to.
    fn unpaired(
        &self,
        mut places: impl Iterator<Item = usize>,
        word: &str,
        other: &str,
    ) -> Option<usize> {
        let mut depth = 0_usize;
        places.find(|at| {
            let is_word = self.is(*at, word);
            let is_found = is_word && depth == 0;
            depth = (depth + usize::from(self.is(*at, other))).saturating_sub(usize::from(is_word));
            is_found
        })
    }

    /// Returns the places of the CASE that is open at a place.
    pub(crate) fn case_around(&self, place: usize) -> Option<Range<usize>> {
        let start = self.unpaired((0..place).rev(), "case", "end")?;
        let end = self.unpaired(place..self.tokens.len(), "end", "case")?;
        Some(start..end + 1)
    }

    /// Returns the places of the expression that ends before `end`; None if it is empty.
    pub(crate) fn expression_before(&self, end: usize) -> Option<Range<usize>> {
        let mut at = end;
        while let Some(before) = at.checked_sub(1) {
            if self.is(before, ")") {
                at = self.enclosing(before)?;
            } else if self.is(before, "end") {
                at = self.case_around(before)?.start;
            } else if self.ends_expression(before) {
                break;
            } else {
                at = before;
            }
        }
        (at < end).then_some(at..end)
    }

    /// Returns the places of the expression that begins at `start`; None if it is empty.
    pub(crate) fn expression_at(&self, start: usize) -> Option<Range<usize>> {
        let mut at = start;
        while at < self.tokens.len() {
            if self.is(at, "(") {
                at = self.closing(at) + 1;
            } else if self.is(at, "case") {
                at = self.case_around(at + 1)?.end;
            } else if self.ends_expression(at) || (at > start && self.names_result(at)) {
                break;
            } else {
                at += 1;
            }
        }
        (at > start).then_some(start..at)
    }

    /// Returns true for a name after an operand, which without AS is the name of the result.
    pub(super) fn names_result(&self, at: usize) -> bool {
        let before = at - 1;
        let is_operand = self.is_any(before, &[")", "end"])
            || (self.tokens[before].kind != Kind::Symbol && !self.ends_expression(before));
        let is_window = self.is(before, "over") || self.is_any(at, &["over", "filter"]);
        self.tokens[at].is_name() && is_operand && !is_window
    }

    /// Returns the parts between the commas outside of brackets.
    pub(super) fn parted(&self, places: Range<usize>) -> Vec<Range<usize>> {
        let commas = self.outside(places.clone()).filter(|at| self.is(*at, ","));
        parts(places, &commas.collect::<Vec<_>>())
    }

    /// Returns the places of tokens from their bytes.
    pub(crate) fn places(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        let first = self.tokens.iter().position(|token| token.range.start == bytes.start)?;
        let last = self.tokens.iter().position(|token| token.range.end == bytes.end)?;
        Some(first..last + 1)
    }

    /// Returns the bytes of some places.
    pub(crate) fn bytes(&self, places: Range<usize>) -> Range<usize> {
        let start = self.tokens.get(places.start).map_or(self.sql.len(), |token| token.range.start);
        let last = places.end.checked_sub(1).and_then(|at| self.tokens.get(at));
        start..last.map_or(start, |token| token.range.end.max(start))
    }

    /// Returns the text of some places.
    pub(crate) fn text(&self, places: Range<usize>) -> &str {
        &self.sql[self.bytes(places)]
    }

    /// Returns true if there is a name of a column in some places.
    pub(crate) fn has_columns(&self, places: Range<usize>) -> bool {
        let bytes = self.bytes(places);
        self.chains().iter().any(|chain| bytes.contains(&chain.range().start))
    }

    /// Returns the expressions on both sides of an operator.
    pub(crate) fn sides(&self, operator: usize) -> Option<[Range<usize>; 2]> {
        Some([self.expression_before(operator)?, self.expression_at(operator + 1)?])
    }

    /// Returns true for an expression over one row: no aggregate, window or subquery.
    pub(crate) fn is_scalar(&self, places: Range<usize>) -> bool {
        !places.into_iter().any(|at| {
            let name = self.word(at).to_ascii_lowercase();
            let aggregate = self.is(at + 1, "(")
                && (AGGREGATES.contains(&name.as_str())
                    || (matches!(name.as_str(), "min" | "max")
                        && self.arguments(at + 1).len() < 2));
            aggregate || matches!(name.as_str(), "select" | "over")
        })
    }

    /// Returns the places of each argument of the function whose bracket is at `open`.
    pub(crate) fn arguments(&self, open: usize) -> Vec<Range<usize>> {
        let mut arguments = self.parted(open + 1..self.closing(open));
        arguments.retain(|argument| !argument.is_empty());
        arguments
    }

    /// Returns the only argument of the function at a place; None if it has several or none.
    pub(crate) fn argument(&self, call: usize) -> Option<Range<usize>> {
        <[_; 1]>::try_from(self.arguments(call + 1)).ok().map(|[only]| only)
    }

    /// Returns the call of the function at a place, with its arguments.
    pub(crate) fn call_text(&self, call: usize) -> &str {
        self.text(call..self.closing(call + 1) + 1)
    }

    /// Returns the calls of functions with one of these names: the places of the name.
    pub(crate) fn calls_of<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = usize> + 's {
        (0..self.tokens.len()).filter(move |at| {
            self.tokens[*at].kind == Kind::Word && self.is(at + 1, "(") && self.is_any(*at, names)
        })
    }

    /// Returns the places of the SELECT that a place is in, without those in brackets of its own.
    pub(crate) fn select_around(&self, place: usize) -> Range<usize> {
        let is_query = |open: &usize| self.is_any(open + 1, &["select", "with"]);
        let mut opens = std::iter::successors(self.enclosing(place), |at| self.enclosing(*at));
        let all = match opens.find(is_query) {
            Some(open) => open + 1..self.closing(open),
            None => 0..self.tokens.len(),
        };
        let is_between = |at: &usize| self.is_any(*at, &["union", "except", "intersect"]);
        let between: Vec<usize> = self.outside(all.clone()).filter(is_between).collect();
        let mut selects = parts(all.clone(), &between).into_iter();
        selects.find(|select| place < select.end).unwrap_or(all.end..all.end)
    }

    /// Returns the places of the SELECT whose rows are the answer.
    pub(crate) fn main_select(&self) -> Option<Range<usize>> {
        let start = self.clause(&(0..self.tokens.len()), "select")?;
        Some(start..self.select_around(start).end)
    }

    /// Returns the place of a word in a SELECT, outside of its brackets.
    pub(crate) fn clause(&self, select: &Range<usize>, word: &str) -> Option<usize> {
        let is_distinct = |at: usize| at > 1 && self.is(at - 1, "distinct");
        self.outside(select.clone()).find(|at| self.is(*at, word) && !is_distinct(*at))
    }

    /// Returns the places of a clause with its first word.
    pub(crate) fn clause_places(&self, select: &Range<usize>, word: &str) -> Option<Range<usize>> {
        let start = self.clause(select, word)?;
        let rest = start + 1..select.end;
        let ends = ["from", "where", "group", "having", "window", "order", "limit"];
        let end = ends.iter().filter_map(|end| self.clause(&rest, end)).min();
        Some(start..end.unwrap_or(select.end))
    }

    /// Returns a clause with its first word.
    pub(crate) fn clause_text(&self, select: &Range<usize>, word: &str) -> Option<&str> {
        Some(self.text(self.clause_places(select, word)?))
    }

    /// Returns the FROM and WHERE of the SELECT around a place.
    pub(crate) fn rows_around(&self, place: usize) -> Option<String> {
        let select = self.select_around(place);
        let from = self.clause_text(&select, "from")?;
        Some(format!("{from} {}", self.clause_text(&select, "where").unwrap_or_default()))
    }

    /// Returns the places outside of the brackets in `places`.
    pub(crate) fn outside(&self, places: Range<usize>) -> impl Iterator<Item = usize> {
        let mut depth = 0_i64;
        places.filter(move |at| {
            let closes = self.is(*at, ")");
            depth += i64::from(self.is(*at, "(")) - i64::from(closes);
            depth == 0 && !closes
        })
    }

    /// Returns the WITH clause of the statement and a space; nothing if there is none.
    pub(crate) fn with(&self) -> String {
        if !self.is(0, "with") {
            return String::new();
        }
        let all = 0..self.tokens.len();
        let end = self.clause(&all, "select").unwrap_or(0);
        format!("{} ", self.text(0..end))
    }
}

/// Returns the parts of some places between others.
pub(super) fn parts(places: Range<usize>, between: &[usize]) -> Vec<Range<usize>> {
    let starts = std::iter::once(places.start).chain(between.iter().map(|at| at + 1));
    let ends = between.iter().copied().chain(std::iter::once(places.end));
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_end_at_words_and_comparisons() {
        let statement = Statement::new("WHERE a AND lower(trim(b)) || 'x' = 5 + c OR d".to_owned());
        let at = statement.tokens.iter().position(|t| t.is(&statement.sql, "=")).unwrap();
        let text = |places: Option<Range<usize>>| statement.text(places.unwrap());
        assert_eq!(text(statement.expression_before(at)), "lower(trim(b)) || 'x'");
        assert_eq!(text(statement.expression_at(at + 1)), "5 + c");
        for (sql, expression) in [
            ("sum(a) / 1000 t FROM r", "sum(a) / 1000"),
            ("a.b c, d", "a.b"),
            (
                "CASE WHEN a THEN CASE b WHEN 1 THEN 2 END END + 1 n",
                "CASE WHEN a THEN CASE b WHEN 1 THEN 2 END END + 1",
            ),
            ("count(*) FILTER (WHERE a) OVER w \"n\"", "count(*) FILTER (WHERE a) OVER w"),
        ] {
            let statement = Statement::new(sql.to_owned());
            let places = statement.expression_at(0).unwrap();
            assert_eq!(&sql[statement.bytes(places)], expression);
        }
    }

    #[test]
    fn a_place_has_its_own_select() {
        let sql = "WITH w AS (SELECT a FROM r WHERE b) SELECT (SELECT c FROM s) FROM t, \
                   json_each(t.x) e WHERE d GROUP BY 1 UNION SELECT 2 FROM u";
        let statement = Statement::new(sql.to_owned());
        let from = |word: &str| {
            let mut tokens = statement.tokens.iter();
            let at = tokens.position(|token| token.text(&statement.sql) == word).unwrap();
            statement.clause_text(&statement.select_around(at), "from")
        };
        assert_eq!(from("b"), Some("FROM r"));
        assert_eq!(from("c"), Some("FROM s"));
        assert_eq!(from("d"), Some("FROM t, json_each(t.x) e"));
        assert_eq!(from("2"), Some("FROM u"));
        assert_eq!(statement.with(), "WITH w AS (SELECT a FROM r WHERE b) ");
    }
}
