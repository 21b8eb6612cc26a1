//! Splits a text into the pieces that tokens never cross. The official splitters are two regular
//! expressions; a general engine would take more time for them than everything else together, so
//! they are written by hand here. Each scan only moves forward or rereads a section once, so it is
//! linear for any text. The tests compare the splits with those of the expressions.

use std::ops::Range;

use super::char_class::CharClass;
use super::char_classes::class_at;

/// The expression that splits the text.
#[derive(Clone, Copy)]
pub(crate) enum Pattern {
    O200k,
    Cl100k,
}

/// An iterator over the pieces of one text, as byte ranges without gaps.
pub(crate) struct Scanner<'t> {
    pattern: Pattern,
    text: &'t [u8],
    start: usize,
}

/// The way in which a word of the o200k pattern ended. It decides whether the character before the
/// word may join it.
enum Word {
    /// `HEAD* TAIL+`, the first alternative.
    WithTail(usize),
    /// `HEAD+` alone, the second alternative.
    HeadOnly(usize),
}

/// A character that cannot precede a word in the same piece.
const NO_PREFIX: CharClass = CharClass::LETTER.or(CharClass::NUMBER).or(CharClass::NEWLINE);
/// A character that is not punctuation.
const NO_PUNCTUATION: CharClass = CharClass::LETTER.or(CharClass::NUMBER).or(CharClass::SPACE);

