//! Which tools of the upstream may have their results made into files.

use std::collections::HashSet;

/// The operator's choice of tools.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only these, where there are any.
    pub allow: HashSet<String>,
    /// None of these, whatever else is said.
    pub deny: HashSet<String>,
}

impl Filter {
    /// True where large results of the tool become files.
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
