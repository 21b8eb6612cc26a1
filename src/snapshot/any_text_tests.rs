//! Tests summaries of arbitrary texts, and arbitrary texts as snapshots.

use std::borrow::Cow;

use chat_history::message::Role;
use proptest::prelude::*;

use super::acceptance::reply;
use super::extractive::directives::directives as directives_of;
use super::extractive::said::said as said_of;
use super::extractive::{Source, summarise as summarise_source};
use super::format::block::{Block, sections};
use super::format::originals::Originals;
use super::format::summary::{Summary, Writer};
use super::text::identifiers::identifiers;
use super::transcript::{ToolCall, ToolResult, TranscriptMessage};

fn directives(
    messages: &[TranscriptMessage<'_>],
    earlier: &[String],
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<String> {
    directives_of(&said_of(messages), earlier, budget, count)
}

fn summarise(
    messages: &[TranscriptMessage<'_>],
    earlier: Option<&Summary>,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Summary {
    let said = said_of(messages);
    summarise_source(&Source { messages, said: &said, directives: &[], earlier }, budget, count)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\\n\\r\\té日😀\u{0}\u{2028}]{0,200}",
        "(- |\\n|\\[#4 x\\] |\\[earlier|<state_snapshot>|</user_directives>|&lt;task_state&gt;|\\(Original 3 messages are stored in: a_0.json\\)|never|must |1\\. |\\[x\\] |error: |exit code 1|\\{\"a\":\"\\\\u0041\"|Observation: |Latest request:|最新请求：| \\| |…|  |\\r\\n|é|。){0,30}",
    ]
}
fn said() -> impl Strategy<Value = Vec<TranscriptMessage<'static>>> {
    let one = (0..3u8, prop::collection::vec(text(), 0..3), text(), text(), text(), any::<bool>())
        .prop_map(|(role, texts, args, name, result, moved)| {
            let leak = |s: String| -> &'static str { Box::leak(s.into_boxed_str()) };
            let role = [Role::User, Role::Assistant, Role::Tool][role as usize];
            let id = leak(name.clone());
            TranscriptMessage {
                index: 0,
                role,
                texts: texts.into_iter().map(Cow::Owned).collect(),
                calls: if role == Role::Assistant {
                    vec![ToolCall {
                        id: Some(id),
                        name: Some(leak(name.clone())),
                        arguments: args.into(),
                    }]
                } else {
                    vec![]
                },
                results: if role == Role::Tool {
                    vec![ToolResult {
                        call_id: Some(id),
                        tool: Some(leak(name)),
                        text: result.into(),
                        failed: false,
                        moved_to: moved.then(|| "./s/tool_call_1.txt".into()),
                    }]
                } else {
                    vec![]
                },
            }
        });
    prop::collection::vec(one, 0..8).prop_map(|mut all| {
        for (n, s) in all.iter_mut().enumerate() {
            s.index = n;
        }
        all
    })
}

#[test]
fn directives_fit_any_budget() {
    let texts = |t: &str| TranscriptMessage {
        index: 0,
        role: Role::User,
        texts: vec![Cow::Owned(t.to_owned())],
        calls: vec![],
        results: vec![],
    };
    let said = [
        texts("first words of the user, not short"),
        texts("middle"),
        texts("last words of the user, not short"),
    ];
    for budget in 0..40 {
        let _ = directives(&said, &[], budget, &|t: &str| t.len() as u64 / 4);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn summaries_of_anything_are_read_as_they_were_written(said in said(), budget in 8..600u64) {
        let count = |t: &str| t.len() as u64 / 4;
        let one = summarise(&said, None, budget, &count);
        let two = summarise(&said, Some(&one), budget, &count);
        prop_assert_eq!(&two, &summarise(&said, Some(&one), budget, &count));
        let d = directives(&said, &[], budget, &count);
        let d2 = directives(&said, &d, budget, &count);
        let _ = identifiers(&sections(&one));
        for (summary, directives) in [(one, d), (two, d2)] {
            let block = Block { writer: Writer::Extractive, summary, directives, files: vec![], more: None,
                originals: vec![Originals::new(3, "./s/compressed_group_c_0.json").unwrap()], code: None };
            let text = format!("x\n\n{}", block.render());
            let found = Block::find_all(&text, &|_, _| true);
            prop_assert_eq!(found.blocks.len(), 1);
            prop_assert_eq!(found.before, "x\n\n");
            prop_assert_eq!(found.after, "");
            prop_assert_eq!(&found.blocks[0].directives, &block.directives);
            prop_assert_eq!(found.blocks[0].render(), block.render());
        }
    }
    #[test]
    fn reading_any_text_never_panics(t in text()) {
        let _ = Block::find_all(&t, &|_, _| true);
        let _ = Block::find_all(&format!("<state_snapshot>\n{t}\n</state_snapshot>\n(Original 3 messages are stored in: a_0.json)"), &|_, _| true);
        let _ = reply::parse(&t);
        let _ = reply::parse(&format!("<state_snapshot>\n<overall_goal>{t}</overall_goal>\n</state_snapshot>"));
        let _ = identifiers(&t);
    }
}
