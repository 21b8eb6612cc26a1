//! The service's own messages: what it writes into a history beside the
//! snapshots. In formats that have no system messages these are a user's, and are
//! told from the user's own words by their text alone.

/// Stands in a group's file for the message that holds the snapshots.
pub const HOLDER_STUB: &str = "(the system message of the history that holds the snapshots)";
/// Stands there for any other system message before the group.
pub const OTHER_STUB: &str = "(a system message of the history)";
/// Opens a history whose first messages left for the system prompt, where the
/// format wants the user to speak first.
pub const BRIDGE: &str = "(The messages before this one are summarised in the system prompt.)";

/// In a line of a snapshot's files, stands before the name of the format that its
/// messages are in; nothing does where that is `openai-chat`.
pub const IN_FORMAT: &str = ", in ";

/// Length of a hash as a snapshot says it: six groups of three digits, in bytes.
pub const HASH_BYTES: usize = 6 * 3 + 5;

/// True where a message whose first text this is was put by this service where only
/// a user may speak: it holds snapshots with the line that says where their messages
/// are, whatever a client joined to it, or is one of the above and nothing else.
pub fn is_own(first: &str, alone: bool) -> bool {
    is_snapshot(first) || alone && first == BRIDGE
}

/// True for a text that stands for a system message in a group's file.
pub fn is_stub(text: &str) -> bool {
    [HOLDER_STUB, OTHER_STUB].contains(&text)
}

/// True for one of the texts that stand for something.
pub fn is_fixed(text: &str) -> bool {
    is_stub(text) || text == BRIDGE
}

fn is_snapshot(text: &str) -> bool {
    text.trim_ascii_start().strip_prefix("<state_snapshot>").is_some_and(|rest| {
        rest.split_once("</state_snapshot>")
            .is_some_and(|(_, behind)| behind.contains(" stored in: "))
    })
}
