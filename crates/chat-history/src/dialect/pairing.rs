//! Pairing: which call a result answers. By id where there is one – the latest
//! call of that id, for ids repeat in long histories – and else by name and order
//! among the calls of the last turn that made any. Where only one side has an id,
//! as in saved chats of Gemini CLI, name and order decide too.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::message::{Call, MessageView, ToolResult};

/// Calls of one turn that were not answered yet, in order, by name; an empty one
/// where there is none.
type Waiting<'v> = HashMap<&'v str, VecDeque<(usize, &'v Call)>>;

/// The calls seen so far, each with its message.
#[derive(Default)]
pub struct Callers<'v> {
    by_id: HashMap<&'v str, (usize, &'v Call)>,
    /// Those of the turn that have an id.
    named: Waiting<'v>,
    /// Those of the turn that have none.
    nameless: Waiting<'v>,
    /// The ids of the turn that were answered.
    answered: HashSet<&'v str>,
    turn: Option<usize>,
}

impl<'v> Callers<'v> {
    /// Takes in the calls of message `index`.
    pub fn hear(&mut self, index: usize, view: &'v MessageView) {
        if view.calls.is_empty() {
            return;
        }
        // Messages in a row are one turn.
        if self.turn.is_none_or(|turn| turn + 1 != index) {
            self.named.clear();
            self.nameless.clear();
            self.answered.clear();
        }
        self.turn = Some(index);
        for call in &view.calls {
            let waiting = match &call.id {
                Some(id) => {
                    self.by_id.insert(id, (index, call));
                    &mut self.named
                }
                None => &mut self.nameless,
            };
            waiting
                .entry(call.name.as_deref().unwrap_or_default())
                .or_default()
                .push_back((index, call));
        }
    }

    /// The message and the call that a result answers; a call without an id is
    /// answered once.
    pub fn of(&mut self, result: &ToolResult) -> Option<(usize, &'v Call)> {
        let name = result.name.as_deref().unwrap_or_default();
        let Some(id) = &result.call_id else {
            return next(&mut self.nameless, name).or_else(|| self.next_named(name));
        };
        let Some((index, call)) = self.by_id.get(id.as_str()).copied() else {
            return next(&mut self.nameless, name);
        };
        self.answered.extend(call.id.as_deref());
        Some((index, call))
    }

    fn next_named(&mut self, name: &str) -> Option<(usize, &'v Call)> {
        std::iter::from_fn(|| next(&mut self.named, name))
            .find(|(_, call)| call.id.as_deref().is_none_or(|id| self.answered.insert(id)))
    }
}

fn next<'v>(waiting: &mut Waiting<'v>, name: &str) -> Option<(usize, &'v Call)> {
    waiting.get_mut(name)?.pop_front()
}
