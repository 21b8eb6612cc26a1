//! A block: a snapshot with the lines that say where its messages are, as it
//! stands in the system message. What was written is read again when a later
//! compression merges it, and when `/rehydrate` puts the messages back.

use super::snapshot::{Section, Summary, Writer};
use super::tags::{escape, unescape};

const OPEN: &str = "<state_snapshot>\n";
const CLOSE: &str = "\n</state_snapshot>";
const EXTRACTS: &str = "(extracts by the built-in summariser, no model)\n";
const DIRECTIVES: &str = "user_directives";
const FILES: &str = "offloaded_files";
const MORE: &str = " more are listed in: ";

/// Most lines of originals behind one snapshot; the oldest are folded together.
const ORIGINALS: usize = 6;

/// A file that the agent can still read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// The path, as the caller spelled its folder.
    pub path: String,
    /// What is in it: tool, arguments, size.
    pub about: String,
}

impl FileLine {
    /// The line, without the mark of a list.
    pub fn render(&self) -> String {
        format!("{} | {}", self.path, self.about)
    }

    /// Reads a line that [`FileLine::render`] wrote.
    pub fn read(line: &str) -> Option<FileLine> {
        let ends =
            |at: &usize| [".txt", ".json", ".jsonl"].iter().any(|e| line[..*at].ends_with(e));
        let at = line.match_indices(" | ").map(|(at, _)| at).find(ends)?;
        Some(FileLine { path: line[..at].to_owned(), about: line[at + 3..].to_owned() })
    }
}

/// Files that are named elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoreFiles {
    /// How many.
    pub count: u64,
    /// The file that lists them, a line each.
    pub list: String,
}

/// Where a group's messages are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Originals {
    /// How many messages.
    pub messages: u64,
    /// The files, oldest first: one, or a run of numbers.
    pub paths: Vec<String>,
}

/// A snapshot in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Who wrote the summary.
    pub writer: Writer,
    /// The six sections.
    pub summary: Summary,
    /// The user's own words, oldest first.
    pub directives: Vec<String>,
    /// The files that its messages referred to.
    pub files: Vec<FileLine>,
    /// Files beyond those.
    pub more: Option<MoreFiles>,
    /// Where its messages are, oldest first.
    pub originals: Vec<Originals>,
}

impl Block {
    /// The text of the block.
    pub fn render(&self) -> String {
        let mut out = OPEN.to_owned();
        if self.writer == Writer::Extractive {
            out.push_str(EXTRACTS);
        }
        out.push_str(&sections(&self.summary));
        let directives: Vec<String> = self.directives.iter().map(|said| item(said)).collect();
        tagged(&mut out, DIRECTIVES, &directives.join("\n"));
        let mut files: Vec<String> =
            self.files.iter().map(|file| format!("- {}", file.render())).collect();
        if let Some(more) = &self.more {
            files.push(format!("- {}{MORE}{}", more.count, more.list));
        }
        tagged(&mut out, FILES, &files.join("\n"));
        out.push_str(&CLOSE[1..]);
        for originals in folded(&self.originals) {
            let Originals { messages, paths } = &originals;
            let path = spelled(paths);
            out.push_str(&format!("\n(Original {messages} messages are stored in: {path})"));
        }
        out
    }

