//! Secrets out of sight: with `privacy.redact` what a result leaves behind, what a
//! model is asked and what the log says holds none; what is stored holds them all.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use redact::Redact;
use serde_json::{Value, json};
use unburden::config::{DurabilityConfig, RedactConfig};

use crate::app::{TestApp, split};
use crate::history::{array, messages};
use crate::properties::{by_value, config};
use crate::scripted::Endpoint;
use crate::served::Served;
use crate::{cpu_time, properties, properties_compression};

/// Characters of a secret that may not be seen in a row.
const SEEN: usize = 12;

/// So many letters and digits, as mixed as chance has them, and different for each
/// seed.
fn random(seed: usize, length: usize) -> String {
    let letters = b"q7Zr2KfX9mWc4TnB6vYh1JpL8sDg3GdRk5VtN0xCwEaMzQbHuFyPjSiUeAo";
    let at = |n: usize| (n * 17 + n / 5 + seed * 23 + seed * n % 7) % letters.len();
    (0..length).map(|n| char::from(letters[at(n)])).collect()
}

/// A text with a secret, and what of it may not be seen.
fn secret(kind: usize, seed: usize) -> (String, String) {
    let own = random(seed, 40);
    let line = format!("{own}{own}")[..64].to_owned();
    let text = match kind % 10 {
        0 => ["gh", "p_", &own[..36]].concat(),
        1 => format!("aws_secret_access_key = {own}"),
        2 => ["sk-", "ant-api03-", &own, &own].concat(),
        3 => format!("Authorization: Bearer {own}"),
        4 => format!("postgres://app:{own}@db.example.com/app"),
        5 => ["ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxMjM0In0.", &own].concat(),
        6 => format!("{{\"user\": \"ann\", \"password\": \"{own}\"}}"),
        7 => format!(
            "-----BEGIN {0}-----\n{1}-----END {0}-----",
            "RSA PRIVATE KEY",
            format!("{line}\n").repeat(6)
        ),
        8 => json!({"private_key": format!(
            "-----BEGIN {0}-----\n{line}\n{line}\n-----END {0}-----\n", "PRIVATE KEY")})
        .to_string(),
        _ => format!("error: API_KEY={own} was refused"),
    };
    (text, if kind.is_multiple_of(10) { own[..36].to_owned() } else { own })
}

/// True where a part of a secret can be read in a text.
fn is_seen(text: &str, own: &str) -> bool {
    (0..=own.len() - SEEN).any(|at| text.contains(&own[at..at + SEEN]))
}

/// Secrets put into the strings of generated messages: before, between and after
/// their lines, in records, and as arguments.
fn with_secrets() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let place = (0..10usize, 0..50usize, 0..1_000usize, select(vec!["\n", " ", "\", \"", " … "]));
    (messages(), vec(place, 1..12)).prop_map(|(mut history, places)| {
        let mut owns = Vec::new();
        for (kind, seed, at, between) in places {
            let (text, own) = secret(kind, seed);
            let (text, count) = (format!("{between}{text}{between}"), history.len());
            // The operator's text stays if a snapshot is added next to it.
            let message = &history[at % count];
            let system = ["\"role\":\"system\"", "\"role\":\"developer\""];
            let of_system = system.iter().any(|role| message.contains(role));
            if let Some(put) = put(message, &text, at).filter(|_| !of_system) {
                history[at % count] = put;
                owns.push(own);
            }
        }
        (history, owns)
    })
}

/// The message with a text put into its content, at the end of one of its lines.
fn put(message: &str, text: &str, at: usize) -> Option<String> {
    let literal = json!(text).to_string();
    let places: Vec<usize> = message.match_indices("\\n").map(|(at, _)| at).collect();
    let open = message.find("\"content\":\"")? + "\"content\":\"".len();
    let places: Vec<usize> = places.into_iter().filter(|place| *place > open).collect();
    let place = places.get(at % (places.len() + 1)).copied().unwrap_or(open);
    // Behind a backslash it would be another escape.
    if message[..place].ends_with('\\') {
        return None;
    }
    let put = [&message[..place], &literal[1..literal.len() - 1], &message[place..]].concat();
    serde_json::from_str::<Box<serde_json::value::RawValue>>(&put).ok().map(|_| put)
}

