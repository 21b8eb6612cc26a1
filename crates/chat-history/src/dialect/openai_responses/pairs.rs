//! The pairs of calls and outputs of a history. Ids repeat in long histories, once
//! answered: an output belongs to the nearest call of its id before it that has none
//! yet.

use std::collections::HashMap;

use crate::dialect::turn_starts;
use crate::message::MessageView;

/// Which output answers which call, by the indexes of their messages.
#[derive(Default)]
pub(super) struct Pairs<'v> {
    /// Call and output.
    pub(super) answered: Vec<(usize, usize)>,
    /// Calls without an output, with their ids.
    pub(super) open: Vec<(usize, &'v str)>,
    /// Outputs without a call before them, with the ids they name.
    pub(super) orphans: Vec<(usize, &'v str)>,
}

impl<'v> Pairs<'v> {
    /// The pairs of a history.
    pub(super) fn find(views: &[&'v MessageView]) -> Pairs<'v> {
        let mut pairs = Pairs::default();
        let mut waiting: HashMap<&str, Vec<usize>> = HashMap::new();
        // Calls whose id is not in the history: an output that fits no other call is
        // taken for theirs. Where the provider has the call, its output may come at any
        // time; a broken one has its output in its turn or not at all. Later, that would
        // change what the turn is, and parts of it may have moved by then.
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
        // A map has no order of its own.
        pairs.open.sort_unstable();
        pairs
    }
}
