//! Content words of a text, in a form for comparing two texts: lower case, endings cut, at
//! most five letters; pairs of characters in scripts without spaces. This is a crude stemmer:
//! it shows whether two texts are about the same things, in any language, without a
//! dictionary.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::markers::fixed;
use super::word_lists::WORDS;
use super::word_shape::is_cjk;

/// Letters of a word that are compared.
const STEM: usize = 5;

/// A quotation, or a mark that opens one which does not end in its line.
static QUOTATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "\"[^\"\\n]*\"|`[^`\\n]*`|“[^”\\n]*”|「[^」\\n]*」|『[^』\\n]*』|«[^»\\n]*»|\
         (?<open>[\"`“「『«].*)",
    )
});

/// Blanks quoted parts of a text: the writer's own words are left.
pub(crate) fn without_quotes(text: &str) -> String {
    let plain = QUOTATION.replace_all(text, |found: &Captures<'_>| match found.name("open") {
        // A mark that opens no whole quote hides nothing.
        Some(open) => open.as_str().to_owned(),
        None => " ".to_owned(),
    });
    plain.into_owned()
}

/// True for a word that says nothing about a task, or that it is asked for.
pub(crate) fn is_stop(word: &str) -> bool {
    let lower = word.to_lowercase();
    WORDS.stop.has(stem(&lower)) || is_reporting(&lower)
}

fn is_reporting(word: &str) -> bool {
    WORDS.reporting.begins(word) || word.starts_with("requir")
}

/// Returns the content words of a text: the stems of its words that say something, and pairs of
/// characters in scripts without spaces.
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

/// The word without its ending, at most five letters.
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
