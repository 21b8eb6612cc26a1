//! Ranks sentences: TextRank over TF-IDF vectors.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::snapshot::text::word_shape::is_cjk;

/// Rounds of the iteration; it converges long before.
const ROUNDS: usize = 20;
/// The share of a sentence's weight that comes from its neighbours.
const DAMPING: f64 = 0.85;

/// A score from 0 to 100 for each sentence. Rounded, so that the last bits of a
/// sum decide nothing.
pub(super) fn rank(sentences: &[&str]) -> Vec<u32> {
    let vectors = vectors(sentences);
    let edges = edges(&vectors);
    let out: Vec<f64> = edges.iter().map(|row| row.iter().map(|edge| edge.1).sum()).collect();
    let mut scores = vec![1.0_f64; sentences.len()];
    for _ in 0..ROUNDS {
        let mut next = vec![1.0 - DAMPING; sentences.len()];
        for (from, row) in edges.iter().enumerate().filter(|(from, _)| out[*from] > 0.0) {
            for (to, weight) in row {
                next[*to] += DAMPING * scores[from] * weight / out[from];
            }
        }
        scores = next;
    }
    let most = scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let share =
        |score: &f64| (0..=100).rev().find(|step| f64::from(*step) <= score / most * 100.0 + 0.5);
    scores.iter().map(|score| share(score).unwrap_or(0)).collect()
}

/// Words by number with their weights, of length one, in order of number.
fn vectors(sentences: &[&str]) -> Vec<Vec<(usize, f64)>> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut holders: Vec<f64> = Vec::new();
    let mut counted: Vec<Vec<(usize, f64)>> = Vec::new();
    for sentence in sentences {
        let mut words: Vec<usize> = terms(sentence)
            .into_iter()
            .map(|term| {
                let next = numbers.len();
                *numbers.entry(term).or_insert(next)
            })
            .collect();
        words.sort_unstable();
        holders.resize(numbers.len(), 0.0);
        let mut vector: Vec<(usize, f64)> = Vec::new();
        for word in words {
            match vector.last_mut() {
                Some(last) if last.0 == word => last.1 += 1.0,
                _ => {
                    holders[word] += 1.0;
                    vector.push((word, 1.0));
                }
            }
        }
        counted.push(vector);
    }
    let all = u32::try_from(sentences.len()).map_or(1.0, f64::from);
    for vector in &mut counted {
        for (word, weight) in vector.iter_mut() {
            *weight *= (1.0 + all / holders[*word]).ln();
        }
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        for (_, weight) in vector.iter_mut() {
            *weight /= length;
        }
    }
    counted
}

/// The similar sentences of each.
fn edges(vectors: &[Vec<(usize, f64)>]) -> Vec<Vec<(usize, f64)>> {
    let mut holders: HashMap<usize, Vec<(usize, f64)>> = HashMap::new();
    for (at, vector) in vectors.iter().enumerate() {
        for (word, weight) in vector {
            holders.entry(*word).or_default().push((at, *weight));
        }
    }
    let mut sums = vec![0.0; vectors.len()];
    let mut rows = Vec::with_capacity(vectors.len());
    for (at, vector) in vectors.iter().enumerate() {
        sums.fill(0.0);
        for (word, weight) in vector {
            for (other, theirs) in &holders[word] {
                sums[*other] += weight * theirs;
            }
        }
        let row = sums.iter().copied().enumerate();
        rows.push(row.filter(|(other, sum)| *other != at && *sum > 0.05).collect());
    }
    rows
}

/// The words of a sentence: by UAX#29, in lower case; pairs of characters where
/// a script has no spaces.
fn terms(sentence: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut before: Option<char> = None;
    for word in sentence.unicode_words().take(80) {
        let mut chars = word.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) if is_cjk(one) => {
                if let Some(before) = before {
                    terms.push(format!("{before}{one}"));
                }
                before = Some(one);
            }
            _ => {
                before = None;
                // The shortest words say nothing.
                if word.len() > 2 {
                    terms.push(word.to_lowercase());
                }
            }
        }
    }
    terms
}
