//! The summariser: who writes the summaries of a process.

use std::sync::Arc;

use crate::model::Client;

/// What of a model's window the prompt may not take: instructions and answer.
const RESERVE: u64 = 12_000;

/// Who writes summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The model; the built-in summariser where it fails.
    Auto,
    /// The model; nothing where it fails.
    Llm,
    /// The built-in summariser.
    Extractive,
}

/// The summariser of this process.
#[derive(Debug, Clone)]
pub struct Summariser {
    /// Who writes.
    pub kind: Kind,
    /// The model, where one is configured.
    pub client: Option<Arc<Client>>,
}

impl Summariser {
    /// The built-in summariser alone.
    pub fn extractive() -> Summariser {
        Summariser { kind: Kind::Extractive, client: None }
    }

    /// The model's name, where a model is asked.
    pub fn model(&self) -> Option<&str> {
        self.asked().map(|client| client.settings().model.as_str())
    }

    /// What tells its snapshots from another summariser's.
    pub(crate) fn identity(&self) -> (Kind, Option<&str>) {
        (self.kind, self.model())
    }

    /// What the model can read of a history at once, in tokens.
    pub(crate) fn window(&self) -> Option<u64> {
        let window = self.asked()?.settings().context_window;
        Some(window.saturating_sub(RESERVE).max(window / 2))
    }

    pub(crate) fn asked(&self) -> Option<&Client> {
        self.client.as_deref().filter(|_| self.kind != Kind::Extractive)
    }
}
