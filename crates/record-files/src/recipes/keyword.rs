//! A default keyword to search for: a word that the records contain.

use raw_json as raw;

use crate::schema::node::Node;

/// Maximum number of characters of a keyword.
const MAX_CHARS: usize = 24;
/// Maximum number of characters of a keyword in scripts without spaces, where a word may be a
/// sentence.
const MAX_CHARS_OTHER_SCRIPTS: usize = 4;

/// Returns the most frequent word of a node's short texts; if there is none, the longest word of
/// its first long text. A keyword has only letters and digits, so that it matches itself as a
/// regular expression.
pub(super) fn keyword(node: &Node) -> Option<String> {
    let texts = || node.values.shown().filter(|literal| raw::is_string(literal)).map(raw::unescape);
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut at = std::collections::HashMap::new();
    for text in texts().filter(|text| text.exact) {
        for word in words(&text.text) {
            let place = *at.entry(word.clone()).or_insert(counts.len());
            match counts.get_mut(place) {
                Some((_, count)) => *count += 1,
                None => counts.push((word, 1)),
            }
        }
    }
    let mut best: Option<(String, usize)> = None;
    for (word, count) in counts {
        if best.as_ref().is_none_or(|(_, max)| count > *max) {
            best = Some((word, count));
        }
    }
    best.map(|(word, _)| word).or_else(|| longest(node.texts.example.as_deref()?))
}

fn longest(text: &str) -> Option<String> {
    words(text).max_by_key(String::len)
}

/// Returns the words of a text that are useful to search for: at least four characters, or two if
/// they are not ASCII.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric() || c == char::REPLACEMENT_CHARACTER)
        .filter(|word| {
            let min = if word.is_ascii() { 4 } else { 2 };
            word.chars().take(min).count() == min && word.chars().any(char::is_alphabetic)
        })
        .map(|word| {
            let max = if word.is_ascii() { MAX_CHARS } else { MAX_CHARS_OTHER_SCRIPTS };
            word.chars().take(max).collect()
        })
}
