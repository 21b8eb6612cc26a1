//! Texts part by part: letters as letters, and the numbers between them as numbers.

use std::borrow::Cow;
use std::cmp::Ordering;

/// The longest number with parted thousands, in bytes.
const MAX_GROUPED: usize = 40;

/// A part of a text. A number comes before letters.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Part<'a> {
    Number(f64),
    Letters(&'a str),
}

impl Part<'_> {
    /// Returns a number; None for letters.
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Letters(_) => None,
        }
    }
}

/// The parts of a text.
#[derive(Clone, Debug)]
pub(super) struct Parts<'a> {
    rest: &'a str,
    is_first: bool,
    /// A number after a point is a part of a version.
    behind_point: bool,
}

/// Returns the parts of a text: `PAY-1,200.5` has `PAY-` and 1200.5.
pub(super) fn parts(text: &str) -> Parts<'_> {
    Parts { rest: text, is_first: true, behind_point: false }
}

/// Compares two texts part by part, from the last letter before their first difference.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let is_letter = |b: &u8| b.is_ascii() && !b.is_ascii_digit() && !b",.'".contains(b);
    let start = a.as_bytes()[..same].iter().rposition(is_letter).unwrap_or(0);
    parts(&a[start..]).partial_cmp(parts(&b[start..])).unwrap_or(Ordering::Equal)
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let Self { rest, is_first, behind_point } = self;
        (!rest.is_empty()).then_some(())?;
        let is_first = std::mem::take(is_first);
        let letters = rest.bytes().position(|b| b.is_ascii_digit()).unwrap_or(rest.len());
        if letters > 0 {
            let (letters, behind) = rest.split_at(letters);
            *behind_point = !is_first && letters == ".";
            *rest = behind;
            return Some(Part::Letters(letters));
        }
        let whole = grouped(rest).unwrap_or_else(|| digits(rest));
        let fraction = if *behind_point { 0 } else { fraction(&rest[whole..]) };
        let (number, behind) = rest.split_at(whole + fraction);
        *rest = behind;
        Some(Part::Number(value(number)))
    }
}

/// Returns the value of digits, perhaps with parted thousands and a fraction.
fn value(number: &str) -> f64 {
    if number.len() < 10 && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.bytes().fold(0, |all, digit| all * 10 + u32::from(digit - b'0')).into();
    }
    let number: Cow<'_, str> = match number.contains([',', '\'']) {
        true => number.replace([',', '\''], "").into(),
        false => number.into(),
    };
    number.parse().unwrap_or(f64::INFINITY)
}

/// Returns the length of the digits at the start.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the length of a number at the start whose thousands are parted: `1,200`, `1'200`,
/// `1,00,000`.
fn grouped(text: &str) -> Option<usize> {
    let length = text
        .bytes()
        .take(MAX_GROUPED)
        .take_while(|byte| byte.is_ascii_digit() || b",'".contains(byte))
        .count();
    let number = text[..length].trim_end_matches([',', '\'']);
    let mut groups = number.split([',', '\'']).map(str::len);
    let is_one = groups.next().is_some_and(|first| (1..=3).contains(&first))
        && groups.clone().next_back() == Some(3)
        && groups.all(|group| matches!(group, 2 | 3));
    is_one.then_some(number.len())
}

/// Returns the length of a fraction with its point; 0 for the next part of a version.
fn fraction(text: &str) -> usize {
    let Some(behind) = text.strip_prefix('.') else { return 0 };
    let length = digits(behind);
    let is_part = behind[length..].strip_prefix('.').is_some_and(|next| digits(next) > 0);
    if length == 0 || is_part { 0 } else { length + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_the_same_need_not_be_compared(
            start in "[0-9a,.'é -]{0,6}", a in "[0-9a,.'é -]{0,4}", b in "[0-9a,.'é -]{0,4}",
        ) {
            let (a, b) = (format!("{start}{a}"), format!("{start}{b}"));
            let whole = parts(&a).partial_cmp(parts(&b));
            prop_assert_eq!(Some(compare(&a, &b)), whole, "{:?} {:?}", a, b);
        }
    }

    fn shown(text: &str) -> String {
        let show = |part| match part {
            Part::Number(number) => format!("{number}"),
            Part::Letters(letters) => format!("<{letters}>"),
        };
        parts(text).map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_stand_between_letters() {
        for (text, parts) in [
            ("PAY-100", "<PAY-> 100"),
            ("PT1H30M", "<PT> 1 <H> 30 <M>"),
            ("(1,200)", "<(> 1200 <)>"),
            ("1,00,000円", "100000 <円>"),
            ("CHF 10'000.50", "<CHF > 10000.5"),
            ("a 0.25, b 1.5.", "<a > 0.25 <, b > 1.5 <.>"),
            ("5.15.0-9", "5 <.> 15 <.> 0 <-> 9"),
            ("1,5,12", "1 <,> 5 <,> 12"),
            ("é", "<é>"),
        ] {
            assert_eq!(shown(text), parts, "{text}");
        }
    }
}
