//! Reasons to reject a model's snapshot or a sentence of it. Each is rendered as one sentence for a
//! person and for the model's retry, which may quote the snapshot.

use std::fmt::{Display, Formatter, Result};

use crate::snapshot::format::summary::Section;
use crate::snapshot::text::identifiers::IdentifierKind;
use crate::snapshot::text::language::Language;

/// A fault of a model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The model refused to write a snapshot.
    Refused,
    /// The endpoint filtered the reply.
    Filtered,
    /// The reply contains no snapshot.
    NoSnapshot,
    /// The reply ends before the snapshot ends, or in the model's reasoning.
    Unfinished,
    /// The reply contains more than one snapshot.
    SeveralSnapshots,
    /// Text follows the snapshot.
    TextAfter,
    /// The snapshot contains text outside its sections.
    StrayText {
        /// The beginning of the text.
        text: String,
    },
    /// The snapshot has a section that is not one of the six.
    UnknownSection {
        /// The name of the section.
        name: String,
    },
    /// A section occurs twice.
    RepeatedSection {
        /// The section.
        section: Section,
    },
    /// A section is not closed before the next begins, or contains an unescaped tag.
    BrokenSection {
        /// The section.
        section: Section,
        /// The tag in it, without brackets.
        tag: String,
    },
    /// Sections are missing.
    MissingSections {
        /// The sections.
        sections: Vec<Section>,
    },
    /// All sections are blank.
    Empty,
    /// The snapshot is too large.
    TooLarge {
        /// The tokens of the snapshot.
        found: u64,
        /// The maximum tokens.
        limit: u64,
    },
    /// The snapshot is not in the user's language.
    WrongLanguage {
        /// The language of the snapshot.
        found: Language,
        /// The main language of the user.
        expected: Language,
    },
    /// The snapshot contains a name or number that is not in the messages.
    Ungrounded {
        /// The kind of name.
        kind: IdentifierKind,
        /// The name, as spelled in the snapshot.
        text: String,
    },
    /// The messages have another value with the words of the sentence.
    WrongValue {
        /// The value.
        value: String,
        /// The sentence.
        line: String,
    },
    /// A sentence failed verification.
    Untrue {
        /// The fault of the sentence.
        fault: Fault,
        /// The sentence.
        sentence: String,
    },
}

/// The fault of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It claims a wish or an act of the user that the user's messages do not have.
    ClaimedOrder,
    /// It is a constraint that neither the user nor the system set.
    ForeignConstraint,
    /// It is a goal that is not the user's.
    ForeignGoal,
    /// It follows an order that a tool's result gives to agents.
    FollowedOrder,
    /// It claims that something is done, but the messages do not show it.
    NotDone,
    /// Its doubt reaches the threshold.
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
    /// Returns the name of the variant, or for a sentence the name of its fault.
    pub(super) fn name(&self) -> String {
        let shown = match self {
            Rejection::Untrue { fault, .. } => format!("{fault:?}"),
            _ => format!("{self:?}"),
        };
        shown.split(' ').next().unwrap_or_default().to_owned()
    }
}

impl Rejection {
    /// Returns true for a sentence with this fault.
    pub(super) fn is(&self, of: Fault) -> bool {
        matches!(self, Rejection::Untrue { fault, .. } if *fault == of)
    }

    /// Returns true for a fault that suffices alone, without other doubt: a name or value that
    /// nobody used, or an order of a tool.
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
            Rejection::TextAfter => write!(f, "there is text after the state_snapshot element"),
            Rejection::StrayText { text } => {
                write!(f, "there is text outside of the sections: {}", Short(text))
            }
            Rejection::UnknownSection { name } => {
                write!(f, "{} is not one of the six sections", Short(name))
            }
            Rejection::RepeatedSection { section } => {
                write!(f, "the section {} occurs more than once", section.tag())
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

/// Displays the beginning of a text on one line.
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
