//! The JSON around records. Agents see a result before it becomes a file of records, so they may
//! write a filter for that form.

use query_sandbox::{Cut, JqError, Outcome};
use raw_json::Cursor;
use record_files::file::header::Header;
use serde_json::Value;

/// The placeholder for the records in the JSON around them.
const RECORDS: &str = "\u{1}records";

/// The longest value that a hint shows, in bytes.
const MAX_VALUE: usize = 200;

/// The start of the warning on a field that no record has.
const NO_FIELD: &str = "no record has a field";

/// Maximum number of arrays to examine in the text around records.
const MAX_ARRAYS: usize = 32;

/// Returns a note if the text of a file of records had another array that may hold records.
pub(super) fn other_array(header: &Header) -> Option<String> {
    let around = header.around("")?;
    let has_records = |at: usize| {
        let rest = &around[at..];
        let array = Cursor::new(rest.as_bytes(), 0).value().map(|place| &rest[place]);
        let elements = array.and_then(|array| raw_json::elements(array).ok()).unwrap_or_default();
        elements.len() >= 3 && elements.iter().all(|element| element.starts_with('{'))
    };
    memchr::memchr_iter(b'[', around.as_bytes()).take(MAX_ARRAYS).any(has_records).then(|| {
        "line 1 of the file holds another array of objects, which is not part of these records"
            .to_owned()
    })
}

/// Adds a hint to the outcome or the error of a filter that names a field which no record has.
pub(super) fn explained(
    filter: &str,
    header: Option<&Header>,
    outcome: Result<Outcome, JqError>,
) -> Result<Outcome, JqError> {
    let hint = || header.and_then(|header| hint(filter, header));
    match outcome {
        Ok(mut outcome) => {
            let mut absent =
                outcome.warnings.iter_mut().filter(|warning| warning.starts_with(NO_FIELD));
            if let Some((warning, hint)) = absent.next().zip(hint()) {
                warning.push_str(&format!("; {hint}"));
                // One output for each record that is the same for all of them.
                if outcome.values.windows(2).all(|pair| pair[0] == pair[1])
                    && outcome.values.len() > 1
                {
                    outcome.values.truncate(1);
                    outcome.cut = Some(Cut::Limit);
                }
            }
            Ok(outcome)
        }
        Err(JqError::Runtime { mut message, record }) => {
            if message.contains(NO_FIELD) {
                message.extend(hint().map(|hint| format!("; {hint}")));
            }
            Err(JqError::Runtime { message, record })
        }
        other => other,
    }
}

/// Returns the hint for a filter that names a member of the JSON around the records: the filter to
/// send instead, or the value.
fn hint(filter: &str, header: &Header) -> Option<String> {
    let around = header.around(&Value::from(RECORDS).to_string())?;
    let around: Value = serde_json::from_str(&around).ok()?;
    let path = path_of_records(&around)?;
    if let Some(at) = place(filter, &path) {
        let rest = &filter[at + path.len()..];
        let entries = rest.trim_start().strip_prefix('|').map(str::trim_start);
        let entries = entries.and_then(|rest| rest.strip_prefix("to_entries"));
        return Some(match (header.other_form(), entries) {
            (Some(form), None) => format!(
                "`{path}` holds the records, which have another form here: {form}; with \
                 {{\"slurp\": true}} `.` is the array of them"
            ),
            (_, entries) => {
                let rest = entries.unwrap_or(rest);
                let instead = Value::from(format!("{}.{rest}", &filter[..at]));
                format!(
                    "`{path}` is the array of the records, which is `.` here: send \
                     {{\"query\": {instead}, \"slurp\": true}}"
                )
            }
        });
    }
    let mut members = around.as_object()?.iter();
    members.find_map(|(key, value)| {
        let at = place(filter, &format!(".{key}"))?;
        let (mut value, mut end) = (value, at + 1 + key.len());
        // Follows further keys as long as the filter names them.
        while let Some(rest) = filter[end..].strip_prefix('.') {
            let length = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
            let Some(inner) = value.get(&rest[..length]) else { break };
            (value, end) = (inner, end + 1 + length);
        }
        let shown = value.to_string();
        let shown = match value {
            _ if shown.contains(RECORDS) => return None,
            _ if shown.len() <= MAX_VALUE => shown,
            Value::Array(elements) => {
                format!("an array of {} in line 1 of the file", elements.len())
            }
            _ => "it is in line 1 of the file".to_owned(),
        };
        Some(format!("`{}` is not of the records but around them: {shown}", &filter[at..end]))
    })
}

/// Returns the path through objects to the records, such as `.hits.hits`, or `None` if no object
/// encloses them.
fn path_of_records(value: &Value) -> Option<String> {
    value.as_object()?.iter().find_map(|(key, value)| match value {
        Value::String(text) if text == RECORDS => Some(format!(".{key}")),
        value => path_of_records(value).map(|path| format!(".{key}{path}")),
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the offset of a path in a filter, if it occurs there as a whole path.
fn place(filter: &str, path: &str) -> Option<usize> {
    let is_whole = |at: &usize| {
        let before = filter[..*at].chars().next_back();
        let behind = filter[at + path.len()..].chars().next();
        !before.is_some_and(|c| is_of_name(c) || ")]?\".".contains(c))
            && !behind.is_some_and(is_of_name)
    };
    filter.match_indices(path).map(|(at, _)| at).find(is_whole)
}
