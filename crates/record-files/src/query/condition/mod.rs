//! A condition: the `where` of a query, a tree of comparisons.
//!
//! All spellings give the same tree. An object is the conjunction of its members: `all` and
//! `and`, `any` and `or`, `not`, or a field with the value it equals (`{"priority": 3}`) or with
//! operators (`{"priority": {"$gte": 3, "lt": 5}}`). An object with `op` compares one field:
//! `{"field": …, "op": …, "value": …}`; a record with a field of such a name needs this form.
//! A string is read as the JSON in it, or as comparisons in words: `status = active and age > 3`.

mod compare;
mod operation;
mod pattern;
mod scope;
mod words;

use std::borrow::Cow;
use std::collections::BTreeSet;

use raw_json::{self as raw, Fields};

use super::error::{QueryError, SHAPES, quoted};
use super::json::path::Path;
use operation::Operation;
use words::{InWords, Words};

pub(super) use compare::{Comparison, TypedOperand};
pub(super) use scope::{Evaluator, Shared};
pub(super) use words::is_sql;

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 200;

/// A condition that a record meets or does not meet.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// All parts must hold. Parts that share arrays are in one group.
    All(Vec<scope::Group>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// A comparison, by its index in the query.
    Test(usize),
}

/// A comparison of a field.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// The index of the path in the query.
    pub(crate) path: usize,
    pub(crate) comparison: Comparison,
    /// The place in the request, for errors.
    pub(crate) member: String,
    /// True if it stands below an odd number of `not`.
    pub(crate) is_denied: bool,
}

/// The paths and comparisons of a query that is being read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The paths, without duplicates, except for shared arrays.
    pub(crate) paths: Vec<Path>,
    pub(crate) tests: Vec<Test>,
    /// The arrays that several parts of a conjunction traverse.
    pub(crate) shared: Vec<Shared>,
    /// The paths that are compared more than once in a conjunction.
    pub(crate) repeated: BTreeSet<usize>,
    /// The pairs of comparisons of one field with different values, of which one `!=` always holds.
    pub(crate) always: Vec<[usize; 2]>,
    nodes: usize,
}

impl Reading {
    /// Returns the index of a path; adds it if it is new.
    pub(crate) fn path(&mut self, spelled: &str, member: &str) -> Result<usize, QueryError> {
        let path = Path::parse(spelled, member)?;
        let is_shared = |index: usize| self.shared.iter().any(|shared| shared.path == index);
        let mut known = self.paths.iter().enumerate();
        if let Some((known, _)) = known.find(|(index, of)| **of == path && !is_shared(*index)) {
            return Ok(known);
        }
        self.paths.push(path);
        Ok(self.paths.len() - 1)
    }

    /// Reads a condition of at most 32 levels and 200 parts.
    pub(crate) fn condition(&mut self, raw: &str) -> Result<Condition, QueryError> {
        self.part(raw, "where", 1)
    }

    fn part(&mut self, part: &str, member: &str, depth: usize) -> Result<Condition, QueryError> {
        if depth > MAX_DEPTH {
            return Err(over(depth, "levels", MAX_DEPTH));
        }
        self.count()?;
        let part = unquoted(part);
        if let Some(words) = Words::parse(&part) {
            return self.words(&words, member);
        }
        let fields = raw::fields(&part).map_err(|_no_object| no_object(member, &part))?;
        if let Some(long) = LongForm::of(&fields) {
            return self.test(&long, member);
        }
        let mut parts = Vec::new();
        for (key, value) in &fields {
            let at = format!("{member}.{}", quoted(key));
            match key.trim_start_matches('$').to_ascii_lowercase().as_str() {
                "all" | "and" => parts.extend(self.list(value, &at, depth)?),
                "any" | "or" => {
                    let any = self.list(value, &at, depth)?;
                    if any.is_empty() {
                        return Err(QueryError::BadMember {
                            member: at,
                            found: "empty, and so never holds".to_owned(),
                            accepted: "a list of one condition or more",
                        });
                    }
                    parts.push(self.any(any));
                }
                "not" => {
                    let first = self.tests.len();
                    parts.push(Condition::Not(Box::new(self.part(value, &at, depth + 1)?)));
                    self.tests[first..].iter_mut().for_each(|test| test.is_denied ^= true);
                }
                _ => parts.extend(self.of_field(key, value, member)?),
            }
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { self.all(parts) })
    }