fn settings() -> impl Strategy<Value = Value> {
    prop_oneof![properties::settings(), properties_compression::settings()]
}

proptest! {
    #![proptest_config(config())]

    /// What changed shows no part of a secret, and everything comes back.
    #[test]
    fn what_moves_shows_no_secret((history, owns) in with_secrets(), settings in settings()) {
        let app = TestApp::redacting();
        let after = app.offload(&array(&history), &settings);
        for message in split(&after.messages).iter().filter(|m| !history.contains(m)) {
            for own in &owns {
                prop_assert!(!is_seen(message, own), "{own} in {message}");
            }
        }
        let expected = split(&app.rehydrate(&array(&history)).messages);
        let back = split(&app.rehydrate(&after.messages).messages);
        prop_assert_eq!(expected.len(), back.len());
        for (was, is) in expected.iter().zip(&back) {
            prop_assert_eq!(by_value(was), by_value(is));
        }
        let checks = json!({"pairing": true, "references_readable": true,
            "protected_untouched": true, "not_larger": true});
        prop_assert_eq!(&after.report()["checks"], &checks);
    }

    /// Once is enough, here and elsewhere; a longer history keeps its beginning.
    #[test]
    fn redacted_is_as_steady_as_not(
        (history, _) in with_secrets(), (more, _) in with_secrets(),
        settings in properties::settings()
    ) {
        let app = TestApp::redacting();
        let first = app.offload(&array(&history), &settings);
        let files = app.files();
        let second = app.again().offload(&first.messages, &settings);
        prop_assert_eq!(&second.messages, &first.messages);
        prop_assert_eq!(app.files(), files);
        let elsewhere = TestApp::redacting().offload(&array(&history), &settings);
        prop_assert_eq!(&elsewhere.messages, &first.messages);
        prop_assume!(settings.get("target_tokens").is_none());
        let compacted = split(&first.messages);
        let whole = [history.clone(), more].concat();
        let longer = split(&app.offload(&array(&whole), &settings).messages);
        for (index, old) in compacted.iter().enumerate().filter(|(n, m)| **m != history[*n]) {
            prop_assert_eq!(old, &longer[index], "message {}", index);
        }
    }
}

/// The generator of these properties makes what the rules are for: where secrets are
/// shown, they are seen.
#[test]
fn without_it_every_kind_of_secret_is_seen() {
    for kind in 0..10 {
        let (text, own) = secret(kind, 7);
        let log = format!("{text}\n{}", "a quiet line of a long log\n".repeat(300));
        let history = [
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
            json!({"role": "tool", "tool_call_id": "c", "content": log}),
            json!({"role": "user", "content": "and?"}),
        ]
        .map(|message| message.to_string());
        let settings = json!({"max_total_tokens": 1, "preview_char_length": 3_000});
        let shown = |app: &TestApp| {
            let after = app.offload(&array(&history), &settings);
            assert_eq!(after.report()["outcome"], "compacted");
            is_seen(&after.messages, &own)
        };
        assert_eq!((shown(&TestApp::new()), shown(&TestApp::redacting())), (true, false), "{text}");
    }
}

fn records() -> String {
    let record = |n: usize| {
        let (note, area) = (format!("note {}", secret(n % 7, 3).0), ["search", "login"][n % 2]);
        let log = format!("a\n{}\nb", secret(7, 3).0);
        let mut record = json!({"id": n, "area": area, "note": note, "log": log});
        record["password"] = json!(random(3, 40));
        record[["gh", "p_", &random(3, 40)].concat()] = json!(1);
        record
    };
    Value::Array((0..60).map(record).collect()).to_string()
}

