//! The outline of a request: where its messages stand, without reading them. All but
//! the newest were read in an earlier turn and are known again by their bytes, so their
//! grammar is not looked at here: strings and brackets are followed, and no more.
//!
//! For a body that is JSON the outline is what [`raw::request`] says. For any other body
//! it may say something too, and then one of its messages cannot be read: whoever takes
//! an outline has to read every message, or know it from before.

use std::ops::Range;

use memchr::memmem;

use super::raw::{self, Fields};
use fair_share::on;

/// Splits a request as [`raw::request`] does. None where that has to be asked: the
/// messages are absent, none or given twice, one is no object, another member is no
/// JSON, or the body is not UTF-8.
pub fn outline(body: &[u8]) -> Option<(Fields<'_>, Vec<&str>)> {
    // Whether it is text does not matter for where its parts are.
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

/// From this many bytes on, text is checked beside what is done with it, and followed
/// from two places at once. Few in tests: short bodies have more ways to go wrong.
const LARGE: usize = if cfg!(test) { 32 } else { 64 * 1024 };

type Place = Range<usize>;

/// Where the parts of a request stand.
struct Places {
    /// Keys and values.
    members: Vec<(Place, Place)>,
    messages: Vec<Place>,
}

fn places(body: &[u8]) -> Option<Places> {
    let mut walk = Walk { body, at: 0 };
    let (mut members, mut messages) = (Vec::new(), Vec::new());
    walk.take(b'{')?;
    loop {
        let key = walk.next()?;
        walk.take(b':')?;
        let value = if is_messages(&body[key.clone()]) {
            walk.objects(&mut messages)?
        } else {
            walk.next()?
        };
        members.push((key, value));
        if walk.take(b',').is_none() {
            break;
        }
    }
    walk.take(b'}')?;
    walk.space();
    walk.peek().is_none().then_some(Places { members, messages })
}

/// True for the key of the messages, however it is spelt.
fn is_messages(key: &[u8]) -> bool {
    let spelt = std::str::from_utf8(key).ok().and_then(raw::value);
    spelt.is_some_and(|key| raw::unescape(key).text == "messages")
}

/// Where a list was followed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// To its last element.
    Last,
    /// To the element that was asked for.
    There,
}

/// A place in a body.
struct Walk<'a> {
    body: &'a [u8],
    at: usize,
}

impl Walk<'_> {
    fn peek(&self) -> Option<u8> {
        self.body.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes this byte, if it is the next one behind white space.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    /// An array of objects, at least one; where it stands, and each of them.
    fn objects(&mut self, objects: &mut Vec<Place>) -> Option<Place> {
        self.take(b'[')?;
        let start = self.at - 1;
        if let Some(half) = self.halfway() {
            let (mut second, mut others) = (Walk { body: self.body, at: half }, Vec::new());
            let (met, ended) = on(|| {
                rayon::join(|| self.list(objects, Some(half)), || second.list(&mut others, None))
            });
            if met? == Ended::There {
                ended?;
                objects.append(&mut others);
                self.at = second.at;
            }
        } else {
            self.list(objects, None)?;
        }
        self.take(b']')?;
        Some(start..self.at)
    }

    /// Objects with commas between them: to the last one, or to the one that begins at
    /// `there`.
    fn list(&mut self, objects: &mut Vec<Place>, there: Option<usize>) -> Option<Ended> {
        loop {
            self.space();
            if Some(self.at) == there {
                return Some(Ended::There);
            }
            let object = self.next()?;
            if self.body[object.start] != b'{' {
                return None;
            }
            objects.push(object);
            if self.take(b',').is_none() {
                return Some(Ended::Last);
            }
        }
    }

    /// Where another object of a long list may begin, about half-way: where one begins
    /// as the first does. Whoever comes there from the start knows whether that is so.
    fn halfway(&mut self) -> Option<usize> {
        self.space();
        let rest = &self.body[self.at..];
        if rest.len() < LARGE || self.peek() != Some(b'{') {
            return None;
        }
        let mut first = Walk { body: self.body, at: self.at + 1 };
        let key = first.next()?;
        let begins = &self.body[self.at..key.end];
        let half = self.at + rest.len() / 2;
        memmem::find(&self.body[half..], begins).map(|at| half + at)
    }

    /// Returns the next value, if there is one.
    fn next(&mut self) -> Option<Place> {
        self.space();
        let start = self.at;
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.at += raw::string_end(&self.body[self.at..])?,
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                _ if open > 0 => {
                    self.at += 1;
                    continue;
                }
                // A number or a word.
                _ => {
                    let rest = &self.body[self.at..];
                    let ends = |byte: &u8| b",:{}[]\" \t\n\r".contains(byte);
                    self.at += rest.iter().position(ends).unwrap_or(rest.len());
                    return (self.at > start).then_some(start..self.at);
                }
            }
            if open == 0 {
                return Some(start..self.at);
            }
        }
    }
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
            let (fields, messages) = raw::request(body).unwrap();
            assert_eq!(outline(body.as_bytes()), Some((fields, messages.unwrap())), "{body}");
        }
    }

    /// A long body is followed from two places; wherever the second is, the outline is
    /// that of the parser.
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
                match raw::request(&body) {
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

    /// A body with one byte, or none, replaced, put in or taken out.
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
            let request = raw::request(&body);
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
            if let Ok((fields, Some(messages))) = raw::request(&body)
                && messages.iter().all(|message| message.starts_with('{'))
                && fields.iter().filter(|(key, _)| key == "messages").count() == 1
            {
                prop_assert_eq!(outline(body.as_bytes()), Some((fields, messages)));
            }
        }
    }
}
