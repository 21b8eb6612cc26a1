//! Texts in the order of their letters where another order is meant: numbers, versions, dates
//! whose year comes last, times of several zones, and letters around numbers of any size.

mod natural;

use std::cmp::Ordering;

use date_text::MONTHS;
use date_text::version::{Fractions, Version};
use date_text::written_number::{NOTATIONS, Notation, OTHER, Separators};

use natural::Part;

/// The most texts whose order is looked at.
pub const MAX_TEXTS: usize = 5_000;

/// A text, and the moment that it names.
#[derive(Clone, Debug, PartialEq)]
pub struct Spelled {
    /// The text.
    pub text: String,
    /// The moment in days from any one moment; None for a text that is no time.
    pub day: Option<f64>,
}

/// The kind of texts whose letters stand in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// `9.50` and `10`.
    Numbers,
    /// `5/14/2025`, `05/14/25`.
    MonthFirst,
    /// `14.05.2025`.
    DayFirst,
    /// `1.9.3` and `v1.10.0`.
    Versions,
    /// `2025-05-14T23:30:00-05:00` and another offset.
    Zones,
    /// `Feb 2025`, `Fri, 07 Mar 2025 10:00:00`.
    MonthNames,
    /// `9%`, `$1,893.20`.
    Written(Notation),
    /// They begin with a number: `9 min`, `12 apples`.
    Beginning,
    /// The same with several units: `9 KB`, `1 GB`.
    Units,
    /// Other letters with numbers: `PAY-9`, `PT1H5M`.
    Natural,
}

impl TextKind {
    /// Returns the texts' name, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::MonthFirst | Self::DayFirst => "dates whose year comes last",
            Self::Versions => "versions",
            Self::Zones => "times of several zones",
            Self::MonthNames => "dates with names of months",
            Self::Written(_) | Self::Beginning => "numbers with other characters",
            Self::Units => "numbers with several units",
            Self::Natural => "letters and numbers",
        }
    }

    /// Reads a text as what compares texts of this kind; None for another text.
    fn key(self, Spelled { text, day }: &Spelled) -> Option<Key> {
        let numbers = match self {
            Self::Numbers => Some(vec![text.trim().parse().ok()?]),
            Self::MonthFirst => {
                let [month, day, year] = date(text)?;
                (month < 13.0).then(|| vec![year, month, day])
            }
            Self::DayFirst => {
                let [day, month, year] = date(text)?;
                (month < 13.0).then(|| vec![year, month, day])
            }
            Self::Versions => return Version::read(text).map(Key::Version),
            Self::Zones => Some(vec![(*day)?]).filter(|_| text.len() >= 10),
            Self::MonthNames => month_named(text),
            Self::Written(notation) => Some(vec![notation.read(text)?.parse().ok()?]),
            Self::Beginning | Self::Units => {
                let text = text.trim_start_matches(['$', '€', '£', '+', '<', '>', '~', ' ']);
                let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |text| (-1.0, text));
                text.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
                let numbers = natural::parts(text).into_iter().filter_map(Part::number);
                Some(numbers.map(|number| sign * number).collect())
            }
            Self::Natural => return Some(Key::Parts(natural::parts(text))),
        };
        numbers.map(Key::Numbers)
    }
}

/// Compares texts of one kind.
#[derive(PartialEq, PartialOrd)]
enum Key {
    Numbers(Vec<f64>),
    Version(Version),
    Parts(Vec<Part>),
}

/// Returns the kinds; the first that reads every text counts.
fn kinds() -> impl Iterator<Item = TextKind> {
    let plain = [
        TextKind::Numbers,
        TextKind::MonthFirst,
        TextKind::DayFirst,
        TextKind::Versions,
        TextKind::MonthNames,
        TextKind::Zones,
    ];
    let written = NOTATIONS.into_iter().map(TextKind::Written);
    plain.into_iter().chain(written).chain([TextKind::Beginning])
}

/// Two texts whose letters stand in another order than what they name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misordered {
    /// The kind of all texts.
    pub kind: TextKind,
    /// The text whose letters come first.
    pub first: String,
    /// The text behind it, which is less.
    pub second: String,
}

