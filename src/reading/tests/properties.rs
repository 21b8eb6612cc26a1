//! Properties: pages together are the file, and matches are those of the `regex` crate.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Store, pattern, quarter};
use crate::reading::grep::CaseMode;
use crate::reading::limit::TruncatedBy;
use crate::reading::read_file::{self, Part};

/// Texts with everything that was ever split in the wrong place.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => Just("\0".to_owned()),
        4 => "[a-z ]{1,12}",
        2 => "[上下文é🚀ß]{1,6}",
        1 => (1..400_usize).prop_map(|n| "long🚀 ".repeat(n)),
        1 => "\\PC{0,8}".prop_map(|text| text.replace(['{', '[', '"'], "")),
        2 => "[a-z \nßé]{0,12}".prop_map(|text| record(&text)),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A line of JSON with a text, whose letters beyond ASCII it escapes.
fn record(text: &str) -> String {
    let record = json!({"text": text, "n": 5}).to_string();
    format!("\n{}\n", record.replace('ß', "\\u00df"))
}

/// Returns the lines of the texts in a line, with those of member names, if it is JSON.
fn lines_of_texts(line: &str) -> Vec<String> {
    let record = serde_json::from_str::<Value>(line).unwrap_or_default();
    let members = record.as_object().into_iter().flatten();
    let texts = members.flat_map(|(name, value)| [Some(name.as_str()), value.as_str()]);
    let lines = texts.flatten().flat_map(|text| text.split('\n'));
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[derive(Clone, Copy, Debug)]
enum Paging {
    Lines(u64),
    Bytes(u64),
    All,
}

fn pagings() -> impl Strategy<Value = Paging> {
    prop_oneof![
        (1..12_u64).prop_map(Paging::Lines),
        (1..900_u64).prop_map(Paging::Bytes),
        Just(Paging::All),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_put_together_are_the_file(
        text in texts(),
        paging in pagings(),
        max_tokens in prop_oneof![Just(None), (1..60_u64).prop_map(Some), (60..800_u64).prop_map(Some)],
        answer_bytes in prop_oneof![Just(1 << 20), 80..3000_usize],
    ) {
        let store = Store::with(&[("x", text.as_bytes())]);
        let limits = read_file::Limits { answer_bytes, ..Default::default() };
        let mut body = String::new();
        let mut part = match paging {
            Paging::Lines(n) => Part::Lines { offset: 0, limit: Some(n) },
            Paging::Bytes(n) => Part::Bytes { offset: 0, limit: Some(n) },
            Paging::All => Part::Lines { offset: 0, limit: None },
        };
        let mut pages = 0;
        loop {
            pages += 1;
            let query = read_file::Query { part, max_tokens };
            let page = store.read_within("x", &query, &limits).unwrap();
            prop_assert_eq!(page.first_byte, body.len() as u64);
            body.push_str(page.body());
            prop_assert_eq!(page.end_byte, body.len() as u64);
            prop_assert_eq!(page.total_bytes, text.len() as u64);
            prop_assert_eq!(page.total_lines, text.split_inclusive('\n').count() as u64);
            prop_assert_eq!(page.next_byte_offset.is_none(), body.len() == text.len());
            let before = &text[..page.first_byte as usize];
            prop_assert_eq!(page.first_line, before.matches('\n').count() as u64);
            let one_character = page.body().chars().count() <= 1;
            if let Some(max) = max_tokens {
                prop_assert!(quarter(&page.answer) <= max || one_character);
            }
            prop_assert!(page.answer.len() <= answer_bytes || one_character);
            if page.next_offset.is_some() || page.next_byte_offset.is_some() {
                prop_assert!(page.answer.starts_with("Showing "));
            } else {
                prop_assert_eq!(page.body_start, 0);
            }
            let next = match part {
                Part::Lines { limit, .. } => match (page.next_offset, page.next_byte_offset) {
                    (Some(next), _) => {
                        prop_assert_eq!(page.last_line + 1, next);
                        Part::Lines { offset: next, limit }
                    }
                    // Continues through the long line by bytes, then by lines again.
                    (None, Some(next)) => Part::Bytes { offset: next, limit: Some(500) },
                    (None, None) => break,
                },
                Part::Bytes { limit, .. } => {
                    prop_assert_eq!(page.next_offset, page.next_byte_offset);
                    match page.next_byte_offset {
                        Some(next) if page.body().ends_with('\n') && !matches!(paging, Paging::Bytes(_)) => {
                            let limit = if let Paging::Lines(n) = paging { Some(n) } else { None };
                            Part::Lines { offset: text[..next as usize].matches('\n').count() as u64, limit }
                        }
                        Some(next) => Part::Bytes { offset: next, limit },
                        None => break,
                    }
                }
            };
            let place = |part: Part| match part {
                Part::Lines { offset, .. } => text.split_inclusive('\n').take(offset as usize).map(str::len).sum::<usize>() as u64,
                Part::Bytes { offset, .. } => offset,
            };
            prop_assert!(place(next) > place(part), "{:?} after {:?}", next, part);
            part = next;
            prop_assert!(pages <= text.len() + 2);
        }
        prop_assert!(body == text);
    }

    #[test]
    fn grep_finds_what_the_regex_crate_finds_line_by_line(
        contents in prop::collection::vec(texts(), 1..4),
        expression in prop_oneof![
            Just("a".to_owned()),
            "[a-e]{1,2}",
            Just("^".to_owned()),
            Just("$".to_owned()),
            Just("^$".to_owned()),
            Just(r"\bb".to_owned()),
            Just(r"\s[a-m]\B".to_owned()),
            Just(r"[上🚀]+.".to_owned()),
            Just(r"o.*g".to_owned()),
            Just(r"[[:alpha:]]\s*$".to_owned()),
            Just(r"\Aa|z\z".to_owned()),
            Just(r"\w{3}\W".to_owned()),
            Just(r"\x00|ß".to_owned()),
            Just(r"(?:a?){40}n".to_owned()),
            Just(r"[^a-z]".to_owned()),
            Just(r"\s".to_owned()),
            Just(r"n.".to_owned()),
        ],
        case in prop_oneof![Just(CaseMode::Ignore), Just(CaseMode::Sensitive)],
        limit in 1..20_u64,
        context in 0..3_u64,
    ) {
        let names = ["a.txt", "b/c.txt", "d.txt"];
        let files: Vec<_> = names.into_iter().zip(contents.iter().map(String::as_bytes)).collect();
        let store = Store::with(&files);
        let reference = regex::RegexBuilder::new(&expression)
            .case_insensitive(case == CaseMode::Ignore)
            .multi_line(true)
            .build()
            .unwrap();
        let mut expected = Vec::new();
        for (path, content) in names.iter().zip(&contents) {
            for (number, line) in content.split_inclusive('\n').enumerate() {
                let whole = line.strip_suffix('\n').unwrap_or(line);
                let seen = whole.strip_suffix('\r').unwrap_or(whole);
                let found = reference.find(seen);
                let is_text = || lines_of_texts(seen).iter().any(|line| reference.is_match(line));
                if found.is_some() || is_text() {
                    let column = found.map(|found| found.start() as u64 + 1);
                    expected.push((path.to_string(), number as u64 + 1, column));
                }
            }
        }
        let mut query = pattern(&expression);
        query.case = case;
        let all = store.grep(&query);
        prop_assert_eq!(all.matches.len(), expected.len());
        for (found, (path, line, column)) in all.matches.iter().zip(expected) {
            prop_assert_eq!((&found.path, found.line), (&path, line));
            prop_assert_eq!(found.column, column.unwrap_or(found.column));
        }
        prop_assert_eq!(all.truncated, None);
        for found in &all.matches {
            let content = &contents[names.iter().position(|name| *name == found.path).unwrap()];
            let line = content.split_inclusive('\n').nth(found.line as usize - 1).unwrap();
            let line = match line.strip_suffix('\n') {
                Some(line) => line.strip_suffix('\r').unwrap_or(line),
                None => line,
            };
            let holds = if found.text_truncated { line.contains(&found.text) } else { line == found.text };
            prop_assert!(holds);
        }

        query.context = context;
        prop_assert_eq!(&store.grep(&query).matches, &all.matches);
        query.limit = Some(limit);
        let cut = store.grep(&query);
        let kept = all.matches.len().min(limit as usize);
        prop_assert_eq!(&cut.matches[..], &all.matches[..kept]);
        prop_assert_eq!(cut.truncated, (all.matches.len() > kept).then_some(TruncatedBy::Limit));

        let mut pages = Vec::new();
        let mut next = Some(0);
        while let Some(offset) = next {
            query.offset = offset;
            let page = store.grep(&query);
            prop_assert_eq!(page.matches_total, all.matches.len() as u64);
            prop_assert!(page.next_offset.is_none_or(|next| next > offset));
            pages.extend(page.matches);
            next = page.next_offset;
        }
        prop_assert_eq!(&pages, &all.matches);
    }
}
