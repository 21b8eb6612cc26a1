//! The kind of texts, and whether their letters stand in another order.

use std::cmp::Ordering;

use date_text::version::{Fractions, Version};
use date_text::words::Words;
use date_text::written_number::{OTHER, Separators, are_of_one_unit, marks};

use super::{TextKind, date};

/// The most texts whose order is looked at.
pub const MAX_TEXTS: usize = 5_000;

/// Two texts whose letters stand in another order than what they name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misordered {
    /// The kind of all texts.
    pub kind: TextKind,
    /// The text whose letters come first.
    pub first: String,
    /// The text after it, which is less.
    pub second: String,
}

/// Returns two of the texts that stand in another order as text than as what they are.
///
/// ```
/// use record_sql::letter_order::{TextKind, misordered};
///
/// let found = misordered(&["9", "10"]).map(|found| (found.kind, found.first, found.second));
/// assert_eq!(found, Some((TextKind::Numbers, "10".to_owned(), "9".to_owned())));
/// ```
pub fn misordered(texts: &[&str]) -> Option<Misordered> {
    let (mut named, kind) = of_kind(texts)?;
    if let Some(kind) = comparable(kind, &named) {
        let found = misordered_as(kind, texts);
        return found.or_else(|| in_other_notation(kind, &named)).or_else(|| of_units(kind, named));
    }
    named.retain(|text| kind.reads(text));
    let found =
        misordered_as(kind, &named).map(|found| Misordered { kind: TextKind::Units, ..found });
    found.or_else(|| of_units(kind, named))
}

/// Returns two numbers that stand in another order if their only separator parts thousands.
fn in_other_notation(kind: TextKind, texts: &[&str]) -> Option<Misordered> {
    let mut separators = Separators::default();
    texts.iter().for_each(|text| separators.add(text));
    let is_open = matches!(kind, TextKind::Written(_)) && separators.are_open();
    let other = TextKind::Written(OTHER);
    let is_other = is_open && texts.iter().all(|text| other.reads(text));
    is_other.then(|| misordered_as(other, texts)).flatten()
}

/// Returns two neighbours of different units among numbers that are in order but for these.
fn of_units(kind: TextKind, mut texts: Vec<&str>) -> Option<Misordered> {
    let has_units = matches!(kind, TextKind::Written(_) | TextKind::Beginning)
        && texts.iter().all(|text| unit(text).is_some());
    texts.sort_unstable();
    let pair = texts.windows(2).find(|pair| unit(pair[0]) != unit(pair[1]));
    Misordered::new(TextKind::Units, pair.filter(|_| has_units)?)
}

/// Returns two of the texts that stand in another order as text than in that of a kind.
pub(crate) fn misordered_as(kind: TextKind, texts: &[&str]) -> Option<Misordered> {
    let mut all = texts.to_vec();
    all.sort_unstable();
    let is_misplaced = |pair: &&[&str]| kind.compare(pair[0], pair[1]) == Ordering::Greater;
    Misordered::new(kind, all.windows(2).find(is_misplaced)?)
}

impl Misordered {
    fn new(kind: TextKind, pair: &[&str]) -> Option<Self> {
        let [first, second] = pair else { return None };
        Some(Self { kind, first: (*first).to_owned(), second: (*second).to_owned() })
    }
}

/// The most digits of a number that is compared as one.
const MAX_DIGITS: usize = 15;

/// Returns the kind of a column's texts if it orders them, and those of `more` that it reads, in
/// another way than their letters. Texts that it does not read come first.
pub(crate) fn order_of<'t>(texts: &[&'t str], more: &[&'t str]) -> Option<TextKind> {
    let (mut named, kind) = of_kind(texts)?;
    // A constant that names something else has no place among them.
    let is_named = |text: &str| match kind {
        TextKind::Words(_) => !text.is_empty(),
        _ => has_digit(text),
    };
    let is_foreign = |text: &&str| is_named(text) && !kind.reads(text) && !texts.contains(text);
    if more.iter().any(is_foreign) {
        return None;
    }
    named.extend(more.iter().filter(|text| kind.reads(text)));
    let kind = comparable(kind, &named)?;
    let mut all = texts.to_vec();
    all.extend(more.iter().filter(|text| kind.reads(text)));
    misordered_as(kind, &all).map(|found| found.kind)
}

