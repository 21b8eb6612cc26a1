//! The word lists for verification: data in `lists.toml`, parsed once.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::snapshot::text::word_lists::List;
use crate::snapshot::text::word_shape::is_cjk;

/// The lists of the file.
pub(super) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    toml::from_str(include_str!("lists.toml")).expect("the file is embedded, and tests read it")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    pub(super) number_words: List,
    pub(super) negators: Words,
    pub(super) forgetting: Words,
    pub(super) excepting: Words,
    pub(super) modals: Words,
    pub(super) limiting: Words,
    pub(super) intending: Words,
    pub(super) forward: Words,
    pub(super) backward: Words,
    pub(super) asking: Words,
    pub(super) changing: Words,
    pub(super) happening: Words,
    pub(super) assenting: Words,
    pub(super) addressing: Words,
    pub(super) commanding: Words,
    pub(super) agents: Words,
    pub(super) acting: Words,
    pub(super) attributing: Words,
    pub(super) permitting: Words,
    pub(super) approximate: Words,
    pub(super) consenting: Words,
    pub(super) opposites: Vec<Opposites>,
}

/// Two lists of words with opposite meanings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opposites {
    pub(super) plus: Words,
    pub(super) minus: Words,
}

/// A list of words in lower case.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Words {
    whole: Vec<String>,
    begin: Vec<String>,
    /// Words of scripts without spaces.
    unspaced: Vec<String>,
}

impl From<String> for Words {
    fn from(text: String) -> Words {
        let (mut whole, mut begin, mut unspaced) = (Vec::new(), Vec::new(), Vec::new());
        for entry in text.split_whitespace() {
            match entry.strip_prefix('=') {
                Some(word) => whole.push(word.to_owned()),
                None if entry.contains(is_cjk) => unspaced.push(entry.to_owned()),
                None => begin.push(entry.to_owned()),
            }
        }
        whole.sort_unstable();
        Words { whole, begin, unspaced }
    }
}

impl Words {
    /// Returns true if the list has the word, which must be in lower case.
    pub(super) fn has(&self, word: &str) -> bool {
        self.whole.binary_search_by(|entry| entry.as_str().cmp(word)).is_ok()
            || self.begin.iter().any(|entry| word.starts_with(entry.as_str()))
    }

    /// Returns true if the text has a word of the list, or contains an unspaced entry of it.
    pub(super) fn are_in(&self, text: &str) -> bool {
        words(text).any(|word| self.has(&word)) || self.are_in_unspaced(text)
    }

    /// Returns true if the text contains an unspaced entry of the list.
    pub(super) fn are_in_unspaced(&self, text: &str) -> bool {
        !text.is_ascii() && self.unspaced.iter().any(|word| text.contains(word))
    }

    /// Returns the positions of the list's unspaced entries in a text.
    pub(super) fn places_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
        self.unspaced.iter().flat_map(|word| text.match_indices(word.as_str()))
    }
}

/// Returns the words of a text in lower case.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}
