//! A condition: the `where` of a query, a tree of comparisons.
//!
//! `{"field", "op", "value"}` compares one field; `{"all": […]}`,
//! `{"any": […]}` and `{"not": {…}}` combine. An object without any of these
//! six words is short for equalities that must all hold:
//! `{"namespace": "_semantic", "priority": 3}`; a record with a field of such a
//! name needs the long form.

mod compare;
mod operation;
mod pattern;

use raw_json::{self as raw, Fields};

use super::error::{QueryError, quoted};
use super::json::path::Path;
use compare::Comparison;
use operation::Operation;

pub(super) use compare::ComparisonState;

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 200;
const RESERVED: [&str; 6] = ["all", "any", "not", "field", "op", "value"];
const SHAPES: &str = "an object with `field`, `op` and `value`, or with one of `all`, `any` and \
                      `not`, or with fields and the values they equal";

/// A condition that a record meets or not.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// The index of a comparison in the query.
    Test(usize),
}

/// A comparison of a field.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// The index in the paths of the query.
    pub(crate) path: usize,
    pub(crate) comparison: Comparison,
}

/// The paths and comparisons of a query that is being read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The paths, without duplicates.
    pub(crate) paths: Vec<Path>,
    pub(crate) tests: Vec<Test>,
    nodes: usize,
}

impl Reading {
    /// Returns the index of a path; adds it if it is new.
    pub(crate) fn path(&mut self, spelled: &str, member: &str) -> Result<usize, QueryError> {
        let path = Path::parse(spelled, member)?;
        if let Some(known) = self.paths.iter().position(|known| *known == path) {
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
        let over = |found, what, limit| {
            Err(QueryError::TooMany { member: "where".to_owned(), found, what, limit })
        };
        if depth > MAX_DEPTH {
            return over(depth, "levels", MAX_DEPTH);
        }
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return over(self.nodes, "conditions", MAX_NODES);
        }
        let fields = raw::fields(part).map_err(|_no_object| bad(member, raw::kind(part)))?;
        let words: Vec<&str> =
            RESERVED.into_iter().filter(|word| fields.iter().any(|(key, _)| key == word)).collect();
        match words.first() {
            None => self.equalities(&fields, member),
            Some(&"all" | &"any" | &"not") if fields.len() > 1 => {
                Err(bad(member, &format!("an object with more beside `{}`", words[0])))
            }
            Some(&"not") => {
                let inner = self.part(fields[0].1, &format!("{member}.not"), depth + 1)?;
                Ok(Condition::Not(Box::new(inner)))
            }
            Some(&"all") => Ok(Condition::All(self.list(&fields, member, "all", depth)?)),
            Some(&"any") => Ok(Condition::Any(self.list(&fields, member, "any", depth)?)),
            Some(_) => self.test(&fields, member),
        }
    }

    fn list(
        &mut self,
        fields: &Fields<'_>,
        member: &str,
        word: &str,
        depth: usize,
    ) -> Result<Vec<Condition>, QueryError> {
        let member = format!("{member}.{word}");
        let parts = raw::elements(fields[0].1).map_err(|_no_array| QueryError::BadMember {
            member: member.clone(),
            found: raw::kind(fields[0].1).to_owned(),
            accepted: "a list of conditions",
        })?;
        let part = |(index, part): (usize, &&str)| {
            self.part(part, &format!("{member}[{index}]"), depth + 1)
        };
        parts.iter().enumerate().map(part).collect()
    }

    fn equalities(&mut self, fields: &Fields<'_>, member: &str) -> Result<Condition, QueryError> {
        let mut all = Vec::new();
        for (field, value) in fields {
            self.nodes += 1;
            if self.nodes > MAX_NODES {
                return Err(QueryError::TooMany {
                    member: "where".to_owned(),
                    found: self.nodes,
                    what: "conditions",
                    limit: MAX_NODES,
                });
            }
            let comparison = Comparison::read(Operation::Equal, Some(value), member)?;
            all.push(self.keep(field, member, comparison)?);
        }
        Ok(Condition::All(all))
    }

