//! All functions that read JSON agree with `serde_json`, on random values in random spellings,
//! valid and broken.

use proptest::prelude::*;
use raw_json::{
    Cursor, Key, Tokens, canonical, check_record, check_record_like, each_element, each_member,
    elements, fields, fields_and_elements, minify, offset_in, quote, unescape, value,
};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value, with random white space and escapes wherever they are allowed.
fn spelled() -> impl Strategy<Value = String> {
    let space = "[ \n\t\r]{0,2}";
    let string = prop_oneof![
        r#"[a-z \[\]{}:,é上😀]{0,12}"#,
        r#"([a-z]|\\["\\/bfnrt]|\\u00[eE]9|\\ud83d\\ude00|\\\\\\"){0,9}"#,
        "[!#-\\[\\]-~\u{80}-\u{ff}]{0,40}",
    ];
    let string = string.prop_map(|inner| format!("\"{inner}\"")).boxed();
    let scalar = prop_oneof![
        string.clone(),
        r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        "true|false|null",
    ];
    scalar.prop_recursive(4, 40, 6, move |inner| {
        let item = (space, inner, space).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (space, string.clone(), space, item.clone())
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        prop_oneof![
            prop::collection::vec(item, 0..6).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

/// A value with one byte replaced, inserted, removed or unchanged; or a sequence of random pieces.
fn broken() -> impl Strategy<Value = String> {
    let byte = prop::sample::select(b"{}[]\",:\\ a1\n-.e\x01".to_vec());
    let change = (spelled(), any::<prop::sample::Index>(), byte, 0..4_u8);
    let changed = change.prop_map(|(text, at, byte, how)| {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => drop(bytes.remove(at)),
            _ => {}
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let pieces = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\n", "\\u00e9", "\\ud800", "a", "é", "\u{1}",
        "0", "-", "1", ".", "e", "+", "true", "null", "false", " ", "\"a\":", "\"k\"", "1.5e3",
    ]);
    prop_oneof![changed, prop::collection::vec(pieces, 0..9).prop_map(|all| all.concat())]
}

fn parsed(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}

/// Converts members to a value as a parser does: the last of each name counts.
fn as_value<'a>(members: impl Iterator<Item = (String, &'a str)>) -> Value {
    members
        .map(|(key, raw)| (key, serde_json::from_str::<Value>(raw).expect("a value is JSON")))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_text_is_accepted_by_all_or_by_none(text in broken()) {
        let known = parsed(&text).map(RawValue::get);
        prop_assert_eq!(value(&text), known);
        prop_assert_eq!(check_record(&text, |_, _| {}).ok(), known);
        let is = |open| known.is_some_and(|raw| raw.starts_with(open));
        prop_assert_eq!(elements(&text).is_ok(), is('['));
        // `fields` rejects a key with a lone surrogate, as the parser does.
        let is_lone = |raw| each_member(raw).any(|(key, _)| !unescape(key.literal()).exact);
        let lone = known.is_some_and(is_lone);
        prop_assert_eq!(fields(&text).is_ok(), is('{') && !lone);
    }

    /// The keys of the previous record change only the speed, not the result.
    #[test]
    fn a_record_is_read_like_any_other_before_it(texts in prop::collection::vec(broken(), 1..4)) {
        let mut known = Vec::new();
        for text in texts.iter().chain(&texts) {
            let (mut visited, mut again) = (Vec::new(), Vec::new());
            let read = check_record(text, |key, raw| visited.push((key.text(), raw)));
            let like = check_record_like(text, &mut known, |name, key, raw| {
                let name: &str = name.unwrap_or(key.literal());
                again.push((unescape(name).text, raw));
                name
            });
            prop_assert_eq!(like, read);
            prop_assert_eq!(again, visited);
        }
    }

    #[test]
    fn members_and_elements_are_those_of_the_parser(text in spelled()) {
        let known: Value = serde_json::from_str(&text).unwrap();
        let raw = text.trim_ascii();
        match &known {
            Value::Object(_) => {
                let split = fields(&text).unwrap();
                let own = split.iter().map(|(key, raw)| (key.to_string(), *raw));
                prop_assert_eq!(&as_value(own.clone()), &known);
                let each = each_member(raw).map(|(key, raw)| (key.text().into_owned(), raw));
                prop_assert!(each.eq(own.clone()));
                let mut visited = Vec::new();
                let visit = |key: Key<'_>, raw| visited.push((key.text().into_owned(), raw));
                check_record(&text, visit).unwrap();
                prop_assert!(visited.into_iter().eq(own));
            }
            Value::Array(list) => {
                let split = elements(&text).unwrap();
                prop_assert!(each_element(raw).eq(split.iter().copied()));
                let parsed = split.iter().map(|raw| serde_json::from_str::<Value>(raw).expect("a value is JSON"));
                prop_assert!(parsed.eq(list.iter().cloned()));
                let is_slice = |raw: &&str| text[offset_in(&text, raw)..].starts_with(*raw);
                prop_assert!(split.iter().all(is_slice));
            }
            Value::String(known) => {
                let read = unescape(raw);
                prop_assert!(read.exact);
                prop_assert_eq!(&read.text, known);
                prop_assert_eq!(&serde_json::from_str::<String>(&quote(known)).unwrap(), known);
            }
            _ => {}
        }
    }

    #[test]
    fn the_elements_of_a_member_come_with_the_members(text in spelled(), list in spelled()) {
        let object = format!("{{\"n\":{text}, \"list\" : {list} ,\"m\":1}}");
        let plain = fields(&object).unwrap();
        let (mut split, found) = fields_and_elements(&object, "list").unwrap();
        let known = elements(&list).ok().filter(|known| !known.is_empty());
        prop_assert_eq!(&found, &known);
        if found.is_some() {
            let last = split.pop().unwrap();
            split.insert(1, last);
        }
        prop_assert_eq!(split, plain);
    }

    #[test]
    fn a_cursor_ends_where_the_parser_does(text in spelled(), behind in "[,\\]} \n]") {
        let whole = format!("{text}{behind}1");
        let mut cursor = Cursor::new(whole.as_bytes(), 0);
        prop_assert_eq!(cursor.value().map(|place| &whole[place]), Some(text.trim_ascii()));
    }

    #[test]
    fn other_spellings_are_the_same_value(text in spelled()) {
        let known: Value = serde_json::from_str(&text).unwrap();
        let mut small = String::new();
        minify(&text, &mut small);
        prop_assert!(Tokens::new(&small).all(|(gap, _)| gap.is_empty()));
        prop_assert_eq!(serde_json::from_str::<Value>(&small).unwrap(), known);
        prop_assert_eq!(canonical(&text), canonical(&small));
    }

    #[test]
    fn the_tokens_of_any_text_add_up_to_it(text in broken()) {
        let whole: String = Tokens::new(&text).flat_map(|(gap, token)| [gap, token]).collect();
        let is_space = |c: char| u8::try_from(c).is_ok_and(raw_json::is_space);
        let rest = text.strip_prefix(&whole);
        prop_assert!(rest.is_some_and(|rest| rest.chars().all(is_space)), "{whole:?}");
        canonical(&text);
        unescape(&text);
        Cursor::new(text.as_bytes(), 0).value();
    }
}