/// Every descriptor in every wording, also of a file whose recipes were made where
/// secrets are shown.
#[test]
fn descriptors_show_no_secret_and_files_hold_them() {
    let own = random(3, 40);
    let open = TestApp::new();
    let closed = {
        let mut config = open.config.clone();
        config.privacy.redact = RedactConfig::Secrets;
        unburden::service::Service::open(&config).unwrap()
    };
    let (mut seen, text) = (0, format!("{}\n{}", secret(7, 3).0, "quiet\n".repeat(4_000)));
    for descriptor in ["full", "no_recipes", "no_schema", "compact", "pointer"] {
        for tools in [json!(["lro_extract", "read_file"]), json!(["shell"]), json!(["grep"])] {
            for given in
                [format!("\"results\":{}", records()), format!("\"content\":{}", json!(text))]
            {
                let more = json!({"descriptor": descriptor, "reload_tools": tools,
                    "query": format!("password = '{own}'")});
                let body = crate::asking::large(&given, &more);
                let said = |service: &unburden::service::Service| {
                    service.offload_result(body.as_bytes()).unwrap().into_json()
                };
                seen += usize::from(is_seen(&said(&open.service), &own));
                let answer = said(&closed);
                assert!(!is_seen(&answer, &own), "{descriptor} {tools}: {answer}");
                assert!(answer.contains("\"offloaded\":true"), "{answer}");
            }
        }
    }
    assert!(seen > 5, "{seen}: the records of this test would show nothing anyway");
    let stored: Vec<_> =
        open.files().into_iter().filter(|(name, _)| name.contains("lro")).collect();
    assert_eq!(stored.len(), 2);
    for (name, content) in stored {
        assert!(is_seen(&String::from_utf8(content).unwrap(), &own), "{name}");
    }
    let fresh = TestApp::redacting();
    let said = fresh.offload_records(&records(), &json!({}));
    assert!(!is_seen(&said.envelope, &own));
    assert_eq!(said.get("offload")["jq_recipes"].as_array().unwrap().len(), 2);
    let found = fresh.extract(
        &said.path(),
        &json!({"where": {"field": "password", "op": "=",
        "value": own}, "count": true}),
    );
    assert_eq!(found.answer, "60 of 60 records match.");
    // What made it is shown by the error of an expired file.
    let records = fresh.private_files();
    assert!(records.iter().any(|(name, _)| name.contains("lro/.unburden/names/lro-")));
    assert!(!records.iter().any(|(_, bytes)| is_seen(&String::from_utf8_lossy(bytes), &own)));
}

/// What an agent read back with a secret in its pattern moves as any text.
#[test]
fn a_search_for_a_secret_shows_none_when_it_moves() {
    let app = TestApp::redacting();
    let (own, call) = (random(5, 36), |id: &str, name: &str, arguments: Value| {
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}]})
        .to_string()
    });
    let token = ["gh", "p_", &own].concat();
    let result = |id: &str, text: &str| {
        json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
    };
    let user = json!({"role": "user", "content": "and?"}).to_string();
    let log = format!("using {token} in this step of the build\n").repeat(200);
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 60});
    let history = [call("call_1", "bash", json!({})), result("call_1", &log), user.clone()];
    let mut messages = split(&app.offload(&array(&history), &settings).messages);
    let asked = json!({"pattern": token, "path": "/workspace/store"});
    let found = app.grep(&asked)["answer"].as_str().unwrap().to_owned();
    assert!(found.contains(&token), "reading is lossless: {found}");
    messages.extend([call("call_2", "grep", asked), result("call_2", &found), user]);
    let after = app.offload(&array(&messages), &settings);
    let moved = &split(&after.messages)[4];
    assert!(moved.contains("detailed result is stored") && !is_seen(moved, &own), "{moved}");
    let back = split(&app.rehydrate(&after.messages).messages);
    assert_eq!((&back[1], &back[4]), (&history[1], &messages[4]));
}

