//! Rules of providers, and what breaks them.

/// A rule of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Its name, in a stable short form: the same in every format that has it.
    pub name: &'static str,
    /// The provider's error for a request that breaks it, as near to its own words
    /// as can be known; `{id}` stands for the id concerned.
    pub says: &'static str,
}

/// A rule that a message breaks by itself, whatever stands around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The rule.
    pub rule: Rule,
    /// The id concerned, where there is one.
    pub id: Option<String>,
}

/// Something a provider would reject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The message, counted from 0.
    pub index: usize,
    /// The rule that is broken.
    pub rule: Rule,
    /// The id concerned, where there is one.
    pub id: Option<String>,
    /// Which of the message's calls or results, where the id does not say it: without
    /// ids they are told apart by name and order.
    pub place: Option<usize>,
}

/// True where each problem of `after` is one of `before`, as often as it stands there.
pub fn none_is_new(mut before: Vec<Problem>, mut after: Vec<Problem>) -> bool {
    before.sort_unstable();
    after.sort_unstable();
    let mut known = before.into_iter();
    after.into_iter().all(|problem| known.by_ref().find(|one| *one >= problem) == Some(problem))
}

impl Problem {
    /// A broken rule at message `index`.
    pub fn new(index: usize, rule: Rule, id: Option<String>) -> Problem {
        Problem { index, rule, id, place: None }
    }

    /// The fault of message `index`.
    pub fn of(index: usize, fault: &Fault) -> Problem {
        Problem::new(index, fault.rule, fault.id.clone())
    }

    /// The error of the provider.
    pub fn says(&self) -> String {
        self.rule.says.replace("{id}", self.id.as_deref().unwrap_or("(none)"))
    }
}
