//! `/validate`: the problems that a provider would reject a history for.

use chat_history::History;
use chat_history::dialect::Problem;
use serde::Serialize;

use super::failure::Failure;
use super::state::Service;
use crate::envelope::{Answer, counted};
use crate::params::Params;

/// Maximum number of problems that the answer's text shows.
const MAX_SHOWN: usize = 20;

/// Maximum number of problems that `metadata` lists.
const MAX_LISTED: usize = 1_000;

/// A problem, for the answer.
#[derive(Debug, Serialize)]
struct ProblemRow {
    index: usize,
    rule: &'static str,
    id: Option<String>,
    says: String,
}

impl Service {
    /// `POST /validate`: returns the answer, and true if the history is valid.
    pub fn validate(&self, body: &[u8]) -> Result<(Answer, bool), Failure> {
        let params = Params::parse(body)?;
        let history = params.history()?;
        let problems: Vec<ProblemRow> = problems(&history)?.iter().map(ProblemRow::of).collect();
        let mut answer = Answer::text(summary(&history, &problems));
        answer.put("valid", &problems.is_empty());
        answer.put("format", &history.dialect().name());
        answer.put("format_source", &history.source().words());
        answer.put("count", &problems.len());
        answer.put("problems", &&problems[..problems.len().min(MAX_LISTED)]);
        Ok((answer.with_unknown(&params), problems.is_empty()))
    }
}

fn problems(history: &History<'_>) -> Result<Vec<Problem>, Failure> {
    let views = history.views()?;
    Ok(history.dialect().problems(&views.iter().collect::<Vec<_>>()))
}

impl ProblemRow {
    fn of(problem: &Problem) -> ProblemRow {
        let Problem { index, rule, id, .. } = problem;
        ProblemRow { index: *index, rule: rule.name, id: id.clone(), says: problem.error() }
    }

    fn line(&self) -> String {
        format!("messages[{}] {}: {}", self.index, self.rule, self.says)
    }
}

fn summary(history: &History<'_>, problems: &[ProblemRow]) -> String {
    let (count, name) = (history.messages().len(), history.dialect().name());
    if problems.is_empty() {
        return format!("{count} messages of {name}: nothing that a provider would reject.");
    }
    let problems_of = counted(problems.len(), "problem");
    let mut lines = vec![format!("{problems_of} in {count} messages of {name}:")];
    lines.extend(problems.iter().take(MAX_SHOWN).map(ProblemRow::line));
    if problems.len() > MAX_SHOWN {
        lines.push(format!("and {} more", problems.len() - MAX_SHOWN));
    }
    lines.join("\n")
}
