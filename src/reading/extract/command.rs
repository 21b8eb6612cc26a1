//! Parses a shell command with `jq` that was sent as a filter, such as the command of a recipe.

use super::shell_words::stages;

/// The filter of a command, with the meaning of its flags.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The filter.
    pub(super) filter: String,
    /// The filter as the command spells it.
    pub(super) spelled: String,
    /// True with `-s` and `-n`.
    pub(super) slurp: bool,
    /// True with `-r`.
    pub(super) raw: bool,
    /// The variables of `--arg` and `--argjson`: names and JSON texts.
    pub(super) vars: Vec<(String, String)>,
    /// The number of `head`.
    pub(super) limit: Option<u64>,
}

/// Commands that only print a file, or may stand before `jq`.
const SOURCES: [&str; 7] = ["tail", "cat", "sed", "head", "grep", "zcat", "less"];

/// The variable that holds all records in a filter with `-n`, whose input is null.
const RECORDS: &str = "$__records";

impl Command {
    /// Parses a command over the file at `path`. Returns `None` if `text` is not a command with
    /// `jq`.
    ///
    /// # Errors
    ///
    /// Fails with the unsupported part of the command, and what to send instead.
    pub(super) fn read(text: &str, path: &str) -> Result<Option<Command>, String> {
        let text = text.trim().trim_start_matches("$ ");
        let first = text.split_whitespace().next().unwrap_or_default();
        if first != "jq" && !SOURCES.contains(&first) {
            return Ok(None);
        }
        let stages = stages(text)?;
        let is_jq = |stage: &Vec<String>| stage.first().is_some_and(|word| word == "jq");
        let Some(at) = stages.iter().position(is_jq) else { return Ok(None) };
        for stage in &stages[..at] {
            source(stage, path)?;
        }
        let mut command = Command::default();
        command.jq(&stages[at][1..], path)?;
        for stage in &stages[at + 1..] {
            command.after(stage)?;
        }
        Ok(Some(command))
    }

    /// Returns a sentence that says what runs.
    pub(super) fn note(&self) -> String {
        let mut with = vec![format!("`{}`", shortened(&self.spelled))];
        with.extend(self.slurp.then(|| "`slurp: true`".to_owned()));
        with.extend(self.raw.then(|| "raw texts (-r)".to_owned()));
        with.extend(self.limit.map(|limit| format!("`limit: {limit}`")));
        format!(
            "of the shell command, this was run over the records, without the file's header: {}",
            with.join(", ")
        )
    }

    fn jq(&mut self, words: &[String], path: &str) -> Result<(), String> {
        let mut words = words.iter();
        let mut filter: Option<&String> = None;
        let mut reads_nothing = false;
        while let Some(word) = words.next() {
            let mut argument =
                || words.next().cloned().ok_or_else(|| format!("`{word}` without its arguments"));
            match word.as_str() {
                "--arg" => {
                    let name = argument()?;
                    self.vars.push((name, raw_json::quote(&argument()?)));
                }
                "--argjson" => {
                    let name = argument()?;
                    self.vars.push((name, argument()?));
                }
                "--indent" => _ = argument()?,
                "--raw-output" => self.raw = true,
                "--slurp" => self.slurp = true,
                "--null-input" => reads_nothing = true,
                "--compact-output"
                | "--monochrome-output"
                | "--color-output"
                | "--tab"
                | "--exit-status"
                | "--unbuffered" => {}
                "-" => {}
                long if long.starts_with("--") => return Err(no_flag(long)),
                short if short.starts_with('-') => {
                    for flag in short.chars().skip(1) {
                        match flag {
                            'r' => self.raw = true,
                            's' => self.slurp = true,
                            'n' => reads_nothing = true,
                            'c' | 'M' | 'C' | 'e' => {}
                            _ => return Err(no_flag(&format!("-{flag}"))),
                        }
                    }
                }
                _ if filter.is_none() => filter = Some(word),
                file => same_file(file, path)?,
            }
        }
        let filter = filter.ok_or_else(|| "`jq` without a filter".to_owned())?;
        self.filter = filter.clone();
        self.spelled = filter.clone();
        if reads_nothing {
            self.slurp = true;
            let filter = without_inputs(filter);
            self.filter = format!(". as {RECORDS} | null | ({filter}\n)");
        }
        Ok(())
    }

    /// Parses a stage after `jq`.
    fn after(&mut self, stage: &[String]) -> Result<(), String> {
        let words: Vec<&str> = stage.iter().map(String::as_str).collect();
        let number = match words.as_slice() {
            ["head"] => Some("10"),
            ["head", "-n", number] | ["head", "--lines", number] => Some(*number),
            ["head", flag] => flag.strip_prefix("-n").or_else(|| flag.strip_prefix('-')),
            _ => None,
        };
        if let Some(limit) = number.and_then(|number| number.parse().ok()) {
            self.limit = Some(self.limit.map_or(limit, |known: u64| known.min(limit)));
            return Ok(());
        }
        let stage = shortened(&stage.join(" "));
        Err(match words.first() {
            Some(&"wc") => format!(
                "`| {stage}`, which is not run here; {{\"query\": \"[.[] | …] | length\"}} counts"
            ),
            Some(&("sort" | "uniq")) => format!(
                "`| {stage}`, which is not run here; {{\"query\": \"group_by(.x) | \
                 map({{x: .[0].x, count: length}})\"}} counts the records for each value"
            ),
            _ => format!("`| {stage}`, which is not run here; let the filter do it"),
        })
    }
}

