//! A record as a value of `jaq`.

use jaq_json::{Val, read as json};

/// Reads one JSON value. Half a surrogate pair, which no UTF-8 string can hold,
/// is kept as the three bytes that would encode it.
pub(super) fn read(line: &[u8]) -> Result<Val, String> {
    json::parse_single(line).or_else(|error| {
        let mended = keep_lone_surrogates(line).ok_or_else(|| error.to_string())?;
        json::parse_single(&mended).map_err(|_| error.to_string())
    })
}

/// The text with every escape of a lone surrogate replaced by bytes; none where
/// it has no such escape.
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
        let length = match unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(unit(&rest[6..]), Some(0xDC00..=0xDFFF)) => 12,
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

/// The UTF-16 unit that `\uXXXX` at the start of `text` spells.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_bytes_and_pairs_stay() {
        let mended = keep_lone_surrogates(br#""\\ud800 \ud83d\ude00 \uDC00 \ud800""#).unwrap();
        assert_eq!(mended, b"\"\\\\ud800 \\ud83d\\ude00 \xED\xB0\x80 \xED\xA0\x80\"");
        assert_eq!(keep_lone_surrogates(br#""\ud83d\ude00 \u0041 \"#), None);
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        for text in ["", "{", "1 2", "\"\\ud800", "nul"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
