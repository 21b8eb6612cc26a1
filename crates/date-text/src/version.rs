//! Versions in texts, and the signs by which they differ from numbers.

/// Reads `13`, `13.1.2` or `v13.1.2` as its parts, without zeros at the end: 13.0 is 13. A part
/// with a leading zero is a code rather than a number.
///
/// ```
/// use date_text::version::parts;
///
/// assert!(parts("v1.9") < parts("1.10"));
/// assert_eq!(parts("0.05"), None);
/// ```
pub fn parts(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    if !text.starts_with(|c: char| c.is_ascii_digit()) || text.len() > 64 {
        return None;
    }
    let part = |part: &str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'));
        if is_number { part.parse().ok() } else { None }
    };
    let mut parts: Vec<u64> = text.split('.').map(part).collect::<Option<_>>()?;
    while parts.len() > 1 && parts.last() == Some(&0) {
        parts.pop();
    }
    Some(parts)
}

/// The fractions of texts, which tell versions from numbers if the texts are both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fractions {
    /// One has one digit: `1.9`.
    one_digit: bool,
    /// A longer one ends with a zero: `1.10`.
    ends_with_zero: bool,
}

impl Fractions {
    /// Adds the fraction of a text.
    pub fn add(&mut self, text: &str) {
        if let Some((_, fraction)) = text.trim().split_once('.') {
            self.one_digit |= fraction.len() == 1;
            self.ends_with_zero |= fraction.len() > 1 && fraction.ends_with('0');
        }
    }

    /// Adds the fractions of further texts.
    pub fn merge(&mut self, other: Self) {
        self.one_digit |= other.one_digit;
        self.ends_with_zero |= other.ends_with_zero;
    }

    /// Returns true for `1.9` next to `1.10`: who writes numbers writes zeros at the end always or
    /// never.
    pub fn are_of_versions(self) -> bool {
        self.one_digit && self.ends_with_zero
    }
}
