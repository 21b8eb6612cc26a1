//! Words that have an order of their own, such as months.

use super::misordered::has_digit;

/// Words in the order that people give them; the name says what may be disputed.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    pub(super) collation: &'static str,
    pub(super) name: &'static str,
    /// The least number of them that are not words of another kind.
    least: usize,
    /// Those with one meaning stand in one text.
    words: &'static [&'static str],
}

/// The lists. Those that share words have them in the same order.
pub(super) static LISTS: [Words; 5] = [
    Words {
        collation: "months",
        name: "months",
        least: 2,
        words: &[
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ],
    },
    Words {
        collation: "weekdays",
        name: "weekdays, Monday first",
        least: 2,
        words: &[
            "mon monday",
            "tue tues tuesday",
            "wed wednesday",
            "thu thur thurs thursday",
            "fri friday",
            "sat saturday",
            "sun sunday",
        ],
    },
    Words {
        collation: "sizes",
        name: "sizes",
        least: 3,
        words: &[
            "xxxs 3xs", "xxs 2xs", "xs", "s small", "m medium", "l large", "xl", "xxl 2xl",
            "xxxl 3xl", "4xl", "5xl",
        ],
    },
    Words {
        collation: "degrees",
        name: "degrees from low to high",
        least: 2,
        words: &["info", "lowest", "low", "medium moderate", "high", "highest", "critical"],
    },
    Words {
        collation: "log_levels",
        name: "levels of a log",
        least: 2,
        words: &["trace", "debug", "info", "warn warning", "error err", "critical fatal"],
    },
];

/// Texts that say that there is no word.
const NO_WORDS: [&str; 5] = ["n/a", "none", "null", "other", "unknown"];

impl Words {
    /// Returns the list that has all of these texts, but those that are no words; numbers have
    /// another order.
    pub(super) fn of(texts: &[&str]) -> Option<&'static Self> {
        let has_letters = |text: &str| text.contains(char::is_alphabetic);
        let is_nothing = |text: &str| NO_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
        let is_word = |text: &&&str| has_letters(text) && !is_nothing(text);
        if texts.iter().any(|text| !has_letters(text) && has_digit(text)) {
            return None;
        }
        LISTS.iter().find(|list| {
            let mut words = texts.iter().filter(is_word);
            words.clone().all(|text| list.place(text).is_some())
                && words.nth(list.least - 1).is_some()
        })
    }

    /// Returns the place of a word in its list, whatever its case.
    pub(super) fn place(&self, text: &str) -> Option<usize> {
        let is_one = |words: &&str| words.split(' ').any(|word| word.eq_ignore_ascii_case(text));
        self.words.iter().position(is_one)
    }
}