/// Returns the texts of a kind, and it: others, such as a dash or `n/a`, may be among them. None if
/// these are more.
fn of_kind<'t>(texts: &[&'t str]) -> Option<(Vec<&'t str>, TextKind)> {
    if let Some(words) = Words::of(texts) {
        return Some((texts.to_vec(), TextKind::Words(words)));
    }
    let all: Vec<&str> = texts.iter().copied().filter(|text| has_digit(text)).collect();
    let kind = (!all.is_empty() && all.len() * 2 >= texts.len()).then(|| kind_of(&all))??;
    Some((all, kind))
}

pub(super) fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// Returns the kind that reads all texts, or most of them as numbers.
fn kind_of(all: &[&str]) -> Option<TextKind> {
    if are_versions(all) {
        return Some(TextKind::Versions);
    }
    if all.iter().all(|text| date::is_month_and_year(text)) {
        return Some(TextKind::Times);
    }
    let kind = TextKind::all().find(|kind| all.iter().all(|text| kind.reads(text)))?;
    // Longer numbers than a double holds.
    let has_long = |text: &&str| {
        text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > MAX_DIGITS)
    };
    if matches!(kind, TextKind::Beginning | TextKind::Natural) && all.iter().any(has_long) {
        return None;
    }
    if kind != TextKind::Natural {
        return Some(kind);
    }
    let begin = all.iter().filter(|text| TextKind::Beginning.reads(text)).count();
    if begin * 10 >= all.len() * 8 {
        return Some(TextKind::Beginning);
    }
    // Codes of one length, such as hashes, have no other order.
    let length = all[0].len();
    all.iter().any(|text| text.len() != length).then_some(kind)
}

/// Returns the kind that compares texts of a kind: several units are converted only if they are
/// those of time.
fn comparable(kind: TextKind, all: &[&str]) -> Option<TextKind> {
    let durations = || all.iter().all(|text| TextKind::Durations.reads(text));
    match is_comparable(kind, all) {
        true => Some(kind),
        false => durations().then_some(TextKind::Durations),
    }
}

/// Returns true for texts that are numbers of one unit, or none.
fn is_comparable(kind: TextKind, all: &[&str]) -> bool {
    match kind {
        TextKind::Written(_) => {
            are_of_one_unit(all.iter().fold(0, |bits, text| bits | marks(text)))
        }
        TextKind::Beginning => {
            let mut points = all.iter().map(|text| text.matches('.').count());
            let is_dotted = points.clone().any(|points| points > 1);
            are_of_one_form(all.iter().filter(|text| kind.reads(text)))
                && !all.iter().any(|text| date::is_year_last(text))
                && !(is_dotted && points.any(|points| points == 1))
        }
        TextKind::Natural => {
            let is_duration = |text: &&str| {
                let letters = text.trim_matches(|c: char| c == '-' || c == '+');
                letters.starts_with('P')
                    && letters.bytes().all(|b| b"PYMWDTHS.0123456789".contains(&b))
            };
            !all.iter().all(is_duration) || are_of_one_form(all.iter())
        }
        _ => true,
    }
}

/// Returns true for texts that have the same letters around their numbers.
fn are_of_one_form<'t>(texts: impl Iterator<Item = &'t &'t str>) -> bool {
    let is_part = |c: &char| !c.is_ascii_digit() && !c.is_whitespace() && !"+<>~-.,".contains(*c);
    let mut forms = texts.map(|text| text.chars().filter(is_part).collect::<String>());
    let Some(first) = forms.next() else { return true };
    // Twelve comes before one in each half of a day.
    let is_half = [":AM", ":PM"].iter().any(|half| first.to_ascii_uppercase().ends_with(half));
    !is_half && forms.all(|form| form == first)
}

/// Returns true if texts that are numbers, too, are versions.
fn are_versions(all: &[&str]) -> bool {
    let mut fractions = Fractions::default();
    all.iter().for_each(|text| fractions.add(text));
    fractions.are_of_versions() && all.iter().all(|text| Version::read(text).is_some())
}

/// Returns the unit after the number of a text; None if there is more than that.
fn unit(text: &str) -> Option<String> {
    let rest = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != 'µ');
    let is_unit = rest.len() <= 5 && rest.chars().all(|c| c.is_alphabetic() || "/%".contains(c));
    is_unit.then(|| rest.to_lowercase())
}
