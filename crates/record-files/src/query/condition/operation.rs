//! The operators of a condition, by their names.

use raw_json::nearest;

use crate::query::error::{QueryError, quoted};

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Equal,
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
    IsNull,
}

/// An operator, and whether its result is negated.
pub(crate) type Named = (Operation, bool);

/// The names of the operators: the one for messages, the operator, and other spellings, in lower
/// case without `$`, with `_` for spaces and hyphens.
const NAMES: [(&str, Named, &[&str]); 18] = [
    ("=", (Operation::Equal, false), &["==", "===", "eq", "equal", "equals", "is"]),
    (
        "!=",
        (Operation::Equal, true),
        &["<>", "!==", "ne", "neq", "not", "is_not", "not_equal", "not_equals"],
    ),
    (">", (Operation::Greater, false), &["gt", "greater_than", "after"]),
    (">=", (Operation::GreaterOrEqual, false), &["=>", "gte", "ge", "greater_than_or_equal"]),
    ("<", (Operation::Less, false), &["lt", "less_than", "before"]),
    ("<=", (Operation::LessOrEqual, false), &["=<", "lte", "le", "less_than_or_equal"]),
    ("contains", (Operation::Contains, false), &["icontains", "includes", "has"]),
    ("not_contains", (Operation::Contains, true), &["does_not_contain", "excludes"]),
    ("starts_with", (Operation::StartsWith, false), &["startswith", "prefix"]),
    ("ends_with", (Operation::EndsWith, false), &["endswith", "suffix"]),
    ("matches", (Operation::Matches, false), &["match", "regex", "regexp", "~", "=~"]),
    ("not_matches", (Operation::Matches, true), &["not_regex", "!~"]),
    ("in", (Operation::In, false), &["one_of", "any_of"]),
    ("not_in", (Operation::In, true), &["nin", "none_of"]),
    ("exists", (Operation::Exists, false), &["is_present"]),
    ("not_exists", (Operation::Exists, true), &["missing", "is_missing"]),
    ("is_null", (Operation::IsNull, false), &["isnull", "null"]),
    ("is_not_null", (Operation::IsNull, true), &["not_null", "notnull"]),
];

impl Operation {
    /// Parses a name in any spelling. Returns `None` if it is unknown.
    pub(crate) fn named(name: &str) -> Option<Named> {
        let name = plain(name);
        let is_it = |(known, _, others): &&(&str, Named, &[&str])| {
            *known == name || others.contains(&name.as_str())
        };
        NAMES.iter().find(is_it).map(|(_, named, _)| *named)
    }

    /// Parses a name in any spelling. Errors name `member` of the request.
    pub(crate) fn parse(name: &str, member: &str) -> Result<Named, QueryError> {
        Self::named(name).ok_or_else(|| QueryError::UnknownOp {
            member: member.to_owned(),
            found: quoted(name),
            nearest: meant(&plain(name)),
            accepted: NAMES.map(|(name, ..)| format!("`{name}`")).join(", "),
        })
    }

    /// Returns true for an operator of other query languages, such as `ilike`.
    pub(crate) fn is_nearly(name: &str) -> bool {
        let name = plain(name);
        Self::named(&name).is_none() && name.ends_with("like")
    }

    /// Returns true for `between`, which is a combination of `>=` and `<=`.
    pub(crate) fn is_between(name: &str) -> bool {
        plain(name) == "between"
    }

    pub(crate) fn name(named: Named) -> &'static str {
        NAMES.iter().find(|(_, known, _)| *known == named).map_or("", |(name, ..)| name)
    }

    /// Returns true for the operators that need an order of values.
    pub(crate) fn is_ordered(self) -> bool {
        matches!(self, Self::Greater | Self::GreaterOrEqual | Self::Less | Self::LessOrEqual)
    }

    /// Returns true for the operators whose operand is parsed as the type of the field.
    pub(crate) fn is_typed(self) -> bool {
        self.is_ordered() || matches!(self, Self::Equal | Self::In)
    }
}

fn plain(name: &str) -> String {
    name.trim().trim_start_matches('$').to_lowercase().replace([' ', '-'], "_")
}

fn meant(name: &str) -> Option<&'static str> {
    if name.ends_with("like") {
        return Some("contains");
    }
    nearest(name, NAMES.iter().map(|(known, ..)| *known), 1).pop()
}

#[cfg(test)]
mod tests {
    use super::{NAMES, Operation, QueryError};

    #[test]
    fn every_name_is_read_and_given_back() {
        for (name, named, others) in NAMES {
            assert_eq!(Operation::name(named), name);
            for spelled in others.iter().chain([&name]) {
                assert_eq!(Operation::parse(spelled, "where"), Ok(named));
                assert_eq!(Operation::named(&format!("${}", spelled.to_uppercase())), Some(named));
            }
        }
        assert_eq!(Operation::named("Starts With"), Operation::named("starts_with"));
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_list_and_the_nearest() {
        for (found, expected) in [
            ("ilike", Some("contains")),
            ("exist", Some("exists")),
            ("contain", Some("contains")),
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