/// What a model is asked, the snapshot it writes, and the next one that merges it.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_shown_no_secret() {
    let server = Endpoint::good().await;
    let app = Arc::new(TestApp::with(|config| {
        config.store.durability = DurabilityConfig::Relaxed;
        config.llm.base_url = Some(server.base_url.clone());
        config.llm.model = Some("m".to_owned());
        config.llm.timeout_seconds = 10;
        config.privacy.redact = RedactConfig::Secrets;
    }));
    let turn = |n: usize| {
        let text = |kind: usize| secret(kind, n).0;
        let arguments = json!({"command": format!("run {}", text(n))}).to_string();
        let filler = format!("field {n} of the form holds letters\n").repeat(20);
        [
            json!({"role": "user", "content": format!("Please do step {n}: {}", text(n + 1))}),
            json!({"role": "assistant", "content": format!("I try {}", text(n + 2)), "tool_calls": [
                {"id": format!("c{n}"), "type": "function",
                 "function": {"name": "bash", "arguments": arguments}}]}),
            json!({"role": "tool", "tool_call_id": format!("c{n}"),
                "content": format!("{}\n{filler}{}", text(n + 3), text(n + 4))}),
            json!({"role": "assistant", "content": format!("Step {n} is done.")}),
        ]
        .map(|message| message.to_string())
    };
    let history: Vec<String> = (0..8).flat_map(turn).collect();
    let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 500});
    let ask = |messages: Vec<String>| {
        let (app, settings) = (Arc::clone(&app), settings.clone());
        tokio::task::spawn_blocking(move || app.offload(&array(&messages), &settings))
    };
    let first = ask(history.clone()).await.unwrap();
    assert_eq!(first.report()["snapshot"]["source"], "llm", "{}", first.warnings());
    let longer = [split(&first.messages), (8..16).flat_map(turn).collect()].concat();
    let second = ask(longer).await.unwrap();
    assert_eq!(second.report()["outcome"], "compressed", "{}", second.warnings());
    assert!(server.calls() >= 2);
    let asked: String = server.asked().iter().map(|asked| asked.body.to_string()).collect();
    assert!(asked.contains("[redacted: "));
    for n in 0..16 {
        let own = secret(1, n).1;
        assert!(!is_seen(&asked, &own), "{own}");
        assert!(!is_seen(&split(&second.messages)[0], &own), "{own}");
    }
    assert_eq!(split(&app.rehydrate(&first.messages).messages), history);
}

/// A snapshot that was made and kept where secrets are shown does not serve where not.
#[test]
fn a_kept_snapshot_of_before_does_not_serve() {
    let open = TestApp::new();
    let own = random(9, 36);
    let turn = |n: usize| {
        [
            json!({"role": "user", "content": format!("Step {n}: use {}{own} always", ["gh", "p_"].concat())}),
            json!({"role": "assistant", "content": format!("Step {n} is done. ").repeat(30)}),
        ]
        .map(|message| message.to_string())
    };
    let history: Vec<String> = (0..12).flat_map(turn).collect();
    let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 1});
    let before = open.offload(&array(&history), &settings);
    assert!(is_seen(&split(&before.messages)[0], &own));
    let mut config = open.config.clone();
    config.privacy.redact = RedactConfig::Secrets;
    let closed = unburden::service::Service::open(&config).unwrap();
    let offload = |messages: &[String]| {
        let body = crate::app::request(&array(messages), &settings);
        crate::app::Offloaded::read(&closed.offload(body.as_bytes()).unwrap().into_json())
    };
    assert!(!is_seen(&split(&offload(&history).messages)[0], &own));
    // One that stands in the history already is merged without them.
    let more: Vec<String> = (0..12)
        .map(|n| {
            json!({"role": if n % 2 == 0 { "user" } else { "assistant" },
        "content": format!("A remark {n} about the weather. ").repeat(40)})
            .to_string()
        })
        .collect();
    let merged = offload(&[split(&before.messages), more].concat());
    assert_eq!(merged.report()["outcome"], "compressed", "{}", merged.warnings());
    let snapshot = &split(&merged.messages)[0];
    assert!(
        snapshot.contains("[redacted: github-token]") && !is_seen(snapshot, &own),
        "{snapshot}"
    );
}

