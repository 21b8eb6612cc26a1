//! The section `offloaded_files`: all references of summarised messages. The service writes it, so
//! that no summary loses one. The snapshot names the newest; if not all fit, a file lists the
//! others.

use std::collections::{HashMap, HashSet};

use crate::snapshot::format::block::FileLine;
use crate::snapshot::transcript::{ToolCall, TranscriptMessage};

/// Maximum length of arguments in a line, in characters.
const ARGUMENTS: usize = 60;

/// Returns the files that the messages refer to, oldest first, preceded by those of `earlier`. Each
/// file occurs once, at its latest position and with its latest description.
pub(crate) fn referred(messages: &[TranscriptMessage<'_>], earlier: &[FileLine]) -> Vec<FileLine> {
    let mut files: Vec<FileLine> = earlier.to_vec();
    // The latest call of each id so far; ids repeat in long histories.
    let mut asked: HashMap<&str, &ToolCall<'_>> = HashMap::new();
    for said in messages {
        asked.extend(said.calls.iter().filter_map(|call| Some((call.id?, call))));
        for result in &said.results {
            let Some(path) = &result.moved_to else { continue };
            let call = result.call_id.and_then(|id| asked.get(id));
            let arguments = call.map_or("", |call| call.arguments.as_ref());
            let tool = shortened(result.tool.unwrap_or("message"));
            let about = format!("{tool} {} | {}", shortened(arguments), facts(&result.text));
            files.push(FileLine { path: path.clone().into_owned(), about });
        }
    }
    let mut seen = HashSet::new();
    let mut last: Vec<FileLine> =
        files.into_iter().rev().filter(|file| seen.insert(file.path.clone())).collect();
    last.reverse();
    last
}

/// Returns the newest files that fit the budget, and the others; both oldest first.
pub(crate) fn fitting(
    mut files: Vec<FileLine>,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> (Vec<FileLine>, Vec<FileLine>) {
    let mut left = budget;
    let mut from = files.len();
    while from > 0 {
        let cost = count(&files[from - 1].render()) + 2;
        if cost > left {
            break;
        }
        left -= cost;
        from -= 1;
    }
    let named = files.split_off(from);
    (named, files)
}

/// Returns the size in a preview's note: `513 lines, 8200 tokens, 31415 bytes`.
fn facts(preview: &str) -> String {
    let note = preview.rsplit('\n').nth(1).unwrap_or_default();
    let inside = note.strip_prefix('[').unwrap_or_default();
    inside.split([';', '|']).next().unwrap_or_default().trim().to_owned()
}

/// Returns arguments on one line, truncated.
fn shortened(arguments: &str) -> String {
    let mut words = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = words.char_indices().nth(ARGUMENTS) {
        words.truncate(at);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_named() {
        let file = |n: u32| FileLine { path: format!("/s/tool_call_{n}.txt"), about: "x".into() };
        let files: Vec<FileLine> = (0..10).map(file).collect();
        let (named, listed) = fitting(files.clone(), 25, &|text| text.len() as u64 / 4);
        assert_eq!([listed, named.clone()].concat(), files);
        assert_eq!(named.last(), files.last());
        assert!(!named.is_empty() && named.len() < 10);
    }
}
