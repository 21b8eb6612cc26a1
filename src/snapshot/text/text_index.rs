//! An index of a large text that looks up many short texts (needles) at once. It collects the words
//! of all needles, records the positions of these words in one pass over the large text, and
//! compares each needle at the positions of its rarest word. A thousand look-ups in megabytes cost
//! little more than one pass. An automaton of `aho-corasick` takes four times as long for 100,000
//! needles.
//!
//! A run of white space equals one space. A needle matches whole words only: `call_1` is not found
//! in `call_12`.

use std::collections::HashMap;

use memchr::memmem;
use xxhash_rust::xxh3::xxh3_64;

use super::word_shape::IdentifierKind;

/// The characters that may not touch a match. Letters and digits are ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Edge {
    /// No letter, digit or `_`.
    Word,
    /// As `Word`, and no `-` or `.` that joins another word: `a.rs` is not found in `a.rs.bak`.
    Name,
    /// No digit: `8200` is found in `8200ms`.
    Digits,
}

impl Edge {
    /// Returns the edge for identifiers of a kind.
    pub(crate) fn of(kind: IdentifierKind) -> Edge {
        match kind {
            IdentifierKind::Path | IdentifierKind::Url | IdentifierKind::Id => Edge::Name,
            IdentifierKind::Quoted => Edge::Word,
            IdentifierKind::Number => Edge::Digits,
        }
    }
}

/// A short text to look up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Needle {
    /// The text; each run of white space is one space.
    pub(crate) text: String,
    /// The characters that may not touch a match.
    pub(crate) edge: Edge,
}

/// Maximum number of recorded positions of a word. If the rarest word of a needle has more, a plain
/// search is as fast.
const MANY_PLACES: usize = 2048;

/// The large text.
#[derive(Debug, Default)]
pub(crate) struct TextIndex {
    text: String,
}

impl TextIndex {
    /// Adds a text. No needle matches across two texts.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.reserve(text.len() + 2);
        fold_into(text, &mut self.text);
        self.text.push('\u{1}');
    }

    /// Returns for each needle whether the text contains it.
    pub(crate) fn holds(&self, needles: &[Needle]) -> Vec<bool> {
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for needle in needles {
            each_word(&needle.text, |word, _| {
                places.entry(word).or_default();
            });
        }
        // Most words of the large text are in no needle; the set tells so faster than the table.
        let mut wanted = WordSet::default();
        places.keys().for_each(|word| wanted.add(*word));
        each_word(&self.text, |word, at| {
            if wanted.has(word)
                && let Some(known) = places.get_mut(&word)
                && known.len() <= MANY_PLACES
            {
                known.push(at);
            }
        });
        needles.iter().map(|needle| self.holds_one(needle, &places)).collect()
    }

    /// Returns true if a word of the text begins with `beginning`. This takes a pass over the text.
    pub(crate) fn begins(&self, beginning: &str) -> bool {
        let text = self.text.as_bytes();
        let open = |at: usize| at == 0 || !is_word(text[at - 1]);
        memmem::find_iter(text, beginning.as_bytes()).any(open)
    }

    /// Returns the words of the text.
    pub(crate) fn words(&self) -> WordSet {
        let mut words = WordSet::default();
        each_word(&self.text, |word, _| words.add(word));
        words
    }

    fn holds_one(&self, needle: &Needle, places: &HashMap<u64, Vec<usize>>) -> bool {
        if needle.text.is_empty() {
            return true;
        }
        let mut rarest: Option<(usize, u64, usize)> = None;
        each_word(&needle.text, |word, at| {
            let found = (places.get(&word).map_or(0, Vec::len), word, at);
            rarest = Some(rarest.map_or(found, |best| best.min(found)));
        });
        let bytes = needle.text.as_bytes();
        match rarest {
            Some((count, word, offset)) if count <= MANY_PLACES => {
                let mut starts = places[&word].iter().filter_map(|at| at.checked_sub(offset));
                starts.any(|start| {
                    self.text.as_bytes()[start..].starts_with(bytes) && self.fits(needle, start)
                })
            }
            _ => {
                memmem::find_iter(self.text.as_bytes(), bytes).any(|start| self.fits(needle, start))
            }
        }
    }

    /// Returns true if the match at `start` is not part of a longer word, name or number.
    fn fits(&self, needle: &Needle, start: usize) -> bool {
        let (bytes, all) = (needle.text.as_bytes(), self.text.as_bytes());
        let end = start + bytes.len();
        let at = |i: Option<usize>| i.and_then(|i| all.get(i)).copied().unwrap_or(b' ');
        let (before, farther) = (at(start.checked_sub(1)), at(start.checked_sub(2)));
        let (after, beyond) = (at(Some(end)), at(Some(end + 1)));
        if needle.edge == Edge::Digits {
            return !before.is_ascii_digit() && !after.is_ascii_digit();
        }
        let joins = |b: u8| needle.edge == Edge::Name && (b == b'-' || b == b'.');
        // In an escaped line break (`\n`), the `n` is not part of the next word.
        let escape = farther == b'\\' && b"ntr".contains(&before);
        let open = bytes.first().is_some_and(|b| is_word(*b))
            && (is_word(before) && !escape || joins(before) && is_word(farther));
        let close = bytes.last().is_some_and(|b| is_word(*b))
            && (is_word(after) || joins(after) && is_word(beyond));
        !open && !close
    }
}

