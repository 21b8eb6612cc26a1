//! The types of a request's members: their JSON, and how it is parsed.

use std::borrow::Cow;

use raw_json as raw;

use super::{Blank, Field, ParamError, Params, Shape};

/// A type that a member of a request can have.
pub(crate) trait Member<'a>: Sized {
    /// The JSON that it accepts.
    const SHAPE: Shape;
    /// True if a request without it is an error, unless it has a default.
    const REQUIRED: bool = true;
    /// The words that it accepts.
    const WORDS: &'static [&'static str] = &[];

    /// Parses a value.
    fn parse(json: &'a str, field: &Field) -> Result<Self, ParamError>;

    /// Returns the value of an absent member.
    fn absent(field: &Field) -> Result<Self, ParamError> {
        let missing =
            ParamError::Missing { field: field.name, accepted: field.accepted.to_owned() };
        Self::parse(field.default.ok_or(missing)?, field)
    }

    /// Reads the member of a request.
    fn read(params: &Params<'a>, field: &Field) -> Result<Self, ParamError> {
        let is_blank = |json: &str| {
            let text = raw::is_string(json).then(|| raw::unescape(json).text);
            text.is_some_and(|text| text.trim().is_empty())
        };
        match params.raw(field.name) {
            Some(json) if !(field.blank == Blank::Absent && is_blank(json)) => {
                Self::parse(json, field)
            }
            _ => Self::absent(field),
        }
    }
}

impl<'a, T: Member<'a>> Member<'a> for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const REQUIRED: bool = false;
    const WORDS: &'static [&'static str] = T::WORDS;

    fn parse(json: &'a str, field: &Field) -> Result<Self, ParamError> {
        T::parse(json, field).map(Some)
    }

    fn absent(_: &Field) -> Result<Self, ParamError> {
        Ok(None)
    }
}

impl<'a, T: Member<'a>> Member<'a> for Vec<T> {
    const SHAPE: Shape = T::SHAPE.list();
    const WORDS: &'static [&'static str] = T::WORDS;

    fn parse(json: &'a str, field: &Field) -> Result<Self, ParamError> {
        let accepted = match Self::SHAPE {
            Shape::Words => format!("a list of {}", field.listed_words()),
            _ => field.typed.to_owned(),
        };
        let items = raw::elements(json).map_err(|_| field.invalid(json, &accepted))?;
        items.into_iter().map(|item| T::parse(item, field)).collect()
    }
}

impl Member<'_> for u64 {
    const SHAPE: Shape = Shape::Whole;

    fn parse(json: &str, field: &Field) -> Result<Self, ParamError> {
        let Field { min, max, unit, .. } = field;
        match whole_number(json) {
            Some(number) if (*min..=*max).contains(&number) => Ok(number),
            Some(number) if number > *max => {
                let of = if *unit == "seconds" { " of seconds" } else { "" };
                Err(field.invalid(json, &format!("a whole number{of} from {min} to {max}")))
            }
            _ => Err(field.invalid(json, &format!("a whole number from {min} on"))),
        }
    }
}

/// Parses a non-negative number without a fraction, like JSON Schema's `integer`: `1000.0` and
/// `1e3` are 1000. Returns `None` for any other JSON.
fn whole_number(json: &str) -> Option<u64> {
    if let Ok(number) = serde_json::from_str(json) {
        return Some(number);
    }
    let (digits, exponent) = json.split_once(['e', 'E']).unwrap_or((json, "0"));
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{before}{after}");
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let zeros = significant.len() - significant.trim_end_matches('0').len();
    let exponent: i64 = exponent.parse().ok()?;
    let shift = exponent.checked_sub(i64::try_from(after.len()).ok()?)?;
    let number: &str = &significant[..significant.len() - zeros];
    let tens = shift.checked_add(i64::try_from(zeros).ok()?)?;
    let factor = 10_u64.checked_pow(u32::try_from(tens).ok()?)?;
    number.parse::<u64>().ok()?.checked_mul(factor)
}

impl Member<'_> for f64 {
    const SHAPE: Shape = Shape::Fraction;

    fn parse(json: &str, field: &Field) -> Result<Self, ParamError> {
        match serde_json::from_str(json) {
            Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
            _ => Err(field.invalid(json, "a number from 0 to 1")),
        }
    }
}

impl Member<'_> for bool {
    const SHAPE: Shape = Shape::Flag;

    fn parse(json: &str, field: &Field) -> Result<Self, ParamError> {
        match json {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(field.invalid(json, "true or false")),
        }
    }
}

impl<'a> Member<'a> for Cow<'a, str> {
    const SHAPE: Shape = Shape::Text;

    fn parse(json: &'a str, field: &Field) -> Result<Self, ParamError> {
        if !raw::is_string(json) {
            return Err(field.invalid(json, field.typed));
        }
        let text = raw::unescape(json).text;
        let is_refused = field.blank == Blank::Refused && text.trim().is_empty();
        // A text has at most as many characters as bytes, which need no counting.
        let is_long = text.len() as u64 > field.max && text.chars().count() as u64 > field.max;
        if is_refused || is_long {
            return Err(field.invalid(&format!("{text:?}"), field.accepted));
        }
        Ok(text)
    }
}

