//! The pairs of calls and outputs of a history. Ids repeat in long histories: an output belongs to
//! the nearest preceding call with its id that has no output yet.

use std::collections::HashMap;

use crate::dialect::turn_starts;
use crate::message::MessageView;

/// Calls and the outputs that answer them, by the indexes of their messages.
#[derive(Default)]
pub(super) struct Pairs<'v> {
    /// Call and output.
    pub(super) answered: Vec<(usize, usize)>,
    /// Calls without an output, with their ids.
    pub(super) open: Vec<(usize, &'v str)>,
    /// Outputs without a preceding call, with their ids.
    pub(super) orphans: Vec<(usize, &'v str)>,
}

impl<'v> Pairs<'v> {
    /// Finds the pairs of a history.
    pub(super) fn find(views: &[&'v MessageView]) -> Pairs<'v> {
        let mut pairs = Pairs::default();
        let mut waiting: HashMap<&str, Vec<usize>> = HashMap::new();
        // Calls whose id is not in the history: an output that matches no other call counts as
        // theirs. If the provider has the call, its output may come at any time. A broken call has
        // its output in its turn or not at all: a later output would change the extent of the turn,
        // of which parts may have moved by then.
        let mut nameless = Vec::new();
        for ((index, view), starts) in views.iter().enumerate().zip(turn_starts(views)) {
            if starts {
                nameless.retain(|call: &usize| views[*call].faults.is_empty());
            }
            for call in &view.calls {
                match &call.id {
                    Some(id) => waiting.entry(id).or_default().push(index),
                    None => nameless.push(index),
                }
            }
            for id in view.results.iter().filter_map(|result| result.call_id.as_deref()) {
                let call = waiting.get_mut(id).and_then(Vec::pop).or_else(|| nameless.pop());
                match call {
                    Some(call) => pairs.answered.push((call, index)),
                    None => pairs.orphans.push((index, id)),
                }
            }
        }
        let open = |(id, calls): (&'v str, Vec<usize>)| calls.into_iter().map(move |at| (at, id));
        pairs.open = waiting.into_iter().flat_map(open).collect();
        // The order of a map is not defined.
        pairs.open.sort_unstable();
        pairs
    }
}
