//! The sentences and types of the settings, as both clients have them.

use super::with_unit;
use crate::params::{Field, HistoryMembers};
use crate::pipeline::Settings;

/// The clients do not request the contents of files.
pub(super) const OWN_FILES: (&str, &str) = ("include_files", "false, unlike the service's");

/// Returns the sentence on a setting in a client; some settings have another default there.
pub(super) fn sentence(field: &Field, own: &[(&str, &str)]) -> String {
    let own = own.iter().find(|(name, _)| *name == field.name);
    let default = own.map(|(_, default)| (*default).to_owned()).or(field.default_in_words());
    let default = default.map(|default| format!(" Default: {default}."));
    let text = with_unit(field, &field.paragraphs()[0]);
    format!("{text}{}", default.unwrap_or_default())
}

/// The names of the types of words, for clients.
pub(super) const TYPES: [(&str, &str); 8] = [
    ("context_manage_mode", "Mode"),
    ("working_summary_mode", "Mode"),
    ("format", "Format"),
    ("descriptor", "Descriptor"),
    ("cache", "PromptCache"),
    ("counted_parts", "CountedParts"),
    ("reload_tools", "ReloadTool"),
    ("compact_roles", "Role"),
];

pub(super) fn type_of(field: &Field) -> &'static str {
    TYPES.iter().find(|(name, _)| *name == field.name).unwrap().1
}

/// Returns each type of words with its words, quoted.
pub(super) fn types(quote: char) -> impl Iterator<Item = (&'static str, Vec<String>)> {
    let fields = Settings::FIELDS.iter().chain(HistoryMembers::FIELDS);
    let fields = fields.filter(|f| !f.words.is_empty() && f.name != "working_summary_mode");
    let quoted = move |word: &&str| format!("{quote}{word}{quote}");
    fields.map(move |field| (type_of(field), field.words.iter().map(quoted).collect()))
}
