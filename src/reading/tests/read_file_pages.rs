//! The pages of `read_file`, and what it refuses.

use std::fs;

use super::{Store, bytes, fox, lines, quarter};
use crate::reading::error::ReloadError;
use crate::reading::limit::TruncatedBy;
use crate::reading::read_file::{self, Part};

fn body_of(store: &Store, path: &str, query: &read_file::Query) -> String {
    let answer = store.read(path, query).unwrap();
    assert_eq!(answer.body_start, 0, "{}", answer.answer);
    answer.answer
}

#[test]
fn read_file_gives_a_whole_file_as_it_is() {
    let store = Store::golden();
    for path in ["a.txt", "cjk.txt", "crlf.txt", "nonl.txt", "trail.txt"] {
        let stored = fs::read_to_string(store.path(path)).unwrap();
        for query in [lines(0, None), lines(0, 100_000), bytes(0, None), bytes(0, 100_000)] {
            assert_eq!(body_of(&store, path, &query), stored);
        }
        let answer = store.read(path, &lines(0, None)).unwrap();
        assert_eq!(answer.total_lines, stored.split_inclusive('\n').count() as u64);
        assert_eq!(answer.total_bytes, stored.len() as u64);
        assert_eq!((answer.next_offset, answer.next_byte_offset), (None, None));
        assert_eq!(answer.last_line, answer.total_lines - 1);
    }
}

#[test]
fn read_file_says_where_a_page_stands() {
    let store = Store::golden();
    let answer = store.read("a.txt", &lines(2, 3)).unwrap();
    assert_eq!(
        answer.answer,
        format!(
            "Showing lines 3-5 of 10 total lines.\n\n---\n\n{}\n{}\n{}\n",
            fox("alpha", 2),
            fox("alpha", 3),
            fox("alpha", 4)
        )
    );
    assert_eq!((answer.next_offset, answer.next_byte_offset), (Some(5), Some(305)));
    assert_eq!((answer.first_line, answer.last_line), (2, 4));
    assert_eq!((answer.first_byte, answer.end_byte), (122, 305));

    let last = store.read("a.txt", &lines(8, 1)).unwrap();
    let header = "Showing lines 9-9 of 10 total lines.\n\n---\n\n";
    assert_eq!(last.answer, format!("{header}{}\n", fox("alpha", 8)));
    assert_eq!((last.next_offset, last.next_byte_offset), (Some(9), Some(549)));
    assert_eq!(body_of(&store, "a.txt", &lines(9, 1)), fox("alpha", 9) + "\n");

    let rest: String = (5..10).map(|n| fox("alpha", n) + "\n").collect();
    assert_eq!(body_of(&store, "a.txt", &lines(5, None)), rest);

    let page = store.read("a.txt", &bytes(61, 5)).unwrap();
    assert_eq!(page.answer, "Showing bytes 61-65 of 610 total bytes.\n\n---\n\nalpha");
    assert_eq!((page.next_offset, page.next_byte_offset), (Some(66), Some(66)));
    assert_eq!((page.first_line, page.last_line), (1, 1));
}

#[test]
fn read_file_never_splits_a_character() {
    let store = Store::with(&[("x", "a🚀b".as_bytes())]);
    let page = |offset, limit| {
        let page = store.read("x", &bytes(offset, limit)).unwrap();
        (page.first_byte, page.end_byte, page.body().to_owned())
    };
    assert_eq!(page(0, 1), (0, 1, "a".to_owned()));
    assert_eq!(page(0, 3), (0, 1, "a".to_owned()));
    assert_eq!(page(1, 1), (1, 5, "🚀".to_owned()));
    assert_eq!(page(4, 1), (1, 5, "🚀".to_owned()));
    assert_eq!(page(4, 2), (1, 6, "🚀b".to_owned()));
    assert_eq!(page(5, 1), (5, 6, "b".to_owned()));
}

#[test]
fn read_file_names_what_it_cannot_give() {
    let store = Store::golden();
    let refusal = |path, query| store.read(path, &query).unwrap_err();
    assert_eq!(
        refusal("a.txt", lines(5000, 10)).to_string(),
        "line 5001 is past the end of \"fix/a.txt\", which has 10 lines; accepted are lines 1 to 10"
    );
    assert!(matches!(
        refusal("a.txt", lines(10, None)),
        ReloadError::LinesPastEnd { first: 11, total_lines: 10, .. }
    ));
    assert!(matches!(
        refusal("a.txt", bytes(610, None)),
        ReloadError::ByteOffsetPastEnd { total_bytes: 610, .. }
    ));
    for query in [lines(0, 0), bytes(0, 0)] {
        assert!(matches!(
            refusal("a.txt", query),
            ReloadError::InvalidRange { field: "limit", .. }
        ));
    }
    assert!(matches!(refusal("nope.txt", lines(0, None)), ReloadError::NotFound { .. }));
    assert!(matches!(refusal("sub", lines(0, None)), ReloadError::NotAFile { .. }));
    assert!(matches!(
        refusal("bin.dat", lines(0, None)),
        ReloadError::NotText { byte_offset: 2, .. }
    ));
}

#[test]
fn read_file_reads_an_empty_file() {
    let store = Store::with(&[("empty", b"")]);
    for query in [lines(0, None), lines(0, 1), bytes(0, None), bytes(0, 9)] {
        let answer = store.read("empty", &query).unwrap();
        assert_eq!((answer.answer.as_str(), answer.total_lines), ("", 0));
        assert_eq!((answer.next_offset, answer.truncated), (None, None));
    }
    assert!(matches!(
        store.read("empty", &lines(1, None)),
        Err(ReloadError::LinesPastEnd { total_lines: 0, .. })
    ));
    assert!(matches!(
        store.read("empty", &bytes(1, None)),
        Err(ReloadError::ByteOffsetPastEnd { total_bytes: 0, .. })
    ));
}

