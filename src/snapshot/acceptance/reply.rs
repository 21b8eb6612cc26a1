//! Parses a model's reply into a [`Summary`]. It is strict about the snapshot and lenient about the
//! text around it: it drops reasoning before the snapshot (plain or in its own element), and a
//! Markdown fence.
//!
//! The grammar of the snapshot is fixed: six sections, each once, in any order, with nothing
//! between them. A tag of the snapshot in a section's text must be escaped, so that no reply can be
//! parsed in two ways. Every text gives a summary or a rejection.

use std::sync::LazyLock;

use regex::Regex;

use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::format::summary::{BySection, Section, Summary};
use crate::snapshot::format::tags;
use crate::snapshot::text::markers::fixed;

const OPEN: &str = "<state_snapshot>";
const CLOSE: &str = "</state_snapshot>";

/// Matches elements that may precede the snapshot, in which models reason. One search for all of
/// them ensures that a reply of reasoning only is read once.
static OPENING: LazyLock<Regex> =
    LazyLock::new(|| fixed("<(think|thinking|scratchpad|analysis|state_snapshot)>"));

/// Matches references to the messages that a model took a line from.
static CITATION: LazyLock<Regex> = LazyLock::new(|| fixed(r"[ \t]*\[#\d+(?:\s*[,;–-]\s*#?\d+)*\]"));

/// Names of the snapshot's grammar that must not occur unescaped in a section's text.
const RESERVED: [&str; 3] = ["state_snapshot", "user_directives", "offloaded_files"];

/// Parses the snapshot of a reply, which must be the only one.
pub(crate) fn parse(reply: &str) -> Result<Summary, Rejection> {
    let mut rest = after_thoughts(reply)?;
    let mut summary = Summary::default();
    let mut seen = BySection::<bool>::default();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(CLOSE) {
            rest = after;
            break;
        }
        let (tag, after) = match opening(rest) {
            Some(found) => found,
            None if rest.is_empty() || is_cut_tag(rest) => return Err(Rejection::Unfinished),
            None => return Err(Rejection::StrayText { text: beginning(rest) }),
        };
        let name = tag.trim_end_matches('/').trim_end();
        if name == "state_snapshot" {
            return Err(Rejection::SeveralSnapshots);
        }
        let Some(section) = section_of(name) else {
            return Err(Rejection::UnknownSection { name: name.to_owned() });
        };
        if std::mem::replace(&mut seen[section], true) {
            return Err(Rejection::RepeatedSection { section });
        }
        let text;
        (text, rest) = if tag.ends_with('/') { ("", after) } else { body(section, after)? };
        summary.set(section, without_citations(&tags::unescape(text.trim())));
    }
    after_snapshot(rest)?;
    let missing = |section: &Section| !seen[*section];
    let sections: Vec<Section> = Section::ALL.into_iter().filter(missing).collect();
    if !sections.is_empty() {
        return Err(Rejection::MissingSections { sections });
    }
    if Section::ALL.into_iter().all(|section| summary.get(section).is_empty()) {
        return Err(Rejection::Empty);
    }
    Ok(summary)
}

/// Returns the text without references to messages, such as `[#12, #14]`, which mean nothing
/// without the messages.
fn without_citations(text: &str) -> String {
    CITATION.replace_all(text, "").into_owned()
}

/// Returns the text after the snapshot's opening tag. Skips reasoning as a whole, because it may
/// mention that tag.
fn after_thoughts(reply: &str) -> Result<&str, Rejection> {
    let mut rest = reply;
    // Some servers remove the opening tag of the reasoning and leave the closing one.
    if let Some(end) = rest.find("</think>")
        && rest.find("<think>").is_none_or(|start| start > end)
        && rest[end..].contains(OPEN)
    {
        rest = &rest[end + "</think>".len()..];
    }
    loop {
        let found = OPENING.captures(rest).ok_or(Rejection::NoSnapshot)?;
        let (_, [name]) = found.extract();
        let inside = &rest[found.get_match().end()..];
        if name == "state_snapshot" {
            return Ok(inside);
        }
        let close = format!("</{name}>");
        let end = inside.find(&close).ok_or(Rejection::Unfinished)?;
        rest = &inside[end + close.len()..];
    }
}

