//! Validation, at the service: a history in, what its provider would reject out.

use chat_history::History;
use chat_history::dialect::Problem;
use serde::Serialize;

use super::{Failure, Service};
use crate::envelope::Answer;
use crate::params::Params;

/// Most problems that the answer's text names.
const TOLD: usize = 20;

/// Most problems that `metadata` lists.
const LISTED: usize = 1_000;

/// A broken rule, for the answer.
#[derive(Debug, Serialize)]
struct Broken {
    index: usize,
    rule: &'static str,
    id: Option<String>,
    says: String,
}

impl Service {
    /// `POST /validate`; with it, whether the history is sound.
    pub fn validate(&self, body: &[u8]) -> Result<(Answer, bool), Failure> {
        let params = Params::parse(body)?;
        let history = params.history()?;
        let problems: Vec<Broken> = problems(&history)?.iter().map(Broken::of).collect();
        let mut answer = Answer::text(in_words(&history, &problems));
        answer.put("valid", &problems.is_empty());
        answer.put("format", &history.dialect().name());
        answer.put("format_source", &history.source().words());
        answer.put("count", &problems.len());
        answer.put("problems", &&problems[..problems.len().min(LISTED)]);
        Ok((answer.with_unknown(&params), problems.is_empty()))
    }
}

fn problems(history: &History<'_>) -> Result<Vec<Problem>, Failure> {
    let views = history.views()?;
    Ok(history.dialect().problems(&views.iter().collect::<Vec<_>>()))
}

impl Broken {
    fn of(problem: &Problem) -> Broken {
        let Problem { index, rule, id, .. } = problem;
        Broken { index: *index, rule: rule.name, id: id.clone(), says: problem.says() }
    }

    fn line(&self) -> String {
        format!("messages[{}] {}: {}", self.index, self.rule, self.says)
    }
}

fn in_words(history: &History<'_>, problems: &[Broken]) -> String {
    let (count, name) = (history.messages().len(), history.dialect().name());
    if problems.is_empty() {
        return format!("{count} messages of {name}: nothing that a provider would reject.");
    }
    let mut lines = vec![match problems.len() {
        1 => format!("1 problem in {count} messages of {name}:"),
        many => format!("{many} problems in {count} messages of {name}:"),
    }];
    lines.extend(problems.iter().take(TOLD).map(Broken::line));
    if problems.len() > TOLD {
        lines.push(format!("and {} more", problems.len() - TOLD));
    }
    lines.join("\n")
}
