//! Detects an order turned into its opposite, which shares all its words with the order
//! that the user gave.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::snapshot::text::content_words::{WordFilter, each_stem};
use crate::snapshot::text::word_lists::WORDS;

/// Words that negate a sentence, in the languages that `reports` reads.
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    let (spaced, unspaced) =
        (WORDS.negation.alternatives(), WORDS.negation_unspaced.alternatives());
    Regex::new(&format!(r"(?i)\b(?:{spaced})\b|{unspaced}")).expect("the words are embedded")
});

/// Returns true if every sentence of the user with all these stems is negated, and the
/// statement is not.
pub(super) fn is_negated(statement: &str, stems: &HashSet<u64>, user: &[&str]) -> bool {
    if stems.is_empty() || has_negation(statement) {
        return false;
    }
    let mut found = false;
    for sentence in
        user.iter().flat_map(|text| text.split(['\n', '.', '!', '?', ';', '。', '！', '？', '；']))
    {
        let mut held = HashSet::new();
        each_stem(sentence, WordFilter::All, |stem| {
            if stems.contains(&stem) {
                held.insert(stem);
            }
        });
        if held.len() < stems.len() {
            continue;
        }
        if !has_negation(sentence) {
            return false;
        }
        found = true;
    }
    found
}

fn has_negation(sentence: &str) -> bool {
    NEGATION.is_match(&sentence.replace('’', "'"))
}
