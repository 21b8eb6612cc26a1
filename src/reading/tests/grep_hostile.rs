//! Patterns that are made to run forever, and lines of a megabyte.

use std::time::Duration;

use super::{Store, pattern};
use crate::reading::grep;
use crate::reading::limit::TruncatedBy;
use crate::tests::cpu_time;

#[test]
fn hostile_patterns_end_with_the_deadline() {
    let deadline = Duration::from_millis(200);
    let limits = grep::Limits { deadline, ..grep::Limits::default() };
    let words: String = "lorem ipsum dolor sit amet 0123456789 ".repeat(50_000);
    let mixed: String = "слово слово 上下文卸载 aaaa bbbb ".repeat(30_000);
    let wrapped: String = words.replace("amet", "amet\n");
    let aaaa = "a".repeat(2_000_000);
    let aaaa_lines = format!("{}\n", "a".repeat(80)).repeat(20_000);
    // Text that never repeats makes a lazy automaton build a state for each byte.
    let mut seed = 1_u32;
    let random: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 31 == 0 { 'a' } else { 'b' }
    })
    .take(2_000_000)
    .collect();
    let store = Store::with(&[
        ("random", random.as_bytes()),
        ("words", words.as_bytes()),
        ("mixed", mixed.as_bytes()),
        ("wrapped", wrapped.as_bytes()),
        ("a", aaaa.as_bytes()),
        ("a_lines", aaaa_lines.as_bytes()),
    ]);
    let hostile = [
        "(a+)+$".to_owned(),
        "(a*)*b".to_owned(),
        "(a|a)*b$".to_owned(),
        "(a|aa)+c".to_owned(),
        r"\w{200}".to_owned(),
        r"\w{60}z".to_owned(),
        r"(?:\w{1,40}\s){3}q".to_owned(),
        "(?:a{1000}){1000}".to_owned(),
        "(?:(?:(?:a{10}){10}){10}){10}".to_owned(),
        "a{2000}".to_owned() + "b",
        "(?:a?){2000}b".to_owned(),
        "(?:a?){9000}b$".to_owned(),
        "(?:a|b|ab){900}c".to_owned(),
        r"\b(?:a?){900}\b z".to_owned(),
        r"\b\w{30}\bz".to_owned(),
        ".*.*.*.*.*.*.*.*=.*".to_owned(),
        "[^x]*[^y]*[^z]*[^w]{40}#$".to_owned(),
        r"(?:\pL\pM*){40}\d{9}x".to_owned(),
        "(x+x+)+y".to_owned(),
        "a".repeat(2048),
        "(".repeat(600) + &")".repeat(400),
        "(?i)(?:k|s|ſ|K){300}".to_owned(),
        r"[\w&&[^a-y]]{50}".to_owned(),
        "(?:.{0,100}a){6}b$".to_owned(),
        "(?:a|aa){3000}b".to_owned(),
        "(?:[^x]a{0,40}){100}b".to_owned(),
        "(?:.a?){450}b$".to_owned(),
        "a[ab]{300}c".to_owned(),
    ];
    for text in hostile {
        for path in ["random", "words", "mixed", "wrapped", "a", "a_lines"] {
            // Refused, late or answered: only the time spent counts.
            let took = cpu_time::of(|| drop(store.grep_in(path, &pattern(&text), &limits)));
            let most = deadline + Duration::from_millis(200);
            let shown: String = text.chars().take(40).collect();
            assert!(took < most, "{shown} in {path:?} took {took:?}, {most:?} at most");
        }
    }
}

#[test]
fn a_late_answer_holds_what_was_found_in_time() {
    let store = Store::golden();
    let limits = grep::Limits { deadline: Duration::ZERO, ..grep::Limits::default() };
    let late = store.grep_in("", &pattern("fox"), &limits).unwrap();
    assert_eq!((late.matches.len(), late.truncated), (0, Some(TruncatedBy::Deadline)));
    assert_eq!(
        late.answer,
        "No matches found for pattern \"fox\" in path \"fix\" so far (the time for one search is over)."
    );
}

#[test]
fn long_lines_are_judged_like_short_ones() {
    // One line large enough for stepping, against the regex crate.
    let line = format!(
        "{}start one@two.com одиндва двадва два {} foo {}bar end",
        "x ".repeat(150_000),
        "y".repeat(200_000),
        "z ".repeat(150_000)
    );
    let store = Store::with(&[("x", format!("short\n{line}\nfoo bar\n").as_bytes())]);
    for text in [
        r"[\w.]+@[\w.]+\.com",
        r"foo .*bar",
        r"^x .* end$",
        r"bar end$",
        r"\bfoo\b",
        r"(?:y|z){2000}",
        r"nothing\w+here",
        r"o*",
        r"\bдва\b",
        r"\bтри|\bдва\w+ ",
        r"(?:\b\w+\b ){3}foo",
        r"\b(?:дв|два|a)+?\B.",
    ] {
        let expected = regex::Regex::new(text).unwrap().find(&line);
        let limits = grep::Limits { deadline: Duration::from_secs(60), ..grep::Limits::default() };
        let answer = store.grep_in("", &pattern(text), &limits).unwrap();
        let found = answer.matches.iter().find(|found| found.line == 2);
        assert_eq!(
            found.map(|found| found.column),
            expected.map(|found| found.start() as u64 + 1),
            "{text}"
        );
        assert_eq!((answer.truncated, answer.files_skipped), (None, 0));
    }
}
