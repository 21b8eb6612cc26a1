//! Shell lines: their commands, the words of these, and where output goes.

use super::file_op::FileOp;
use crate::snapshot::text::identifiers::{IdentifierKind, identifiers};

/// A file or an address, and the operation on it.
pub(super) type Touch = (String, IdentifierKind, FileOp);

/// Maximum bytes of a line to parse.
const LIMIT: usize = 20_000;
/// Commands that show files.
const READERS: [&str; 16] = [
    "cat", "head", "tail", "less", "more", "grep", "rg", "egrep", "sed", "awk", "wc", "nl", "diff",
    "jq", "ls", "find",
];
/// Commands that search.
const SEARCHERS: [&str; 4] = ["grep", "rg", "egrep", "find"];
/// Commands that neither show nor change files.
const NEUTRAL: [&str; 14] = [
    "cd", "echo", "pwd", "true", "sleep", "export", "set", "sort", "uniq", "tr", "cut", "which",
    "stat", "file",
];
/// Commands of git that show.
const GIT_READERS: [&str; 8] =
    ["status", "log", "diff", "show", "grep", "blame", "ls-files", "branch"];
/// Commands of git that are commands of the system, too.
const GIT_COMMANDS: [&str; 2] = ["mv", "rm"];
/// Commands that run the command after them.
const RUNNERS: [&str; 6] = ["sudo", "env", "time", "timeout", "nohup", "command"];
/// Environment managers: `uv run pytest` runs `pytest`.
const MANAGERS: [&str; 4] = ["uv", "poetry", "pipenv", "pdm"];
/// Commands whose first word is a script or a pattern.
const SCRIPTED: [&str; 7] = ["sed", "awk", "grep", "rg", "egrep", "perl", "jq"];

/// One command of a line.
#[derive(Debug, Default)]
struct Command {
    words: Vec<String>,
    /// The files that receive output.
    written: Vec<String>,
}

/// Returns the files and addresses that the commands of a line name, with their operations.
pub(super) fn touched(line: &str) -> Vec<Touch> {
    let mut found = Vec::new();
    for command in commands(line) {
        for file in &command.written {
            note(file, FileOp::Written, &mut found);
        }
        let Some(op) = command.op() else { continue };
        let names = command.names();
        let last = names.len().saturating_sub(1);
        for (at, name) in names.into_iter().enumerate() {
            let op = match (command.verb(), at == last) {
                ("cp", false) => FileOp::Read,
                ("mv", false) => FileOp::Deleted,
                _ => op,
            };
            note(name, op, &mut found);
        }
    }
    found
}

/// Returns true for a line that changes nothing and shows something.
pub(super) fn only_reads(line: &str) -> bool {
    let commands = commands(line);
    let reads = |command: &Command| {
        let verb = command.verb();
        let git = || command.words.get(1).is_some_and(|word| GIT_READERS.contains(&word.as_str()));
        command.written.is_empty()
            && (NEUTRAL.contains(&verb)
                || (READERS.contains(&verb) && command.op() == Some(FileOp::Read))
                || (verb == "git" && git()))
    };
    let shows = |command: &Command| !NEUTRAL.contains(&command.verb());
    commands.iter().any(shows) && commands.iter().all(reads)
}

/// Returns true for a line that changes nothing and searches.
pub(super) fn only_searches(line: &str) -> bool {
    let is_search = |command: &Command| {
        SEARCHERS.contains(&command.verb())
            || (command.verb() == "git" && command.words.get(1).is_some_and(|word| word == "grep"))
    };
    only_reads(line) && commands(line).iter().any(is_search)
}

/// Adds the artifacts that a word names.
fn note(word: &str, op: FileOp, found: &mut Vec<Touch>) {
    if word.starts_with("/dev/") {
        return;
    }
    for named in identifiers(word).into_iter().take(4) {
        match named.kind {
            IdentifierKind::Url => found.push((named.text.to_owned(), named.kind, FileOp::Opened)),
            IdentifierKind::Path if op != FileOp::Opened => {
                found.push((named.text.to_owned(), named.kind, op));
            }
            _ => {}
        }
    }
}

