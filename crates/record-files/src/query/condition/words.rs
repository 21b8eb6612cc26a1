//! Comparisons in words: `status = active`, `title contains disk and size > 10`, `closed is null`,
//! `size between 1 and 5`.

use raw_json as raw;

use super::operation::Operation;

/// Words before a date, with the operators that they mean.
const OF_DATES: [(&str, &str); 3] = [("on", "="), ("since", ">="), ("until", "<=")];

/// Comparisons that are joined by the same word.
pub(super) struct Words {
    pub(super) parts: Vec<InWords>,
    /// True if one of them must hold; false if all must hold.
    pub(super) is_any: bool,
}

/// One comparison.
pub(super) struct InWords {
    /// The comparison as it is spelled.
    pub(super) text: String,
    pub(super) field: String,
    pub(super) op: String,
    /// The operand as JSON; `None` if the operator has no operand.
    pub(super) value: Option<String>,
}

impl Words {
    /// Parses a JSON string. Returns `None` if a part of it is not a comparison, or if it has both
    /// `and` and `or`.
    pub(super) fn parse(literal: &str) -> Option<Words> {
        let text = raw::is_string(literal).then(|| raw::unescape(literal).text)?;
        // A value may be `and` or `or` itself: `state = OR`.
        if let Some(whole) = InWords::parse(&text) {
            return Some(Words { parts: vec![whole], is_any: false });
        }
        let (all, any) = (split(&text, &["and", "&&"]), split(&text, &["or", "||"]));
        let is_any = any.len() > 1;
        if is_any && all.len() > 1 {
            return None;
        }
        let parts = if is_any { any } else { all };
        let parts = parts.into_iter().map(InWords::parse).collect::<Option<_>>()?;
        Some(Words { parts, is_any })
    }
}

impl InWords {
    fn parse(text: &str) -> Option<InWords> {
        Self::without_operand(text).or_else(|| Self::with_operand(text))
    }

    fn without_operand(text: &str) -> Option<InWords> {
        let (field, op) = text.trim().split_once(char::is_whitespace)?;
        let is_alone = match Operation::named(op)? {
            // In `is missing` and `is present`, the second word may be the value.
            (Operation::Exists, _) => !op.contains(char::is_whitespace),
            (named, _) => named == Operation::IsNull,
        };
        (is_alone && is_field(field)).then(|| InWords::new(text, field, op, None))
    }

    fn with_operand(text: &str) -> Option<InWords> {
        let in_symbols = || {
            let (field, rest) = text.split_at(text.find(['=', '<', '>', '!'])?);
            let (op, value) = rest.split_at(rest.find(|c| !"=<>!".contains(c))?);
            Some((field, op, value))
        };
        let mut words = text.trim().splitn(3, char::is_whitespace);
        let in_words = words.next().zip(words.next()).zip(words.next());
        let is_known = |op: &str| Operation::named(op).is_some() || Operation::is_between(op);
        let of_dates = |op| OF_DATES.iter().find(|(word, _)| word.eq_ignore_ascii_case(op));
        let named = in_words
            .map(|((field, op), value)| (field, of_dates(op).map_or(op, |(_, op)| op), value));
        let known = named.filter(|(_, op, _)| is_known(op));
        let (field, op, value) = known.or_else(in_symbols)?;
        let (field, value) = (field.trim(), value.trim());
        // `size in 1..5` has both ends, too.
        let range = value.split_once("..").filter(|_| op.eq_ignore_ascii_case("in"));
        let op = if range.is_some() { "between" } else { op };
        let value = if Operation::is_between(op) {
            let ends = match value.split_once("..") {
                Some((low, high)) => vec![low, high],
                None => split(value, &["and"]),
            };
            let ends: Vec<String> = ends.into_iter().map(operand).collect::<Option<_>>()?;
            (ends.len() == 2).then(|| format!("[{}]", ends.join(",")))?
        } else {
            operand(value)?
        };
        is_field(field).then(|| InWords::new(text, field, op, Some(value)))
    }

