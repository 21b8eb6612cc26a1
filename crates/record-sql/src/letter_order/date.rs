//! Dates as moments, in nanoseconds: those of [`date_text`], those whose year comes last, and those
//! of logs.

use date_text::MONTHS;

/// Returns the moment at which a date begins.
pub(super) fn moment(text: &str) -> Option<i128> {
    let span = date_text::span(text).filter(|span| !span.is_year);
    span.map(|span| span.first).or_else(|| month_or_quarter(text))
}

/// Returns the moment at which `05/2024`, `05.2024`, `05-2024`, `Q2 2024` or `Q2'24` begins.
fn month_or_quarter(text: &str) -> Option<i128> {
    let at = text.rfind(['/', '.', '-', ' ', '\''])?;
    let (start, mark, year) = (&text[..at], &text[at..=at], &text[at + 1..]);
    (year.len() == 4 || mark == "'").then_some(())?;
    let month = match start.strip_prefix(['Q', 'q']) {
        Some(quarter) => number(quarter, 1).filter(|quarter| (1..5).contains(quarter))? * 3 - 2,
        None => number(start, 2).filter(|_| !" '".contains(mark) && start.len() == 2)?,
    };
    let year = self::year(year).filter(|year| (1900..=2100).contains(year))?;
    date_text::moment([year, month, 1], None)
}

/// Returns true for `05.2024`, which is a number, too.
pub(super) fn is_month_and_year(text: &str) -> bool {
    text.len() == 7 && text.contains('.') && month_or_quarter(text).is_some()
}

/// Returns the moment of `5/14/2025`, `05/14/25 9:30 PM`, `14.05.2025` or `14-05-2025`, or of a
/// date in another form.
pub(super) fn year_last(text: &str, month_first: bool) -> Option<i128> {
    let Some((parts, time)) = parts(text) else { return moment(text) };
    let [first, second, year] = parts;
    // Nobody writes the month before a point.
    if month_first && text.contains('.') && !text.contains(['/', '-']) {
        return None;
    }
    let (month, day) = if month_first { (first, second) } else { (second, first) };
    date_text::moment([year, month, day], time)
}

/// Returns true for a date whose year comes last.
pub(super) fn is_year_last(text: &str) -> bool {
    parts(text).is_some()
}

/// Returns the moment of `14/Feb/2025:10:00:00 +0000`, `14-Feb-25`, `Feb-25` or of a date in another
/// form.
pub(super) fn month_named(text: &str) -> Option<i128> {
    let month = |name: &str| {
        let is_name =
            |of: &str| of[..3].eq_ignore_ascii_case(name) || of.eq_ignore_ascii_case(name);
        u32::try_from(MONTHS.iter().position(|of| is_name(of))? + 1).ok()
    };
    let named = || {
        let (first, rest) = text.split_once(['/', '-', '\''])?;
        if let Some(month) = month(first) {
            return date_text::moment([year(rest)?, month, 1], None);
        }
        let (name, rest) = rest.split_once(['/', '-'])?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let time = rest[digits..].get(1..);
        date_text::moment([year(&rest[..digits])?, month(name)?, number(first, 2)?], time)
    };
    moment(text).or_else(named)
}

/// Returns the numbers of a date whose year comes last, and the time after it.
fn parts(text: &str) -> Option<([u32; 3], Option<&str>)> {
    let text = text.trim();
    let (date, time) = match text.split_once([' ', 'T']) {
        Some((date, time)) => (date.trim_end_matches(','), Some(time)),
        None => (text, None),
    };
    let mut parts = date.split(['/', '.', '-']);
    let [first, second, year] = [parts.next()?, parts.next()?, parts.next()?];
    let is_short = year.len() == 2 && date.contains('/');
    (parts.next().is_none() && (year.len() == 4 || is_short)).then_some(())?;
    Some(([number(first, 2)?, number(second, 2)?, self::year(year)?], time))
}

/// Reads a year of four digits, or of two: those before 70 are of this century.
fn year(digits: &str) -> Option<u32> {
    match (number(digits, 4)?, digits.len()) {
        (short @ ..70, 2) => Some(2_000 + short),
        (short, 2) => Some(1_900 + short),
        (year, 4) => Some(year),
        _ => None,
    }
}

fn number(digits: &str, most: usize) -> Option<u32> {
    let is_number =
        (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_several_forms_are_one_moment() {
        for (found, same) in [
            (year_last("5/14/2025", true), "2025-05-14"),
            (year_last("05/14/25 9:30 PM", true), "2025-05-14T21:30"),
            (year_last("14.05.2025, 09:30:05", false), "2025-05-14 09:30:05"),
            (year_last("2025-05-14", false), "2025-05-14"),
            (month_named("14/May/2025:10:00:00 +0200"), "2025-05-14T08:00:00Z"),
            (month_named("14-May-2025"), "2025-05-14"),
            (month_named("Feb 2025"), "2025-02-01"),
            (month_named("feb-25"), "2025-02-01"),
            (month_named("February/1999"), "1999-02-01"),
            (month_named("31-Dec-24 10:00"), "2024-12-31T10:00"),
            (month_named("05.2024"), "2024-05-01"),
            (month_named("05-2024"), "2024-05-01"),
            (month_named("Q3'24"), "2024-07-01"),
            (year_last("02/31/2025", true), "2025-03-03"),
        ] {
            assert_eq!(found, moment(same), "{same}");
            assert!(found.is_some(), "{same}");
        }
        for other in ["13/14/2025", "05.14.2025", "05/32/2025", "1.2.3", "5/14/2025 soon"] {
            assert_eq!(year_last(other, true), None, "{other}");
        }
    }
}
