//! Counts a piece that the cache does not contain. The engine is linear, but a run of one
//! punctuation mark of a megabyte would still take a second. Such runs are shortened first, and the
//! count of the removed part is added.
//!
//! This is exact for the following reason: a sequence of tokens is the encoding of its text if and
//! only if each pair of neighbours may meet (the property that `backtrack` is based on). If the
//! encoding of the shortened piece has the same token twice in a row, a third one next to them adds
//! no new pair of neighbours, so the longer text has exactly one token more; the same holds for any
//! number. If a run contains no such pair, the piece is counted unshortened.

use std::{iter, ops::Range};

use super::backtrack::encode;
use super::vocabulary::Vocabulary;

/// Runs longer than this are shortened.
const LONG: usize = 4096;
/// Minimum number of bytes that a shortened run keeps: enough for the irregular ends of the run and
/// for two copies of the longest token.
const KEPT: usize = 1024;

/// Returns the number of tokens in `piece`.
pub(crate) fn count(vocabulary: Vocabulary<'_>, piece: &[u8]) -> u64 {
    let shortened = (piece.len() > LONG).then(|| count_shortened(vocabulary, piece));
    let tokens = shortened.flatten();
    tokens.unwrap_or_else(|| encode(vocabulary, piece).len()) as u64
}

/// A run of one byte in the shortened piece.
struct Run {
    range: Range<usize>,
    /// The length in bytes of the token that the run consists of.
    period: usize,
}

fn count_shortened(vocabulary: Vocabulary<'_>, piece: &[u8]) -> Option<usize> {
    let mut short = Vec::new();
    let mut runs = Vec::new();
    let mut cut_tokens = 0;
    for run in piece.chunk_by(|a, b| a == b) {
        let start = short.len();
        if run.len() <= LONG {
            short.extend_from_slice(run);
            continue;
        }
        let period = period(vocabulary, run)?;
        let cut = (run.len() - KEPT) / period;
        short.extend_from_slice(&run[cut * period..]);
        cut_tokens += cut;
        runs.push(Run { range: start..short.len(), period });
    }
    if runs.is_empty() {
        return None;
    }
    let tokens = encode(vocabulary, &short);
    have_twins(vocabulary, &tokens, &runs).then_some(tokens.len() + cut_tokens)
}

/// Returns the length of the first token that is repeated in the run; `None` if there is none.
fn period(vocabulary: Vocabulary<'_>, run: &[u8]) -> Option<usize> {
    let tokens = encode(vocabulary, &run[..KEPT]);
    let twins = tokens.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(vocabulary.row(twins[0]).length())
}

/// Returns true if each run contains two neighbouring tokens of its period. Both tokens lie within
/// the run, so they consist of its one byte and are the same token.
fn have_twins(vocabulary: Vocabulary<'_>, tokens: &[u32], runs: &[Run]) -> bool {
    let ends: Vec<usize> = iter::once(0)
        .chain(tokens.iter().scan(0, |end, &token| {
            *end += vocabulary.row(token).length();
            Some(*end)
        }))
        .collect();
    runs.iter().all(|Run { range, period }| {
        let first = ends.partition_point(|&end| end < range.start);
        ends[first..]
            .windows(3)
            .take_while(|bounds| bounds[2] <= range.end)
            .any(|bounds| bounds[1] - bounds[0] == *period && bounds[2] - bounds[1] == *period)
    })
}
