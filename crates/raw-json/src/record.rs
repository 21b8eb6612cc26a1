//! Checks a record and visits its members in one pass.

use crate::{Fault, Key, Scanner};

/// Checks that `text` is exactly one JSON value, and calls `member` for each member if it is
/// an object, duplicates included. Returns the value without the white space around it.
///
/// ```
/// let mut sizes = Vec::new();
/// let line = r#" {"id": "a", "size": 3, "size": 4} "#;
/// let record = raw_json::check_record(line, |key, value| {
///     if key.text() == "size" {
///         sizes.push(value);
///     }
/// });
/// assert_eq!(record, Ok(line.trim()));
/// assert_eq!(sizes, ["3", "4"]);
/// let fault = raw_json::check_record("[1,}", |_, _| {}).unwrap_err();
/// assert_eq!((fault.at, fault.expected), (3, "a JSON value"));
/// ```
///
/// # Errors
///
/// Fails at the first byte that is not valid JSON at that position.
pub fn check_record<'a>(
    text: &'a str,
    mut member: impl FnMut(Key<'a>, &'a str),
) -> Result<&'a str, Fault> {
    check_record_like(text, &mut Vec::new(), |_: Option<()>, key, value| member(key, value))
}

/// Checks a record as [`check_record`] does, but faster: records of one source have the same keys
/// in the same order. `known` contains the keys of the previous record, each with a value that the
/// caller assigned to it; it is replaced by those of this record. A key with the same spelling as
/// before is compared instead of scanned. `member` receives the assigned value of a known key, and
/// returns the value of the key.
///
/// ```
/// let mut known = Vec::new();
/// let mut sizes = Vec::new();
/// for line in [r#"{"id": 1, "size": 3}"#, r#"{"id": 2, "size": 4}"#] {
///     raw_json::check_record_like(line, &mut known, |is_size, key, value| {
///         let is_size = is_size.unwrap_or_else(|| key.text() == "size");
///         sizes.extend(is_size.then_some(value));
///         is_size
///     })?;
/// }
/// assert_eq!(sizes, ["3", "4"]);
/// # Ok::<(), raw_json::Fault>(())
/// ```
///
/// # Errors
///
/// Fails at the first byte that is not valid JSON at that position.
pub fn check_record_like<'a, T: Copy>(
    text: &'a str,
    known: &mut Vec<(Key<'a>, T)>,
    mut member: impl FnMut(Option<T>, Key<'a>, &'a str) -> T,
) -> Result<&'a str, Fault> {
    let mut scanner = Scanner::new(text);
    scanner.cursor.skip_space();
    let start = scanner.cursor.at();
    if scanner.cursor.peek() == Some(b'{') {
        let mut more = scanner.open(b'}');
        let mut index = 0;
        while more {
            match known.get(index).copied() {
                Some((key, meaning)) if scanner.key_again(key.literal) => {
                    member(Some(meaning), key, scanner.next_value()?);
                }
                _ => {
                    known.truncate(index);
                    let key = scanner.next_key()?;
                    known.push((key, member(None, key, scanner.next_value()?)));
                }
            }
            index += 1;
            more = scanner.next(b'}', "`,` or `}`")?;
        }
    } else {
        scanner.skip()?;
    }
    let value = &text[start..scanner.cursor.at()];
    scanner.cursor.skip_space();
    if scanner.cursor.at() < text.len() {
        return Err(scanner.fault("the end of the record"));
    }
    Ok(value)
}
