//! The outline of a request: the places of its members and messages, found without checking the
//! grammar of the messages. All but the newest messages were parsed in an earlier turn and are
//! recognised by their bytes, so only strings and brackets are followed.
//!
//! For a valid JSON body, the outline equals [`raw_json::fields_and_elements`]. An invalid body may
//! have an outline too, but then one of its messages is invalid. So the caller of [`outline`] must
//! parse every message, or know it from an earlier turn.

use std::ops::Range;

use fair_share::on;
use memchr::memmem;
use raw_json::{self as raw, Cursor, Fields};

/// Splits a request like [`raw_json::fields_and_elements`]. Returns `None` if only that function
/// can decide: `messages` is absent, empty or given twice, a message is not an object, another
/// member is not JSON, or the body is not UTF-8.
///
/// ```
/// let body = br#"{"messages": [{"role": "user"}], "model": "m"}"#;
/// let (fields, messages) = chat_history::outline::outline(body).unwrap_or_default();
/// assert_eq!(messages, [r#"{"role": "user"}"#]);
/// assert_eq!(raw_json::field(&fields, "model"), Some("\"m\""));
/// ```
pub fn outline(body: &[u8]) -> Option<(Fields<'_>, Vec<&str>)> {
    // The places are the same, whether or not the body is UTF-8.
    let (text, places) = if body.len() < LARGE {
        (std::str::from_utf8(body), places(body))
    } else {
        on(|| rayon::join(|| std::str::from_utf8(body), || places(body)))
    };
    let (text, Places { members, messages }) = (text.ok()?, places?);
    let mut fields = Fields::with_capacity(members.len() + 1);
    let mut array = None;
    for (key, value) in members {
        let key = raw::value(text.get(key)?).filter(|key| raw::is_string(key))?;
        let (key, value) = (raw::unescape(key).text, text.get(value)?);
        match key.as_ref() {
            "messages" if array.is_some() => return None,
            "messages" => array = Some((key, value)),
            _ => fields.push((key, raw::value(value)?)),
        }
    }
    fields.push(array?);
    let messages = messages.into_iter().map(|message| text.get(message));
    Some((fields, messages.collect::<Option<_>>()?))
}

/// Minimum size in bytes of a body whose UTF-8 is checked in parallel, and which is followed from
/// two places at once. Small in tests, so that short bodies take this path as well.
const LARGE: usize = if cfg!(test) { 32 } else { 64 * 1024 };

type Place = Range<usize>;

/// The places of the parts of a request.
struct Places {
    /// Keys and values.
    members: Vec<(Place, Place)>,
    messages: Vec<Place>,
}

fn places(body: &[u8]) -> Option<Places> {
    let mut cursor = Cursor::new(body, 0);
    let (mut members, mut messages) = (Vec::new(), Vec::new());
    if !cursor.take(b'{') {
        return None;
    }
    loop {
        let key = cursor.value()?;
        if !cursor.take(b':') {
            return None;
        }
        let value = if is_messages(&body[key.clone()]) {
            objects(body, &mut cursor, &mut messages)?
        } else {
            cursor.value()?
        };
        members.push((key, value));
        if !cursor.take(b',') {
            break;
        }
    }
    let closed = cursor.take(b'}');
    cursor.skip_space();
    (closed && cursor.peek().is_none()).then_some(Places { members, messages })
}

/// Returns true for the key `messages`, however it is escaped.
fn is_messages(key: &[u8]) -> bool {
    let spelt = std::str::from_utf8(key).ok().and_then(raw::value);
    spelt.is_some_and(|key| raw::unescape(key).text == "messages")
}

/// The end of a pass over a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// The pass reached the last element.
    Last,
    /// The pass reached the element that begins at the given place.
    There,
}

/// Skips an array of at least one object; adds the places of the objects, and returns that of the
/// array.
fn objects<'a>(body: &'a [u8], cursor: &mut Cursor<'a>, objects: &mut Vec<Place>) -> Option<Place> {
    if !cursor.take(b'[') {
        return None;
    }
    let start = cursor.at() - 1;
    if let Some(half) = halfway(body, cursor) {
        let (mut second, mut others) = (Cursor::new(body, half), Vec::new());
        let (met, ended) = on(|| {
            rayon::join(
                || list(body, cursor, objects, Some(half)),
                || list(body, &mut second, &mut others, None),
            )
        });
        if met? == Ended::There {
            ended?;
            objects.append(&mut others);
            *cursor = second;
        }
    } else {
        list(body, cursor, objects, None)?;
    }
    cursor.take(b']').then_some(start..cursor.at())
}

/// Skips objects with commas between them, up to the last one or to the one that begins at `there`.
fn list(
    body: &[u8],
    cursor: &mut Cursor<'_>,
    objects: &mut Vec<Place>,
    there: Option<usize>,
) -> Option<Ended> {
    loop {
        cursor.skip_space();
        if Some(cursor.at()) == there {
            return Some(Ended::There);
        }
        let object = cursor.value()?;
        if body[object.start] != b'{' {
            return None;
        }
        objects.push(object);
        if !cursor.take(b',') {
            return Some(Ended::Last);
        }
    }
}

