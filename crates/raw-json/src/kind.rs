//! The kind of a raw value, derived from its first character.

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Null, Kind::Boolean, Kind::Number, Kind::String, Kind::Array, Kind::Object];

    /// Returns the kind of a value that begins with `first`; `None` if no value begins with it.
    #[inline]
    pub fn of(first: u8) -> Option<Kind> {
        Some(match first {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Boolean,
            b'-' | b'0'..=b'9' => Kind::Number,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ => return None,
        })
    }

    /// Returns the kind of a valid value that does not begin with white space.
    #[inline]
    pub fn of_value(raw: &str) -> Kind {
        raw.bytes().next().and_then(Kind::of).unwrap_or(Kind::Null)
    }

    /// Returns one bit, so that a set of kinds is a number.
    #[inline]
    pub fn bit(self) -> u8 {
        1 << (self as u8)
    }

    /// Returns the name of several values of this kind.
    ///
    /// ```
    /// assert_eq!(raw_json::Kind::of_value("[1]").plural(), "arrays");
    /// ```
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "booleans",
            Kind::Number => "numbers",
            Kind::String => "strings",
            Kind::Array => "arrays",
            Kind::Object => "objects",
        }
    }
}

/// Returns the name of a raw value's kind for an error message, derived from its first character.
///
/// ```
/// assert_eq!(raw_json::kind(" [1]"), "an array");
/// assert_eq!(raw_json::kind("yes"), "no JSON value");
/// ```
pub fn kind(raw: &str) -> &'static str {
    let first = raw.trim_ascii_start().as_bytes().first();
    match first.and_then(|first| Kind::of(*first)) {
        Some(Kind::Null) => "null",
        Some(Kind::Boolean) => "a boolean",
        Some(Kind::Number) => "a number",
        Some(Kind::String) => "a string",
        Some(Kind::Array) => "an array",
        Some(Kind::Object) => "an object",
        None => "no JSON value",
    }
}

/// Returns true for a raw JSON string literal.
#[inline]
pub fn is_string(raw: &str) -> bool {
    raw.as_bytes().first() == Some(&b'"')
}
