//! Splits a statement into tokens.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword without quotes.
    Word,
    /// A name in `"…"`, `` `…` `` or `[…]`.
    Quoted,
    /// A text in `'…'`.
    Text,
    /// A number.
    Number,
    /// `?`, `?1`, `:name`, `@name` or `$name`.
    Parameter,
    /// Operators of up to three bytes, and brackets.
    Symbol,
}

/// A token with its place in the statement. White space and comments are no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

/// Operators of more than one byte, the longest first.
const LONG: [&str; 9] = ["->>", "->", "||", "<=", ">=", "<>", "==", "!=", "::"];

impl Token {
    /// Returns the token as it is spelled.
    pub(crate) fn text<'s>(&self, sql: &'s str) -> &'s str {
        &sql[self.range.clone()]
    }

    /// Returns true for a name, with or without quotes.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Quoted)
    }

    /// Returns true if the token is the keyword or symbol `word`.
    pub(crate) fn is(&self, sql: &str, word: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Symbol) && self.text(sql).eq_ignore_ascii_case(word)
    }

    /// Returns the name or text without its quotes.
    pub(crate) fn value(&self, sql: &str) -> String {
        let text = self.text(sql);
        match self.kind {
            Kind::Text | Kind::Quoted => {
                let close = if text.starts_with('[') { ']' } else { text.as_bytes()[0].into() };
                let inner = text[1..].strip_suffix(close).unwrap_or(&text[1..]);
                inner.replace(&format!("{close}{close}"), &close.to_string())
            }
            _ => text.to_owned(),
        }
    }
}

/// Returns the tokens of a statement. Quotes and comments without an end reach to the end.
pub(crate) fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = sql[at..].chars().next() {
        let rest = &sql[at..];
        let (kind, length) = if first.is_whitespace() {
            (None, first.len_utf8())
        } else if rest.starts_with("--") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (None, comment.find("*/").map_or(rest.len(), |end| end + 4))
        } else {
            let (kind, length) = token(rest, first);
            (Some(kind), length)
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, range: at..at + length });
        }
        at += length;
    }
    tokens
}

fn token(rest: &str, first: char) -> (Kind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
    let word = |rest: &str| rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    match first {
        '\'' => (Kind::Text, quoted(rest, '\'')),
        '"' | '`' => (Kind::Quoted, quoted(rest, first)),
        '[' => (Kind::Quoted, rest.find(']').map_or(rest.len(), |end| end + 1)),
        'x' | 'X' if rest[1..].starts_with('\'') => (Kind::Text, 1 + quoted(&rest[1..], '\'')),
        '?' | '@' | '$' => (Kind::Parameter, 1 + word(&rest[1..])),
        ':' if rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_') => {
            (Kind::Parameter, 1 + word(&rest[1..]))
        }
        '0'..='9' => (Kind::Number, number(rest)),
        '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => (Kind::Number, number(rest)),
        _ if is_word(first) => (Kind::Word, word(rest)),
        _ => {
            let long = LONG.iter().find(|long| rest.starts_with(**long));
            (Kind::Symbol, long.map_or(first.len_utf8(), |long| long.len()))
        }
    }
}

/// Returns the length of a quoted token; a doubled quote is a quote.
fn quoted(rest: &str, quote: char) -> usize {
    let mut at = 1;
    while let Some(end) = rest[at..].find(quote) {
        at += end + 1;
        if !rest[at..].starts_with(quote) {
            return at;
        }
        at += 1;
    }
    rest.len()
}

fn number(rest: &str) -> usize {
    let mut before = ' ';
    let end = rest.find(|c: char| {
        let sign = (c == '+' || c == '-') && (before == 'e' || before == 'E');
        before = c;
        !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || sign)
    });
    end.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(sql: &str) -> Vec<&str> {
        tokens(sql).iter().map(|token| token.text(sql)).collect()
    }

    #[test]
    fn quotes_and_comments_end_where_they_end() {
        let sql = "SELECT 'a''b;' , \"x\"\"y\", [z w] -- ; end\n/* ; */ FROM r;x";
        let expected =
            ["SELECT", "'a''b;'", ",", "\"x\"\"y\"", ",", "[z w]", "FROM", "r", ";", "x"];
        assert_eq!(split(sql), expected);
        let values: Vec<String> = tokens(sql).iter().map(|token| token.value(sql)).collect();
        assert_eq!(
            (values[1].as_str(), values[3].as_str(), values[5].as_str()),
            ("a'b;", "x\"y", "z w")
        );
    }

    #[test]
    fn operators_numbers_and_parameters() {
        assert_eq!(
            split("a.b->>'$.x'>=1.5e-3 AND c::int!=?1 or :n"),
            [
                "a", ".", "b", "->>", "'$.x'", ">=", "1.5e-3", "AND", "c", "::", "int", "!=", "?1",
                "or", ":n"
            ]
        );
    }

    #[test]
    fn what_has_no_end_reaches_to_the_end() {
        for sql in ["'a", "\"", "/* a", "x'", "[", "-- b", "é'", "''"] {
            let all = tokens(sql);
            assert!(all.iter().all(|token| token.range.end <= sql.len()), "{sql}");
            all.iter().for_each(|token| drop(token.value(sql)));
        }
    }
}