/// Returns a place about half-way through a long list where another object may begin: one that
/// looks like the start of the first. Only the pass from the start shows whether an object really
/// begins there.
fn halfway(body: &[u8], cursor: &mut Cursor<'_>) -> Option<usize> {
    cursor.skip_space();
    let start = cursor.at();
    let rest = &body[start..];
    if rest.len() < LARGE || cursor.peek() != Some(b'{') {
        return None;
    }
    let key = Cursor::new(body, start + 1).value()?;
    let half = start + rest.len() / 2;
    memmem::find(&body[half..], &body[start..key.end]).map(|at| half + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_is_split_as_by_the_parser() {
        let bodies = [
            r#"{"messages":[{"role":"user","content":"a"}]}"#,
            " {\n \"messages\" : [ {} , {\"a\":[{\"b\":\"]}\"}]} ] , \"store_dir\":\"x\" } \n",
            r#"{"a":1,"messages":[{"content":"\\"},{"content":"\\\""},{"c":"\u005c"}],"b":-1e5}"#,
            r#"{"m\u0065ssages":[{"é":"上"}],"tools":[{"name":"]"}],"n":null}"#,
            r#"{"messages":[{"messages":[{}]}],"\"":{"messages":[{}]}}"#,
        ];
        for body in bodies {
            let (fields, messages) = raw::fields_and_elements(body, "messages").unwrap();
            assert_eq!(outline(body.as_bytes()), Some((fields, messages.unwrap())), "{body}");
        }
    }

    /// A long body is followed from two places; wherever the second is, the outline equals that of
    /// the parser.
    #[test]
    fn a_long_request_is_split_as_by_the_parser() {
        let text = "x".repeat(8 * LARGE);
        let inner = r#"{"role":"user","content":"a"}"#;
        let quoted = format!("{inner:?}");
        let messages = [
            format!(r#"{{"role":"user","content":"{text}"}}"#),
            format!(r#"{{"role":"tool","content":[{inner}, {inner},{{"t":"{text}"}},{inner}]}}"#),
            format!(r#"{{"content":{quoted},"t":"{text}"}}"#),
        ];
        for seed in 0..81 {
            let order = (0..40).map(|n| messages[(seed / 3_usize.pow(n % 4)) % 3].as_str());
            let list = order.collect::<Vec<_>>().join([",", " , "][seed % 2]);
            for end in ["]}", "],\"a\":1}", "]", ",]}", "", "] ]}"] {
                let body = format!("{{\"n\":1,\"messages\":[ {list}{end}");
                match raw::fields_and_elements(&body, "messages") {
                    Ok((fields, messages)) => {
                        let (found, places) = outline(body.as_bytes()).unwrap();
                        assert!((found, Some(places)) == (fields, messages), "{seed} {end}");
                    }
                    Err(_) => assert!(outline(body.as_bytes()).is_none(), "{seed} {end}"),
                }
            }
        }
    }

    #[test]
    fn what_the_parser_has_to_look_at_has_no_outline() {
        let bodies = [
            r#"{"messages":[]}"#,
            r#"{"messages":["a"]}"#,
            r#"{"messages":[{}],"messages":[{}]}"#,
            r#"{"messages":{}}"#,
            r#"{"messages":[{}]"#,
            r#"{"messages":[{},]}"#,
            r#"{"messages":[{}],}"#,
            r#"{"messages":[{}] "a":1}"#,
            r#"{"messages":[{} {}]}"#,
            r#"{"messages":[{}]} {}"#,
            r#"{"messages":[{}],"a":x}"#,
            r#"{"messages":[{}],"a":}"#,
            r#"{"messages":[{}],a:1}"#,
            r#"{"messages":[{}],1:1}"#,
            r#"{"messages":[{"a":"b}]}"#,
            r#"{"a":1}"#,
            r#"[{"messages":[{}]}]"#,
            "",
        ];
        for body in bodies {
            assert_eq!(outline(body.as_bytes()), None, "{body}");
        }
    }

    /// A valid body with one byte replaced, inserted or removed, or unchanged.
    fn bodies() -> impl Strategy<Value = String> {
        let message = r#"\{"role":"(user|tool)","content":("[a\\é" ]{0,3}|\\\\|\\"|\\n){0,4}"(,"n":(-?[0-9]{1,2}|\[\]|\[\{"x":\[1, 2\]\}\]))?\}"#;
        let messages = proptest::collection::vec(message, 1..4);
        let at = any::<prop::sample::Index>();
        let byte = prop::sample::select(br#"{}[]",:\ a1"#.to_vec());
        (messages, r#"(,"a":(1|"\]"|\{\}))?"#, at, prop::option::of(byte), 0..3_u8).prop_map(
            |(messages, field, at, byte, how)| {
                let mut body =
                    format!("{{\"messages\":[{}]{field}}}", messages.join(", ")).into_bytes();
                let at = at.index(body.len());
                match (how, byte) {
                    (0, Some(byte)) => body[at] = byte,
                    (1, Some(byte)) => body.insert(at, byte),
                    (2, Some(_)) => drop(body.remove(at)),
                    _ => {}
                }
                String::from_utf8_lossy(&body).into_owned()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn an_outline_is_the_request_or_has_a_message_that_cannot_be_read(body in bodies()) {
            let request = raw::fields_and_elements(&body, "messages");
            match outline(body.as_bytes()) {
                Some((fields, messages)) if messages.iter().all(|m| raw::fields(m).is_ok()) => {
                    prop_assert_eq!(request.unwrap(), (fields, Some(messages)));
                }
                Some(_) => prop_assert!(request.is_err()),
                None => {}
            }
        }

        #[test]
        fn every_request_of_objects_has_an_outline(body in bodies()) {
            if let Ok((fields, Some(messages))) = raw::fields_and_elements(&body, "messages")
                && messages.iter().all(|message| message.starts_with('{'))
                && fields.iter().filter(|(key, _)| key == "messages").count() == 1
            {
                prop_assert_eq!(outline(body.as_bytes()), Some((fields, messages)));
            }
        }
    }
}