impl Member<'_> for String {
    const SHAPE: Shape = Shape::Text;

    fn parse(json: &str, field: &Field) -> Result<Self, ParamError> {
        Cow::parse(json, field).map(Cow::into_owned)
    }
}

/// A value as raw JSON.
pub(crate) type Json<'a> = &'a str;

impl<'a> Member<'a> for Json<'a> {
    const SHAPE: Shape = Shape::Json;

    fn parse(json: &'a str, _: &Field) -> Result<Self, ParamError> {
        Ok(json)
    }
}

/// An enum that is parsed from words.
pub(crate) trait Words: Sized + 'static {
    /// The words and their meanings.
    const MEANINGS: &'static [(&'static str, Self)];
}

impl Field {
    /// Declares a member of the type `T`.
    pub(crate) const fn of<'a, T: Member<'a>>(
        name: &'static str,
        about: &'static str,
        default: Option<&'static str>,
    ) -> Field {
        Field {
            name,
            aka: &[],
            about,
            shape: T::SHAPE,
            required: T::REQUIRED && default.is_none(),
            default,
            absent: "",
            words: T::WORDS,
            unit: "",
            min: 0,
            max: u64::MAX,
            blank: Blank::Accepted,
            accepted: "",
            typed: "a string",
            schema: "{}",
        }
    }

    /// Returns the default of a member that another member can replace.
    pub(crate) fn default_value<T: Member<'static>>(&self) -> T {
        T::absent(self).expect("a declared default is a value of the declared type")
    }
}

/// Declares the words that an enum is parsed from.
macro_rules! words {
    ($type:ident { $($word:literal = $variant:ident),+ $(,)? }) => {
        impl $crate::params::Words for $type {
            const MEANINGS: &'static [(&'static str, $type)] =
                &[$(($word, $type::$variant)),+];
        }

        impl $crate::params::Member<'_> for $type {
            const SHAPE: $crate::params::Shape = $crate::params::Shape::Word;
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn parse(
                json: &str,
                field: &$crate::params::Field,
            ) -> Result<Self, $crate::params::ParamError> {
                field.meaning(json, <Self as $crate::params::Words>::MEANINGS)
            }
        }
    };
}

/// Declares the members of a request: for each a description, a name, a type, other members of
/// [`Field`], and a default. Members are read in this order.
macro_rules! request {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(<$life:lifetime>)? {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty
                $({ $($key:ident: $value:expr),+ $(,)? })?
                $(= $default:tt)?
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[allow(dead_code, reason = "the contract names members that no code reads by themselves")]
        $vis struct $name $(<$life>)? {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        #[allow(non_upper_case_globals, reason = "a declaration has the name of its member")]
        #[allow(dead_code, reason = "the contract is written from the declarations")]
        impl $(<$life>)? $name $(<$life>)? {
            $(
                /// The declaration of the member.
                $vis const $field: $crate::params::Field = $crate::params::Field {
                    $($($key: $value,)+)?
                    ..$crate::params::Field::of::<$type>(
                        stringify!($field),
                        concat!($($doc, "\n"),+),
                        $crate::params::request!(@default $($default)?),
                    )
                };
            )+

            /// The declarations of all members.
            $vis const FIELDS: &'static [$crate::params::Field] = &[$(Self::$field),+];

            /// Reads the members.
            ///
            /// # Errors
            ///
            /// Fails if a required member is absent, or if a member has an invalid value.
            $vis fn from_params(
                params: &$crate::params::Params<$($life)?>,
            ) -> Result<Self, $crate::params::ParamError> {
                Ok(Self { $($field: $crate::params::Member::read(params, &Self::$field)?,)+ })
            }
        }
    };
    (@default) => { None };
    (@default $default:tt) => { Some(stringify!($default)) };
}

pub(crate) use {request, words};

#[cfg(test)]
mod tests {
    use super::whole_number;

    #[test]
    fn a_whole_number_may_have_a_point_and_an_exponent() {
        for (json, number) in [
            ("0", 0),
            ("1000", 1000),
            ("1000.0", 1000),
            ("1e3", 1000),
            ("1.5E+1", 15),
            ("12000e-3", 12),
            ("0.0", 0),
            ("0e99999999999999999999", 0),
            ("18446744073709551615", u64::MAX),
            ("18446744073709551615.000", u64::MAX),
            ("9007199254740993.0", 9_007_199_254_740_993),
        ] {
            assert_eq!(whole_number(json), Some(number), "{json}");
        }
        for json in ["1.5", "1e-1", "-1", "-1.0", "1e20", "1e99999999999999999999", "\"1\"", "null"]
        {
            assert_eq!(whole_number(json), None, "{json}");
        }
    }
}
