//! Every call that a reference prints, run as an agent would run it: what comes back is to the
//! byte what the reference says it is.

use std::process::Command;

use raw_json::offset_in;
use serde_json::{Map, Value, json};

use crate::app::{TestApp, split};
use crate::asking::{lines, memories};
use crate::history::{array, call, result, user};

/// The folder of a store whose path a shell must quote.
const FOLDER: &str = "/workspace/it's $HOME";

/// The tools of an agent, each alone, and some under other names.
fn agents() -> [Value; 5] {
    [
        json!(["read_file"]),
        json!(["read_tool_result"]),
        json!(["shell"]),
        json!({"read_file": "fs-read"}),
        json!({"read_tool_result": "results/get"}),
    ]
}

fn plain(count: usize) -> String {
    (0..count)
        .map(|n| format!("step {n} compiles a package of the workspace, é 上下文\n"))
        .collect()
}

/// Texts that are cut at lines, within a line, within the first and within the last.
fn texts() -> [String; 6] {
    [
        plain(500),
        plain(500).trim_end().to_owned(),
        plain(300).replace('\n', "\r\n"),
        "x上é ".repeat(15_000),
        format!("{}\n{}", "a b ".repeat(9_000), plain(9)),
        format!("{}{}", plain(9), "a b ".repeat(9_000)),
    ]
}

/// Offloads one result with these tools; what stands in its place.
fn offloaded(app: &TestApp, id: &str, text: &str, tools: &Value) -> String {
    let history = array(&[call(id, "bash", &json!({})), result(id, text), user("go on")]);
    // The recipe of a shell is made for a note that says more than where its records are.
    let settings = json!({"max_total_tokens": 1, "store_dir": FOLDER, "reload_tools": tools,
        "descriptor": "compact"});
    let message = split(&app.offload(&history, &settings).messages)[1].clone();
    let message: Value = serde_json::from_str(&message).unwrap();
    message["content"].as_str().unwrap().to_owned()
}

/// The part that a reference says is left out, and the call that it prints for it.
fn left_out(shown: &str) -> (&str, &str) {
    let note = shown.lines().rev().nth(1).unwrap();
    let (before, call) = note.rsplit_once(" left out: ").unwrap();
    (before.rsplit_once("; ").unwrap().1, call.split_once("; ref ").unwrap().0)
}

/// What a printed call brings back: of a page, without the line that says which it is.
fn run(app: &TestApp, printed: &str) -> String {
    let Some((name, mut arguments)) = arguments(printed) else { return shell(app, printed) };
    // No more than a page comes back without this.
    arguments["max_tokens"] = json!(0);
    let answer = match name {
        "read_file" | "fs-read" => app.read_file(&arguments)["answer"].as_str().unwrap().to_owned(),
        "read_tool_result" | "results/get" => {
            app.tool_result(arguments["result_id"].as_str().unwrap(), &arguments).answer
        }
        _ => panic!("{printed}"),
    };
    answer.split_once("\n\n---\n\n").map_or(answer.as_str(), |(_, body)| body).to_owned()
}

/// Name and arguments of a call of a tool; None for a shell's command.
fn arguments(printed: &str) -> Option<(&str, Value)> {
    let (name, rest) = printed.split_once('(').filter(|(name, _)| !name.contains(' '))?;
    let mut rest = rest.strip_suffix(')')?;
    let mut arguments = Map::new();
    while let Some((name, after)) = rest.split_once('=') {
        let mut values = serde_json::Deserializer::from_str(after).into_iter::<Value>();
        let value = values.next()?.ok()?;
        arguments.insert(name.to_owned(), value);
        rest = after[values.byte_offset()..].trim_start_matches(", ");
    }
    assert_eq!(rest, "", "{printed}");
    Some((name, arguments.into()))
}

/// What a command prints, run where the store's folder is.
fn shell(app: &TestApp, command: &str) -> String {
    let real = app.folder().display().to_string();
    let command = command.replace("/workspace", &real);
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The lines or bytes of a text, as a reference counts them: `L3-L9`, `bytes 10-20`.
fn named<'t>(text: &'t str, part: &str) -> &'t str {
    let numbers = |range: &str| -> (usize, usize) {
        let (first, last) = range.split_once('-').unwrap();
        (first.parse().unwrap(), last.parse().unwrap())
    };
    if let Some(range) = part.strip_prefix("bytes ") {
        let (start, end) = numbers(range);
        return &text[start..=end];
    }
    let (first, last) = numbers(&part.replace('L', ""));
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    let start = if first == 1 { 0 } else { ends[first - 2] };
    &text[start..ends.get(last - 1).copied().unwrap_or(text.len())]
}

