//! Texts that people spell in capital and small letters alike.

/// The letters of a word rather than of a code, where it is a part of a text.
const WORD: usize = 2;

/// Returns true for a text with a word. A whole value may be a word of one letter.
pub fn has_word(text: &str, is_whole: bool) -> bool {
    let text = text.trim();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let is_word = is_whole && !text.is_empty() && text.chars().all(char::is_alphabetic);
    is_word || words.any(|word| word.chars().count() >= WORD)
}
