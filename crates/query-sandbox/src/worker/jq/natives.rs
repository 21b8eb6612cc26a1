//! Native functions: those that `jaq` lacks, and those whose results differ from jq.

use jaq_core::native::{Fun, bome, run, unary, v};
use jaq_json::{Error, Num, Val};

use super::{data::Data, json_text, patterns, remove_paths};

/// Returns the functions; each replaces one of the same name in `jaq`.
pub(super) fn functions() -> impl Iterator<Item = Fun<Data>> {
    let natives: [jaq_core::native::Filter<jaq_core::RunPtr<Data>>; 19] = [
        ("to_text", v(0), |cv| bome(to_text(cv.1))),
        ("fromjson", v(0), |cv| bome(one_value(&cv.1))),
        ("to_number", v(0), |cv| bome(number(cv.1))),
        ("tojson", v(0), |cv| bome(json(&cv.1).map(Val::utf8_str))),
        ("@tsv", v(0), |cv| bome(row(&cv.1, "\t", tsv_field))),
        ("@csv", v(0), |cv| bome(row(&cv.1, ",", csv_field))),
        ("@base32", v(0), |cv| bome(to_text(cv.1).map(|text| base32(&text)))),
        ("escape_html", v(0), |cv| bome(escape_html(&cv.1))),
        ("encode_uri", v(0), |cv| bome(encode_uri(&cv.1))),
        ("ltrimstr", v(1), |cv| unary(cv, |value, fix| Ok(trim(&value, &fix, true)))),
        ("rtrimstr", v(1), |cv| unary(cv, |value, fix| Ok(trim(&value, &fix, false)))),
        ("implode", v(0), |cv| bome(implode(&cv.1))),
        ("whole_index", v(0), |cv| bome(Ok(rounded(cv.1, f64::trunc)))),
        ("slice_start", v(0), |cv| bome(Ok(rounded(cv.1, f64::floor)))),
        ("slice_end", v(0), |cv| bome(Ok(rounded(cv.1, f64::ceil)))),
        ("remove_paths", v(1), |cv| {
            unary(cv, |value, paths| remove_paths::remove_paths(value, &paths))
        }),
        ("find_any", v(2), |cv| bome(patterns::call(cv, patterns::find_any))),
        ("find_all", v(2), |cv| bome(patterns::call(cv, patterns::find_all))),
        ("cut_all", v(2), |cv| bome(patterns::call(cv, patterns::cut_all))),
    ];
    natives.into_iter().map(run::<Data>)
}

/// Returns a number without its fraction, and any other value unchanged.
fn rounded(value: Val, round: fn(f64) -> f64) -> Val {
    match &value {
        Val::Num(Num::Float(_) | Num::Dec(_)) => jaq_std::ValT::as_f64(&value)
            .and_then(|x| format!("{:.0}", round(x)).parse().ok())
            .map_or(value, |x: isize| Val::from(x)),
        _ => value,
    }
}

fn json(value: &Val) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let written = json_text::write(value, &mut out, usize::MAX);
    written.map_err(|_| Error::str("object keys must be strings"))?;
    Ok(out)
}

fn to_text(value: Val) -> Result<Val, Error> {
    match value {
        Val::TStr(_) => Ok(value),
        other => json(&other).map(Val::utf8_str),
    }
}

fn text_of(value: &Val) -> Result<&[u8], Error> {
    match value {
        Val::TStr(bytes) => Ok(bytes),
        other => Err(Error::typ(other.clone(), "string")),
    }
}

/// Returns the one value of a text; jaq returns all, and none of an empty text.
fn one_value(text: &Val) -> Result<Val, Error> {
    jaq_json::read::parse_single(without_plus(text_of(text)?))
        .map_err(|e| Error::str(format_args!("cannot parse {text} as JSON: {e}")))
}

/// Returns a number's text without its `+`, which jaq would keep.
fn without_plus(bytes: &[u8]) -> &[u8] {
    let is_number = |rest: &&[u8]| rest.first().is_some_and(|byte| *byte != b'-');
    bytes.strip_prefix(b"+").filter(is_number).unwrap_or(bytes)
}

