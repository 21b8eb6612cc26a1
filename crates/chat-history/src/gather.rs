//! Puts the results of a turn into one message, where a provider expects them: the message after
//! the calls, before any other block.

use std::ops::Range;

use crate::History;
use crate::dialect::Problem;
use crate::message::{MessageView, Role};

/// The rules that hold if all results are in one message, ahead of its other blocks.
const GATHERED: [&str; 3] = ["results_apart", "results_not_first", "result_count_differs"];

/// Returns the problems that are solved by putting the results of a turn into one message.
pub(super) fn scattered(problems: &[Problem]) -> impl Iterator<Item = &Problem> {
    problems.iter().filter(|problem| GATHERED.contains(&problem.rule.name))
}

/// Puts the results of each turn in which they are scattered into one message. Returns the
/// messages, or `None` if no turn needs it.
pub(super) fn gather(history: &History<'_>, views: &[MessageView]) -> Option<Vec<String>> {
    let all: Vec<&MessageView> = views.iter().collect();
    let problems = history.dialect().problems(&all);
    let mut broken = vec![false; views.len()];
    scattered(&problems).for_each(|problem| broken[problem.index] = true);
    if !broken.contains(&true) {
        return None;
    }
    let mut messages: Vec<Option<String>> =
        history.messages().iter().map(|raw| Some((*raw).to_owned())).collect();
    let mut before: Vec<Option<String>> = vec![None; views.len()];
    let mut is_changed = false;
    for turn in turns(views).filter(|turn| broken[turn.clone()].contains(&true)) {
        let carriers: Vec<usize> =
            turn.clone().filter(|at| !views[*at].results.is_empty()).collect();
        let Some(first) = carriers.first().copied() else { continue };
        let place = turn.clone().find(|at| views[*at].role != Role::Assistant).unwrap_or(first);
        let all_of = |at: usize| (0..views[at].results.len()).collect::<Vec<_>>();
        let (dialect, raws) = (history.dialect(), history.messages());
        let base = match place == first {
            true => Some(raws[first].to_owned()),
            false => dialect.only_results(raws[first], &all_of(first)),
        };
        let gathered = base.and_then(|base| {
            let rest = carriers.iter().skip(1).map(|at| raws[*at]);
            dialect.gathered_results(&std::iter::once(&*base).chain(rest).collect::<Vec<_>>())
        });
        let Some(gathered) = gathered else { continue };
        is_changed = true;
        for at in carriers {
            messages[at] = dialect.without_results(raws[at], &all_of(at));
        }
        match place == first {
            true => messages[first] = Some(gathered),
            false => before[place] = Some(gathered),
        }
    }
    let both = before.into_iter().zip(messages).flat_map(|(before, message)| [before, message]);
    is_changed.then(|| both.flatten().collect())
}

/// Returns the turns: consecutive messages of the model, with the messages up to the next one of
/// the model or of the system.
fn turns(views: &[MessageView]) -> impl Iterator<Item = Range<usize>> {
    let starts = move |at: &usize| {
        let role = |at: usize| views[at].role;
        match role(*at) {
            Role::Assistant => *at == 0 || role(*at - 1) != Role::Assistant,
            Role::System | Role::MidSystem => true,
            _ => *at == 0,
        }
    };
    let begins: Vec<usize> = (0..views.len()).filter(starts).chain([views.len()]).collect();
    (1..begins.len()).map(move |at| begins[at - 1]..begins[at])
}
