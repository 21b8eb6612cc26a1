//! Content words of a text, in a form for comparing two texts: in lower case, without endings, at
//! most five letters; in scripts without spaces, pairs of characters. This crude stemmer shows in
//! any language, without a dictionary, whether two texts have the same subject.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::markers::fixed;
use super::word_lists::WORDS;
use super::word_shape::is_cjk;

/// Maximum number of letters of a stem.
const STEM: usize = 5;

/// Matches a quotation, or an opening mark that is not closed in its line.
static QUOTATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "\"[^\"\\n]*\"|`[^`\\n]*`|“[^”\\n]*”|「[^」\\n]*」|『[^』\\n]*』|«[^»\\n]*»|\
         (?<open>[\"`“「『«].*)",
    )
});

/// Replaces each quotation in a text with a space, so that the writer's own words remain.
pub(crate) fn without_quotes(text: &str) -> String {
    let plain = QUOTATION.replace_all(text, |found: &Captures<'_>| match found.name("open") {
        // An opening mark without a closing one is not a quotation.
        Some(open) => open.as_str().to_owned(),
        None => " ".to_owned(),
    });
    plain.into_owned()
}

/// Returns true for a stop word, and for a verb of asking or reporting: neither says anything about
/// a task.
pub(crate) fn is_stop(word: &str) -> bool {
    let lower = word.to_lowercase();
    WORDS.stop.has(stem(&lower)) || is_reporting(&lower)
}

fn is_reporting(word: &str) -> bool {
    WORDS.reporting.begins(word) || word.starts_with("requir")
}

/// Returns the content words of a text: the stems of words that are longer than two bytes and are
/// not stop words, and the pairs of characters of scripts without spaces.
pub(crate) fn content_words(text: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if word.chars().any(is_cjk) {
            let letters: Vec<char> = word.chars().collect();
            words.extend(letters.windows(2).map(String::from_iter));
        } else if word.len() > 2 && !is_stop(word) {
            words.insert(stem(&word.to_lowercase()).to_owned());
        }
    }
    words
}

/// Returns a word without its ending, truncated to five letters.
pub(crate) fn stem(word: &str) -> &str {
    let mut stem = word;
    for ending in ["ing", "ed", "es", "s", "e"] {
        if let Some(shorter) = stem.strip_suffix(ending)
            && shorter.len() >= 3
        {
            stem = shorter;
            break;
        }
    }
    if stem.is_ascii() {
        return &stem[..stem.len().min(STEM)];
    }
    let end = stem.char_indices().nth(STEM).map_or(stem.len(), |(at, _)| at);
    &stem[..end]
}

#[cfg(test)]
mod tests {
    use super::{stem, without_quotes};

    #[test]
    fn forms_of_a_word_are_one() {
        for (one, other) in [
            ("fails", "failing"),
            ("deploy", "deployment"),
            ("moved", "moves"),
            ("проверь", "проверить"),
        ] {
            assert_eq!(stem(one), stem(other), "{one}");
        }
    }

    #[test]
    fn quotes_are_blanked_only_when_closed() {
        assert_eq!(
            without_quotes("a \"b c\" d `e` “f”").split_whitespace().collect::<String>(),
            "ad"
        );
        assert_eq!(without_quotes("a \"b c\nd"), "a \"b c\nd");
    }
}
