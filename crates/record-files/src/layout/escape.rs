//! The escape style of a JSON string literal: the characters that its writer escapes, and
//! how. It is guessed from the literal, and verified by rebuilding the literal.

use std::fmt::Write;

use raw_json as raw;
use serde::{Deserialize, Serialize};

/// The escapes of a writer beyond the necessary ones. The default is that of `serde_json` and
/// of JavaScript's `JSON.stringify`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EscapeStyle {
    /// Writes `\/` for a slash, as PHP does.
    #[serde(skip_serializing_if = "is_false")]
    slash: bool,
    /// Writes `\uXXXX` for all characters beyond ASCII, as Python does.
    #[serde(skip_serializing_if = "is_false")]
    ascii: bool,
    /// Writes the digits of `\uXXXX` in upper case, as .NET does.
    #[serde(skip_serializing_if = "is_false")]
    upper: bool,
    /// Other characters written `\uXXXX` without need: `<>&` in Go.
    #[serde(skip_serializing_if = "String::is_empty")]
    coded: String,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl EscapeStyle {
    /// Returns the style of a literal, its text, and whether the style rebuilds the literal byte
    /// for byte. `None` if the literal has a lone surrogate, and so no text.
    pub(crate) fn of(literal: &str) -> Option<(EscapeStyle, String, bool)> {
        let text = raw::unescape(literal);
        if !text.exact {
            return None;
        }
        let style = EscapeStyle::guess(literal);
        let text = text.text.into_owned();
        let exact = style.quote(&text) == literal;
        Some((style, text, exact))
    }

    fn guess(literal: &str) -> EscapeStyle {
        let mut style = EscapeStyle::default();
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

    /// Returns the literal of a text in this style.
    pub(crate) fn quote(&self, text: &str) -> String {
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

/// Returns true for a character that has a shorter spelling in ASCII than `\uXXXX`, or that
/// only JavaScript needs escaped.
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

    fn back(literal: &str) -> Option<EscapeStyle> {
        let (style, text, exact) = EscapeStyle::of(literal)?;
        assert_eq!(style.quote(&text) == literal, exact);
        exact.then_some(style)
    }

    #[test]
    fn the_usual_style_needs_no_words() {
        let plain = r#""a \" \\ / \n\r\t\b\f\u001b é 中 😀""#;
        assert_eq!(back(plain), Some(EscapeStyle::default()));
        assert_eq!(serde_json::to_string(&EscapeStyle::default()).unwrap(), "{}");
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
            assert_eq!(serde_json::from_str::<EscapeStyle>(spelled).unwrap(), style);
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
