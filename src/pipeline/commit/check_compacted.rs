//! The checks of an answer that keeps all messages: parses only the changed ones again.

use std::sync::Arc;

use chat_history::dialect::no_new_problems;
use chat_history::message::MessageView;
use chat_history::splice::Edit;
use chat_history::{History, HistoryError};
use fair_share::on;

use crate::measure::Measured;
use crate::pipeline::commit::subject::{Checked, Subject};
use crate::pipeline::report::Checks;
use context_store::FilesState;

/// Checks an answer.
pub(crate) fn check(
    subject: &Subject<'_>,
    array: &str,
    edits: &[Edit],
) -> Result<Checked, HistoryError> {
    // The unchanged messages are known.
    let texts = changed_texts(subject, array, edits);
    let dialect = subject.before.dialect().name();
    let after = History::from_elements(array, texts, dialect, None)?;
    // Compaction changes no message at the front, so the verdict on it remains valid.
    after.judge_front(|_| subject.before.has_service_front());
    let new = subject.measure.history(&after, subject.tokenizer)?;
    let pairs = || new.iter().zip(subject.changed.iter().map(|index| &subject.measured[*index]));
    let before = subject.tokens_before();
    let gone: u64 = pairs().map(|(_, old)| old.tokens).sum();
    let tokens = before - gone + pairs().map(|(new, _)| new.tokens).sum::<u64>();
    let pairing = || {
        new.len() == subject.changed.len()
            && pairs().all(|(new, old)| new.view.same_shape(&old.view))
            && no_new_problem(subject, &new)
    };
    let (pairing, (files, protected_untouched)) = on(|| {
        rayon::join(pairing, || {
            rayon::join(|| subject.files(), || untouched(subject, array, edits))
        })
    });
    let not_larger = tokens <= before && pairs().all(|(new, old)| new.tokens <= old.tokens);
    let references_readable = files == FilesState::Held;
    let checks = Checks { pairing, references_readable, protected_untouched, not_larger };
    Ok(Checked { checks, files, tokens })
}

/// Returns true if the answer breaks the format's rules only where the request did.
fn no_new_problem(subject: &Subject<'_>, new: &[Arc<Measured>]) -> bool {
    let dialect = subject.before.dialect();
    let mut after: Vec<&MessageView> = subject.measured.iter().map(|m| &m.view).collect();
    for (index, message) in subject.changed.iter().zip(new) {
        after[*index] = &message.view;
    }
    no_new_problems(subject.problems.to_vec(), dialect.problems(&after))
}

/// Returns the changed messages as they are in the answer.
fn changed_texts<'a>(subject: &Subject<'_>, array: &'a str, edits: &[Edit]) -> Vec<&'a str> {
    let before = subject.before;
    let mut edits = edits.iter().peekable();
    let (mut grown, mut shrunk) = (0, 0);
    let mut texts = Vec::with_capacity(subject.changed.len());
    for index in subject.changed {
        let start = before.start_of(*index);
        let end = start + before.messages()[*index].len();
        let from = start + grown - shrunk;
        while let Some(edit) = edits.next_if(|edit| edit.span.start < end) {
            grown += edit.replacement.len();
            shrunk += edit.span.len();
        }
        texts.push(array.get(from..end + grown - shrunk).unwrap_or_default());
    }
    texts
}

/// Returns true if the bytes between the edits are the posted bytes, and no edit is in a protected
/// message.
fn untouched(subject: &Subject<'_>, array: &str, edits: &[Edit]) -> bool {
    let before = subject.before;
    if subject.changed.iter().any(|index| subject.is_protected(*index)) {
        return false;
    }
    let (mut old_at, mut new_at) = (0, 0);
    for edit in edits {
        let kept = &before.array()[old_at..edit.span.start];
        if array.get(new_at..new_at + kept.len()) != Some(kept) {
            return false;
        }
        new_at += kept.len() + edit.replacement.len();
        old_at = edit.span.end;
    }
    array.get(new_at..) == before.array().get(old_at..)
}

#[cfg(test)]
mod tests {
    //! Each check fails if its invariant is violated. No plan of the product violates one, so these
    //! tests break the answers by hand.

    use super::*;
    use crate::measure::Measure;
    use crate::pipeline::commit::subject::NewReference;
    use context_store::{RootSpec, Roots};
    use token_count::Tokenizer;

    const BEFORE: &str = concat!(
        r#"[{"role":"system","content":"be brief"},"#,
        r#"{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{}}]},"#,
        r#"{"role":"tool","tool_call_id":"a","content":"one two three four five six seven eight"},"#,
        r#"{"role":"user","content":"and?"}]"#
    );

    struct Broken {
        after: String,
        edits: Vec<Edit>,
        changed: Vec<usize>,
        path: String,
        claimed: FilesState,
    }

    /// Returns a correct answer: the result is shorter, and its file exists.
    fn right(folder: &tempfile::TempDir) -> Broken {
        let path = folder.path().join("moved.txt");
        std::fs::write(&path, "one two three four five six seven eight").unwrap();
        let old = "\"one two three four five six seven eight\"";
        let start = BEFORE.find(old).unwrap();
        Broken {
            after: BEFORE.replace(old, "\"one\""),
            edits: vec![Edit { span: start..start + old.len(), replacement: "\"one\"".to_owned() }],
            changed: vec![2],
            path: path.display().to_string(),
            claimed: FilesState::Held,
        }
    }

