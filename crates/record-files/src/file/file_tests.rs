//! The format of a file of records, and the errors for other files.

use super::header::header_of;
use super::*;
use crate::find::{Accept, find_records, records_of_array};

const TEXT: &str = "{\"n\": 3, \"i\": [{\"a\": 1}, {\"a\": 2}, {\"a\": 3}]}\n";

fn facts() -> Facts {
    Facts {
        operation: "search".to_owned(),
        detail: "full".to_owned(),
        schema_version: "1.0".to_owned(),
        timestamp: "2026-11-21T10:00:00Z".to_owned(),
        ttl_seconds: Some(3600),
        profile: Some("general".to_owned()),
        estimated_tokens: 7,
        recipes: RawValue::from_string("[\n {\"a b\": 1}\n]".to_owned()).ok(),
        ..Facts::default()
    }
}

fn file() -> String {
    render(&find_records(TEXT, Accept::Objects).unwrap(), &facts())
}

#[test]
fn a_header_and_one_record_a_line() {
    let lines = [
        concat!(
            r#"{"type":"lro_header","operation":"search","query":null,"count":3,"#,
            r#""schema_version":"1.0","timestamp":"2026-11-21T10:00:00Z","estimated_tokens":7,"#,
            r#""detail":"full","profile":"general","ttl_seconds":3600,"#,
            r#""source":{"shape":"array","bytes":46,"#,
            r#""wraps":[{"before":"{\"n\": 3, \"i\": ","after":"}\n"}],"#,
            r#""spacing":{"between":", ","record":{"colon":": "}}},"recipes":[{"a b":1}]}"#
        ),
        r#"{"a":1}"#,
        r#"{"a":2}"#,
        r#"{"a":3}"#,
        "",
    ];
    assert_eq!(file(), lines.join("\n"));
}

#[test]
fn the_text_is_rebuilt() {
    assert_eq!(parse(&file()).unwrap().rebuild().unwrap(), TEXT);
    let empty = render(&records_of_array("[ ]").unwrap(), &facts());
    assert_eq!(parse(&empty).unwrap().rebuild().unwrap(), "[ ]");
}

#[test]
fn line_ends_of_others_are_tolerated() {
    let file = file();
    for variant in [
        file.trim_end().to_owned(),
        file.replace('\n', "\r\n"),
        format!("{file}\n\n"),
        format!("\u{feff}{file}"),
    ] {
        let stored = parse(&variant).unwrap();
        assert_eq!(stored.records().collect::<Vec<_>>(), ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
        assert_eq!(stored.rebuild().unwrap(), TEXT);
    }
}

#[test]
fn a_file_of_the_spec_alone_becomes_an_array() {
    let file = "{\"type\":\"lro_header\",\"operation\":\"recall\",\"query\":\"q\",\"count\":2}\n{\"a\": 1}\n2";
    assert_eq!(parse(file).unwrap().rebuild().unwrap(), "[{\"a\": 1},2]");
}

#[test]
fn other_files_are_errors_with_the_reason() {
    let error = |content: &str| parse(content).unwrap_err();
    assert!(matches!(error(""), FileError::NoHeader { .. }));
    assert!(matches!(error("words\n"), FileError::NoHeader { .. }));
    assert!(matches!(error("{\"type\":\"x\",\"count\":0}\n"), FileError::NoHeader { .. }));
    let cut = file().replace("{\"a\":3}\n", "");
    assert!(matches!(error(&cut), FileError::Count { counted: 3, found: 2 }));
    let broken = file().replace("{\"a\":2}", "{\"a\":");
    assert!(matches!(error(&broken), FileError::NoRecord { line: 3, .. }));
    assert!(split(&broken).is_ok());
}

#[test]
fn changed_records_are_not_passed_off_as_the_original() {
    let rebuilt = |from: &str, to: &str| {
        let file = file().replacen(from, to, 1);
        parse(&file).unwrap().rebuild().unwrap_err()
    };
    assert!(matches!(rebuilt("{\"a\":2}", "{\"a\":22222}"), FileError::Length { .. }));
    assert!(matches!(rebuilt("{\"a\":2}", "{}"), FileError::Length { .. }));
    assert!(matches!(
        rebuilt("\", \"", &format!("\",{}\"", " ".repeat(60))),
        FileError::TooLong { .. }
    ));
    assert!(matches!(rebuilt("\"array\"", "\"entries\""), FileError::NoEntry { line: 2 }));
}

/// Files of development versions have a `layout` in place of a `spacing`.
#[test]
fn an_unknown_spacing_is_readable_but_not_rebuilt() {
    let layout = r#""layout":{"gaps":["s"],"marks":"5:2 3:2"}"#;
    let file = file().replace(r#""spacing":{"between":", ","record":{"colon":": "}}"#, layout);
    let stored = parse(&file).unwrap();
    assert_eq!((stored.records().count(), stored.text()), (3, stored.body().into()));
    assert!(matches!(stored.rebuild(), Err(FileError::Length { .. })));
}

#[test]
fn the_identity_is_that_of_the_content() {
    let found = find_records(TEXT, Accept::Objects).unwrap();
    let later = Facts {
        timestamp: "2027-01-01T00:00:00Z".to_owned(),
        ttl_seconds: None,
        recipes: None,
        schema_version: "2".to_owned(),
        estimated_tokens: 8,
        ..facts()
    };
    let hash = identity(&found, &facts());
    assert_eq!(hash, identity(&found, &later));
    assert_eq!(hash, parse(&file()).unwrap().identity());
    let other = Facts { query: Some("x".to_owned()), ..facts() };
    assert_ne!(hash, identity(&found, &other));
    let spaced = find_records(&TEXT.replace(": 3}]", ":3}]"), Accept::Objects).unwrap();
    assert_ne!(hash, identity(&spaced, &facts()));
}

#[test]
fn the_start_of_a_file_is_enough_for_the_sweep() {
    let file = file();
    for length in [file.len(), 240] {
        assert_eq!(header_of(&file.as_bytes()[..length]).unwrap().ttl_seconds, Some(3600));
    }
}

/// A surplus record is as wrong as a missing one.
#[test]
fn a_file_holds_as_many_records_as_its_header_counts() {
    let file = file();
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    for (kept, counted, found) in [(3, 3, 2), (4, 3, 3), (5, 3, 4)] {
        let all: String = lines.iter().chain([&"{\"a\":4}\n"]).take(kept).copied().collect();
        match split(&all) {
            Ok(stored) => assert_eq!((kept, stored.records().count()), (4, 3)),
            Err(FileError::Count { counted: said, found: are }) => {
                assert_eq!((said, are, kept == 4), (counted, found, false));
            }
            Err(error) => panic!("{error}"),
        }
    }
}
