//! Tokens for comparing two texts: stems of words, numbers in a canonical spelling, names as a
//! whole and in parts, and pairs of characters in scripts without spaces.

use xxhash_rust::xxh3::xxh3_64;

use super::lists::LISTS;
use crate::snapshot::text::content_words::stem;
use crate::snapshot::text::word_shape::is_cjk;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// The stem of a word, or a pair of characters.
    Word,
    /// A number; separators and redundant zeros do not matter.
    Number,
    /// A name: a word with digits, `_` or capitals inside, or of capitals only.
    Name,
    /// A part of a name, or a rounded form of a number.
    Part,
}

/// One token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// The hash, equal for tokens that count as the same.
    pub(super) hash: u64,
    /// The kind of the token.
    pub(super) kind: TokenKind,
    /// Its first byte in the text.
    pub(super) start: usize,
    /// The byte after it.
    pub(super) end: usize,
}

/// Returns the tokens of a text, in order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    each_token(text, |token| tokens.push(token));
    tokens
}

/// Calls back with each token of a text, in order.
pub(super) fn each_token(text: &str, mut each: impl FnMut(Token)) {
    let mut at = 0;
    let mut unspaced: Option<(usize, usize)> = None;
    let mut lower = String::new();
    while let Some(c) = text[at..].chars().next() {
        let after = at + c.len_utf8();
        if !c.is_ascii() && is_cjk(c) {
            if let Some((start, end)) = unspaced
                && end == at
            {
                let hash = xxh3_64(&text.as_bytes()[start..after]);
                each(Token { hash, kind: TokenKind::Word, start, end: after });
            }
            unspaced = Some((at, after));
            at = after;
            continue;
        }
        if !is_word(c) {
            at = after;
            continue;
        }
        let start = at;
        if let Some(end) = number_end(text.as_bytes(), start) {
            number(text, start..end, &mut each);
            at = end;
            continue;
        }
        at = word_end(text, start);
        word(text, start..at, &mut lower, &mut each);
    }
}

/// Returns the end of the word that begins at `start`. A version is one word.
fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let joins = |(at, c): (usize, char)| {
        let named = at > 0 && bytes[start].is_ascii_alphabetic();
        let dot = c == '.' && digit(start + at + 1) && at > 0 && digit(start + at - 1)
            || c == '-' && named && digit(start + at + 1);
        dot || is_word(c) && (c.is_ascii() || !is_cjk(c))
    };
    let ends = text[start..].char_indices().find(|one| !joins(*one));
    ends.map_or(text.len(), |(at, _)| start + at)
}

fn word(
    text: &str,
    range: std::ops::Range<usize>,
    lower: &mut String,
    each: &mut impl FnMut(Token),
) {
    let (start, end) = (range.start, range.end);
    let word = &text[range];
    lower.clear();
    match word.is_ascii() {
        true => lower.extend(word.chars().map(|c| c.to_ascii_lowercase())),
        false => lower.extend(word.chars().flat_map(char::to_lowercase)),
    }
    let bytes = word.as_bytes();
    let humps = bytes.windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
    let digits = bytes.iter().any(u8::is_ascii_digit);
    if humps || digits || bytes.contains(&b'_') {
        each(Token { hash: xxh3_64(lower.as_bytes()), kind: TokenKind::Name, start, end });
        // `polars-1.9.0` contains the version as a part.
        let dashes = lower.contains('-') && word.len() == lower.len();
        for piece in lower.split('-').filter(|piece| dashes && !piece.is_empty()) {
            let start = start + raw_json::offset_in(lower, piece);
            let hash = match piece.bytes().all(|b| b.is_ascii_alphabetic()) {
                true => xxh3_64(stem(piece).as_bytes()),
                false => xxh3_64(piece.as_bytes()),
            };
            each(Token { hash, kind: TokenKind::Part, start, end: start + piece.len() });
        }
        parts(word, start, each);
        return;
    }
    if let Some(value) = LISTS.number_words.iter().position(|entry| entry == *lower) {
        each(Token { hash: number_hash(&value.to_string()), kind: TokenKind::Word, start, end });
        return;
    }
    let capitals = bytes.len() >= 2 && bytes.iter().all(u8::is_ascii_uppercase);
    let kind = if capitals { TokenKind::Name } else { TokenKind::Word };
    each(Token { hash: xxh3_64(stem(lower).as_bytes()), kind, start, end });
}

