//! Whether a sentence forbids or permits: an order turned into its opposite shares
//! all its words with the one that was given.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::content_words::{Take, each_stem};

/// Words that turn a sentence round, in the languages that `reports` reads.
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    let words = "never|not|no|without|avoid|stop|don'?t|doesn'?t|didn'?t|mustn'?t|can'?t|cannot|\
                 won'?t|shouldn'?t|nie|nicht|kein\\w*|ohne|jamais|pas|sans|nunca|jamás|sin|mai|non|\
                 senza|não|nem|не|нельзя|никогда|без";
    let unspaced = "不|别|勿|禁止|没|無|无|ない|ません|禁|말|금지|않";
    Regex::new(&format!(r"(?i)\b(?:{words})\b|{unspaced}")).expect("the words are constants")
});

/// True where every sentence of the user that speaks of all this forbids it, and
/// the claim does not.
pub(super) fn turned_round(claim: &str, stems: &HashSet<u64>, user: &[&str]) -> bool {
    if stems.is_empty() || negated(claim) {
        return false;
    }
    let mut found = false;
    for sentence in
        user.iter().flat_map(|text| text.split(['\n', '.', '!', '?', ';', '。', '！', '？', '；']))
    {
        let mut held = HashSet::new();
        each_stem(sentence, Take::All, |stem| {
            if stems.contains(&stem) {
                held.insert(stem);
            }
        });
        if held.len() < stems.len() {
            continue;
        }
        if !negated(sentence) {
            return false;
        }
        found = true;
    }
    found
}

fn negated(sentence: &str) -> bool {
    NEGATION.is_match(&sentence.replace('’', "'"))
}
