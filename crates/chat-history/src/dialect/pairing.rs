//! Pairs results with their calls: by id if there is one (the latest call with that id, because ids
//! repeat in long histories), otherwise by name and order among the calls of the last turn that
//! made any. If only one side has an id, as in saved chats of Gemini CLI, name and order decide as
//! well.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::message::{Call, MessageView, ToolResult};

/// Calls of one turn that have no result yet, in order, by name; calls without a name are under an
/// empty name.
type Waiting<'v> = HashMap<&'v str, VecDeque<(usize, &'v Call)>>;

/// The calls seen so far, each with its message.
///
/// ```
/// use chat_history::History;
/// use chat_history::dialect::CallIndex;
///
/// let posted = r#"[
///     {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "ls"}}]},
///     {"role": "tool", "tool_call_id": "a", "content": "x"}
/// ]"#;
/// let views = History::parse(posted, "auto")?.views()?;
/// let mut calls = CallIndex::default();
/// calls.add_calls(0, &views[0]);
/// let (message, call) = calls.call_of(&views[1].results[0]).ok_or("no call")?;
/// assert_eq!((message, call.name.as_deref()), (0, Some("ls")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct CallIndex<'v> {
    by_id: HashMap<&'v str, (usize, &'v Call)>,
    /// The calls of the turn with an id.
    named: Waiting<'v>,
    /// The calls of the turn without one.
    nameless: Waiting<'v>,
    /// The ids of the turn's answered calls.
    answered: HashSet<&'v str>,
    turn: Option<usize>,
}

impl<'v> CallIndex<'v> {
    /// Adds the calls of message `index`.
    pub fn add_calls(&mut self, index: usize, view: &'v MessageView) {
        if view.calls.is_empty() {
            return;
        }
        // Consecutive messages are one turn.
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

    /// Returns the message and the call that a result answers. A call without an id is returned
    /// once.
    pub fn call_of(&mut self, result: &ToolResult) -> Option<(usize, &'v Call)> {
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
