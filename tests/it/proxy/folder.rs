//! Where the files go, and what the retrieval tools open: the proxy's own folder.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::client::{Client, WAIT, descriptor, lines, refused, text};

/// Started in `work`, whose sibling `temp` is the system's folder for temporary files.
fn client(flags: &[&str]) -> Client {
    let mut client = Client::bare(flags, |command, folder| {
        for name in ["work", "temp"] {
            std::fs::create_dir(folder.join(name)).unwrap();
            std::fs::write(folder.join(name).join(".env"), "KEY=line 7 of nobody's business")
                .unwrap();
        }
        command.current_dir(folder.join("work")).env("TMPDIR", folder.join("temp"));
    });
    let first = client.initialize();
    client.answer(&first);
    client
}

fn uid() -> u32 {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap())
}

#[test]
fn the_reading_tools_see_the_proxys_own_files_only() {
    let mut client = client(&[]);
    let folder = client.folder.path().to_path_buf();
    let said = descriptor(&client.result(1, "text", &json!({})));
    let path = said["file_path"].as_str().unwrap().to_owned();
    let own = folder.join("temp").join(format!("unburden-{}", uid()));
    assert_eq!(Path::new(&path).parent().unwrap(), own);
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    let back = client.result(2, "read_tool_result", &json!({"result_id": path}));
    assert_eq!(text(&back), lines(400));
    for (id, path) in [".env", "../temp/.env", "/etc/passwd"].into_iter().enumerate() {
        let said = client.result(10 + id as u64, "read_file", &json!({"absolute_path": path}));
        assert_eq!(said["isError"], true, "{path}: {said}");
    }
    let outside = folder.join("work").display().to_string();
    let said = client.result(20, "grep", &json!({"pattern": "KEY", "path": outside}));
    assert_eq!(said["isError"], true, "{said}");
    // Without a path: the whole of what is its own, and nothing else.
    let said = client.result(21, "grep", &json!({"pattern": "line 7 of"}));
    assert!(text(&said).contains("Found 1 match"), "{said}");
    assert!(!text(&said).contains("business"), "{said}");
}

#[test]
fn more_is_opened_by_an_option_and_searched_when_it_is_named() {
    let mut client = client(&["--output-dir", "files", "--root", "."]);
    let folder = client.folder.path().to_path_buf();
    let said = descriptor(&client.result(1, "text", &json!({})));
    let path = said["file_path"].as_str().unwrap();
    assert_eq!(Path::new(path).parent().unwrap(), folder.join("work/files"));
    let said = client.result(2, "read_file", &json!({"absolute_path": ".env"}));
    assert!(text(&said).contains("KEY=line 7"), "{said}");
    let said = client.result(3, "grep", &json!({"pattern": "line 7 of"}));
    assert!(text(&said).contains("Found 1 match"), "{said}");
    let said = client.result(4, "grep", &json!({"pattern": "KEY", "path": ".env"}));
    assert!(text(&said).contains("business"), "{said}");
}

#[test]
fn another_session_reads_the_same_folder() {
    let mut first = client(&[]);
    let said: Value = descriptor(&first.result(1, "text", &json!({})));
    let temp = first.folder.path().join("temp");
    let mut second = Client::bare(&[], |command, _| {
        command.env("TMPDIR", &temp);
    });
    let id = second.initialize();
    second.answer(&id);
    let back = second.result(2, "read_tool_result", &json!({"result_id": said["file_path"]}));
    assert_eq!(text(&back), lines(400));
}

/// A folder of that name that somebody else made, or may read, is not used.
#[test]
fn a_folder_that_is_not_private_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let own = temp.path().join(format!("unburden-{}", uid()));
    let start = || {
        super::client::refused_with(&["--", "cat"], |command| {
            command.env("TMPDIR", temp.path());
        })
    };
    let refused_start = |what: &str| {
        let (status, said) = start();
        assert_eq!(status, Some(2), "{what}: {said}");
        assert!(said.contains("--output-dir") && said.contains("unburden-"), "{what}: {said}");
    };
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), &own).unwrap();
    refused_start("a link");
    std::fs::remove_file(&own).unwrap();
    std::fs::write(&own, "").unwrap();
    refused_start("a file");
    std::fs::remove_file(&own).unwrap();
    std::fs::create_dir(&own).unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).unwrap();
    refused_start("open to others");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(start().0, Some(0));
    let file = temp.path().join("file").display().to_string();
    std::fs::write(&file, "").unwrap();
    let (status, said) = refused(&["--output-dir", &file, "--", "cat"]);
    assert!(status == Some(2) && said.contains("is not a folder"), "{said}");
}

/// Files of histories, whose lifetime is the setting of the service that stored them, and files
/// in other folders than the proxy's own.
#[test]
fn files_of_other_services_are_never_swept() {
    for flags in [&["--output-dir", "own", "--root", "."][..], &["--root", "store"]] {
        let mut stored = Default::default();
        let mut client = Client::bare(flags, |command, folder| {
            stored = stored_history(folder);
            command.current_dir(folder);
        });
        let first = client.initialize();
        client.answer(&first);
        let over = Instant::now() + WAIT;
        while !client.stderr().contains("\"swept\"") {
            assert!(Instant::now() < over, "no sweep within {WAIT:?}: {}", client.stderr());
            std::thread::sleep(Duration::from_millis(10));
        }
        let [file, large]: &[std::path::PathBuf; 2] = &stored;
        assert!(file.exists(), "{flags:?}: {}", client.stderr());
        let is_own = flags[0] == "--root";
        assert_eq!(large.exists(), !is_own, "{flags:?}: {}", client.stderr());
    }
}

/// Stores a result and a large result in `store`, long ago; returns their paths.
fn stored_history(folder: &Path) -> [std::path::PathBuf; 2] {
    let history = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": lines(900)},
        {"role": "user", "content": "and?"}
    ]);
    std::fs::write(folder.join("h.json"), history.to_string()).unwrap();
    let offload = "offload h.json --store-dir store --max-total-tokens 100 --output small.json";
    let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
    let output = command.args(offload.split(' ')).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let large = folder.join("store/lro-f-01M7S0000000000000000000AA.jsonl");
    std::fs::write(&large, "{\"unburden\":{}}\n{\"id\":1}\n").unwrap();
    let paths = [folder.join("store/tool_call_1.txt"), large];
    for path in &paths {
        let old = SystemTime::now() - Duration::from_secs(400 * 86_400);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    }
    paths
}
