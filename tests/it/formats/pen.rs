//! A pen: writes JSON as the many clients do, with keys in odd order, white space,
//! escapes, unknown members, numbers beyond 2^53 and duplicate keys that change
//! nothing. Seed 0 writes plainly.

use super::turn::{Asked, Outcome};

/// An image of one byte, in base64.
pub(super) const PIXEL: &str = "iVBORw0KGgo=";

pub(super) struct Pen {
    state: u64,
    odd: bool,
    /// True where nothing that a provider rejects is written.
    pub(super) sound: bool,
    /// True where every call is signed, as newer models do.
    pub(super) signs: bool,
    /// How many ids were given.
    count: usize,
}

impl Pen {
    pub(super) fn new(seed: u64, sound: bool) -> Pen {
        let odd = seed != 0;
        Pen { state: seed | 1, odd, sound, signs: seed % 2 == 1, count: 0 }
    }

    /// True once in `n` times; never with seed 0.
    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.odd && (self.state >> 11).is_multiple_of(n)
    }

    /// Another number at each call.
    pub(super) fn number(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// The id of a call: its own in a broken history, else one that no other has.
    pub(super) fn id(&mut self, asked: &Asked, prefix: &str) -> Option<String> {
        if self.sound { Some(format!("{prefix}{}", self.number())) } else { asked.id.clone() }
    }

    /// The text, or something in its place where a sound history may not be silent.
    pub(super) fn words(&self, text: &str) -> String {
        if self.sound && text.trim().is_empty() { "ok".to_owned() } else { text.to_owned() }
    }

    /// A literal of such words.
    pub(super) fn said(&mut self, text: &str) -> String {
        let words = self.words(text);
        self.text(&words)
    }

    /// A literal of a text.
    pub(super) fn text(&mut self, text: &str) -> String {
        if self.one_in(8) {
            let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
            return format!("\"{units}\"");
        }
        serde_json::Value::from(text).to_string()
    }

    /// An object of these members, in some order, and perhaps of others.
    pub(super) fn object(&mut self, members: &[(&str, String)]) -> String {
        let mut members: Vec<String> =
            members.iter().map(|(name, value)| self.member(name, value)).collect();
        if self.one_in(6) {
            members.push("\"x-unknown\":[1.0, 9007199254740993,1e400]".to_owned());
        }
        if self.one_in(12) {
            members.push("\"x-twice\":1".to_owned());
            members.insert(0, "\"x-twice\": \"\\u00e9\"".to_owned());
        }
        if self.one_in(4) {
            members.reverse();
        }
        if self.one_in(4) {
            members.rotate_left(1);
        }
        self.wrapped('{', &members, '}')
    }

    /// An array of these elements.
    pub(super) fn array(&mut self, elements: &[String]) -> String {
        self.wrapped('[', elements, ']')
    }

    fn member(&mut self, name: &str, value: &str) -> String {
        let space = if self.one_in(5) { " " } else { "" };
        format!("\"{name}\"{space}:{space}{value}")
    }

    fn wrapped(&mut self, open: char, inner: &[String], close: char) -> String {
        match self.one_in(5) {
            true => format!("{open} {}\n {close}", inner.join(" ,\t")),
            false => format!("{open}{}{close}", inner.join(",")),
        }
    }

    /// The result of a tool as a value of JSON: the text, or an object or an array
    /// that holds it.
    pub(super) fn value(&mut self, asked: &Asked) -> String {
        let text = self.said(&asked.text);
        match asked.outcome {
            Outcome::Object | Outcome::FailedObject => {
                format!(
                    "{{\"z\": 9007199254740993, \"a\":1e400,\"body\": {text}, \"z\":2, \"l\":[[]]}}"
                )
            }
            Outcome::Records => {
                let lines = asked.text.lines().take(12).enumerate();
                let records = lines.map(|(n, line)| {
                    format!("{{\"id\": {n}, \"n\":1.10,\"line\":{}}}", self.text(line))
                });
                let records: Vec<String> = records.collect();
                format!("[{}]", records.join(", "))
            }
            Outcome::Lone => {
                "\"lone \\ud800 surrogate, quite long, \\n\\n and on and on and on and on and on\""
                    .to_owned()
            }
            _ => text,
        }
    }
}