    fn words(&mut self, words: &Words, member: &str) -> Result<Condition, QueryError> {
        let mut parts = Vec::new();
        for InWords { text, field, op, value } in &words.parts {
            let at = match words.parts.len() {
                1 => member.to_owned(),
                _ => format!("{member} ({})", quoted(text)),
            };
            parts.push(self.compare(field, op, value.as_deref(), &at)?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        self.nodes += parts.len() - 1;
        self.count()?;
        Ok(if words.is_any { self.any(parts) } else { self.all(parts) })
    }

    fn any(&mut self, parts: Vec<Condition>) -> Condition {
        let unequal = |part: &Condition| match part {
            Condition::Test(at) if self.tests[*at].comparison.name() == "!=" => Some(*at),
            _ => None,
        };
        let unequal: Vec<usize> = parts.iter().filter_map(unequal).collect();
        let pairs = unequal.windows(2).map(|pair| [pair[0], pair[1]]);
        let is_one_field = |pair: &[usize; 2]| {
            let [one, other] = pair.map(|at| &self.tests[at]);
            one.path == other.path && one.comparison.values() != other.comparison.values()
        };
        let always: Vec<_> = pairs.filter(is_one_field).collect();
        self.always.extend(always);
        Condition::Any(parts)
    }

    fn list(
        &mut self,
        list: &str,
        member: &str,
        depth: usize,
    ) -> Result<Vec<Condition>, QueryError> {
        let list = unquoted(list);
        let parts = raw::elements(&list).map_err(|_no_array| QueryError::BadMember {
            member: member.to_owned(),
            found: raw::kind(&list).to_owned(),
            accepted: "a list of conditions",
        })?;
        let part = |(index, part): (usize, &&str)| {
            self.part(part, &format!("{member}[{index}]"), depth + 1)
        };
        parts.iter().enumerate().map(part).collect()
    }

    /// Reads a field with the value that it must equal, or with operators and their operands.
    fn of_field(
        &mut self,
        field: &str,
        value: &str,
        member: &str,
    ) -> Result<Vec<Condition>, QueryError> {
        let operators = raw::fields(value).ok().filter(|operators| !operators.is_empty());
        if let Some(operators) = operators {
            if let Some((op, pattern)) = with_options(&operators) {
                self.count()?;
                return Ok(vec![self.compare(field, op, Some(&pattern), member)?]);
            }
            if let Some(long) = LongForm::of(&operators) {
                let named = LongForm { field: Some(Cow::Borrowed(field)), ..long };
                return Ok(vec![self.test(&named, member)?]);
            }
            let known = |key: &str| {
                key.starts_with('$')
                    || Operation::named(key).is_some()
                    || Operation::is_between(key)
            };
            if operators.iter().all(|(key, _)| known(key)) {
                let test = |(op, value): &(Cow<'_, str>, &str)| {
                    self.count()?;
                    self.compare(field, op, Some(value), member)
                };
                return operators.iter().map(test).collect();
            }
            // A misspelled operator is an error rather than a key of the value.
            let nearly = operators.iter().find(|(key, _)| Operation::is_nearly(key));
            if let Some((key, _)) = nearly {
                Operation::parse(key, &format!("{member}.{}", quoted(field)))?;
            }
        }
        self.count()?;
        Ok(vec![self.compare(field, "=", Some(value), member)?])
    }

    fn test(&mut self, long: &LongForm<'_>, member: &str) -> Result<Condition, QueryError> {
        if let Some(other) = &long.unknown {
            return Err(bad(member, &format!("an object that also holds `{}`", quoted(other))));
        }
        let absent = |name, accepted| QueryError::BadMember {
            member: format!("{member}.{name}"),
            found: "absent".to_owned(),
            accepted,
        };
        let field =
            long.field.as_ref().ok_or_else(|| absent("field", "the dotted name of a field"))?;
        let op = long
            .op
            .as_ref()
            .ok_or_else(|| absent("op", "an operator such as `=`, `>` or `contains`"))?;
        // A value such as `{"$gte": 4}` has its own operator.
        let is_dollar = |value: &&str| value.starts_with("{\"$");
        if let Some(value) = long.value.filter(is_dollar).filter(|_| &**op == "=") {
            let parts = self.of_field(field, value, member)?;
            return Ok(self.all(parts));
        }
        self.compare(field, op, long.value, member)
    }

    fn compare(
        &mut self,
        field: &str,
        op: &str,
        value: Option<&str>,
        member: &str,
    ) -> Result<Condition, QueryError> {
        if Operation::is_between(op) {
            return self.between(field, value, member);
        }
        let named = Operation::parse(op, member)?;
        let comparison = Comparison::read(named, value, member)?;
        let path = self.path(field, member)?;
        self.tests.push(Test { path, comparison, member: member.to_owned(), is_denied: false });
        Ok(Condition::Test(self.tests.len() - 1))
    }

    /// Reads the two bounds of `between`, both inclusive.
    fn between(
        &mut self,
        field: &str,
        value: Option<&str>,
        member: &str,
    ) -> Result<Condition, QueryError> {
        let ends = value.and_then(|value| raw::elements(value).ok()).unwrap_or_default();
        let [low, high] = ends.as_slice() else {
            return Err(QueryError::BadMember {
                member: format!("{member}.value"),
                found: value.map_or("absent", raw::kind).to_owned(),
                accepted: "a list of the two ends, such as [1, 5]",
            });
        };
        let parts = vec![
            self.compare(field, ">=", Some(low), member)?,
            self.compare(field, "<=", Some(high), member)?,
        ];
        self.count()?;
        Ok(self.all(parts))
    }

    fn count(&mut self) -> Result<(), QueryError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(over(self.nodes, "conditions", MAX_NODES));
        }
        Ok(())
    }
}

