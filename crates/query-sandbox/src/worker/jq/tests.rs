//! Filters over records, served in this process.

mod notes;
mod nulls;
mod texts;

use crate::{
    job::{Job, JobMessage},
    jq_error::JqError,
    protocol::{self, Line},
    request::JqRequest,
};

const RECORDS: &str = concat!(
    r#"{"id":"a","size":3,"z":null,"tags":["x"],"by":{"name":"ada","trust":0.5},"#,
    r#""parts":[{"kind":"k","n":1}],"unit price":2}"#,
    "\n",
    r#"{"id":"b","size":4,"z":null,"tags":[],"by":{"name":"bob","trust":1},"parts":[],"more":1}"#,
    "\n",
);

/// The answer to a filter.
#[derive(Debug, Default)]
struct Answer {
    values: Vec<String>,
    slurped: bool,
    notes: Vec<String>,
    error: Option<JqError>,
}

fn answer_over(filter: &str, slurp: Option<bool>, records: &str) -> Answer {
    let job = Job { slurp, ..Job::new(filter) };
    let request =
        JqRequest { jobs: vec![JobMessage::from(&job)], only_try: false, output_bytes: 1 << 20 };
    let mut output = Vec::new();
    super::serve(&request, records.as_bytes(), &mut output).unwrap();
    let mut answer = Answer::default();
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        match protocol::read(line).unwrap() {
            Line::Output(value) => answer.values.push(value),
            Line::Slurped(slurped) => answer.slurped = slurped,
            Line::Notes(notes) => answer.notes = notes,
            Line::End(end) => answer.error = end.err(),
            other => panic!("{other:?}"),
        }
    }
    answer
}

/// Asserts that the answer to a filter has a note with these words.
fn assert_noted(filter: &str, records: &str, words: &str) {
    let notes = answer_over(filter, None, records).notes.join("; ");
    assert!(notes.contains(words), "{filter}: {notes}");
}

fn assert_silent(filter: &str, records: &str) {
    assert_eq!(answer_over(filter, None, records).notes, [""; 0], "{filter}");
}

fn answer(filter: &str) -> Answer {
    answer_over(filter, None, RECORDS)
}

