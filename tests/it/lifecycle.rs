//! The lives of stored files: who keeps them, when they go, and what is said of
//! them afterwards. Time passes by setting the files' own times back.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use unburden::envelope::Answer;

use crate::app::TestApp;

const DAY: u64 = 24 * 3_600;

fn read(answer: Answer) -> Value {
    serde_json::from_str(&answer.into_json()).unwrap()
}

fn sweep(app: &TestApp) -> Value {
    read(app.service.sweep(b"{}").unwrap().0)
}

fn path_of(app: &TestApp, seen: &str) -> PathBuf {
    app.folder().join(seen.strip_prefix("/workspace/").unwrap())
}

/// Makes a file as old as that.
fn age(app: &TestApp, seen: &str, seconds: u64) {
    let file = std::fs::File::options().write(true).open(path_of(app, seen)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

fn message(call: &str, content: &str) -> String {
    let tool = json!({"role": "tool", "tool_call_id": call, "content": content});
    let calls = json!([{"id": call, "type": "function", "function":
        {"name": "search", "arguments": "{\"q\":\"open tickets\"}"}}]);
    let asked = json!({"role": "assistant", "content": null, "tool_calls": calls});
    format!("{asked},{tool}")
}

fn history(parts: &[String]) -> String {
    format!("[{},{{\"role\":\"user\",\"content\":\"and?\"}}]", parts.join(","))
}

fn log() -> String {
    (0..400).map(|n| format!("line {n}\n")).collect()
}

fn rows() -> String {
    let rows: Vec<Value> = (0..200).map(|n| json!({"id": n, "state": "open"})).collect();
    json!(rows).to_string()
}

fn offloaded(app: &TestApp) -> (String, Vec<String>) {
    let history = history(&[message("call_1", &log()), message("call_2", &rows())]);
    let after =
        app.offload(&history, &json!({"max_total_tokens": 1, "max_tool_message_tokens": 100}));
    let actions = after.report()["actions"].as_array().unwrap().clone();
    let paths = actions.iter().map(|a| a["path"].as_str().unwrap().to_owned()).collect();
    (after.messages, paths)
}

#[test]
fn what_a_posted_history_mentions_lives_on() {
    let app = TestApp::new();
    let (messages, paths) = offloaded(&app);
    for path in &paths {
        age(&app, path, 29 * DAY);
    }
    // The compacted history is small, and is posted below every threshold.
    let unchanged = app.offload(&messages, &json!({}));
    assert_eq!(unchanged.report()["outcome"], "unchanged");
    for path in &paths {
        let age = path_of(&app, path).metadata().unwrap().modified().unwrap().elapsed().unwrap();
        assert!(age < Duration::from_secs(60), "{path} was not renewed");
    }
    assert_eq!(sweep(&app)["metadata"]["expired"], json!([]));
}

#[test]
fn what_nobody_mentions_goes_and_is_told_from_what_never_was() {
    let app = TestApp::new();
    let (_, paths) = offloaded(&app);
    assert!(paths[0].ends_with("tool_call_1.txt") && paths[1].ends_with(".jsonl"));
    for path in &paths {
        age(&app, path, 31 * DAY);
    }
    let dry = read(app.service.sweep(br#"{"dry_run": true}"#).unwrap().0);
    assert_eq!(dry["metadata"]["expired"].as_array().unwrap().len(), 2);
    assert!(path_of(&app, &paths[0]).exists(), "a dry run deletes nothing");
    let swept = sweep(&app);
    assert_eq!(swept["metadata"]["expired"].as_array().unwrap().len(), 2, "{swept}");
    assert!(!path_of(&app, &paths[0]).exists());
    for (failure, field) in [
        (app.service.read_file(json!({"absolute_path": paths[0]}).to_string().as_bytes()), "read"),
        (
            app.service.grep(json!({"pattern": "x", "path": paths[1]}).to_string().as_bytes()),
            "grep",
        ),
        (
            app.service
                .lro_extract(json!({"file_path": paths[1], "query": "."}).to_string().as_bytes()),
            "extract",
        ),
        (app.service.read_tool_result(br#"{"result_id": "call_1"}"#), "result"),
    ] {
        let error = failure.unwrap_err().to_string();
        assert!(error.contains("expired") && error.contains("search({"), "{field}: {error}");
        assert!(error.contains("open tickets"), "{field}: {error}");
    }
    let never = json!({"absolute_path": "/workspace/store/tool_call_9.txt"}).to_string();
    let error = app.service.read_file(never.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("was not found"), "{error}");
}

#[tokio::test]
async fn expired_is_410_and_never_was_is_404() {
    let app = TestApp::new();
    let (messages, paths) = offloaded(&app);
    age(&app, &paths[0], 31 * DAY);
    sweep(&app);
    let gone = app.post("/read_file", json!({"absolute_path": paths[0]}).to_string()).await;
    assert_eq!(gone.status.as_u16(), 410);
    assert_eq!(gone.json["metadata"]["error"]["code"], "file_expired");
    let never = app.post("/read_file", r#"{"absolute_path": "/workspace/store/x.txt"}"#).await;
    assert_eq!(never.status.as_u16(), 404);
    // A history that still holds the reference keeps it, and is told.
    let back = app.rehydrate(&messages);
    assert_eq!(back.json["metadata"]["unresolved"].as_array().unwrap().len(), 1);
    assert_eq!(back.json["metadata"]["restored"], 1);
}

#[test]
fn a_large_result_lives_its_own_time() {
    let app = TestApp::new();
    let body = json!({"operation": "search", "content": rows(), "threshold_tokens": 100,
        "output_dir": "/workspace/lro", "ttl_seconds": 100});
    let first = read(app.service.offload_result(body.to_string().as_bytes()).unwrap());
    let path = first["metadata"]["file"]["path"].as_str().unwrap();
    assert_eq!(first["metadata"]["file"]["ttl_seconds"], 100);
    age(&app, path, 90);
    // Asking again for the same is using it.
    let again = read(app.service.offload_result(body.to_string().as_bytes()).unwrap());
    assert_eq!(again["metadata"]["file"]["path"], path);
    assert_eq!(again["metadata"]["file"]["created"], false);
    age(&app, path, 90);
    assert_eq!(sweep(&app)["metadata"]["expired"], json!([]));
    age(&app, path, 101);
    assert_eq!(sweep(&app)["metadata"]["expired"].as_array().unwrap().len(), 1);
    // Made again, it is a file again.
    let new = read(app.service.offload_result(body.to_string().as_bytes()).unwrap());
    assert_eq!(new["metadata"]["file"]["created"], true);
}

fn is_renewed(app: &TestApp, path: &str) -> bool {
    let modified = path_of(app, path).metadata().unwrap().modified().unwrap();
    modified.elapsed().unwrap() < Duration::from_secs(60)
}

/// A history that is posted whole again refers to nothing; its results have their files.
#[test]
fn what_is_posted_again_lives_on() {
    let app = TestApp::new();
    let (_, paths) = offloaded(&app);
    for other in [&app, &app.again()] {
        for path in &paths {
            age(&app, path, 29 * DAY);
        }
        let history = history(&[message("call_1", &log()), message("call_2", &rows())]);
        let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 100});
        assert_eq!(other.offload(&history, &settings).report()["outcome"], "compacted");
        for path in &paths {
            assert!(is_renewed(&app, path), "{path}");
        }
    }
}

/// What a tool read back becomes a reference of its file: that is used again.
#[test]
fn what_is_read_back_lives_on() {
    let app = TestApp::new();
    let (_, paths) = offloaded(&app);
    let path = paths.iter().find(|path| path.ends_with(".txt")).unwrap();
    age(&app, path, 29 * DAY);
    let page = app.read_file(&json!({"absolute_path": path, "offset": 10, "limit": 300}));
    let calls = json!([{"id": "call_9", "type": "function", "function":
        {"name": "read", "arguments": json!({"absolute_path": path}).to_string()}}]);
    let asked = json!({"role": "assistant", "content": null, "tool_calls": calls}).to_string();
    let result = json!({"role": "tool", "tool_call_id": "call_9", "content": page["answer"]});
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 100});
    let after = app.offload(&history(&[asked, result.to_string()]), &settings);
    assert_eq!(after.report()["actions"][0]["path"], **path, "{}", after.report());
    assert!(is_renewed(&app, path), "{path}");
}

/// The files of a snapshot are mentioned by the snapshot, or by the files that
/// it mentions.
#[test]
fn what_a_snapshot_stands_for_lives_on_with_it() {
    let app = TestApp::new();
    let mut parts = vec![json!({"role": "user", "content": "Find the slow query"}).to_string()];
    parts.extend((0..30).map(|n| message(&format!("call_{n}"), &format!("run {n}\n{}", log()))));
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 200});
    let compacted = app.offload(&history(&parts), &settings);
    let compressed = app.offload(
        &compacted.messages,
        &json!({"context_manage_mode": "compress", "max_total_tokens": 1}),
    );
    assert_eq!(compressed.report()["outcome"], "compressed");
    let files: Vec<String> = app.files().into_iter().map(|(name, _)| name).collect();
    assert!(files.len() > 30);
    for file in &files {
        age(&app, &format!("/workspace/{file}"), 29 * DAY);
    }
    // In another process, which remembers nothing.
    app.again().offload(&compressed.messages, &json!({}));
    for file in files.iter().filter(|file| !file.contains("/.")) {
        let modified = app.folder().join(file).metadata().unwrap().modified().unwrap();
        assert!(modified.elapsed().unwrap() < Duration::from_secs(60), "{file} was not renewed");
    }
}

/// It does so at each post, and not only at the first one of a process.
#[test]
fn what_a_list_names_lives_on_at_each_post() {
    let app = TestApp::with(|config| config.store.ttl_seconds = 600);
    let parts: Vec<String> =
        (0..30).map(|n| message(&format!("call_{n}"), &format!("run {n}\n{}", log()))).collect();
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 200});
    let compacted = app.offload(&history(&parts), &settings);
    let compress = json!({"context_manage_mode": "compress", "max_total_tokens": 1});
    let compressed = app.offload(&compacted.messages, &compress);
    assert!(compressed.messages.contains("more are listed in"), "{}", compressed.messages);
    for _ in 0..2 {
        let files = app.files().into_iter().map(|(name, _)| name);
        let files: Vec<String> = files.filter(|file| !file.contains("/.")).collect();
        for file in &files {
            age(&app, &format!("/workspace/{file}"), 500);
        }
        app.offload(&compressed.messages, &json!({}));
        for file in &files {
            assert!(is_renewed(&app, &format!("/workspace/{file}")), "{file} was not renewed");
        }
    }
}

