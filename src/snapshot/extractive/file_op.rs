//! Operations on files and addresses, as named in the trail.

use super::labels::{LANGUAGES, Labels};

/// An operation on an artifact, in order of increasing importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileOp {
    /// A search or a report named the file.
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

    /// Returns the operation with a label of any language.
    pub(super) fn labelled(label: &str) -> Option<FileOp> {
        let has_label = |op: &FileOp| LANGUAGES.iter().any(|labels| op.label(labels) == label);
        FileOp::ALL.into_iter().find(has_label)
    }

    /// Returns the operation of a tool on its file, derived from the name of the tool.
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
