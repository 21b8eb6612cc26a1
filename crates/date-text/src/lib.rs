//! Parses dates in texts as time spans: a month or a day is a span, a time is an instant. A time
//! without a zone is UTC. [`version`] parses versions, [`written_number`] parses numbers as people
//! write them, and [`words`] puts words into the order of their lists.

pub mod version;
pub mod words;
pub mod written_number;

/// Nanoseconds in a day.
const DAY: i128 = 86_400 * 1_000_000_000;
/// The start of 1970, in nanoseconds since the year 0.
const EPOCH: i128 = 719_528 * DAY;
/// Maximum length of a text that is parsed as a date, in bytes.
const MAX_BYTES: usize = 48;
/// The English names of the months. Their first three letters are also accepted.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] =
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A time span: its first and last nanosecond since the year 0, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first nanosecond.
    pub first: i128,
    /// The last nanosecond.
    pub last: i128,
    /// True for a text with only a year, which in a record is a number rather than a date.
    pub is_year: bool,
}

impl Span {
    /// Returns the start in seconds since 1970, to the millisecond.
    pub fn seconds(&self) -> f64 {
        let millis = (self.first - EPOCH).div_euclid(1_000_000);
        // A span is between the years 0 and 9999, so 53 bits hold its milliseconds.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let millis = millis as f64;
        millis / 1_000.0
    }
}

/// Parses `2025`, `2025-05`, `2025-05-14`, each also with `/` or `.`; a day with a time and an
/// optional zone (`2025-05-14T10:00:00.5+02:00`, `20250514T100000Z`, `2025-05-14 9:30 PM`); and
/// dates with an English month: `May 2025`, `14 May 2025`, `Wed, 14 May 2025 10:00:00 GMT`. Returns
/// `None` for any other text.
///
/// ```
/// let zones = ["2025-05-14T12:00:00+0200", "14 May 2025 10:00 GMT"];
/// assert_eq!(date_text::span(zones[0]), date_text::span(zones[1]));
/// assert_eq!(date_text::span("2025-05-14").unwrap().seconds(), 1_747_180_800.0);
/// ```
pub fn span(text: &str) -> Option<Span> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES || !text.is_ascii() {
        return None;
    }
    if text.as_bytes()[0].is_ascii_digit()
        && let Some(span) = numeric(text)
    {
        return Some(span);
    }
    named(text)
}

/// Returns the first nanosecond, since the year 0, of a time on a day, or of the day. Accepts any
/// day up to 31, even if the month has fewer days.
///
/// ```
/// let day = date_text::moment([2025, 5, 14], Some("9:30 PM"));
/// assert_eq!(day, date_text::span("2025-05-14T21:30").map(|span| span.first));
/// ```
pub fn moment([year, month, day]: [u32; 3], clock: Option<&str>) -> Option<i128> {
    (1..32).contains(&day).then_some(())?;
    let clock = match clock {
        Some(clock) if clock.is_ascii() => time(clock)?,
        Some(_) => return None,
        None => 0,
    };
    Some(i128::from(days_before(year, month, day)?) * DAY + clock)
}

/// A date. Parts that are not given are `None`.
#[derive(Default)]
struct Date {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
}

impl Date {
    fn span(&self) -> Option<Span> {
        let year = self.year?;
        let (first, days) = match (self.month, self.day) {
            (None, None) => (days_before(year, 1, 1)?, 365 + u32::from(is_leap(year))),
            (None, Some(_)) => return None,
            (Some(month), None) => (days_before(year, month, 1)?, month_days(year, month)?),
            (Some(month), Some(day)) => {
                if !(1..=month_days(year, month)?).contains(&day) {
                    return None;
                }
                (days_before(year, month, day)?, 1)
            }
        };
        let first = i128::from(first) * DAY;
        let is_year = self.month.is_none();
        Some(Span { first, last: first + i128::from(days) * DAY - 1, is_year })
    }

    /// Returns the instant of a time on this day; `None` if the day is not given.
    fn at(&self, time: i128) -> Option<Span> {
        self.day?;
        let at = self.span()?.first + time;
        Some(Span { first: at, last: at, is_year: false })
    }
}

fn numeric(text: &str) -> Option<Span> {
    if let Some((day, clock)) = text.split_once('T').filter(|(day, _)| day.len() == 8) {
        return compact(day, clock);
    }
    let year = text.get(..4)?;
    let mut date = Date { year: Some(number(year)?), ..Date::default() };
    let mut rest = &text[4..];
    let separator = rest.bytes().next();
    for part in [&mut date.month, &mut date.day] {
        let Some(separator) = separator.filter(|byte| b"-/.".contains(byte)) else { break };
        let Some(behind) = rest.strip_prefix(char::from(separator)) else { break };
        *part = Some(number(behind.get(..2)?)?);
        rest = &behind[2..];
    }
    if rest.is_empty() {
        return date.span();
    }
    date.at(time(rest.strip_prefix(['T', 't', ' '])?.trim_start())?)
}