/// Its name in a history renews a file of `/offload_result`, which has no signed reference.
#[test]
fn a_large_result_that_a_history_names_lives_on() {
    let app = TestApp::new();
    for (given, descriptor) in [("results", "full"), ("results", "pointer"), ("content", "full")] {
        let results: Vec<Value> = (0..200).map(|n| json!({"id": n, "state": descriptor})).collect();
        let given = match given {
            "results" => json!({"results": results}),
            _ => json!({"content": log()}),
        };
        let mut body = json!({"operation": "search", "threshold_tokens": 100,
            "output_dir": "/workspace/größe 1/lro", "ttl_seconds": 100, "descriptor": descriptor});
        body.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
        let answer = read(app.service.offload_result(body.to_string().as_bytes()).unwrap());
        let path = answer["metadata"]["file"]["path"].as_str().unwrap();
        age(&app, path, 90);
        app.offload(&history(&[message("call_1", answer["answer"].as_str().unwrap())]), &json!({}));
        assert!(is_renewed(&app, path), "{path}");
    }
}

#[test]
fn files_are_kept_for_good_where_the_operator_says_so() {
    let app = TestApp::with(|config| config.store.ttl_seconds = 0);
    let (_, paths) = offloaded(&app);
    for path in &paths {
        age(&app, path, 4_000 * DAY);
    }
    assert_eq!(sweep(&app)["metadata"]["expired"], json!([]));
}

