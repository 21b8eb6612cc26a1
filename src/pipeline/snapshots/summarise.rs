//! Writes summaries. If a model is configured, it writes them; its replies are verified against the
//! messages and retried once with the faults. Otherwise the built-in summariser writes them. No
//! text of a model is used without verification.

use std::time::Instant;

use futures::future::join_all;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::earlier::EarlierSnapshots;
use crate::model::{Client, Completion, Finish, Prompt, Speaker, Turn};
use crate::pipeline::context::Context;
use crate::pipeline::report::ModelCost;
use crate::pipeline::settings::Run;
use crate::pipeline::summariser::SummariserKind;
use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::acceptance::{Accepted, Limits, SourceText, accept};
use crate::snapshot::format::summary::{Summary, Writer};
use crate::snapshot::group::SnapshotBudget;
use crate::snapshot::mending::Lost;
use crate::snapshot::prompt::{self, Wanted};
use crate::snapshot::transcript::TranscriptMessage;
use token_count::Tokenizer;

/// Maximum number of replies of the model: the first one and one retry.
const ATTEMPTS: usize = 2;
/// Maximum length of a message's text in a prompt, in characters, and the length at which
/// truncation for a small window ends.
const TEXT_CHARS: usize = 200_000;
const MIN_TEXT_CHARS: usize = 200;
/// Maximum tokens of a model's reasoning before its reply.
const THOUGHTS: u64 = 8_000;
/// Maximum tokens of a list of faults.
const FAULTS: u64 = 1_000;

/// The request for a summary.
pub(crate) struct SummaryRequest<'a> {
    pub(crate) said: &'a [TranscriptMessage<'a>],
    /// The earlier snapshots, which the summary also replaces.
    pub(crate) earlier: &'a EarlierSnapshots,
    /// The tokens that the summary replaces.
    pub(crate) tokens: u64,
    pub(crate) budget: SnapshotBudget,
}

/// A summary, with the reasons for rejected replies.
pub(crate) struct WrittenSummary {
    pub(crate) summary: Summary,
    pub(crate) writer: Writer,
    pub(crate) rejected: Vec<String>,
    /// The sentences that were removed from the accepted reply, with the reasons.
    pub(crate) dropped: Vec<String>,
    /// The tokens of the removed sentences.
    pub(crate) lost: Lost,
    /// The cost of the model.
    pub(crate) cost: ModelCost,
}

/// A model returned no acceptable summary.
struct NoSummary {
    rejected: Vec<String>,
    cost: ModelCost,
}

/// Writes a summary for each request. A summary of the built-in summariser is empty, because it is
/// made later, when its budget is known.
pub(crate) fn summaries<'s>(
    context: &Context<'_>,
    wanted: &[&SummaryRequest<'_>],
    around: impl FnOnce() -> Vec<TranscriptMessage<'s>>,
) -> Result<Vec<WrittenSummary>, String> {
    let summariser = &context.offloader.summariser;
    let client = summariser.asked().filter(|_| context.settings.run() == Run::Real);
    let Some(client) = client else {
        let none = || NoSummary { rejected: Vec::new(), cost: ModelCost::default() };
        return Ok(wanted.iter().map(|_| extracts(none())).collect());
    };
    let deadline = client.deadline();
    let around = around();
    let asked = wanted.iter().map(|one| {
        let span = model_span(client);
        let asked = ask(client, one, &around, context.tokenizer, deadline).instrument(span.clone());
        async move {
            let outcome = asked.await;
            record(&span, &outcome);
            outcome
        }
    });
    let outcomes = client.block_on(join_all(asked));
    outcomes
        .into_iter()
        .map(|outcome| match outcome {
            Ok(written) => Ok(written),
            Err(none) if summariser.kind == SummariserKind::Llm => Err(format!(
                "not compressed: no snapshot of the model was accepted: {}",
                none.rejected.join("; ")
            )),
            Err(none) => Ok(extracts(none)),
        })
        .collect()
}

/// Returns the span for one snapshot of the model. It is not part of the context of log lines.
fn model_span(client: &Client) -> Span {
    tracing::info_span!(
        target: "unburden::traces",
        "model",
        model = client.settings().model,
        calls = Empty,
        input_tokens = Empty,
        output_tokens = Empty,
        error = Empty,
    )
}

fn record(span: &Span, outcome: &Result<WrittenSummary, NoSummary>) {
    let cost = match outcome {
        Ok(written) => &written.cost,
        Err(none) => &none.cost,
    };
    span.record("calls", cost.calls).record("input_tokens", cost.prompt_tokens);
    span.record("output_tokens", cost.reply_tokens);
    if outcome.is_err() {
        span.record("error", "no_snapshot");
    }
}

