//! Texts that must have a part: `startswith`, `endswith`, `contains` and `test`. jq tells capital
//! and small letters apart, and says nothing of texts that it leaves out for these alone.

use jaq_json::Val;
use memchr::memmem;

use super::{super::patterns::Pattern, shape::Step, trail::Trail};
use record_sql::has_word;

/// The most characters of a text that is shown.
const MAX_SHOWN: usize = 80;

/// How a text has a part.
#[derive(Clone, Debug)]
pub(super) enum Has {
    /// `startswith`.
    Start,
    /// `endswith`.
    End,
    /// `contains`.
    Part,
    /// `test`: the expression as it is, and one for letters of any case.
    Match(Box<[Pattern; 2]>),
}

/// A part that the texts of a field must have.
#[derive(Clone, Debug)]
pub(super) struct PartOf {
    trail: Trail,
    has: Has,
    /// The part as the filter spells it.
    part: String,
    /// True if some text has it.
    found: bool,
    /// The texts that have it in other letters alone, and the first one.
    others: usize,
    other: Option<String>,
}

impl Has {
    /// Returns the expression of a `test`, unless its flags are of any case already.
    pub(super) fn matching(expression: &str, flags: &str) -> Option<Self> {
        let any_case = format!("{flags}i");
        let [exact, any] = [flags, &any_case].map(|flags| Pattern::new(expression, flags).ok());
        (!flags.contains('i')).then_some(Self::Match(Box::new([exact?, any?])))
    }

    fn is_in(&self, text: &str, part: &str, any_case: bool) -> bool {
        if let Self::Match(patterns) = self {
            return patterns[usize::from(any_case)].is_match(text);
        }
        if any_case {
            return self.is_in(&text.to_lowercase(), &part.to_lowercase(), false);
        }
        match self {
            Self::Start => text.starts_with(part),
            Self::End => text.ends_with(part),
            _ => memmem::find(text.as_bytes(), part.as_bytes()).is_some(),
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Self::Start => "begins with",
            Self::End => "ends with",
            Self::Part => "contains",
            Self::Match(_) => "matches",
        }
    }
}

impl PartOf {
    pub(super) fn new(path: Vec<Step>, has: Has, part: String) -> Self {
        Self { trail: Trail::new(path), has, part, found: false, others: 0, other: None }
    }

    /// Looks at a record.
    pub(super) fn see(&mut self, record: &Val) {
        let Self { trail, has, part, found, others, other } = self;
        trail.follow(record, &mut |value| {
            let Val::TStr(text) = value else { return true };
            let Ok(text) = std::str::from_utf8(text) else { return true };
            if has.is_in(text, part, false) {
                *found = true;
            } else if has.is_in(text, part, true) {
                *others += 1;
                other.get_or_insert_with(|| text.chars().take(MAX_SHOWN).collect());
            }
            true
        });
    }

    /// Returns a note if texts have the part in other letters alone.
    pub(super) fn note(&self) -> Option<String> {
        let other = raw_json::quote(self.other.as_ref()?);
        let (path, part, words) =
            (self.trail.spelled(), raw_json::quote(&self.part), self.has.words());
        let way = match self.has {
            Has::Match(_) => format!("`test({part}; \"i\")` finds these, too"),
            _ => "`ascii_downcase` before it compares so".to_owned(),
        };
        let same = "if capital and small letters are the same";
        if !self.found {
            return Some(format!("no text in `{path}` {words} {part}; {other} does {same}: {way}"));
        }
        let others = self.others;
        has_word(&self.part, false).then(|| {
            format!(
                "{others} texts in `{path}`, such as {other}, have {part} only in other letter \
                 case: {way}"
            )
        })
    }
}