#[test]
fn verify_finds_what_was_changed() {
    let app = TestApp::new();
    let (_, paths) = offloaded(&app);
    let verify = || {
        let (answer, sound) = app.service.verify(br#"{"store_dir": "/workspace/store"}"#).unwrap();
        (read(answer), sound)
    };
    let (report, sound) = verify();
    assert!(sound && report["metadata"]["intact"] == 2, "{report}");
    std::fs::write(path_of(&app, &paths[0]), "something else").unwrap();
    std::fs::remove_file(path_of(&app, &paths[1])).unwrap();
    let (report, sound) = verify();
    assert!(!sound);
    assert_eq!(report["metadata"]["changed"], json!([paths[0]]));
    assert_eq!(report["metadata"]["missing"], json!([paths[1]]));
}

fn unburden(arguments: &[&str], folder: &std::path::Path) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.code())
}

#[test]
fn the_command_line_sweeps_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.json"), history(&[message("call_1", &log())])).unwrap();
    let (text, code) = unburden(
        &[
            "offload",
            "h.json",
            "--max-total-tokens",
            "1",
            "--max-tool-message-tokens",
            "100",
            "--output",
            "s.json",
        ],
        folder.path(),
    );
    assert_eq!(code, Some(0), "{text}");
    let (text, code) = unburden(&["verify", "./context_store"], folder.path());
    assert_eq!((text.contains("Intact files: 1 "), code), (true, Some(0)), "{text}");
    let file = folder.path().join("context_store/tool_call_1.txt");
    let old = SystemTime::now() - Duration::from_secs(31 * DAY);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    let root = folder.path().display().to_string();
    let (text, code) = unburden(&["sweep", "--dry-run", "--root", &root], folder.path());
    assert!(text.contains("would delete 1 expired file") && file.exists(), "{text}");
    assert_eq!(code, Some(0));
    let (text, _) = unburden(&["sweep", "--root", &root], folder.path());
    assert!(text.contains("Deleted 1 expired file") && !file.exists(), "{text}");
    let (text, code) = unburden(&["read", "./context_store/tool_call_1.txt"], folder.path());
    assert!(text.contains("expired") && code == Some(2), "{text}");
    std::fs::write(folder.path().join("context_store/tool_call_2.txt"), "x").unwrap();
    let (text, code) = unburden(&["verify", "./context_store"], folder.path());
    assert!(
        text.contains("not listed: ./context_store/tool_call_2.txt") && code == Some(0),
        "{text}"
    );
}

