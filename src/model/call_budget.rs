//! The budget of HTTP calls for one snapshot.

/// The HTTP calls left for one snapshot. All calls of
/// [`Client::complete`](super::Client::complete) for a snapshot share it, so retries after
/// broken connections and after rejected texts count together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallBudget {
    left: u32,
    made: u32,
}

impl CallBudget {
    /// Maximum number of HTTP calls for one snapshot.
    pub(crate) const MAX: u32 = 3;

    /// Creates a budget of `calls`, at most [`CallBudget::MAX`].
    pub(crate) fn new(calls: u32) -> CallBudget {
        CallBudget { left: calls.min(CallBudget::MAX), made: 0 }
    }

    /// Returns the calls left.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }

    /// Returns the calls made.
    pub(crate) fn made(&self) -> u32 {
        self.made
    }

    /// Takes one call. Returns false if none is left.
    pub(super) fn take(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        self.made += 1;
        true
    }
}
