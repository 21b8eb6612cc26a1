//! Summaries: from the model where one is configured, held to its source, with
//! one more try that says what was wrong; from the built-in summariser otherwise.
//! No text of a model is used that was not accepted.

use std::time::Instant;

use futures::future::join_all;

use super::earlier::Earlier;
use crate::compression::acceptance::{Limits, Source, accept};
use crate::compression::group::Budget;
use crate::compression::prompt;
use crate::compression::rejection::Rejection;
use crate::compression::snapshot::{Summary, Writer};
use crate::compression::transcript::Said;
use crate::model::{Client, Completion, Finish, Prompt, Speaker, Turn};
use crate::pipeline::context::Context;
use crate::pipeline::request::Run;
use crate::pipeline::summariser::Kind;
use token_count::Tokenizer;

/// Texts that are looked at: the first, and one that mends it.
const ATTEMPTS: usize = 2;
/// Longest text of a message in a prompt, in characters, and the shortest that a
/// full window brings it down to.
const TEXT_CHARS: usize = 200_000;
const LEAST_CHARS: usize = 200;
/// Most tokens of a list of faults.
const FAULTS: u64 = 1_000;

/// A summary that is wanted.
pub(crate) struct Wanted<'a> {
    pub(crate) said: &'a [Said<'a>],
    /// The snapshots before it, which it stands for, too.
    pub(crate) earlier: &'a Earlier,
    /// The number of tokens that it replaces.
    pub(crate) tokens: u64,
    pub(crate) budget: Budget,
}

/// A summary, and what was not accepted on the way.
pub(crate) struct Written {
    pub(crate) summary: Summary,
    pub(crate) writer: Writer,
    pub(crate) rejected: Vec<String>,
}

/// A summary for each; of the built-in one the text is made later, when it
/// is known how much room is left for it.
pub(crate) fn summaries<'s>(
    context: &Context<'_>,
    wanted: &[&Wanted<'_>],
    voices: impl FnOnce() -> Vec<Said<'s>>,
) -> Result<Vec<Written>, String> {
    let summariser = &context.offloader.summariser;
    let client = summariser.asked().filter(|_| context.settings.run == Run::Real);
    let Some(client) = client else {
        return Ok(wanted.iter().map(|_| extracts(Vec::new())).collect());
    };
    let deadline = client.deadline();
    let voices = voices();
    let asked = wanted.iter().map(|one| ask(client, one, &voices, context.tokenizer, deadline));
    let outcomes = client.block_on(join_all(asked));
    outcomes
        .into_iter()
        .map(|outcome| match outcome {
            Ok(written) => Ok(written),
            Err(rejected) if summariser.kind == Kind::Llm => Err(format!(
                "not compressed: no snapshot of the model was accepted: {}",
                rejected.join("; ")
            )),
            Err(rejected) => Ok(extracts(rejected)),
        })
        .collect()
}

fn extracts(rejected: Vec<String>) -> Written {
    Written { summary: Summary::default(), writer: Writer::Extractive, rejected }
}

/// Asks the model, once more where its text is rejected. The error says why
/// nothing was accepted.
async fn ask(
    client: &Client,
    wanted: &Wanted<'_>,
    voices: &[Said<'_>],
    tokenizer: Tokenizer,
    deadline: Instant,
) -> Result<Written, Vec<String>> {
    let count = |text: &str| tokenizer.count(text);
    let earlier = (!wanted.earlier.text.is_empty()).then_some(wanted.earlier.text.as_str());
    let source = Source::new(wanted.said, voices, earlier, &wanted.earlier.user);
    let limits = Limits { max_tokens: wanted.budget.model.min(wanted.tokens), count: &count };
    let mut prompt = prompt_for(client, wanted, &source, limits.max_tokens, &count);
    let mut calls = client.calls();
    let mut rejected = Vec::new();
    for _ in 0..ATTEMPTS {
        let completion = match client.complete(&prompt, deadline, &mut calls).await {
            Ok(completion) => completion,
            Err(error) => {
                rejected.push(error.to_string());
                return Err(rejected);
            }
        };
        let reasons = match read(&completion, &source, &limits) {
            Ok(summary) => return Ok(Written { summary, writer: Writer::Model, rejected }),
            Err(reasons) => reasons,
        };
        for reason in reasons.iter().map(ToString::to_string) {
            if !rejected.contains(&reason) {
                rejected.push(reason);
            }
        }
        ask_again(&mut prompt, completion.text, &reasons, limits.max_tokens, &count);
    }
    Err(rejected)
}

/// Adds what was wrong. The rejected text stands before it where it is short: a
/// flood must not fill the window, and some servers refuse an empty turn.
fn ask_again(
    prompt: &mut Prompt,
    rejected: String,
    reasons: &[Rejection],
    most: u64,
    count: &dyn Fn(&str) -> u64,
) {
    let faults = prompt::retry(reasons);
    if !rejected.trim().is_empty() && count(&rejected) <= 2 * most {
        prompt.turns.push(Turn { speaker: Speaker::Assistant, text: rejected });
        prompt.turns.push(Turn { speaker: Speaker::User, text: faults });
    } else if let Some(last) = prompt.turns.last_mut() {
        last.text.push_str("\n\n");
        last.text.push_str(&faults);
    }
}

fn read(
    completion: &Completion,
    source: &Source<'_>,
    limits: &Limits<'_>,
) -> Result<Summary, Vec<Rejection>> {
    match &completion.finished {
        Finish::Stop => accept(&completion.text, source, limits),
        Finish::Length => Err(vec![Rejection::Unfinished]),
        Finish::Refused => Err(vec![Rejection::Refused]),
        Finish::Filtered => Err(vec![Rejection::Filtered]),
        Finish::Other(_) => Err(vec![Rejection::NoSnapshot]),
    }
}

/// The first prompt; texts are cut in the middle until it fits the window.
fn prompt_for(
    client: &Client,
    wanted: &Wanted<'_>,
    source: &Source<'_>,
    most: u64,
    count: &dyn Fn(&str) -> u64,
) -> Prompt {
    let earlier = (!wanted.earlier.text.is_empty()).then_some(wanted.earlier.text.as_str());
    // Room for the answer, and for a rejected one with what was wrong in it.
    let window = client.settings().context_window.saturating_sub(4 * most + FAULTS);
    let mut chars = TEXT_CHARS;
    let rendered = loop {
        let rendered = prompt::render(wanted.said, earlier, source.language(), most, chars);
        let size = count(&rendered.system) + count(&rendered.user);
        if size <= window || chars < LEAST_CHARS {
            break rendered;
        }
        chars /= 2;
    };
    let turn = Turn { speaker: Speaker::User, text: rendered.user };
    Prompt { system: rendered.system, turns: vec![turn] }
}