    fn test(&mut self, fields: &Fields<'_>, member: &str) -> Result<Condition, QueryError> {
        if let Some((other, _)) =
            fields.iter().find(|(key, _)| !matches!(key.as_ref(), "field" | "op" | "value"))
        {
            return Err(bad(member, &format!("an object that also holds `{}`", quoted(other))));
        }
        let text = |name: &str, accepted| {
            let value = raw::field(fields, name);
            match value.filter(|value| raw::is_string(value)) {
                Some(literal) => Ok(raw::unescape(literal).text),
                None => Err(QueryError::BadMember {
                    member: format!("{member}.{name}"),
                    found: value.map_or("absent", raw::kind).to_owned(),
                    accepted,
                }),
            }
        };
        let field = text("field", "the dotted name of a field")?;
        let op = text("op", "an operator such as `=`, `>` or `contains`")?;
        let operation = Operation::parse(&op, member)?;
        let comparison = Comparison::read(operation, raw::field(fields, "value"), member)?;
        self.keep(&field, member, comparison)
    }

    fn keep(
        &mut self,
        field: &str,
        member: &str,
        comparison: Comparison,
    ) -> Result<Condition, QueryError> {
        let path = self.path(field, member)?;
        self.tests.push(Test { path, comparison });
        Ok(Condition::Test(self.tests.len() - 1))
    }
}

impl Condition {
    /// Returns true if the condition holds, given the results of the comparisons. Calls `test`
    /// no more than necessary. At most 32 levels recurse.
    pub(crate) fn holds(&self, test: &mut dyn FnMut(usize) -> bool) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(test)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(test)),
            Self::Not(part) => !part.holds(test),
            Self::Test(index) => test(*index),
        }
    }
}

fn bad(member: &str, found: &str) -> QueryError {
    QueryError::BadMember { member: member.to_owned(), found: found.to_owned(), accepted: SHAPES }
}

#[cfg(test)]
mod tests {
    use super::{Condition, QueryError, Reading};

    fn read(raw: &str) -> Result<(Condition, Reading), QueryError> {
        let mut reading = Reading::default();
        reading.condition(raw).map(|condition| (condition, reading))
    }

    fn error(raw: &str) -> String {
        read(raw).unwrap_err().to_string()
    }

    #[test]
    fn conditions_nest_and_share_paths() {
        let (condition, reading) = read(
            r#"{"all":[{"field":"a","op":"=","value":1},{"not":{"any":[{"field":".a","op":">","value":2},{"b":3}]}}]}"#,
        )
        .unwrap();
        assert_eq!((reading.paths.len(), reading.tests.len()), (2, 3));
        assert!(condition.holds(&mut |test| test == 0));
        assert!(!condition.holds(&mut |_| true));
        assert!(!condition.holds(&mut |_| false));
    }

    #[test]
    fn an_object_without_reserved_words_is_short_for_equalities() {
        let (condition, reading) = read(r#"{"namespace":"_semantic","priority":3}"#).unwrap();
        assert_eq!(reading.tests.len(), 2);
        assert!(condition.holds(&mut |_| true));
        assert!(!condition.holds(&mut |test| test == 0));
        assert!(read("{}").unwrap().0.holds(&mut |_| false));
    }

    #[test]
    fn an_error_names_its_place() {
        assert!(error("[1]").starts_with("where is an array; accepted is an object with"));
        assert!(error(r#"{"all":1}"#).starts_with("where.all is a number; accepted is a list"));
        assert!(error(r#"{"all":[{"not":7}]}"#).starts_with("where.all[0].not is a number"));
        assert!(error(r#"{"all":[],"x":1}"#).contains("more beside `all`"));
        assert!(error(r#"{"field":"a","value":1}"#).starts_with("where.op is absent"));
        assert!(error(r#"{"op":"=","value":1}"#).starts_with("where.field is absent"));
        assert!(error(r#"{"field":"a","op":"=","value":1,"x":2}"#).contains("also holds `x`"));
        assert!(error(r#"{"field":"a","op":"=="}"#).starts_with("where.value is absent"));
        assert!(error(r#"{"field":"","op":"=","value":1}"#).contains("an empty path"));
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = |levels: usize| {
            format!("{}{{\"a\":1}}{}", "{\"not\":".repeat(levels), "}".repeat(levels))
        };
        assert!(read(&deep(31)).is_ok());
        assert!(error(&deep(32)).contains("levels"));
        assert!(error(&deep(10_000)).contains("levels"));
        let many = format!("{{\"any\":[{}{{}}]}}", "{},".repeat(1000));
        assert!(error(&many).contains("conditions; accepted is at most 200"));
    }
}
