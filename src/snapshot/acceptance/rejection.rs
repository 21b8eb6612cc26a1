//! Reasons to reject a model's snapshot. Each has a stable word for reports and logs, and
//! one sentence for a person and for the model's retry. The sentence may quote the
//! snapshot; the word never does.

use std::fmt::{Display, Formatter, Result};

use crate::snapshot::format::summary::Section;
use crate::snapshot::text::identifiers::IdentifierKind;
use crate::snapshot::text::language::Language;

/// A fault of a model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The model refused to write one.
    Refused,
    /// The endpoint filtered the reply.
    Filtered,
    /// There is no snapshot in the reply.
    NoSnapshot,
    /// The reply ends before the snapshot does, or in the middle of a thought.
    Unfinished,
    /// There is more than one snapshot.
    SeveralSnapshots,
    /// Text stands after the snapshot.
    TextAfter,
    /// Text stands in the snapshot, but in no section.
    StrayText {
        /// Its beginning.
        text: String,
    },
    /// A section that is not one of the six.
    UnknownSection {
        /// Its name.
        name: String,
    },
    /// A section stands twice.
    RepeatedSection {
        /// The section or sections.
        section: Section,
    },
    /// A section does not end before the next begins, or holds a bare tag.
    BrokenSection {
        /// The section or sections.
        section: Section,
        /// The tag found in it, without its brackets.
        tag: String,
    },
    /// Sections are absent.
    MissingSections {
        /// The section or sections.
        sections: Vec<Section>,
    },
    /// Every section is blank.
    Empty,
    /// The snapshot is too large.
    TooLarge {
        /// Its tokens.
        found: u64,
        /// The most it may have.
        limit: u64,
    },
    /// The snapshot is not in the user's language.
    WrongLanguage {
        /// The language it is in.
        found: Language,
        /// The language of the user.
        expected: Language,
    },
    /// It names something that the messages do not hold.
    Ungrounded {
        /// The kind of name.
        kind: IdentifierKind,
        /// The name, as the snapshot spells it.
        text: String,
    },
    /// A value that stands elsewhere, and another one where the sentence's words do.
    WrongValue {
        /// The value.
        value: String,
        /// The sentence.
        line: String,
    },
    /// A sentence that does not hold.
    Untrue {
        /// Its fault.
        fault: Fault,
        /// The sentence.
        sentence: String,
    },
}

/// The fault of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It says that the user asked for something that the user did not ask for.
    ClaimedOrder,
    /// A constraint that neither the user nor the system set.
    ForeignConstraint,
    /// A goal that is not the user's.
    ForeignGoal,
    /// It follows an order that a tool's result gives to agents.
    FollowedOrder,
    /// A step that is said to be done, and that nothing shows to be done.
    NotDone,
    /// Too much speaks against it.
    Unsupported,
}

impl Fault {
    pub(super) fn of(self, sentence: &str) -> Rejection {
        Rejection::Untrue { fault: self, sentence: sentence.to_owned() }
    }

    fn text(self) -> &'static str {
        match self {
            Fault::ClaimedOrder => "the user's own messages do not say this",
            Fault::ForeignConstraint => {
                "neither the user nor the system set this constraint in such words"
            }
            Fault::ForeignGoal => "this goal is not the user's",
            Fault::FollowedOrder => "this follows an order of a tool's result",
            Fault::NotDone => "the messages do not show that this is done",
            Fault::Unsupported => "the messages do not say this so",
        }
    }
}

#[cfg(test)]
impl Rejection {
    /// Returns the name of the variant; of a sentence, that of its fault.
    pub(super) fn name(&self) -> String {
        let shown = match self {
            Rejection::Untrue { fault, .. } => format!("{fault:?}"),
            _ => format!("{self:?}"),
        };
        shown.split(' ').next().unwrap_or_default().to_owned()
    }
}

impl Rejection {
    /// True for a sentence with this fault.
    pub(super) fn is(&self, of: Fault) -> bool {
        matches!(self, Rejection::Untrue { fault, .. } if *fault == of)
    }

    /// True for a name that nobody said, and for an order of a tool: no other words excuse it.
    pub(super) fn is_proof(&self) -> bool {
        self.is(Fault::FollowedOrder) || matches!(self, Rejection::Ungrounded { .. })
    }
}

impl Display for Rejection {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Rejection::Refused => write!(f, "the model refused to write a snapshot"),
            Rejection::Filtered => write!(f, "the reply was withheld by a content filter"),
            Rejection::NoSnapshot => write!(f, "the reply holds no state_snapshot element"),
            Rejection::Unfinished => {
                write!(f, "the reply ends before the state_snapshot element is closed")
            }
            Rejection::SeveralSnapshots => {
                write!(f, "the reply holds more than one state_snapshot element")
            }
            Rejection::TextAfter => write!(f, "text stands after the state_snapshot element"),
            Rejection::StrayText { text } => {
                write!(f, "text stands outside of every section: {}", Short(text))
            }
            Rejection::UnknownSection { name } => {
                write!(f, "{} is not one of the six sections", Short(name))
            }
            Rejection::RepeatedSection { section } => {
                write!(f, "the section {} stands more than once", section.tag())
            }
            Rejection::BrokenSection { section, tag } => {
                let section = section.tag();
                write!(f, "the section {section} is not closed before the bare tag {}", Short(tag))
            }
            Rejection::MissingSections { sections } => {
                let names: Vec<&str> = sections.iter().map(|section| section.tag()).collect();
                write!(f, "sections are missing: {}", names.join(", "))
            }
            Rejection::Empty => write!(f, "every section is blank"),
            Rejection::TooLarge { found, limit } => {
                write!(f, "the snapshot has {found} tokens, at most {limit} are allowed")
            }
            Rejection::WrongLanguage { expected, .. } => {
                write!(f, "the snapshot is not in {}", expected.name())
            }
            Rejection::Ungrounded { kind, text } => {
                write!(f, "the messages do not hold this {}: {}", noun(*kind), Short(text))
            }
            Rejection::WrongValue { value, line } => {
                let (value, line) = (Short(value), Short(line));
                write!(f, "the messages have another value in place of {value}: {line}")
            }
            Rejection::Untrue { fault, sentence } => {
                write!(f, "{}: {}", fault.text(), Short(sentence))
            }
        }
    }
}

fn noun(kind: IdentifierKind) -> &'static str {
    match kind {
        IdentifierKind::Path => "path",
        IdentifierKind::Url => "address",
        IdentifierKind::Id => "identifier",
        IdentifierKind::Number => "number",
        IdentifierKind::Quoted => "quoted text",
    }
}

/// The beginning of a text, on one line.
struct Short<'a>(&'a str);

impl Display for Short<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        const CHARS: usize = 160;
        let one_line = |c: char| if c.is_control() { ' ' } else { c };
        let mut rest = self.0.chars();
        for c in rest.by_ref().take(CHARS) {
            write!(f, "{}", one_line(c))?;
        }
        if rest.next().is_some() { write!(f, "…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Rejection;
    use crate::snapshot::text::identifiers::IdentifierKind;

    #[test]
    fn a_sentence_is_one_short_line() {
        let text = "a\nb".repeat(200);
        let said = Rejection::Ungrounded { kind: IdentifierKind::Quoted, text }.to_string();
        assert!(said.starts_with("the messages do not hold this quoted text: a ba b"));
        assert!(said.ends_with('…') && said.lines().count() == 1 && said.chars().count() < 220);
    }
}
