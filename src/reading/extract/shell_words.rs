//! Parses the words of a shell command, as far as a pasted `jq` command needs it.

/// Splits a command into its stages at `|`, and each stage into its words, without quotes.
///
/// # Errors
///
/// Fails with the unsupported syntax: `;`, `&&`, `>`, or an open quote.
pub(super) fn stages(command: &str) -> Result<Vec<Vec<String>>, String> {
    let mut stages = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut rest = command.trim().chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        Some('\'') => break,
                        Some(c) => word.push(c),
                        None => return Err("a ' without an end".to_owned()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match (rest.next(), rest.peek()) {
                        (Some('"'), _) => break,
                        (Some('\\'), Some('"' | '\\' | '$' | '`')) => word.extend(rest.next()),
                        (Some(c), _) => word.push(c),
                        (None, _) => return Err("a \" without an end".to_owned()),
                    }
                }
            }
            '\\' => match rest.next() {
                Some('\n') | None => {}
                Some(c) => word.get_or_insert_default().push(c),
            },
            '|' | ' ' | '\t' | '\n' => {
                if let (Some(stage), Some(word)) = (stages.last_mut(), word.take()) {
                    stage.push(word);
                }
                if c == '|' {
                    stages.push(Vec::new());
                }
            }
            // Ignores `2>/dev/null` and `2>&1`, which concern only errors.
            '>' if word.as_deref() == Some("2") => {
                word = None;
                while rest.next_if(|c| !matches!(c, ' ' | '|' | '\n')).is_some() {}
            }
            '<' if word.is_none() => {}
            '>' | '<' | ';' | '&' | '`' => return Err(format!("`{c}`")),
            c => word.get_or_insert_default().push(c),
        }
    }
    if let (Some(stage), Some(word)) = (stages.last_mut(), word) {
        stage.push(word);
    }
    Ok(stages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_stages_are_those_of_a_shell() {
        let read = |command: &str| {
            let stages = stages(command)?;
            Ok::<_, String>(stages.iter().map(|words| words.join("§")).collect::<Vec<_>>())
        };
        assert_eq!(
            read(r#"tail -n +2 "$F" | jq -r '.a | "b"' 2>/dev/null|head -3"#).unwrap(),
            ["tail§-n§+2§$F", r#"jq§-r§.a | "b""#, "head§-3"]
        );
        assert_eq!(read(r#"jq ".a == \"x\" | \$v""#).unwrap(), [r#"jq§.a == "x" | $v"#]);
        assert_eq!(
            read(
                r"jq 'a'\''b' \
            f"
            )
            .unwrap(),
            ["jq§a'b§f"]
        );
        assert_eq!(read("jq . < f").unwrap(), ["jq§.§f"]);
        for command in ["jq '.a", "jq \".a", "jq . > out", "jq .; ls", "jq . && ls"] {
            assert!(read(command).is_err(), "{command}");
        }
    }
}
