//! The trace of a caller: the header `traceparent` of W3C Trace Context.

use axum::http::{HeaderMap, HeaderName};

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TraceContext<'a> {
    /// The id of the trace, 32 hex digits.
    pub(super) trace_id: &'a str,
    /// The id of the caller's span, 16 hex digits.
    pub(super) parent_id: &'a str,
    /// The flags; the lowest bit says that the caller's spans are recorded.
    pub(super) flags: u8,
}

impl TraceContext<'_> {
    /// Returns the trace of a request; `None` for an absent, repeated or invalid header.
    pub(super) fn of(headers: &HeaderMap) -> Option<TraceContext<'_>> {
        let mut given = headers.get_all(TRACEPARENT).iter();
        let text = given.next()?.to_str().ok()?;
        if given.next().is_some() {
            return None;
        }
        let mut parts = text.split('-');
        let version = digits(parts.next()?, 2).filter(|version| *version != "ff")?;
        let non_zero = |id: &&str| id.bytes().any(|digit| digit != b'0');
        let trace_id = digits(parts.next()?, 32).filter(non_zero)?;
        let parent_id = digits(parts.next()?, 16).filter(non_zero)?;
        let flags = u8::from_str_radix(digits(parts.next()?, 2)?, 16).ok()?;
        // A later version may have further parts.
        let is_whole = version != "00" || parts.next().is_none();
        is_whole.then_some(TraceContext { trace_id, parent_id, flags })
    }
}

/// Returns the text if it is that number of hex digits in lower case.
fn digits(text: &str, number: usize) -> Option<&str> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (text.len() == number && text.bytes().all(is_digit)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn trace_of(values: &[&str]) -> Option<(String, String)> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(TRACEPARENT, value.parse().unwrap());
        }
        let found = TraceContext::of(&headers)?;
        Some((found.trace_id.to_owned(), found.parent_id.to_owned()))
    }

    #[test]
    fn valid_headers_are_read_and_others_ignored() {
        let ids = Some((TRACE.to_owned(), "00f067aa0ba902b7".to_owned()));
        let given =
            |version: &str, rest: &str| format!("{version}-{TRACE}-00f067aa0ba902b7-{rest}");
        assert_eq!(trace_of(&[&given("00", "01")]), ids);
        assert_eq!(trace_of(&[&given("cc", "01-further")]), ids);
        let zeros = format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32));
        for invalid in [
            &given("00", "01-further"),
            &given("ff", "01"),
            &given("00", "1"),
            &given("00", "01").to_uppercase(),
            &zeros,
            "",
            "a canary",
        ] {
            assert_eq!(trace_of(&[invalid]), None, "{invalid}");
        }
        assert_eq!(trace_of(&[]), None);
        assert_eq!(trace_of(&[&given("00", "01"), &given("00", "01")]), None);
    }
}
