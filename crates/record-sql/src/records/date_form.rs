//! The spelling of dates that SQLite reads, and whether all of a column have the same one.

use crate::records::profile::is_date;

/// The spelling of a date: dates of one form are ordered by their letters as by time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateForm {
    length: usize,
    separator: Option<u8>,
    /// `Z`, an offset such as `+02:00`, or nothing.
    zone: String,
}

impl DateForm {
    /// Returns true for a date without a time.
    pub(crate) fn is_day(&self) -> bool {
        self.separator.is_none()
    }

    /// Returns the form of `2025-05-14`, perhaps with a time and a zone; None for another text.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (date, rest) = bytes.split_at_checked(10)?;
        let within = |from: usize, most: u8| {
            let [tens, ones] = [bytes[from], bytes[from + 1]].map(|digit| digit.wrapping_sub(b'0'));
            tens < 10 && ones < 10 && tens * 10 + ones <= most
        };
        if !is_date(date) || !has_day(text) {
            return None;
        }
        let Some(separator) = rest.first().copied() else {
            return Some(Self { length: 10, separator: None, zone: String::new() });
        };
        let colon = |at: usize| bytes.get(at) == Some(&b':') && bytes.len() > at + 2;
        if !matches!(separator, b'T' | b' ') || !colon(13) || !within(11, 23) || !within(14, 59) {
            return None;
        }
        let mut end = 16;
        if colon(16) {
            if !within(17, 59) {
                return None;
            }
            end = 19;
            if bytes.get(end) == Some(&b'.') {
                let digits = bytes[end + 1..].iter().take_while(|byte| byte.is_ascii_digit());
                end += 1 + digits.count();
            }
        }
        let zone = text.get(end..)?;
        let is_offset = zone.len() == 6
            && zone.starts_with(['+', '-'])
            && zone.bytes().enumerate().skip(1).all(|(at, byte)| match at {
                3 => byte == b':',
                _ => byte.is_ascii_digit(),
            });
        let is_known = zone.is_empty() || zone == "Z" || is_offset;
        is_known.then(|| Self {
            length: text.len(),
            separator: Some(separator),
            zone: zone.to_owned(),
        })
    }
}

/// Returns false for a text that begins with a date whose day its month does not have, which SQLite
/// reads as one of the next month: `2026-02-30`.
pub(crate) fn has_day(text: &str) -> bool {
    let day = text.get(..10).filter(|day| is_date(day.as_bytes()));
    day.is_none_or(|day| date_text::span(day).is_some())
}

/// The forms of the texts of a column.
#[derive(Clone, Debug, Default)]
pub(crate) struct DateForms {
    /// The form of all texts so far.
    first: Option<DateForm>,
    /// A text has another form.
    differ: bool,
    /// A text is no date that SQLite reads.
    others: bool,
}

impl DateForms {
    pub(crate) fn add(&mut self, text: &str) {
        // Nothing more is to be known.
        if self.others {
            return;
        }
        match DateForm::of(text) {
            Some(form) => self.join(form),
            None => self.others = true,
        }
    }

    fn join(&mut self, form: DateForm) {
        match &self.first {
            Some(first) => self.differ |= *first != form,
            None => self.first = Some(form),
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.others |= other.others;
        self.differ |= other.differ;
        other.first.into_iter().for_each(|form| self.join(form));
    }

    /// Returns true if SQLite reads every text as a date.
    pub(crate) fn are_read(&self) -> bool {
        self.first.is_some() && !self.others
    }

    /// Returns the form of all texts; None if there are several.
    pub(crate) fn one(&self) -> Option<&DateForm> {
        self.first.as_ref().filter(|_| !self.others && !self.differ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(texts: &[&str]) -> DateForms {
        let mut forms = DateForms::default();
        texts.iter().for_each(|text| forms.add(text));
        forms
    }

    #[test]
    fn dates_that_sqlite_reads() {
        for text in [
            "2025-05-14",
            "2025-05-14 10:00",
            "2025-05-14T10:00:00.123456Z",
            "2025-05-14T10:00:00-07:00",
        ] {
            assert!(forms(&[text]).are_read(), "{text}");
        }
        for text in [
            "",
            "2025-13-14",
            "2025-02-29",
            "2025-05-14 10:00:00 UTC",
            "2025-05-14T10:00:00+0200",
            "2025-05-14T24:00:00Z",
            "2025-05-14 10:00 PM",
            "2025-05-14T10:00:0",
            "2025/05/14",
            "2025-05-1é",
        ] {
            assert!(!forms(&[text]).are_read(), "{text}");
        }
    }

    #[test]
    fn dates_of_one_form_are_ordered_as_text() {
        assert!(forms(&["2025-05-14", "2024-01-01"]).one().is_some());
        for other in ["2025-05-14", "2025-05-14T10:00:00+02:00", "2025-05-14 10:00:00Z", "n/a"] {
            assert_eq!(forms(&["2025-05-14T10:00:00Z", other]).one(), None, "{other}");
        }
        let mut all = forms(&["2025-05-14"]);
        all.append(forms(&["2025-05-15"]));
        assert!(all.one().is_some());
        all.append(forms(&["2025-05-15 10:00"]));
        assert!(all.one().is_none() && all.are_read());
    }
}
