//! Encodes a piece of any length from left to right: takes the longest token that matches and may
//! follow the previous one, and backtracks if there is none. Never tries a dead end again, so the
//! work is linear in the piece. The method is that of GitHub's `bpe`, with the tables of this
//! crate.

use super::vocabulary::Vocabulary;

/// Returns the tokens of `text`.
pub(crate) fn encode(vocabulary: Vocabulary<'_>, text: &[u8]) -> Vec<u32> {
    let mut tokens: Vec<u32> = Vec::with_capacity(text.len() / 3);
    let mut dead = vec![0_u64; text.len() / 64 + 1];
    let mut at = 0;
    while at < text.len() {
        let mut token = vocabulary.trie.longest(&text[at..]);
        // If the longest token does not fit, try its prefixes. If none fits, remove the previous
        // token and try its prefixes instead.
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
