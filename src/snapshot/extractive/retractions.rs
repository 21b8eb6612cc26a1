//! Retractions: later sentences of the user that take back or change a request. They are shown with
//! the goal, because the goal alone would be misleading.

use std::sync::LazyLock;

use regex::Regex;

use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{any_of, is_negated};
use crate::snapshot::text::sentences::sentences;
use crate::snapshot::text::word_lists::WORDS;

/// Maximum bytes of a sentence.
const LONGEST: usize = 300;
/// Maximum number of content words of a sentence that takes back whatever precedes it.
const BARE: usize = 2;

static RETRACTING: LazyLock<Regex> = LazyLock::new(|| any_of(&WORDS.retractions));
static LIFTING: LazyLock<Regex> = LazyLock::new(|| any_of(&WORDS.liftings));

/// Returns true for a sentence with words that take something back.
pub(super) fn takes_back(sentence: &str) -> bool {
    RETRACTING.is_match(sentence)
}

/// Returns true for a sentence that takes back a rule with the same subject: it says so, or it
/// permits what the rule forbids.
pub(super) fn lifts(sentence: &str, rule: &str) -> bool {
    takes_back(sentence) || (permits(sentence) && is_negated(rule))
}

/// Returns true for a sentence that permits something and contains no negation.
pub(super) fn permits(sentence: &str) -> bool {
    LIFTING.is_match(sentence) && !is_negated(sentence)
}

/// Returns the sentences of `later` texts that take back a part of `goal`, in order. They contain
/// words of retraction, and share a content word with the goal or have hardly any.
pub(super) fn retractions<'a>(goal: &str, later: &[&'a str]) -> Vec<&'a str> {
    let about = content_words(goal);
    let is_retraction = |sentence: &&str| {
        // A line after `>` quotes somebody else.
        let is_other = sentence.len() > LONGEST || sentence.trim_start().starts_with('>');
        if is_other || goal.contains(*sentence) || !takes_back(sentence) {
            return false;
        }
        let named = content_words(sentence);
        named.len() <= BARE || named.iter().any(|word| about.contains(word))
    };
    later.iter().flat_map(|text| sentences(text)).filter(is_retraction).collect()
}

#[cfg(test)]
mod tests {
    use super::retractions;

    #[test]
    fn what_takes_a_goal_back_is_found() {
        let goal = "Export all invoices of 2024 as CSV.";
        for (said, is_found) in [
            ("Forget about the export, do the import first.", true),
            ("Never mind.", true),
            ("We no longer need the invoices from 2024.", true),
            ("Vergiss den Export der Rechnungen.", true),
            ("Ya no necesito el export.", true),
            ("Экспорт отменяется.", true),
            ("> \"We no longer need invoices.\"", false),
            ("Please cancel the subscription of customer 81 in the billing portal.", false),
            ("The invoices look good.", false),
            ("How many invoices are there?", false),
        ] {
            assert_eq!(retractions(goal, &[said]), [said][..usize::from(is_found)], "{said}");
        }
        assert_eq!(retractions("导出所有发票。", &["导出取消了，先修复登录。"]).len(), 1);
    }
}
