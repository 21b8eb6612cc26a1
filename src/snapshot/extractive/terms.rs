//! Terms: words that name something, such as paths, ids, values and names in code. The worth of a
//! term depends on who used it. A value from a result that the agent used later is a fact; one that
//! nobody used again is not.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::input::Input;
use crate::snapshot::text::wrappers::Speaker;

/// Maximum bytes of a term.
const LONGEST: usize = 200;
/// Maximum number of terms of a candidate that count.
const MOST: usize = 24;

/// The hash of a candidate's term, and its worth.
pub(super) type Worth = (u64, u32);

/// The uses of a term.
#[derive(Default)]
struct Use {
    /// The number of messages with the term in words or arguments.
    times: u32,
    /// The last of these messages.
    last_message: Option<u32>,
    /// The first message with the term, results included.
    first: u32,
    /// The last message with the term in arguments.
    asked: Option<u32>,
    /// The last message with the term in the agent's words.
    said: Option<u32>,
    /// True if the user or operator used the term.
    of_user: bool,
}

/// The uses of all terms in anybody's words or in arguments.
pub(super) struct Terms {
    uses: HashMap<u64, Use>,
    /// The number of messages.
    messages: u32,
}

impl Terms {
    /// Collects the terms of a transcript.
    pub(super) fn of(input: &Input<'_>) -> Terms {
        let messages = u32::try_from(input.messages.len()).unwrap_or(u32::MAX);
        let mut terms = Terms { uses: HashMap::new(), messages };
        for call in &input.calls {
            for text in call.texts() {
                each_term(text, |term| {
                    terms.used(term, call.index).asked = Some(number(call.index));
                });
            }
        }
        for said in input.said.iter().filter(|said| said.speaker != Speaker::Tool) {
            each_term(&said.text, |term| {
                let used = terms.used(term, said.index);
                match said.speaker {
                    Speaker::Agent => used.said = used.said.max(Some(number(said.index))),
                    _ => used.of_user = true,
                }
            });
        }
        for message in input.messages {
            for result in &message.results {
                each_term(&result.text, |term| {
                    if let Some(used) = terms.uses.get_mut(&hash(term)) {
                        used.first = used.first.min(number(message.index));
                    }
                });
            }
        }
        terms
    }

    fn used(&mut self, term: &str, index: usize) -> &mut Use {
        let index = number(index);
        let used =
            self.uses.entry(hash(term)).or_insert_with(|| Use { first: index, ..Use::default() });
        used.first = used.first.min(index);
        if used.last_message != Some(index) {
            (used.last_message, used.times) = (Some(index), used.times + 1);
        }
        used
    }

    /// Returns the terms of a text in message `index` that have a worth, each once.
    pub(super) fn of_text(&self, text: &str, index: usize) -> Vec<Worth> {
        let mut found: Vec<Worth> = Vec::new();
        each_term(text, |term| {
            let hash = hash(term);
            let worth = self.worth(hash, index);
            if worth > 0 && found.len() < MOST && !found.iter().any(|(known, _)| *known == hash) {
                found.push((hash, worth));
            }
        });
        found.shrink_to_fit();
        found
    }

    /// Returns the worth of a term in message `index`, in sixteenths of a point.
    fn worth(&self, hash: u64, index: usize) -> u32 {
        let Some(used) = self.uses.get(&hash) else { return 0 };
        let index = number(index);
        let later = |at: Option<u32>| at.is_some_and(|at| at > index);
        let here = |at: Option<u32>| at.is_some_and(|at| at >= index);
        let mut worth = match (later(used.asked), here(used.said)) {
            (true, true) => 128,
            (false, true) => 96,
            (true, false) => 80,
            (false, false) => 24,
        };
        if used.of_user {
            worth += 32;
        }
        // A term that was known before is worth less.
        if used.first < index {
            worth = worth * 2 / 3;
        }
        // A term in half of the messages says little about one of them.
        let rarity = (self.messages / used.times.max(1)).max(1).ilog2() + 1;
        worth * rarity / (self.messages.max(1).ilog2() + 1)
    }
}

/// Returns the number of a message in 32 bits, to save memory.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Returns the hashes of the terms of a text.
pub(super) fn hashes(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    each_term(text, |term| found.push(hash(term)));
    found
}

fn hash(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

/// Calls back with the terms of a text in order, in one pass over its bytes.
pub(super) fn each_term<'t>(text: &'t str, mut take: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_part(bytes[at]) {
            at += 1;
        }
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let word = text[start..at].trim_matches(ends);
        if word.len() <= LONGEST && names(word) {
            take(word);
        }
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@' | b':' | b'%' | b'#')
}

/// Returns true for a word that names something: it has a digit, a mark inside, capitals after a
/// small letter, or at least three capitals. A number of one or two digits alone names nothing.
fn names(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < 2 || (bytes.len() < 3 && bytes.iter().all(u8::is_ascii_digit)) {
        return false;
    }
    let mut lower = false;
    let mut upper = 0;
    for byte in bytes {
        match byte {
            b'0'..=b'9' | b'_' | b'/' | b'@' | b'.' => return true,
            b'A'..=b'Z' if lower => return true,
            b'A'..=b'Z' => upper += 1,
            b'a'..=b'z' => lower = true,
            _ => {}
        }
    }
    upper > 2
}

#[cfg(test)]
mod tests {
    use super::each_term;

    #[test]
    fn terms_name_something() {
        let mut found = Vec::new();
        each_term(
            "On 11 May: set maxRetries to 450 in src/a.rs:12, see `BUG-17` (HTTP). And so on.",
            |t| found.push(t),
        );
        assert_eq!(found, ["maxRetries", "450", "src/a.rs:12", "BUG-17", "HTTP"]);
    }
}