/// Checks that a stage before `jq` prints the whole file.
fn source(stage: &[String], path: &str) -> Result<(), String> {
    let words: Vec<&str> = stage.iter().map(String::as_str).collect();
    let files = match words.as_slice() {
        ["cat", files @ ..]
        | ["tail", "-n", "+1" | "+2", files @ ..]
        | ["tail", "-n+1" | "-n+2" | "+2", files @ ..]
        | ["sed", "1d", files @ ..]
        | ["sed", "-n", "2,$p", files @ ..] => files,
        _ => {
            return Err(format!(
                "`{} |`, which is not run here: the filter gets every record; `select(…)` or \
                 `limit` take some of them",
                shortened(&stage.join(" "))
            ));
        }
    };
    files.iter().try_for_each(|file| same_file(file, path))
}

/// Checks that `named` is the file of the request, or a variable or placeholder for it.
fn same_file(named: &str, path: &str) -> Result<(), String> {
    let stands_for = |name: &str| {
        name.starts_with(['$', '<']) || matches!(name, "-" | "FILE" | "file" | "/dev/stdin")
    };
    let ends_with = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|start| start.is_empty() || start.ends_with('/'))
    };
    let short = named.trim_start_matches("./");
    if stands_for(named) || ends_with(path, short) || ends_with(short, path) {
        return Ok(());
    }
    Err(format!(
        "another file, `{}`, next to file_path {path:?}; a call reads one file, and only sql more, \
         with records('path')",
        shortened(named)
    ))
}

fn no_flag(flag: &str) -> String {
    format!("`{}` of jq; accepted are -r, -s, -c, -n, --arg and --argjson", shortened(flag))
}

/// Replaces the word `inputs` outside of string literals by the records.
fn without_inputs(filter: &str) -> String {
    let mut out = String::with_capacity(filter.len());
    let mut rest = filter;
    let mut in_text = false;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length.max(c.len_utf8()));
        match word {
            "\\" => {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..1 + escaped]);
                rest = &after[escaped..];
                continue;
            }
            "\"" => in_text = !in_text,
            "inputs" if !in_text && !out.ends_with('.') => {
                out.push_str(RECORDS);
                out.push_str("[]");
                rest = after;
                continue;
            }
            _ => {}
        }
        out.push_str(word);
        rest = after;
    }
    out
}

fn shortened(text: &str) -> String {
    const MAX: usize = 120;
    if text.len() <= MAX {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/w/store/lro-x.jsonl";

    fn read(text: &str) -> Command {
        Command::read(text, PATH).unwrap().unwrap()
    }

    #[test]
    fn the_filter_and_its_flags_are_read() {
        for (text, filter, slurp, raw, limit) in [
            (
                "tail -n +2 /w/store/lro-x.jsonl | jq -r '[.a, .b] | @tsv'",
                "[.a, .b] | @tsv",
                false,
                true,
                None,
            ),
            ("jq -s 'map(.a) | add' lro-x.jsonl", "map(.a) | add", true, false, None),
            ("jq -rc '.a' \"$FILE\" | head -20", ".a", false, true, Some(20)),
            ("jq -c \".a == \\\"x\\\"\" $FILE | head -n 5", ".a == \"x\"", false, false, Some(5)),
            ("$ cat store/lro-x.jsonl | jq --slurp length | head", "length", true, false, Some(10)),
            (
                "sed 1d lro-x.jsonl | jq '.a | \"x|y\"' 2>/dev/null",
                ".a | \"x|y\"",
                false,
                false,
                None,
            ),
            ("jq .", ".", false, false, None),
        ] {
            let command = read(text);
            let read = (command.filter.as_str(), command.slurp, command.raw, command.limit);
            assert_eq!(read, (filter, slurp, raw, limit), "{text}");
        }
        let vars = read("jq --arg a x --argjson n 3 '.a == $a'").vars;
        assert_eq!(vars, [("a".to_owned(), "\"x\"".to_owned()), ("n".to_owned(), "3".to_owned())]);
    }

    #[test]
    fn a_null_input_has_the_records_as_inputs() {
        let command =
            read(r#"jq -n '[inputs.b | "inputs \(.a)", .inputs] | length' store/lro-x.jsonl"#);
        assert!(command.slurp);
        assert_eq!(
            command.filter,
            ". as $__records | null | ([$__records[].b | \"inputs \\(.a)\", .inputs] | length\n)"
        );
    }

    #[test]
    fn what_is_not_run_is_an_error() {
        for (text, word) in [
            ("jq . other.jsonl", "other.jsonl"),
            ("jq . lro-x.jsonl other.jsonl", "other.jsonl"),
            ("cat /etc/passwd | jq .", "/etc/passwd"),
            ("head -5 lro-x.jsonl | jq .", "limit"),
            ("grep a lro-x.jsonl | jq .", "select"),
            ("jq .a | sort | uniq -c", "group_by"),
            ("jq .a | wc -l", "length"),
            ("jq .a | tail -3", "filter"),
            ("jq -R . lro-x.jsonl", "-R"),
            ("jq --slurpfile a b .", "--slurpfile"),
            ("jq -r", "without a filter"),
            ("jq . > out.json", "`>`"),
            ("jq '.a", "without an end"),
        ] {
            let error = Command::read(text, PATH).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn a_filter_is_not_a_command() {
        for text in [".a", "select(.a == \"jq .\")", "tail", "map(.jq)", "", "cat | .a"] {
            assert_eq!(Command::read(text, PATH), Ok(None), "{text}");
        }
    }
}
