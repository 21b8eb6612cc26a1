//! Layouts, token by token: what is written down, and that it comes back.

use super::super::token::Tokens;
use super::*;

fn record(text: &str) -> Option<Layout> {
    let mut recorder = Recorder::new(4096);
    Tokens::new(text).for_each(|(gap, token)| {
        recorder.note(gap, token);
    });
    recorder.finish()
}

fn replay(text: &str, layout: &Layout) -> String {
    let mut replay = Replay::of(layout).unwrap();
    Tokens::new(text).fold(String::new(), |out, (_, token)| out + replay.gap(token) + token)
}

#[test]
fn a_text_without_white_space_has_no_layout() {
    assert_eq!(record(r#"[{"a":1},{"a":[]}]"#), None);
}

#[test]
fn every_gap_comes_back() {
    for text in [
        "[{\"a\": 1, \"b\": [1, 2]}, {\"a\": {}}]",
        "[\n  {\n    \"a\": [],\n    \"b\": {\n      \"c\": 1\n    }\n  },\n  {\n    \"a\": [ ]\n  }\n]",
        "[ 1,2, 3 ,4\t,\r\n5]",
    ] {
        let layout = record(text).unwrap();
        assert_eq!(replay(text, &layout), text);
    }
}

#[test]
fn a_thousand_records_need_no_more_than_two() {
    let text = |n: usize| format!("[{}]", vec!["{\"a\": 1,\r\n \"b\": [ 2 ]}"; n].join(" ,\n"));
    assert_eq!(record(&text(1000)).unwrap(), record(&text(2)).unwrap());
}

#[test]
fn a_layout_beyond_its_budget_is_none() {
    let text: String = (0..9000).map(|n| " ".repeat(n % 97) + ",").collect();
    assert_eq!(record(&text), None);
}

#[test]
fn a_gap_is_spelled_in_runs() {
    assert_eq!(spell("\r\n    \t"), "rns4t");
    assert_eq!(read("rns4t").unwrap(), "\r\n    \t");
    assert_eq!(read(""), Some(String::new()));
}

#[test]
fn a_layout_that_nobody_wrote_is_refused() {
    for (gap, marks) in [
        ("x", "1:2"),
        ("s99999999999999999999", "1:2"),
        ("s99999999", "1:2"),
        ("s", "1:9"),
        ("s", ""),
        ("s", "0:2"),
        ("s", "1"),
        ("\u{e9}", "1:2"),
        ("s", "1:2*x"),
    ] {
        let layout = Layout { gaps: vec![gap.to_owned()], marks: marks.to_owned() };
        assert!(Replay::of(&layout).is_none(), "{gap} {marks}");
    }
}
