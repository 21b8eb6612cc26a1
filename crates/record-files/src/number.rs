//! A number, compared by its exact decimal value: 9007199254740993 is not 9007199254740992,
//! and 1e2 is 100.

use std::{borrow::Cow, cmp::Ordering};

/// A JSON number with its spelling.
#[derive(Clone, Debug)]
pub(super) struct Number<'a> {
    /// The nearest float. Rounding preserves the order, so the digits are compared only if two
    /// floats are equal.
    near: f64,
    text: Cow<'a, str>,
}

impl<'a> Number<'a> {
    /// Reads a valid JSON number.
    pub(super) fn read(text: &'a str) -> Self {
        // Rust parses every JSON number; numbers that are too large become infinite.
        Self { near: text.parse().unwrap_or(0.0), text: Cow::Borrowed(text) }
    }

    /// Returns the number as it was spelled.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the nearest float; infinity if it is too large for one.
    pub(super) fn near(&self) -> f64 {
        self.near
    }

    /// Returns a copy that owns its spelling.
    pub(super) fn into_owned(self) -> Number<'static> {
        Number { near: self.near, text: Cow::Owned(self.text.into_owned()) }
    }

    /// Returns the digits of a whole number of at most 40 digits, so that 17 and 17.0 give the same
    /// text; otherwise the spelling.
    pub(super) fn plain(text: &str) -> Cow<'_, str> {
        let decimal = Decimal::read(text);
        let digits = decimal.digits().count();
        if digits == 0 {
            return Cow::Borrowed("0");
        }
        let Ok(places) = usize::try_from(decimal.point) else { return Cow::Borrowed(text) };
        if places > 40 || places < digits {
            return Cow::Borrowed(text);
        }
        let sign = decimal.negative.then_some('-').into_iter();
        let digits = decimal.digits().map(char::from).chain(std::iter::repeat('0')).take(places);
        Cow::Owned(sign.chain(digits).collect())
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.near.total_cmp(&other.near) {
            // `total_cmp` distinguishes the two zeros, and numbers that round to them.
            Ordering::Less if self.near < other.near => Ordering::Less,
            Ordering::Greater if self.near > other.near => Ordering::Greater,
            _ if self.text == other.text => Ordering::Equal,
            _ => Decimal::read(&self.text).cmp(&Decimal::read(&other.text)),
        }
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number<'_> {}

/// The value 0.DIGITS × 10^point, DIGITS without zeros at either end.
struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    /// Saturates: an exponent of more than 38 digits counts as the largest one.
    point: i128,
}

impl<'a> Decimal<'a> {
    fn read(text: &'a str) -> Self {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut whole = whole.trim_start_matches('0');
        let mut fraction = fraction.trim_end_matches('0');
        let mut point = exponent_of(exponent).saturating_add(length(whole));
        if whole.is_empty() {
            let digits = fraction.trim_start_matches('0');
            point = point.saturating_sub(length(fraction) - length(digits));
            fraction = digits;
        }
        if fraction.is_empty() {
            whole = whole.trim_end_matches('0');
        }
        let zero = whole.is_empty() && fraction.is_empty();
        Self {
            negative: negative && !zero,
            whole: whole.as_bytes(),
            fraction: fraction.as_bytes(),
            point: if zero { i128::MIN } else { point },
        }
    }

    fn digits(&self) -> impl Iterator<Item = u8> + '_ {
        self.whole.iter().chain(self.fraction).copied()
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let size = || self.point.cmp(&other.point).then_with(|| self.digits().cmp(other.digits()));
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => size(),
            (true, true) => size().reverse(),
        }
    }
}

fn length(text: &str) -> i128 {
    // A text is shorter than 2^63 bytes.
    i128::try_from(text.len()).unwrap_or(i128::MAX)
}

fn exponent_of(text: &str) -> i128 {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // Parsing fails only for too many digits. Half of the range is reserved for the digits of the
    // mantissa.
    let size = digits.parse::<i128>().unwrap_or(i128::MAX).min(i128::MAX / 2);
    if negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::{Number, Ordering};

    fn order(a: &str, b: &str) -> Ordering {
        Number::read(a).cmp(&Number::read(b))
    }

    #[test]
    fn equal_is_what_has_the_same_value() {
        for (a, b) in [
            ("1.0", "1"),
            ("1e2", "100"),
            ("0", "-0.000e5"),
            ("120e-1", "12.00"),
            ("0.001", "1e-3"),
            ("1e400", "10E+399"),
            ("1e-400", "0.1e-399"),
            ("1e400", "1e400"),
        ] {
            assert_eq!(order(a, b), Ordering::Equal, "{a} {b}");
            assert_eq!(order(b, a), Ordering::Equal, "{b} {a}");
        }
    }

    #[test]
    fn order_is_exact_beyond_the_floats() {
        for (less, more) in [
            ("9007199254740992", "9007199254740993"),
            ("-9007199254740993", "-9007199254740992"),
            ("1e400", "1e401"),
            ("-1e401", "-1e400"),
            ("0", "1e-400"),
            ("-1e-400", "0"),
            ("-0", "1e-400"),
            ("0.1", "0.10000000000000000000001"),
            ("-1", "1"),
            ("2", "10"),
        ] {
            assert_eq!(order(less, more), Ordering::Less, "{less} {more}");
            assert_eq!(order(more, less), Ordering::Greater, "{more} {less}");
        }
    }

    #[test]
    fn whole_numbers_have_one_plain_spelling() {
        for (spelled, plain) in [
            ("17", "17"),
            ("17.0", "17"),
            ("1e2", "100"),
            ("-5.0", "-5"),
            ("-0", "0"),
            ("1.5", "1.5"),
            ("1e400", "1e400"),
            ("0.0170e3", "17"),
        ] {
            assert_eq!(Number::plain(spelled), plain);
        }
    }

    #[test]
    fn an_endless_exponent_is_bounded() {
        let endless = format!("1e{}", "9".repeat(100_000));
        assert_eq!(order(&endless, "1e400"), Ordering::Greater);
        assert_eq!(order(&format!("0.1e-{}", "9".repeat(50)), "0"), Ordering::Greater);
        assert_eq!(Number::plain(&endless), endless);
    }
}
