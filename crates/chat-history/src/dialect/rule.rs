//! Rules of providers, and what breaks them.

/// A rule of a provider for histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Its name, in a stable short form: the same in every format that has it.
    pub name: &'static str,
    /// The provider's error for a request that breaks it, as close to the original as known;
    /// `{id}` is replaced with the id concerned.
    pub error: &'static str,
}

/// A rule that a message breaks, whatever is around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The id concerned, if any.
    pub id: Option<String>,
}

/// Something a provider would reject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The message, counted from 0.
    pub index: usize,
    /// The rule that is broken.
    pub rule: Rule,
    /// The id concerned, if any.
    pub id: Option<String>,
    /// The place among the message's calls or results, if the id does not tell: without ids
    /// they are told apart by name and order.
    pub place: Option<usize>,
}

/// True if each problem of `after` is one of `before`, and no more often.
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

    /// Returns the problem that a fault of message `index` is.
    pub fn from_fault(index: usize, fault: &Fault) -> Problem {
        Problem::new(index, fault.rule, fault.id.clone())
    }

    /// Returns the error of the provider, with the id concerned.
    pub fn error(&self) -> String {
        self.rule.error.replace("{id}", self.id.as_deref().unwrap_or("(none)"))
    }
}
