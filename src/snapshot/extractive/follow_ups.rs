//! Follow-ups: later sentences with the same subject as a text. They may lift or change a rule in
//! any words, so a rule must not be shown without them.

use std::collections::{HashMap, HashSet};

use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::sentences::sentences;
use crate::snapshot::text::word_shape::is_cjk;

/// Maximum bytes of a sentence, and of a text to search for sentences.
const SENTENCE: usize = 200;
const TEXT: usize = 3_000;
/// Minimum number of shared character pairs, for a sentence in a script without spaces to have the
/// subject of a text.
const CJK: usize = 2;
/// Maximum number of sentences with a word that still identifies a subject.
const FEW: usize = 4;
/// Maximum number of sentences, newest first.
const SENTENCES: usize = 300;

/// A sentence that may follow up a text.
#[derive(Clone, Copy)]
pub(super) struct FollowUp<'a> {
    /// The position of its text among the texts.
    pub(super) place: usize,
    pub(super) sentence: &'a str,
    /// Minimum number of its words in a text with the same subject.
    least: usize,
    /// Minimum number of its rare words in such a text, if the sentence announces a change.
    name: usize,
}

/// The sentences of texts, indexed by their content words.
pub(super) struct FollowUps<'a> {
    sentences: Vec<FollowUp<'a>>,
    by_word: HashMap<String, Vec<usize>>,
}

impl<'a> FollowUps<'a> {
    /// Collects the sentences of texts, newest first, each with its place. Omits questions.
    pub(super) fn of(newest_first: impl Iterator<Item = (usize, &'a str)>) -> FollowUps<'a> {
        let asks = |sentence: &str| sentence.ends_with(['?', '？']);
        let texts = newest_first.filter(|(_, text)| text.len() <= TEXT);
        let parts = texts.flat_map(|(place, text)| {
            sentences(text).into_iter().rev().map(move |sentence| (place, sentence))
        });
        let told = parts.filter(|(_, part)| part.len() <= SENTENCE && !asks(part));
        let mut found = FollowUps { sentences: Vec::new(), by_word: HashMap::new() };
        for (at, (place, sentence)) in told.take(SENTENCES).enumerate() {
            let words = content_words(sentence);
            let name = if sentence.chars().any(is_cjk) { CJK } else { 1 };
            let least = if name == CJK { CJK } else { 1.max(words.len().div_ceil(2)) };
            found.sentences.push(FollowUp { place, sentence, least, name });
            for word in words {
                found.by_word.entry(word).or_default().push(at);
            }
        }
        found
    }

    /// Returns the place of the sentence that shares the most words with `text`, if it shares at
    /// least half of them. Considers sentences that `counts` accepts, and prefers later ones.
    pub(super) fn source(&self, text: &str, counts: impl Fn(&str) -> bool) -> Option<usize> {
        let words = content_words(text);
        let shared = self.shared(&words);
        let all = self.sentences.iter().zip(shared).filter(|(up, _)| counts(up.sentence));
        let (best, shared) = all.rev().max_by_key(|(_, shared)| *shared)?;
        (shared * 2 >= words.len()).then_some(best.place)
    }

    /// Counts for each sentence how many of its words are among `words`.
    fn shared(&self, words: &HashSet<String>) -> Vec<usize> {
        let mut shared = vec![0; self.sentences.len()];
        for at in words.iter().filter_map(|word| self.by_word.get(word)).flatten() {
            shared[*at] += 1;
        }
        shared
    }

    /// Returns the sentences about `text`, oldest first: those after `place`, or all if it is
    /// `None`. At least half of a sentence's content words, or some of its character pairs, must be
    /// in the text. For a sentence that `says` accepts, a word that few sentences have suffices.
    pub(super) fn about(
        &self,
        text: &str,
        place: Option<usize>,
        says: impl Fn(&str) -> bool,
    ) -> Vec<FollowUp<'a>> {
        let mut words = content_words(text);
        let shared = self.shared(&words);
        words.retain(|word| self.by_word.get(word).is_some_and(|of| of.len() <= FEW));
        let named = self.shared(&words);
        let all = self.sentences.iter().zip(shared.into_iter().zip(named)).rev();
        let about = all.filter(|(up, (shared, named))| {
            let is_about = *shared >= up.least || (*named >= up.name && says(up.sentence));
            is_about && Some(up.place) > place && !text.contains(up.sentence)
        });
        about.map(|(up, _)| *up).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::FollowUps;
    use crate::snapshot::extractive::retractions::takes_back;

    #[test]
    fn later_sentences_about_the_same_follow_up() {
        let texts = [
            "Send Lena a copy of each report.",
            "Fix the login page. The copy to Lena is off.",
            "Did Lena get a copy?",
            "Deploy it.",
        ];
        let ups = FollowUps::of(texts.iter().copied().enumerate().rev());
        let about = |place: usize| -> Vec<&str> {
            ups.about(texts[0], Some(place), |_| false).iter().map(|up| up.sentence).collect()
        };
        assert_eq!(about(0), ["The copy to Lena is off."]);
        assert!(about(1).is_empty());
    }

    #[test]
    fn a_sentence_that_takes_back_names_what_by_a_word() {
        for (rule, later, is_found) in [
            ("Use tabs in this repo.", "Scratch that about tabs, spaces it is: four.", true),
            ("Only deploy on Fridays.", "Fridays are a bad idea, Petra says; Tuesdays then.", true),
            ("Limit the batch to 100 rows.", "I was wrong about the 100 rows, 250 is fine.", true),
            ("Limit the batch to 100 rows.", "Scratch that about tabs, spaces it is.", false),
            ("Only deploy on Fridays.", "Fridays we have lunch at the lake, all of us.", false),
        ] {
            let ups = FollowUps::of([(1, later), (0, rule)].into_iter());
            assert_eq!(!ups.about(rule, Some(0), takes_back).is_empty(), is_found, "{later}");
        }
    }
}
