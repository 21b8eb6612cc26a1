//! Content words of a text, in a form for comparing two texts: lower case, endings cut, at
//! most five letters; pairs of characters in scripts without spaces. This is a crude stemmer:
//! it shows whether two texts are about the same things, in any language, without a
//! dictionary.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::word_lists::WORDS;
use super::word_shape::is_cjk;

/// Letters of a word that are compared.
const STEM: usize = 5;

/// The fewest letters of a word that carries meaning.
const SHORT: usize = 4;

/// Selects words of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordFilter {
    /// Every word: for the text that others are compared with.
    All,
    /// Words that carry meaning; in quotes also the short ones, since commands
    /// and names are short.
    Significant,
    /// The same, and words one letter shorter.
    ShortToo,
}

/// Calls back with the stem's hash of each word taken.
pub(crate) fn each_stem(text: &str, filter: WordFilter, mut each: impl FnMut(u64)) {
    let plain = match filter != WordFilter::All && !text.is_ascii() {
        true => {
            Cow::Owned(WORDS.stop_unspaced.iter().fold(text.to_owned(), |t, w| t.replace(w, " ")))
        }
        false => Cow::Borrowed(text),
    };
    let mut quotes = Quotes::default();
    let mut word = String::new();
    let mut last: Option<char> = None;
    for c in plain.chars().chain([' ']) {
        let unspaced = !c.is_ascii() && is_cjk(c);
        if unspaced {
            if let Some(last) = last {
                let glued = WORDS.glue.contains(last) || WORDS.glue.contains(c);
                if filter == WordFilter::All || !glued {
                    let mut pair = [0_u8; 8];
                    let first = last.encode_utf8(&mut pair).len();
                    let second = c.encode_utf8(&mut pair[first..]).len();
                    each(xxh3_64(&pair[..first + second]));
                }
            }
            last = Some(c);
        } else {
            last = None;
        }
        if c.is_alphanumeric() && !unspaced {
            match c.is_ascii() {
                true => word.push(c.to_ascii_lowercase()),
                false => word.extend(c.to_lowercase()),
            }
            continue;
        }
        if !word.is_empty() {
            let stem = stem(&word);
            if filter == WordFilter::All
                || is_significant(&word, stem, min_letters(filter, &quotes))
            {
                each(xxh3_64(stem.as_bytes()));
            }
            word.clear();
        }
        if filter != WordFilter::All {
            quotes.pass(c);
        }
    }
}

/// Blanks quoted parts of a text: the writer's own words are left.
pub(crate) fn without_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut quotes = Quotes::default();
        // A mark that opens no whole quote hides nothing.
        let (mut kept, mut hidden) = (String::new(), String::new());
        for c in line.chars() {
            let was_open = quotes.open();
            quotes.pass(c);
            match (was_open, quotes.open()) {
                (false, false) => kept.push(c),
                (true, false) if c != '\n' => {
                    kept.push(' ');
                    hidden.clear();
                }
                _ => hidden.push(c),
            }
        }
        plain.push_str(&kept);
        plain.push_str(&hidden);
    }
    plain
}

/// Returns the fewest letters of a word that is selected here.
fn min_letters(filter: WordFilter, quotes: &Quotes) -> usize {
    match (quotes.open(), filter) {
        (true, _) => 2,
        (false, WordFilter::ShortToo) => SHORT - 1,
        (false, WordFilter::All | WordFilter::Significant) => SHORT,
    }
}

/// Any word of quoted text is significant: names and commands are short.
fn is_significant(word: &str, stem: &str, min_letters: usize) -> bool {
    let named = min_letters == 2;
    word.chars().count() >= min_letters && (named || !WORDS.stop.has(stem) && !is_reporting(word))
}

fn is_reporting(word: &str) -> bool {
    WORDS.reporting.begins(word) || word.starts_with("requir")
}

/// The word without its ending, at most five letters.
fn stem(word: &str) -> &str {
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

/// Tracks whether a position in a text is within quotes.
#[derive(Default)]
struct Quotes(Option<char>);

impl Quotes {
    fn open(&self) -> bool {
        self.0.is_some()
    }

    fn pass(&mut self, c: char) {
        let closes = match c {
            '"' | '`' => c,
            '“' => '”',
            '「' => '」',
            '『' => '』',
            '«' => '»',
            _ => '\0',
        };
        match self.0 {
            Some(close) if c == close || c == '\n' => self.0 = None,
            None if closes != '\0' => self.0 = Some(closes),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{WordFilter, each_stem, stem, without_quotes};

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

    #[test]
    fn short_words_tell_only_in_quotes() {
        let count = |text: &str| {
            let mut found = 0;
            each_stem(text, WordFilter::Significant, |_| found += 1);
            found
        };
        assert_eq!(count("The user asked to run it with the"), 0);
        assert_eq!(count("run `rm -rf`"), 2);
        assert_eq!(count("用户要求的文件"), 1);
    }
}
