//! Terms: words that name something – paths, ids, values, names in code – and what each is
//! worth by who used it. A value that a result brought and that the agent used afterwards is
//! a fact; one that nobody came back to is not.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::input::Input;
use crate::snapshot::text::wrappers::Speaker;

/// Longest term, in bytes.
const LONGEST: usize = 200;
/// Most terms of one candidate that count.
const MOST: usize = 24;

/// A term of a candidate: its hash, and its worth.
pub(super) type Worth = (u64, u32);

/// Where a term was used.
#[derive(Default)]
struct Use {
    /// The messages that hold it in words or arguments.
    times: u32,
    /// The last message of those.
    last_message: Option<u32>,
    /// The first message of all that holds it.
    first: u32,
    /// The last message whose arguments hold it.
    asked: Option<u32>,
    /// The last message in which the agent says it.
    said: Option<u32>,
    /// The user said it.
    of_user: bool,
}

/// The uses of each term that anybody said or that an argument holds.
pub(super) struct Terms {
    uses: HashMap<u64, Use>,
    /// The messages.
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
        for said in input.said.iter().filter(|said| said.speaker != Speaker::Nobody) {
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

    /// The terms of a text in message `index` that are worth something, each once.
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

    /// What a term is worth in message `index`, in sixteenths.
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
        // What was known before is no news.
        if used.first < index {
            worth = worth * 2 / 3;
        }
        // What half of the messages hold says little of one of them.
        let rarity = (self.messages / used.times.max(1)).max(1).ilog2() + 1;
        worth * rarity / (self.messages.max(1).ilog2() + 1)
    }
}

/// A message's number, in the few bytes that a history of many terms has for it.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The hashes of the terms of a text.
pub(super) fn hashes(text: &str) -> Vec<u64> {
    let mut found = Vec::new();
    each_term(text, |term| found.push(hash(term)));
    found
}

fn hash(term: &str) -> u64 {
    xxh3_64(term.as_bytes())
}

/// The terms of a text, in order: one pass over its bytes.
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

/// True for a word that names something: with a digit, a mark inside, or capitals behind the
/// first letter. A number of two digits names nothing by itself.
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
