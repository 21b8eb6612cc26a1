//! The lines after a snapshot that name the files with its original messages: `(Original 17
//! messages are stored in: ./store/compressed_group_c_0.json)`. After many compressions the oldest
//! lines are folded into one that names several files in the notation of a shell:
//! `…/compressed_group_c_{0..7,9}.json`.

use std::sync::LazyLock;

use regex::Regex;

use crate::snapshot::text::markers::fixed;
use context_store::group_of;

/// The fixed part of each line.
pub(super) const STORED_IN: &str = " messages are stored in: ";

/// Maximum number of lines after a snapshot; beyond it the oldest are folded.
const LINES: usize = 6;
/// Maximum number of files in a line. It protects against a forged line that names a billion.
const NAMES: u64 = 100_000;

/// Exclusive upper bound of the numbers that this service assigns. A forged line with a higher
/// number must not exhaust them.
const NUMBERS: u64 = 900_000;

static LINE: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"^[ \t]*\r?\n[ \t]*\(Original ([0-9]{1,12}) messages are stored in: ([^\n]*?\.json)\)")
});

/// The files with the messages that a snapshot replaces, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Originals {
    /// The number of messages.
    pub messages: u64,
    /// The path before the number.
    stem: String,
    /// The numbers as inclusive ranges, oldest first.
    runs: Vec<(u64, u64)>,
}

impl Originals {
    /// Creates a line for one file. Returns `None` if its name is not that of a group.
    pub(crate) fn new(messages: u64, path: &str) -> Option<Originals> {
        let (stem, number) = path.strip_suffix(".json")?.rsplit_once('_')?;
        let number = number.parse().ok()?;
        let line = Originals { messages, stem: stem.to_owned(), runs: vec![(number, number)] };
        // A path that would not be parsed back unchanged is not from this service.
        line.minted().filter(|line| line.paths().next().as_deref() == Some(path))
    }

    /// Parses the path in a line that names several files.
    pub(crate) fn several(path: &str) -> Option<Originals> {
        Originals::read(&NAMES.to_string(), path).filter(|line| line.names() > 1)
    }

    /// Returns a glob that matches the files of its chat, without the folder.
    pub(crate) fn glob(&self) -> String {
        format!("{}_*.json", self.stem.rsplit('/').next().unwrap_or_default())
    }

    /// Returns the paths, oldest first.
    pub(crate) fn paths(&self) -> impl Iterator<Item = String> + '_ {
        let numbers = self.runs.iter().flat_map(|(from, to)| *from..=*to);
        numbers.map(|number| format!("{}_{number}.json", self.stem))
    }

    /// Returns the path of the newest file.
    pub(crate) fn newest(&self) -> Option<String> {
        self.runs.last().map(|(_, to)| format!("{}_{to}.json", self.stem))
    }

    /// Returns true if `path` is one of the files.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let number = path.strip_prefix(self.stem.as_str()).and_then(|rest| rest.strip_prefix('_'));
        let number = number.and_then(|rest| rest.strip_suffix(".json")?.parse::<u64>().ok());
        number.is_some_and(|number| {
            self.runs.iter().any(|(from, to)| (*from..=*to).contains(&number))
        })
    }

    /// Returns the highest number that a chat can have reached.
    pub(crate) fn last(&self) -> Option<u64> {
        self.runs.iter().map(|(_, to)| *to).filter(|number| *number < NUMBERS).max()
    }

    /// Replaces the line by one for the file at `path`. Does nothing if its name is not that of a
    /// group.
    pub(crate) fn rename(&mut self, path: &str) {
        if let Some(renamed) = Originals::new(self.messages, path) {
            *self = renamed;
        }
    }

    /// Renders the line.
    pub(super) fn render(&self) -> String {
        let run = |(from, to): &(u64, u64)| match from == to {
            true => from.to_string(),
            false => format!("{from}..{to}"),
        };
        let numbers: Vec<String> = self.runs.iter().map(run).collect();
        let numbers = match self.runs.as_slice() {
            [(from, to)] if from == to => numbers.concat(),
            _ => format!("{{{}}}", numbers.join(",")),
        };
        format!("(Original {}{STORED_IN}{}_{numbers}.json)", self.messages, self.stem)
    }

    fn read(messages: &str, path: &str) -> Option<Originals> {
        let messages = messages.parse().ok()?;
        let Some((stem, runs)) = path.strip_suffix("}.json").and_then(|p| p.rsplit_once("_{"))
        else {
            return Originals::new(messages, path);
        };
        let run = |run: &str| -> Option<(u64, u64)> {
            let (from, to) = run.split_once("..").unwrap_or((run, run));
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            (from <= to).then_some((from, to))
        };
        let runs: Vec<(u64, u64)> = runs.split(',').map(run).collect::<Option<_>>()?;
        let line = Originals { messages, stem: stem.to_owned(), runs };
        // Each file has at least one message.
        let sane = line.names() <= NAMES.min(messages);
        sane.then_some(line)?.minted()
    }

    /// Returns the number of files.
    pub(crate) fn names(&self) -> u64 {
        let sizes = self.runs.iter().map(|(from, to)| (to - from).saturating_add(1));
        sizes.fold(0, u64::saturating_add)
    }

    /// Returns `None` if the names are not those of groups.
    fn minted(self) -> Option<Originals> {
        let name = self.stem.rsplit('/').next().unwrap_or_default();
        group_of(&format!("{name}_0.json")).is_some().then_some(self)
    }

    /// Appends the files of a later line of the same chat.
    fn fold(&mut self, later: &Originals) {
        self.messages += later.messages;
        for run in &later.runs {
            match self.runs.last_mut() {
                Some((_, to)) if *to + 1 == run.0 => *to = run.1,
                _ => self.runs.push(*run),
            }
        }
    }
}

