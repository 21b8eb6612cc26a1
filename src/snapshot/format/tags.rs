//! Escapes the reserved tags in a text: those of the snapshot and of the fenced transcript, and the
//! lines that name a stored file.
//!
//! Escaping shifts the brackets of such a tag by one level (`<` to `&lt;`, `&lt;` to `&amp;lt;`),
//! and the parenthesis of such a line (`(` to `&#40;`). Unescaping shifts them back. All other
//! bytes stay unchanged, so code and markup remain readable. No text can open or close a reserved
//! element or forge a line that names a file, and `unescape(escape(text)) == text` for every text.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The tags around the input of a model: the transcript and its parts.
const FENCES: &str = "earlier_snapshot|transcript|message|call|result|faults|scratchpad|\
                      system_prompt|newer_messages|newer_message";

/// The tags of a snapshot.
const SNAPSHOT: &str = "state_snapshot|overall_goal|active_constraints|key_knowledge|\
                        artifact_trail|recent_actions|task_state|user_directives|offloaded_files";

static FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(FENCES));
static ANY: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("{FENCES}|{SNAPSHOT}")));

/// Matches the beginning of a line that refers to a file, with its parenthesis at any level of
/// escaping.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    let open = r"(?i-u)(?<open>\(|&(?:amp;)*#40;)";
    let words =
        r"detailed[ \t]+result[ \t]+is[ \t]+stored[ \t]+in\b|Original[ \t]+[0-9]+[ \t]+messages";
    Regex::new(&format!("{open}(?<name>{words})")).expect("the words are constants")
});

/// Returns an expression for opening and closing tags with brackets at any level of escaping. It
/// ignores case and white space, because a model reads `< /MESSAGE>` as a tag.
fn pattern(names: &str) -> Regex {
    let open = r"(?i-u)(?<open><|&(?:amp;)*lt;)";
    let name = format!(r"(?<name>[ \t\r\n]*/?[ \t\r\n]*(?:{names})\b)");
    let close = r"(?:(?<space>[ \t\r\n]*/?)(?<close>>|&(?:amp;)*gt;))?";
    Regex::new(&format!("{open}{name}{close}")).expect("the names are constants")
}

/// Escapes all reserved tags and lines by one level, for a snapshot.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    both(text, escaped)
}

/// Escapes reserved tags only: a transcript shows the lines of results unchanged.
pub(crate) fn escape_tags(text: &str) -> Cow<'_, str> {
    shift(&ANY, text, escaped)
}

/// Escapes the tags of a transcript only: a snapshot keeps its own tags.
pub(crate) fn escape_fences(snapshot: &str) -> Cow<'_, str> {
    shift(&FENCE, snapshot, escaped)
}

fn escaped(bracket: &str) -> String {
    match bracket {
        "<" => "&lt;".to_owned(),
        ">" => "&gt;".to_owned(),
        "(" => "&#40;".to_owned(),
        escaped => format!("&amp;{}", &escaped[1..]),
    }
}

/// Unescapes all reserved tags and lines by one level; brackets without an escape stay unchanged.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    both(text, |bracket| match bracket.to_ascii_lowercase().as_str() {
        "&lt;" => "<".to_owned(),
        "&gt;" => ">".to_owned(),
        "&#40;" => "(".to_owned(),
        "<" | ">" | "(" => bracket.to_owned(),
        _ => format!("&{}", &bracket["&amp;".len()..]),
    })
}

fn both(text: &str, bracket: impl Fn(&str) -> String) -> Cow<'_, str> {
    match shift(&ANY, text, &bracket) {
        Cow::Borrowed(text) => shift(&LINE, text, &bracket),
        Cow::Owned(text) => shift(&LINE, &text, &bracket).into_owned().into(),
    }
}

fn shift<'t>(tag: &Regex, text: &'t str, bracket: impl Fn(&str) -> String) -> Cow<'t, str> {
    tag.replace_all(text, |found: &Captures<'_>| {
        let mut tag = bracket(&found["open"]);
        tag.push_str(&found["name"]);
        if let (Some(space), Some(close)) = (found.name("space"), found.name("close")) {
            tag.push_str(space.as_str());
            tag.push_str(&bracket(close.as_str()));
        }
        tag
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

    use super::{escape, escape_tags, unescape};

    #[test]
    fn only_tags_of_ours_are_escaped() {
        let text = "<div a=\"1\">&lt;b&gt; a < b && c > d </div><messages><result_set>";
        assert_eq!(escape(text), text);
        assert_eq!(
            escape("</state_snapshot><message index=\"1\">< / Task_State >"),
            "&lt;/state_snapshot&gt;&lt;message index=\"1\">&lt; / Task_State &gt;"
        );
        assert_eq!(escape("&lt;task_state&gt;"), "&amp;lt;task_state&amp;gt;");
    }

    #[test]
    fn lines_that_name_files_are_escaped_in_a_snapshot_only() {
        let text = "f(x) (detailed result is stored in ./a.txt)\n(Original 3 messages are stored \
                    in: ./g_0.json)\n(original of 3 messages)";
        let escaped = "f(x) &#40;detailed result is stored in ./a.txt)\n&#40;Original 3 messages are \
                       stored in: ./g_0.json)\n(original of 3 messages)";
        assert_eq!(escape(text), escaped);
        assert_eq!(escape_tags(text), text);
        assert_eq!(unescape(&escape(escaped)), escaped);
    }

    #[test]
    fn what_a_model_escapes_comes_back() {
        assert_eq!(unescape("held &lt;/state_snapshot&gt; twice"), "held </state_snapshot> twice");
        assert_eq!(unescape("a &lt;div&gt; &amp;&amp; b"), "a &lt;div&gt; &amp;&amp; b");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn unescape_is_the_inverse(
            text in "((<|&lt;|&amp;lt;|&amp;amp;lt;)/?(task_state|message|div| )( ?/?)(>|&gt;|&amp;gt;|é| x=1>|<)|(\\(|&#40;|&amp;#40;)(detailed result is stored in| x|Original 3 messages)){0,6}"
        ) {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains("<task_state"));
            prop_assert!(!escaped.contains("</message"));
            prop_assert!(!escaped.contains("(detailed result is stored in"));
            prop_assert!(!escaped.contains("(Original 3 messages"));
            prop_assert_eq!(unescape(&escaped), text.as_str());
        }
    }
}
