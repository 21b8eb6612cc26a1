//! `openai-responses`: the input items of the OpenAI Responses API, as its clients, the Agents SDK
//! and Codex rollouts store them. A history is a flat list: messages, reasoning, calls and outputs
//! are separate items, distinguished by `type`. A call and its output share a `call_id`, never the
//! item's own `id`; other items may be between them.
//!
//! A call of the provider's own tools (`web_search_call`, `mcp_call`, …) is one item, counted and
//! never changed. Items that hold a state only the provider can read or that configure the request
//! (`compaction`, `additional_tools`, …) count as system messages: no summary can replace them.

mod item;
mod item_reader;
mod output;
mod pairs;
#[cfg(test)]
mod tests;

use raw_json::{self as raw, Fields, quote};

use super::{BadMessage, Dialect, Problem, Rule, Stubs, turn_starts};
use crate::dialect::members::string;
use crate::dialect::view_builder::mark_bridge;
use crate::message::{Call, MessageView, Role, Slot};
use item::{Item, ItemKind};
use item_reader::ItemReader;
use pairs::Pairs;

/// The name in `format`.
const NAME: &str = "openai-responses";

const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "No tool call found for function call output with call_id {id}.",
};
const CALL_WITHOUT_RESULT: Rule =
    Rule { name: "call_without_result", error: "No tool output found for function call {id}." };
const REASONING_WITHOUT_ITEM: Rule = Rule {
    name: "reasoning_without_item",
    error: "Item '{id}' of type 'reasoning' was provided without its required following item.",
};
const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", error: "Missing required parameter: 'call_id'." };

/// The dialect `openai-responses`.
pub struct OpenAiResponses;

impl Dialect for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        if raw::field(fields, "role").is_some() {
            return item::part_of_this_format(fields)
                .map(|kind| format!("has a part of type \"{kind}\""));
        }
        let kind = string(fields, "type")?;
        item::is_of_this_format(&kind, fields).then(|| format!("is an item of type \"{kind}\""))
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let mut view = ItemReader::read(message, &Item::read(message)?);
        mark_bridge(message, &mut view);
        Ok(view)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        match Item::read(message) {
            Ok(item) if matches!(item.kind, ItemKind::Message(_)) => {
                ItemReader::content_of(message, &item)
            }
            _ => Vec::new(),
        }
    }

    /// Writes a developer message: OpenAI documents this role, and Codex's service accepts it but
    /// rejects `system`. The shape is the one that every builder of messages knows: with a type,
    /// and parts as content.
    fn service_message(&self, text: &str, _like: Option<&str>) -> String {
        message_of("developer", text)
    }

    fn user_message(&self, text: &str, _like: Option<&str>) -> String {
        message_of("user", text)
    }

    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        let mut starts = turn_starts(views);
        let mut last_output: Vec<usize> = (0..views.len()).collect();
        for (call, output) in Pairs::find(views).answered {
            last_output[call] = last_output[call].max(output);
        }
        // No unit begins between a call and its output.
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
            view.faults.iter().map(move |fault| Problem::from_fault(index, fault))
        });
        let Pairs { open, orphans, .. } = Pairs::find(views);
        let mut problems: Vec<Problem> = faults
            .chain(orphans.into_iter().map(problem(RESULT_WITHOUT_CALL)))
            .chain(open.into_iter().map(problem(CALL_WITHOUT_RESULT)))
            .chain(lone_reasoning(views).into_iter().map(problem(REASONING_WITHOUT_ITEM)))
            .collect();
        problems.sort_by_key(|problem| problem.index);
        problems
    }

    fn stub_results(&self, of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Stubs {
        let kind = Item::read(of).ok().and_then(|item| string(&item.fields, "type"));
        let kind = kind.unwrap_or_default();
        let answer =
            |call: &&Call| output::output_for(&kind, call.id.as_deref().unwrap_or_default(), text);
        Stubs::Messages(calls.iter().map(answer).collect())
    }
}

fn message_of(role: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"role\":\"{role}\",\"content\":\
         [{{\"type\":\"input_text\",\"text\":{}}}]}}",
        quote(text)
    )
}

/// Returns reasoning whose item does not follow. Consecutive reasoning items share the item after
/// the last one. Reasoning without an id is skipped, because the provider has nothing to look up.
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
