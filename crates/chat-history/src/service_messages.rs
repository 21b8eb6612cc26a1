//! Messages that this service writes into a history. In formats without system messages they are
//! user messages, and only their text distinguishes them from the user's own.

/// Placeholder in a group's file for the message that holds the snapshots.
pub const HOLDER_PLACEHOLDER: &str = "(the system message of the history that holds the snapshots)";
/// Placeholder in a group's file for any other system message before the group.
pub const SYSTEM_PLACEHOLDER: &str = "(a system message of the history)";
/// First message of a history whose first messages were summarised in the system prompt, in formats
/// that require the user to speak first.
pub const BRIDGE: &str = "(The messages before this one are summarised in the system prompt.)";

/// A stub: the text with which repair replaces a missing result.
pub const STUB: &str = "(no result: the history that was sent has none for this call)";

/// A screenshot of one white pixel, because the output of a computer accepts no text.
pub const NO_SCREENSHOT: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklE\
                             QVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg==";

/// Precedes the format of a snapshot's messages in the line of its files. The line names no format
/// if it is `openai-chat`.
pub const IN_FORMAT: &str = ", in ";

/// Length of a hash in a snapshot, in bytes: six groups of three digits.
pub const HASH_BYTES: usize = 6 * 3 + 5;

/// Returns true if a user's message with this first text is one of this service's: it holds
/// snapshots with the line of their files, whatever a client appended, or is only [`BRIDGE`]
/// (`alone`).
pub fn is_service_message(first: &str, alone: bool) -> bool {
    is_snapshot(first) || alone && first == BRIDGE
}

/// Returns true for a placeholder of a system message in a group's file.
pub fn is_placeholder(text: &str) -> bool {
    [HOLDER_PLACEHOLDER, SYSTEM_PLACEHOLDER].contains(&text)
}

/// Returns true for a placeholder, and for [`BRIDGE`].
pub fn is_fixed_text(text: &str) -> bool {
    is_placeholder(text) || text == BRIDGE
}

fn is_snapshot(text: &str) -> bool {
    text.trim_ascii_start().strip_prefix("<state_snapshot>").is_some_and(|rest| {
        rest.split_once("</state_snapshot>")
            .is_some_and(|(_, behind)| behind.contains(" stored in: "))
    })
}
