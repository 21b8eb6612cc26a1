//! Texts in the order of their letters where another order is meant: numbers, versions, dates
//! whose year comes last, times of several zones.

use std::cmp::Ordering;

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
    /// `5/14/2025`.
    MonthFirst,
    /// `14.05.2025`.
    DayFirst,
    /// `1.9.3` and `v1.10.0`.
    Versions,
    /// `2025-05-14T23:30:00-05:00` and another offset.
    Zones,
    /// Most begin with a number: `9 MB`, `$100`.
    Beginning,
}

impl TextKind {
    /// Returns the texts' name, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::MonthFirst | Self::DayFirst => "dates whose year comes last",
            Self::Versions => "versions",
            Self::Zones => "times of several zones",
            Self::Beginning => "numbers with other characters",
        }
    }

    /// Reads a text as what compares texts of this kind; None for another text.
    fn key(self, Spelled { text, day }: &Spelled) -> Option<Vec<f64>> {
        match self {
            Self::Numbers => Some(vec![text.trim().parse().ok()?]),
            Self::MonthFirst => {
                let [month, day, year] = date(text)?;
                (month < 13.0).then(|| vec![year, month, day])
            }
            Self::DayFirst => {
                let [day, month, year] = date(text)?;
                (month < 13.0).then(|| vec![year, month, day])
            }
            Self::Versions => version(text),
            Self::Zones => Some(vec![(*day)?]).filter(|_| text.len() > 10),
            Self::Beginning => {
                let text = text.trim_start_matches(['$', '€', '£', '+', '<', '>', '~', ' ']);
                text.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
                let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
                runs.map(|run| run.parse().ok()).collect()
            }
        }
    }
}

/// The first that reads every text counts.
const KINDS: [TextKind; 5] = [
    TextKind::Numbers,
    TextKind::MonthFirst,
    TextKind::DayFirst,
    TextKind::Versions,
    TextKind::Zones,
];

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
    all.sort_by(|a, b| a.text.cmp(&b.text));
    let read_all = |kind: TextKind| all.iter().map(|one| kind.key(one)).collect::<Option<Vec<_>>>();
    let whole = KINDS.into_iter().find_map(|kind| Some((kind, read_all(kind)?)));
    let (kind, keys) = match whole {
        Some(whole) => whole,
        None => {
            // Some may be other texts, such as a dash.
            let count = all.len();
            all.retain(|spelled| TextKind::Beginning.key(spelled).is_some());
            (all.len() * 10 >= count * 8).then_some(())?;
            (
                TextKind::Beginning,
                all.iter().filter_map(|one| TextKind::Beginning.key(one)).collect(),
            )
        }
    };
    let at = keys
        .windows(2)
        .position(|pair| pair[0].partial_cmp(&pair[1]) == Some(Ordering::Greater))?;
    let mut pair = all.drain(at..).map(|one| one.text);
    Some(Misordered { kind, first: pair.next()?, second: pair.next()? })
}

fn version(text: &str) -> Option<Vec<f64>> {
    let text = text.trim();
    let parts = text.strip_prefix(['v', 'V']).unwrap_or(text).split('.');
    let part = |part: &str| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    parts.map(part).collect()
}

/// Reads `5/14/2025`, `14.05.2025` or `14-05-2025`, with or without a time.
fn date(text: &str) -> Option<[f64; 3]> {
    let (date, _) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let [first, second, year] = parts.try_into().ok()?;
    let number = |part: &str, most: usize| {
        let is_number =
            (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    (year.len() == 4).then_some(())?;
    Some([number(first, 2)?, number(second, 2)?, number(year, 4)?])
}
