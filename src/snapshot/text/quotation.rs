//! Quotations: the lines of a message that its writer shows but does not say. They are between
//! fences, after `>`, indented, or pasted.

use raw_json::offset_in;

use super::markers::{is_list_entry, is_speech};

/// Minimum number of consecutive lines that are not speech to count as a paste.
const PASTED: usize = 4;

/// The offset of each line of a text, in order, and whether the line is quoted.
pub(crate) struct Quotations(Vec<(usize, bool)>);

impl Quotations {
    /// Finds the quotations of a text.
    pub(crate) fn of(text: &str) -> Quotations {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut fenced = false;
        let mut found = Vec::with_capacity(lines.len());
        for run in lines.chunk_by(|a, b| is_spoken(a) == is_spoken(b)) {
            let is_paste = run.len() >= PASTED && !is_spoken(run[0]);
            for line in run {
                let trimmed = line.trim();
                let is_fence = trimmed.starts_with("```");
                fenced ^= is_fence;
                let is_indented = trimmed.len() < line.trim_end().len() && !is_list_entry(trimmed);
                let is_quoted =
                    is_paste || fenced || is_fence || is_indented || trimmed.starts_with('>');
                found.push((offset_in(text, line), is_quoted));
            }
        }
        Quotations(found)
    }

    /// Returns true if the byte at `at` is in a quotation.
    pub(crate) fn has(&self, at: usize) -> bool {
        let line = self.0.partition_point(|(start, _)| *start <= at);
        line > 0 && self.0[line - 1].1
    }
}

fn is_spoken(line: &str) -> bool {
    is_speech(line.trim())
}

/// Returns for each sentence of a text the index of the sentence that heads its list. Returns
/// `None` for a sentence that is not an entry of a list with a heading.
pub(crate) fn headings(text: &str, sentences: &[&str]) -> Vec<Option<usize>> {
    let mut heading = None;
    let mut from = 0;
    let mut is_entry = false;
    let heading_of = |(at, sentence): (usize, &&str)| {
        let start = offset_in(text, sentence);
        if at == 0 || text[from..start].contains('\n') {
            is_entry = is_list_entry(sentence);
        }
        from = start + sentence.len();
        if !is_entry {
            heading = sentence.ends_with([':', '：']).then_some(at);
        }
        heading.filter(|_| is_entry)
    };
    sentences.iter().enumerate().map(heading_of).collect()
}

#[cfg(test)]
mod tests {
    use super::{Quotations, headings};
    use crate::snapshot::text::sentences::sentences;

    #[test]
    fn what_a_message_shows_is_quoted() {
        let text = "It failed. Set PORT=9443.\n\
                    Traceback (most recent call last):\n  File \"/a.py\", line 3, in <module>\n    \
                    run(1)\nValueError: 7\nKEY=1;\nNever change TLS.\n> You must pay.\n```\nNever x.\n\
                    ```\n  - never y";
        const HEAD: &str = "Traceback (most recent call last):";
        let quotations = Quotations::of(text);
        let said: Vec<&str> = sentences(text)
            .into_iter()
            .filter(|part| !quotations.has(raw_json::offset_in(text, part)))
            .collect();
        assert_eq!(said, ["It failed.", "Set PORT=9443.", HEAD, "Never change TLS.", "- never y"]);
    }

    #[test]
    fn an_entry_has_the_heading_of_its_list() {
        let text = "Mistakes of the last agent:\n- never asked. It hurt.\n- always restarts\n\
                    Be kind.\n1. Go";
        let parts = sentences(text);
        assert_eq!(headings(text, &parts), [None, Some(0), Some(0), Some(0), None, None]);
    }
}