/// Parses `20250514` with `100000` or `1000` and an optional zone.
fn compact(day: &str, clock: &str) -> Option<Span> {
    let part = |from, to| number(day.get(from..to)?);
    let date = Date { year: Some(part(0, 4)?), month: Some(part(4, 6)?), day: Some(part(6, 8)?) };
    let end = clock.find(|c: char| !c.is_ascii_digit()).unwrap_or(clock.len());
    let (digits, zone) = clock.split_at(end);
    let clock = match digits.len() {
        4 => format!("{}:{}{zone}", &digits[..2], &digits[2..]),
        6 => format!("{}:{}:{}{zone}", &digits[..2], &digits[2..4], &digits[4..]),
        _ => return None,
    };
    date.at(time(&clock)?)
}

/// Parses a date whose month is a word, with its parts in any order.
fn named(text: &str) -> Option<Span> {
    let (mut date, mut clock, mut zone) = (Date::default(), None, String::new());
    for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
        let word = part.trim_end_matches('.').to_ascii_lowercase();
        let is_name = |name: &&str| word.len() >= 3 && name.starts_with(word.as_str());
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if let Some((_, month)) = MONTHS.iter().zip(1..).find(|(month, _)| is_name(month)) {
            date.month = date.month.xor(Some(month));
        } else if WEEKDAYS.iter().any(is_name) {
        } else if part.contains(':') && part.as_bytes()[0].is_ascii_digit() {
            clock = clock.xor(Some(part));
        } else if matches!(word.as_str(), "am" | "pm" | "gmt" | "utc" | "z")
            || part.starts_with(['+', '-'])
        {
            zone.push_str(part);
        } else if part.len() == 4 && number(part).is_some() {
            date.year = date.year.xor(number(part));
        } else if matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th") {
            date.day = date.day.xor(Some(number(digits).filter(|day| *day < 32)?));
        } else {
            return None;
        }
    }
    date.month?;
    match clock {
        Some(clock) => date.at(time(&format!("{clock}{zone}"))?),
        None => date.span(),
    }
}

/// Parses a time with its zone; returns nanoseconds since midnight UTC.
fn time(text: &str) -> Option<i128> {
    let (hours, text) = text.split_once(':')?;
    let (minutes, seconds, rest) = match text.as_bytes() {
        [m, n, b':', s, t, ..] => ([m, n], [s, t], &text[5..]),
        [m, n, ..] => ([m, n], [&b'0'; 2], &text[2..]),
        _ => return None,
    };
    let hours = match hours.as_bytes() {
        [h, i] => [h, i],
        [i] => [&b'0', i],
        _ => return None,
    };
    let below = |[tens, ones]: [&u8; 2], limit| {
        let digit = |byte: &u8| char::from(*byte).to_digit(10);
        Some(digit(tens)? * 10 + digit(ones)?).filter(|number| *number < limit)
    };
    let (hours, minutes) = (below(hours, 25)?, below(minutes, 60)?);
    let seconds = below(seconds, 61)?;
    let fraction = rest.strip_prefix(['.', ',']);
    let zone = fraction
        .unwrap_or(rest)
        .trim_start_matches(|c: char| fraction.is_some() && c.is_ascii_digit());
    let (half, zone) = half_of_day(zone.trim());
    let hours = match half {
        // 24:00 is midnight at the end of the day.
        None if hours == 24 => Some(24).filter(|_| minutes + seconds == 0),
        None => Some(hours),
        Some(half) => Some(hours % 12 + half).filter(|_| (1..=12).contains(&hours)),
    };
    let seconds = hours? * 3_600 + minutes * 60 + seconds;
    let (mut nanos, mut unit) = (0, 100_000_000);
    for digit in fraction.unwrap_or_default().chars().map_while(|c| c.to_digit(10)).take(9) {
        nanos += i128::from(digit) * unit;
        unit /= 10;
    }
    Some((i128::from(seconds) - offset(zone)?) * 1_000_000_000 + nanos)
}

/// Splits `AM` or `PM` from the text after a time. Returns the hours before this half of the day,
/// and the rest.
fn half_of_day(text: &str) -> (Option<u32>, &str) {
    let halves = [("am", 0), ("pm", 12)];
    let found = halves
        .into_iter()
        .find(|(name, _)| text.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(name)));
    match found {
        Some((_, hours)) => (Some(hours), text[2..].trim_start()),
        None => (None, text),
    }
}

/// Parses a zone; returns its offset in seconds ahead of UTC. A zone name in brackets may follow.
fn offset(zone: &str) -> Option<i128> {
    let named = zone.strip_suffix(']').and_then(|zone| zone.split_once('['));
    let zone = match named {
        Some(("", _)) => return None,
        Some((zone, _)) => zone,
        None => zone,
    };
    if zone.is_empty() || ["z", "utc", "gmt"].iter().any(|utc| zone.eq_ignore_ascii_case(utc)) {
        return Some(0);
    }
    let (sign, rest) = match zone.as_bytes()[0] {
        b'+' => (1, &zone[1..]),
        b'-' => (-1, &zone[1..]),
        _ => return None,
    };
    let hours = number(rest.get(..2)?).filter(|hours| *hours < 24)?;
    let minutes = match rest[2..].trim_start_matches(':') {
        "" => 0,
        minutes => number(minutes).filter(|n| minutes.len() == 2 && *n < 60)?,
    };
    Some(sign * i128::from(hours * 3_600 + minutes * 60))
}

