//! The outline of a request: where its messages stand, without reading them. All but
//! the newest were read in an earlier turn and are known again by their bytes, so their
//! grammar is not looked at here: strings and brackets are followed, and no more.
//!
//! For a body that is JSON the outline is what [`raw::request`] says. For any other body
//! it may say something too, and then one of its messages cannot be read: whoever takes
//! an outline has to read every message, or know it from before.

use super::raw::{self, Fields};

/// Splits a request as [`raw::request`] does. None where that has to be asked: the
/// messages are absent, none or given twice, one is no object, or another member is no
/// JSON.
pub fn outline(object: &str) -> Option<(Fields<'_>, Vec<&str>)> {
    let mut walk = Walk { text: object, at: 0 };
    let (mut fields, mut messages) = (Fields::new(), None);
    walk.take(b'{')?;
    loop {
        let key = raw::value(walk.next()?).filter(|key| raw::is_string(key))?;
        let key = raw::unescape(key).text;
        walk.take(b':')?;
        if key == "messages" {
            let (array, elements) = walk.objects()?;
            if messages.replace((key, array, elements)).is_some() {
                return None;
            }
        } else {
            fields.push((key, raw::value(walk.next()?)?));
        }
        if walk.take(b',').is_none() {
            break;
        }
    }
    walk.take(b'}')?;
    walk.space();
    let (key, array, elements) = messages.filter(|_| walk.peek().is_none())?;
    fields.push((key, array));
    Some((fields, elements))
}

/// A place in a text.
struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Walk<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
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

    /// An array of objects, at least one; the array and each of them.
    fn objects(&mut self) -> Option<(&'a str, Vec<&'a str>)> {
        let mut objects = Vec::new();
        self.take(b'[')?;
        let start = self.at - 1;
        loop {
            let object = self.next()?;
            if !object.starts_with('{') {
                return None;
            }
            objects.push(object);
            if self.take(b',').is_none() {
                break;
            }
        }
        self.take(b']')?;
        Some((self.text.get(start..self.at)?, objects))
    }

    /// What can only be the next value, if there is one.
    fn next(&mut self) -> Option<&'a str> {
        self.space();
        let start = self.at;
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.at += raw::string_end(&self.text[self.at..])?,
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
                    let rest = &self.text.as_bytes()[self.at..];
                    let ends = |byte: &u8| b",:{}[]\" \t\n\r".contains(byte);
                    self.at += rest.iter().position(ends).unwrap_or(rest.len());
                    return self.text.get(start..self.at).filter(|value| !value.is_empty());
                }
            }
            if open == 0 {
                return self.text.get(start..self.at);
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
            assert_eq!(outline(body), Some((fields, messages.unwrap())), "{body}");
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
            assert_eq!(outline(body), None, "{body}");
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
            match outline(&body) {
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
                prop_assert_eq!(outline(&body), Some((fields, messages)));
            }
        }
    }
}
