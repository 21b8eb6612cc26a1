//! The wording of answers, with small files.

use raw_json as raw;

use super::{Query, Rendered, render};
use crate::query::run;

const LINES: &str = concat!(
    "{\"id\":\"a\",\"kind\":\"x\",\"text\":\"one two three\"}\n",
    "{\"id\":\"b\", \"kind\":\"y\",\"text\":\"four five six\"}\n",
    "{\"id\":\"c\",\"kind\":\"x\",\"text\":\"seven eight nine\"}\n",
);

fn bytes(text: &str) -> u64 {
    text.len() as u64
}

fn ask(request: &str, max_tokens: Option<u64>) -> Rendered {
    let query = Query::parse(&raw::fields(request).unwrap()).unwrap();
    let outcome = run(&query, LINES, &|| false).unwrap();
    render(&outcome, &query, max_tokens, &bytes)
}

#[test]
fn a_count_is_one_sentence() {
    assert_eq!(ask(r#"{"where":{"kind":"x"},"count":true}"#, None).text, "2 of 3 records match.");
    assert_eq!(ask(r#"{"where":{"kind":"y"},"count":true}"#, None).text, "1 of 3 records matches.");
}

#[test]
fn groups_are_one_a_line() {
    let rendered = ask(r#"{"group_by":"kind"}"#, None);
    assert_eq!(rendered.text, "3 of 3 records match.\n\"x\": 2\n\"y\": 1");
    let cut = ask(r#"{"group_by":"kind","limit":1}"#, None);
    assert!(cut.text.ends_with("\n\"x\": 2\n[1 of 2 groups shown; offset=1 for more]"));
    assert_eq!((cut.shown, cut.next_offset), (1, Some(1)));
}

#[test]
fn ids_name_the_fewer_of_present_and_absent() {
    let text = |request: &str| ask(request, None).text;
    assert_eq!(text(r#"{"ids":["a","b","q"]}"#), "2 of 3 ids are present. Absent: q.");
    assert_eq!(text(r#"{"ids":["a","p","q"]}"#), "1 of 3 ids is present. Present: a.");
    assert_eq!(text(r#"{"ids":["a","b"]}"#), "2 of 2 ids are present.");
    assert_eq!(text(r#"{"ids":["q"]}"#), "0 of 1 ids are present.");
}

#[test]
fn a_list_of_ids_is_cut_between_ids() {
    let ids: Vec<String> = (10..60).map(|n| format!("\"id-{n}\"")).collect();
    let (present, absent) = ids.split_at(30);
    let (text, cut) = super::ids(present, absent, None, 100, &bytes);
    assert!(cut && bytes(&text) <= 100 && bytes(&text) > 80, "{text}");
    assert!(text.starts_with("30 of 50 ids are present. Absent: id-40, "), "{text}");
    assert!(text.ends_with(" of 20 named; ask for fewer ids to see all]"), "{text}");
    let (text, cut) = super::ids(present, absent, None, 30, &bytes);
    assert_eq!(text, "30 of 50 ids are present. [ask for fewer ids to see which]");
    assert!(cut);
}

#[test]
fn records_are_their_own_bytes() {
    let rendered = ask(r#"{"where":{"kind":"y"}}"#, None);
    assert_eq!(
        rendered.text,
        "1 of 3 records matches.\n{\"id\":\"b\", \"kind\":\"y\",\"text\":\"four five six\"}"
    );
    assert_eq!((rendered.shown, rendered.truncated, rendered.next_offset), (1, false, None));
}

#[test]
fn a_limit_and_max_tokens_cut_between_records_and_say_so() {
    let cut = ask(r#"{"limit":2}"#, None);
    assert!(cut.text.ends_with("\n[2 of 3 shown; offset=2 for more]"));
    let cut = ask("{}", Some(120));
    assert_eq!((cut.shown, cut.next_offset), (1, Some(1)));
    assert!(bytes(&cut.text) <= 120);
    assert!(cut.text.ends_with("\"one two three\"}\n[1 of 3 shown; offset=1 for more]"));
}

#[test]
fn a_record_that_is_too_large_names_the_remedy_and_is_gone_past() {
    let cut = ask("{}", Some(30));
    assert!(cut.text.contains("larger than max_tokens; name the fields you need in select"));
    assert_eq!((cut.shown, cut.next_offset), (0, Some(1)));
    let last = ask(r#"{"offset":2}"#, Some(30));
    assert_eq!((last.truncated, last.next_offset), (true, None));
}

#[test]
fn the_next_offset_always_grows_to_the_end() {
    for max in [1, 30, 60, 90, 120, 200, 10_000] {
        let (mut offset, mut steps) = (0, 0);
        loop {
            let rendered = ask(&format!("{{\"offset\":{offset}}}"), Some(max));
            steps += 1;
            match rendered.next_offset {
                Some(next) => assert!(next > offset && next < 3, "{next}"),
                None => break,
            }
            offset = rendered.next_offset.unwrap();
        }
        assert!(steps <= 3);
    }
}

#[test]
fn an_offset_past_the_end_says_so() {
    let rendered = ask(r#"{"offset":9}"#, None);
    assert_eq!(rendered.text, "3 of 3 records match.\n[offset=9 is past the last of 3]");
    assert_eq!(rendered.next_offset, None);
}

#[test]
fn warnings_and_a_stopped_run_are_shown() {
    let rendered = ask(r#"{"where":{"kind":"X"}}"#, None);
    assert_eq!(
        rendered.text,
        "0 of 3 records match.\nNote: no record meets kind = \"X\"; kind holds text: \"x\" (2), \"y\" (1)."
    );
    let query = Query::parse(&raw::fields("{\"count\":true}").unwrap()).unwrap();
    let outcome = run(&query, LINES, &|| true).unwrap();
    let rendered = render(&outcome, &query, None, &bytes);
    assert!(rendered.text.contains("The time ran out: only 0 records"), "{}", rendered.text);
}
