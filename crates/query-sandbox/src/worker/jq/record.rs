//! Reads records as values of `jaq`.

use jaq_json::{Val, read as json};
use raw_json::code_unit;

/// Reads one JSON value. A lone surrogate, which UTF-8 cannot encode, becomes the three bytes
/// that would encode it.
///
/// # Errors
///
/// Fails with the message of the parser if it is not one JSON value.
pub(super) fn read(line: &[u8]) -> Result<Val, String> {
    json::parse_single(line).or_else(|error| {
        let escaped = keep_lone_surrogates(line).ok_or_else(|| error.to_string())?;
        json::parse_single(&escaped).map_err(|_| error.to_string())
    })
}

/// Replaces every escape of a lone surrogate by bytes. None if there is none.
fn keep_lone_surrogates(line: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    let mut found = false;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte != b'\\' {
            out.push(byte);
            rest = tail;
            continue;
        }
        let length = match code_unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(code_unit(&rest[6..]), Some(0xDC00..=0xDFFF)) => 12,
            Some(lone @ 0xD800..=0xDFFF) => {
                found = true;
                let [high, low] = [(lone >> 6) & 0x3F, lone & 0x3F].map(low_byte);
                out.extend_from_slice(&[0xED, 0x80 | high, 0x80 | low]);
                rest = &rest[6..];
                continue;
            }
            _ => 2.min(rest.len()),
        };
        out.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
    found.then_some(out)
}

fn low_byte(bits: u16) -> u8 {
    bits.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_bytes_and_pairs_stay() {
        let escaped = keep_lone_surrogates(br#""\\ud800 \ud83d\ude00 \uDC00 \ud800""#).unwrap();
        assert_eq!(escaped, b"\"\\\\ud800 \\ud83d\\ude00 \xED\xB0\x80 \xED\xA0\x80\"");
        assert_eq!(keep_lone_surrogates(br#""\ud83d\ude00 \u0041 \"#), None);
    }

    #[test]
    fn invalid_json_is_an_error() {
        for text in ["", "{", "1 2", "\"\\ud800", "nul"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
