//! Operations on files and addresses, as the trail names them.

use super::labels::Labels;

/// An operation on an artifact, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileOp {
    /// A search or a report named it.
    Found,
    Opened,
    Run,
    Read,
    Edited,
    Written,
    Created,
    Deleted,
}

impl FileOp {
    pub(super) const ALL: [FileOp; 8] = [
        FileOp::Found,
        FileOp::Opened,
        FileOp::Run,
        FileOp::Read,
        FileOp::Edited,
        FileOp::Written,
        FileOp::Created,
        FileOp::Deleted,
    ];

    pub(super) fn label(self, labels: &Labels) -> &'static str {
        labels.ops[self as usize]
    }

    /// Returns the operation of a tool on the file that it names, by the tool's own name.
    pub(super) fn of_tool(name: &str) -> FileOp {
        let name = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if has(&["delete", "remove", "unlink"]) {
            FileOp::Deleted
        } else if has(&["replace", "edit", "patch", "update", "insert", "modify", "append", "undo"])
        {
            FileOp::Edited
        } else if has(&["create", "mkdir", "touch"]) {
            FileOp::Created
        } else if has(&["write", "save", "put", "upload"]) {
            FileOp::Written
        } else {
            FileOp::Read
        }
    }
}
