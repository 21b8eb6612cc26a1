//! The operators of a condition, by their names.

use crate::query::error::{QueryError, quoted};
use crate::query::nearest::distance;

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Contains,
    StartsWith,
    EndsWith,
    Matches,
    In,
    Exists,
}

/// The names of the operators, in the order of messages.
const NAMES: [(&str, Operation); 12] = [
    ("=", Operation::Equal),
    ("!=", Operation::NotEqual),
    (">", Operation::Greater),
    (">=", Operation::GreaterOrEqual),
    ("<", Operation::Less),
    ("<=", Operation::LessOrEqual),
    ("contains", Operation::Contains),
    ("starts_with", Operation::StartsWith),
    ("ends_with", Operation::EndsWith),
    ("matches", Operation::Matches),
    ("in", Operation::In),
    ("exists", Operation::Exists),
];

/// The names in other languages that are not similar to the names here.
const ALIASES: [(&str, &str); 20] = [
    ("eq", "="),
    ("equals", "="),
    ("is", "="),
    ("===", "="),
    ("ne", "!="),
    ("neq", "!="),
    ("not", "!="),
    ("gt", ">"),
    ("gte", ">="),
    ("ge", ">="),
    ("=>", ">="),
    ("lt", "<"),
    ("lte", "<="),
    ("le", "<="),
    ("=<", "<="),
    ("like", "contains"),
    ("ilike", "contains"),
    ("includes", "contains"),
    ("regex", "matches"),
    ("has", "exists"),
];

impl Operation {
    /// Reads a name; accepts also `==` and `<>`. Errors name `member` of the request.
    pub(crate) fn parse(name: &str, member: &str) -> Result<Self, QueryError> {
        let known = match name {
            "==" => "=",
            "<>" => "!=",
            name => name,
        };
        if let Some((_, operation)) = NAMES.iter().find(|(name, _)| *name == known) {
            return Ok(*operation);
        }
        Err(QueryError::UnknownOp {
            member: member.to_owned(),
            found: quoted(name),
            nearest: nearest(name),
            accepted: NAMES.map(|(name, _)| format!("`{name}`")).join(", "),
        })
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, operation)| *operation == self).map_or("", |(name, _)| name)
    }
}

fn nearest(name: &str) -> Option<&'static str> {
    let name = name.trim().trim_start_matches('$').to_lowercase();
    if let Some((_, known)) = ALIASES.iter().find(|(other, _)| *other == name) {
        return Some(known);
    }
    let close = NAMES.iter().map(|(known, _)| (distance(&name, known), *known)).min();
    // A name with fewer than half of the letters in common is probably not a typing error.
    close.filter(|(far, known)| far * 2 <= known.len()).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::{NAMES, Operation, QueryError};

    #[test]
    fn every_name_is_read_and_given_back() {
        for (name, operation) in NAMES {
            assert_eq!(Operation::parse(name, "where"), Ok(operation));
            assert_eq!(operation.name(), name);
        }
        assert_eq!(Operation::parse("==", "where"), Ok(Operation::Equal));
        assert_eq!(Operation::parse("<>", "where"), Ok(Operation::NotEqual));
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_list_and_the_nearest() {
        for (found, expected) in [
            ("startswith", Some("starts_with")),
            ("Contains", Some("contains")),
            ("$gte", Some(">=")),
            ("exist", Some("exists")),
            ("regex", Some("matches")),
            ("zzzzzzzzz", None),
        ] {
            let error = Operation::parse(found, "where.all[1]").unwrap_err();
            let QueryError::UnknownOp { nearest, accepted, .. } = &error else { panic!() };
            assert_eq!(*nearest, expected, "{found}");
            assert!(accepted.contains("`<=`") && accepted.contains("`starts_with`"));
            assert!(error.to_string().starts_with("where.all[1].op is"));
        }
    }
}