    /// The blocks in a text, and the text around them: a block counts only with
    /// the line that says where its messages are, so a text that merely speaks of
    /// snapshots holds none.
    pub fn find_all(text: &str) -> Found<'_> {
        let mut blocks = Vec::new();
        let mut span = None;
        let mut from = 0;
        while let Some(end) = text[from..].find(CLOSE).map(|at| from + at) {
            let after = end + CLOSE.len();
            let (originals, length) = originals(&text[after..]);
            let start = text[from..end].rfind(OPEN).map(|at| from + at);
            if let (Some(start), false) = (start, originals.is_empty()) {
                let body = &text[start + OPEN.len()..end + 1];
                blocks.push(Block::read(body, originals));
                span = Some((span.map_or(start, |(first, _)| first), after + length));
            }
            from = after;
        }
        let (start, end) = span.unwrap_or((text.len(), text.len()));
        Found { before: &text[..start], after: &text[end..], blocks }
    }

    fn read(body: &str, originals: Vec<Originals>) -> Block {
        let mut summary = Summary::default();
        for section in Section::ALL {
            let text = within(body, section.tag()).unwrap_or_default();
            if text != "-" {
                summary.set(section, unescape(text));
            }
        }
        let lines = within(body, FILES).unwrap_or_default();
        let mut files = Vec::new();
        let mut more = None;
        for line in lines.lines().filter_map(|line| line.strip_prefix("- ")) {
            let line = unescape(line);
            if let Some(file) = FileLine::read(&line) {
                files.push(file);
            } else if let Some((count, list)) = line.split_once(MORE) {
                let count = count.parse().unwrap_or(0);
                more = Some(MoreFiles { count, list: list.to_owned() });
            }
        }
        let extracts = body.starts_with(EXTRACTS);
        Block {
            writer: if extracts { Writer::Extractive } else { Writer::Model },
            summary,
            directives: items(within(body, DIRECTIVES).unwrap_or_default()),
            files,
            more,
            originals,
        }
    }
}

/// The blocks of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'a> {
    /// The text before the first block.
    pub before: &'a str,
    /// The text after the last one.
    pub after: &'a str,
    /// The blocks, in order.
    pub blocks: Vec<Block>,
}

/// The six sections in their tags.
pub fn sections(summary: &Summary) -> String {
    let mut out = String::new();
    for section in Section::ALL {
        let text = summary.get(section).trim();
        tagged(&mut out, section.tag(), if text.is_empty() { "-" } else { text });
    }
    out
}

fn tagged(out: &mut String, tag: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("<{tag}>\n{}\n</{tag}>\n", escape(text)));
    }
}

fn within<'a>(body: &'a str, tag: &str) -> Option<&'a str> {
    let (open, close) = (format!("<{tag}>\n"), format!("\n</{tag}>\n"));
    let start = body.find(&open)? + open.len();
    let length = body[start..].find(&close)?;
    Some(&body[start..start + length])
}

/// A text as one item of a list: its further lines are indented.
fn item(text: &str) -> String {
    format!("- {}", text.replace('\n', "\n  "))
}

fn items(list: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in list.split('\n') {
        match (line.strip_prefix("- "), items.last_mut()) {
            (Some(first), _) => items.push(first.to_owned()),
            (None, Some(last)) => {
                last.push('\n');
                last.push_str(line.strip_prefix("  ").unwrap_or(line));
            }
            (None, None) => {}
        }
    }
    items.iter().map(|item| unescape(item).into_owned()).collect()
}

/// The lines at the start of `text`, and their length.
fn originals(text: &str) -> (Vec<Originals>, usize) {
    let mut found = Vec::new();
    let mut length = 0;
    while let Some(line) = text[length..].strip_prefix('\n') {
        let line = line.split('\n').next().unwrap_or_default();
        let Some(originals) = originals_line(line) else { break };
        found.push(originals);
        length += 1 + line.len();
    }
    (found, length)
}

fn originals_line(line: &str) -> Option<Originals> {
    let rest = line.strip_prefix("(Original ")?.strip_suffix(')')?;
    let (messages, path) = rest.split_once(" messages are stored in: ")?;
    Some(Originals { messages: messages.parse().ok()?, paths: unfolded(path)? })
}

/// The oldest lines as one, where their files are numbered one after the other.
fn folded(all: &[Originals]) -> Vec<Originals> {
    let mut lines: Vec<Originals> = all.to_vec();
    while lines.len() > ORIGINALS {
        let Some(at) = (1..lines.len()).find(|at| follows(&lines[at - 1], &lines[*at])) else {
            break;
        };
        let next = lines.remove(at);
        lines[at - 1].messages += next.messages;
        lines[at - 1].paths.extend(next.paths);
    }
    lines
}