/// The operator decides: by a flag, by the environment, by the file; no request does.
#[test]
fn each_command_that_shows_texts_has_the_flag() {
    let folder = tempfile::tempdir().unwrap();
    let own = random(2, 36);
    let log = format!("token {}{own}\n{}", ["gh", "p_"].concat(), "step\n".repeat(3_000));
    let history = json!([
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": log},
        {"role": "user", "content": "and?"}]);
    std::fs::write(folder.path().join("h.json"), history.to_string()).unwrap();
    let run = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
        command.current_dir(folder.path()).args(arguments).envs(environment.iter().copied());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let offload = ["offload", "h.json", "--max-total-tokens", "1"];
    assert!(is_seen(&run(&offload, &[]).0, &own));
    let flagged = run(&[&offload[..], &["--redact"]].concat(), &[]).0;
    assert!(flagged.contains("[redacted: github-token]") && !is_seen(&flagged, &own), "{flagged}");
    let set = run(&offload, &[("UNBURDEN_PRIVACY__REDACT", "secrets")]).0;
    assert_eq!(set, flagged);
    std::fs::write(folder.path().join("u.toml"), "[privacy]\nredact = \"all\"\n").unwrap();
    let refused = run(&[&offload[..], &["--config", "u.toml"]].concat(), &[]).1;
    assert!(refused.contains("privacy.redact"), "{refused}");
    for command in ["serve", "offload", "mcp", "proxy"] {
        let help = run(&[command, "--help"], &[]).0;
        assert!(help.contains("--redact"), "{command}: {help}");
    }
    for command in ["grep", "read", "extract", "sweep"] {
        assert!(!run(&[command, "--help"], &[]).0.contains("--redact"), "{command} is lossless");
    }
}

/// A line of the log may hold an operator's own words, such as the name of a root.
#[test]
fn the_log_shows_no_secret() {
    for (flags, shown) in [(vec![], true), (vec!["--redact"], false)] {
        let folder = tempfile::tempdir().unwrap();
        let token = ["gh", "p_", &random(4, 36)].concat();
        let root = folder.path().join(&token);
        std::fs::create_dir(&root).unwrap();
        let roots = root.display().to_string();
        let flags = [vec!["--root", &roots], flags].concat();
        let served = Served::with_flags(folder, &[("RUST_LOG", "info")], &flags);
        served.wait_for("/healthz", "");
        let log = served.stop();
        assert!(log.contains("ready"), "{log}");
        assert_eq!(log.contains(&token), shown, "{log}");
        assert_eq!(log.contains("[redacted: github-token]"), !shown, "{log}");
    }
}

/// Fills that make a careless expression scan the rest of the text at each place.
#[test]
fn every_fill_takes_linear_time() {
    let fills = [
        "eyJ",
        "eyJa.",
        "sk-",
        "token=",
        "token=\"",
        "password:'",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "a://:",
        "Bearer ",
        "authorization: basic ",
        "curl -u a",
        "\\",
        "A",
        "AKIA",
        "://u:p",
        "AccountKey=",
        "1234567890:AA",
        "M1.",
        "token\\\\\\\"",
        "secret>",
        "password,",
        "password,token\n",
        "name: password\n",
        "\"name\":\"token\",",
        "{\"name\":\"password\",",
        "pwd=",
        "a://b:c/",
        "@",
        "Cookie: a=",
        "echo a|",
        "mysql -p",
        "--password ",
        "PRIVATE KEYQUklWQVRFIEtFW",
        "login a password ",
        "|password|\n|--|\n",
    ];
    // A moment each where the time grows with the text, minutes where it grows with its
    // square.
    for fill in fills {
        let text = fill.repeat(500_000 / fill.len());
        let took = cpu_time::of(|| {
            std::hint::black_box(Redact::Secrets.text(text.as_str()));
        });
        let most = Duration::from_secs(20);
        assert!(took < most, "half a megabyte of {fill:?} took {took:?}, {most:?} at most");
    }
}

/// Prints how long ten megabytes take, in texts of several kinds; `--ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn ten_megabytes_take() {
    type Line = fn(usize) -> String;
    let lines: [(&str, Line); 4] = [
        ("a quiet log", |n| {
            format!("2026-01-02T03:04:05Z INFO app[{}] GET /items/{n} status=200 {n}ms\n", n % 16)
        }),
        ("a log of sessions", |n| {
            format!("INFO token refreshed for user{n} session={n:x} key=c:{n} https://x.de/{n}\n")
        }),
        ("records", |n| format!("{{\"id\":{n},\"name\":\"item {n}\",\"tokens\":{n}}},")),
        ("code", |n| format!("let token = self.next_token()?; // the key {n}, password: string\n")),
    ];
    for (what, line) in lines {
        let mut text = String::new();
        for n in 0.. {
            text.push_str(&line(n));
            if text.len() >= 10_000_000 {
                break;
            }
        }
        let began = std::time::Instant::now();
        std::hint::black_box(Redact::Secrets.secrets(&text));
        println!("{what}: {:.3} s", began.elapsed().as_secs_f64());
    }
}
