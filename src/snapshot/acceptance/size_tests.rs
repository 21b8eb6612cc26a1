//! The size of a summary.

use super::{Limits, Section, SourceText, accept, history, reply};
use crate::snapshot::acceptance::rejection::Rejection;

/// A summary that is more than twice as large as allowed is rejected; a smaller one is shortened.
#[test]
fn the_size_is_met_exactly() {
    let history = history();
    let source = SourceText::new(&history, &[], None, "");
    let reply = reply(&[(Section::OverallGoal, "Summarise the page about tides.")]);
    let count = |text: &str| text.len() as u64;
    let large = |max_tokens| match accept(&reply, &source, &Limits { max_tokens, count: &count }) {
        Ok(_) => None,
        Err(faults) => faults.iter().find_map(|fault| match fault {
            Rejection::TooLarge { found, limit } => Some((*found, *limit)),
            _ => None,
        }),
    };
    let (size, _) = large(1).unwrap();
    let half = size.div_ceil(2);
    assert_eq!((large(half), large(half - 1)), (None, Some((size, half - 1))));
}
