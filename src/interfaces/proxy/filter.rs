//! The filter for upstream tools whose large results are offloaded.

use std::collections::HashSet;

/// The operator's lists of tool names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    /// If not empty, only these tools are offloaded.
    pub allow: HashSet<String>,
    /// These tools are never offloaded, even if allowed.
    pub deny: HashSet<String>,
}

impl Filter {
    /// Returns true if large results of the tool are offloaded.
    pub(super) fn takes(&self, tool: &str) -> bool {
        !self.deny.contains(tool) && (self.allow.is_empty() || self.allow.contains(tool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_wins_over_allowed_and_allowed_over_all() {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert!(Filter::default().takes("a"));
        let both = Filter { allow: set(&["a", "b"]), deny: set(&["b"]) };
        assert_eq!(["a", "b", "c"].map(|tool| both.takes(tool)), [true, false, false]);
    }
}
