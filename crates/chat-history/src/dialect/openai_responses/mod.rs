//! `openai-responses`: the input items of the OpenAI Responses API, as its clients,
//! the Agents SDK and Codex rollouts keep them. A history is a flat list: messages,
//! and beside them reasoning, calls and their outputs as items of their own, told by
//! `type`. A call and its output name each other by `call_id`, never by the item's
//! own `id`; other items may stand between them.
//!
//! A call of the provider's own tools (`web_search_call`, `mcp_call`, …) is one item,
//! counted and left alone. Items that hold a state only the provider can read or
//! that configure the request (`compaction`, `additional_tools`, …) are a system's:
//! no summary could take their place.

mod answer;
mod item;
mod pairs;
#[cfg(test)]
mod tests;
mod walk;

use super::reader::{mark_bridge, string};
use super::{Answered, BadMessage, Dialect, Problem, Rule, turn_starts};
use crate::message::{Call, MessageView, Role, Slot};
use crate::raw::{self, Fields};
use crate::splice::quote;
use item::{Item, Kind};
use pairs::Pairs;
use walk::Walk;

/// The name in `format`.
const NAME: &str = "openai-responses";

const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    says: "No tool call found for function call output with call_id {id}.",
};
const CALL_WITHOUT_RESULT: Rule =
    Rule { name: "call_without_result", says: "No tool output found for function call {id}." };
const REASONING_WITHOUT_ITEM: Rule = Rule {
    name: "reasoning_without_item",
    says: "Item '{id}' of type 'reasoning' was provided without its required following item.",
};
const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", says: "Missing required parameter: 'call_id'." };

/// The dialect `openai-responses`.
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        if raw::field(fields, "role").is_some() {
            return item::own_part(fields).map(|kind| format!("has a part of type \"{kind}\""));
        }
        let kind = string(fields, "type")?;
        item::is_own(&kind, fields).then(|| format!("is an item of type \"{kind}\""))
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let mut view = Walk::read(message, &Item::read(message)?);
        mark_bridge(message, &mut view);
        Ok(view)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        match Item::read(message) {
            Ok(item) if matches!(item.kind, Kind::Message(_)) => Walk::content_of(message, &item),
            _ => Vec::new(),
        }
    }

    /// A developer's: the role that OpenAI documents and that Codex's service takes,
    /// which rejects a system's. In the one shape that every reader of messages
    /// knows: with its type, and parts for content.
    fn own_message(&self, text: &str, _like: Option<&str>) -> String {
        message_of("developer", text)
    }

    fn user_message(&self, text: &str, _like: Option<&str>) -> String {
        message_of("user", text)
    }

    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        let mut starts = turn_starts(views);
        let mut last_output: Vec<usize> = (0..views.len()).collect();
        for (call, output) in Pairs::of(views).answered {
            last_output[call] = last_output[call].max(output);
        }
        // Nothing begins between a call and its output, wherever that stands.
        let mut until = 0;
        for (index, start) in starts.iter_mut().enumerate() {
            *start &= index == 0 || index > until;
            until = until.max(last_output[index]);
        }
        starts
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        let problem =
            |rule| move |(index, id): (usize, &str)| Problem::new(index, rule, Some(id.to_owned()));
        let faults = views.iter().enumerate().flat_map(|(index, view)| {
            view.faults.iter().map(move |fault| Problem::of(index, fault))
        });
        let Pairs { open, orphans, .. } = Pairs::of(views);
        let mut problems: Vec<Problem> = faults
            .chain(orphans.into_iter().map(problem(RESULT_WITHOUT_CALL)))
            .chain(open.into_iter().map(problem(CALL_WITHOUT_RESULT)))
            .chain(lone_reasoning(views).into_iter().map(problem(REASONING_WITHOUT_ITEM)))
            .collect();
        problems.sort_by_key(|problem| problem.index);
        problems
    }

    fn without_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        // An output item is its result.
        results.is_empty().then(|| raw.to_owned())
    }

    fn answered(&self, of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Answered {
        let kind = Item::read(of).ok().and_then(|item| string(&item.fields, "type"));
        let kind = kind.unwrap_or_default();
        let answer =
            |call: &&Call| answer::output(&kind, call.id.as_deref().unwrap_or_default(), text);
        Answered::Messages(calls.iter().map(answer).collect())
    }
}

fn message_of(role: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"role\":\"{role}\",\"content\":\
         [{{\"type\":\"input_text\",\"text\":{}}}]}}",
        quote(text)
    )
}

/// Reasoning whose item does not follow. Several of them in a row share what follows
/// the last; without an id the provider has nothing to look for.
fn lone_reasoning<'v>(views: &[&'v MessageView]) -> Vec<(usize, &'v str)> {
    let mut followed = false;
    let mut lone = Vec::new();
    for (index, view) in views.iter().enumerate().rev() {
        if view.reasoning {
            let id = view.reasoning_id.as_deref().filter(|_| !followed);
            lone.extend(id.map(|id| (index, id)));
        } else {
            followed = matches!(view.role, Role::Assistant | Role::Other);
        }
    }
    lone
}
