//! Words to search for: a default for a keyword that the records really hold.

use chat_history::raw;

use crate::schema::node::Node;

/// Characters of a default keyword at most.
const LONGEST: usize = 24;

/// A word of the node's texts, of letters and digits only so that it means itself
/// in a regular expression: the most frequent one of the short texts, or the
/// longest of the first long one.
pub(super) fn keyword(node: &Node) -> Option<String> {
    let texts = || node.values.kept().filter(|literal| raw::is_string(literal)).map(raw::unescape);
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
        if best.as_ref().is_none_or(|(_, most)| count > *most) {
            best = Some((word, count));
        }
    }
    best.map(|(word, _)| word).or_else(|| longest(node.texts.example.as_deref()?))
}

fn longest(text: &str) -> Option<String> {
    words(text).max_by_key(String::len)
}

/// The words of a text that are worth a search: four letters and more, or two
/// where the script writes whole words so short.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric() || c == char::REPLACEMENT_CHARACTER)
        .filter(|word| {
            let least = if word.is_ascii() { 4 } else { 2 };
            word.chars().take(least).count() == least && word.chars().any(char::is_alphabetic)
        })
        .map(|word| {
            // Words of other scripts may be whole sentences.
            let most = if word.is_ascii() { LONGEST } else { 4 };
            word.chars().take(most).collect()
        })
}
