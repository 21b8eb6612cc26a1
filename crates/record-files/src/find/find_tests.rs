//! Texts with records, texts without records, and how texts are rebuilt.

use raw_json::quote;

use super::found::{MAX_AROUND_BYTES, MAX_MEMBER_BYTES};
use super::*;

const THREE: &str = r#"[{"a":1},{"a":2},{"a":3}]"#;
const LINES: &str = "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n";

fn exact(text: &str, accept: Accept) -> Found {
    let found = find_records(text, accept).unwrap_or_else(|| panic!("no records in {text}"));
    assert_eq!(found.source.text(found.records(), u64::MAX).unwrap(), text);
    assert!(found.exact(), "{text}");
    assert_eq!(found.source.bytes, text.len() as u64);
    found
}

#[test]
fn three_objects_are_records_wherever_they_have_most_of_the_bytes() {
    let spaced = "[ {\"a\": 1},\r\n {\"a\": 2},\r\n {\"a\": 3}]\n";
    let texts = [
        THREE.to_owned(),
        spaced.to_owned(),
        format!("{{\"n\":3,\"items\":{THREE}}}"),
        format!("[{{\"text\":{}}}]", quote(THREE)),
        quote(spaced),
        format!("Found 3:\n{THREE}\nDone."),
        format!("```json\n{spaced}```"),
        LINES.to_owned(),
        LINES.trim_end().replace('\n', "\r\n"),
    ];
    for text in texts {
        assert_eq!(exact(&text, Accept::Objects).body(), LINES, "{text}");
    }
}

#[test]
fn strings_are_entered_three_deep() {
    let mut text = THREE.to_owned();
    for _ in 0..3 {
        text = quote(&text);
        assert_eq!(exact(&text, Accept::Objects).count(), 3);
    }
    assert!(find_records(&quote(&text), Accept::Objects).is_none());
}