/// The members of `{"field", "op", "value"}`.
#[derive(Default)]
struct LongForm<'a> {
    field: Option<Cow<'a, str>>,
    op: Option<Cow<'a, str>>,
    value: Option<&'a str>,
    unknown: Option<String>,
}

impl<'a> LongForm<'a> {
    /// Returns the members if they include the name of a field or an operator.
    fn of(fields: &Fields<'a>) -> Option<Self> {
        let mut long = Self::default();
        for (key, value) in fields {
            let text = || raw::is_string(value).then(|| raw::unescape(value).text);
            match &**key {
                "field" | "path" | "column" if text().is_some() => long.field = text(),
                "op" | "operator" if text().is_some() => long.op = text(),
                "value" | "values" => long.value = Some(value),
                other => long.unknown = Some(other.to_owned()),
            }
        }
        // A record may have a field named `path` or `column`, so these need an operator.
        let is_long = long.op.is_some() || raw::field(fields, "field").is_some();
        (is_long && (long.field.is_some() || long.value.is_some() || long.op.is_some()))
            .then_some(long)
    }
}

/// Returns the JSON object or array in a string; any other value unchanged.
fn unquoted(value: &str) -> Cow<'_, str> {
    if !raw::is_string(value) {
        return Cow::Borrowed(value);
    }
    let inner = raw::unescape(value).text;
    if inner.trim_ascii_start().starts_with(['{', '[']) { inner } else { Cow::Borrowed(value) }
}

fn no_object(member: &str, part: &str) -> QueryError {
    if raw::is_string(part) {
        let text = raw::unescape(part).text.into_owned();
        return QueryError::TextCondition { member: member.to_owned(), text };
    }
    bad(member, raw::kind(part))
}

fn over(found: usize, what: &'static str, limit: usize) -> QueryError {
    QueryError::TooMany { member: "where".to_owned(), found, what, limit }
}

fn bad(member: &str, found: &str) -> QueryError {
    QueryError::BadMember { member: member.to_owned(), found: found.to_owned(), accepted: SHAPES }
}

#[cfg(test)]
#[path = "condition_tests.rs"]
mod tests;

/// Returns the operator and the expression of `{"$regex": "^x", "$options": "i"}`.
fn with_options<'o>(operators: &'o [(Cow<'_, str>, &str)]) -> Option<(&'o str, String)> {
    let is_options = |key: &str| key.trim_start_matches('$').eq_ignore_ascii_case("options");
    let [one, other] = operators else { return None };
    let (pattern, options) = if is_options(&one.0) { (other, one) } else { (one, other) };
    let is_pattern = matches!(Operation::named(&pattern.0), Some((Operation::Matches, _)));
    if !is_pattern || !is_options(&options.0) {
        return None;
    }
    let text = |value| raw::is_string(value).then(|| raw::unescape(value).text);
    let (pattern_text, options) = (text(pattern.1)?, text(options.1)?);
    let is_known = !options.is_empty() && options.chars().all(|c| "imsx".contains(c));
    is_known.then(|| (&*pattern.0, raw::quote(&format!("(?{options}){pattern_text}"))))
}
