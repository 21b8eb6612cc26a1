//! Splits a raw value into members or elements. `serde_json` checks the grammar iteratively, so
//! that nesting uses no stack, and produces the errors.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::offset_in;

/// The members of a JSON object in their order, duplicates included.
pub type Fields<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// Splits a JSON object into its members.
///
/// # Errors
///
/// Fails if `object` is not JSON, is not an object, or has a key with a lone surrogate.
pub fn fields(object: &str) -> Result<Fields<'_>, serde_json::Error> {
    split(object, None).map(|(fields, _)| fields)
}

/// Splits a JSON array into its elements.
///
/// # Errors
///
/// Fails if `array` is not JSON, or not an array.
pub fn elements(array: &str) -> Result<Vec<&str>, serde_json::Error> {
    serde_json::from_str::<Elements<'_>>(array).map(|elements| elements.0)
}

/// Returns the JSON value in `text` without the white space around it; `None` if `text` is not
/// exactly one JSON value.
pub fn value(text: &str) -> Option<&str> {
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

/// Returns the value of the last member with that name: JSON parsers keep the last of duplicates.
pub fn field<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a str> {
    fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
}

/// Splits an object into its members and, in the same pass, the array `name` into its elements; the
/// array is then the last of the members. If the array is absent, empty or another value, the
/// elements are `None` and the members are in their order.
///
/// # Errors
///
/// Fails as [`fields`] does.
pub fn fields_and_elements<'a>(
    object: &'a str,
    name: &str,
) -> Result<(Fields<'a>, Option<Vec<&'a str>>), serde_json::Error> {
    if let Ok((mut fields, Some((key, elements)))) = split(object, Some(name))
        && let Some(array) = array_of(object, &elements)
    {
        fields.push((key, array));
        return Ok((fields, Some(elements)));
    }
    // If the member is not such an array, return all members as spelled.
    fields(object).map(|fields| (fields, None))
}

/// Returns the array with these elements, including its brackets; `None` for no elements.
fn array_of<'a>(text: &'a str, elements: &[&'a str]) -> Option<&'a str> {
    let (first, last) = (elements.first()?, elements.last()?);
    let start = text[..offset_in(text, first)].trim_ascii_end().len().checked_sub(1)?;
    let after = offset_in(text, last) + last.len();
    let gap = text[after..].len() - text[after..].trim_ascii_start().len();
    text.get(start..after + gap + 1).filter(|array| array.starts_with('[') && array.ends_with(']'))
}

/// The members of an object except the named array, and the key and elements of that array.
type Split<'a> = (Fields<'a>, Option<(Cow<'a, str>, Vec<&'a str>)>);

fn split<'a>(object: &'a str, array: Option<&str>) -> Result<Split<'a>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    let split = Object { array }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(split)
}

/// An object to split, with the name of the member whose elements are needed.
struct Object<'n> {
    array: Option<&'n str>,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = Split<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Split<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Split<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Split<'de>, A::Error> {
        let (mut fields, mut elements) = (Vec::new(), None);
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            if self.array == Some(&*key) {
                elements = Some((key, map.next_value::<Elements<'de>>()?.0));
            } else {
                fields.push((key, map.next_value::<&'de RawValue>()?.get()));
            }
        }
        Ok((fields, elements))
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct Elements<'a>(Vec<&'a str>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Array;
        impl<'de> Visitor<'de> for Array {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(value) = seq.next_element::<&'de RawValue>()? {
                    elements.push(value.get());
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(Array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_what_was_expected() {
        let (object, array) = (fields("[]").unwrap_err(), elements("{}").unwrap_err());
        assert!(object.to_string().contains("expected an object"), "{object}");
        assert!(array.to_string().contains("expected an array"), "{array}");
    }
}
