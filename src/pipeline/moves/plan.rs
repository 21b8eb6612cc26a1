//! The plan: the texts that move and the texts that stay, with reasons. It is a pure
//! function of measured messages and settings, and monotone in time – a message that may
//! move today may move tomorrow – so that a growing history keeps earlier decisions (I5).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use chat_history::History;
use chat_history::dialect::CallIndex;
use chat_history::message::{MessageView, Role, Slot, SlotKind};

use crate::measure::{Measured, MeasuredSlot, text_of};
use crate::pipeline::context::Context;
use crate::pipeline::recent::recent_from;
use crate::pipeline::settings::{CompactRole, Settings};
use context_store::Call;

/// Results of up to this many tokens never move, whatever the target, because a reference costs
/// about as much.
const WORTH_MOVING: u64 = 48;

/// A text that may move.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// The message.
    pub(crate) index: usize,
    /// The id of the call that it answers.
    pub(crate) call_id: Option<String>,
    /// The tool, as the call or the result names it.
    pub(crate) tool: Option<String>,
    /// The message with the call's arguments, and their place in it.
    pub(crate) arguments: Option<(usize, Slot)>,
    /// The text.
    pub(crate) slot: MeasuredSlot,
}

impl Candidate {
    /// Returns the position of the text: the message, and its first byte in it.
    pub(crate) fn at(&self) -> (usize, usize) {
        (self.index, self.slot.slot.span.start)
    }

    /// Returns the unescaped text.
    pub(crate) fn text<'a>(&self, context: &'a Context<'_>) -> Cow<'a, str> {
        text_of(context.history().messages()[self.index], &self.slot.slot).text
    }

    /// Returns the tool and the id of the call, as shown in file names, in the report, and in the
    /// error for an expired file: without secrets if these are redacted.
    pub(crate) fn call(&self, context: &Context<'_>) -> Call {
        let redact = context.offloader.redact;
        let word = |word: Option<&str>| word.map(|word| redact.word(word).into_owned());
        Call {
            tool: word(self.tool.as_deref()),
            call_id: word(self.call_id.as_deref()),
            arguments: None,
        }
    }
}

/// A text above the threshold that stays, and the reason.
#[derive(Debug, Clone)]
pub(crate) struct Skipped {
    pub(crate) candidate: Candidate,
    pub(crate) why: &'static str,
}

/// The texts that may move now, those that may move if the target requires more, and those that
/// stay.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) moves: Vec<Candidate>,
    /// Empty without a target.
    pub(crate) reserve: Vec<Candidate>,
    pub(crate) skipped: Vec<Skipped>,
    /// Results among the newest messages, which move only if a hard target requires it. Empty
    /// without one.
    pub(crate) newest: Vec<Candidate>,
}

/// Sorts the texts of a history into those that may move and those that stay. `tokens` is the cost
/// of each message, which determines the newest ones.
pub(crate) fn plan(
    history: &History<'_>,
    measured: &[Arc<Measured>],
    tokens: &[u64],
    settings: &Settings,
) -> Plan {
    let dialect = history.dialect();
    let views: Vec<&MessageView> = measured.iter().map(|m| &m.view).collect();
    let recent = recent_from(dialect, &views, tokens, settings.recent());
    let newest_user = views.iter().rposition(|view| view.role == Role::User);
    let mut plan = Plan::default();
    let mut callers = CallIndex::default();
    for (index, message) in measured.iter().enumerate() {
        callers.add_calls(index, &message.view);
        if matches!(message.view.role, Role::System | Role::MidSystem) {
            continue;
        }
        let tools = settings.compact_roles.contains(&CompactRole::Tool);
        for (result, slots) in message.view.results.iter().zip(&message.results).filter(|_| tools) {
            let caller = callers.call_of(result);
            let of = |slot: &MeasuredSlot| Candidate {
                index,
                call_id: result.call_id.clone(),
                tool: result.name.clone().or_else(|| caller?.1.name.clone()),
                arguments: caller.and_then(|(at, call)| Some((at, call.arguments.clone()?))),
                slot: slot.clone(),
            };
            plan.sort(slots, of, index >= recent, settings);
        }
        let observations = settings.compact_roles.contains(&CompactRole::User)
            && message.view.role == Role::User
            // Results next to the texts would move earlier than these, but a message must change
            // only once.
            && message.view.results.is_empty()
            && Some(index) != newest_user;
        if observations {
            let of = |slot: &MeasuredSlot| Candidate {
                index,
                call_id: None,
                tool: None,
                arguments: None,
                slot: slot.clone(),
            };
            // A document or a name next to the user's words is not the user's text.
            let words: HashSet<usize> = dialect
                .content_slots(history.messages()[index])
                .into_iter()
                .filter(|slot| slot.kind == SlotKind::String)
                .map(|slot| slot.span.start)
                .collect();
            let is_word = |slot: &&MeasuredSlot| words.contains(&slot.slot.span.start);
            let strings: Vec<MeasuredSlot> =
                message.texts.iter().filter(is_word).cloned().collect();
            plan.sort(&strings, of, index >= recent, settings);
        }
    }
    plan
}

impl Plan {
    /// Sorts the slots of one result, whose size is the total of its slots.
    fn sort(
        &mut self,
        slots: &[MeasuredSlot],
        of: impl Fn(&MeasuredSlot) -> Candidate,
        recent: bool,
        settings: &Settings,
    ) {
        let tokens: u64 = slots.iter().map(|slot| slot.tokens).sum();
        let large = tokens > settings.max_tool_message_tokens;
        let targeted = settings.target_tokens.is_some();
        for slot in slots {
            let spare = targeted && slot.exact && slot.tokens > WORTH_MOVING;
            if recent && spare {
                self.newest.push(of(slot));
            }
            match (large, recent, slot.exact) {
                (true, true, _) => {
                    let why = "is among the newest messages";
                    self.skipped.push(Skipped { candidate: of(slot), why });
                }
                (true, false, false) => {
                    let why = "contains a lone surrogate, which a UTF-8 file cannot contain";
                    self.skipped.push(Skipped { candidate: of(slot), why });
                }
                (true, false, true) => self.moves.push(of(slot)),
                (false, false, true) if spare => self.reserve.push(of(slot)),
                (false, _, _) => {}
            }
        }
    }
}