/// Returns an error unless the snapshot is followed by nothing, or by the end of a Markdown fence.
fn after_snapshot(rest: &str) -> Result<(), Rejection> {
    if rest.contains(OPEN) {
        return Err(Rejection::SeveralSnapshots);
    }
    match rest.trim() {
        "" | "```" => Ok(()),
        _ => Err(Rejection::TextAfter),
    }
}

/// Returns a section's text, and the text after its closing tag.
fn body(section: Section, text: &str) -> Result<(&str, &str), Rejection> {
    let mut from = 0;
    while let Some(found) = text[from..].find('<') {
        let at = from + found;
        from = at + 1;
        let Some((name, length)) = grammar_tag(&text[at..]) else { continue };
        if name.strip_prefix('/') == Some(section.tag()) {
            return Ok((&text[..at], &text[at + length..]));
        }
        return Err(Rejection::BrokenSection { section, tag: name.to_owned() });
    }
    Err(Rejection::Unfinished)
}

/// Returns the name and the length of a tag of the snapshot's grammar at the start of the text. The
/// name of a closing tag includes its slash.
fn grammar_tag(text: &str) -> Option<(&str, usize)> {
    let (tag, after) = tag(text)?;
    let name = tag.trim_end_matches('/').trim_end();
    let bare = name.strip_prefix('/').unwrap_or(name);
    let ours = RESERVED.contains(&bare) || section_of(bare).is_some();
    ours.then_some((name, text.len() - after.len()))
}

/// Returns the name of an opening tag at the start of the text, and the text after it.
fn opening(text: &str) -> Option<(&str, &str)> {
    tag(text).filter(|(name, _)| !name.starts_with('/'))
}

/// Returns the text between `<` and `>` at the start of the text, if it looks like a tag, and the
/// text after it.
fn tag(text: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 64;
    let inside = text.strip_prefix('<')?;
    let end = inside.bytes().take(LONGEST).position(|b| b == b'>')?;
    let name = inside[..end].trim_end();
    let letters = |b: u8| b.is_ascii_alphanumeric() || b"_-/ ".contains(&b);
    (!name.is_empty() && name.bytes().all(letters)).then_some((name, &inside[end + 1..]))
}

/// Returns true if the reply ends within a tag.
fn is_cut_tag(text: &str) -> bool {
    text.starts_with('<') && !text.contains('>')
}

fn section_of(name: &str) -> Option<Section> {
    Section::ALL.into_iter().find(|section| section.tag() == name)
}

