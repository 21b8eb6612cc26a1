//! Numbers as they are spelled: which of two is larger, exactly. A float of 64
//! bits would make 2^53 and 2^53 + 1 equal and 1e400 infinite.

use std::cmp::Ordering;

/// How many numbers of a field are remembered to know what is typical of it.
const SAMPLE: usize = 128;

/// The numbers of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    ends: Option<(End, End)>,
    sample: Vec<f64>,
    stride: u64,
    seen: u64,
}

#[derive(Debug, Clone)]
struct End {
    near: f64,
    spelled: Box<str>,
}

impl Numbers {
    pub(crate) fn add(&mut self, spelled: &str) {
        let Ok(near) = spelled.parse::<f64>() else { return };
        self.remember(near);
        let Some((least, most)) = &mut self.ends else {
            let end = End { near, spelled: spelled.into() };
            self.ends = Some((end.clone(), end));
            return;
        };
        // Rounding never swaps two numbers, so only equal floats need digits.
        if near < least.near
            || (near == least.near && compare(spelled, &least.spelled) == Ordering::Less)
        {
            *least = End { near, spelled: spelled.into() };
        }
        if near > most.near
            || (near == most.near && compare(spelled, &most.spelled) == Ordering::Greater)
        {
            *most = End { near, spelled: spelled.into() };
        }
    }

    /// Keeps every n-th number, n growing so that the sample stays small.
    fn remember(&mut self, near: f64) {
        let stride = self.stride.max(1);
        if self.seen.is_multiple_of(stride) {
            self.sample.push(near);
        }
        self.seen += 1;
        if self.sample.len() >= SAMPLE {
            let mut nth = 0;
            self.sample.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.stride = stride * 2;
        }
    }

    /// The least and the greatest, as spelled.
    pub(crate) fn ends(&self) -> Option<(&str, &str)> {
        let (least, most) = self.ends.as_ref()?;
        Some((&least.spelled, &most.spelled))
    }

    /// A number that about a quarter of them reach; none where it would have no
    /// short spelling.
    pub(crate) fn upper_quarter(&self) -> Option<f64> {
        let mut sorted = self.sample.clone();
        sorted.sort_by(f64::total_cmp);
        let at = *sorted.get(sorted.len() * 3 / 4)?;
        (at == 0.0 || (1e-6..1e15).contains(&at.abs())).then_some(at)
    }
}

/// Compares two JSON numbers by value.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (Decimal::of(a), Decimal::of(b));
    match (a.negative, b.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => a.magnitude(&b),
        (true, true) => b.magnitude(&a),
    }
}

/// `0.d1d2d3… × 10^point`; zero has no digits.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    fn of(spelled: &str) -> Self {
        let (sign, rest) = match spelled.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, spelled),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        let leading = all().take_while(|digit| *digit == b'0').count();
        let mut digits: Vec<u8> = all().skip(leading).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let length = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let point = parse_exponent(exponent)
            .saturating_add(length(whole.len()))
            .saturating_sub(length(leading));
        let zero = digits.is_empty();
        Self { negative: sign && !zero, digits, point: if zero { i64::MIN } else { point } }
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits))
    }
}

fn parse_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = digits
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0_i64, |size, digit| size.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    if negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value_and_not_through_a_float() {
        for (a, b) in [
            ("9007199254740992", "9007199254740993"),
            ("1e400", "1e401"),
            ("-1e401", "-1e400"),
            ("-1", "0"),
            ("0.1", "0.10000000000000000001"),
            ("1e-400", "1e-399"),
            ("0", "1e-999"),
            ("99", "1e2000000000000000000000"),
        ] {
            assert_eq!(compare(a, b), Ordering::Less, "{a} < {b}");
            assert_eq!(compare(b, a), Ordering::Greater, "{b} > {a}");
        }
        for (a, b) in [("1.0", "1"), ("1e2", "100"), ("-0", "0"), ("0e99", "0"), ("1.50E+1", "15")]
        {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} = {b}");
        }
    }

    #[test]
    fn the_ends_are_kept_as_spelled() {
        let mut numbers = Numbers::default();
        for spelled in ["1.10", "9007199254740993", "9007199254740992", "1e400", "-0.50"] {
            numbers.add(spelled);
        }
        assert_eq!(numbers.ends(), Some(("-0.50", "1e400")));
    }

    #[test]
    fn the_upper_quarter_is_reached_by_some_and_not_by_most() {
        let mut numbers = Numbers::default();
        (0..10_000).for_each(|n: u32| numbers.add(&n.to_string()));
        let at = numbers.upper_quarter().expect("there are numbers");
        assert!((6_500.0..8_500.0).contains(&at), "{at}");
        assert!(numbers.sample.len() <= SAMPLE);
    }
}