/// Folders that are named are swept instead of those of the configuration.
#[test]
fn the_command_line_sweeps_the_folders_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.json"), history(&[message("call_1", &log())])).unwrap();
    let offload = "offload h.json --max-total-tokens 1 --max-tool-message-tokens 100 --output s";
    for store in ["--store-dir=kept", "--store-dir=swept"] {
        let arguments: Vec<&str> = offload.split(' ').chain([store]).collect();
        assert_eq!(unburden(&arguments, folder.path()).1, Some(0));
    }
    let [kept, swept] = ["kept", "swept"].map(|name| folder.path().join(name));
    for store in [&kept, &swept] {
        let old = SystemTime::now() - Duration::from_secs(31 * DAY);
        let file = std::fs::File::options().write(true).open(store.join("tool_call_1.txt"));
        file.unwrap().set_modified(old).unwrap();
    }
    let (text, code) = unburden(&["sweep", "./swept"], folder.path());
    assert!(text.contains("1 files in 1 folders examined"), "{text}");
    assert_eq!(code, Some(0), "{text}");
    assert!(kept.join("tool_call_1.txt").exists() && !swept.join("tool_call_1.txt").exists());
}

/// A folder that is not there or cannot be swept ends with status 2, also if others were swept.
#[test]
fn the_command_line_tells_what_it_could_not_sweep() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("store/.unburden")).unwrap();
    for options in [&["--dry-run"][..], &[]] {
        let sweep = |dir| unburden(&[&["sweep", dir][..], options].concat(), folder.path());
        let (text, code) = sweep("./nope");
        assert!(text.contains("not swept: ./nope: there is no such folder"), "{text}");
        assert_eq!(code, Some(2), "{text}");
        let format = folder.path().join("store/.unburden/format");
        std::fs::write(format, "unburden store 99\n").unwrap();
        let (text, code) = sweep("./store");
        assert!(text.contains("not swept: ./store: ") && text.contains("newer version"), "{text}");
        assert!(code == Some(2) && text.contains("\nerror: not everything was swept"), "{text}");
    }
}

/// The service sweeps when it starts.
#[test]
fn a_service_sweeps_at_its_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("h.json"), history(&[message("call_1", &log())])).unwrap();
    unburden(
        &[
            "offload",
            "h.json",
            "--max-total-tokens",
            "1",
            "--max-tool-message-tokens",
            "100",
            "--output",
            "s.json",
        ],
        folder.path(),
    );
    let file = folder.path().join("context_store/tool_call_1.txt");
    let old = SystemTime::now() - Duration::from_secs(31 * DAY);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    let mut service = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(["serve", "--listen", "127.0.0.1:0", "--root", "."])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let gone = (0..1_200).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        !file.exists()
    });
    service.kill().unwrap();
    service.wait().unwrap();
    assert!(gone, "the file was there for a minute");
}

#[test]
fn large_result_offloading_can_be_switched_off() {
    let app = TestApp::with(|config| config.prompt.offload.enabled = false);
    let (messages, paths) = offloaded(&app);
    assert!(paths.iter().all(|path| path.ends_with(".txt")), "{paths:?}");
    assert!(!messages.contains("JSONL"));
    let body = json!({"operation": "search", "content": rows(), "threshold_tokens": 1});
    let answer = read(app.service.offload_result(body.to_string().as_bytes()).unwrap());
    assert_eq!(answer["metadata"]["results"], rows());
    assert_eq!(answer["metadata"]["offload"]["offloaded"], false);
}
