//! Encodes a piece of any length, from left to right: takes the longest token that goes on here
//! and may stand next to the one before it, and goes back where none may. A place from which the
//! text cannot go on is never tried again, so the work is linear in the piece. The method is that
//! of GitHub's `bpe`, over the tables of this crate.

use super::vocabulary::Vocabulary;

/// Returns the tokens of `text`.
pub(crate) fn encode(vocabulary: Vocabulary<'_>, text: &[u8]) -> Vec<u32> {
    let mut tokens: Vec<u32> = Vec::with_capacity(text.len() / 3);
    let mut dead = vec![0_u64; text.len() / 64 + 1];
    let mut at = 0;
    while at < text.len() {
        let mut token = vocabulary.trie.longest(&text[at..]);
        // Where the longest one does not fit, its prefixes are tried; where none does, the token
        // before is taken back and its prefixes are tried instead.
        loop {
            let row = vocabulary.row(token);
            let (end, before) = (at + row.length(), tokens.last().copied());
            if dead[end / 64] & 1 << (end % 64) == 0
                && before.is_none_or(|before| vocabulary.may_meet(before, token))
            {
                tokens.push(token);
                at = end;
                break;
            }
            token = row.prefix().unwrap_or_else(|| {
                dead[at / 64] |= 1 << (at % 64);
                let before = tokens.pop().expect("every text has an encoding");
                at -= vocabulary.row(before).length();
                before
            });
        }
    }
    tokens
}
