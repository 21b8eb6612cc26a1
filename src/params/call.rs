//! The body of a tool call. Models write it: they quote numbers and lists, and give members other
//! names. A value with a clear meaning is repaired; an unknown member is an error that names the
//! request to send instead.

use std::borrow::Cow;

use raw_json::{self as raw, nearest};

use super::{Field, ParamError, Params, Shape};

/// Maximum length of a request that an error repeats, in bytes.
const MAX_REQUEST: usize = 600;

/// Names that match no member of an operation, and the request that means the same.
pub(crate) type Elsewhere = (&'static [&'static str], &'static str);

/// Checks the members of a tool call, and unquotes numbers, flags and lists.
///
/// # Errors
///
/// Fails if the body is not a JSON object, or if a member is not among `fields`.
pub(crate) fn checked<'a>(
    body: &'a [u8],
    fields: &[Field],
    elsewhere: &[Elsewhere],
) -> Result<Cow<'a, [u8]>, ParamError> {
    let params = Params::parse(body)?;
    let mut members: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    let mut is_mended = false;
    for (name, value) in params.fields() {
        let Some(field) = fields.iter().find(|field| field.name == *name) else {
            if *value == "null" {
                continue;
            }
            return Err(unknown(name, value, &params, fields, elsewhere));
        };
        let meant = unquoted(value, field);
        is_mended |= meant.is_some();
        members.push((name.clone(), meant.map_or(Cow::Borrowed(*value), Cow::Owned)));
    }
    let written = || object(members.iter().map(|(name, value)| (&**name, &**value)));
    Ok(if is_mended { Cow::Owned(written().into_bytes()) } else { Cow::Borrowed(body) })
}

/// Returns the value in a string, if the member accepts no string.
pub(crate) fn unquoted(value: &str, field: &Field) -> Option<String> {
    let accepted: &[u8] = match field.shape {
        Shape::Whole | Shape::Fraction => b"-0123456789",
        Shape::Flag => b"tf",
        Shape::Words | Shape::Texts => b"[",
        Shape::Json if takes_structures_only(field) => b"[{",
        Shape::Json | Shape::Word | Shape::Text => return None,
    };
    if !raw::is_string(value) {
        return None;
    }
    let text = raw::unescape(value).text;
    let inner = text.trim();
    let is_meant = inner.bytes().next().is_some_and(|first| accepted.contains(&first));
    (is_meant && raw::value(inner).is_some()).then(|| inner.to_owned())
}

/// Returns true if the schema of a member allows arrays or objects, but no strings.
fn takes_structures_only(field: &Field) -> bool {
    let schema = raw::fields(field.schema).unwrap_or_default();
    let kinds = raw::field(&schema, "type").unwrap_or_default();
    (kinds.contains("array") || kinds.contains("object")) && !kinds.contains("string")
}

fn unknown(
    name: &str,
    value: &str,
    params: &Params<'_>,
    fields: &[Field],
    elsewhere: &[Elsewhere],
) -> ParamError {
    let is_free = |field: &&Field| params.fields().iter().all(|(given, _)| given != field.name);
    let is_it = |other: &&str| plain(other) == plain(name);
    let instead = elsewhere.iter().find(|(names, _)| names.iter().any(is_it));
    let same = named(name, fields);
    let advice = match (same, instead) {
        (Some(field), _) if !is_free(&field) => {
            format!("; it is named {}, which is given, too", field.name)
        }
        (None, Some((_, request))) => format!("; send {request} instead"),
        _ => match meant(name, fields).filter(is_free) {
            Some(field) => format!("; send {}", renamed((value, field), params, fields)),
            None => String::new(),
        },
    };
    ParamError::Unknown {
        field: name.chars().take(60).collect(),
        accepted: fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", "),
        advice,
    }
}

/// Returns the member that has this name or alias.
fn named<'f>(name: &str, fields: &'f [Field]) -> Option<&'f Field> {
    let wanted = plain(name);
    let is_it = |other: &str| plain(other) == wanted;
    let same = |field: &&Field| is_it(field.name) || field.aka.iter().any(|aka| is_it(aka));
    fields.iter().find(same)
}

/// Returns the member that a name means: the one with this name or alias, or the nearest name.
fn meant<'f>(name: &str, fields: &'f [Field]) -> Option<&'f Field> {
    named(name, fields).or_else(|| {
        let nearest = nearest(name, fields.iter().map(|field| field.name), 1).pop()?;
        fields.iter().find(|field| field.name == nearest)
    })
}