    fn failed(change: impl FnOnce(&mut Broken)) -> Vec<&'static str> {
        failed_of(BEFORE, change)
    }

    fn failed_of(before: &str, change: impl FnOnce(&mut Broken)) -> Vec<&'static str> {
        let folder = tempfile::tempdir().unwrap();
        let mut answer = right(&folder);
        change(&mut answer);
        let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())]).unwrap();
        let measure = Measure::new(1_000_000);
        let before = History::parse(before, "auto").unwrap();
        let measured = measure.history(&before, Tokenizer::O200kBase).unwrap();
        let views: Vec<&MessageView> = measured.iter().map(|m| &m.view).collect();
        let problems = before.dialect().problems(&views);
        let subject = Subject {
            before: &before,
            measured: &measured,
            problems: &problems,
            changed: &answer.changed,
            recent_from: 3,
            moved_recent: &[],
            references: &[NewReference { path: &answer.path, bytes: 39 }],
            claimed: answer.claimed,
            measure: &measure,
            tokenizer: Tokenizer::O200kBase,
            roots: &roots,
            reader: None,
        };
        match check(&subject, &answer.after, &answer.edits) {
            Ok(checked) => checked.checks.failed(),
            Err(_) => vec!["unreadable"],
        }
    }

    fn replace(answer: &mut Broken, old: &str, new: &str) {
        assert!(answer.after.contains(old));
        answer.after = answer.after.replace(old, new);
    }

    #[test]
    fn a_right_answer_passes() {
        assert_eq!(failed(|_| {}), Vec::<&str>::new());
    }

    #[test]
    fn a_changed_id_or_role_breaks_pairing() {
        let id = failed(|a| replace(a, r#""tool_call_id":"a""#, r#""tool_call_id":"b""#));
        assert!(id.contains(&"pairing"), "{id:?}");
        let role = failed(|a| replace(a, r#""role":"tool""#, r#""role":"user""#));
        assert!(role.contains(&"pairing"), "{role:?}");
    }

    /// The shape is the same, but the provider rejects an error without a text.
    #[test]
    fn a_new_problem_breaks_pairing() {
        const BEFORE: &str = concat!(
            r#"[{"role":"user","content":"go"},{"role":"assistant","content":"#,
            r#"[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":"#,
            r#"[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"one"}]},"#,
            r#"{"role":"assistant","content":"done"}]"#
        );
        let found = failed_of(BEFORE, |a| {
            let start = BEFORE.find("\"one\"").unwrap();
            a.edits = vec![Edit { span: start..start + 5, replacement: "\"\"".to_owned() }];
            a.after = BEFORE.replace("\"one\"", "\"\"");
        });
        assert_eq!(found, ["pairing"]);
    }

    #[test]
    fn a_missing_short_or_unheld_file_breaks_the_reference() {
        let gone = failed(|a| std::fs::remove_file(&a.path).unwrap());
        let short = failed(|a| std::fs::write(&a.path, "one").unwrap());
        let outside = failed(|a| a.path = "/etc/hostname".to_owned());
        let unheld = failed(|a| a.claimed = FilesState::Gone);
        for found in [gone, short, outside, unheld] {
            assert_eq!(found, ["references_readable"]);
        }
    }

    #[test]
    fn a_touched_byte_elsewhere_is_seen() {
        assert!(failed(|a| replace(a, "be brief", "be brave")).contains(&"protected_untouched"));
        assert!(failed(|a| replace(a, "and?", "and!")).contains(&"protected_untouched"));
        assert!(failed(|a| a.after.push(' ')).contains(&"protected_untouched"));
    }

    #[test]
    fn a_protected_message_may_not_be_chosen() {
        let found = failed(|a| {
            let start = BEFORE.find("\"be brief\"").unwrap();
            a.edits = vec![Edit { span: start..start + 10, replacement: "\"be\"".to_owned() }];
            a.after = BEFORE.replace("\"be brief\"", "\"be\"");
            a.changed = vec![0];
        });
        assert_eq!(found, ["protected_untouched"]);
    }

    #[test]
    fn a_larger_message_is_seen() {
        let found = failed(|a| {
            let longer = "\"one two three four five six seven eight nine ten\"";
            a.after = BEFORE.replace("\"one two three four five six seven eight\"", longer);
            a.edits[0].replacement = longer.to_owned();
        });
        assert_eq!(found, ["not_larger"]);
    }

    /// The answer is smaller, but one of its messages is larger.
    #[test]
    fn a_larger_message_among_smaller_ones_is_seen() {
        const BEFORE: &str = concat!(
            r#"[{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{}},"#,
            r#"{"id":"b","name":"f","arguments":{}}]},"#,
            r#"{"role":"tool","tool_call_id":"a","content":"one two three four five six"},"#,
            r#"{"role":"tool","tool_call_id":"b","content":"one"},{"role":"user","content":"x"}]"#
        );
        let found = failed_of(BEFORE, |a| {
            let edit = |old: &str, new: &str| {
                let start = BEFORE.find(old).unwrap();
                Edit { span: start..start + old.len(), replacement: new.to_owned() }
            };
            let (long, short) = ("\"one two three four five six\"", "\"one\"");
            a.edits = vec![edit(long, "\"o\""), edit(short, "\"one two\"")];
            a.after = BEFORE.replace(short, "\"one two\"").replace(long, "\"o\"");
            a.changed = vec![1, 2];
        });
        assert_eq!(found, ["not_larger"]);
    }

    #[test]
    fn an_answer_that_is_no_json_is_seen() {
        let found = failed(|a| {
            a.after = BEFORE.replace("\"one two three four five six seven eight\"", "\"one");
            a.edits[0].replacement = "\"one".to_owned();
        });
        assert_eq!(found, ["unreadable"]);
    }
}
