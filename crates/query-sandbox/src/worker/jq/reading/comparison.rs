//! Comparisons of a field with a constant. jq compares values of any two types, and says nothing
//! if they never have the same one, or not always.

use std::collections::BTreeSet;

use jaq_json::Val;
use raw_json::nearest;

use super::constants::{Constant, type_name};
use super::ordered::{Ordered, Use};
use super::shape::Step;
use super::trail::Trail;
use record_sql::has_word;

/// The most values of a field that are shown.
const MAX_SHOWN: usize = 3;

/// The most values of a field that are kept.
const MAX_KEPT: usize = 200;

/// The most spellings of a text that are shown.
const MAX_SPELLINGS: usize = 8;

/// The longest value that is shown, in bytes.
const MAX_BYTES: usize = 80;

/// A comparison, with the values that the field has.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    trail: Trail,
    with: Constant,
    /// How the field stands to the constant.
    how: How,
    /// True if `select` gives a record once for each value that is equal.
    pub(super) selects_each: bool,
    seen: Seen,
}

/// The values that a comparison met.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// True if some value has the type of the constant.
    has_type: bool,
    /// True if it held for a value, or may have.
    holds: bool,
    /// Another type that values have, and one of them.
    other: Option<(&'static str, String)>,
    /// True if it is null or absent in a record.
    has_nulls: bool,
    /// True if it is the empty string in a record.
    has_blanks: bool,
    /// The values of a record that are equal, and the records that have several.
    equal: usize,
    repeated: usize,
    /// The texts that are equal but for letter case and blanks, and how they are spelled; or values
    /// that are false.
    others: usize,
    spellings: BTreeSet<String>,
    /// Of a condition a text that spells `false`, of an order one with the time of a day.
    example: Option<String>,
    /// Some values, as JSON.
    values: BTreeSet<String>,
}

impl Seen {
    /// Returns the first values as a list.
    fn first(&self) -> String {
        self.values.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join(", ")
    }

    /// Returns the first values as examples, or nothing if there are none.
    fn such_as(&self) -> String {
        if self.values.is_empty() { String::new() } else { format!(", such as {}", self.first()) }
    }
}

/// How a field stands to a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// The field is the lesser one: `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Above,
    /// In another way.
    Other,
}

impl How {
    fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::Unequal)
    }
}

impl Comparison {
    pub(super) fn new(path: Vec<Step>, with: Constant, how: How) -> Self {
        Self { trail: Trail::new(path), with, how, selects_each: false, seen: Seen::default() }
    }

    /// Returns true if `self` is a comparison of the same field with null, or the field as a
    /// condition.
    pub(super) fn is_guard_of(&self, field: &Trail) -> bool {
        matches!(self.with, Constant::Null | Constant::Truth) && self.trail.is_same(field)
    }

    /// Returns true if `self` is a comparison of the same field with the empty string.
    fn is_blank_guard_of(&self, field: &Trail) -> bool {
        self.with == Constant::Text(String::new()) && self.trail.is_same(field)
    }

    /// Returns true for a comparison with a string, of values of a list in `input`.
    pub(super) fn is_of_elements(&self, input: &[Step]) -> bool {
        let is_equal = self.how.is_equality() && matches!(self.with, Constant::Text(_));
        is_equal && self.trail.is_list_in(input)
    }

    /// Returns the values that must be equal to a text, and it.
    pub(super) fn equal_text(&self) -> Option<(Trail, String)> {
        match (&self.with, self.how) {
            (Constant::Text(text), How::Equal) => Some((self.trail.clone(), text.clone())),
            _ => None,
        }
    }

    /// Returns the order of the field that the comparison asks for, if it is that of texts.
    pub(super) fn order(&self) -> Option<Ordered> {
        match &self.with {
            Constant::Text(text) if !self.how.is_equality() => {
                Some(Ordered::new(self.trail.clone(), Use::Compared).with(text))
            }
            Constant::Field => Some(Ordered::new(self.trail.clone(), Use::Compared)),
            _ => None,
        }
    }

    /// Looks at a record. Returns false if there is nothing to say of the comparison.
    pub(super) fn see(&mut self, record: &Val) -> bool {
        let trail = self.trail.clone();
        self.seen.equal = 0;
        let is_open = trail.follow(record, &mut |value| self.see_value(value));
        self.seen.repeated += usize::from(self.seen.equal > 1);
        is_open
    }