#[test]
fn a_filter_of_the_whole_set_runs_on_the_array() {
    for (filter, expected) in [
        ("length", "2"),
        ("map(.id)", r#"["a","b"]"#),
        ("[.[] | select(.size > 3)] | length", "1"),
        ("map(select(.size == 3)) | length", "1"),
        ("group_by(.size) | map({size: .[0].size, n: length}) | length", "2"),
        (".[0].id", "\"a\""),
        (".[-1:] | .[0] | .id", "\"b\""),
        (".[length/3].id", "\"a\""),
        ("first.id, last.id", "\"a\""),
        ("max_by(.size).id", "\"b\""),
        ("unique_by(.z) | length", "1"),
        ("sort_by(-.size)[0] | .id", "\"b\""),
        ("[.[].size] | add", "7"),
        (".[] | .id", "\"a\""),
        ("[.[] | .by.trust] | add / length", "0.75"),
        ("add | .id", "\"b\""),
        ("{n: length, sum: (map(.size) | add)}", r#"{"n":2,"sum":7}"#),
        (". as $all | $all | length", "2"),
        ("reduce .[] as $r (0; . + $r.size)", "7"),
        ("any(.size > 3)", "true"),
        ("INDEX(.id) | .b.size", "4"),
        ("to_entries? // 0 | length", "7"),
        ("any(.[]; .size == 4)", "true"),
        ("first(.[] | select(.id == \"b\")) | .size", "4"),
        ("[limit(1; .[])] | length", "1"),
        ("if length > 0 then map(.size) | max else 0 end", "4"),
    ] {
        let answer = answer(filter);
        assert_eq!(
            answer.values.first().map(String::as_str),
            Some(expected),
            "{filter} {answer:?}"
        );
        assert_eq!(answer.slurped, !filter.starts_with("to_entries"), "{filter}");
        assert!(answer.notes.is_empty(), "{filter} {answer:?}");
    }
}

#[test]
fn a_filter_of_a_record_runs_on_each() {
    for filter in [
        ".",
        ".id",
        "select(.size > 3)",
        "select(length > 5)",
        "select(any(.[]; . == \"a\"))",
        "{id, n: length}",
        "keys",
        "to_entries[] | .key",
        "with_entries(select(.value != null))",
        "has(\"id\")",
        "del(.tags)",
        "del(.[\"tags\"])",
        ".tags | length",
        ".parts | map(.n)",
        ".tags[0]",
        "tostring",
        "..",
        "[paths]",
        "select(tostring | test(\"ada\"))",
        ". as {id: $id} | $id",
        ".size as $s | length + $s",
        "[.id, length]",
        "walk(.)",
        "[.[]] | @csv? // \"no\"",
        "[.[] | tostring] | join(\",\") | test(\"^a\")",
        "if type == \"object\" then 1 else 2 end",
        "1",
    ] {
        let answer = answer(filter);
        let expected = filter.contains("join(");
        assert_eq!(answer.slurped, expected || filter.contains("@csv"), "{filter} {answer:?}");
    }
    // It fails on the array, and not on the records.
    let rows = "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n";
    let csv = answer_over("[.[]] | @csv", None, rows);
    assert_eq!((csv.values.len(), csv.slurped), (2, false), "{csv:?}");
    // Values that are objects have the field.
    let nested = "{\"x\":{\"n\":1},\"y\":{\"n\":2}}\n";
    assert_eq!(answer_over("[.[].n]", None, nested).values, ["[1,2]"]);
    // Records that are arrays are arrays.
    assert_eq!(answer_over("length", None, "[1,2]\n[3]\n").values, ["2", "1"]);
}

#[test]
fn texts_and_numbers_are_elements_of_an_array() {
    for (filter, expected) in [
        ("length", &["3"][..]),
        ("add", &["9"]),
        ("max", &["5"]),
        ("unique | length", &["2"]),
        (".[1]", &["2"]),
        ("map(select(. > 2)) | length", &["1"]),
        ("select(. > 2)", &["5"]),
        (". + 1", &["3", "3", "6"]),
    ] {
        let answer = answer_over(filter, None, "2\n2\n5\n");
        assert_eq!(answer.values, expected, "{filter} {answer:?}");
    }
    assert_eq!(answer_over("length", None, "\"alone\"\n").values, ["5"]);
    for (filter, expected) in [
        ("length", &["2"][..]),
        (".[0:1]", &["[\"src/a.rs\"]"]),
        ("map(select(test(\"b\"))) | length", &["1"]),
        ("select(test(\"b\"))", &["\"src/b.rs\""]),
        ("ascii_upcase", &["\"SRC/A.RS\"", "\"SRC/B.RS\""]),
        ("split(\"/\")[1]", &["\"a.rs\"", "\"b.rs\""]),
    ] {
        let answer = answer_over(filter, None, "\"src/a.rs\"\n\"src/b.rs\"\n");
        assert_eq!(answer.values, expected, "{filter} {answer:?}");
    }
}

#[test]
fn the_request_decides() {
    assert_eq!(answer_over("length", Some(false), RECORDS).values, ["7", "7"]);
    assert_eq!(answer_over(".", Some(true), RECORDS).values.len(), 1);
    let by_record = answer_over(".[0]", Some(false), RECORDS);
    let error = by_record.error.expect("an object has no element 0").to_string();
    assert!(error.contains("slurp: true"), "{error}");
}

#[test]
fn an_index_may_have_a_fraction() {
    for (filter, expected) in [
        (".[length/2]", "20"),
        (".[1.7]", "20"),
        (".[-0.5]", "10"),
        (".[0.5:1.5]", "[10,20]"),
        (".[-1.5:]", "[20,30]"),
        (".[:-1.5]", "[10,20]"),
        ("nth(1.5)", "20"),
        ("getpath([1.5])", "20"),
        (".[1.5] = 0 | .[1]", "0"),
        ("del(.[1.5]) | length", "2"),
        ("[.[1.2, 2.9]]", "[20,30]"),
        ("path(.[1.5])", "[1]"),
        (". as $x | (length / 2) as $i | $x[$i]", "20"),
    ] {
        assert_eq!(answer_over(filter, None, "[10,20,30]\n").values, [expected], "{filter}");
    }
}

#[test]
fn an_error_quotes_little_data() {
    let long = "y".repeat(4000);
    let records = format!("{{\"id\":\"{long}\",\"a\":[\"{long}\",1],\"o\":{{\"{long}\":1}}}}\n");
    for (filter, words) in [
        (".a.x", "array (length 2) with string \"x\"; `.a[].x`"),
        (".id.x", "(length 4000) with string \"x\""),
        (".o[0:1]", "cannot"),
        (".a + 1", "array (length 2) + number 1"),
        (".id - .a", "(length 4000) - array (length 2)"),
        ("error(.id)", "…"),
        ("error(.o)", "…"),
        (".id | tonumber", "cannot"),
        (".a | implode", "cannot"),
        (".z[]", "null as iterable"),
        ("path(1)", "invalid path"),
        (".o | @csv", "object (1 fields) as a table row"),
    ] {
        let error = answer_over(filter, None, &records).error;
        let error = error.map_or_else(String::new, |error| error.to_string());
        let words = words.replace("`.a[].x`", "`.[][\"x\"]`");
        assert!(error.contains(&words) && error.len() < 300, "{filter}: {error}");
    }
}

#[test]
fn an_error_leads_to_the_path() {
    let error =
        |filter: &str| answer(filter).error.map_or_else(String::new, |error| error.to_string());
    assert!(
        error(".parts.kind").contains("the path is `.parts[].kind`"),
        "{}",
        error(".parts.kind")
    );
    assert!(
        error(".by.unit-price").contains("nearest: .[\"unit-price\"]"),
        "{}",
        error(".by.unit-price")
    );
    assert!(error(".size + .id").contains("tonumber"));
    for of_null in ["null | contains(\"x\")", "null | test(\"x\")"] {
        assert!(error(of_null).contains("`// \"\"` after the field"), "{}", error(of_null));
    }
    assert!(error("map({n: .size}) | sort_by(-.count)").contains("they have `n`"));
    assert!(error(".trust | floor").contains("`.by.trust`"), "{}", error(".trust | floor"));
}

#[test]
fn a_text_is_one_value() {
    let values = |filter: &str| answer(filter).values[0].clone();
    let numbers = r#"[" 5 ", ".5", "5.", "+5", "0100", "1e3" | tonumber] | map(. * 2)"#;
    assert_eq!(values(numbers), "[10,1,10,10,200,2000]");
    assert_eq!(values(r#"["+5", "+1e400" | tonumber, fromjson]"#), "[5,5,1e400,1e400]");
    assert_eq!(values(r#""09007199254740993" | tonumber"#), "9007199254740993");
    for text in "2025-01-02;10-20;12 34;5kg;;nan;[1];-;--5;+-5;1,5;1e999.".split(';') {
        for name in ["tonumber", "fromjson"] {
            let found = answer(&format!("{text:?} | {name}"));
            let is_json = (text, name) == ("[1]", "fromjson");
            assert_eq!(found.error.is_some(), !is_json, "{text} | {name}: {:?}", found.values);
        }
    }
    assert_eq!(values("[[], [1, [2, [3]]]] | map(flatten(1))"), "[[],[1,2,[3]]]");
}

#[test]
fn a_remainder_is_that_of_whole_numbers() {
    let values = |filter: &str| answer(filter).values[0].clone();
    assert_eq!(values("[5.9 % 3, -7 % 3, 7 % -3, 7 % 2.9, 1e3 % 7]"), "[2,-1,1,1,6]");
    assert_eq!(values("[[1, 2], [3]] | transpose"), "[[1,3],[2,null]]");
    assert_eq!(values("[10, 5.5] | map(. %= 4)"), "[2,1]");
    assert!(answer("5 % 0.5").error.is_some());
    assert!(answer("[{\"a\": 1}] | transpose").error.is_some());
}

#[test]
fn a_division_by_zero_is_an_error() {
    assert_eq!(answer("map(.size / 2)").values, ["[1.5,2]"]);
    assert_eq!(answer("[(1, 2) / (10, 20)]").values[..1], ["[0.1,0.2,0.05,0.1]"]);
    for filter in [".size / 0", ".size /= 0", "0 / 0"] {
        let error = answer(filter).error.unwrap_or_else(|| panic!("{filter}"));
        assert!(error.to_string().contains("divide"), "{filter}: {error}");
    }
}

#[test]
fn a_part_of_null_is_null_and_an_update_makes_it() {
    let records = "{\"s\":null,\"arr\":null,\"o\":{\"a\":1},\"two\":[1,2]}\n";
    for (filter, expected) in [
        ("[.s[0:1]?] | length", "1"),
        ("[.arr[1:]?]", "[null]"),
        ("[try .arr[0:2] catch \"c\"]", "[null]"),
        (".s[0:1]", "null"),
        (".arr | reverse", "[]"),
        (".arr | first, last", "null"),
        ("[.o[0]?, .o[1:]?]", "[]"),
        ("[.two[0:1]?, .two[:-1], .two[-1:]]", "[[1],[1],[2]]"),
        (".two[.o.a:]", "[2]"),
        (".two[.two[0]]", "2"),
        ("[.two | .[.[0], .[1]]]", "[2,null]"),
        ("(.arr | .[1]) = 9 | .arr", "[null,9]"),
        (".arr[0] |= 5 | .arr", "[5]"),
        (".two[3] = 0 | .two", "[1,2,null,0]"),
        (".arr[2]? = 1 | .arr", "[null,null,1]"),
        (".nest.x |= 1 | .nest", "{\"x\":1}"),
        (".nest.x.y[1] += 1 | .nest", "{\"x\":{\"y\":[null,1]}}"),
        (".nest[.two[0]] = 1 | .nest", "[null,1]"),
        (".arr[0:1] = [7] | .arr", "[7]"),
        ("setpath([\"n\", 1, \"x\"]; 2) | .n", "[null,{\"x\":2}]"),
        ("def f: .n; f.x = 1 | .n", "{\"x\":1}"),
        (".o.b //= 2 | .o", "{\"a\":1,\"b\":2}"),
        (".n |= empty | has(\"n\")", "false"),
        (".two[5] |= empty | .two", "[1,2]"),
        (".s |= empty | keys", "[\"arr\",\"o\",\"two\"]"),
        (
            "[path(.two[1:], .o.a, .n[0]?)]",
            "[[\"two\",{\"start\":1,\"end\":null}],[\"o\",\"a\"],[\"n\",0]]",
        ),
        ("del(.two[:1]) | .two", "[2]"),
        ("[.two, \"x\" | .[0:1]? |= .]", "[[1,2],\"x\"]"),
        (".o.a? |= 2 | .o.a.b? |= 3 | .o", "{\"a\":2}"),
    ] {
        let answer = answer_over(filter, Some(false), records);
        assert_eq!(
            answer.values.first().map(String::as_str),
            Some(expected),
            "{filter} {answer:?}"
        );
    }
    for filter in
        [".o[0]", ".o[0:1]", ".two[-3] = 1", ".arr[0:1] = 7", ".arr[1e9] = 1", ".o.a.b = 1"]
    {
        assert!(answer_over(filter, Some(false), records).error.is_some(), "{filter}");
    }
}

#[test]
fn texts_are_escaped_as_their_form_asks() {
    for (filter, expected) in [
        (r#"["a\"b", 1, null] | @csv"#, r#""\"a\"\"b\",1,""#),
        (r#"["a\tb\\", true] | @tsv"#, r#""a\\tb\\\\\ttrue""#),
        (r#""<a & \"b\">" | @html"#, r#""&lt;a &amp; &quot;b&quot;&gt;""#),
    ] {
        let answer = answer(filter);
        assert_eq!(answer.values, [expected, expected], "{filter}: {:?}", answer.error);
    }
}
