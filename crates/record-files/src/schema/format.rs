//! The JSON Schema formats that all strings of a field share, and texts that look like dates. Each
//! test is at least as strict as that of a validator.

/// The formats that all strings so far have, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Formats(u8);

const DATE_TIME: u8 = 1;
const DATE: u8 = 2;
const UUID: u8 = 4;
const URI: u8 = 8;
const EMAIL: u8 = 16;
/// Texts that begin with year, month and day in this order, so that their order is chronological.
const DATE_LIKE: u8 = 32;

/// Returns true if a text has a format.
type Test = fn(&str) -> bool;

/// Maximum length of a text that can have a format, in bytes.
const MAX_BYTES: usize = 2048;

impl Default for Formats {
    fn default() -> Self {
        Self(DATE_TIME | DATE | UUID | URI | EMAIL | DATE_LIKE)
    }
}

impl Formats {
    /// Returns false if no format is left.
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    /// Removes the formats that `text` does not have.
    pub(crate) fn narrow(&mut self, text: &str) {
        if text.len() > MAX_BYTES {
            self.0 = 0;
            return;
        }
        let tests: [(u8, Test); 6] = [
            (DATE_TIME, is_date_time),
            (DATE, is_date),
            (UUID, is_uuid),
            (URI, is_uri),
            (EMAIL, is_email),
            (DATE_LIKE, is_date_like),
        ];
        for (bit, test) in tests {
            if self.0 & bit != 0 && !test(text) {
                self.0 &= !bit;
            }
        }
    }

    /// Returns the name of the format in JSON Schema.
    pub(crate) fn name(self) -> Option<&'static str> {
        let names = [
            (DATE_TIME, "date-time"),
            (DATE, "date"),
            (UUID, "uuid"),
            (URI, "uri"),
            (EMAIL, "email"),
        ];
        names.into_iter().find(|(bit, _)| self.0 & bit != 0).map(|(_, name)| name)
    }

    /// Returns true if the order of the texts is chronological.
    pub(crate) fn date_like(self) -> bool {
        self.0 & DATE_LIKE != 0
    }
}

fn number(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0'))
    })
}

fn is_date_like(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(&[a, b, c, d, first, m, n, second, x, y]) = bytes.first_chunk::<10>() else {
        return false;
    };
    bytes.len() <= 40
        && first == second
        && matches!(first, b'-' | b'/' | b'.')
        && number(&[a, b, c, d]).is_some()
        && number(&[m, n]).is_some_and(|month| (1..=12).contains(&month))
        && number(&[x, y]).is_some_and(|day| (1..=31).contains(&day))
        && bytes.get(10).is_none_or(|next| !next.is_ascii_digit())
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && has_date(text.as_bytes())
}

/// Returns true if the bytes begin with a valid date.
fn has_date(bytes: &[u8]) -> bool {
    let Some(&[a, b, c, d, b'-', m, n, b'-', x, y]) = bytes.first_chunk::<10>() else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) =
        (number(&[a, b, c, d]), number(&[m, n]), number(&[x, y]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    has_date(bytes) && bytes.get(10) == Some(&b'T') && is_time(&bytes[11..])
}

fn is_time(bytes: &[u8]) -> bool {
    let Some(&[h, i, b':', m, n, b':', s, t]) = bytes.first_chunk::<8>() else { return false };
    let below = |pair: [u8; 2], end| number(&pair).is_some_and(|value| value < end);
    if !(below([h, i], 24) && below([m, n], 60) && below([s, t], 60)) {
        return false;
    }
    let mut zone = &bytes[8..];
    if let Some(fraction) = zone.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > 9 {
            return false;
        }
        zone = &fraction[digits..];
    }
    match zone {
        [b'Z'] => true,
        [b'+' | b'-', h, i, b':', m, n] => below([*h, *i], 24) && below([*m, *n], 60),
        _ => false,
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let (host, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        && !name.is_empty()
        && name.bytes().all(plain)
        && port.len() <= 5
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && tail.bytes().filter(|byte| *byte == b'#').count() <= 1
        && tail.bytes().all(|b| plain(b) || b"%!$&'()*+,;=:@/?#".contains(&b))
        && escapes_are_whole(tail.as_bytes())
}

fn escapes_are_whole(bytes: &[u8]) -> bool {
    let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    memchr::memchr_iter(b'%', bytes).all(|at| hex(at + 1) && hex(at + 2))
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let dotted = |part: &str, extra: &[u8]| {
        part.split('.').all(|label| {
            !label.is_empty()
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || extra.contains(&b))
        })
    };
    let edges = |label: &str| !label.starts_with('-') && !label.ends_with('-') && label.len() < 64;
    local.len() <= 64
        && domain.len() <= 253
        && dotted(local, b"_+-")
        && dotted(domain, b"-")
        && domain.contains('.')
        && domain.split('.').all(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(texts: &[&str]) -> (Option<&'static str>, bool) {
        let mut formats = Formats::default();
        texts.iter().for_each(|text| formats.narrow(text));
        (formats.name(), formats.date_like())
    }

    #[test]
    fn a_format_holds_when_every_text_has_it() {
        assert_eq!(
            format(&["2024-02-29T23:59:59Z", "2025-01-01T00:00:00.5+02:00"]),
            (Some("date-time"), true)
        );
        assert_eq!(format(&["2024-02-29", "1999-12-31"]), (Some("date"), true));
        assert_eq!(format(&["12c6b6cf-fd04-417e-90cf-bed0ceb9d159"]), (Some("uuid"), false));
        assert_eq!(format(&["https://a.b:80/c?d=%20#e"]), (Some("uri"), false));
        assert_eq!(format(&["a.b+c@d-e.org"]), (Some("email"), false));
    }

    #[test]
    fn what_merely_looks_like_it_has_none() {
        for text in [
            "2023-02-29",
            "2024-13-01",
            "http://",
            "http://a b",
            "a@b",
            "@b.c",
            "",
            "12c6b6cf",
            "http://a/%2",
            "mailto:a",
            "a@-b.c",
            "été@b.c",
        ] {
            assert_eq!(format(&[text]).0, None, "{text}");
        }
        assert_eq!(format(&["2024-05-02", "later"]), (None, false));
        assert_eq!(format(&[&"9".repeat(10_000)]), (None, false));
    }

    #[test]
    fn dates_without_a_zone_are_date_like() {
        assert_eq!(format(&["2001/01/01 06:55", "2001/03/31 18:55"]), (None, true));
        assert_eq!(format(&["2024-05-02T03:10:19"]), (None, true));
        assert_eq!(format(&["2001/01-01"]), (None, false));
    }
}
