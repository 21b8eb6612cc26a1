//! The state snapshot: the text that replaces older messages (`context-offload-guide`, §2,
//! compression).
//!
//! ```text
//! <state_snapshot>
//! <overall_goal>
//! …
//! </overall_goal>
//! … five more sections that a summariser writes …
//! <user_directives>
//! - the user's own words
//! </user_directives>
//! <offloaded_files>
//! - ./store/tool_call_7.txt | bash {"command":"make"} | 8200 tokens
//! </offloaded_files>
//! </state_snapshot>
//! (Original 17 messages are stored in: ./store/compressed_group_c_0.json)
//! ```
//!
//! The content of a section is data. If a tool's or a person's text contains a tag of this grammar,
//! the tag is escaped, so that no text can close its section, open another, or end the snapshot.

use std::ops::{Index, IndexMut};

/// The sections of a summary, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Section {
    /// The user's goal.
    OverallGoal,
    /// Rules of the user that are still valid.
    ActiveConstraints,
    /// Facts.
    KeyKnowledge,
    /// Files and other things that were read, created or changed.
    ArtifactTrail,
    /// The last actions and their outcomes.
    RecentActions,
    /// The plan: done, in progress, open.
    TaskState,
}

impl Section {
    /// All sections, in order.
    pub(crate) const ALL: [Section; 6] = [
        Section::OverallGoal,
        Section::ActiveConstraints,
        Section::KeyKnowledge,
        Section::ArtifactTrail,
        Section::RecentActions,
        Section::TaskState,
    ];

    /// Returns the name of the tag.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Section::OverallGoal => "overall_goal",
            Section::ActiveConstraints => "active_constraints",
            Section::KeyKnowledge => "key_knowledge",
            Section::ArtifactTrail => "artifact_trail",
            Section::RecentActions => "recent_actions",
            Section::TaskState => "task_state",
        }
    }
}

/// A value for each of the six sections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BySection<T>(pub(crate) [T; 6]);

impl<T> Index<Section> for BySection<T> {
    type Output = T;

    fn index(&self, section: Section) -> &T {
        &self.0[section as usize]
    }
}

impl<T> IndexMut<Section> for BySection<T> {
    fn index_mut(&mut self, section: Section) -> &mut T {
        &mut self.0[section as usize]
    }
}

/// The unescaped texts of the sections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary(BySection<String>);

impl Summary {
    /// Returns the text of a section.
    pub(crate) fn get(&self, section: Section) -> &str {
        &self.0[section]
    }

    /// Appends a later summary, section by section.
    pub(crate) fn append(&mut self, later: &Summary) {
        for (own, later) in self.0.0.iter_mut().zip(&later.0.0) {
            if !own.is_empty() && !later.is_empty() {
                own.push('\n');
            }
            own.push_str(later);
        }
    }

    /// Sets the text of a section.
    pub(crate) fn set(&mut self, section: Section, text: impl Into<String>) {
        self.0[section] = text.into();
    }
}

/// The writer of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Writer {
    /// A model.
    Model,
    /// The built-in summariser.
    Extractive,
}
