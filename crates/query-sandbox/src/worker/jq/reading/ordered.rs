//! Fields whose values a filter puts into an order. jq orders values of any types, null before
//! all, and texts by their letters, and says nothing of it.

use std::collections::BTreeSet;

use jaq_json::Val;
use record_sql::letter_order::{MAX_TEXTS, Misordered, TextKind, misordered};

use super::comparison::Comparison;
use super::constants::type_name;
use super::trail::Trail;

/// The longest text that is kept, and the most of one that is shown, in bytes.
const MAX_BYTES: usize = 80;

/// The use of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// All values are in it.
    Sorted,
    /// The least value is taken.
    Least,
    /// The values are compared with a text.
    Compared,
    /// Their mean is taken, with a null as one of them.
    Averaged,
}

/// A field in an order, with the values that it has.
#[derive(Clone, Debug)]
pub(super) struct Ordered {
    trail: Trail,
    used: Use,
    /// A text that the values are compared with.
    compared: Option<String>,
    /// Texts that other values of a record must be equal to.
    selected: Vec<(Trail, String)>,
    seen: Seen,
}

/// The values of a field.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// True if it is null or absent in a record.
    has_nulls: bool,
    /// The types of the values, null apart, each with the first value.
    types: Vec<(&'static str, String)>,
    texts: BTreeSet<String>,
}

impl Ordered {
    pub(super) fn new(trail: Trail, used: Use) -> Self {
        Self { trail, used, compared: None, selected: Vec::new(), seen: Seen::default() }
    }

    /// Adds a text that the values are compared with.
    pub(super) fn with(mut self, text: &str) -> Self {
        self.compared = Some(text.to_owned());
        self
    }

    /// Leaves out the records that a `select` leaves out.
    pub(super) fn of(mut self, selected: &[(Trail, String)]) -> Self {
        self.selected = selected.to_vec();
        self
    }

    /// Notes that the least value of those in order is taken.
    pub(super) fn takes_least(&mut self) {
        if self.used == Use::Sorted {
            self.used = Use::Least;
        }
    }

    /// Looks at a record. Returns false if there is nothing to say of the order.
    pub(super) fn see(&mut self, record: &Val) -> bool {
        let is_selected = |(trail, text): &(Trail, String)| {
            let mut is_equal = false;
            trail.follow(record, &mut |value| {
                is_equal |= matches!(value, Val::TStr(own) if **own == *text.as_bytes());
                true
            });
            is_equal
        };
        if !self.selected.iter().all(is_selected) {
            return true;
        }
        let Seen { has_nulls, types, texts } = &mut self.seen;
        self.trail.follow(record, &mut |value| {
            if *value == Val::Null {
                *has_nulls = true;
                return true;
            }
            let name = type_name(value);
            if types.iter().all(|(known, _)| *known != name) {
                types.push((name, value.to_string().chars().take(MAX_BYTES).collect()));
            }
            if let Val::TStr(text) = value
                && text.len() <= MAX_BYTES
                && texts.len() < MAX_TEXTS
                && let Ok(text) = std::str::from_utf8(text)
            {
                texts.insert(text.to_owned());
            }
            true
        })
    }

    /// Returns a note if values have several types, if null is the least one, or if texts stand in
    /// another order as letters than as what they are.
    pub(super) fn note(&self, comparisons: &[Comparison]) -> Option<String> {
        let path = self.trail.spelled();
        let is_guarded = || comparisons.iter().any(|one| one.is_guard_of(&self.trail));
        if self.used == Use::Averaged {
            let counts = self.seen.has_nulls && !self.seen.types.is_empty() && !is_guarded();
            return counts.then(|| {
                format!(
                    "`{path}` is null or absent in some records, and `add / length` counts these \
                     where they are selected; `{}` leaves them out",
                    self.trail.without_nulls()
                )
            });
        }
        // A comparison has a note of its own on types.
        if let [(first, one), (second, other), ..] = self.seen.types.as_slice()
            && self.used != Use::Compared
        {
            return Some(format!(
                "`{path}` is {first} in some records, such as {one}, and {second} in others, such \
                 as {other}: jq orders by type first: null, booleans, numbers, strings"
            ));
        }
        if self.used == Use::Least
            && self.seen.has_nulls
            && !self.seen.types.is_empty()
            && !is_guarded()
        {
            return Some(format!(
                "`{path}` is null or absent in some records, and null is the least value; \
                 `{}` leaves these out",
                self.trail.without_nulls()
            ));
        }
        if let Some(note) = self.other_form(&path) {
            return Some(note);
        }
        let values = || self.seen.texts.iter().filter(|text| !text.is_empty());
        let order = |texts: &mut dyn Iterator<Item = &String>| {
            misordered(&texts.map(String::as_str).collect::<Vec<_>>())
        };
        // A day compares with times of any zone.
        let are_times = |found: &Misordered| found.kind == TextKind::Times;
        let found = order(&mut values().chain(&self.compared))
            .or_else(|| order(&mut values()).filter(are_times))?;
        let way = way(found.kind, &values());
        Some(format!(
            "`{path}` is text of {}, which jq orders letter by letter ({} < {}){way}",
            found.kind.name(),
            raw_json::quote(&found.first),
            raw_json::quote(&found.second)
        ))
    }
}

impl Ordered {
    /// Returns a note if the values are compared with a date of another form than theirs.
    fn other_form(&self, path: &str) -> Option<String> {
        let compared = self.compared.as_ref()?;
        let form = date_form(compared)?;
        let other =
            self.seen.texts.iter().find(|text| date_form(text).is_some_and(|own| own != form));
        let (compared, other) = (raw_json::quote(compared), raw_json::quote(other?));
        Some(format!(
            "`{path}` has dates such as {other}, and {compared} has another form: jq compares \
             their letters; send the same as where, which reads dates"
        ))
    }
}

/// Returns the clause on how to compare texts of a kind.
fn way<'t>(kind: TextKind, texts: &(impl Iterator<Item = &'t String> + Clone)) -> &'static str {
    let are = |is: &dyn Fn(&str) -> bool| texts.clone().all(|text| is(text));
    let is_version = |text: &str| {
        let parts = text.trim_start_matches('v').split('.');
        parts.into_iter().all(|part| part.parse::<u64>().is_ok())
    };
    match kind {
        TextKind::Numbers if are(&|text| text.trim().parse::<f64>().is_ok()) => {
            "; `tonumber` makes numbers of them"
        }
        TextKind::Versions if are(&is_version) => {
            "; `ltrimstr(\"v\") | split(\".\") | map(tonumber)` makes them comparable"
        }
        TextKind::Units => "; bring them to one first",
        _ => "; send the same as SQL, which orders them",
    }
}

/// Returns the form of the date that a text begins with: the place of its year and its separators.
/// None for a text without a date.
fn date_form(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !"-/.".contains(c));
    let date = &text[..end.unwrap_or(text.len())];
    let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
    let [first, _, last] = parts.as_slice() else { return None };
    let is_date = parts.iter().all(|part| matches!(part.len(), 1 | 2 | 4));
    let separators: String = date.chars().filter(|c| !c.is_ascii_digit()).collect();
    let year_at = [first.len() == 4, last.len() == 4];
    (is_date && year_at.contains(&true)).then(|| format!("{year_at:?}{separators}"))
}