fn extracts(none: NoSummary) -> WrittenSummary {
    let NoSummary { rejected, cost } = none;
    let (summary, writer) = (Summary::default(), Writer::Extractive);
    WrittenSummary { summary, writer, rejected, dropped: Vec::new(), lost: Lost::default(), cost }
}

/// Asks the model, and again if its reply is rejected. The error lists the reasons.
async fn ask(
    client: &Client,
    wanted: &SummaryRequest<'_>,
    around: &[TranscriptMessage<'_>],
    tokenizer: Tokenizer,
    deadline: Instant,
) -> Result<WrittenSummary, NoSummary> {
    let count = |text: &str| tokenizer.count(text);
    let earlier = (!wanted.earlier.text.is_empty()).then_some(wanted.earlier.text.as_str());
    let source = SourceText::new(wanted.said, around, earlier, &wanted.earlier.user);
    let limits = Limits { max_tokens: wanted.budget.model.min(wanted.tokens), count: &count };
    let mut prompt = prompt_for(client, wanted, around, &source, limits.max_tokens, &count);
    let mut cost = ModelCost::default();
    let mut calls = client.calls();
    let mut rejected = Vec::new();
    for _ in 0..ATTEMPTS {
        let completion = client.complete(&prompt, deadline, &mut calls).await;
        cost.calls = calls.made();
        let completion = match completion {
            Ok(completion) => completion,
            Err(error) => {
                tracing::warn!(%error, "the model wrote no snapshot");
                rejected.push(error.to_string());
                return Err(NoSummary { rejected, cost });
            }
        };
        let turns = prompt.turns.iter().map(|turn| count(&turn.text));
        cost.prompt_tokens += count(&prompt.system) + turns.sum::<u64>();
        cost.reply_tokens += count(&completion.text);
        let reasons = match read(&completion, &source, &limits) {
            Ok(Accepted { summary, dropped, lost }) => {
                let dropped = dropped.iter().map(ToString::to_string).collect();
                let writer = Writer::Model;
                return Ok(WrittenSummary { summary, writer, rejected, dropped, lost, cost });
            }
            Err(reasons) => reasons,
        };
        for reason in reasons.iter().map(ToString::to_string) {
            if !rejected.contains(&reason) {
                rejected.push(reason);
            }
        }
        ask_again(&mut prompt, completion.text, &reasons, limits.max_tokens, &count);
    }
    tracing::warn!(calls = cost.calls, "no reply of the model could be used");
    Err(NoSummary { rejected, cost })
}

/// Adds the faults to the prompt, after the rejected reply if that is short. A long reply must not
/// fill the context window, and some servers reject an empty turn.
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
    source: &SourceText<'_>,
    limits: &Limits<'_>,
) -> Result<Accepted, Vec<Rejection>> {
    match &completion.finished {
        Finish::Stop => accept(&completion.text, source, limits),
        Finish::Length => Err(vec![Rejection::Unfinished]),
        Finish::Refused => Err(vec![Rejection::Refused]),
        Finish::Filtered => Err(vec![Rejection::Filtered]),
        Finish::Other(_) => Err(vec![Rejection::NoSnapshot]),
    }
}

/// Renders the first prompt. Shortens the middle of texts until it fits the window.
fn prompt_for(
    client: &Client,
    wanted: &SummaryRequest<'_>,
    around: &[TranscriptMessage<'_>],
    source: &SourceText<'_>,
    most: u64,
    count: &dyn Fn(&str) -> u64,
) -> Prompt {
    let earlier = (!wanted.earlier.text.is_empty()).then_some(wanted.earlier.text.as_str());
    let (messages, language) = (wanted.said, source.languages().main);
    let asked = Wanted { messages, around, earlier, language, budget: most };
    // Reserve room for the reply, and for a rejected reply with its faults.
    let window = client.settings().context_window.saturating_sub(4 * most + FAULTS);
    let mut chars = TEXT_CHARS;
    let rendered = loop {
        let rendered = prompt::render(&asked, chars);
        let size = count(&rendered.system) + count(&rendered.user);
        if size <= window || chars < MIN_TEXT_CHARS {
            break rendered;
        }
        chars /= 2;
    };
    let turn = Turn { speaker: Speaker::User, text: rendered.user };
    // The reasoning of a model counts as well.
    let max_tokens = Some(THOUGHTS + 2 * most);
    Prompt { system: rendered.system, turns: vec![turn], max_tokens }
}
