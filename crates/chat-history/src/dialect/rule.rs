//! Rules of providers, and violations of them.

/// A rule of a provider for histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Its name, in a stable short form: the same in every format that has it.
    pub name: &'static str,
    /// The provider's error for a request that breaks the rule, as close to the original as known;
    /// `{id}` is replaced with the id concerned.
    pub error: &'static str,
}

/// A violation of a rule by one message, whatever the other messages are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The id concerned, if any.
    pub id: Option<String>,
}

/// A violation for which a provider would reject the history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The message, counted from 0.
    pub index: usize,
    /// The rule that is broken.
    pub rule: Rule,
    /// The id concerned, if any.
    pub id: Option<String>,
    /// The place among the message's calls or results, if the id does not identify it: without ids,
    /// name and order distinguish them.
    pub place: Option<usize>,
}

/// Returns true if each problem of `after` is also in `before`, at least as often.
pub fn no_new_problems(mut before: Vec<Problem>, mut after: Vec<Problem>) -> bool {
    before.sort_unstable();
    after.sort_unstable();
    let mut known = before.into_iter();
    after.into_iter().all(|problem| known.by_ref().find(|one| *one >= problem) == Some(problem))
}

impl Problem {
    /// Returns a problem of message `index`.
    pub fn new(index: usize, rule: Rule, id: Option<String>) -> Problem {
        Problem { index, rule, id, place: None }
    }

    /// Returns the problem for a fault of message `index`.
    pub fn from_fault(index: usize, fault: &Fault) -> Problem {
        Problem::new(index, fault.rule, fault.id.clone())
    }

    /// Returns the error of the provider, with the id concerned.
    pub fn error(&self) -> String {
        self.rule.error.replace("{id}", self.id.as_deref().unwrap_or("(none)"))
    }
}
