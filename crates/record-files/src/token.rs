//! Tokens: a JSON text cut into its smallest parts, each with the white space
//! before it. The grammar is somebody else's business: on a text that is no JSON
//! the parts are merely odd, and still add up to the text.

use chat_history::raw;

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Begins at the start of `text`.
    pub(super) fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0 }
    }
}

impl<'a> Iterator for Tokens<'a> {
    /// The white space before a token, and the token.
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let bytes = self.text.as_bytes();
        let before = self.at;
        let mut start = before;
        while start < bytes.len() && is_space(bytes[start]) {
            start += 1;
        }
        let end = match bytes.get(start)? {
            b'"' => string_end(bytes, start),
            b'[' | b'{' | b']' | b'}' | b',' | b':' => start + 1,
            _ => scalar_end(bytes, start),
        };
        self.at = end;
        Some((&self.text[before..start], &self.text[start..end]))
    }
}

/// True for the four characters that JSON calls white space.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Where the string literal that begins at `start` ends; the end of the text
/// where it does not.
fn string_end(bytes: &[u8], start: usize) -> usize {
    raw::string_end(&bytes[start..]).map_or(bytes.len(), |length| start + length)
}

fn scalar_end(bytes: &[u8], start: usize) -> usize {
    let ends = |b: &u8| is_space(*b) || matches!(b, b'[' | b'{' | b']' | b'}' | b',' | b':' | b'"');
    bytes[start..].iter().position(ends).map_or(bytes.len(), |length| start + length)
}

/// The string literal that `text` begins with, and what follows it.
pub(super) fn split_string(text: &str) -> Option<(&str, &str)> {
    let end = text.starts_with('"').then(|| string_end(text.as_bytes(), 0))?;
    let (literal, rest) = text.split_at(end);
    (literal.len() > 1 && literal.ends_with('"')).then_some((literal, rest))
}

/// True where white space stands outside the strings of `json`.
pub(super) fn is_spaced(json: &str) -> bool {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            at = string_end(bytes, at);
            continue;
        }
        if is_space(byte) {
            return true;
        }
        at += 1;
    }
    false
}

/// Appends `json` without the white space outside its strings.
pub(super) fn minify(json: &str, out: &mut String) {
    for (_, token) in Tokens::new(json) {
        out.push_str(token);
    }
}

/// Where a token stands: what came before it, what it is, how deep it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    previous: usize,
    /// One entry an open container: true for an object.
    open: Vec<bool>,
}

const KINDS: usize = 9;
const OPEN_ARRAY: usize = 1;
const OPEN_OBJECT: usize = 2;
const CLOSE_ARRAY: usize = 3;
const CLOSE_OBJECT: usize = 4;
const ARRAY_COMMA: usize = 5;
const OBJECT_COMMA: usize = 6;
const COLON: usize = 7;
const SCALAR: usize = 8;

/// Deeper than this, depths are told apart no more.
const DEPTHS: usize = 64;

/// A place of white space: the kinds of its two neighbours and the depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Place {
    /// How many places there are.
    pub(super) const ALL: usize = KINDS * KINDS * DEPTHS;
    /// How many pairs of neighbours there are.
    pub(super) const PAIRS: usize = KINDS * KINDS;
    /// Between two objects that no container holds.
    pub(super) const BETWEEN_LINES: Place = Place::of(CLOSE_OBJECT, OPEN_OBJECT, 0);

    const fn of(previous: usize, next: usize, depth: usize) -> Place {
        Place((previous * KINDS + next) * DEPTHS + depth)
    }

    /// Counts from 0 to [`Place::ALL`].
    pub(super) fn index(self) -> usize {
        self.0
    }

    /// The neighbours alone, from 0 to [`Place::PAIRS`].
    pub(super) fn pair(self) -> usize {
        self.0 / DEPTHS
    }
}

impl Track {
    /// Steps over a token; gives the place of the white space before it.
    pub(super) fn step(&mut self, token: &str) -> Place {
        let depth = self.open.len().min(DEPTHS - 1);
        let in_object = self.open.last().copied().unwrap_or(false);
        let kind = match token.as_bytes().first() {
            Some(b'[') => OPEN_ARRAY,
            Some(b'{') => OPEN_OBJECT,
            Some(b']') => CLOSE_ARRAY,
            Some(b'}') => CLOSE_OBJECT,
            Some(b',') if in_object => OBJECT_COMMA,
            Some(b',') => ARRAY_COMMA,
            Some(b':') => COLON,
            _ => SCALAR,
        };
        match kind {
            OPEN_ARRAY | OPEN_OBJECT => self.open.push(kind == OPEN_OBJECT),
            CLOSE_ARRAY | CLOSE_OBJECT => drop(self.open.pop()),
            _ => {}
        }
        let place = Place::of(self.previous, kind, depth);
        self.previous = kind;
        place
    }

    /// How many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(&str, &str)> {
        Tokens::new(text).collect()
    }

    #[test]
    fn a_token_comes_with_the_white_space_before_it() {
        assert_eq!(
            tokens("{ \"a\" :\r\n[1.10,true , {}]}"),
            [
                ("", "{"),
                (" ", "\"a\""),
                (" ", ":"),
                ("\r\n", "["),
                ("", "1.10"),
                ("", ","),
                ("", "true"),
                (" ", ","),
                (" ", "{"),
                ("", "}"),
                ("", "]"),
                ("", "}")
            ]
        );
    }

    #[test]
    fn a_string_is_one_token_whatever_it_holds() {
        let literal = r#""a \" [1, 2] \\""#;
        assert_eq!(tokens(literal), [("", literal)]);
    }

    #[test]
    fn a_text_that_is_no_json_is_cut_without_a_panic() {
        for text in ["\"open", "\"open\\", "\u{e9}\u{e9} \u{4e2d},", "\\\"", "\"\\\u{4e2d}"] {
            let whole: String =
                tokens(text).iter().flat_map(|(gap, token)| [*gap, *token]).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn only_white_space_outside_strings_counts() {
        assert!(!is_spaced(r#"{"a b":"c \" d","e":[1,2]}"#));
        assert!(is_spaced(r#"{"a":1, "b":2}"#));
        assert!(is_spaced("[1\n]"));
    }

    #[test]
    fn a_comma_in_an_array_is_another_place_than_one_in_an_object() {
        let mut track = Track::default();
        let places: Vec<Place> =
            tokens("[1,2,{\"a\":1,\"b\":2}]").iter().map(|(_, t)| track.step(t)).collect();
        assert_eq!(places[2], places[4]);
        assert_ne!(places[2].pair(), places[9].pair());
        assert_eq!(track.depth(), 0);
    }

    #[test]
    fn a_string_is_split_from_what_follows() {
        assert_eq!(split_string(r#""a\"b":1"#), Some((r#""a\"b""#, ":1")));
        assert_eq!(split_string("\"open"), None);
        assert_eq!(split_string("\""), None);
        assert_eq!(split_string("1"), None);
    }
}
