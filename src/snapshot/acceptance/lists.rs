//! The word lists of this folder: data in `lists.toml`, parsed once.

use std::sync::LazyLock;

use serde::Deserialize;

/// The lists of the file.
pub(super) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    toml::from_str(include_str!("lists.toml")).expect("the file is embedded, and tests read it")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lists {
    #[serde(deserialize_with = "words")]
    pub(super) number_words: Vec<String>,
    pub(super) negators: Beginnings,
    pub(super) negators_unspaced: Unspaced,
    pub(super) forgetting: Beginnings,
    pub(super) excepting: Beginnings,
    pub(super) modals: Beginnings,
    pub(super) limiting: Beginnings,
    pub(super) limiting_unspaced: Unspaced,
    pub(super) intending: Beginnings,
    pub(super) intending_unspaced: Unspaced,
    pub(super) forward: Beginnings,
    pub(super) backward: Beginnings,
    pub(super) asking: Beginnings,
    pub(super) asking_unspaced: Unspaced,
    pub(super) changing: Beginnings,
    pub(super) changing_unspaced: Unspaced,
    pub(super) happening: Beginnings,
    pub(super) happening_unspaced: Unspaced,
    pub(super) assenting: Beginnings,
    pub(super) assenting_unspaced: Unspaced,
    pub(super) addressing: Beginnings,
    pub(super) addressing_unspaced: Unspaced,
    pub(super) commanding_unspaced: Unspaced,
    pub(super) agents: Beginnings,
    pub(super) agents_unspaced: Unspaced,
    pub(super) acting: Beginnings,
    pub(super) attributing: Beginnings,
    pub(super) attributing_unspaced: Unspaced,
    pub(super) permitting: Beginnings,
    pub(super) permitting_unspaced: Unspaced,
    pub(super) approximate: Beginnings,
    pub(super) approximate_unspaced: Unspaced,
    pub(super) consenting: Beginnings,
    pub(super) opposites: Vec<Opposites>,
}

/// Two kinds of words, each the opposite of the other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Opposites {
    pub(super) plus: Beginnings,
    pub(super) minus: Beginnings,
    pub(super) plus_unspaced: Unspaced,
    pub(super) minus_unspaced: Unspaced,
}

/// Whole words and beginnings of words, in lower case.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Beginnings {
    whole: Vec<String>,
    begin: Vec<String>,
}

impl From<String> for Beginnings {
    fn from(text: String) -> Beginnings {
        let (mut whole, mut begin) = (Vec::new(), Vec::new());
        for entry in text.split_whitespace() {
            match entry.strip_prefix('=') {
                Some(word) => whole.push(word.to_owned()),
                None => begin.push(entry.to_owned()),
            }
        }
        whole.sort_unstable();
        Beginnings { whole, begin }
    }
}

impl Beginnings {
    /// True if the word, in lower case, is one of these.
    pub(super) fn has(&self, word: &str) -> bool {
        self.whole.binary_search_by(|entry| entry.as_str().cmp(word)).is_ok()
            || self.begin.iter().any(|entry| word.starts_with(entry.as_str()))
    }
}

/// Words of scripts without spaces.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct Unspaced(Vec<String>);

impl From<String> for Unspaced {
    fn from(text: String) -> Unspaced {
        Unspaced(words_of(&text))
    }
}

impl Unspaced {
    /// The words.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// True if one of them stands in the text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        !text.is_ascii() && self.iter().any(|word| text.contains(word))
    }
}

fn words_of(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn words<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(words_of(&String::deserialize(from)?))
}
