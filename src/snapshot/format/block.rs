//! A block: a snapshot in a system message, with the lines that name the files of its original
//! messages. Later calls that merge it parse it, and so does `/rehydrate`.

use std::sync::LazyLock;

use regex::{Match, Regex};

use crate::snapshot::format::originals::{Originals, folded, originals};
use crate::snapshot::format::seal::{END, code_by, code_line, code_of};
use crate::snapshot::format::summary::{Section, Summary, Writer};
use crate::snapshot::format::tags::{escape, unescape};
use crate::snapshot::text::markers::fixed;
use context_store::{Code, Key};

static OPEN: LazyLock<Regex> = LazyLock::new(|| fixed(r"<state_snapshot>[ \t]*\r?\n"));
static CLOSE: LazyLock<Regex> = LazyLock::new(|| fixed(r"\n[ \t]*</state_snapshot>"));

const EXTRACTS: &str = "(extracts by the built-in summariser, no model)\n";
const DIRECTIVES: &str = "user_directives";
const FILES: &str = "offloaded_files";
const MORE: &str = " more are listed in: ";

/// Precedes the [`digits`] of a file's hash in [`FileLine::about`].
pub(crate) const HASHED: &str = ", blake3 ";

/// Renders the first 64 bits of a hash as six groups of three decimal digits. Each group is one
/// token, whatever its digits, so that a block has the same number of tokens with any hash.
pub(crate) fn digits(hash: &blake3::Hash) -> String {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    let number = u64::from_be_bytes(first);
    let group = |at: u32| format!("{:03}", number / 1_000_u64.pow(at) % 1_000);
    (0..6).rev().map(group).collect::<Vec<_>>().join("-")
}

/// A file that the agent can still read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileLine {
    /// The path, with the folder as the caller spelled it.
    pub path: String,
    /// The description of its content: tool, arguments, size.
    pub about: String,
}

impl FileLine {
    /// Renders the line without its bullet.
    pub(crate) fn render(&self) -> String {
        format!("{} | {}", self.path, self.about)
    }

    /// Parses a line from [`FileLine::render`].
    pub(crate) fn read(line: &str) -> Option<FileLine> {
        let ends =
            |at: &usize| [".txt", ".json", ".jsonl"].iter().any(|e| line[..*at].ends_with(e));
        let at = line.match_indices(" | ").map(|(at, _)| at).find(ends)?;
        Some(FileLine { path: line[..at].to_owned(), about: line[at + 3..].to_owned() })
    }
}

/// Files beyond those in the block, listed in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MoreFiles {
    /// The number of files.
    pub count: u64,
    /// The file that lists them, one per line.
    pub list: String,
}

/// Returns true if this service wrote the snapshot with this text.
pub(crate) type Proves<'a> = &'a dyn Fn(&Block, &str) -> bool;

/// A snapshot with all its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The writer of the summary.
    pub writer: Writer,
    /// The six sections.
    pub summary: Summary,
    /// The user's directives in their own words, oldest first.
    pub directives: Vec<String>,
    /// The files that the original messages referred to.
    pub files: Vec<FileLine>,
    /// Further files.
    pub more: Option<MoreFiles>,
    /// The files with the original messages, oldest first.
    pub originals: Vec<Originals>,
    /// The code that proves that this service wrote the block; `None` until it is sealed.
    pub code: Option<Code>,
}

impl Block {
    /// Signs the block. Its text must not change afterwards.
    pub(crate) fn seal(&mut self, key: &Key) {
        self.code = Some(code_by(key, &self.render()));
    }

    /// Renders the text of the block. An unsealed block has a placeholder code of the same
    /// length, so that its tokens can be counted.
    pub(crate) fn render(&self) -> String {
        let mut out = "<state_snapshot>\n".to_owned();
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
        out.push_str(&format!("{}\n{END}", code_line(self.code.unwrap_or_default())));
        for originals in folded(&self.originals) {
            out.push('\n');
            out.push_str(&originals.render());
        }
        out
    }

    /// Applies `change` to each text in the block: sections, directives, and the descriptions of
    /// files. Paths stay unchanged.
    pub(crate) fn changed(mut self, change: impl Fn(String) -> String) -> Block {
        for section in Section::ALL {
            let text = self.summary.get(section).to_owned();
            self.summary.set(section, change(text));
        }
        self.directives = self.directives.into_iter().map(&change).collect();
        for file in &mut self.files {
            file.about = change(std::mem::take(&mut file.about));
        }
        self
    }

    /// Finds the blocks of a text and the text around them. A block counts only if a line names the
    /// files of its messages and `proves` accepts its code; any other text stays text. Changes by
    /// frameworks do not hide a block: line ends, indentation, white space, and text after the
    /// last line.
    pub(crate) fn find_all(text: &str, proves: Proves<'_>) -> FoundBlocks {
        let mut found = FoundBlocks::default();
        let mut from = 0;
        let mut starts = OPEN.find_iter(text).peekable();
        while let Some(open) = starts.next() {
            let until = starts.peek().map_or(text.len(), Match::start);
            let rest = &text[open.end()..until];
            let Some(close) = CLOSE.find_iter(rest).last() else { continue };
            let (originals, length) = originals(&rest[close.end()..]);
            if originals.is_empty() {
                continue;
            }
            let body = plain(&rest[..close.start() + 1], open.as_str(), &text[..open.start()]);
            // An example in an operator's prompt may lack sections.
            if !Section::ALL.iter().all(|section| within(&body, section.tag()).is_some()) {
                continue;
            }
            let block = Block::read(&body, originals);
            let end = open.end() + close.end() + length;
            if !proves(&block, &text[open.start()..end]) {
                found.unproven = true;
                continue;
            }
            let between = &text[from..open.start()];
            if found.blocks.is_empty() {
                between.clone_into(&mut found.before);
            } else if !between.trim().is_empty() {
                found.after.push_str(between);
            }
            found.blocks.push(block);
            from = end;
        }
        match found.blocks.is_empty() {
            true => text.clone_into(&mut found.before),
            false => found.after.push_str(&text[from..]),
        }
        found
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
            code: code_of(body),
        }
    }
}

/// The blocks of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoundBlocks {
    /// The text before the first block.
    pub before: String,
    /// The text after the first block that is not in a block.
    pub after: String,
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// True if the text has a block without a valid code.
    pub unproven: bool,
}

/// Returns the inside of a block with plain line ends and without the indentation of its first
/// line.
fn plain(body: &str, open: &str, before: &str) -> String {
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let indent: &str = before.get(start..).unwrap_or_default();
    let body = match open.ends_with("\r\n") {
        true => body.replace("\r\n", "\n"),
        false => body.to_owned(),
    };
    let indent = if indent.trim().is_empty() { indent } else { "" };
    let lines = body.split('\n').map(|line| {
        let line = line.strip_prefix(indent).unwrap_or(line);
        // Tags lose trailing white space; other lines keep it.
        if is_tag(line.trim_end()) { line.trim_end() } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns true if a line is one of the tags in a block.
fn is_tag(line: &str) -> bool {
    let name = line.strip_prefix("</").or_else(|| line.strip_prefix('<'));
    let Some(tag) = name.and_then(|name| name.strip_suffix('>')) else { return false };
    [DIRECTIVES, FILES].contains(&tag) || Section::ALL.iter().any(|section| section.tag() == tag)
}

/// Renders the six sections in their tags.
pub(crate) fn sections(summary: &Summary) -> String {
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

/// Renders a text as one item of a list, with all lines but the first indented.
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

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
