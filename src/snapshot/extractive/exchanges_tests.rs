//! Tests answers of the user in a built-in summary: those that remain valid are constraints, the
//! others are knowledge.

use chat_history::message::Role;

use crate::snapshot::extractive::tests::{ask, said, summarise, tokens};
use crate::snapshot::format::summary::Section;

#[test]
fn a_short_answer_stands_with_its_question() {
    let messages = [
        said(0, Role::User, "Clean the database up, table by table."),
        said(1, Role::Assistant, "I looked at all tables. Shall I drop the table legacy_orders?"),
        said(2, Role::User, "No."),
        said(3, Role::Assistant, "Then I leave it, and go on with the indices."),
        said(4, Role::User, "Fine."),
    ];
    let pair = "- Asked: Shall I drop the table legacy_orders?\n  Answer: No.";
    let first = summarise(&messages, None, 400, &tokens);
    let rules = first.get(Section::ActiveConstraints);
    assert!(rules.contains(pair) && !rules.contains("Fine."), "{rules}");
    // It stays one in later snapshots.
    let later =
        [said(0, Role::User, "Now the views."), said(1, Role::Assistant, "I look at them.")];
    let second = summarise(&later, Some(&first), 400, &tokens);
    let rules = second.get(Section::ActiveConstraints);
    assert!(rules.contains(pair), "{rules}");
}

