//! Parses versions in texts, and distinguishes versions from decimal numbers.

/// A version. The order compares part by part; a pre-release precedes its release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The numeric parts, without trailing zeros: 13.0 is 13.
    parts: Vec<u64>,
    stage: Stage,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Stage {
    /// `beta.1`
    Before(Vec<Identifier>),
    Release,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Identifier {
    Number(u64),
    Word(String),
}

impl Version {
    /// Parses `13`, `13.1.2`, `v13.1.2` or `13.1.2-beta.1`. Rejects a part with a leading zero,
    /// which is a code rather than a number.
    ///
    /// ```
    /// use date_text::version::Version;
    ///
    /// assert!(Version::read("v1.9") < Version::read("1.10-rc.1"));
    /// assert!(Version::read("1.10-rc.1") < Version::read("1.10.0"));
    /// assert_eq!(Version::read("0.05"), None);
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        if text.len() > 64 {
            return None;
        }
        let (release, before) = match text.split_once('-') {
            // Other texts with a dash are dates and codes.
            Some((release, before)) => {
                let is_word = before.starts_with(|c: char| c.is_ascii_alphabetic());
                (release.contains('.') && is_word).then_some((release, Some(before)))?
            }
            None => (text, None),
        };
        let mut parts: Vec<u64> = release.split('.').map(part).collect::<Option<_>>()?;
        while parts.len() > 1 && parts.last() == Some(&0) {
            parts.pop();
        }
        let stage = match before {
            Some(before) => {
                Stage::Before(before.split('.').map(identifier).collect::<Option<_>>()?)
            }
            None => Stage::Release,
        };
        Some(Self { parts, stage })
    }
}

fn part(part: &str) -> Option<u64> {
    let is_number =
        part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
    if is_number { part.parse().ok() } else { None }
}

fn identifier(text: &str) -> Option<Identifier> {
    let is_one = !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_one.then(|| part(text).map_or_else(|| Identifier::Word(text.to_owned()), Identifier::Number))
}

/// Facts about the fractions of texts, to distinguish versions from numbers if the texts could be
/// either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fractions {
    /// True if a fraction has one digit: `1.9`.
    one_digit: bool,
    /// True if a longer fraction ends with a zero: `1.10`.
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

    /// Returns true if there are both `1.9` and `1.10`: in numbers, trailing zeros are written
    /// always or never.
    pub fn are_of_versions(self) -> bool {
        self.one_digit && self.ends_with_zero
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_made_of_numbers() {
        for text in ["", "v", ".1", "1.", "x1", "1.x", "-1.2", "1-beta", "1.2-", "1.2-é"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
        let of_bytes = |bytes: usize| "1.".repeat(bytes / 2) + "1";
        assert!(Version::read(&of_bytes(63)).is_some());
        assert_eq!(Version::read(&of_bytes(65)), None);
    }

    #[test]
    fn trailing_zeros_tell_versions_from_numbers() {
        let are_of_versions = |texts: &[&str]| {
            let mut all = Fractions::default();
            for text in texts {
                let mut own = Fractions::default();
                own.add(text);
                all.merge(own);
            }
            all.are_of_versions()
        };
        assert!(are_of_versions(&["1.9", " 1.10 "]));
        for numbers in [&["1.9", "1.11"], &["1.9", "2.0"], &["1.90", "1.10"], &["9", "10"]] {
            assert!(!are_of_versions(numbers), "{numbers:?}");
        }
    }
}