impl<'t> Scanner<'t> {
    pub(crate) fn new(pattern: Pattern, text: &'t str) -> Scanner<'t> {
        Scanner { pattern, text: text.as_bytes(), start: 0 }
    }

    /// ```text
    /// [^\r\n\p{L}\p{N}]? HEAD* TAIL+ contraction?
    /// [^\r\n\p{L}\p{N}]? HEAD+ TAIL* contraction?
    /// \p{N}{1,3}  |   ?[^\s\p{L}\p{N}]+[\r\n/]*  |  \s*[\r\n]+  |  \s+(?!\S)  |  \s+
    /// ```
    #[inline(always)]
    fn o200k_end(&self, start: usize) -> usize {
        let (class, length) = self.class_at(start);
        if !class.meets(NO_PREFIX) {
            // A mark can be both a prefix and a word. As a word it matches the first alternative,
            // which the expression tries before the second one with the mark as a prefix.
            let is_mark = class.meets(CharClass::HEAD);
            match self.word(start + length) {
                Some(Word::WithTail(end)) => return end,
                Some(Word::HeadOnly(end)) if !is_mark => return end,
                _ if is_mark => return self.word(start).map_or(start + length, Word::end),
                _ => {}
            }
        } else if class.meets(CharClass::LETTER) {
            return self.word(start).map_or(start + length, Word::end);
        }
        if class.meets(CharClass::NUMBER) {
            return self.number_end(start);
        }
        self.punctuation_end(start, |byte| matches!(byte, b'\r' | b'\n' | b'/')).unwrap_or_else(
            || {
                let run = self.whitespace(start);
                run.after_newline.unwrap_or(run.before_word)
            },
        )
    }

    /// ```text
    /// contraction  |  [^\r\n\p{L}\p{N}]?+\p{L}++  |  \p{N}{1,3}+
    ///  ?[^\s\p{L}\p{N}]++[\r\n]*+  |  \s++$  |  \s*[\r\n]  |  \s+(?!\S)  |  \s
    /// ```
    #[inline(always)]
    fn cl100k_end(&self, start: usize) -> usize {
        let contraction = self.contraction_end(start);
        if contraction > start {
            return contraction;
        }
        let (class, length) = self.class_at(start);
        let is_prefix = !class.meets(NO_PREFIX);
        let word = if is_prefix { start + length } else { start };
        let word_end = self.run_end(word, |class| class.meets(CharClass::LETTER));
        if word_end > word {
            return word_end;
        }
        if class.meets(CharClass::NUMBER) {
            return self.number_end(start);
        }
        self.punctuation_end(start, |byte| matches!(byte, b'\r' | b'\n')).unwrap_or_else(|| {
            let run = self.whitespace(start);
            let to_end = (run.end == self.text.len()).then_some(run.end);
            to_end.or(run.after_newline).unwrap_or(run.before_word)
        })
    }

    #[inline(always)]
    fn class_at(&self, at: usize) -> (CharClass, usize) {
        class_at(self.text, at)
    }

    /// Returns the end of the characters from `at` that satisfy `belongs`.
    #[inline(always)]
    fn run_end(&self, mut at: usize, belongs: impl Fn(CharClass) -> bool) -> usize {
        while at < self.text.len() {
            let (class, length) = self.class_at(at);
            if !belongs(class) {
                break;
            }
            at += length;
        }
        at
    }

    #[inline(always)]
    fn word(&self, start: usize) -> Option<Word> {
        // The expression matches all of HEAD* and backtracks to match TAIL+. If no TAIL follows, it
        // backtracks to the last character that is in both classes.
        let mut at = start;
        let mut last_of_both = None;
        while at < self.text.len() {
            let (class, length) = self.class_at(at);
            if !class.meets(CharClass::HEAD) {
                break;
            }
            at += length;
            if class.meets(CharClass::TAIL) {
                last_of_both = Some(at);
            }
        }
        let tail_end = self.run_end(at, |class| class.meets(CharClass::TAIL));
        if tail_end > at {
            return Some(Word::WithTail(self.contraction_end(tail_end)));
        }
        if let Some(end) = last_of_both {
            return Some(Word::WithTail(self.contraction_end(end)));
        }
        (at > start).then(|| Word::HeadOnly(self.contraction_end(at)))
    }

    /// Returns the end of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` in any case, or `at` if
    /// there is none. In Unicode, the long s folds to s.
    #[inline(always)]
    fn contraction_end(&self, at: usize) -> usize {
        if self.text.get(at) != Some(&b'\'') {
            return at;
        }
        match &self.text[at + 1..] {
            [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => at + 2,
            [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] => at + 3,
            [b'l' | b'L', b'l' | b'L', ..] | [0xC5, 0xBF, ..] => at + 3,
            _ => at,
        }
    }

    fn number_end(&self, start: usize) -> usize {
        let digit = |at| self.skip_one(at, CharClass::NUMBER);
        digit(digit(digit(start)))
    }

    /// Returns the end of the character at `at` if it is `wanted`, otherwise `at`.
    fn skip_one(&self, at: usize, wanted: CharClass) -> usize {
        if at == self.text.len() {
            return at;
        }
        let (class, length) = self.class_at(at);
        at + if class.meets(wanted) { length } else { 0 }
    }

    /// Returns the end of an optional space, punctuation, and the bytes that may follow it.
    #[inline(always)]
    fn punctuation_end(&self, start: usize, closes: impl Fn(u8) -> bool) -> Option<usize> {
        let first = start + usize::from(self.text[start] == b' ');
        let end = self.run_end(first, |class| !class.meets(NO_PUNCTUATION));
        let closing = || self.text[end..].iter().take_while(|&&byte| closes(byte));
        (end > first).then(|| end + closing().count())
    }

    fn whitespace(&self, start: usize) -> Whitespace {
        let mut run = Whitespace { end: start, after_newline: None, before_word: start };
        let mut last = start;
        while run.end < self.text.len() {
            let (class, length) = self.class_at(run.end);
            if !class.meets(CharClass::SPACE) {
                break;
            }
            last = run.end;
            run.end += length;
            if class.meets(CharClass::NEWLINE) {
                run.after_newline = Some(run.end);
            }
        }
        let stands_alone = last == start || run.end == self.text.len();
        run.before_word = if stands_alone { run.end } else { last };
        run
    }
}

/// The possible ends of a run of white space.
struct Whitespace {
    end: usize,
    after_newline: Option<usize>,
    /// The end without the last character of a longer run, which belongs to the next word.
    before_word: usize,
}

impl Word {
    fn end(self) -> usize {
        let (Word::WithTail(end) | Word::HeadOnly(end)) = self;
        end
    }
}

impl Iterator for Scanner<'_> {
    type Item = Range<usize>;

    #[inline(always)]
    fn next(&mut self) -> Option<Range<usize>> {
        if self.start == self.text.len() {
            return None;
        }
        let start = self.start;
        self.start = match self.pattern {
            Pattern::O200k => self.o200k_end(start),
            Pattern::Cl100k => self.cl100k_end(start),
        };
        Some(start..self.start)
    }
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::{Pattern, Scanner};

    const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

    /// Characters of every class in the patterns, and those with special treatment: contractions,
    /// the long s, the slash, both newlines.
    const NASTY: &str = "aabzZAAM''ssStTrReEvVlLdDmMſK  \t\r\n\n//.,-_!0917\u{a0}\u{3000}\u{85}\u{2028}éÉǅʰªßا中あ한ไà\u{301}\u{20dd}\u{e0100}٣Ⅷ½€…’👍\u{200d}🏽𝐀𝟘𐐀\u{0}";

    fn check(pattern: Pattern, expression: &str, seed: u64) {
        let expression = Regex::new(expression).expect("the official pattern is valid");
        let alphabet: Vec<char> = NASTY.chars().collect();
        let mut state = seed;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..100_000 {
            let length = random(24);
            let narrow = 1 + random(alphabet.len());
            let offset = random(alphabet.len());
            let text: String =
                (0..length).map(|_| alphabet[(offset + random(narrow)) % alphabet.len()]).collect();
            let expected: Vec<_> = expression
                .find_iter(&text)
                .map(|found| found.expect("short texts do not exhaust the engine").range())
                .collect();
            let split: Vec<_> = Scanner::new(pattern, &text).collect();
            assert_eq!(split, expected, "{text:?}");
        }
    }

    #[test]
    fn o200k_splits_like_the_official_pattern() {
        check(Pattern::O200k, tiktoken_rs::O200K_BASE_PAT_STR, 1);
    }

    #[test]
    fn cl100k_splits_like_the_official_pattern() {
        check(Pattern::Cl100k, CL100K, 2);
    }
}
