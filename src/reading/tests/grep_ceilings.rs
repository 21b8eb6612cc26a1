//! The limits of `grep`: which limit truncates an answer, and how the answer says so.

use super::{Store, bytes, pattern, quarter};
use crate::reading::grep::{self, SkipReason, Skipped};
use crate::reading::limit::TruncatedBy;

#[test]
fn grep_cuts_a_long_line_around_its_first_match() {
    let line = format!("{}NEEDLE{} NEEDLE", "é".repeat(60_000), "x".repeat(40_000));
    let file = format!("short\n{line}\n");
    let store = Store::with(&[("long", file.as_bytes())]);
    let answer = store.grep(&pattern("needle"));
    let found = &answer.matches[0];
    assert_eq!((found.line, found.column), (2, 120_001));
    assert!(found.text_truncated);
    assert_eq!(found.text.chars().count(), 500);
    assert!(found.text.contains("éNEEDLEx"));
    let shown = answer.answer.lines().nth(3).unwrap();
    assert!(shown.starts_with("L2: …é"), "{shown}");
    assert!(
        shown.ends_with("x… [line of 160013 bytes; its part: byte_offset=118982 byte_limit=4096]"),
        "{shown}"
    );
    let around = store.read("long", &bytes(118_982, 4096)).unwrap();
    assert!(around.body().contains("NEEDLE"));

    // A match at either end of its line fills the window from the other side.
    let ends = format!("NEEDLE{}\n{}NEEDLE\n", "x".repeat(600), "y".repeat(600));
    let store = Store::with(&[("ends", ends.as_bytes())]);
    let answer = store.grep(&pattern("needle"));
    assert!(answer.matches[0].text.starts_with("NEEDLEx"));
    assert!(answer.matches[1].text.ends_with("yNEEDLE"));
    for found in answer.matches {
        assert_eq!(found.text.chars().count(), 500);
    }
}

#[test]
fn grep_answers_fit_their_ceilings_and_say_what_cut_them() {
    let file: String = (0..5000).map(|n| format!("line {n} of a file\n")).collect();
    let store = Store::with(&[("big", file.as_bytes())]);
    let all = store.grep(&pattern("line"));
    assert_eq!((all.matches.len(), all.truncated), (5000, None));

    for max_tokens in [60, 61, 62, 100, 1000, 10_000] {
        let mut query = pattern("line");
        query.max_tokens = Some(max_tokens);
        let cut = store.grep(&query);
        assert!(quarter(&cut.answer) <= max_tokens, "{}", cut.answer);
        assert_eq!(cut.truncated, Some(TruncatedBy::MaxTokens));
        assert_eq!(cut.matches, all.matches[..cut.matches.len()]);
        let n = cut.matches.len();
        let head = format!(
            "Found 5000 matches, 1-{n} shown (max_tokens is reached; offset={n} shows more), for "
        );
        assert!(n > 0 && cut.answer.starts_with(&head), "{}", cut.answer);
        assert_eq!((cut.matches_total, cut.next_offset), (5000, Some(n as u64)));
        // No room is wasted: one more line would not have fitted.
        assert!(quarter(&cut.answer) + 8 > max_tokens);
    }
    let mut query = pattern("line");
    query.max_tokens = Some(5);
    let none = store.grep(&query);
    assert!(none.answer.starts_with("Found 5000 matches for pattern \"line\""));
    assert!(none.answer.contains("the next does not fit: max_tokens is reached"));
    assert_eq!((none.matches.len(), none.truncated), (0, Some(TruncatedBy::MaxTokens)));
    assert_eq!(none.next_offset, Some(1));

    let limits = grep::Limits { answer_bytes: 2000, ..grep::Limits::default() };
    let cut = store.grep_in("", &pattern("line"), &limits).unwrap();
    assert!(cut.answer.len() <= 2000 && cut.answer.len() > 1900);
    assert_eq!(cut.truncated, Some(TruncatedBy::AnswerBytes));

    let limits = grep::Limits { max_matches: 10, ..grep::Limits::default() };
    let mut query = pattern("line");
    query.limit = Some(100);
    let cut = store.grep_in("", &query, &limits).unwrap();
    assert_eq!(cut.matches, all.matches[..10]);
    assert_eq!(cut.truncated, Some(TruncatedBy::MaxMatches));
    assert!(cut.answer.starts_with(
        "Found 5000 matches, 1-10 shown (no answer holds more matches; offset=10 shows more), for "
    ));
}