/// Returns two of the texts that stand in another order as text than as what they are.
///
/// ```
/// use record_sql::letter_order::{TextKind, Spelled, misordered};
///
/// let texts = ["9", "10"].map(|text| Spelled { text: text.to_owned(), day: None });
/// let found = misordered(texts.to_vec()).map(|found| (found.kind, found.first, found.second));
/// assert_eq!(found, Some((TextKind::Numbers, "10".to_owned(), "9".to_owned())));
/// ```
pub fn misordered(mut all: Vec<Spelled>) -> Option<Misordered> {
    // A text without digits is none of these: a dash, `n/a`.
    let count = all.len();
    all.retain(|one| one.text.contains(|c: char| c.is_ascii_digit()));
    (all.len() * 2 >= count).then_some(())?;
    all.sort_by(|a, b| a.text.cmp(&b.text));
    let are_versions = are_versions(&all);
    let mut kinds = kinds().filter(|kind| !are_versions || *kind != TextKind::Numbers);
    let whole = kinds.find_map(|kind| Some((kind, read_all(&all, kind)?)));
    let (kind, keys) = match whole {
        Some(whole) => whole,
        None => {
            // Few of them may be other texts.
            let begin = |one: &Spelled| TextKind::Beginning.key(one).is_some();
            let count = all.iter().filter(|one| begin(one)).count();
            let read = if count * 10 >= all.len() * 8 {
                all.retain(begin);
                TextKind::Beginning
            } else {
                // Codes of one length, such as hashes, have no other order.
                let length = all.first()?.text.len();
                all.iter().any(|one| one.text.len() != length).then_some(())?;
                TextKind::Natural
            };
            (read, all.iter().filter_map(|one| read.key(one)).collect())
        }
    };
    let misplaced = |pair: &[Key]| pair[0].partial_cmp(&pair[1]) == Some(Ordering::Greater);
    let in_other_notation = || {
        let mut separators = Separators::default();
        all.iter().for_each(|one| separators.add(&one.text));
        let is_open = matches!(kind, TextKind::Written(_)) && separators.are_open();
        is_open.then(|| read_all(&all, TextKind::Written(OTHER)))??.windows(2).position(misplaced)
    };
    let found = keys.windows(2).position(misplaced).or_else(in_other_notation);
    let (kind, at) = match found {
        Some(at) => (kind, at),
        // In order but for their units.
        None => {
            let has_units = matches!(kind, TextKind::Written(_) | TextKind::Beginning)
                && all.iter().all(|one| unit(one).is_some());
            let at = all.windows(2).position(|pair| unit(&pair[0]) != unit(&pair[1]));
            (TextKind::Units, at.filter(|_| has_units)?)
        }
    };
    let mut pair = all.drain(at..).map(|one| one.text);
    Some(Misordered { kind, first: pair.next()?, second: pair.next()? })
}

fn read_all(all: &[Spelled], kind: TextKind) -> Option<Vec<Key>> {
    all.iter().map(|one| kind.key(one)).collect()
}

/// Returns true if texts that are numbers, too, are versions.
fn are_versions(all: &[Spelled]) -> bool {
    let mut fractions = Fractions::default();
    all.iter().for_each(|one| fractions.add(&one.text));
    fractions.are_of_versions() && all.iter().all(|one| Version::read(&one.text).is_some())
}

/// Returns the unit behind the number of a text; None if there is more than that.
fn unit(one: &Spelled) -> Option<String> {
    let rest = one.text.trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != 'µ');
    let is_unit = rest.len() <= 5 && rest.chars().all(|c| c.is_alphabetic() || "/%".contains(c));
    is_unit.then(|| rest.to_lowercase())
}

/// Reads a date with the name of its month and a year of four digits.
fn month_named(text: &str) -> Option<Vec<f64>> {
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let month_of = |word: &str| {
        let word = word.to_ascii_lowercase();
        MONTHS.iter().position(|month| *month == word || month[..3] == word)
    };
    let month = words().find_map(month_of)?;
    let number = |word: &str| word.parse::<u32>().ok();
    let year = words().filter(|word| word.len() == 4).find_map(number)?;
    let day = words().filter(|word| word.len() <= 2).find_map(number).unwrap_or(0);
    Some(vec![year.into(), month as f64, day.into()])
}

/// Reads `5/14/2025`, `05/14/25`, `14.05.2025` or `14-05-2025`, with or without a time.
fn date(text: &str) -> Option<[f64; 3]> {
    let (date, _) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let [first, second, year] = parts.try_into().ok()?;
    let number = |part: &str, most: usize| {
        let is_number =
            (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    (year.len() == 4 || (year.len() == 2 && date.contains('/'))).then_some(())?;
    Some([number(first, 2)?, number(second, 2)?, number(year, 4)?])
}