/// A set of word hashes that may have false positives, but no false negatives.
pub(crate) struct WordSet(Vec<bool>);

impl Default for WordSet {
    fn default() -> WordSet {
        WordSet(vec![false; 1 << 16])
    }
}

impl WordSet {
    pub(crate) fn add(&mut self, word: u64) {
        self.0[WordSet::slot(word)] = true;
    }

    pub(crate) fn has(&self, word: u64) -> bool {
        self.0[WordSet::slot(word)]
    }

    fn slot(word: u64) -> usize {
        usize::try_from(word >> 48).unwrap_or(0)
    }

    /// Returns false if a word of the text is certainly not in the set.
    pub(crate) fn may_hold(&self, text: &str) -> bool {
        let mut all = true;
        each_word(text, |word, _| all &= self.has(word));
        all
    }
}

/// Returns the text with each run of white space as one space, and without white space at its ends.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

fn fold_into(text: &str, folded: &mut String) {
    for (i, part) in text.split_ascii_whitespace().enumerate() {
        if i > 0 {
            folded.push(' ');
        }
        folded.push_str(part);
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Calls back with the hash and the position of each word. A word is a run of ASCII letters, digits
/// and `_`. A run of more than three digits inside a longer word is also a word. So is each pair of
/// adjacent non-ASCII characters, because many scripts do not separate words with spaces.
fn each_word(text: &str, mut each: impl FnMut(u64, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        if is_word(b) {
            let (start, mut digits) = (at, at);
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
                if !bytes[at - 1].is_ascii_digit() {
                    if at - 1 - digits > 3 {
                        each(xxh3_64(&bytes[digits..at - 1]), digits);
                    }
                    digits = at;
                }
            }
            if digits > start && at - digits > 3 {
                each(xxh3_64(&bytes[digits..at]), digits);
            }
            each(xxh3_64(&bytes[start..at]), start);
        } else if b == b'\\' && bytes.get(at + 1).is_some_and(|b| b"ntr".contains(b)) {
            at += 2;
        } else if b < 0x80 {
            at += 1;
        } else {
            let end = text.ceil_char_boundary(at + 1);
            if bytes.get(end).is_some_and(|next| *next >= 0x80) {
                each(xxh3_64(&bytes[at..text.ceil_char_boundary(end + 1)]), at);
            }
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

    use super::{Edge, Needle, TextIndex, fold};

    fn holds(texts: &[&str], text: &str, edge: Edge) -> bool {
        let mut index = TextIndex::default();
        texts.iter().for_each(|text| index.push(text));
        index.holds(&[Needle { text: fold(text), edge }])[0]
    }

    #[test]
    fn words_are_whole() {
        let texts = ["src/main.rs call_12 a-b.rs.bak", "took 8200ms\\nsrc/lib.rs 文件已保存。"];
        for (text, edge, held) in [
            ("src/main.rs", Edge::Name, true),
            ("main.rs", Edge::Name, true),
            ("ain.rs", Edge::Name, false),
            ("src/main", Edge::Name, false),
            ("src/main", Edge::Word, true),
            ("call_1", Edge::Name, false),
            ("b.rs", Edge::Name, false),
            ("b.rs", Edge::Word, true),
            ("src/lib.rs", Edge::Name, true),
            ("8200", Edge::Digits, true),
            ("820", Edge::Digits, false),
            ("文件已保存", Edge::Word, true),
            ("文件未保存", Edge::Word, false),
            ("main.rs   call_12", Edge::Word, true),
            ("bak took", Edge::Word, false),
        ] {
            assert_eq!(holds(&texts, text, edge), held, "{text}");
        }
    }

    #[test]
    fn common_words_are_found_too() {
        let text = "the cat the dog ".repeat(5000);
        assert!(holds(&[&text, "the the end"], "the the", Edge::Word));
        assert!(!holds(&[&text], "the the", Edge::Word));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn whole_words_of_a_text_are_found(
            words in proptest::collection::vec("[a-c1-2_./é文件\\\\n]{1,4}", 1..12),
            from in any::<proptest::sample::Index>(),
            to in any::<proptest::sample::Index>()
        ) {
            let (from, to) = (from.index(words.len()), to.index(words.len()));
            let needle = words[from.min(to)..=from.max(to)].join(" ");
            prop_assert!(holds(&[&words.join("\n ")], &needle, Edge::Word), "{:?}", needle);
        }
    }
}
