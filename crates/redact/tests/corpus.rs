//! The corpus: made-up secrets in many surroundings, and look-alikes. The data is in
//! `tests/corpus`; a case is a value in a surrounding. The rules are tuned with the cases that
//! fail, except for the held-out cases, whose failures are only counted.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by a panic, and prints what share was found"
)]

use std::collections::BTreeSet;

use redact::Redact;
use regex::{Captures, Regex};
use serde::Deserialize;

/// Number of consecutive characters of a secret that must not be readable.
const SEEN: usize = 6;

#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<(String, String)>,
    forms: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Surroundings {
    surroundings: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Named {
    plain: Vec<String>,
    signs: Vec<String>,
    random: Vec<String>,
    surroundings: Vec<(String, String, String)>,
}

#[derive(Deserialize)]
struct Lookalikes {
    ids: Vec<String>,
    places: Vec<String>,
    texts: Vec<String>,
}

fn read<T: for<'a> Deserialize<'a>>(text: &str) -> T {
    toml::from_str(text).unwrap()
}

/// A text, its secret part, and whether the case is held out.
struct Case {
    name: String,
    text: String,
    secret: String,
    held_out: bool,
}

/// A pseudo-random generator, deterministic for each seed.
struct Chance(u64);

impl Chance {
    fn of(seed: &str) -> Chance {
        Chance(seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    fn characters(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..length).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }

    /// Returns the format with its placeholders filled.
    fn fill(&mut self, format: &str) -> String {
        let place = Regex::new(r"\{([a-z0-9]+)(?::(\d+))?\}").unwrap();
        let filled = place.replace_all(format, |found: &Captures<'_>| {
            let length = found.get(2).map_or(0, |length| length.as_str().parse().unwrap());
            match &found[1] {
                "uuid" => [8, 4, 4, 4, 12].map(|n| self.characters(HEX, n)).join("-"),
                "ulid" => format!("01{}", self.characters("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)),
                kind => match alphabet(kind) {
                    Some(alphabet) => self.characters(alphabet, length),
                    None => found[0].to_owned(),
                },
            }
        });
        filled.replace('|', "")
    }
}

const HEX: &str = "0123456789abcdef";

fn alphabet(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "hex" => HEX,
        "upperhex" => "0123456789ABCDEF",
        "digits" => "0123456789",
        "letters" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "upper" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "upper32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "lowerdigits" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "bech32" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        "alnum" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "b64" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        "b64url" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_",
        "bcrypt" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./",
        _ => return None,
    })
}

/// Returns the value in its surrounding, and the secret part of the value.
fn place(value: &str, surrounding: &str) -> (String, String) {
    let parts: Vec<&str> = value.split(['«', '»']).collect();
    let secret = if parts.len() == 3 { parts[1] } else { value }.to_owned();
    let value = parts.concat();
    let json = |text: &str| {
        let literal = serde_json::Value::from(text).to_string();
        literal[1..literal.len() - 1].to_owned()
    };
    let once = json(&value);
    let text = surrounding.replace("{s}", &value).replace("{jj}", &json(&once));
    (text.replace("{j}", &once), secret)
}

fn secrets() -> Vec<Case> {
    let tokens: Tokens = read(include_str!("corpus/tokens.toml"));
    let around: Surroundings = read(include_str!("corpus/surroundings.toml"));
    let named: Named = read(include_str!("corpus/named.toml"));
    let mut cases = Vec::new();
    let mut add = |names: [&str; 2], format: &str, surrounding: &str, held_out: bool| {
        let name = names.join(" in ");
        let (text, secret) = place(&Chance::of(&name).fill(format), surrounding);
        cases.push(Case { name, text, secret, held_out });
    };
    let all = &around.surroundings;
    for (n, (token, format)) in tokens.tokens.iter().enumerate() {
        for at in [n, n * 5 + 7, n * 11 + 3, n * 17 + 20].map(|at| at % all.len()) {
            add([token, &all[at].0], format, &all[at].1, at % 3 == 2);
        }
    }
    for (form, format) in &tokens.forms {
        let several = ["json", "docker inspect", "json in json", "array", "last in the text"];
        for (at, (name, text)) in all.iter().enumerate() {
            if several.contains(&name.as_str()) {
                add([form, name], format, text, at % 3 == 2);
            }
        }
    }
    for (n, (name, kinds, text)) in named.surroundings.iter().enumerate() {
        for kind in kinds.split(' ') {
            let values = match kind {
                "plain" => &named.plain,
                "signs" => &named.signs,
                "random" => &named.random,
                other => panic!("{name}: {other} is no kind of value"),
            };
            for at in [n, n + 2, n + 3].map(|at| at % values.len()) {
                add([&values[at], name], &values[at], text, n % 3 == 2);
            }
        }
    }
    cases
}

fn lookalikes() -> Vec<Case> {
    let data: Lookalikes = read(include_str!("corpus/lookalikes.toml"));
    let mut cases = Vec::new();
    let mut add = |name: String, text: String, held_out| {
        cases.push(Case { name, text, secret: String::new(), held_out });
    };
    for (n, id) in data.ids.iter().enumerate() {
        for (at, surrounding) in data.places.iter().enumerate() {
            let name = format!("{id} in {surrounding:?}");
            let (text, _) = place(&Chance::of(&name).fill(id), surrounding);
            add(name, text, (n + at) % 3 == 2);
        }
    }
    for (n, format) in data.texts.iter().enumerate() {
        let text = match alphabet_in(format) {
            true => Chance::of(format).fill(format),
            false => format.clone(),
        };
        add(format.clone(), text, n % 3 == 2);
    }
    cases
}

/// Returns true if a format has placeholders: only then is `|` not part of it.
fn alphabet_in(format: &str) -> bool {
    ["{hex:", "{b64:", "{alnum:", "{uuid}", "{upperhex:"].iter().any(|place| format.contains(place))
}

/// Returns true if a part of the secret can be read.
fn is_seen(shown: &str, secret: &str) -> bool {
    // A mark may contain a word of the token, such as `github`.
    let shown = Regex::new(r"\[redacted: [a-z0-9-]+\]").unwrap().replace_all(shown, "…");
    let letters: Vec<char> = secret.chars().collect();
    letters.windows(SEEN.min(letters.len())).any(|part| {
        let part: String = part.iter().collect();
        !part.contains('\n') && shown.contains(&part)
    })
}

/// Prints the figures, and the failures that are not held out; returns the share that failed.
fn share(what: &str, cases: &[Case], failed: &BTreeSet<usize>) -> f64 {
    for held_out in [false, true] {
        let of = |at: &&usize| cases[**at].held_out == held_out;
        let all = cases.iter().filter(|case| case.held_out == held_out).count();
        let bad = failed.iter().filter(of).count();
        let kind = if held_out { "held out" } else { "tuned" };
        println!("{what}, {kind}: {bad} of {all} ({:.1} %)", 100.0 * bad as f64 / all as f64);
    }
    for case in failed.iter().map(|at| &cases[*at]).filter(|case| !case.held_out) {
        let shown = Redact::Secrets.text(case.text.as_str());
        println!("  {what}: {}\n    {:?}", case.name, shown.chars().take(200).collect::<String>());
    }
    failed.len() as f64 / cases.len() as f64
}

#[test]
fn nearly_every_secret_is_found_and_hardly_a_lookalike() {
    let (secrets, lookalikes) = (secrets(), lookalikes());
    assert!(secrets.len() >= 250 && lookalikes.len() >= 250);
    let failed = |cases: &[Case], fails: fn(&Case, &str) -> bool| -> BTreeSet<usize> {
        let shown = |case: &Case| Redact::Secrets.text(case.text.as_str()).into_owned();
        (0..cases.len()).filter(|at| fails(&cases[*at], &shown(&cases[*at]))).collect()
    };
    let missed = failed(&secrets, |case, shown| is_seen(shown, &case.secret));
    let marked = failed(&lookalikes, |case, shown| shown != case.text);
    let missed = share("secrets shown", &secrets, &missed);
    let marked = share("look-alikes marked", &lookalikes, &marked);
    assert!(missed <= 0.02 && marked <= 0.02, "{missed:.3} shown, {marked:.3} marked");
}

/// Each rule of the file finds a secret of the corpus.
#[test]
fn each_rule_finds_a_secret_of_the_corpus() {
    let mark = Regex::new(r"\[redacted: ([a-z0-9-]+)\]").unwrap();
    let mut seen = BTreeSet::new();
    for case in secrets() {
        let shown = Redact::Secrets.text(case.text.as_str()).into_owned();
        seen.extend(mark.captures_iter(&shown).map(|found| found[1].to_owned()));
    }
    let rules: toml::Value = read(include_str!("../src/rules.toml"));
    let rules = rules["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let unseen: Vec<&&str> = ids.iter().filter(|id| !seen.contains(**id)).collect();
    assert!(ids.len() >= 80 && unseen.is_empty(), "{} ids, unseen: {unseen:?}", ids.len());
}