#[test]
fn read_file_reads_text_up_to_where_it_ends() {
    let store = Store::with(&[("x", b"good\nbad \xff\ngood again\n")]);
    assert_eq!(store.read("x", &lines(0, 1)).unwrap().body(), "good\n");
    assert_eq!(body_of(&store, "x", &lines(2, None)), "good again\n");
    assert_eq!(store.read("x", &bytes(0, 9)).unwrap().body(), "good\nbad ");
    for query in [lines(1, 1), lines(0, None), bytes(9, 1), bytes(0, 10)] {
        assert!(matches!(
            store.read("x", &query),
            Err(ReloadError::NotText { byte_offset: 9, .. })
        ));
    }
    // A page that a limit ends before the invalid byte does not report it.
    let big = ["good line\n".repeat(100).as_bytes(), b"\xff"].concat();
    let store = Store::with(&[("x", &big)]);
    let query = read_file::Query { max_tokens: Some(50), ..lines(0, None) };
    let page = store.read("x", &query).unwrap();
    assert_eq!(page.truncated, Some(TruncatedBy::MaxTokens));
    // No page ends where it should begin: an invalid byte after a character is an error.
    let store = Store::with(&[("x", b"3\xa3\xa3")]);
    for offset in [1, 2] {
        let query = read_file::Query { max_tokens: Some(1), ..bytes(offset, None) };
        let page = store.read("x", &query);
        let at = |page: &ReloadError| matches!(page, ReloadError::NotText { byte_offset, .. } if *byte_offset == offset);
        assert!(page.as_ref().is_err_and(at), "{page:?}");
    }
    // A character that the end of the file truncates is not text either.
    let store = Store::with(&[("x", &"é".as_bytes()[..1])]);
    for query in [lines(0, None), bytes(0, 1)] {
        assert!(matches!(
            store.read("x", &query),
            Err(ReloadError::NotText { byte_offset: 0, .. })
        ));
    }
}

#[test]
fn read_file_goes_on_inside_a_line_that_is_too_long() {
    let text = format!("short\n{}\nlast", "é".repeat(10_000));
    let store = Store::with(&[("x", text.as_bytes())]);
    let query = |part| read_file::Query { part, max_tokens: Some(100) };
    let first = store.read("x", &query(Part::Lines { offset: 0, limit: None })).unwrap();
    assert_eq!(first.body(), "short\n");
    assert_eq!((first.next_offset, first.next_byte_offset), (Some(1), Some(6)));
    let inside = store.read("x", &query(Part::Lines { offset: 1, limit: None })).unwrap();
    assert!(
        inside.answer.starts_with(&format!(
            "Showing bytes 6-{} of 20011 total bytes (line 2 is 20001 bytes long; continue with byte_offset={}).\n\n---\n\né",
            inside.end_byte - 1,
            inside.end_byte
        )),
        "{}",
        inside.answer
    );
    assert_eq!((inside.next_offset, inside.next_byte_offset), (None, Some(inside.end_byte)));
    assert_eq!(inside.truncated, Some(TruncatedBy::MaxTokens));
    assert!(quarter(&inside.answer) <= 100 && quarter(&inside.answer) >= 98);
}

#[test]
fn read_file_keeps_to_its_size_and_memory() {
    let limits = read_file::Limits { answer_bytes: 1000, ..Default::default() };
    let text = "x".repeat(300_000) + "\n" + &"yy\n".repeat(1000);
    let store = Store::with(&[("x", text.as_bytes())]);
    let (mut body, mut at) = (String::new(), Some(0));
    while let Some(offset) = at {
        let page = store.read_within("x", &bytes(offset, None), &limits).unwrap();
        assert!(page.answer.len() <= 1000);
        body.push_str(page.body());
        at = page.next_byte_offset;
        assert_eq!(page.truncated, at.map(|_| TruncatedBy::AnswerBytes));
    }
    assert!(body == text);
    let page = store.read_within("x", &lines(1, None), &limits).unwrap();
    assert!(page.answer.len() <= 1000 && page.answer.len() > 990);
    assert_eq!(page.next_offset, Some(1 + page.body().matches('\n').count() as u64));
}

/// A page knows the line that it begins in, wherever it begins.
#[test]
fn a_page_of_bytes_begins_in_its_line() {
    let text = "ab\n\ncdefgh\nij\n\n\nklm";
    let store = Store::with(&[("x", text.as_bytes())]);
    for offset in 0..text.len() {
        let page = store.read("x", &bytes(offset as u64, 2)).unwrap();
        let before = text[..offset].matches('\n').count() as u64;
        assert_eq!((page.first_byte, page.first_line), (offset as u64, before), "{offset}");
    }
}

/// Without room for anything, a page has one character, and the next page continues after it.
#[test]
fn a_page_without_room_goes_on_in_the_next_line() {
    let store = Store::with(&[("x", b"\nabc\ndef\n")]);
    let limits = read_file::Limits { answer_bytes: 1, ..Default::default() };
    let page = store.read_within("x", &lines(0, None), &limits).unwrap();
    assert_eq!((page.body(), page.next_offset, page.next_byte_offset), ("\n", Some(1), Some(1)));
}