    fn see_value(&mut self, value: &Val) -> bool {
        let (is_type, is_equal) = match (value, &self.with) {
            (Val::Null, _) => {
                self.seen.has_nulls = true;
                return true;
            }
            (_, Constant::Fallback) => {
                self.seen.others += usize::from(matches!(value, Val::Bool(false)));
                return true;
            }
            (_, Constant::Field) => (true, true),
            (Val::TStr(text), Constant::Text(with)) => (true, **text == *with.as_bytes()),
            (Val::Num(_), Constant::Number)
            | (Val::Bool(_), Constant::Boolean | Constant::Truth) => (true, true),
            _ => (false, false),
        };
        self.seen.equal += usize::from(is_equal == (self.how == How::Equal));
        // An empty text is no date and no number.
        let is_value = match &self.with {
            Constant::Text(with) => with.starts_with(|c: char| c.is_ascii_digit()),
            with => *with == Constant::Field,
        };
        self.seen.has_blanks |= is_value && matches!(value, Val::TStr(text) if text.is_empty());
        self.seen.has_type |= is_type;
        self.seen.holds |= is_equal || is_type && !self.how.is_equality();
        if let (Val::TStr(text), Constant::Text(with), true) =
            (value, &self.with, self.how.is_equality() && !is_equal)
            && let Ok(text) = std::str::from_utf8(text)
            && text.trim().to_lowercase() == with.trim().to_lowercase()
        {
            self.seen.others += 1;
            if self.seen.spellings.len() < MAX_SPELLINGS {
                self.seen.spellings.insert(text.to_owned());
            }
        }
        if let (Val::TStr(text), Constant::Text(day), How::AtMost | How::Above) =
            (value, &self.with, self.how)
            && is_day(day)
            && text.len() > day.len()
            && text.starts_with(day.as_bytes())
        {
            self.seen.example = Some(String::from_utf8_lossy(text).into_owned());
        }
        if let (Val::TStr(text), Constant::Truth) = (value, &self.with)
            && text.eq_ignore_ascii_case(b"false")
        {
            self.seen.example = Some(String::from_utf8_lossy(text).into_owned());
        }
        if !is_type && self.seen.other.is_none() {
            let shown: String = value.to_string().chars().take(MAX_BYTES).collect();
            self.seen.other = Some((type_name(value), shown));
        }
        if !self.seen.holds
            && self.seen.values.len() < MAX_KEPT
            && !matches!(value, Val::Arr(_) | Val::Obj(_))
        {
            let shown = value.to_string();
            if shown.len() <= MAX_BYTES {
                self.seen.values.insert(shown);
            }
        }
        true
    }

    /// Returns a note if no value has the type of the constant, if only some have it, or if none
    /// is equal to it.
    pub(super) fn note(&self, all: &[Comparison]) -> Option<String> {
        if self.with == Constant::Null {
            return None;
        }
        if let (Constant::Text(with), true, 1..) =
            (&self.with, self.selects_each, self.seen.repeated)
        {
            return Some(self.of_each(with));
        }
        let path = self.trail.spelled();
        if self.with == Constant::Fallback {
            let count = self.seen.others;
            return (count > 0).then(|| {
                format!(
                    "`{path}` is false in {count} records, and `//` takes its right side for these, \
                     too: `if {path} == null then … else {path} end` keeps false"
                )
            });
        }
        if let (Constant::Truth, false_text) = (&self.with, &self.seen.example) {
            let text = raw_json::quote(false_text.as_ref()?);
            return Some(format!(
                "`{path}` is the string {text} in some records, and every string is true in a \
                 condition"
            ));
        }
        if self.seen.holds {
            return self.of_some(all);
        }
        match (&self.with, &self.seen.other) {
            (_, Some((other, _))) if !self.seen.has_type => Some(self.of_none(other)),
            (Constant::Text(with), _)
                if self.seen.has_type && self.how.is_equality() && with.len() <= MAX_BYTES =>
            {
                self.of_unequal(with)
            }
            _ => None,
        }
    }

    /// Returns the note on values that all have another type than the constant.
    fn of_none(&self, other: &str) -> String {
        let (path, with) = (self.trail.spelled(), self.with.name());
        let instead = match (&self.with, other) {
            (Constant::Number, "a string") => {
                format!("; `({path} | tonumber)` compares as a number")
            }
            (_, "an array") => format!("; `any({path}[]; . == …)` compares its elements"),
            _ => String::new(),
        };
        let such_as = self.seen.such_as();
        format!("`{path}` is {other} in the records{such_as}, and never {with}{instead}")
    }

    /// Returns the note on a text that no value is equal to.
    fn of_unequal(&self, with: &str) -> Option<String> {
        let values = &self.seen.values;
        let known = || values.iter().map(|value| value.trim_matches('"'));
        let near = nearest(with, known(), MAX_SHOWN);
        let spelled = |near: &&str| known().zip(values).find(|(value, _)| value == near);
        let near: Vec<&str> =
            near.iter().filter_map(|near| Some(spelled(near)?.1.as_str())).collect();
        // Nothing is equal to what no record has: that is as it says.
        if self.how == How::Unequal && near.is_empty() {
            return None;
        }
        let shown = match near.as_slice() {
            [] if (1..=MAX_SHOWN).contains(&values.len()) => {
                format!("; the values are {}", self.seen.first())
            }
            [] => self.seen.such_as(),
            near => format!("; nearest: {}", near.join(", ")),
        };
        let other = self.seen.other.as_ref().filter(|(other, _)| *other == "a number");
        let other = other.map_or_else(String::new, |(_, example)| {
            format!("; it is a number in some records, such as {example}")
        });
        let (path, with) = (self.trail.spelled(), raw_json::quote(with));
        Some(format!("no record has {with} in `{path}`{shown}{other}"))
    }