impl Command {
    /// Returns the number of leading words before another command: environment variables, `sudo
    /// -E`, `timeout 10`, `uv run`, or the `git` of `git mv`. Returns `None` if there is no other
    /// command.
    fn words_around(&self) -> Option<usize> {
        let second = self.words.get(1).map_or("", String::as_str);
        match self.verb() {
            "git" if GIT_COMMANDS.contains(&second) => Some(1),
            verb if MANAGERS.contains(&verb) && second == "run" => Some(2),
            verb if RUNNERS.contains(&verb) => {
                let own = |word: &&String| {
                    word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit())
                };
                Some(1 + self.words[1..].iter().take_while(own).count())
            }
            _ => self.words.first().filter(|word| word.contains('=')).map(|_| 1),
        }
    }

    /// Returns the command without its folder.
    fn verb(&self) -> &str {
        let name = self.words.first().map_or("", String::as_str);
        name.rsplit('/').next().unwrap_or_default()
    }

    fn has(&self, flag: &str) -> bool {
        self.words.iter().any(|word| word.starts_with(flag))
    }

    /// Returns the operation on the files that the command names.
    fn op(&self) -> Option<FileOp> {
        Some(match self.verb() {
            "rm" | "rmdir" | "unlink" => FileOp::Deleted,
            "sed" | "perl" if self.has("-i") => FileOp::Edited,
            "touch" | "mkdir" => FileOp::Created,
            "mv" | "cp" | "tee" => FileOp::Written,
            "python" | "python3" | "node" | "bash" | "sh" | "zsh" | "pytest" | "ruby" | "deno"
            | "bun" => FileOp::Run,
            "curl" | "wget" => FileOp::Opened,
            verb if READERS.contains(&verb) => FileOp::Read,
            _ => return None,
        })
    }

    /// Returns the words that may name files, without flags, scripts, code and patterns.
    fn names(&self) -> Vec<&str> {
        // A folder that is listed or searched is not a file that was read.
        if ["ls", "find"].contains(&self.verb()) {
            return Vec::new();
        }
        let scripted = SCRIPTED.contains(&self.verb());
        let mut script = scripted && !["-e", "-f", "--regexp"].iter().any(|flag| self.has(flag));
        let mut names = Vec::new();
        let mut before = "";
        for word in self.words.iter().skip(1).map(String::as_str) {
            let value_of_flag = ["-c", "-e", "-m", "--regexp"].contains(&before);
            before = word;
            // An empty word follows the `-i` of BSD's `sed`.
            if word.is_empty() || word.starts_with('-') || value_of_flag {
                continue;
            }
            if std::mem::take(&mut script) {
                continue;
            }
            names.push(word);
        }
        names
    }
}

/// Parses a line with quotes, redirections, and here-documents (`<<END`). Parses the inner line of
/// `bash -c "…"`.
fn commands(line: &str) -> Vec<Command> {
    let line = &line[..line.floor_char_boundary(LIMIT)];
    let mut reader =
        ShellReader { rest: line, commands: vec![Command::default()], ends: Vec::new() };
    reader.read();
    let mut commands = Vec::new();
    for mut command in reader.commands {
        while let Some(around) = command.words_around() {
            command.words.drain(..around);
        }
        let shell = ["bash", "sh", "zsh"].contains(&command.verb());
        match command.words.get(1..3) {
            Some([flag, inner])
                if shell
                    && flag.starts_with('-')
                    && flag.ends_with('c')
                    && inner.len() < line.len() =>
            {
                commands.extend(self::commands(inner));
            }
            _ => commands.push(command),
        }
    }
    commands.retain(|command| !command.words.is_empty() || !command.written.is_empty());
    commands
}

struct ShellReader<'t> {
    rest: &'t str,
    commands: Vec<Command>,
    /// End marks of the here-documents that begin below this line.
    ends: Vec<String>,
}

