//! A regular expression of a condition, in the syntax of the `regex` crate. Its time is linear
//! in the text; its memory is bounded here.

use regex::{Regex, RegexBuilder};

use crate::query::error::QueryError;

const MAX_BYTES: usize = 1024;
const MAX_COMPILED_BYTES: usize = 1024 * 1024;

/// Compiles an expression of at most 1 KiB into at most 1 MiB. Errors name `member`, the place
/// of the condition.
pub(crate) fn compile(expression: &str, member: &str) -> Result<Regex, QueryError> {
    if expression.len() > MAX_BYTES {
        return Err(QueryError::TooMany {
            member: format!("{member}.value"),
            found: expression.len(),
            what: "bytes",
            limit: MAX_BYTES,
        });
    }
    // Parsed separately for the position of an error, which `Regex` does not return.
    regex_syntax::parse(expression).map_err(|error| {
        let (offset, reason) = match &error {
            regex_syntax::Error::Parse(error) => {
                (Some(error.span().start.offset), error.kind().to_string())
            }
            regex_syntax::Error::Translate(error) => {
                (Some(error.span().start.offset), error.kind().to_string())
            }
            other => (None, other.to_string()),
        };
        let chars = |end| expression.char_indices().take_while(|(at, _)| *at < end).count();
        QueryError::BadPattern { member: member.to_owned(), position: offset.map(chars), reason }
    })?;
    RegexBuilder::new(expression)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|_too_big| QueryError::PatternTooCostly {
            member: member.to_owned(),
            limit: MAX_COMPILED_BYTES,
        })
}

#[cfg(test)]
mod tests {
    use super::{QueryError, compile};

    #[test]
    fn a_mistake_is_an_error_with_its_position_in_characters() {
        let error = compile("é(ab", "where").unwrap_err();
        assert!(matches!(error, QueryError::BadPattern { position: Some(1), .. }), "{error}");
        let error = compile(r"a\1", "where").unwrap_err();
        assert!(matches!(error, QueryError::BadPattern { position: Some(1), .. }), "{error}");
    }

    #[test]
    fn length_and_memory_are_bounded() {
        assert!(matches!(compile(&"a".repeat(1025), "where"), Err(QueryError::TooMany { .. })));
        let error = compile(r"(\w{100}){100}", "where").unwrap_err();
        assert!(matches!(error, QueryError::PatternTooCostly { .. }));
        let deep = format!("{}a{}", "(".repeat(500), ")".repeat(500));
        assert!(matches!(compile(&deep, "where"), Err(QueryError::BadPattern { .. })));
    }
}
