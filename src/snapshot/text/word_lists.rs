//! The word lists: data in `word_lists.toml`, parsed once. The file documents the purpose of each
//! list.

use std::sync::LazyLock;

use serde::Deserialize;

/// The lists of the file.
pub(crate) static WORDS: LazyLock<WordLists> = LazyLock::new(|| {
    toml::from_str(include_str!("word_lists.toml"))
        .expect("the file is embedded, and tests read it")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordLists {
    pub(crate) extensions: List,
    pub(crate) file_names: List,
    pub(crate) folders: List,
    pub(crate) stop: List,
    pub(crate) frequent: Vec<List>,
    pub(crate) reporting: List,
    pub(crate) person: List,
    pub(crate) reporting_near: List,
    pub(crate) between: List,
    pub(crate) denying: List,
    pub(crate) denying_unspaced: List,
    pub(crate) wanting: List,
    pub(crate) reporting_languages: Vec<ReportingLanguage>,
    pub(crate) rules: Vec<Phrases>,
    pub(crate) retractions: Vec<Phrases>,
    pub(crate) liftings: Vec<Phrases>,
}

/// Words for the user, and verbs of asking, in one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportingLanguage {
    pub(crate) persons: List,
    pub(crate) verbs: List,
}

/// Phrases in one language, as regular expressions that ignore case.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Phrases {
    /// ASCII phrases that match whole words.
    pub(crate) words: Vec<String>,
    /// Phrases that match anywhere.
    pub(crate) parts: Vec<String>,
}

/// A list, in the order of the file.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(crate) struct List(Vec<String>);

impl From<String> for List {
    fn from(words: String) -> List {
        List(words.split_whitespace().map(str::to_owned).collect())
    }
}

impl List {
    /// The entries, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns true if the word is an entry.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.iter().any(|entry| entry == word)
    }

    /// Returns true if the word is an entry. The list must be sorted.
    pub(crate) fn has_sorted(&self, word: &str) -> bool {
        self.0.binary_search_by(|entry| entry.as_str().cmp(word)).is_ok()
    }

    /// Returns true if the word begins with an entry.
    pub(crate) fn begins(&self, word: &str) -> bool {
        self.iter().any(|beginning| word.starts_with(beginning))
    }

    /// Returns true if the text contains an entry.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.iter().any(|entry| text.contains(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::WORDS;

    #[test]
    fn the_list_that_is_searched_by_halves_is_sorted() {
        assert!(WORDS.extensions.0.is_sorted());
        assert!(WORDS.stop.iter().all(|stop| stop.chars().count() <= 8));
    }
}
