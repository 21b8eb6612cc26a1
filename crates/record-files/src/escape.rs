//! The escape style of a JSON string literal: which characters its writer spelled
//! how. Read off the literal, and good only if it gives the literal back.

use std::fmt::Write;

use chat_history::raw;
use serde::{Deserialize, Serialize};

/// What a writer escapes beyond the necessary. The default is what `serde_json`
/// and JavaScript's `JSON.stringify` write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Style {
    /// `\/` for a slash, as PHP writes it.
    #[serde(skip_serializing_if = "is_false")]
    slash: bool,
    /// `\uXXXX` for everything beyond ASCII, as Python writes it.
    #[serde(skip_serializing_if = "is_false")]
    ascii: bool,
    /// The hexadecimal digits of `\uXXXX` in upper case, as .NET writes them.
    #[serde(skip_serializing_if = "is_false")]
    upper: bool,
    /// The characters spelled `\uXXXX` though they need not be: `<>&` in Go.
    #[serde(skip_serializing_if = "String::is_empty")]
    coded: String,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Style {
    /// The style of a literal, its text, and whether the style gives the literal
    /// back byte for byte; None where the literal holds a lone surrogate and
    /// therefore has no text.
    pub fn of(literal: &str) -> Option<(Style, String, bool)> {
        let text = raw::unescape(literal);
        if !text.exact {
            return None;
        }
        let style = Style::guess(literal);
        let text = text.text.into_owned();
        let exact = style.quote(&text) == literal;
        Some((style, text, exact))
    }

    fn guess(literal: &str) -> Style {
        let mut style = Style::default();
        let mut rest = literal;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            let escape = &rest[at..];
            let coded = escape.get(2..6).filter(|_| escape.as_bytes().get(1) == Some(&b'u'));
            if let Some(digits) = coded {
                style.notice(digits);
            }
            style.slash |= escape.starts_with("\\/");
            let used = if coded.is_some() { 6 } else { 2 };
            rest = escape.get(used..).unwrap_or_default();
        }
        style
    }

    fn notice(&mut self, digits: &str) {
        self.upper |= digits.bytes().any(|digit| digit.is_ascii_uppercase());
        let Ok(unit) = u32::from_str_radix(digits, 16) else { return };
        match char::from_u32(unit) {
            Some(symbol) if needless(symbol) => {
                if !self.coded.contains(symbol) {
                    self.coded.push(symbol);
                }
            }
            Some(symbol) if symbol.is_ascii() => {}
            _ => self.ascii = true,
        }
    }

    /// The literal of a text in this style.
    pub fn quote(&self, text: &str) -> String {
        let mut special = [false; 128];
        for (symbol, special) in (0u8..).zip(special.iter_mut()) {
            *special = matches!(symbol, b'"' | b'\\' | 0..0x20)
                || symbol == b'/' && self.slash
                || self.coded.contains(char::from(symbol));
        }
        let wide = !self.coded.is_ascii();
        let escaped = |c: char| match special.get(c as usize) {
            Some(special) => *special,
            None => self.ascii || wide && self.coded.contains(c),
        };
        let mut out = String::with_capacity(text.len() + text.len() / 8 + 2);
        out.push('"');
        let mut rest = text;
        while let Some((at, symbol)) = rest.char_indices().find(|(_, c)| escaped(*c)) {
            out.push_str(&rest[..at]);
            self.escape(symbol, &mut out);
            rest = &rest[at + symbol.len_utf8()..];
        }
        out.push_str(rest);
        out.push('"');
        out
    }

    fn escape(&self, symbol: char, out: &mut String) {
        let short = match symbol {
            '"' => "\\\"",
            '\\' => "\\\\",
            '/' => "\\/",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            _ => "",
        };
        if !short.is_empty() && !self.coded.contains(symbol) {
            return out.push_str(short);
        }
        for unit in symbol.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = match self.upper {
                true => write!(out, "\\u{unit:04X}"),
                false => write!(out, "\\u{unit:04x}"),
            };
        }
    }
}

/// True for a character that has a shorter spelling than `\uXXXX` in ASCII, or
/// that writers escape for the sake of JavaScript.
fn needless(symbol: char) -> bool {
    match symbol {
        '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' | '\u{2028}' | '\u{2029}' => true,
        '\0'..' ' => false,
        _ => symbol.is_ascii(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(literal: &str) -> Option<Style> {
        let (style, text, exact) = Style::of(literal)?;
        assert_eq!(style.quote(&text) == literal, exact);
        exact.then_some(style)
    }

    #[test]
    fn the_usual_style_needs_no_words() {
        let plain = r#""a \" \\ / \n\r\t\b\f\u001b é 中 😀""#;
        assert_eq!(back(plain), Some(Style::default()));
        assert_eq!(serde_json::to_string(&Style::default()).unwrap(), "{}");
    }

    #[test]
    fn the_styles_of_other_writers_are_read_off() {
        let python = r#""\u00e9 \ud83d\ude00 a/b""#;
        let php = r#""\u00e9 a\/b""#;
        let go = r#""\u003cb\u003e \u0026 \u2028 é""#;
        let net = r#""\u0022a\u0022 \u003C \u001B \u00E9""#;
        for (literal, spelled) in [
            (python, r#"{"ascii":true}"#),
            (php, r#"{"slash":true,"ascii":true}"#),
            (go, "{\"coded\":\"<>&\u{2028}\"}"),
            (net, r#"{"ascii":true,"upper":true,"coded":"\"<"}"#),
        ] {
            let style = back(literal).unwrap();
            assert_eq!(serde_json::to_string(&style).unwrap(), spelled, "{literal}");
            assert_eq!(serde_json::from_str::<Style>(spelled).unwrap(), style);
        }
    }

    #[test]
    fn what_no_style_gives_back_has_none() {
        assert_eq!(back(r#""\u0061 a""#), None);
        assert_eq!(back(r#""\u00e9 é""#), None);
        assert_eq!(back(r#""\/ /""#), None);
        assert_eq!(back(r#""\ud800""#), None);
    }
}