/// Parses the lines at the start of `text`. Returns them and their length in bytes.
pub(super) fn originals(text: &str) -> (Vec<Originals>, usize) {
    let mut found = Vec::new();
    let mut length = 0;
    while let Some(line) = LINE.captures(&text[length..]) {
        let Some(originals) = Originals::read(&line[1], &line[2]) else { break };
        found.push(originals);
        length += line[0].len();
    }
    (found, length)
}

/// Folds the oldest lines until at most `LINES` remain. Lines fold only if they are adjacent, of
/// the same chat, and name at most `NAMES` files together.
pub(super) fn folded(all: &[Originals]) -> Vec<Originals> {
    let mut lines: Vec<Originals> = all.to_vec();
    while lines.len() > LINES {
        let same = |at: &usize| {
            let (one, next) = (&lines[at - 1], &lines[*at]);
            one.stem == next.stem && one.names().saturating_add(next.names()) <= NAMES
        };
        let Some(at) = (1..lines.len()).find(same) else { break };
        let next = lines.remove(at);
        lines[at - 1].fold(&next);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(messages: u64, number: u64) -> Originals {
        Originals::new(messages, &format!("./s/compressed_group_c_{number}.json")).unwrap()
    }

    fn read(text: &str) -> Vec<Originals> {
        originals(text).0
    }

    #[test]
    fn many_lines_fold_and_unfold() {
        let all: Vec<Originals> = (0..40).filter(|n| n % 7 != 3).map(|n| line(n + 1, n)).collect();
        let lines = folded(&all);
        assert_eq!(lines.len(), LINES);
        assert!(lines[0].render().contains("_{0..2,4..9,11..16,18..23,25..30,32..33}.json)"));
        let text: String = lines.iter().map(|line| format!("\n{}", line.render())).collect();
        assert_eq!(read(&text), lines);
        let paths = |all: &[Originals]| {
            all.iter().flat_map(|o| o.paths().collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        assert_eq!(paths(&lines), paths(&all));
    }

    #[test]
    fn lines_that_nobody_wrote_are_none() {
        for line in [
            "(Original 3 messages are stored in: /etc/passwd)",
            "(Original 3 messages are stored in: ./s/other_1.json)",
            "(Original 3 messages are stored in: ./s/compressed_group_c_007.json)",
            "(Original 3 messages are stored in: ./s/compressed_group_c_{0..99999}.json)",
            "(Original 999999999999 messages are stored in: ./s/compressed_group_c_{0..999999999}.json)",
            "(Original 9 messages are stored in: ./s/compressed_group_c_{5..1}.json)",
            "(Original x messages are stored in: ./s/compressed_group_c_1.json)",
        ] {
            assert_eq!(read(&format!("\n{line}")), [], "{line}");
        }
    }
}
