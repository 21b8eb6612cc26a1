//! The command line, as a person and a script use it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const SUBCOMMANDS: [&str; 15] = [
    "serve",
    "offload",
    "grep",
    "read",
    "extract",
    "count",
    "validate",
    "sweep",
    "delete",
    "verify",
    "mcp",
    "proxy",
    "demo",
    "healthcheck",
    "completions",
];

fn unburden(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
    command.current_dir(folder).stdin(Stdio::null());
    for name in ["PORT", "UNBURDEN_SERVER__LISTEN", "UNBURDEN_STORE__ROOTS"] {
        command.env_remove(name);
    }
    command
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn history() -> Value {
    let log: String = (0..900).map(|n| format!("step {n} of the build went well\n")).collect();
    json!({
        "name": "kept as it is",
        "tools": [{"type": "function", "function": {"name": "bash"}}],
        "messages": [
            {"role": "user", "content": "build it"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": log},
            {"role": "user", "content": "and now?"}
        ]
    })
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("history.json"), history().to_string()).unwrap();
    folder
}

#[test]
fn offload_read_grep_and_count() {
    let folder = folder();
    let at = folder.path();
    let output = unburden(at)
        .args(["offload", "history.json", "--max-total-tokens", "100", "--store-dir", "./store"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let after: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(after["name"], "kept as it is");
    let moved = after["messages"][2]["content"].as_str().unwrap();
    assert!(moved.ends_with("(detailed result is stored in ./store/tool_call_1.txt)"), "{moved}");
    let table = err(&output);
    assert!(table.contains("message  tool") && table.contains("1 result moved"), "{table}");

    // The table's own advice works.
    let advice = table.lines().find_map(|line| line.split_once("unburden read ")).unwrap().1;
    let output = unburden(at).arg("read").args(advice.split(' ')).output().unwrap();
    assert!(out(&output).starts_with("Showing lines 1-20 of 900 total lines."), "{}", out(&output));

    let output = unburden(at).args(["read", "./store/tool_call_1.txt"]).output().unwrap();
    assert_eq!(out(&output), history()["messages"][2]["content"].as_str().unwrap());

    let output = unburden(at).args(["grep", "step 77 ", "./store"]).output().unwrap();
    assert!(out(&output).contains("L78: step 77 of the build went well"), "{}", out(&output));
    let output = unburden(at).args(["grep", "no such thing", "./store"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));

    let output = unburden(at).args(["count", "history.json", "--json"]).output().unwrap();
    let count: Value = serde_json::from_str(&out(&output)).unwrap();
    assert!(count["metadata"]["tokens"].as_u64().unwrap() > 5_000);
    assert!(count["metadata"]["tokens_by_part"]["tools"].as_u64().unwrap() > 0);
}

/// The options of a query go together as its members over HTTP do.
#[test]
fn extract_takes_ids_beside_a_condition_and_refuses_other_queries() {
    let folder = folder();
    let at = folder.path();
    let records = "{\"id\":\"a\",\"n\":1}\n{\"id\":\"b\",\"n\":2}\n{\"id\":\"c\",\"n\":3}\n";
    std::fs::write(at.join("r.jsonl"), records).unwrap();
    let extract = |options: &[&str]| {
        unburden(at).args(["extract", "r.jsonl", "--json"]).args(options).output().unwrap()
    };
    let found = extract(&["--where", "n > 1", "--ids", "a,b"]);
    let found: Value = serde_json::from_str(&out(&found)).unwrap();
    let lists = ["present", "absent", "excluded"].map(|list| found["metadata"][list].clone());
    assert_eq!(lists, [json!(["b"]), json!([]), json!(["a"])], "{found}");
    for options in [
        ["--sql", "SELECT 1", "--count"].as_slice(),
        &["length", "--where", "n > 1"],
        &["length", "--group-by", "n"],
        &["--recipe", "1", "--ids", "a"],
        &["--where", "n > 1", "--id-field", "id"],
        &["--where", "n > 1", "--slurp"],
    ] {
        let refused = extract(options);
        assert_eq!(refused.status.code(), Some(2), "{options:?}");
        let told = err(&refused);
        assert!(told.contains(" with ") && told.contains("accepted is"), "{options:?}: {told}");
    }
    for options in [["--start-line", "1", "--offset", "1"], ["--byte-limit", "9", "--limit", "1"]] {
        let refused = unburden(at).args(["read", "r.jsonl"]).args(options).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{options:?}");
        assert!(err(&refused).contains("given together with"), "{}", err(&refused));
    }
}

#[test]
fn offload_reads_standard_input_and_writes_a_file() {
    let folder = folder();
    let messages = history()["messages"].to_string();
    let mut child = unburden(folder.path())
        .args(["offload", "-", "--max-total-tokens", "100", "--output", "small.json", "--dry-run"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(messages.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.is_empty());
    assert!(err(&output).contains("1 result would move"), "{}", err(&output));
    let written = std::fs::read_to_string(folder.path().join("small.json")).unwrap();
    assert_eq!(written, messages, "a dry run changes nothing");
    assert!(!folder.path().join("context_store").exists());
}

/// The new history must not take the place of a file that it refers to.
#[test]
fn offload_writes_no_history_into_the_store() {
    let folder = folder();
    std::fs::write(folder.path().join("h.json"), history().to_string()).unwrap();
    std::os::unix::fs::symlink("context_store", folder.path().join("link")).unwrap();
    let offload = |output: &str| {
        let options = ["offload", "h.json", "--max-total-tokens", "100", "--output", output];
        unburden(folder.path()).args(options).output().unwrap()
    };
    let refused = |output: &str| {
        let said = offload(output);
        assert_eq!(said.status.code(), Some(2), "{output}: {}", err(&said));
        let accepted = "accepted is a file outside of it";
        assert!(err(&said).contains("--output") && err(&said).contains(accepted), "{}", err(&said));
    };
    let inside = "context_store/tool_call_1.txt";
    refused(inside);
    assert!(!folder.path().join("context_store").exists(), "nothing is stored then");
    assert!(offload("small.json").status.success());
    let stored = std::fs::read(folder.path().join(inside)).unwrap();
    std::os::unix::fs::symlink(inside, folder.path().join("result")).unwrap();
    for output in [inside, "./link/tool_call_1.txt", "result", "context_store/sub/../new.json"] {
        refused(output);
    }
    assert_eq!(std::fs::read(folder.path().join(inside)).unwrap(), stored);
}

/// The settings of a saved request have effect; an option stands above them.
#[test]
fn settings_in_the_file_are_those_of_a_request() {
    let folder = folder();
    let offload = |settings: &Value, options: &[&str]| {
        let mut body = history();
        for (name, value) in settings.as_object().unwrap() {
            body[name] = value.clone();
        }
        std::fs::write(folder.path().join("request.json"), body.to_string()).unwrap();
        let is_real = options.contains(&"--dry-run=false");
        let dry_run = if is_real { &[][..] } else { &["--dry-run"] };
        let args = ["offload", "request.json", "--json"];
        unburden(folder.path()).args(args).args(dry_run).args(options).output().unwrap()
    };
    let outcome = |output: &Output| {
        let envelope: Value = serde_json::from_str(&out(output)).unwrap();
        envelope["metadata"]["report"]["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(outcome(&offload(&json!({}), &[])), "unchanged");
    assert_eq!(outcome(&offload(&json!({"max_total_tokens": 100}), &[])), "compacted");
    let option = ["--max-total-tokens", "90000"];
    assert_eq!(outcome(&offload(&json!({"max_total_tokens": 100}), &option)), "unchanged");
    let elsewhere = json!({"max_total_tokens": 100, "store_dir": "./mine"});
    assert_eq!(outcome(&offload(&elsewhere, &["--dry-run=false"])), "compacted");
    let exists = |store: &str| folder.path().join(store).exists();
    assert!(exists("mine") && !exists("context_store"));
    let refused = offload(&json!({"target_tokens": "many"}), &[]);
    assert!(!refused.status.success());
    assert!(err(&refused).contains("target_tokens"), "{}", err(&refused));
}

/// The table says what was done, or why nothing was, in lines of at most 80 columns.
#[test]
fn the_table_of_an_offload_fits_a_terminal() {
    let folder = folder();
    let mut long = history();
    let id = format!("toolu_{}", "0123456789".repeat(6));
    long["messages"][1]["tool_calls"][0]["id"] = json!(id);
    long["messages"][2]["tool_call_id"] = json!(id);
    std::fs::write(folder.path().join("long.json"), long.to_string()).unwrap();
    let table = |arguments: &[&str]| {
        let output = unburden(folder.path()).arg("offload").args(arguments).output().unwrap();
        let table = err(&output);
        // Commands stay whole, to be copied.
        let mut laid_out = table.lines().filter(|line| !line.starts_with("  unburden "));
        assert!(laid_out.all(|line| line.chars().count() <= 80), "{table}");
        table
    };
    let small = table(&["history.json"]);
    assert!(small.contains("Nothing to do: the history has"), "{small}");
    let moved = table(&["long.json", "--max-total-tokens", "100", "--dry-run"]);
    assert!(moved.contains("tool_call_toolu_0") && moved.contains('…'), "{moved}");
    let compress = ["long.json", "--mode", "compress", "--max-total-tokens", "100"];
    let compress = [&compress[..], &["--keep-recent-count", "1"]].concat();
    let snapshot = table(&compress);
    assert!(snapshot.contains("became a snapshot by the built-in summariser"), "{snapshot}");
    assert!(snapshot.contains("1 snapshot written") && !snapshot.contains("nothing"), "{snapshot}");
    // Its advice names a file.
    let advice = snapshot.lines().find_map(|line| line.split_once("unburden read ")).unwrap().1;
    let read = unburden(folder.path()).arg("read").args(advice.split(' ')).output().unwrap();
    assert_eq!(read.status.code(), Some(0), "{}", err(&read));
}

#[test]
fn a_service_that_is_down_is_told_with_the_command_that_starts_it() {
    let folder = folder();
    let output =
        unburden(folder.path()).args(["healthcheck", "--address", "127.0.0.1:9"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = err(&output);
    assert!(told.starts_with("unburden: no service at http://127.0.0.1:9 ("), "{told}");
    assert!(told.trim_end().ends_with("start it: unburden serve --listen 127.0.0.1:9"), "{told}");
    for listen in ["8002", "localhost:8002"] {
        let output = unburden(folder.path()).args(["serve", "--listen", listen]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("such as 127.0.0.1:8002"), "{}", err(&output));
    }
}

#[test]
fn offload_json_is_the_envelope() {
    let folder = folder();
    let output = unburden(folder.path())
        .args(["offload", "history.json", "--max-total-tokens", "100", "--json"])
        .output()
        .unwrap();
    let answer: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(answer["success"], true);
    assert_eq!(answer["metadata"]["report"]["outcome"], "compacted");
    assert!(answer["metadata"]["write_file_dict"]["./context_store/tool_call_1.txt"].is_string());
    assert_eq!(err(&output), "");
}

#[test]
fn a_saved_request_of_a_provider_is_a_history() {
    let folder = folder();
    let at = folder.path();
    let log: String = (0..900).map(|n| format!("step {n} of the build went well\n")).collect();
    let request = json!({
        "model": "gpt-5", "instructions": "Build.", "input": [
            {"type": "message", "role": "user", "content": "build it"},
            {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": log},
            {"type": "message", "role": "user", "content": "and now?"}]
    });
    std::fs::write(at.join("request.json"), request.to_string()).unwrap();
    let offload = ["offload", "request.json", "--mode", "compact", "--max-total-tokens", "100"];
    let output = unburden(at).args(offload).output().unwrap();
    let after: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(after["instructions"], "Build.");
    assert!(after["input"][2]["output"].as_str().unwrap().ends_with("tool_call_c.txt)"));
    let output = unburden(at).args(["validate", "request.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).starts_with("4 messages of openai-responses: nothing"));
    // The prompt leaves with the snapshot in it.
    let mut long = request.clone();
    let (call, result) = (request["input"][1].clone(), request["input"][2].clone());
    long["input"] = (0..6).flat_map(|_| [call.clone(), result.clone()]).collect();
    long["input"].as_array_mut().unwrap().push(request["input"][3].clone());
    std::fs::write(at.join("long.json"), long.to_string()).unwrap();
    let compress = ["offload", "long.json", "--mode", "compress", "--max-total-tokens", "100"];
    let output = unburden(at).args(compress).output().unwrap();
    let after: Value = serde_json::from_str(&out(&output)).unwrap();
    assert!(after["instructions"].as_str().unwrap().starts_with("Build.\n\n<state_snapshot>"));
}

#[test]
fn a_broken_history_is_told_and_mended() {
    let folder = folder();
    let at = folder.path();
    let broken = json!([
        {"role": "user", "content": "build it"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]},
        {"role": "user", "content": "never mind"}]);
    std::fs::write(at.join("broken.json"), broken.to_string()).unwrap();
    let output = unburden(at).args(["validate", "broken.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).contains("messages[1] call_without_result: "));
    let mend = ["offload", "broken.json", "--repair", "--output", "mended.json"];
    assert_eq!(unburden(at).args(mend).output().unwrap().status.code(), Some(0));
    let output = unburden(at).args(["validate", "mended.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
}

#[test]
fn mistakes_are_told_on_standard_error_with_status_2() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("broken.json"), "{\"messages\": [").unwrap();
    std::fs::write(at.join("other.json"), "{\"a\": 1}").unwrap();
    for (arguments, told) in [
        (vec!["offload", "none.json"], "none.json"),
        (vec!["offload", "broken.json"], "no history was found"),
        (vec!["offload", "other.json"], "has no \"messages\""),
        (
            vec!["offload", "history.json", "--store-dir", "/proc/1/x", "--confined"],
            "allowed roots",
        ),
        (vec!["read", "none.txt"], "was not found"),
        (vec!["read", "/etc/passwd", "--confined"], "was not found"),
        (vec!["grep", "(x", "."], "position"),
        (
            vec!["extract", "x.jsonl", "--recipe", "1", "--param", "n=1", "--param", "n=2"],
            "n was found twice",
        ),
        (vec!["count", "other.json"], "has no \"messages\""),
        (vec!["serve", "--listen", "0.0.0.0:0"], "--no-auth"),
        (vec!["serve", "--root", "/no/such/root"], "/no/such/root"),
        (vec!["serve", "--token-file", "none"], "token file"),
        (vec!["serve", "--config", "none.toml"], "none.toml"),
        (vec!["frobnicate"], "unrecognized subcommand"),
    ] {
        let output = unburden(at).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(told), "{arguments:?}: {}", err(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn configuration_is_file_then_environment_then_flags() {
    let folder = folder();
    let at = folder.path();
    let serve = |file: &str, environment: &[(&str, &str)], flags: &[&str]| {
        std::fs::write(at.join("u.toml"), file).unwrap();
        let output = unburden(at)
            .args(["serve", "--config", "u.toml"])
            .args(flags)
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        err(&output)
    };
    // Each address is beyond loopback, so that the service refuses it by name.
    let file = "[server]\nlisten = \"192.0.2.1:1\"\n";
    let from_env = [("UNBURDEN_SERVER__LISTEN", "192.0.2.2:2")];
    assert!(serve(file, &[], &[]).contains("192.0.2.1:1"));
    assert!(serve(file, &from_env, &[]).contains("192.0.2.2:2"));
    assert!(serve(file, &from_env, &["--listen", "192.0.2.3:3"]).contains("192.0.2.3:3"));
    assert!(serve(file, &[("PORT", "77")], &[]).contains("192.0.2.1:77"));
    assert!(serve(file, &[("UNBURDEN_PORT", "tcp://10.0.0.1:80")], &[]).contains("192.0.2.1:1"));
    assert!(serve("[sever]\nlisten = 1\n", &[], &[]).contains("sever"));
    assert!(serve("[server]\nlissten = 1\n", &[], &[]).contains("lissten"));
    assert!(serve("[server]\nlisten = true\n", &[], &[]).contains("server.listen"));
    assert!(serve("", &[("UNBURDEN_SERVER__NONSENSE", "1")], &[]).contains("nonsense"));
    let roots = [("UNBURDEN_STORE__ROOTS", "/no/such/a:/no/such/b")];
    assert!(serve("", &roots, &[]).contains("\"/no/such/a\""));
    let missed = serve("", &[("UNBURDEN_SERVER_TOKEN", "x")], &[]);
    assert!(missed.contains("accepted is UNBURDEN_SERVER__TOKEN"), "{missed}");
    let missed = serve("", &[("UNBURDEN_TENANTS_ACME_TOKEN", "x")], &[]);
    assert!(missed.contains("accepted is UNBURDEN_TENANTS__ACME__TOKEN"), "{missed}");
    // Kubernetes sets such names for services called unburden-tenants and unburden-server.
    let others = [("UNBURDEN_TENANTS_SERVICE_HOST", "x"), ("UNBURDEN_SERVER_PORT", "x")];
    assert!(serve(file, &others, &[]).contains("192.0.2.1:1"));
    let word = serve("[store]\ndurability = \"fast\"\n", &[], &[]);
    assert!(word.contains("store.durability") && word.contains("`sync` or `relaxed`"), "{word}");
    let zero = serve("[extract]\ndeadline_ms = 0\n", &[], &[]);
    assert!(zero.contains("\"extract.deadline_ms\" is 0; accepted are 1 and more"), "{zero}");
}

/// Whatever the case of its name: a tenant that was dropped would leave the service open.
#[test]
fn a_tenant_without_roots_is_refused() {
    let folder = folder();
    for name in ["UNBURDEN_TENANTS__ACME__TOKEN", "UNBURDEN_TENANTS__acme__TOKEN"] {
        let output = unburden(folder.path())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env(name, "0123456789abcdef")
            .output()
            .unwrap();
        assert!(err(&output).contains("tenants.acme has no roots"), "{}", err(&output));
    }
}

/// Roots that are named are the only ones.
#[test]
fn with_a_root_no_other_folder_is_allowed() {
    let folder = folder();
    let at = folder.path();
    std::fs::create_dir(at.join("inside")).unwrap();
    let told = |arguments: &[&str]| {
        let output = unburden(at).args(arguments).args(["--root", "inside"]).output().unwrap();
        (output.status.code(), err(&output))
    };
    let offload = ["offload", "history.json", "--max-total-tokens", "100", "--store-dir"];
    let (status, error) = told(&[&offload[..], &["./outside"]].concat());
    assert_eq!(status, Some(2));
    assert!(error.contains("\"./outside\" is outside the allowed roots"), "{error}");
    assert!(!at.join("outside").exists());
    assert_eq!(told(&["read", "history.json"]).0, Some(2));
    assert_eq!(told(&[&offload[..], &["./inside"]].concat()).0, Some(0));
    assert_eq!(told(&["read", "inside/tool_call_1.txt"]).0, Some(0));
}

/// The working directory is the only root; a program that was started in `/` gets a private
/// folder instead of every file.
#[test]
fn without_a_root_the_working_directory_is_the_only_one() {
    let (work, temporary) = (folder(), folder());
    let in_temporary = temporary.path().join("history.json").display().to_string();
    let confined = |at: &Path, path: &str| {
        let mut command = unburden(at);
        command.env("TMPDIR", temporary.path()).args(["read", "--confined", path]);
        command.output().unwrap().status.code()
    };
    assert_eq!(confined(work.path(), "history.json"), Some(0));
    assert_eq!(confined(work.path(), &in_temporary), Some(2));
    assert_eq!(confined(Path::new("/"), &in_temporary), Some(2));
    let made: Vec<String> = std::fs::read_dir(temporary.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("unburden-"))
        .collect();
    let [own] = made.as_slice() else { panic!("{made:?}") };
    let own = temporary.path().join(own);
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    std::fs::write(own.join("note.txt"), "a note").unwrap();
    assert_eq!(confined(Path::new("/"), &own.join("note.txt").display().to_string()), Some(0));
}

/// The curve with the service stays low, the one without grows, and nothing is lost.
#[test]
fn a_store_that_cannot_be_used_is_told_with_the_cause() {
    let folder = folder();
    let output = unburden(folder.path())
        .arg("serve")
        .env("UNBURDEN_STORE__URL", "s3://bucket")
        .env("UNBURDEN_STORE__ENDPOINT", "http://127.0.0.1:1")
        // As in a container without root certificates.
        .env("SSL_CERT_FILE", "/none")
        .env("SSL_CERT_DIR", "/none")
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(err(&output).contains("CA certificates"), "{}", err(&output));
}

#[test]
fn the_demo_shows_what_is_saved() {
    let folder = folder();
    let output =
        unburden(folder.path()).args(["demo", "--turns", "30", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let played: Value = serde_json::from_str(&out(&output)).unwrap();
    let curve = |name: &str| -> Vec<u64> { serde_json::from_value(played[name].clone()).unwrap() };
    let (without, with) = (curve("without"), curve("with"));
    assert_eq!((without.len(), with.len()), (30, 30));
    assert!(without.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(without[29] > 60_000 && *with.iter().max().unwrap() < 24_000, "{played}");
    assert_eq!(played["found"], true);
    assert!(played["answer"].as_str().unwrap().contains("port 48213"));
    let again = unburden(folder.path()).args(["demo", "--turns", "30", "--json"]).output().unwrap();
    assert_eq!(out(&again), out(&output), "every run has the same tokens");
    let page = unburden(folder.path()).args(["demo", "--turns", "3"]).output().unwrap();
    assert_eq!(page.status.code(), Some(0), "{}", err(&page));
    let page = out(&page);
    assert!(page.contains("turn 1 to 3    ░ without    █ with Unburden"));
    assert!(page.contains("changes none below 20000"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    let refused = unburden(folder.path()).args(["demo", "--turns", "2"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(err(&refused).contains("2 is not in 3..=1000"), "{}", err(&refused));
}

#[test]
fn an_address_that_is_none_is_answered_with_one() {
    for arguments in [["serve", "--listen", "localhost:8002"], ["healthcheck", "--address", "8002"]]
    {
        let output = unburden(folder().path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("such as 127.0.0.1:8002"), "{}", err(&output));
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = folder();
    let output = unburden(folder.path()).args(["man", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for page in
        ["unburden".to_owned()].into_iter().chain(SUBCOMMANDS.map(|it| format!("unburden-{it}")))
    {
        let text = std::fs::read_to_string(folder.path().join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
}

#[test]
fn an_interrupted_demo_leaves_no_files() {
    let folder = folder();
    let temporary = tempfile::tempdir().unwrap();
    let entries = || std::fs::read_dir(temporary.path()).unwrap().count();
    let mut child = unburden(folder.path())
        .args(["demo", "--turns", "1000"])
        .env("TMPDIR", temporary.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert_eq!(told.next().unwrap().unwrap(), "turn 50 of 1000");
    assert!(entries() > 0);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(entries(), 0);
}

#[test]
fn every_command_has_help() {
    let folder = folder();
    for command in SUBCOMMANDS {
        let output = unburden(folder.path()).args([command, "--help"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(out(&output).contains("Usage: unburden"), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let output = unburden(folder.path()).args(["completions", shell]).output().unwrap();
        assert!(out(&output).contains("offload"), "{shell}");
    }
}