#[test]
fn each_call_brings_back_what_is_left_out() {
    let app = TestApp::new();
    let mut forms = [0; 3];
    for (number, text) in texts().iter().enumerate() {
        for tools in agents() {
            let shown = offloaded(&app, &format!("call_{number}"), text, &tools);
            let (part, call) = left_out(&shown);
            let missing = named(text, part);
            let back = run(&app, call);
            let at = format!("{tools}, text {number}: {call}");
            if call.contains("lines=\"all\"") {
                // It counts lines only: of bytes it brings back everything.
                assert_eq!(back, *text, "{at}");
                continue;
            }
            assert!(back == missing, "{at}: {} bytes for {}", back.len(), missing.len());
            // What is shown and what is left out are the whole.
            let start = offset_in(text, missing);
            let (head, tail) = (&text[..start], &text[start + missing.len()..]);
            assert!(shown.starts_with(head), "{at}: {shown}");
            assert!(
                shown.contains(&format!("{}\n[", tail.trim_end_matches('\n'))),
                "{at}: {shown}"
            );
            let commands = ["sed -n", "tail -c", "lines=\""];
            for (count, command) in forms.iter_mut().zip(commands) {
                *count += usize::from(call.contains(command));
            }
        }
    }
    assert!(forms.iter().all(|count| *count > 0), "sed, tail and lines are all printed: {forms:?}");
}

/// Of what a tool read back, the reference prints the call that reads it again.
#[test]
fn each_call_brings_back_what_was_read_before() {
    let text = plain(400);
    let page: String = text.split_inclusive('\n').skip(19).take(90).collect();
    for tools in agents() {
        let app = TestApp::new();
        let settings = json!({"max_total_tokens": 1, "store_dir": "/workspace/store", "reload_tools": tools,
            "max_tool_message_tokens": 60, "keep_recent_count": 1});
        let command =
            json!({"command": format!("sed -n 20,109p /workspace/store/tool_call_1.txt")});
        let history = [call("call_1", "bash", &json!({})), result("call_1", &text), user("go on")];
        let mut history = split(&app.offload(&array(&history), &settings).messages);
        history.extend([call("call_2", "bash", &command), result("call_2", &page), user("next")]);
        let after = split(&app.offload(&array(&history), &settings).messages);
        let shown: Value = serde_json::from_str(&after[4]).unwrap();
        let shown = shown["content"].as_str().unwrap();
        let note = shown.lines().next().unwrap();
        let printed =
            note.split_once(" tokens left out: ").unwrap().1.split_once("; ref ").unwrap().0;
        let back = run(&app, printed);
        let whole = printed.contains("lines=\"all\"");
        assert_eq!(back, if whole { &text } else { &page }.as_str(), "{tools}: {printed}");
    }
}

/// The note of records prints a question, and an answer comes back.
#[test]
fn each_call_of_records_is_answered() {
    let records = memories(120, "full");
    for tools in ["lro_extract", "read_tool_result", "read_file", "grep", "shell"] {
        let app = TestApp::new();
        let shown = offloaded(&app, "call_1", &records, &json!([tools]));
        let path = shown.rsplit_once("stored in ").unwrap().1.strip_suffix(')').unwrap();
        let note = shown.lines().rev().nth(1).unwrap();
        let begins = if tools == "shell" { "tail -n" } else { tools };
        let (_, printed) = note.rsplit_once(&format!("; {begins}")).unwrap();
        let printed = format!("{begins}{}", printed.split_once("; ref ").unwrap().0);
        let content = app.content(path);
        let (_, stored) = lines(&content);
        assert_eq!(stored.len(), 120);
        match tools {
            "lro_extract" => {
                let (_, question) = arguments(&printed).unwrap_or_else(|| panic!("{printed}"));
                let count = app.extract(path, &question).get("count").as_u64().unwrap();
                assert!((1..=120).contains(&count), "{printed}: {count}");
            }
            "grep" => {
                let (_, mut question) = arguments(&printed).unwrap();
                // The agent's own words go there.
                if question["pattern"] == "…" {
                    question["pattern"] = json!("mem-0119");
                }
                let found = app.grep(&question)["answer"].as_str().unwrap().to_owned();
                assert!(found.starts_with("Found "), "{printed}: {found}");
            }
            "read_file" => {
                let page: String = stored[..20].iter().map(|line| format!("{line}\n")).collect();
                assert_eq!(run(&app, &printed), page, "{printed}");
            }
            "read_tool_result" => {
                let found = run(&app, &printed);
                assert!(
                    !found.is_empty() && !found.starts_with("No matches"),
                    "{printed}: {found}"
                );
            }
            _ if crate::lro::system_jq(&["-n", "1"], "").is_none() => {}
            _ => assert!(!shell(&app, &printed).is_empty(), "{printed}"),
        }
    }
}