#[test]
fn the_rows_of_a_table_are_records_by_column() {
    let long = "z".repeat(200);
    let rows = &format!(r#"[[1,"x",{{"k":[]}}],[2,null,1.10],[3,"{long}",[]]]"#);
    let by_column = format!(
        r#"{{"id":1,"a":"x","a_2":{{"k":[]}}}}
{{"id":2,"a":null,"a_2":1.10}}
{{"id":3,"a":"{long}","a_2":[]}}
"#
    );
    let names = r#"["id","a","a"]"#;
    for text in [
        format!(r#"{{"columns":{names},"rows":{rows}}}"#),
        format!(r#"{{"columnTypes":["INT","TEXT","JSON"],"columns":{names},"rows":{rows}}}"#),
        format!(r#"{{"data":{rows},"schema":[{{"name":"id"}},{{"name":"a"}},{{"name":"a"}}]}}"#),
        format!(r#"{{"result": {{"columns": {names}, "rows": {rows}, "row_count": 3}}}}"#),
        format!(r#"{{"columns": {names}, "rows": {}}}"#, rows.replace(',', ", ")),
    ] {
        assert_eq!(exact(&text, Accept::Objects).body(), by_column, "{text}");
    }
}

#[test]
fn rows_without_a_name_for_each_value_are_no_records() {
    for text in [
        r#"{"columns":["a"],"rows":[[1,2],[3,4],[5,6]]}"#,
        r#"{"columns":["a","b"],"rows":[[1,2],[3],[5,6]]}"#,
        r#"{"points":[[1,2],[3,4],[5,6]],"n":3}"#,
        r#"{"columns":["a","b"],"rows":[[1,2],[3,4]]}"#,
    ] {
        assert!(find_records(text, Accept::Objects).is_none(), "{text}");
    }
}

#[test]
fn the_members_of_a_map_are_records() {
    let text = "{\n \"x\": {\"a\": 1},\n \"y\": {\"a\": 2},\n \"z\": {\"a\": []}\n}";
    let found = exact(text, Accept::Objects);
    assert_eq!(found.records().next(), Some(r#"{"key":"x","value":{"a":1}}"#));
}

#[test]
fn too_few_or_other_values_are_not_records() {
    for text in [
        "[]",
        "[1,2,3]",
        r#"[{"a":1},{"a":2}]"#,
        r#"[{"a":1},{"a":2},3]"#,
        r#"[{"a":1},{"a":2},{"a":3}"#,
        "plain words",
        "",
        r#"{"a":"a long text that holds no record at all"}"#,
    ] {
        assert!(find_records(text, Accept::Objects).is_none(), "{text}");
    }
    let small = format!("{{\"items\":{THREE},\"text\":\"{}\"}}", "word ".repeat(9));
    assert!(find_records(&small, Accept::Objects).is_none());
}

#[test]
fn any_array_is_records_where_they_are_asked_for() {
    for (text, records) in [
        ("[1]", vec!["1"]),
        ("[[1, 2],[3]]", vec!["[1,2]", "[3]"]),
        (r#"{"data":["x","y",null]}"#, vec![r#""x""#, r#""y""#, "null"]),
        (r#"[{"text":"only words"}]"#, vec![r#"{"text":"only words"}"#]),
    ] {
        assert_eq!(exact(text, Accept::Anything).records().collect::<Vec<_>>(), records);
    }
    assert!(find_records("[]", Accept::Anything).is_none());
    assert_eq!(exact(&format!("[{THREE}]"), Accept::Anything).count(), 3);
}

#[test]
fn a_given_array_is_records_whatever_it_holds() {
    for (text, count) in [("[]", 0), (" [ ] ", 0), ("[1, {\"a\":2}]", 2), (THREE, 3)] {
        let found = records_of_array(text).unwrap();
        assert_eq!(found.count(), count);
        assert_eq!(found.source.text(found.records(), u64::MAX).unwrap(), text);
        assert!(found.exact());
    }
    assert!(records_of_array("{}").is_none() && records_of_array("[1").is_none());
}

#[test]
fn a_record_keeps_its_spelling() {
    let record = r#"{"b":1.10,"a":1e400,"a":9007199254740993,"s":"\ud800 \/ \u00e9"}"#;
    let text = format!("[{record}, {record}, {record}]");
    assert!(exact(&text, Accept::Objects).records().all(|found| found == record));
}

#[test]
fn a_literal_that_cannot_be_spelled_again_holds_no_records_for_compaction() {
    let odd = quote(THREE).replacen('a', "\\u0061", 1);
    assert!(find_records(&odd, Accept::Objects).is_none());
    let found = find_records(&odd, Accept::Anything).unwrap();
    assert_eq!((found.count(), found.exact()), (3, false));
    let rebuilt = found.source.text(found.records(), u64::MAX).unwrap();
    assert_eq!(raw::unescape(&rebuilt).text, THREE);
    assert_eq!(found.source.bytes, rebuilt.len() as u64);
}

#[test]
fn irregular_white_space_is_lost_and_reported() {
    let text = r#"[{"a":1}, {"a": 2},{"a":3}]"#;
    let found = find_records(text, Accept::Objects).unwrap();
    assert!(!found.exact());
    let rebuilt = found.source.text(found.records(), u64::MAX).unwrap();
    assert_eq!(rebuilt, text.replace(' ', ""));
}

#[test]
fn the_members_around_are_shown() {
    let items = vec!["{\"a\":1}"; 20].join(",");
    let inner = format!("{{\"total\":1200,\"next\":\"abc\",\"x\":{{}},\"items\":[{items}]}}");
    let text = format!("{{\"ok\":true,\"r\":{inner}}}");
    let found = exact(&text, Accept::Objects);
    assert_eq!(found.around().unwrap(), r#"{"ok":true,"total":1200,"next":"abc"}"#);
    assert_eq!(exact(THREE, Accept::Objects).around(), None);
}

/// `around` reports records outside of those that were found, and words at any place.
#[test]
fn what_stands_outside_is_told() {
    let items = |count: usize| format!("[{}]", vec!["{\"a\":1}"; count].join(","));
    let (many, few) = (items(90), items(50));
    let block = |text: &str| format!("{{\"type\":\"text\",\"text\":{}}}", quote(text));
    let two = "\"text after\":\"(401 bytes, with an array of 50 elements)\"";
    for (text, around) in [
        (format!("{many}\n{few}"), format!("{{{two}}}")),
        (format!("{many}{few}"), format!("{{{two}}}")),
        (
            format!("{{\"items\":{many},\"next\":2}}\n{{\"items\":{few},\"next\":null}}"),
            "{\"text after\":\"(423 bytes, with an object with an array of 50 elements)\",\"next\":2}"
                .to_owned(),
        ),
        (
            format!("{{\"data\":{many}}}\nWARNING: cut"),
            "{\"text after\":\"WARNING: cut\"}".to_owned(),
        ),
        (
            format!("{{\"content\":[{},{}]}}", block(&format!("{many}\n90 of 95")), block("x")),
            format!(
                "{{\"text after\":\"90 of 95\",\"other elements\":[{}],\"type\":\"text\"}}",
                block("x")
            ),
        ),
    ] {
        let found = exact(&text, Accept::Objects);
        assert_eq!(found.around().unwrap(), around, "{text}");
    }
}

#[test]
fn what_is_around_stays_short() {
    let scalars: String = (0..100).map(|n| format!("\"key{n}\":{n},")).collect();
    let text = format!("{{{scalars}\"items\":[{}]}}", vec!["{\"a\":1}"; 900].join(","));
    let around = exact(&text, Accept::Objects).around().unwrap();
    assert!(around.len() <= MAX_AROUND_BYTES && around.starts_with("{\"key0\":0,"));
    let shown = around.matches("\"key").count();
    assert!(around.ends_with(&format!(",\"…\":\"({} more)\"}}", 100 - shown)), "{around}");
}

#[test]
fn deep_values_are_rebuilt() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for text in [
        format!("[{{\"a\": {deep}}},{{\"a\": {deep}}},{{}}]"),
        format!("[{}]", vec![format!("{{\"a\":\n{deep}}}"); 4].join(", ")),
    ] {
        exact(&text, Accept::Objects);
    }
    exact(&deep, Accept::Anything);
}

/// Records among other values are found if they have three fifths of the bytes.
#[test]
fn records_have_three_fifths_of_the_bytes() {
    let records = format!("[{}]", vec![r#"{"a":1}"#; 30].join(","));
    let with = |length: usize| format!("{{\"t\":\"{}\",\"items\":{records}}}", "x".repeat(length));
    let enough = |text: &str| records.len() * 5 >= text.len() * 3;
    let most = (0..1_000).rev().find(|length| enough(&with(*length))).unwrap();
    assert_eq!(exact(&with(most), Accept::Objects).count(), 30);
    assert!(find_records(&with(most + 1), Accept::Objects).is_none());
}

/// `around` shows a name that occurs on two levels once, with the outer value, and a long member
/// only by its size.
#[test]
fn what_stands_around_is_told_once_and_in_short() {
    let records = format!("[{}]", vec![r#"{"a":"bbbbbbbbbbbbbbbbbbbb"}"#; 40].join(","));
    let member = |length: usize| format!("\"m\":\"{}\"", "x".repeat(length - 6));
    let text = |length: usize| {
        let member = member(length);
        format!("{{\"total\":5,{member},\"data\":{{\"total\":7,\"items\":{records}}}}}")
    };
    let around = |length| exact(&text(length), Accept::Objects).around().unwrap();
    assert_eq!(around(MAX_MEMBER_BYTES), format!("{{\"total\":5,{}}}", member(MAX_MEMBER_BYTES)));
    assert_eq!(around(MAX_MEMBER_BYTES + 1), "{\"total\":5,\"m\":\"(117 bytes)\"}");
}
