//! The service's own messages: what it writes into a history beside the
//! snapshots. In formats that have no system messages these are a user's, and are
//! told from the user's own words by their text alone.

/// What stands in a group's file for the message that holds the snapshots.
pub const HOLDER_STUB: &str = "(the system message of the history that holds the snapshots)";
/// What stands there for any other system message before the group.
pub const OTHER_STUB: &str = "(a system message of the history)";
/// Opens a history whose first messages left for the system prompt, where the
/// format wants the user to speak first.
pub const BRIDGE: &str = "(The messages before this one are summarised in the system prompt.)";

/// True for a text that this service put where only a user may speak: snapshots
/// with the line that says where their messages are, or one of the above.
pub fn is_own(text: &str) -> bool {
    [HOLDER_STUB, OTHER_STUB, BRIDGE].contains(&text) || is_snapshot(text)
}

fn is_snapshot(text: &str) -> bool {
    text.trim_ascii_start().strip_prefix("<state_snapshot>").is_some_and(|rest| {
        rest.split_once("</state_snapshot>")
            .is_some_and(|(_, behind)| behind.contains(" stored in: "))
    })
}
