//! The errors of a query: the value found, and the values accepted.

use raw_json as raw;

use super::condition::is_sql;

/// The reason why a query cannot run. Quoted texts of the caller are truncated to 80 characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A member of the request has an unaccepted type or value.
    #[error("{member} is {found}; accepted is {accepted}")]
    BadMember {
        /// The member, with its place inside `where`.
        member: String,
        /// The value found.
        found: String,
        /// The values accepted.
        accepted: &'static str,
    },
    /// An unknown operator.
    #[error("{member}.op is `{found}`; accepted is one of {accepted}{}", meant(nearest.as_ref(), found))]
    UnknownOp {
        /// The place of the condition.
        member: String,
        /// The operator found.
        found: String,
        /// The most similar operator.
        nearest: Option<&'static str>,
        /// The known operators.
        accepted: String,
    },
    /// A field that no record has.
    #[error(
        "no record has the field `{found}`; accepted is a field of the records{}",
        list(nearest)
    )]
    UnknownField {
        /// The path found.
        found: String,
        /// At most five existing paths, the most similar first.
        nearest: Vec<String>,
    },
    /// An operand that cannot be a value of its field.
    #[error("{member}: {field} holds {holds}; {problem}; {advice}")]
    Misfit {
        /// The place of the condition.
        member: String,
        /// The field.
        field: String,
        /// The type of its values, with examples.
        holds: String,
        /// The reason why the operand or the operation matches none of these values.
        problem: String,
        /// The condition to send instead.
        advice: String,
    },
    /// A condition that is a string and cannot be parsed.
    #[error(
        "{member} is a text; accepted is {SHAPES}; or as SQL, with texts in single quotes: {}",
        rewritten(text)
    )]
    TextCondition {
        /// The place of the condition.
        member: String,
        /// The text.
        text: String,
    },
    /// A member that changes nothing next to the others.
    #[error("{member} has no effect {beside}; {instead}")]
    NoEffect {
        /// The member.
        member: &'static str,
        /// The members that leave it without effect, as a phrase.
        beside: &'static str,
        /// The request to send.
        instead: &'static str,
    },
    /// An invalid regular expression.
    #[error("{member}.value is not a regular expression: {reason}{}", position.map(|at| format!(", at character {at}")).unwrap_or_default())]
    BadPattern {
        /// The place of the condition.
        member: String,
        /// The position of the error, in characters from 0.
        position: Option<usize>,
        /// The error.
        reason: String,
    },
    /// A regular expression that needs too much memory.
    #[error(
        "{member}.value needs more than {limit} bytes compiled; accepted is a simpler expression"
    )]
    PatternTooCostly {
        /// The place of the condition.
        member: String,
        /// Maximum number of bytes of a compiled expression.
        limit: usize,
    },
    /// Too many parts in a query.
    #[error("{member} holds {found} {what}; accepted is at most {limit}")]
    TooMany {
        /// The member that has them.
        member: String,
        /// Their number, or the first number over the limit.
        found: usize,
        /// The name of the parts.
        what: &'static str,
        /// Maximum number that is accepted.
        limit: usize,
    },
    /// A line of the file is not one JSON value.
    #[error(
        "line {line} of the records is not JSON: expected {expected} at byte {at}; accepted is one JSON value a line"
    )]
    NotJson {
        /// The line, from 1, without the header.
        line: u64,
        /// The position of the error in the line, in bytes from 0.
        at: usize,
        /// The token that the grammar expects there.
        expected: &'static str,
    },
}

/// Maximum length of a part of a request that a suggested request repeats.
pub(super) const MAX_REPEATED: usize = 400;

pub(super) const SHAPES: &str = "an object with `field`, `op` and `value`, or with one of `all`, \
                                 `any` and `not`, or with fields and the values they equal";

/// Returns a condition in words as a request in SQL.
fn rewritten(text: &str) -> String {
    let is_whole = text.len() <= MAX_REPEATED && is_sql(text);
    let condition = if is_whole { text.trim() } else { "field = 'text' AND other > 5" };
    let sql = format!("SELECT * FROM records WHERE {condition}");
    format!("{{\"sql\": {}}}", raw::quote(&sql))
}

fn meant(nearest: Option<&&'static str>, found: &str) -> String {
    let Some(op) = nearest else { return String::new() };
    let is_pattern = found.to_lowercase().ends_with("like");
    let without = if is_pattern { ", with a value without `%`" } else { "" };
    format!("; did you mean `{op}`{without}?")
}

fn list(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    format!("; the nearest: {}", nearest.join(", "))
}

/// Returns the first 80 characters of a text, for a message.
pub(super) fn quoted(text: &str) -> String {
    const CHARS: usize = 80;
    match text.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