/// A permission concerned one call, and a choice was made: neither is a rule.
#[test]
fn a_permission_is_no_constraint() {
    let mut messages = vec![
        said(0, Role::User, "Deploy 2.14.0 to staging, then to prod."),
        said(1, Role::Assistant, "Staging is healthy. Next is the deploy to prod. Go?"),
        said(2, Role::User, "go"),
    ];
    messages.extend(ask(3, "bash", r#"{"command":"bin/deploy prod"}"#, "exit code: 1"));
    messages.push(said(5, Role::User, "Find out why, and put it in a report."));
    let summary = summarise(&messages, None, 600, &tokens);
    assert_eq!(summary.get(Section::ActiveConstraints), "");
    let known = summary.get(Section::KeyKnowledge);
    assert!(known.contains("- Asked: Next is the deploy to prod. Go?\n  Answer: go"), "{known}");
}

/// A proposal is not shown without the words that rejected it.
#[test]
fn a_rejected_proposal_stands_with_its_answer() {
    let messages = [
        said(0, Role::User, "Why do two orders have the same invoice number?"),
        said(
            1,
            Role::Assistant,
            "It is built from `id % 1000`. Fix: use the whole column order_id.",
        ),
        said(2, Role::User, "hm no. accounting says numbers must be gapless per month. go on"),
        said(3, Role::Assistant, "Then I count the orders of each month."),
    ];
    let summary = summarise(&messages, None, 600, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    let pair = "- Said: Fix: use the whole column order_id.\n  \
                Answer: hm no. accounting says numbers must be gapless per month.";
    assert_eq!(rules, pair);
    let known = summary.get(Section::KeyKnowledge);
    assert!(known.contains("It is built from `id % 1000`."), "{known}");
    assert!(!known.contains("use the whole column"), "{known}");
}

/// The agent's words are not its last ones once the user answered and work continued.
#[test]
fn last_words_are_of_now() {
    let mut messages = vec![
        said(0, Role::User, "Tidy the linter up."),
        said(1, Role::Assistant, "The flags replace the values of max9_length."),
    ];
    let state =
        |messages: &[_]| summarise(messages, None, 600, &tokens).get(Section::TaskState).to_owned();
    assert!(state(&messages).contains("Last said: The flags replace"));
    messages.push(said(2, Role::User, "They are added to these."));
    assert!(state(&messages).contains("Last said: The flags replace"));
    messages.extend(ask(3, "edit", r#"{"path":"src/index.js"}"#, "ok"));
    assert_eq!(state(&messages), "");
}

/// A sentence that names nothing but what its call names is not a fact.
#[test]
fn an_announcement_is_no_fact() {
    let mut messages = vec![said(0, Role::User, "Which shops wait longest?")];
    for (at, text) in
        [(1, "Reading notes/05-pedalo.txt."), (3, "notes/05-pedalo.txt has 18 weeks.")]
    {
        let mut call = ask(at, "read_file", r#"{"path":"notes/05-pedalo.txt"}"#, "18w");
        call[0].texts.push(text.into());
        messages.extend(call);
    }
    messages.push(said(5, Role::Assistant, "Done."));
    let summary = summarise(&messages, None, 600, &tokens);
    let known = summary.get(Section::KeyKnowledge);
    assert!(!known.contains("Reading"), "{known}");
}

/// A question without content is shown with its subject, and a question is not an answer.
#[test]
fn a_choice_stands_with_its_options() {
    let messages = [
        said(0, Role::User, "Make the watcher quicker, please."),
        said(
            1,
            Role::Assistant,
            "It polls. I could raise the sleep to 500 ms, or use an Event. Which do you prefer?",
        ),
        said(2, Role::User, "the latter"),
        said(3, Role::Assistant, "Two ways:\n1. a new file\n2. the old one\nWhich?"),
        said(4, Role::User, "2"),
        said(5, Role::Assistant, "Done. What else can I do for the watcher here?"),
        said(6, Role::User, "are you the one with a shell?"),
    ];
    let summary = summarise(&messages, None, 600, &tokens);
    let rules = summary.get(Section::KeyKnowledge);
    let choice = "- Asked: I could raise the sleep to 500 ms, or use an Event. Which do you prefer?\n  \
                  Answer: the latter";
    assert!(rules.contains(choice), "{rules}");
    assert!(rules.contains("1. a new file 2. the old one Which?\n  Answer: 2"), "{rules}");
    assert!(!rules.contains("Answer: are you"), "{rules}");
}

/// A tool can ask a question, too, and its answer belongs to the question.
#[test]
fn an_answer_through_a_tool_stands_with_its_question() {
    let mut messages = vec![said(0, Role::User, "Move the shop to the new cluster.")];
    let asks =
        r#"{"question":"How large shall the nodes be?","options":["m6i.large","m6i.xlarge"]}"#;
    let mut call = ask(1, "ask_user", asks, "the second");
    call[0].texts.push("The backup of 2 June is fine.".into());
    messages.extend(call);
    messages.extend(ask(3, "bash", r#"{"command":"make nodes"}"#, "ok"));
    let summary = summarise(&messages, None, 600, &tokens);
    let known = summary.get(Section::KeyKnowledge);
    let pair =
        "- Asked: - m6i.large - m6i.xlarge How large shall the nodes be?\n  Answer: the second";
    assert!(known.contains(pair), "{known}");
}

/// Each of several questions has its own answer.
#[test]
fn questions_at_once_have_their_own_answers() {
    let mut messages = vec![said(0, Role::User, "Tidy the database of the shop.")];
    let first = ask(1, "ask_user", r#"{"question":"Drop legacy_orders?"}"#, "No.");
    let [mut second, mut answer] =
        ask(2, "ask_user", r#"{"question":"Run the slow tests?"}"#, "Yes, at night.");
    second.calls[0].id = Some("call_2");
    answer.results[0].call_id = Some("call_2");
    let calls = [&first[0].calls[..], &second.calls].concat();
    messages.extend(first);
    messages[1].calls = calls;
    messages.push(answer);
    messages.extend(ask(4, "bash", r#"{"command":"make tidy"}"#, "ok"));
    let summary = summarise(&messages, None, 600, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    assert!(rules.contains("- Asked: Drop legacy_orders?\n  Answer: No."), "{rules}");
    assert!(!rules.contains("slow tests?\n  Answer: No."), "{rules}");
}

/// An earlier question does not replace the one that was answered.
#[test]
fn the_question_that_was_answered_stands_with_its_answer() {
    let more = "The pool was full because the worker never closed its connections to the shop. ";
    let text = format!("Why did it fail? {} Shall I drop legacy_orders?", more.repeat(8));
    let messages = [
        said(0, Role::User, "Tidy the database of the shop."),
        said(1, Role::Assistant, text.trim()),
        said(2, Role::User, "No."),
        said(3, Role::Assistant, "Then it stays."),
    ];
    let summary = summarise(&messages, None, 600, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    assert!(rules.contains("Shall I drop legacy_orders?\n  Answer: No."), "{rules}");
}

/// A permission without a name concerned the next step only; one with a name lifts a rule. A
/// statement asks nothing.
#[test]
fn permissions_are_told_from_rules() {
    let messages = [
        said(0, Role::User, "Tidy the billing code, but don't touch the schema of billing."),
        said(1, Role::Assistant, "Shall I begin with the invoices?"),
        said(2, Role::User, "yes, go ahead"),
        said(3, Role::Assistant, "Done."),
        said(4, Role::User, "you may touch billing again"),
        said(5, Role::Assistant, "Understood."),
    ];
    let summary = summarise(&messages, None, 600, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    assert!(rules.ends_with("\n- you may touch billing again"), "{rules}");
    assert!(!rules.contains("go ahead") && !rules.contains("Asked"), "{rules}");
}

/// A rule is not shown without the next sentence, which limits it.
#[test]
fn a_rule_stands_with_its_exception() {
    let text = "Write the cache. Don't use Redis. Above 2 GB you can.";
    let summary = summarise(&[said(0, Role::User, text)], None, 600, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    assert!(rules.contains("Don't use Redis. Above 2 GB you can."), "{rules}");
}
