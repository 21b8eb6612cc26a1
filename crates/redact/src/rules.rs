//! The rules for formats of secrets in `rules.toml`, compiled. Each runs only on texts that contain
//! one of its keywords; one pass finds the keywords of all rules.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::{Captures, Match, Regex};
use serde::Deserialize;

use super::name::{self, NameMatch};
use super::value::{entropy, is_chosen, is_mixed};
use super::{Secret, assignment, pair, private_key, table};

/// The content of `rules.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    rules: Vec<Rule>,
}

/// A format of secrets.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rule {
    /// The name that marks show.
    id: String,
    /// The service that issues the secret, for readers of the file.
    #[cfg_attr(not(test), expect(dead_code, reason = "a reader of the file wants to know"))]
    description: String,
    regex: String,
    /// The keywords. A rule without keywords runs on every text.
    keywords: Vec<String>,
    secret_group: Option<usize>,
    /// Minimum entropy of a secret, in bits per character.
    entropy: Option<f64>,
    #[serde(default)]
    allowlist: Allowlist,
    value: Option<ValueTest>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Allowlist {
    stopwords: Vec<String>,
}

/// A test of a secret beyond its format, to exclude look-alikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ValueTest {
    /// The value is a password that a person chose, not a placeholder.
    Chosen,
    /// The value has a digit or an inner capital, so it is not a plain word.
    Mixed,
}

/// Matches the text between a name and its value: quotes of any level, and a sign.
const IS: &str = r#"(?:\\*["'`])?\]?\s{0,4}(?::=|=>|={1,3}|[:,])\s{0,4}(?:\\*["'`])?"#;
const END: &str = r"(?-u:\b{end-half})";
const QUOTE: &str = r#"(?:\\*["'])"#;
/// The prefix of an expression whose match must begin a word.
const START: &str = "{start}";

/// A rule with its compiled expression.
struct CompiledRule {
    rule: Rule,
    regex: Regex,
    /// True if the match must begin a word.
    begins: bool,
}

impl CompiledRule {
    fn new(rule: Rule) -> CompiledRule {
        let begins = rule.regex.starts_with(START);
        let regex = rule.regex.replace(START, "").replace("{end}", END);
        let regex = regex.replace("{is}", IS).replace("{quote}", QUOTE);
        let regex = Regex::new(&regex).expect("the expressions are fixed and tested");
        CompiledRule { rule, regex, begins }
    }

    fn secret<'t>(&self, found: &Captures<'t>) -> Option<Match<'t>> {
        match self.rule.secret_group {
            Some(group) => found.get(group),
            None => (1..found.len()).find_map(|group| found.get(group)).or_else(|| found.get(0)),
        }
    }

    fn find<'r>(&'r self, text: &str, found: &mut Vec<Secret<'r>>) {
        let secrets = self.regex.captures_iter(text).filter_map(|captures| {
            let whole = captures.get(0)?;
            let begins = !self.begins || begins_word(text.as_bytes(), whole.start());
            self.secret(&captures).filter(|secret| begins && self.holds(secret.as_str()))
        });
        found.extend(secrets.map(|secret| Secret { bytes: secret.range(), rule: &self.rule.id }));
    }

    fn holds(&self, secret: &str) -> bool {
        let Rule { entropy: least, value, allowlist, .. } = &self.rule;
        let digit = || secret.bytes().any(|byte| byte.is_ascii_digit());
        let mixed = least.is_none_or(|least| digit() && entropy(secret) >= least);
        let value = match value {
            Some(ValueTest::Chosen) => is_chosen(secret),
            Some(ValueTest::Mixed) => is_mixed(secret),
            None => true,
        };
        mixed && value && !allowlist.stopwords.iter().any(|word| secret.contains(word.as_str()))
    }
}

/// Returns true if a word begins at `at`: at the start, after a character that is not part of a
/// word, or after an escape of JSON, of a URL or of a terminal.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [] => true,
        [.., last] if !last.is_ascii_alphanumeric() && *last != b'_' => true,
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'\\', b'u', a, b, c, d] => is_hex(&[*a, *b, *c, *d]),
        [.., b'%', first, second] => is_hex(&[*first, *second]),
        [rest @ .., b'm'] => {
            let color = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let digits = rest.iter().rev().take(12).take_while(color).count();
            rest[..rest.len() - digits].ends_with(b"\x1b[")
        }
        _ => false,
    }
}

/// A search that runs if one of its words occurs.
#[derive(Clone, Copy)]
enum Finder {
    Rule(usize),
    PrivateKey,
    /// A word that ends the name of a secret; true if it names a password.
    Name(bool),
}

struct Rules {
    rules: Vec<CompiledRule>,
    words: AhoCorasick,
    /// For each word, its finder.
    finders: Vec<Finder>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let file: RulesFile = toml::from_str(include_str!("rules.toml")).expect("the file is tested");
    let rules: Vec<CompiledRule> = file.rules.into_iter().map(CompiledRule::new).collect();
    let of_rules = rules.iter().enumerate().flat_map(|(at, ready)| {
        ready.rule.keywords.iter().map(move |word| (word.as_str(), Finder::Rule(at)))
    });
    let names = name::words();
    let named = names.iter().map(|(word, password)| (word.as_str(), Finder::Name(*password)));
    let key = [("private key", Finder::PrivateKey)];
    let (words, finders): (Vec<&str>, Vec<Finder>) = of_rules.chain(named).chain(key).unzip();
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("the words are few");
    Rules { rules, words, finders }
});

/// Returns all secrets in a text, rule by rule.
pub(super) fn find(text: &str) -> Vec<Secret<'static>> {
    let compiled: &'static Rules = &RULES;
    let mut runs: Vec<bool> =
        compiled.rules.iter().map(|ready| ready.rule.keywords.is_empty()).collect();
    let (mut key, mut names) = (false, Vec::new());
    for word in compiled.words.find_overlapping_iter(text) {
        match compiled.finders[word.pattern().as_usize()] {
            Finder::Rule(at) => runs[at] = true,
            Finder::PrivateKey => key = true,
            Finder::Name(password) => {
                names.push(NameMatch { start: word.start(), end: word.end(), password });
            }
        }
    }
    let mut found = Vec::new();
    for (ready, _) in compiled.rules.iter().zip(runs).filter(|(_, runs)| *runs) {
        ready.find(text, &mut found);
    }
    if key {
        let keys = private_key::find(text).into_iter();
        found.extend(keys.map(|bytes| Secret { bytes, rule: private_key::RULE }));
    }
    for find in [assignment::find, pair::find, table::find] {
        let values = find(text, &names).into_iter();
        found.extend(values.map(|bytes| Secret { bytes, rule: assignment::RULE }));
    }
    found
}

/// Returns the position of a rule in the list. A private key comes first, because it covers
/// everything in it.
pub(super) fn rank(id: &str) -> usize {
    if id == private_key::RULE {
        return 0;
    }
    let rules = &RULES.rules;
    1 + rules.iter().position(|ready| ready.rule.id == id).unwrap_or(rules.len())
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