fn beginning(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

    use super::parse;
    use crate::snapshot::acceptance::rejection::Rejection;
    use crate::snapshot::format::summary::{Section, Summary};
    use crate::snapshot::format::tags;

    fn write(summary: &Summary, order: impl Iterator<Item = Section>) -> String {
        let sections = order.map(|section| {
            let (tag, text) = (section.tag(), tags::escape(summary.get(section)));
            format!("<{tag}>\n{text}\n</{tag}>\n")
        });
        format!("<state_snapshot>\n{}</state_snapshot>", sections.collect::<String>())
    }

    fn sample() -> (Summary, String) {
        let mut summary = Summary::default();
        summary.set(Section::OverallGoal, "Fix the build");
        summary.set(Section::KeyKnowledge, "a < b && <div>&lt;b&gt;</div>");
        let reply = write(&summary, Section::ALL.into_iter());
        (summary, reply)
    }

    #[test]
    fn what_models_put_around_a_snapshot_is_dropped() {
        let (summary, reply) = sample();
        let thought = "I write <state_snapshot> with </state_snapshot>.";
        for text in [
            reply.clone(),
            format!("\u{feff}\n{reply}\n\n"),
            format!("```xml\n{reply}\n```\n"),
            format!("Here is the snapshot:\n\n{reply}"),
            format!("<think>{thought}</think>\n{reply}"),
            format!("<scratchpad>{thought}</scratchpad>```\n{reply}\n```"),
            format!("{thought}\n</think>\n{reply}"),
            format!("Now:\n<analysis>{thought}</analysis>\n{reply}"),
            reply.replace("<task_state>\n\n</task_state>", "<task_state />"),
            write(&summary, Section::ALL.into_iter().rev()),
        ] {
            assert_eq!(parse(&text).as_ref(), Ok(&summary), "{text}");
        }
    }

    #[test]
    fn a_fault_is_named() {
        let (_, reply) = sample();
        for (text, fault) in [
            (String::new(), "NoSnapshot"),
            ("I cannot help with that.".to_owned(), "NoSnapshot"),
            ("<think>so".to_owned(), "Unfinished"),
            (format!("<think>{reply}"), "Unfinished"),
            (format!("{reply}\nAnything else?"), "TextAfter"),
            (format!("{reply}{reply}"), "SeveralSnapshots"),
            (format!("<state_snapshot>{reply}"), "SeveralSnapshots"),
            (reply.replace("<key_knowledge>", "note <key_knowledge>"), "StrayText"),
            (reply.replace("<task_state>", "</x><task_state>"), "StrayText"),
            (reply.replace("<key_knowledge>", "<mood>x</mood><key_knowledge>"), "UnknownSection"),
            (
                reply.replace("<key_knowledge>", "<user_directives>x</user_directives>"),
                "UnknownSection",
            ),
            (reply.replace("Fix", "</state_snapshot>Fix"), "BrokenSection"),
            (reply.replace("Fix", "<offloaded_files>Fix"), "BrokenSection"),
            (reply.replace("</overall_goal>", ""), "BrokenSection"),
            (reply.replace("task_state>", "overall_goal>"), "RepeatedSection"),
            (reply.replace("<task_state>\n\n</task_state>", ""), "MissingSections"),
            (write(&Summary::default(), Section::ALL.into_iter()), "Empty"),
        ] {
            assert_eq!(parse(&text).unwrap_err().name(), fault, "{text}");
        }
        let end = reply.len() - "</state_snapshot>".len();
        for cut in "<state_snapshot>".len()..end {
            let Err(why) = parse(&reply[..cut]) else { panic!("cut at {cut}") };
            assert_eq!(why, Rejection::Unfinished, "{}", &reply[..cut]);
        }
    }

    #[test]
    fn an_escaped_tag_of_ours_is_text() {
        let (_, reply) = sample();
        let reply = reply.replace("Fix", "&lt;/state_snapshot&gt; &lt;br&gt;");
        let summary = parse(&reply).expect("well formed");
        assert_eq!(summary.get(Section::OverallGoal), "</state_snapshot> &lt;br&gt; the build");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_text_is_read(
            text in "(</?(state_snapshot|overall_goal|task_state|think|x)/?>|<|>|é|\n|```| |a|\\PC){0,24}"
        ) {
            let _ = parse(&text);
            let (_, reply) = sample();
            let _ = parse(&reply.replace("Fix", &text));
            let _ = parse(&format!("{text}{reply}"));
        }

        #[test]
        fn any_section_comes_back(
            texts in proptest::collection::vec(
                "[a-z<>&;/é]{1,8}(</?(task_state|state_snapshot|message)>|&lt;/task_state&gt;)?z", 6
            )
        ) {
            let mut summary = Summary::default();
            for (section, text) in Section::ALL.into_iter().zip(&texts) {
                summary.set(section, text.as_str());
            }
            prop_assert_eq!(parse(&write(&summary, Section::ALL.into_iter())), Ok(summary));
        }
    }
}
