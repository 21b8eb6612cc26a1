//! Why a query cannot be answered: what was found, and what would be accepted.

/// Why a query cannot be answered. Texts of the caller are quoted shortened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A member of the request is of a shape that it cannot have.
    #[error("{member} is {found}; accepted is {accepted}")]
    BadMember {
        /// The member, with its place inside `where`.
        member: String,
        /// What stood there.
        found: String,
        /// What would be accepted.
        accepted: &'static str,
    },
    /// An operator that is not known.
    #[error("{member}.op is `{found}`; accepted is one of {accepted}{}", meant(nearest.as_ref()))]
    UnknownOp {
        /// Where the condition stands.
        member: String,
        /// The operator that was given.
        found: String,
        /// The operator that is most like it.
        nearest: Option<&'static str>,
        /// The known operators.
        accepted: String,
    },
    /// A field that no record holds.
    #[error(
        "no record has the field `{found}`; accepted is a field of the records{}",
        list(nearest)
    )]
    UnknownField {
        /// The path that was given.
        found: String,
        /// At most five paths that exist, the likeliest first.
        nearest: Vec<String>,
    },
    /// A regular expression that cannot be read.
    #[error("{member}.value is no regular expression: {reason}{}", position.map(|at| format!(", at character {at}")).unwrap_or_default())]
    BadPattern {
        /// Where the condition stands.
        member: String,
        /// In characters from 0, where the mistake begins.
        position: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// A regular expression that would take too much memory.
    #[error(
        "{member}.value needs more than {limit} bytes compiled; accepted is a simpler expression"
    )]
    PatternTooCostly {
        /// Where the condition stands.
        member: String,
        /// The most bytes.
        limit: usize,
    },
    /// More of something than a query may hold.
    #[error("{member} holds {found} {what}; accepted is at most {limit}")]
    TooMany {
        /// The member that holds them.
        member: String,
        /// How many there are, or the first number beyond the limit.
        found: usize,
        /// What is counted.
        what: &'static str,
        /// The most that are taken.
        limit: usize,
    },
    /// A line of the file that is not one JSON value.
    #[error(
        "line {line} of the records is no JSON: expected {expected} at byte {at}; accepted is one JSON value a line"
    )]
    NotJson {
        /// From 1, among the lines of the records.
        line: u64,
        /// In bytes from the start of the line.
        at: usize,
        /// What the grammar takes there.
        expected: &'static str,
    },
}

fn meant(nearest: Option<&&'static str>) -> String {
    nearest.map(|op| format!("; did you mean `{op}`?")).unwrap_or_default()
}

fn list(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    format!("; the nearest: {}", nearest.join(", "))
}

/// The start of a text, short enough to be quoted in a message.
pub(super) fn quoted(text: &str) -> String {
    const CHARS: usize = 80;
    match text.char_indices().nth(CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
