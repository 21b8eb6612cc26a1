//! A read-back: a text of the history that a tool read from a stored file, with the
//! reference that replaces it.

use std::ops::Range;

use crate::compaction::call::{FilePart, ReloadTools, call};
use crate::compaction::reference::{self, ReferenceForm};
use crate::compaction::wrapper::Wrapper;

/// A text that a stored file can restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadBack {
    /// The file, spelled under the store as the caller spells it; for an answer of `grep`, the
    /// first of its files.
    pub path: String,
    /// The file's length in bytes.
    pub bytes: u64,
    /// The hash of the content that the reference covers ([`reference::Reference::code`]).
    pub content: blake3::Hash,
    /// The form of its reference.
    pub(super) form: ReferenceForm,
}

impl ReadBack {
    /// Returns true if the text is the whole file.
    pub(crate) fn is_whole(&self) -> bool {
        let ReferenceForm::ReadBack { bytes, wrapper } = &self.form else { return false };
        *bytes == (0..self.bytes) && *wrapper == Wrapper::default()
    }

    /// Returns the beginning and the end of the text, which the reference repeats.
    pub(crate) fn repeated(&self) -> (&str, &str) {
        match &self.form {
            ReferenceForm::ReadBack { wrapper, .. } | ReferenceForm::GrepAnswer { wrapper, .. } => {
                (&wrapper.head, &wrapper.tail)
            }
            ReferenceForm::RecordLines(again) => (&again.head, &again.tail),
            ReferenceForm::Text | ReferenceForm::Json | ReferenceForm::Records { .. } => ("", ""),
        }
    }

    /// Returns the text that replaces it in the history.
    pub(crate) fn replacement(&self, tokens: u64, tools: &ReloadTools) -> String {
        let again = |part: &FilePart| {
            call(tools, &self.path, part).unwrap_or_else(|| "the file below".into())
        };
        match &self.form {
            ReferenceForm::ReadBack { bytes, wrapper } => {
                let part = FilePart::Bytes(bytes.clone());
                reference::read_back(&self.path, bytes, wrapper, tokens, &again(&part))
            }
            ReferenceForm::GrepAnswer { head, lines, wrapper } => {
                reference::found(&self.path, head, (lines, wrapper), tokens, "grep again")
            }
            ReferenceForm::RecordLines(again) => {
                reference::again(&self.path, again, tokens, "lro_extract again")
            }
            ReferenceForm::Text | ReferenceForm::Json | ReferenceForm::Records { .. } => {
                reference::line(&self.path)
            }
        }
    }
}

/// Returns a part of a file's text, by bytes.
pub(crate) fn slice<'a>(content: &'a str, bytes: &Range<u64>) -> Option<&'a str> {
    let start = usize::try_from(bytes.start).ok()?;
    let end = usize::try_from(bytes.end).ok()?;
    content.get(start..end)
}
