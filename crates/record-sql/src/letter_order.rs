//! Texts in the order of their letters where another order is meant: numbers, versions, dates,
//! durations, words such as months, and letters around numbers of any size.
//!
//! The first kind that reads all texts of a column is its collation in SQLite, so that every
//! comparison and every order of the column is that of what the texts name.

mod collation;
mod date;
mod duration;
mod misordered;
mod natural;

use std::cmp::Ordering;

use date_text::version::Version;
use date_text::words::{LISTS, Words};
use date_text::written_number::{NOTATIONS, Notation};

pub(crate) use collation::{Bound, Collation};
pub use misordered::{MAX_TEXTS, Misordered, misordered};
pub(crate) use misordered::{misordered_as, order_of};
use natural::Part;

/// The longest text that is read as anything but letters and numbers, in bytes.
const MAX_BYTES: usize = 100;

/// The kind of texts whose letters stand in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// `9.50` and `10`.
    Numbers,
    /// `2025-05-14T23:30:00-05:00`, and others in another zone or form: `Q1 2024`, `05/2024`.
    Times,
    /// `5/14/2025`, `05/14/25`.
    MonthFirst,
    /// `14.05.2025`.
    DayFirst,
    /// `1.9.3` and `v1.10.0`.
    Versions,
    /// `14/Feb/2025:10:00:00 +0000`, next to other times.
    MonthNames,
    /// `9%`, `$1,893.20`.
    Written(Notation),
    /// `March`, `high`.
    Words(&'static Words),
    /// Several units of time: `2h 10m`, `45m`.
    Durations,
    /// They begin with a number: `9 min`, `12 apples`.
    Beginning,
    /// The same with several units or forms: `9 KB`, `1 GB`.
    Units,
    /// Other letters with numbers: `PAY-9`, `PT1H5M`.
    Natural,
}

impl TextKind {
    /// Returns the kinds; the first that reads every text counts.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let plain = [
            Self::Numbers,
            Self::Times,
            Self::MonthFirst,
            Self::DayFirst,
            Self::Versions,
            Self::MonthNames,
        ];
        let written = NOTATIONS.into_iter().map(Self::Written);
        let words = LISTS.iter().map(Self::Words);
        let others = [Self::Beginning, Self::Natural, Self::Durations];
        plain.into_iter().chain(written).chain(others).chain(words)
    }

    /// Returns the texts' name, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Times => "times of several zones or forms",
            Self::MonthFirst | Self::DayFirst => "dates whose year comes last",
            Self::Versions => "versions",
            Self::MonthNames => "dates with names of months",
            Self::Words(words) => words.name,
            Self::Durations => "durations",
            Self::Written(_) | Self::Beginning => "numbers with other characters",
            Self::Units => "numbers with several units or forms",
            Self::Natural => "letters and numbers",
        }
    }

    /// Returns the name of the collation of the texts; None if units would have to be converted.
    pub(crate) fn collation(self) -> Option<String> {
        let name = match self {
            Self::Numbers => "numbers",
            Self::Times => "times",
            Self::MonthFirst => "month_first",
            Self::DayFirst => "day_first",
            Self::Versions => "versions",
            Self::MonthNames => "month_names",
            Self::Written(notation) => {
                let at = NOTATIONS.iter().position(|one| *one == notation)?;
                return Some(format!("numbers_{}", at + 1));
            }
            Self::Words(words) => words.collation,
            Self::Durations => "durations",
            Self::Beginning => "leading_numbers",
            Self::Units => return None,
            Self::Natural => "natural_order",
        };
        Some(name.to_owned())
    }

    /// Returns true for a text that is compared as what it names.
    pub(crate) fn reads(self, text: &str) -> bool {
        self.key(text).is_some()
    }

    /// Compares two texts of the kind. Others come first, in the order of their letters. No texts
    /// are equal unless their letters are.
    pub(crate) fn compare(self, a: &str, b: &str) -> Ordering {
        self.by_meaning(a, b).then_with(|| a.cmp(b))
    }

    /// Compares what two texts name.
    fn by_meaning(self, a: &str, b: &str) -> Ordering {
        match self {
            Self::Natural => natural::compare(a, b),
            _ => by_keys(self.key(a).as_ref(), self.key(b).as_ref()),
        }
    }

    /// Reads a text as what compares texts of this kind; None for another text.
    fn key(self, text: &str) -> Option<Key> {
        if text.len() > MAX_BYTES && self != Self::Natural {
            return None;
        }
        match self {
            Self::Numbers => number(text.trim()).map(Key::Number),
            Self::Times => date::moment(text).map(Key::Moment),
            Self::MonthFirst => date::year_last(text, true).map(Key::Moment),
            Self::DayFirst => date::year_last(text, false).map(Key::Moment),
            Self::Versions => Version::read(text).map(Key::Version),
            Self::MonthNames => date::month_named(text).map(Key::Moment),
            Self::Written(notation) => number(&notation.read(text)?).map(Key::Number),
            Self::Words(words) => words.place(text).map(Key::Place),
            Self::Durations => duration::seconds(text).map(Key::Number),
            Self::Beginning | Self::Units => {
                let text = text.trim_start_matches(['$', '€', '£', '+', '<', '>', '~', ' ']);
                let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |text| (-1.0, text));
                text.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
                let numbers = natural::parts(text).filter_map(Part::number);
                Some(Key::Numbers(numbers.map(|number| sign * number).collect()))
            }
            Self::Natural => Some(Key::Natural),
        }
    }
}

/// Compares texts of one kind.
#[derive(PartialEq, PartialOrd)]
enum Key {
    Number(f64),
    Place(usize),
    /// Nanoseconds.
    Moment(i128),
    Version(Version),
    Numbers(Vec<f64>),
    /// The text itself, part by part.
    Natural,
}

/// Compares what texts name; what names nothing comes first.
fn by_keys(a: Option<&Key>, b: Option<&Key>) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| !number.is_nan())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A collation is a total order, in which texts are equal only if their letters are.
        #[test]
        fn every_kind_is_a_total_order(
            texts in proptest::collection::vec(prop_oneof![
                "[0-9]{1,3}", "[0-9]\\.[0-9]{1,2}", "v?[0-9]\\.[0-9]{1,2}(\\.0|-rc1)?", "",
                "\\$?[0-9]{1,3}(,[0-9]{3})?", "[A-Z]{1,2}-[0-9]{1,3}", "[0-9]{1,2} (MB|s)",
                "(0[1-9]|1[0-9])/(0[1-9]|1[0-9])/20[0-9]{2}", "2025-0[1-9]-1[0-9](T1[0-9]:00Z)?",
                "[0-9a-z.,é -]{0,6}", "nan|-?inf", "[0-9]{1,2}[hm]( [0-9]s)?|[0-9]:0[0-9]:00",
                "Mar|march|Tue|XL|L|low|high|warn|error|Q[1-4] 202[0-9]|0[1-9]/202[0-9]",
            ], 3),
        ) {
            for kind in TextKind::all() {
                let of = |a: usize, b: usize| kind.compare(&texts[a], &texts[b]);
                prop_assert_eq!(of(0, 1), of(1, 0).reverse());
                prop_assert_eq!(of(0, 1) == Ordering::Equal, texts[0] == texts[1]);
                let is_chain = of(0, 1) == Ordering::Less && of(1, 2) == Ordering::Less;
                prop_assert!(!is_chain || of(0, 2) == Ordering::Less, "{:?} {:?}", kind, texts);
            }
        }
    }
}
