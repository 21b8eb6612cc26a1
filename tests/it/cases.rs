//! Case files: a behaviour is a file in `tests/cases`, and its snapshot shows
//! what becomes of it. A file has three parts between lines of `---`: what it
//! shows, the settings as JSON, the history as JSON, where a string
//! `@lines N text` stands for N lines of that text with `{n}` counted from 1, and
//! `@+@` for nothing: it keeps made-up secrets from looking like real ones. A setting
//! `redact` is the operator's, not the request's.
//!
//! `INSTA_UPDATE=always cargo test cases` takes new snapshots; look at them.

use serde_json::{Value, json};

use crate::app::{TestApp, split};
use crate::properties::value_of;

#[test]
fn cases() {
    insta::glob!("../cases", "**/*.txt", |path| {
        let case = std::fs::read_to_string(path).unwrap();
        insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
            insta::assert_snapshot!(show(&case));
        });
    });
}

fn show(case: &str) -> String {
    let mut parts = case.splitn(3, "\n---\n");
    let (about, settings, history) =
        (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let mut settings: Value = serde_json::from_str(settings).unwrap();
    let history = expand(&history.trim().replace("@+@", ""));
    let app = match settings.as_object_mut().unwrap().remove("redact") {
        Some(redact) if redact == "secrets" => TestApp::redacting(),
        None => TestApp::new(),
        Some(other) => panic!("redact is {other}; accepted is \"secrets\""),
    };
    let body = crate::app::request(&history, &settings);
    let answer = match app.service.offload(body.as_bytes()) {
        Ok(answer) => answer,
        Err(error) => return format!("{about}\n\nrefused: {error}\n"),
    };
    let after = crate::app::Offloaded::read(&answer.into_json());
    let mut out = format!("{about}\n\nanswer: {}\n", after.json["answer"].as_str().unwrap());
    let old = split(&history);
    for (index, new) in split(&after.messages).iter().enumerate() {
        let same = old.get(index).filter(|old| *old == new).map(|_| index);
        match same.or_else(|| old.iter().position(|old| old == new)) {
            Some(at) if at == index => out.push_str(&format!("\n[{index}] as it came\n")),
            Some(at) => out.push_str(&format!("\n[{index}] as [{at}] came\n")),
            None => out.push_str(&format!("\n[{index}] {}\n", new.replace("\\n", "\n    "))),
        }
    }
    for (name, content) in app.files() {
        let lines = content.iter().filter(|byte| **byte == b'\n').count();
        out.push_str(&format!("\nfile {name}: {} bytes, {lines} line ends\n", content.len()));
    }
    let report = after.report();
    out.push_str(&format!(
        "\n{}: {} -> {} tokens, ratio {}, first changed {}\n",
        report["outcome"],
        report["tokens_before"],
        report["tokens_after"],
        report["compaction_ratio"],
        report["first_changed_index"]
    ));
    for action in report["actions"].as_array().unwrap() {
        out.push_str(&format!(
            "  [{}] {} {} {}: {} -> {}, {}\n",
            action["index"],
            action["action"],
            action["tool_call_id"],
            action["tool"],
            action["tokens_before"],
            action["tokens_after"],
            action["why"]
        ));
    }
    for mend in report["repairs"].as_array().into_iter().flatten() {
        out.push_str(&format!("mend: {mend}\n"));
    }
    for warning in report["warnings"].as_array().unwrap() {
        out.push_str(&format!("warning: {warning}\n"));
    }
    assert_eq!(
        json!(report["checks"])
            .as_object()
            .unwrap()
            .values()
            .filter(|v| **v == json!(true))
            .count(),
        4
    );
    if report["repairs"].is_null() {
        let back = app.rehydrate(&after.messages);
        assert_eq!(value_of(&back.messages), value_of(&history));
    }
    out
}

/// Puts the lines in the place of each `@lines N text`.
fn expand(history: &str) -> String {
    let mut out = String::new();
    let mut rest = history;
    while let Some((before, after)) = rest.split_once("@lines ") {
        let (count, after) = after.split_once(' ').unwrap();
        let end = after.find(['"', '@']).unwrap();
        let line = &after[..end];
        out.push_str(before);
        for n in 1..=count.parse::<usize>().unwrap() {
            out.push_str(&line.replace("{n}", &n.to_string()));
            out.push_str("\\n");
        }
        rest = after[end..].strip_prefix('@').unwrap_or(&after[end..]);
    }
    out + rest
}