/// Returns the request with the right names; if it is long, only one member with its value.
fn renamed((value, field): (&str, &Field), params: &Params<'_>, fields: &[Field]) -> String {
    let members = params.fields().iter().map(|(given, value)| {
        let is_known = fields.iter().any(|field| field.name == *given);
        match meant(given, fields).filter(|_| !is_known) {
            // `"distinct": true` means a field that the request does not name.
            Some(field) if matches!(*value, "true" | "false") && field.shape != Shape::Flag => {
                (field.name, "\"…\"")
            }
            Some(field) => (field.name, *value),
            None => (&**given, *value),
        }
    });
    let whole = object(members);
    if whole.len() <= MAX_REQUEST {
        return whole;
    }
    let short = if value.len() > MAX_REQUEST { "…" } else { value };
    object([(field.name, short)].into_iter())
}

fn object<'a>(members: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let one = |(name, value)| format!("{}: {value}", raw::quote(name));
    format!("{{{}}}", members.map(one).collect::<Vec<_>>().join(", "))
}

/// Returns a name in lower case, without separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !"_-$ .".contains(*c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{Elsewhere, checked};
    use crate::params::{Field, Json};

    fn fields() -> Vec<Field> {
        let list = r#"{"type": ["array", "null"]}"#;
        vec![
            Field { aka: &["file", "name"], ..Field::of::<String>("path", "", None) },
            Field::of::<Option<u64>>("limit", "", None),
            Field::of::<bool>("count", "", Some("false")),
            Field { schema: list, ..Field::of::<Option<Json<'_>>>("ids", "", None) },
            Field::of::<Option<Json<'_>>>("any", "", None),
            Field { aka: &["distinct"], ..Field::of::<Option<String>>("group_by", "", None) },
        ]
    }

    const ELSEWHERE: &[Elsewhere] = &[(&["sum"], r#"{"sql": "…"}"#)];

    fn mended(body: &str) -> String {
        let body = checked(body.as_bytes(), &fields(), ELSEWHERE).unwrap().into_owned();
        String::from_utf8(body).unwrap()
    }

    fn refused(body: &str) -> String {
        checked(body.as_bytes(), &fields(), ELSEWHERE).unwrap_err().to_string()
    }

    #[test]
    fn values_are_taken_out_of_strings_where_no_string_is_accepted() {
        assert_eq!(
            mended(
                r#"{"path":"5","limit":" 5 ","count":"true","ids":"[1.10, \"a\"]","any":"[1]"}"#
            ),
            r#"{"path": "5", "limit": 5, "count": true, "ids": [1.10, "a"], "any": "[1]"}"#
        );
        for unchanged in [r#"{ "limit":5 }"#, r#"{"limit":"all"}"#, r#"{"count":"yes"}"#] {
            assert_eq!(mended(unchanged), unchanged);
        }
    }

    #[test]
    fn an_unknown_member_is_refused_with_the_request_that_is_meant() {
        let accepted = "accepted are path, limit, count, ids, any, group_by";
        for (body, advice) in [
            (r#"{"file":"x","limit":5}"#, r#"; send {"path": "x", "limit": 5}"#),
            (r#"{"groupBy":"x"}"#, r#"; send {"group_by": "x"}"#),
            (r#"{"lmit":5}"#, r#"; send {"limit": 5}"#),
            (r#"{"distinct":true}"#, r#"; send {"group_by": "…"}"#),
            (r#"{"sum":1}"#, r#"; send {"sql": "…"} instead"#),
            (r#"{"path":"x","file":"y"}"#, "; it is named path, which is given, too"),
            (r#"{"limit":5,"limits":6}"#, ""),
            (r#"{"zzzzzzzz":1}"#, ""),
        ] {
            let refusal = refused(body);
            let found = body.split('"').filter(|word| refusal.starts_with(&format!("\"{word}\"")));
            assert_eq!(found.count(), 1, "{refusal}");
            assert!(refusal.ends_with(&format!("{accepted}{advice}")), "{body}: {refusal}");
        }
        assert_eq!(mended(r#"{"zzz":null}"#), r#"{"zzz":null}"#);
        let long = refused(&format!(r#"{{"file":"{}"}}"#, "x".repeat(5_000)));
        assert!(long.len() < 300, "{}", long.len());
    }
}