/// Returns the number of a text. As in jq, it may begin or end with a point, and begin with `+`
/// or zeros.
fn number(value: Val) -> Result<Val, Error> {
    let bytes = match &value {
        Val::Num(_) => return Ok(value),
        Val::TStr(bytes) => without_plus(bytes.trim_ascii()),
        _ => return Err(Error::str(format_args!("cannot parse {value} as number"))),
    };
    if let Ok(number @ Val::Num(_)) = jaq_json::read::parse_single(bytes) {
        return Ok(number);
    }
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let text = std::str::from_utf8(bytes).ok().filter(|_| bytes.iter().all(is_of_number));
    text.and_then(|text| text.parse().ok())
        .filter(|number: &f64| number.is_finite())
        .map(|number| Val::Num(Num::Float(number)))
        .ok_or_else(|| Error::str(format_args!("cannot parse {value} as number")))
}

fn row(value: &Val, between: &str, field: fn(&[u8], &mut Vec<u8>)) -> Result<Val, Error> {
    let Val::Arr(cells) = value else {
        return Err(Error::typ(value.clone(), "a table row (array)"));
    };
    let mut out = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(between.as_bytes());
        }
        match cell {
            Val::Null => {}
            Val::TStr(bytes) => field(bytes, &mut out),
            Val::Bool(_) | Val::Num(_) => out.append(&mut json(cell)?),
            other => {
                return Err(Error::typ(
                    other.clone(),
                    "a table field (null, boolean, number or string)",
                ));
            }
        }
    }
    Ok(Val::utf8_str(out))
}

fn tsv_field(bytes: &[u8], out: &mut Vec<u8>) {
    escape(bytes, &[(b'\t', "\\t"), (b'\n', "\\n"), (b'\r', "\\r"), (b'\\', "\\\\")], out);
}

fn csv_field(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    escape(bytes, &[(b'"', "\"\"")], out);
    out.push(b'"');
}

/// Appends a text with others in the place of some bytes.
fn escape(bytes: &[u8], others: &[(u8, &str)], out: &mut Vec<u8>) {
    for byte in bytes {
        match others.iter().find(|(of, _)| of == byte) {
            Some((_, other)) => out.extend_from_slice(other.as_bytes()),
            None => out.push(*byte),
        }
    }
}

fn escape_html(value: &Val) -> Result<Val, Error> {
    const OTHERS: [(u8, &str); 5] =
        [(b'<', "&lt;"), (b'>', "&gt;"), (b'&', "&amp;"), (b'\'', "&apos;"), (b'"', "&quot;")];
    let mut out = Vec::new();
    escape(text_of(value)?, &OTHERS, &mut out);
    Ok(Val::utf8_str(out))
}

/// Escapes the same characters as jq.
fn encode_uri(value: &Val) -> Result<Val, Error> {
    let mut out = String::new();
    for byte in text_of(value)? {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(byte) {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(Val::from(out))
}

fn base32(text: &Val) -> Val {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let Val::TStr(bytes) = text else { return Val::Null };
    let mut out = Vec::with_capacity(bytes.len().div_ceil(5) * 8);
    for chunk in bytes.chunks(5) {
        let mut five = [0; 5];
        five[..chunk.len()].copy_from_slice(chunk);
        let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let letters = (chunk.len() * 8).div_ceil(5);
        for place in 0..8 {
            let letter = usize::try_from(bits >> (35 - place * 5) & 31).unwrap_or(0);
            out.push(if place < letters { LETTERS[letter] } else { b'=' });
        }
    }
    Val::utf8_str(out)
}

/// Returns any value but two strings unchanged, as jq does.
fn trim(value: &Val, fix: &Val, left: bool) -> Val {
    if let (Val::TStr(bytes), Val::TStr(fix)) = (value, fix) {
        let rest = if left { bytes.strip_prefix(&***fix) } else { bytes.strip_suffix(&***fix) };
        if let Some(rest) = rest {
            return Val::utf8_str(bytes.slice_ref(rest));
        }
    }
    value.clone()
}

/// Accepts only characters; jaq also accepts negative numbers, as bytes.
fn implode(value: &Val) -> Result<Val, Error> {
    let Val::Arr(points) = value else { return Err(Error::typ(value.clone(), "array")) };
    let character = |point: &Val| {
        let number = jaq_std::ValT::as_f64(point);
        let number = number.filter(|x| x.fract() == 0.0).map(|x| format!("{x:.0}"));
        let character = number.and_then(|x| x.parse().ok()).and_then(char::from_u32);
        character.ok_or_else(|| Error::typ(point.clone(), "a character (Unicode codepoint)"))
    };
    points.iter().map(character).collect::<Result<String, Error>>().map(Val::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_is_that_of_rfc_4648() {
        for (text, expected) in
            [("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foobar", "MZXW6YTBOI======")]
        {
            assert_eq!(base32(&Val::from(text.to_owned())), Val::from(expected.to_owned()));
        }
    }
}
