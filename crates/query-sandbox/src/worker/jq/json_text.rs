//! Writes values as compact JSON, like jq: calculated whole numbers have no decimal point, and
//! not-a-number is null. Numbers from the input keep their spelling.

use jaq_json::{Num, Val};

/// Why a value cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteError {
    /// It is longer than the limit.
    TooLong,
    /// An object has a key that is not a string.
    Key,
}

/// The treatment of lone surrogates, which JSON can escape and UTF-8 cannot encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoneSurrogates {
    /// Writes an escape.
    Escape,
    /// Writes U+FFFD.
    Replace,
}

type Members<'a> = Box<dyn Iterator<Item = (Option<&'a Val>, &'a Val)> + 'a>;

/// Appends `value` to `out`, which grows by little more than `room` bytes at most. Deep values
/// take memory, not stack.
///
/// # Errors
///
/// Fails if the text is longer than `room`, or if an object has a key that is not a string.
pub(super) fn write(value: &Val, out: &mut Vec<u8>, room: usize) -> Result<(), WriteError> {
    let end = out.len().saturating_add(room);
    let mut open: Vec<(Members<'_>, u8, bool)> = Vec::new();
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            match value {
                Val::Arr(items) => {
                    out.push(b'[');
                    open.push((Box::new(items.iter().map(|item| (None, item))), b']', true));
                }
                Val::Obj(members) => {
                    out.push(b'{');
                    open.push((Box::new(members.iter().map(|(k, v)| (Some(k), v))), b'}', true));
                }
                scalar => write_scalar(scalar, out, end)?,
            }
        }
        if out.len() > end {
            return Err(WriteError::TooLong);
        }
        let Some((members, close, first)) = open.last_mut() else { return Ok(()) };
        match members.next() {
            Some((key, member)) => {
                if !std::mem::take(first) {
                    out.push(b',');
                }
                match key {
                    Some(Val::TStr(key)) => {
                        write_string(key, out, end, LoneSurrogates::Escape)?;
                        out.push(b':');
                    }
                    Some(_) => return Err(WriteError::Key),
                    None => {}
                }
                next = Some(member);
            }
            None => {
                out.push(*close);
                open.pop();
            }
        }
    }
}

/// Appends a JSON string to `out`, whose length stays about `end` bytes at most.
///
/// # Errors
///
/// Fails if the string does not fit.
pub(super) fn write_string(
    bytes: &[u8],
    out: &mut Vec<u8>,
    end: usize,
    lone: LoneSurrogates,
) -> Result<(), WriteError> {
    if out.len().saturating_add(bytes.len()) > end {
        return Err(WriteError::TooLong);
    }
    out.push(b'"');
    let mut rest = bytes;
    loop {
        let error = match str::from_utf8(rest) {
            Ok(text) => {
                escape(text, out);
                break;
            }
            Err(error) => error,
        };
        let (good, bad) = rest.split_at(error.valid_up_to());
        escape(str::from_utf8(good).expect("it was found valid"), out);
        rest = match *bad {
            [0xED, high @ 0xA0..=0xBF, low @ 0x80..=0xBF, ..] if lone == LoneSurrogates::Escape => {
                let unit = 0xD000 | u32::from(high & 0x3F) << 6 | u32::from(low & 0x3F);
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                &bad[3..]
            }
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => {
                out.extend_from_slice("\u{FFFD}".as_bytes());
                &bad[3..]
            }
            _ => {
                out.extend_from_slice("\u{FFFD}".as_bytes());
                &bad[error.error_len().unwrap_or(bad.len())..]
            }
        };
    }
    out.push(b'"');
    Ok(())
}

fn escape(text: &str, out: &mut Vec<u8>) {
    let start = out.len();
    serde_json::to_writer(&mut *out, text).expect("a string always serialises");
    out.pop();
    out.remove(start);
}

fn write_scalar(value: &Val, out: &mut Vec<u8>, end: usize) -> Result<(), WriteError> {
    match value {
        Val::Bool(true) => out.extend_from_slice(b"true"),
        Val::Bool(false) => out.extend_from_slice(b"false"),
        Val::Num(number) => out.extend_from_slice(number_text(number).as_bytes()),
        Val::BStr(bytes) | Val::TStr(bytes) => {
            write_string(bytes, out, end, LoneSurrogates::Escape)?;
        }
        _ => out.extend_from_slice(b"null"),
    }
    Ok(())
}

/// Smaller whole numbers are written as digits, larger ones with an exponent.
const MIN_EXPONENT_NUMBER: f64 = 1e17;

fn number_text(number: &Num) -> String {
    match number {
        Num::Float(x) if x.is_nan() => "null".to_owned(),
        Num::Float(x) => {
            let x = x.clamp(f64::MIN, f64::MAX);
            if x.fract() == 0.0 && x.abs() < MIN_EXPONENT_NUMBER {
                format!("{x:.0}")
            } else {
                format!("{x:?}")
            }
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> String {
        let value = super::super::record::read(json.as_bytes()).unwrap();
        let mut out = Vec::new();
        write(&value, &mut out, 1 << 20).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_was_read_is_written_as_it_was() {
        for json in [
            r#"{"b":1.10,"a":[1e400,-0.0,9007199254740993,123456789012345678901234567890]}"#,
            r#"["\ud800","a\udc00b","é😀","\u0001\n\"\\"]"#,
            r#"[[],{},null,true,false,""]"#,
        ] {
            assert_eq!(text(json), json);
        }
    }

    #[test]
    fn calculated_numbers_are_written_as_jq_writes_them() {
        for (x, expected) in [
            (5.0, "5"),
            (0.5, "0.5"),
            (f64::NAN, "null"),
            (f64::INFINITY, "1.7976931348623157e308"),
            (1e300, "1e300"),
        ] {
            assert_eq!(number_text(&Num::Float(x)), expected);
        }
    }

    #[test]
    fn the_room_is_kept() {
        let value = super::super::record::read(b"[[1,2],[3,4]]").unwrap();
        assert_eq!(write(&value, &mut Vec::new(), 5), Err(WriteError::TooLong));
        assert_eq!(write(&value, &mut Vec::new(), 13), Ok(()));
        let long = Val::utf8_str("x".repeat(100));
        assert_eq!(write(&long, &mut Vec::new(), 50), Err(WriteError::TooLong));
    }

    #[test]
    fn a_key_must_be_a_string() {
        let value = Val::obj(std::iter::once((Val::from(1_isize), Val::Null)).collect());
        assert_eq!(write(&value, &mut Vec::new(), 50), Err(WriteError::Key));
    }
}