fn follows(one: &Originals, next: &Originals) -> bool {
    let ends = one.paths.last().and_then(|path| numbered(path));
    let begins = next.paths.first().and_then(|path| numbered(path));
    matches!((ends, begins), (Some((a, n)), Some((b, m))) if a == b && m == n + 1)
}

/// A path up to its number, and the number: `…/compressed_group_c_` and 7.
fn numbered(path: &str) -> Option<(&str, u64)> {
    let (stem, number) = path.strip_suffix(".json")?.rsplit_once('_')?;
    let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| Some((stem, number.parse().ok()?))).flatten()
}

/// A run of numbered files as a shell would write it: `…_{0..7}.json`.
fn spelled(paths: &[String]) -> String {
    let ends = (paths.first(), paths.last());
    if let (Some(first), Some(last)) = ends
        && paths.len() > 1
        && let (Some((stem, from)), Some((_, to))) = (numbered(first), numbered(last))
    {
        return format!("{stem}_{{{from}..{to}}}.json");
    }
    paths.first().cloned().unwrap_or_default()
}

/// Most files of one line: a forged line must not ask for a billion names.
const RUN: u64 = 100_000;

fn unfolded(path: &str) -> Option<Vec<String>> {
    let Some((stem, run)) = path.strip_suffix("}.json").and_then(|rest| rest.rsplit_once("_{"))
    else {
        return numbered(path).map(|_| vec![path.to_owned()]);
    };
    let (from, to) = run.split_once("..")?;
    let (from, to): (u64, u64) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to && to - from < RUN)
        .then(|| (from..=to).map(|n| format!("{stem}_{n}.json")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(originals: u64) -> Block {
        let mut summary = Summary::default();
        summary.set(Section::OverallGoal, "ship </overall_goal> <state_snapshot> & go");
        Block {
            writer: Writer::Extractive,
            summary,
            directives: vec!["never\n- push\nto main".to_owned(), "</user_directives>".to_owned()],
            files: vec![FileLine { path: "./s/tool_call_1.txt".into(), about: "bash | 9".into() }],
            more: Some(MoreFiles { count: 12, list: "./s/compressed_files_c_0.txt".into() }),
            originals: (0..originals)
                .map(|n| Originals {
                    messages: n + 1,
                    paths: vec![format!("./s/compressed_group_c_{n}.json")],
                })
                .collect(),
        }
    }

    #[test]
    fn a_block_is_read_as_it_was_written() {
        let (one, two) = (block(1), block(2));
        let text = format!("be brief\n\n{}\n\n{}\nbye", one.render(), two.render());
        let found = Block::find_all(&text);
        assert_eq!(found.blocks, [one, two]);
        assert_eq!((found.before, found.after), ("be brief\n\n", "\nbye"));
    }

    #[test]
    fn many_originals_fold_into_a_run() {
        let text = block(40).render();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("(Orig")).collect();
        assert_eq!(lines.len(), ORIGINALS);
        assert!(lines[0].ends_with("./s/compressed_group_c_{0..34}.json)"), "{}", lines[0]);
        let found = Block::find_all(&text).blocks.remove(0);
        let paths: Vec<String> = found.originals.iter().flat_map(|o| o.paths.clone()).collect();
        assert_eq!(paths.len(), 40);
        assert_eq!(found.originals.iter().map(|o| o.messages).sum::<u64>(), 40 * 41 / 2);
        assert_eq!(found.render(), text);
    }

    #[test]
    fn words_about_snapshots_are_no_block() {
        for text in [
            "the agent sees <state_snapshot>\n…\n</state_snapshot> at times",
            "<state_snapshot>\nx\n</state_snapshot>\n(Original 3 messages are stored in: /etc/passwd)",
            "</state_snapshot>\n(Original 3 messages are stored in: a_1.json)",
        ] {
            assert_eq!(Block::find_all(text).blocks, [], "{text}");
        }
    }
}