impl ShellReader<'_> {
    fn read(&mut self) {
        while let Some(first) = self.rest.chars().next() {
            match first {
                ' ' | '\t' | '\r' | '(' | ')' => self.skip(first.len_utf8()),
                '\n' => {
                    self.skip(1);
                    self.skip_texts();
                    self.commands.push(Command::default());
                }
                '|' | ';' | '&' if !self.rest.starts_with("&>") => {
                    self.skip(1);
                    self.commands.push(Command::default());
                }
                '<' => self.input(),
                '>' | '&' => self.output(),
                '#' => self.skip(self.rest.find('\n').unwrap_or(self.rest.len())),
                _ => {
                    let word = self.word();
                    // A number directly before a redirection is that of a stream.
                    let stream = word.bytes().all(|byte| byte.is_ascii_digit());
                    if !(stream && self.rest.starts_with(['>', '<'])) {
                        self.command().words.push(word);
                    }
                }
            }
        }
    }

    fn command(&mut self) -> &mut Command {
        if self.commands.is_empty() {
            self.commands.push(Command::default());
        }
        let last = self.commands.len() - 1;
        &mut self.commands[last]
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Parses `<file`, or the mark of a here-document (`<<END`).
    fn input(&mut self) {
        let marks = self.rest.bytes().take_while(|byte| *byte == b'<').count();
        self.skip(marks);
        if marks == 2 {
            self.rest = self.rest.trim_start_matches('-');
        }
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let word = self.word();
        if marks == 2 && !word.is_empty() {
            self.ends.push(word);
        }
    }

    /// Parses `>file`, `>>file`, `&>file` and `>&1`.
    fn output(&mut self) {
        self.rest = self.rest.trim_start_matches(['>', '&', '|']);
        let joined = self.rest.starts_with(|c: char| c.is_ascii_digit());
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let word = self.word();
        if !joined && !word.starts_with("/dev/") && !word.is_empty() {
            self.command().written.push(word);
        }
    }

    /// Skips the here-documents below the line that ends here.
    fn skip_texts(&mut self) {
        for end in std::mem::take(&mut self.ends) {
            let mut at = 0;
            for line in self.rest.split_inclusive('\n') {
                at += line.len();
                if line.trim() == end {
                    break;
                }
            }
            self.skip(at);
        }
    }

    /// Returns the next word without its quotes.
    fn word(&mut self) -> String {
        let mut word = String::new();
        let mut quote = None;
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), close) if open == close => quote = None,
                (None | Some('"'), '\\') => word.extend(chars.next().map(|(_, c)| c)),
                (None, ' ' | '\t' | '\r' | '\n' | '|' | ';' | '&' | '<' | '>' | '(' | ')') => {
                    end = at;
                    break;
                }
                _ => word.push(c),
            }
        }
        self.rest = &self.rest[end..];
        word
    }
}

#[cfg(test)]
mod tests {
    use super::{only_reads, touched};
    use crate::snapshot::extractive::file_op::FileOp::{
        Created, Deleted, Edited, Opened, Read, Run, Written,
    };

    #[test]
    fn commands_touch_the_files_they_name() {
        for (line, expected) in [
            ("ls src 2>/dev/null | grep -v '/a/b.rs' 2>&1", vec![]),
            ("sed -n 's/a.b/c.d/p;/src/x.rs/p' src/a.rs", vec![("src/a.rs", Read)]),
            ("sed -i -e 's/x.rs/y.rs/' src/a.rs", vec![("src/a.rs", Edited)]),
            ("sed -i '' 's/new A()/new A(b)/g' src/a.rs", vec![("src/a.rs", Edited)]),
            ("cat a.md > out/b.md", vec![("out/b.md", Written), ("a.md", Read)]),
            (
                "cat > a.py <<'EOF'\nopen('x/y.txt') > 3\nEOF\npython a.py &> log.txt",
                vec![("a.py", Written), ("log.txt", Written), ("a.py", Run)],
            ),
            (
                "bash -lc \"cd /w && rm -f old.txt && touch new.txt\"",
                vec![("old.txt", Deleted), ("new.txt", Created)],
            ),
            ("FOO=1 mv src/a.rs src/b.rs", vec![("src/a.rs", Deleted), ("src/b.rs", Written)]),
            ("git mv src/a.rs src/b.rs", vec![("src/a.rs", Deleted), ("src/b.rs", Written)]),
            ("sudo -E A=1 timeout 10s rm -f old.txt", vec![("old.txt", Deleted)]),
            ("time uv run python tools/a.py", vec![("tools/a.py", Run)]),
            ("sudo", vec![]),
            ("curl -s https://a.example/x -o /dev/null", vec![("https://a.example/x", Opened)]),
            ("python -c \"open('src/a.rs')\" # see src/b.rs", vec![]),
            ("echo done", vec![]),
        ] {
            let found: Vec<_> = touched(line);
            let found: Vec<_> = found.iter().map(|(name, _, op)| (name.as_str(), *op)).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn lines_that_only_read_are_told() {
        for line in
            ["cd /a && grep -rn error src | head -5", "git diff --stat", "cat a 2>/dev/null"]
        {
            assert!(only_reads(line), "{line}");
        }
        for line in ["cargo test", "cat a > b", "sed -i s/a/b/ c", "cd /a", "git commit -am x"] {
            assert!(!only_reads(line), "{line}");
        }
    }

    #[test]
    fn any_line_is_read() {
        for line in
            ["'", "\\", "<<", "<<x", "a <<E", "> ", "&", "((((", "bash -c \"bash -c 'rm a/b.txt'\""]
        {
            let _ = (touched(line), only_reads(line));
        }
    }
}
