//! Rules of providers, and what breaks them.

/// A rule of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Its name, in a stable short form: the same in every format that has it.
    pub name: &'static str,
    /// What the provider says of a request that breaks it, as near to its own words
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
}

impl Problem {
    /// The fault of message `index`.
    pub fn of(index: usize, fault: &Fault) -> Problem {
        Problem { index, rule: fault.rule, id: fault.id.clone() }
    }

    /// What the provider would say.
    pub fn says(&self) -> String {
        self.rule.says.replace("{id}", self.id.as_deref().unwrap_or("(none)"))
    }
}