fn number(digits: &str) -> Option<u32> {
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if all { digits.parse().ok() } else { None }
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// Returns the number of days in a month; `None` if there is no such month.
fn month_days(year: u32, month: u32) -> Option<u32> {
    match month {
        2 => Some(28 + u32::from(is_leap(year))),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

/// Returns the number of days from the first day of year 0 to a day; `None` if there is no such
/// month.
fn days_before(year: u32, month: u32, day: u32) -> Option<u32> {
    const BEFORE: [u32; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let before = BEFORE.get(month.checked_sub(1)? as usize)?;
    // Leap days of the years before this one. Year 0 is a leap year.
    let past = year.checked_sub(1).map_or(0, |past| past / 4 - past / 100 + past / 400 + 1);
    let leap_day = u32::from(is_leap(year) && month > 2);
    Some(year * 365 + past + before + leap_day + day - 1)
}

#[cfg(test)]
mod tests {
    use super::{DAY, MAX_BYTES, Span, span};

    fn days(text: &str) -> i128 {
        let Span { first, last, .. } = span(text).unwrap();
        (last - first + 1) / DAY
    }

    #[test]
    fn a_date_is_as_long_as_it_is() {
        for (text, length) in [
            ("2024", 366),
            ("2025", 365),
            ("2024-02", 29),
            ("2100/02", 28),
            ("May 2025", 31),
            ("sept. 2025", 30),
            ("2025-05-14", 1),
            ("2025.05.14", 1),
            ("14 May 2025", 1),
            ("May 14th, 2025", 1),
            ("Wed, 14 May 2025", 1),
        ] {
            assert_eq!(days(text), length, "{text}");
        }
        assert_eq!(span("2025-05-14"), span("May 14, 2025"));
        assert_eq!(span("2025-01-01").unwrap().first, span("2024-12-31").unwrap().last + 1);
        assert_eq!(span("2000-03-01").unwrap().first, span("2000-02-29").unwrap().last + 1);
        assert_eq!(span("1970-01-01").unwrap().first, 719_528 * DAY);
    }

    #[test]
    fn an_instant_is_the_same_in_every_zone() {
        let utc = span("2025-05-14T10:00:00Z").unwrap();
        assert_eq!(utc.first, utc.last);
        for same in [
            "2025-05-14 10:00",
            "2025-05-14T12:00:00+02:00",
            "2025-05-14T03:00:00.000-0700",
            "2025/05/14 10:00:00 UTC",
            "Wed, 14 May 2025 10:00:00 GMT",
            "Wed May 14 12:00:00 +0200 2025",
            "2025-05-14 10:00:00 +0000",
            "2025-05-14 12:00:00+02",
            "2025-05-14 10:00 AM",
            "14 May 2025 10:00 am",
            "20250514T100000Z",
            "20250514T1200+0200",
            "2025-05-14T12:00:00+02:00[Europe/Paris]",
        ] {
            assert_eq!(span(same), Some(utc), "{same}");
        }
        assert_eq!(span("2025-05-14T24:00:00Z"), span("2025-05-15 0:00"));
        assert_eq!(span("2025-05-14 12:30 pm"), span("2025-05-14T12:30"));
        assert_eq!(span("2025-05-14T10:00:00.25Z").unwrap().seconds(), 1_747_216_800.25);
        assert_eq!(span("2025-05-14T10:00:00.25Z").unwrap().first - utc.first, 250_000_000);
    }

    #[test]
    fn a_text_that_is_no_date_has_no_span() {
        for text in [
            "",
            "13",
            "20250514",
            "2025-13",
            "2025-02-29",
            "2025-5-4",
            "2025-05-14T25:00",
            "2025-05T10:00",
            "14",
            "May",
            "May 5",
            "31 June 2025",
            "may be 2025",
            "2025-05-14x",
            "2025-05-14T10",
            "2025-05-14T24:01",
            "2025-05-14 13:00 PM",
            "2025-05-14 0:30 AM",
            "2025-05-14T10:00[Europe/Paris]",
            "20251314T1000",
            "2025-05-14T10:00:00 PST",
            "2025-05-14T10:00:00+24:00",
            "2025-05-14T10:00:00+02:60",
            "1.2.3",
            "é",
            "May May 2025",
        ] {
            assert_eq!(span(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_no_date() {
        let of_bytes = |bytes| format!("2025-05-14T10:00:00Z[{:a<1$}]", "", bytes - 22);
        assert!(span(&of_bytes(MAX_BYTES)).is_some());
        assert!((MAX_BYTES + 1..MAX_BYTES + 9).all(|bytes| span(&of_bytes(bytes)).is_none()));
    }
}