/// Calls back with the parts of a name such as `parse_tides` or `parseTides`.
fn parts(name: &str, start: usize, each: &mut impl FnMut(Token)) {
    let bytes = name.as_bytes();
    let mut from = 0;
    for at in 1..=bytes.len() {
        let ends = at == bytes.len()
            || bytes[at] == b'_'
            || bytes[at - 1] == b'_'
            || bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase()
            || bytes[at - 1].is_ascii_digit() != bytes[at].is_ascii_digit();
        if !ends || !name.is_char_boundary(at) {
            continue;
        }
        let part = &name[from..at];
        if part.len() > 1 && part.bytes().all(|b| b.is_ascii_alphabetic()) {
            let hash = xxh3_64(stem(&part.to_ascii_lowercase()).as_bytes());
            each(Token { hash, kind: TokenKind::Part, start: start + from, end: start + at });
        } else if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            let hash = number_hash(&plain_number(part));
            each(Token { hash, kind: TokenKind::Part, start: start + from, end: start + at });
        }
        from = at;
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn number_hash(plain: &str) -> u64 {
    xxh3_64(plain.as_bytes())
}

/// Calls back with a number, and with its rounded forms.
fn number(text: &str, range: std::ops::Range<usize>, each: &mut impl FnMut(Token)) {
    let (start, end) = (range.start, range.end);
    let plain = plain_number(&text[range]);
    each(Token { hash: number_hash(&plain), kind: TokenKind::Number, start, end });
    let Some((whole, fraction)) = plain.split_once('.') else { return };
    let mut rounded = vec![whole.to_owned()];
    if let Ok(value) = plain.parse::<f64>()
        && plain.len() < 16
    {
        let least = fraction.len().min(3);
        rounded.extend((0..least).map(|digits| plain_number(&format!("{value:.digits$}"))));
    }
    for spelling in rounded {
        each(Token { hash: number_hash(&spelling), kind: TokenKind::Part, start, end });
    }
}

/// Returns a number in canonical spelling: `01,200.50`, `1.200,5` and `1200.5` are equal.
pub(super) fn plain_number(text: &str) -> String {
    let separators = || text.char_indices().filter(|(_, c)| !c.is_ascii_digit());
    let last = separators().next_back();
    let count = separators().count();
    let mixed = separators().any(|(_, c)| Some(c) != last.map(|(_, c)| c));
    let fraction = last.filter(|(at, c)| {
        let digits = text.len() - at - 1;
        let group = digits == 3 && (*c != '.' || count > 1);
        *c != '_' && (mixed || count == 1 && !group)
    });
    let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
    let (whole, fraction) = match fraction {
        Some((at, _)) => (digits(&text[..at]), digits(&text[at..])),
        None => (digits(text), String::new()),
    };
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// Returns the end of a number, which may have a unit of at most three letters. Returns `None` for
/// names such as `7d589fc` and `1.2.3`.
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits =
        |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(start);
    if end == start {
        return None;
    }
    let mut dots = 0;
    let mut groups = true;
    while matches!(bytes.get(end), Some(b',' | b'_' | b'.')) && digits(end + 1) > end + 1 {
        let next = digits(end + 1);
        dots += usize::from(bytes[end] == b'.');
        groups &= next == end + 4 || bytes[end] != b'.';
        // `1, 2` has a space; `1,2,3` is a list.
        if bytes[end] != b'.' && next != end + 4 && bytes.get(next) == Some(&bytes[end]) {
            break;
        }
        end = next;
    }
    if dots > 1 && !groups {
        return None;
    }
    let unit = bytes[end..].iter().take(4).take_while(|b| b.is_ascii_alphabetic()).count();
    let after = bytes.get(end + unit);
    let joined = after.is_some_and(|b| b.is_ascii_digit() || *b == b'_');
    (unit <= 3 && !joined).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, each_token};

    fn hashes(text: &str, kind: TokenKind) -> Vec<u64> {
        let mut found = Vec::new();
        each_token(text, |token| {
            if token.kind == kind {
                found.push(token.hash);
            }
        });
        found
    }

    #[test]
    fn spellings_of_a_value_are_one_token() {
        for (one, other) in
            [("1,234.50", "1234.5"), ("1.234,5", "1234.50"), ("05", "5"), ("8200ms", "8200 ms")]
        {
            let numbers = |text| hashes(text, TokenKind::Number);
            assert_eq!(numbers(one), numbers(other), "{one}");
        }
        assert!(hashes("7d589fcab12", TokenKind::Number).is_empty());
        assert_eq!(hashes("parse_tides", TokenKind::Part), hashes("parse tides", TokenKind::Word));
        assert_eq!(hashes("parseTides", TokenKind::Part), hashes("parse tides", TokenKind::Word));
        assert_eq!(hashes("潮汐每天", TokenKind::Word).len(), 3);
    }
}
