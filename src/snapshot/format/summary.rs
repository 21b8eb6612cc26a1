//! The state snapshot: the text that replaces older messages
//! (`context-offload-guide`, §2, compression).
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
//! Everything inside a section is data. A tag of this grammar that stands in the
//! text of a tool or a person is escaped, so no text can close its section, open
//! another, or end the snapshot.

/// The sections that a summariser writes, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Section {
    /// The user's goal.
    OverallGoal,
    /// Rules that the user set and that still hold.
    ActiveConstraints,
    /// Facts.
    KeyKnowledge,
    /// Files and other things that were read, made or changed.
    ArtifactTrail,
    /// The last actions and their outcomes.
    RecentActions,
    /// The plan: done, under way, open.
    TaskState,
}

impl Section {
    /// All of them, in order.
    pub(crate) const ALL: [Section; 6] = [
        Section::OverallGoal,
        Section::ActiveConstraints,
        Section::KeyKnowledge,
        Section::ArtifactTrail,
        Section::RecentActions,
        Section::TaskState,
    ];

    /// The tag's name.
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

/// The texts of the six sections, unescaped, by [`Section`] as index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary([String; 6]);

impl Summary {
    /// The text of a section.
    pub(crate) fn get(&self, section: Section) -> &str {
        &self.0[section as usize]
    }

    /// Adds a later summary behind this one, section by section.
    pub(crate) fn append(&mut self, later: &Summary) {
        for (own, later) in self.0.iter_mut().zip(&later.0) {
            if !own.is_empty() && !later.is_empty() {
                own.push('\n');
            }
            own.push_str(later);
        }
    }

    /// Sets the text of a section.
    pub(crate) fn set(&mut self, section: Section, text: impl Into<String>) {
        self.0[section as usize] = text.into();
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
