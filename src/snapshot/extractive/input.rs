//! The input that every section of a summary is made from.

use super::call_record::CallRecord;
use super::labels::Labels;
use crate::snapshot::transcript::TranscriptMessage;

/// The messages, and what is read from them once for all sections.
pub(super) struct Input<'a> {
    pub(super) messages: &'a [TranscriptMessage<'a>],
    pub(super) calls: Vec<CallRecord<'a>>,
    pub(super) labels: Labels,
}
