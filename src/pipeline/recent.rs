//! The newest messages, which stay: a minimum number, and more of them while they have few tokens.

use std::ops::Range;

use chat_history::dialect::Dialect;
use chat_history::message::{MessageView, Role};

/// The newest messages that stay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recent {
    /// The minimum number of messages.
    pub(crate) count: u64,
    /// More messages stay while their total is at most this many tokens.
    pub(crate) tokens: u64,
}

/// Returns the first of the newest messages that stay. Never separates a call from its results.
/// `tokens` is the cost of each message.
pub(crate) fn recent_from(
    dialect: &dyn Dialect,
    views: &[&MessageView],
    tokens: &[u64],
    recent: Recent,
) -> usize {
    Units::of(dialect, views, tokens).recent_from(views.len(), recent)
}

/// The messages of a history in units that must not be divided.
pub(crate) struct Units {
    /// True for each message that begins a unit.
    starts: Vec<bool>,
    /// The tokens of each message; 0 for a system message, which always stays.
    costs: Vec<u64>,
}

impl Units {
    /// Returns the units of a history whose messages cost `tokens`.
    pub(crate) fn of(dialect: &dyn Dialect, views: &[&MessageView], tokens: &[u64]) -> Units {
        let cost = |(view, tokens): (&&MessageView, &u64)| match view.role {
            Role::System => 0,
            _ => *tokens,
        };
        let costs = views.iter().zip(tokens).map(cost).collect();
        Units { starts: dialect.unit_starts(views), costs }
    }

    /// Returns true if a unit ends before message `end`.
    pub(crate) fn ends_at(&self, end: usize) -> bool {
        self.starts.get(end).is_none_or(|starts| *starts)
    }

    /// Returns the first of the newest messages that stay, among the messages before `end`.
    pub(crate) fn recent_from(&self, end: usize, recent: Recent) -> usize {
        let count = usize::try_from(recent.count).unwrap_or(usize::MAX);
        let mut from = end.saturating_sub(count);
        if from < end {
            from = (0..=from).rev().find(|index| self.starts[*index]).unwrap_or(from);
        }
        let cost = |unit: Range<usize>| -> u64 { self.costs[unit].iter().sum() };
        let mut left = recent.tokens.saturating_sub(cost(from..end));
        for start in (0..from).rev().filter(|index| self.starts[*index]) {
            match left.checked_sub(cost(start..from)) {
                Some(rest) => (from, left) = (start, rest),
                None => break,
            }
        }
        from
    }
}

#[cfg(test)]
mod tests {
    use chat_history::History;

    use super::*;

    /// It stays in any case, so it takes no room of the others.
    #[test]
    fn a_system_message_costs_nothing_among_the_newest() {
        let roles = ["user", "assistant", "system", "assistant"];
        let messages = roles.map(|role| format!(r#"{{"role":"{role}","content":"x"}}"#));
        let array = format!("[{}]", messages.join(","));
        let history = History::parse(&array, "openai-chat").expect("a history");
        let views = history.views().expect("its views");
        let views: Vec<&MessageView> = views.iter().collect();
        let from = |tokens| {
            let recent = Recent { count: 1, tokens };
            recent_from(history.dialect(), &views, &[10, 10, 1_000, 10], recent)
        };
        assert_eq!([30, 29, 9].map(from), [0, 1, 2]);
    }
}
