//! Parts of stored files in the words of a host: a part is never stored a second time, and every
//! text comes back byte for byte.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

use crate::app::{TestApp, split};
use crate::formats::{holes::frame, posted, read_back};
use crate::properties::{config, new_references, settings};
use crate::properties_formats::comes_back;

/// The text after a line's number.
const KNOWN: [&str; 8] = ["\t", "\t ", "\u{2192}", "\u{2192} ", ":", ": ", "|", "| "];

/// The words of a host around a file's text.
#[derive(Debug, Clone)]
struct Host {
    head: String,
    tail: &'static str,
    /// The first number, the width, whether zeros pad it, and the text after it.
    numbers: Option<(u64, usize, bool, &'static str)>,
}

impl Host {
    fn shows(&self, text: &str) -> String {
        let lines = text.split('\n').zip(0..).map(|(line, n)| match self.numbers {
            None => line.to_owned(),
            Some((first, width, true, after)) => format!("{:0width$}{after}{line}", first + n),
            Some((first, width, false, after)) => format!("{:>width$}{after}{line}", first + n),
        });
        format!("{}{}{}", self.head, lines.collect::<Vec<_>>().join("\n"), self.tail)
    }

    /// Whether a part in these words is recognised for what it is.
    fn is_known(&self, shown: &str) -> bool {
        let is_short = self.head.len().max(self.tail.len()) <= shown.len().min(4_000) / 4;
        let has_lines = (self.head.is_empty() || self.head.ends_with('\n'))
            && (self.tail.is_empty() || self.tail.starts_with('\n'));
        let numbers = self.numbers.is_none_or(|(.., after)| KNOWN.contains(&after));
        is_short && numbers && (has_lines || self.numbers.is_none())
    }
}

fn host() -> impl Strategy<Value = Host> {
    let head = prop_oneof![
        3 => Just(String::new()),
        1 => Just("<untrusted_context>\n".to_owned()),
        1 => Just("Wall time: 0.0421 seconds\nOutput:\n".to_owned()),
        1 => Just("<file path=\"a \\ b\">\n".to_owned()),
        1 => Just("Showing 3 \"lines\"\nof\u{0} \u{e9}\n\n---\n\n".to_owned()),
        1 => Just("within {} | 9 tokens left out: x; ref 123456789012345]\n".to_owned()),
        1 => Just("12: ".to_owned()),
        1 => "[ -~\n]{0,40}",
    ];
    let tail = select(vec![
        "",
        "",
        "\n",
        "\n</untrusted_context>",
        "\n\n(End of file - total 3 lines)\n</file>",
        "\u{1f600}",
        "; 9 tokens left out: x]",
    ]);
    let after = select([&KNOWN[..], &[":  ", " ", "-"]].concat());
    let numbers = (select(vec![1u64, 1, 7, 95, 99_990]), 0..8usize, any::<bool>(), after);
    (head, tail, proptest::option::of(numbers)).prop_map(|(head, tail, numbers)| Host {
        head,
        tail,
        numbers,
    })
}

/// A text with one character changed, taken out or put in.
fn spoiled(text: &str, at: Index, how: u8) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let Some(at) = places.get(at.index(places.len().max(1))) else { return "x".to_owned() };
    let rest = &text[*at..];
    let next = rest.chars().next().map_or(0, char::len_utf8);
    let (new, gone) = [("1", next), ("", next), (" ", 0), ("\n", 0)][usize::from(how % 4)];
    format!("{}{new}{}", &text[..*at], &rest[gone..])
}

proptest! {
    #![proptest_config(config())]

    /// I1, I3: a part of a file in a host's words becomes a reference to the file; with a
    /// character changed it may be content. Both come back byte for byte.
    #[test]
    fn a_part_in_a_host_s_words_comes_back(
        posted in posted(), settings in settings(), host in host(),
        spoil in proptest::option::of((any::<Index>(), any::<u8>())),
    ) {
        prop_assume!(posted.sound);
        let app = TestApp::new();
        let answer = posted.offload(&app, &settings);
        let messages = split(&answer.after.messages);
        let found = new_references(&posted.messages, &messages);
        let is_text = |(_, path): &&(usize, String)| path.ends_with(".txt");
        let Some((_, path)) = found.iter().find(is_text) else { return Ok(()) };
        let read = app.read_file(&json!({"absolute_path": path, "max_tokens": 0}));
        let whole = host.shows(read["answer"].as_str().unwrap());
        let text = spoil.map_or_else(|| whole.clone(), |(at, how)| spoiled(&whole, at, how));
        let files = app.files();
        let back = read_back(posted.format, path, &text);
        let longer = posted.with([messages, back.clone()].concat(), posted.system.clone());
        let mut settings = settings;
        settings["keep_recent_count"] = json!(0);
        let after = longer.offload(&app, &settings);
        let new = split(&after.after.messages);
        let (was, is) = (back.last().unwrap(), new.last().unwrap());
        let is_part = text == whole && host.is_known(&whole);
        let stored = |(name, content): &(String, Vec<u8>)| {
            content == text.as_bytes() && !files.iter().any(|(known, _)| known == name)
        };
        let is_stored = app.files().iter().any(stored);
        prop_assert!(!is_part || !is_stored, "{} is stored again as {:?}", path, text);
        let line = format!("(detailed result is stored in {path})");
        prop_assert!(!is_part || was == is || is.contains(&line), "{}", is);
        prop_assert_eq!(frame(posted.format, was, false), frame(posted.format, is, false));
        comes_back(&longer, &app, &longer.array(), &after)?;
        let again = longer.offload(&app, &settings);
        prop_assert_eq!(again.after.messages, after.after.messages);
    }
}