    fn new(text: &str, field: &str, op: &str, value: Option<String>) -> InWords {
        let [text, field, op] = [text.trim(), field, op].map(str::to_owned);
        InWords { text, field, op, value }
    }
}

/// Returns true for a text that is a condition of SQL: comparisons with numbers and with texts in
/// quotes, between `and` and `or`.
pub(in crate::query) fn is_sql(text: &str) -> bool {
    const OPERATORS: [&str; 4] = ["like", "in", "is", "between"];
    let has = |part: &str, words: &[&str]| {
        let mut all = part.split(char::is_whitespace);
        all.any(|word| words.iter().any(|one| one.eq_ignore_ascii_case(word)))
    };
    let mut is_open = false;
    let ends = split(text, &["and", "or"]).into_iter().all(|part| {
        let part = part.trim();
        let is_between = |c: char| c.is_whitespace() || "=<>!".contains(c);
        let last = part.trim_end_matches(')').rsplit(is_between).next().unwrap_or("");
        let is_constant = part.ends_with(['\'', ')'])
            || last.eq_ignore_ascii_case("null")
            || last.parse::<f64>().is_ok();
        let compares = has(part, &OPERATORS) || part.contains(['=', '<', '>']);
        let is_field = part
            .split_once(' ')
            .is_some_and(|(not, field)| not.eq_ignore_ascii_case("not") && is_field(field.trim()));
        let is_part = is_field || is_constant && (compares || is_open) && is_spelled(part);
        is_open = has(part, &["between"]);
        is_part
    });
    ends && !is_open && text.matches('\'').count().is_multiple_of(2)
}

/// Returns true for a comparison of SQL whose name has no blanks, and whose list no words, outside
/// of quotes and brackets.
fn is_spelled(part: &str) -> bool {
    let operators = [" not ", " like ", " in ", " is ", " between ", "=", "<", ">", "!"];
    let low = format!("{} ", part.to_lowercase().trim_start_matches("not "));
    let end = operators.iter().filter_map(|of| low.find(of)).min().unwrap_or(0);
    let items = low.split_once(" in (").map_or("", |(_, items)| items.trim_end_matches([')', ' ']));
    let is_word = |item: &str| item.trim().starts_with(char::is_alphabetic);
    let name = low[..end].trim();
    (!name.contains(' ') || name.contains(['"', '('])) && !items.split(',').any(is_word)
}

/// Converts an operand, which may be in quotes, to JSON.
fn operand(text: &str) -> Option<String> {
    let text = text.trim();
    let is_quoted = |quote: char| {
        let inner = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        inner.filter(|inner| !inner.contains(quote))
    };
    if let Some(inner) = is_quoted('\'').or_else(|| is_quoted('"')) {
        return Some(raw::quote(inner));
    }
    let is_one_word = !text.is_empty() && text.chars().all(is_word);
    is_one_word.then(|| if raw::value(text).is_some() { text.to_owned() } else { raw::quote(text) })
}

fn is_field(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "._-[]".contains(c)
}

/// Splits a text at the given words outside of quotes, ignoring case.
fn split<'a>(text: &'a str, at: &[&str]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut start, mut end, mut quote) = (0, 0, None);
    for word in text.split_inclusive(char::is_whitespace) {
        let is_joint = at.iter().any(|joint| joint.eq_ignore_ascii_case(word.trim_end()));
        if quote.is_none() && is_joint {
            parts.push(&text[start..end]);
            start = end + word.len();
        }
        for c in word.chars().filter(|c| matches!(c, '\'' | '"')) {
            match quote {
                None => quote = Some(c),
                Some(open) if open == c => quote = None,
                Some(_) => {}
            }
        }
        end += word.len();
    }
    parts.push(&text[start..]);
    parts
}