    /// Returns a note if some values have another type than the constant.
    fn of_some(&self, all: &[Comparison]) -> Option<String> {
        let (path, own, with) = (self.trail.spelled(), self.trail.of_element(), self.with.name());
        if let Some((other, example)) = &self.seen.other {
            return Some(match self.how {
                How::Equal | How::Unequal => format!(
                    "`{path}` is {other} in some records, such as {example}, and there never \
                     equal to {with}"
                ),
                _ => format!(
                    "`{path}` is {other} in some records, such as {example}, which jq compares \
                     with {with} by type only: null, booleans, numbers, strings"
                ),
            });
        }
        if let (Constant::Text(day), Some(time), true) =
            (&self.with, &self.seen.example, !self.how.is_equality())
        {
            let [day, time] = [day, time].map(|text| raw_json::quote(text));
            let operator = if self.how == How::AtMost { "<=" } else { ">" };
            return Some(format!(
                "`{path}` has times such as {time}, and {day} is the start of its day; for the \
                 whole day: `{path}[:10] {operator} {day}`"
            ));
        }
        if let (Constant::Text(with), Some(other)) = (&self.with, self.seen.spellings.first()) {
            return self.of_spellings(with, other, all);
        }
        let has_nulls =
            self.seen.has_nulls && !all.iter().any(|other| other.is_guard_of(&self.trail));
        let is_blank_guard = |other: &Comparison| other.is_blank_guard_of(&self.trail);
        let has_blanks = self.seen.has_blanks && !all.iter().any(is_blank_guard);
        if has_nulls && self.how == How::Unequal && self.with == Constant::Text(String::new()) {
            return Some(format!(
                "`{path}` is null or absent in some records, and null is not equal to \"\": \
                 `{own} != null and …` leaves these out"
            ));
        }
        let (is, guard) = match (has_nulls, has_blanks) {
            _ if !matches!(self.how, How::Less | How::AtMost) => return None,
            (false, false) => return None,
            (true, false) => ("null or absent in some records, and null is", "null"),
            (false, true) => ("an empty string in some records, which is", "\"\""),
            (true, true) => {
                ("null, absent or empty in some records, which is", "null and … != \"\"")
            }
        };
        Some(format!(
            "`{path}` is {is} less than {with}; `{own} != {guard} and …` leaves these out"
        ))
    }

    /// Returns the note on texts that differ in letter case or blanks alone, unless the filter
    /// names one of them.
    fn of_spellings(&self, with: &str, other: &str, all: &[Comparison]) -> Option<String> {
        let is_other = |one: &Comparison| {
            let is_one = |text: &String| one.with == Constant::Text(text.clone());
            self.seen.spellings.iter().any(is_one) && one.trail.is_same(&self.trail)
        };
        (has_word(with, true) && !all.iter().any(is_other)).then(|| {
            let spellings = std::iter::once(with).chain(self.seen.spellings.iter().map(|s| &**s));
            let spellings: Vec<String> = spellings.map(raw_json::quote).collect();
            let (with, other) = (&spellings[0], raw_json::quote(other));
            let is_equal = self.how == How::Equal;
            let way = if is_equal { "` takes all" } else { " | not` leaves out all" };
            format!(
                "`{}` is {other} in {} records, which differs from {with} in letter case or \
                 blanks alone: `IN({}){way}",
                self.trail.spelled(),
                self.seen.others,
                spellings.join(", ")
            )
        })
    }

    /// Returns the note on records that `select` gives once for each element that is equal.
    fn of_each(&self, with: &str) -> String {
        let (path, with) = (self.trail.spelled(), raw_json::quote(with));
        let array = path.rsplit_once("[]").map_or(&*path, |(array, _)| array);
        let (not, sign) = if self.how == How::Unequal { ("value but ", "!=") } else { ("", "==") };
        format!(
            "`select` gives a record once for each {not}{with} in `{path}`, and {} records have \
             several: `any({array}[]; {} {sign} {with})` gives each record once",
            self.seen.repeated,
            self.trail.of_element()
        )
    }
}

/// Returns true for a date without a time.
fn is_day(text: &str) -> bool {
    let mut bytes = text.bytes().enumerate();
    text.len() == 10
        && bytes.all(
            |(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() },
        )
}
