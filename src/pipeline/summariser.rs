//! The summariser: the writer of summaries in this process.

use std::sync::Arc;

use crate::model::Client;

/// Tokens of a model's context window that are reserved for instructions and the answer.
const RESERVE: u64 = 12_000;

/// The writer of summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SummariserKind {
    /// The model; the built-in summariser if it fails.
    Auto,
    /// The model; no summary if it fails.
    Llm,
    /// The built-in summariser.
    Extractive,
}

/// The summariser of this process.
#[derive(Debug, Clone)]
pub(crate) struct Summariser {
    /// The writer.
    pub kind: SummariserKind,
    /// The model, if one is configured.
    pub client: Option<Arc<Client>>,
}

impl Summariser {
    /// Returns the built-in summariser alone.
    pub(crate) fn extractive() -> Summariser {
        Summariser { kind: SummariserKind::Extractive, client: None }
    }

    /// Returns the model's name, if a model is used.
    pub(crate) fn model(&self) -> Option<&str> {
        self.asked().map(|client| client.settings().model.as_str())
    }

    /// Returns the settings that its snapshots depend on.
    pub(crate) fn identity(&self) -> (SummariserKind, Option<&str>) {
        (self.kind, self.model())
    }

    /// Returns how many tokens of a history the model can read at once.
    pub(crate) fn window(&self) -> Option<u64> {
        let window = self.asked()?.settings().context_window;
        Some(window.saturating_sub(RESERVE).max(window / 2))
    }

    pub(crate) fn asked(&self) -> Option<&Client> {
        self.client.as_deref().filter(|_| self.kind != SummariserKind::Extractive)
    }
}
