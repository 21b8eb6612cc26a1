//! Names and texts as SQL spells them.

/// The most characters of a text that a message shows.
const MAX_SHOWN: usize = 40;

/// Returns a name in double quotes.
pub(crate) fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a name, in double quotes if it needs them.
pub(crate) fn spelled(text: &str) -> String {
    let plain = text.split('.').all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if plain { text.to_owned() } else { name(text) }
}

/// Returns an expression as a note names it, at most 40 characters of it.
pub(crate) fn shortened(sql: &str) -> String {
    let end = if sql.chars().nth(MAX_SHOWN).is_some() { "…" } else { "" };
    sql.chars().take(MAX_SHOWN).chain(end.chars()).collect()
}

/// Returns a text in single quotes, in one line, at most 40 characters of it.
pub(crate) fn text(text: &str) -> String {
    let shown: String =
        text.chars().take(MAX_SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let end = if text.chars().nth(MAX_SHOWN).is_some() { "…" } else { "" };
    format!("'{}{end}'", shown.replace('\'', "''"))
}
