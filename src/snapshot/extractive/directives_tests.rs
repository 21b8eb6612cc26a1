//! Tests which words of the user directives keep.

use chat_history::message::Role;

use super::directives as directives_of;
use crate::snapshot::extractive::said::said as said_of;
use crate::snapshot::transcript::TranscriptMessage;

fn said(texts: &[&'static str]) -> Vec<TranscriptMessage<'static>> {
    let one = |(index, text): (usize, &&'static str)| TranscriptMessage {
        index,
        role: Role::User,
        texts: vec![(*text).into()],
        calls: Vec::new(),
        results: Vec::new(),
    };
    texts.iter().enumerate().map(one).collect()
}

fn directives(
    messages: &[TranscriptMessage<'_>],
    earlier: &[String],
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<String> {
    directives_of(&said_of(messages), earlier, budget, count)
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

#[test]
fn rules_win_over_chatter_and_newer_over_older() {
    let messages = said(&[
        "Build the parser.",
        "Never touch main.rs.",
        "go on 1",
        "go on 2",
        "不要删除文件。",
        "And now?",
    ]);
    let kept = directives(&messages, &[], 1_000, &words);
    assert_eq!(kept.len(), 6);
    let kept = directives(&messages, &[], 22, &words);
    assert_eq!(kept, ["Build the parser.", "Never touch main.rs.", "不要删除文件。", "And now?"]);
    let earlier = ["Write a compiler.".to_owned(), "And now?".to_owned()];
    let kept = directives(&messages, &earlier, 1_000, &words);
    assert_eq!(kept[0], "Write a compiler.");
    assert_eq!(kept.last().unwrap(), "And now?");
    assert_eq!(kept.iter().filter(|text| *text == "And now?").count(), 1);
}

/// A rule must not be shown without the text that lifted it, in whatever words.
#[test]
fn what_was_said_about_a_rule_later_stays_as_long_as_the_rule() {
    let messages = said(&[
        "Build the parser.",
        "Always send Lena a copy of the report.",
        "Tidy the wiki page of March.",
        "The copy to Lena is off.",
        "Good work so far.",
        "And now?",
    ]);
    let kept = directives(&messages, &[], 40, &words);
    let report = [messages[0].texts[0].as_ref(), &messages[1].texts[0], &messages[3].texts[0]];
    assert_eq!(kept, [&report[..], &["Good work so far.", "And now?"]].concat());
}

#[test]
fn a_long_message_gives_its_rules_and_outputs_give_nothing() {
    let filler = "There is some background that nobody has to know about. ".repeat(40);
    let long = format!("The start. {filler}You must use tabs. {filler}The end.");
    let log = "INFO 12:00:01 a=1;\n".repeat(100);
    let mut messages = said(&["First.", "", "", "Observation: you must not listen to me", "Last."]);
    messages[1].texts = vec![long.into()];
    messages[2].texts = vec![log.into()];
    messages.insert(1, TranscriptMessage { role: Role::Assistant, ..messages[3].clone() });
    let kept = directives(&messages, &[], 100, &words);
    assert_eq!(kept, ["First.", "The start.", "You must use tabs.", "The end.", "Last."]);
    assert_eq!(directives(&messages, &[], 1_000, &words).len(), 3);
}

#[test]
fn first_and_latest_are_cut_only_if_they_alone_exceed_the_budget() {
    let long = "word ".repeat(200) + "end";
    let mut messages = said(&["", "ok", ""]);
    messages[0].texts = vec![long.clone().into()];
    messages[2].texts = vec!["Do it.".into()];
    let kept = directives(&messages, &[], 60, &words);
    assert!(kept[0].starts_with("word word") && kept[0].ends_with("end"), "{kept:?}");
    assert!(kept[0].contains(" … "));
    assert_eq!(kept.last().unwrap(), "Do it.");
    assert!(kept.iter().map(|text| words(text) + 3).sum::<u64>() <= 60);
    assert_eq!(directives(&messages, &[], 1_000, &words)[0], long);
    assert!(directives(&[], &[], 10, &words).is_empty());
}

#[test]
fn words_that_begin_with_spaces_are_cut_between_characters() {
    let earlier = [" … 最新请求： | 最新请求：1".to_owned()];
    let messages = said(&["不要删除文件。"]);
    let bytes = |text: &str| text.len() as u64 / 4;
    for budget in 0..60 {
        for text in directives(&messages, &earlier, budget, &bytes) {
            assert!(text == earlier[0] || text == text.trim() && !text.is_empty(), "{text:?}");
        }
    }
}

/// Text that fits exactly is kept; with one more word it does not fit.
#[test]
fn a_budget_is_used_to_its_last_token() {
    let messages = said(&["Build the parser.", "Never touch main.rs.", "And now?"]);
    let all = ["Build the parser.", "Never touch main.rs.", "And now?"];
    // Three words, three words and two words, each with three tokens around it.
    assert_eq!(directives(&messages, &[], 17, &words), all);
    assert_eq!(directives(&messages, &[], 16, &words), ["Build the parser.", "And now?"]);
}

/// `I don't want to change my plan, just add data.` must not become `… just add data.`
#[test]
fn a_negation_is_never_cut_off() {
    let mut messages = said(&["", "ok", "Go on then."]);
    let filler = "Some background about the plan that I have with you. ".repeat(30);
    let text = format!("{filler}I don't want to change my plan, just add the extra data. {filler}");
    messages[0].texts = vec![text.into()];
    for budget in 30..400 {
        for kept in directives(&messages, &[], budget, &words) {
            let cut = kept.contains("change my plan") && !kept.contains("I don't want to change");
            assert!(!cut && !kept.contains(" … "), "{budget}: {kept}");
        }
    }
    let kept = directives(&messages, &[], 60, &words);
    assert!(kept.iter().any(|text| text.contains("I don't want to change my plan")), "{kept:?}");
    // A sentence that does not fit is left out, not turned into its opposite.
    let endless = format!("I do not want {}", "this or that or ".repeat(60));
    messages[0].texts = vec![endless.into()];
    assert_eq!(directives(&messages, &[], 60, &words), ["ok", "Go on then."]);
}

/// The latest message may be a paste; earlier rules stay.
#[test]
fn a_long_message_does_not_take_the_room_of_earlier_rules() {
    let rules: Vec<String> = (0..6).map(|n| format!("Never touch the table t{n}x{n}.")).collect();
    let paste = "She said that only the king must know, and never told anyone. ".repeat(300);
    let mut messages = said(&["Tidy the service.", "", "", "", "", "", "", ""]);
    for (message, rule) in messages[1..].iter_mut().zip(&rules) {
        message.texts = vec![rule.as_str().into()];
    }
    messages[7].texts = vec![paste.as_str().into()];
    let kept = directives(&messages, &[], 200, &words);
    for rule in &rules {
        assert!(kept.contains(rule), "{rule}: {kept:?}");
    }
    let total: u64 = kept.iter().map(|text| words(text) + 3).sum();
    assert!(total <= 200 && total > 150, "{total}");
}

/// A request may follow the text that it refers to.
#[test]
fn the_end_of_a_long_request_is_kept() {
    let paste = "line of a letter that must be read. ".repeat(300);
    let text = format!("{paste}\nPlease count the letters.");
    let mut messages = said(&["", "And now?"]);
    messages[0].texts = vec![text.as_str().into()];
    let kept = directives(&messages, &[], 60, &words).join(" ");
    assert!(kept.contains("Please count the letters."), "{kept}");
}

/// If a message is not kept whole, thanks at its beginning are removed first.
#[test]
fn a_message_begins_with_thanks_as_often_as_with_what_it_is_about() {
    let messages = said(&[
        "Build the shop.",
        "Thanks, that all looks right to me so far. Money is in integer cents. Add totals to it.",
        "Go on with it.",
    ]);
    let kept = directives(&messages, &[], 32, &words);
    assert_eq!(
        kept,
        ["Build the shop.", "Money is in integer cents. Add totals to it.", "Go on with it."]
    );
}

/// If not all fits, each message first contributes its rules and what the agent referred to.
#[test]
fn chatter_around_a_rule_gives_way_to_other_rules() {
    let chatter = "My cousin lent us a kettle and it rained. The vicar has moved away again.";
    let rule = |number: usize| format!("{chatter} Never book hotel {number}00. {chatter}");
    let mut messages = said(&["Plan the journey."; 12]);
    for (at, message) in messages.iter_mut().enumerate().skip(1) {
        message.texts = vec![rule(at).into()];
    }
    messages[9].texts = vec![format!("{chatter} The key lies with Mrs Okafor. {chatter}").into()];
    messages.insert(10, messages[10].clone());
    messages[10].role = Role::Assistant;
    messages[10].texts = vec!["Noted: the key is with Mrs Okafor.".into()];
    let kept = directives(&messages, &[], 180, &words).join(" ");
    for at in (1..12).filter(|at| *at != 9) {
        assert!(kept.contains(&format!("Never book hotel {at}00.")), "{at}: {kept}");
    }
    assert!(kept.contains("The key lies with Mrs Okafor."), "{kept}");
}

#[test]
fn what_a_request_shows_gives_way_to_what_it_says() {
    let frames: String =
        (0..60).map(|at| format!("  File \"/a/b.py\", line {at}, in run\n")).collect();
    let text = format!(
        "Sign in fails.\n```\nTraceback (most recent call last):\n{frames}KeyError: 'Authorization'\n\
         ```\nGuests have no header. {} Mend that.",
        "They may read all the same. ".repeat(20)
    );
    let messages = said(&[text.leak(), "Go on."]);
    let kept = directives(&messages, &[], 240, &words).join("\n");
    for part in ["Sign in fails.", "KeyError: 'Authorization'", "no header", "Mend that."] {
        assert!(kept.contains(part), "{part}\n{kept}");
    }
    assert!(kept.matches("/a/b.py").count() < 25, "{kept}");
}
