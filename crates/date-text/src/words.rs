//! Words that have an order of their own, such as months.

/// Words in the order that people give them; the name says what may be disputed.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// The name of the order.
    pub collation: &'static str,
    /// The name of the words, in the plural.
    pub name: &'static str,
    /// The least number of them that are not words of another kind.
    least: usize,
    /// Those with one meaning stand in one text.
    words: &'static [&'static str],
}

/// The lists. Those that share words have them in the same order.
pub static LISTS: [Words; 5] = [
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

/// The letters of a word rather than of a code, where it is a part of a text.
const WORD: usize = 2;

/// Returns true for a text with a word, which people spell in capital and small letters alike. A
/// whole value may be a word of one letter.
pub fn has_word(text: &str, is_whole: bool) -> bool {
    let text = text.trim();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let is_word = is_whole && !text.is_empty() && text.chars().all(char::is_alphabetic);
    is_word || words.any(|word| word.chars().count() >= WORD)
}

/// Texts that say that there is no word.
const NO_WORDS: [&str; 5] = ["n/a", "none", "null", "other", "unknown"];

/// The mark of a list that does not have a text.
const OTHER: u16 = u16::MAX;

/// The words of each list that some texts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found([u16; LISTS.len()]);

impl Found {
    /// Adds a text. One that says that there is no word is left out; numbers have another order.
    pub fn add(&mut self, text: &str) {
        let has_letters = text.contains(char::is_alphabetic);
        let is_number = !has_letters && text.contains(|c: char| c.is_ascii_digit());
        if !is_number && (!has_letters || NO_WORDS.iter().any(|w| w.eq_ignore_ascii_case(text))) {
            return;
        }
        for (list, found) in LISTS.iter().zip(&mut self.0).filter(|(_, found)| **found != OTHER) {
            *found = list.place(text).map_or(OTHER, |place| *found | 1 << place);
        }
    }

    /// Returns true as long as a list has all texts.
    pub fn is_open(self) -> bool {
        self.0.iter().any(|found| *found != OTHER)
    }

    /// Adds the texts of another one.
    pub fn merge(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(found, other)| *found |= other);
    }

    /// Returns the list that has all texts.
    pub fn list(self) -> Option<&'static Words> {
        let has_all = |(list, found): &(&Words, u16)| {
            *found != OTHER && found.count_ones() as usize >= list.least
        };
        LISTS.iter().zip(self.0).find(has_all).map(|(list, _)| list)
    }

    /// Returns the list that has all texts, if the order of their letters is another one.
    pub fn misordered(self) -> Option<&'static Words> {
        let at = LISTS.iter().position(|list| self.list() == Some(list))?;
        let words =
            LISTS[at].words.iter().enumerate().filter(|(place, _)| self.0[at] >> place & 1 == 1);
        let words: Vec<&str> = words.map(|(_, word)| *word).collect();
        (!words.is_sorted()).then_some(&LISTS[at])
    }
}

impl Words {
    /// Returns the list that has all of these texts.
    pub fn of(texts: &[&str]) -> Option<&'static Self> {
        let mut found = Found::default();
        texts.iter().for_each(|text| found.add(text));
        found.list()
    }

    /// Returns the place of a word in its list, whatever its case.
    pub fn place(&self, text: &str) -> Option<usize> {
        let is_one = |words: &&str| words.split(' ').any(|word| word.eq_ignore_ascii_case(text));
        self.words.iter().position(is_one)
    }
}