#[test]
fn matches_are_counted_up_to_a_limit() {
    let store =
        Store::with(&[("a", "x\n".repeat(30).as_bytes()), ("b", "x\n".repeat(30).as_bytes())]);
    let mut query = pattern("x");
    query.limit = Some(2);
    let exact = store.grep(&query);
    assert_eq!((exact.matches_total, exact.matches_total_exact), (60, true));
    let limits = grep::Limits { counted_matches: 40, ..grep::Limits::default() };
    let counted = store.grep_in("", &query, &limits).unwrap();
    assert_eq!((counted.matches_total, counted.matches_total_exact), (40, false));
    assert!(
        counted.answer.starts_with("Found at least 40 matches, 1-2 shown ("),
        "{}",
        counted.answer
    );
}

#[test]
fn an_offset_past_the_last_match_says_how_many_there_are() {
    let store = Store::with(&[("a", b"x\nx\n")]);
    let mut query = pattern("x");
    query.offset = 2;
    let past = store.grep(&query);
    assert_eq!(
        past.answer,
        "Found 2 matches for pattern \"x\" in path \"fix\"; offset=2 is past the last."
    );
    assert_eq!((past.next_offset, past.truncated), (None, None));
}

#[test]
fn a_match_that_does_not_fit_is_passed_over() {
    let long = "word ".repeat(4_000);
    let store = Store::with(&[("a", format!("x {long}\nx {long}\n").as_bytes())]);
    for max_tokens in [1, 20] {
        let mut query = pattern("x");
        query.max_tokens = Some(max_tokens);
        let none = store.grep(&query);
        assert!(none.answer.contains("go past it with offset=1"), "{}", none.answer);
        assert_eq!((none.matches_total, none.next_offset), (2, Some(1)));
    }
}

#[test]
fn grep_visits_no_more_files_than_it_may() {
    let store = Store::with(&[("a", b"x"), ("b/c", b"x"), ("d", b"x")]);
    let limits = grep::Limits { files: 2, ..grep::Limits::default() };
    let inside = store.grep_in("b", &pattern("x"), &limits).unwrap();
    assert_eq!((inside.matches.len(), inside.truncated), (1, None));
    // The first of three names are not known before all are listed.
    let cut = store.grep_in("", &pattern("x"), &limits).unwrap();
    assert_eq!((cut.matches.len(), cut.truncated), (0, Some(TruncatedBy::Files)));
    let store = Store::with(&[("a/1", b"x"), ("b/2", b"x"), ("b/3", b"x")]);
    let cut = store.grep_in("", &pattern("x"), &limits).unwrap();
    let paths: Vec<_> = cut.matches.iter().map(|found| found.path.as_str()).collect();
    assert_eq!((paths, cut.truncated), (vec!["a/1", "b/2"], Some(TruncatedBy::Files)));
}

#[test]
fn grep_names_a_file_whose_line_is_too_long_to_hold() {
    let long = [b"x\n".as_slice(), &[b'y'; 300_000], b"x\n"].concat();
    let store = Store::with(&[("a", &long), ("b", b"x\n")]);
    let limits = grep::Limits { line_bytes: 100_000, ..grep::Limits::default() };
    let answer = store.grep_in("", &pattern("x"), &limits).unwrap();
    let paths: Vec<_> = answer.matches.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["a", "b"]);
    let skipped = Skipped { path: "a".to_owned(), why: SkipReason::LongLine };
    assert_eq!((answer.skipped, answer.files_skipped), (vec![skipped], 1));
    assert!(answer.answer.ends_with("---\n[not searched to the end: a (a line is too long)]"));
    assert_eq!(store.grep(&pattern("x")).matches.len(), 3);
}

#[test]
fn grep_enters_folders_only_so_deep() {
    let deep = format!("{}f", "d/".repeat(80));
    let store = Store::with(&[(&deep, b"x"), ("z", b"x")]);
    let answer = store.grep(&pattern("x"));
    assert_eq!(answer.matches.len(), 1);
    assert_eq!(answer.skipped[0].why, SkipReason::TooDeep);
}
