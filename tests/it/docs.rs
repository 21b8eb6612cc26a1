//! The documents are executed: the README's commands, the contract, the example
//! configuration, and the house rules of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use axum::body::Body;
use axum::http::Request;
use regex::Regex;
use serde_json::{Value, json};
use unburden::config::Config;

use crate::app::TestApp;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// Kills the service that a README block left in the background.
struct Group(u32);

impl Drop for Group {
    fn drop(&mut self) {
        let group = format!("-{}", self.0);
        let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
    }
}

#[test]
fn readme_commands_do_what_the_readme_says() {
    run(&text("README.md"), "");
}

/// Pages with commands. Their readers have run the README's first command and have a service.
const PAGES: [&str; 3] = ["docs/proxy.md", "docs/records.md", "docs/snapshots.md"];

#[test]
fn pages_do_what_they_say() {
    // Some commands show an error.
    let before = "set +e\nunburden offload examples/history.json --store-dir ./context_store \
                  --output smaller.json\nunburden serve &\n";
    PAGES.iter().for_each(|page| run(&text(page), &format!("{before}{WAIT}")));
}

/// Waits for the service that a block started.
const WAIT: &str =
    "for i in $(seq 100); do unburden healthcheck 2>/dev/null && break; sleep 0.1; done\n";

/// Runs `before` and every `sh` block of a page in one shell, as a newcomer would, but
/// with the binary at hand instead of `cargo run` and on a free port; then looks
/// for each line that the `text` blocks promise.
fn run(readme: &str, before: &str) {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(Path::new(ROOT).join("examples"), folder.path().join("examples"))
        .unwrap();
    let port = free_port();
    let mut script = format!(
        "set -euo pipefail\nexport PORT={port} UNBURDEN_URL=http://127.0.0.1:{port}\n\
         export PYTHONPATH='{ROOT}/clients/python/src' PYTHONDONTWRITEBYTECODE=1\n"
    );
    script.push_str(before);
    for (kind, block) in runnable(readme) {
        if kind == "python" {
            script.push_str(&format!("python3 - <<'PY'\n{block}PY\n"));
            continue;
        }
        script.push_str(&block);
        if block.contains("serve &") {
            script.push_str(WAIT);
        }
    }
    script.push_str(":\n");
    let script = script
        .replace("cargo run --release --", "unburden")
        .replace("127.0.0.1:8002", &format!("127.0.0.1:{port}"));
    let binary = Path::new(env!("CARGO_BIN_EXE_unburden")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", &script]).current_dir(folder.path()).env("PATH", path);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let out = folder.path().join("out.log");
    let log = std::fs::File::create(&out).unwrap();
    // To a file: the service in the background would keep a pipe open.
    command.stdout(log.try_clone().unwrap()).stderr(log);
    let mut child = command.spawn().unwrap();
    let _group = Group(child.id());
    let status = child.wait().unwrap();
    let mut seen = std::fs::read_to_string(&out).unwrap().replace("\\n", "\n");
    assert!(status.success(), "{seen}");
    seen.push_str(
        &std::fs::read_to_string(folder.path().join("smaller.json"))
            .unwrap()
            .replace("\\n", "\n")
            .replace("\\\"", "\""),
    );
    for line in blocks(readme, "text").iter().flat_map(|block| block.lines()) {
        for part in line.split('…').filter(|part| !part.trim().is_empty()) {
            assert!(seen.contains(part.trim()), "the page promises {part:?}: {seen}");
        }
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The blocks that the README's reader runs, in order; those of TypeScript are run
/// where its package is built, by `tests/ecosystem/agents/typescript`.
fn runnable(readme: &str) -> Vec<(&'static str, String)> {
    let mut found: Vec<(usize, &'static str, String)> = Vec::new();
    for kind in ["sh", "python"] {
        let mut from = 0;
        for block in blocks(readme, kind) {
            let at = from + readme[from..].find(&block).unwrap();
            from = at + block.len();
            found.push((at, kind, block));
        }
    }
    found.sort();
    found.retain(|(_, _, block)| !block.contains("tests/run"));
    found.into_iter().map(|(_, kind, block)| (kind, block)).collect()
}

/// The README's entry for MCP clients starts a server that lists its tools.
#[test]
fn the_entry_for_mcp_clients_starts_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let block = blocks(&text("README.md"), "json").concat();
    let entry: Value = serde_json::from_str(&block).unwrap();
    let entry = &entry["mcpServers"]["unburden"];
    assert_eq!(entry["command"], "unburden");
    let here = folder.path().display().to_string();
    let words = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let words = words.map(|word| if word.starts_with('/') { here.as_str() } else { word });
    let mut child = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, format!("{begin}\n{list}\n").as_bytes()).unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for _ in 0..2 {
        line.clear();
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
    }
    assert!(
        line.contains("\"read_tool_result\"") && line.contains("\"context_offload\""),
        "{line}"
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// The packages carry the tools' definitions with them.
#[test]
fn the_packages_have_the_definitions_of_the_tools() {
    let ours: Vec<Value> = ["read_file", "grep", "lro_extract", "read_tool_result"]
        .iter()
        .map(|name| serde_json::from_str(&text(&format!("prompts/tools/{name}.json"))).unwrap())
        .collect();
    for copy in ["clients/python/src/unburden/tools.json", "clients/typescript/tools.json"] {
        let theirs: Vec<Value> = serde_json::from_str(&text(copy)).unwrap();
        assert!(ours == theirs, "{copy} is old: scripts beside it make it anew");
    }
}

/// The fenced blocks of a kind.
fn blocks(markdown: &str, kind: &str) -> Vec<String> {
    let open = format!("```{kind}\n");
    markdown.split(&open).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn contract() -> Value {
    serde_yaml_ng::from_str(&text("openapi.yaml")).unwrap()
}

/// Every route is in the contract, and every path of the contract is a route.
#[test]
fn the_contract_and_the_router_name_the_same_routes() {
    let source = text("src/interfaces/http/router.rs");
    let probes = source.split(".route(\"").skip(1);
    let routes: BTreeSet<(String, String)> = probes
        .map(|rest| {
            let (path, rest) = rest.split_once("\", ").unwrap();
            (path.to_owned(), rest.split('(').next().unwrap().to_owned())
        })
        .collect();
    let contract = contract();
    let mut paths = BTreeSet::new();
    for (path, operations) in contract["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "delete"] {
            if operations.get(method).is_some() {
                paths.insert((path.clone(), method.to_owned()));
            }
        }
    }
    assert_eq!(routes, paths);
    assert_eq!(contract["info"]["version"], env!("CARGO_PKG_VERSION"));
}

/// Every example request fits its schema and gets an answer that its operation
/// documents, and every example answer fits its own schema.
#[tokio::test]
async fn examples_of_the_contract_are_true() {
    let contract = contract();
    let mut asked = 0;
    for (path, operations) in contract["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let responses = &operation["responses"];
            for (status, response) in responses.as_object().unwrap() {
                let response = resolve(&contract, response);
                let media = &response["content"]["application/json"];
                for example in examples(&contract, media) {
                    fits(
                        &contract,
                        &media["schema"],
                        &example,
                        &format!("{method} {path} {status}"),
                    );
                }
            }
            let request = &operation["requestBody"]["content"]["application/json"];
            let requests = examples(&contract, request);
            for example in &requests {
                fits(&contract, &request["schema"], example, &format!("{method} {path}"));
            }
            let asks: Vec<(String, Value)> = match method.as_str() {
                "get" => vec![(path.clone(), Value::Null)],
                "delete" => addresses(path, operation).map(|(_, at)| (at, Value::Null)).collect(),
                _ => requests.into_iter().map(|body| (path.clone(), body)).collect(),
            };
            assert!(!asks.is_empty(), "{method} {path} has an example");
            for (path, body) in asks {
                let app = TestApp::new();
                let body =
                    if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
                let request = Request::builder().method(method.to_uppercase().as_str()).uri(&path);
                let reply = app.send(request.body(body).unwrap()).await;
                let status = reply.status.as_u16().to_string();
                let response = resolve(&contract, &responses[&status]);
                assert!(response.is_object(), "{method} {path}: {status} is not documented");
                let media = &response["content"]["application/json"];
                if media.is_object() {
                    fits(
                        &contract,
                        &media["schema"],
                        &reply.json,
                        &format!("{method} {path} live"),
                    );
                }
                asked += 1;
            }
        }
    }
    assert!(asked >= 41, "{asked}");
}

/// The addresses of the examples of a request without a body, by the names that the
/// examples of its parameters share, and in the order of these.
fn addresses(path: &str, operation: &Value) -> impl Iterator<Item = (String, String)> {
    let mut found: BTreeMap<String, (String, String)> = BTreeMap::new();
    let parameters = operation["parameters"].as_array().unwrap();
    for parameter in parameters.iter().filter(|parameter| parameter["in"] == "path") {
        for (name, example) in parameter["examples"].as_object().unwrap() {
            let part = format!("{{{}}}", parameter["name"].as_str().unwrap());
            let at = path.replace(&part, example["value"].as_str().unwrap());
            found.insert(name.clone(), (at, String::new()));
        }
    }
    for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
        for (name, example) in parameter["examples"].as_object().into_iter().flatten() {
            let query = &mut found.get_mut(name).unwrap().1;
            let value = example["value"].as_str().map(str::to_owned);
            let value = value.unwrap_or_else(|| example["value"].to_string());
            query.push(if query.is_empty() { '?' } else { '&' });
            query.push_str(&format!("{}={value}", parameter["name"].as_str().unwrap()));
        }
    }
    found.into_iter().map(|(name, (at, query))| (name, at + &query))
}

fn resolve<'a>(contract: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(pointer) => contract.pointer(pointer.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

fn examples(contract: &Value, media: &Value) -> Vec<Value> {
    let named = media["examples"].as_object().into_iter().flatten();
    let value = |example| resolve(contract, example)["value"].clone();
    let mut all: Vec<Value> = named.map(|(_, example)| value(example)).collect();
    all.extend(media.get("example").cloned());
    all
}

fn fits(contract: &Value, schema: &Value, value: &Value, what: &str) {
    let document = json!({"allOf": [schema], "components": contract["components"]});
    let validator = jsonschema::validator_for(&document).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{} at {}", e, e.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {errors:?}");
}

/// Every example of a request with its answer, in the order of the page and on one
/// empty root, is what the service says now, value for value.
#[tokio::test]
async fn answers_of_the_contract_are_live() {
    // Members keep their order: a stored file holds the bytes that came.
    let page: serde_yaml_ng::Value = serde_yaml_ng::from_str(&text("openapi.yaml")).unwrap();
    let app = TestApp::new();
    let mut moments = Moments::default();
    let mut replayed = 0;
    for (path, operations) in page["paths"].as_mapping().unwrap() {
        let of = |media: &serde_yaml_ng::Value| {
            media["content"]["application/json"]["examples"].as_mapping().cloned()
        };
        if let Some(delete) = operations.get("delete") {
            let answers = of(&delete["responses"]["200"]).unwrap();
            let operation = serde_json::to_value(delete).unwrap();
            for (name, address) in addresses(path.as_str().unwrap(), &operation) {
                let request = Request::delete(address).body(Body::empty()).unwrap();
                let said = app.send(request).await.json;
                let answer: Value = serde_json::to_value(&answers[&name]["value"]).unwrap();
                assert_eq!(said, answer, "{path:?} {name:?}: {said}");
                replayed += 1;
            }
            continue;
        }
        let post = &operations["post"];
        let answers = of(&post["responses"]["200"]).unwrap_or_default();
        for (name, example) in of(&post["requestBody"]).unwrap_or_default() {
            let body = moments.live(&serde_json::to_string(&example["value"]).unwrap());
            let reply = app.post(path.as_str().unwrap(), body).await;
            let answer: Value = serde_json::to_value(&answers[&name]["value"]).unwrap();
            moments.learn(&answer, &reply.json);
            let said: Value = serde_json::from_str(&moments.of_page(&reply.text)).unwrap();
            assert_eq!(said, answer, "{path:?} {name:?}");
            replayed += 1;
        }
    }
    assert!(replayed >= 36, "{replayed}");
    assert_eq!(moments.0.len(), 4, "two files, each with a name and an end");
}

/// What has the moment of a call in it, as the page has it and as this run does: the
/// names of the files of `/offload_result`, and until when these live.
#[derive(Default)]
struct Moments(Vec<(String, String)>);

impl Moments {
    /// Pairs the file of an answer of the page with that of the reply.
    fn learn(&mut self, page: &Value, live: &Value) {
        let file = |answer: &Value, member: &str| {
            Some(answer["metadata"]["file"][member].as_str()?.to_owned())
        };
        for member in ["path", "expires_at"] {
            let Some((page, live)) = file(page, member).zip(file(live, member)) else { continue };
            assert_eq!(timeless(&page), timeless(&live), "{member}");
            self.0.push((page, live));
        }
    }

    /// A request of the page, about the files of this run.
    fn live(&self, request: &str) -> String {
        self.0.iter().fold(request.to_owned(), |text, (page, live)| text.replace(page, live))
    }

    /// A reply of this run, in the words of the page.
    fn of_page(&self, reply: &str) -> String {
        self.0.iter().fold(reply.to_owned(), |text, (page, live)| text.replace(live, page))
    }
}

/// A path without the first 10 of the 26 characters of its ULID, which are the time;
/// the content gives the others. Of a moment only its form.
fn timeless(text: &str) -> String {
    match text.strip_suffix(".jsonl") {
        Some(path) => format!("{}{}", &path[..path.len() - 26], &path[path.len() - 16..]),
        None => text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect(),
    }
}

/// The error codes of the contract are those that the HTTP interface can return.
#[test]
fn the_contract_lists_every_error_code() {
    let source = text("src/interfaces/http/error.rs");
    let word = |part: &str| {
        !part.is_empty()
            && part.contains('_')
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let fields = [
        "store_dir",
        "absolute_path",
        "byte_offset",
        "file_path",
        "group_by",
        "sort_by",
        "id_field",
    ];
    let given: BTreeSet<String> = source
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|part| word(part) && !fields.contains(part))
        .map(str::to_owned)
        .chain(["unauthorized".to_owned()])
        .collect();
    let contract = contract();
    let error = "/components/schemas/ErrorMetadata/properties/error";
    let codes = contract.pointer(&format!("{error}/properties/code/enum")).unwrap();
    let listed: BTreeSet<String> = serde_json::from_value(codes.clone()).unwrap();
    assert_eq!(given, listed);
}

/// The rules that the contract lists are those that the dialects know.
#[test]
fn the_contract_lists_every_rule() {
    let product = |name: &str| name.starts_with("chat-history/dialect/") && !name.contains("tests");
    let rules: BTreeSet<String> = sources_of_crates()
        .iter()
        .filter(|(name, _)| product(name))
        .flat_map(|(_, source)| {
            source.split("name: \"").skip(1).map(str::to_owned).collect::<Vec<_>>()
        })
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect();
    let schema = "/components/schemas/ValidateMetadata/properties/problems";
    let listed = contract().pointer(&format!("{schema}/items/properties/rule/enum")).cloned();
    assert_eq!(rules, serde_json::from_value(listed.unwrap()).unwrap());
}

#[test]
fn the_example_configuration_is_the_default() {
    let example = text("config.example.toml");
    let read: Config = config_of(&example);
    let mut default = Config::default();
    default.store.roots = read.store.roots.clone();
    assert_eq!(read, default);
    // With the commented settings too, it is still readable, and it names them all.
    let whole: String = example
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.contains(" = ") && !rest.contains("  ") => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let all = serde_json::to_value(config_of(&whole)).unwrap();
    for (section, keys) in serde_json::to_value(Config::default()).unwrap().as_object().unwrap() {
        for (key, value) in keys.as_object().unwrap() {
            assert!(!all[section][key].is_null(), "{section}.{key}");
            let inner = value.as_object();
            let names = inner.map_or_else(|| vec![key], |inner| inner.keys().collect());
            for name in names {
                assert!(whole.contains(&format!("\n{name} = ")), "{section}.{key} {name}");
            }
        }
    }
}

fn config_of(text: &str) -> Config {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).unwrap();
    Config::load(Some(&file)).unwrap()
}

/// The floors of ARCHITECTURE.md: a file uses only what lies beneath it.
#[test]
fn floors_point_down() {
    // From the lowest up; modules of one entry do not use each other.
    const ORDER: [&[&str]; 17] = [
        &["params"],
        &["envelope"],
        &["measure", "model"],
        &["compaction", "snapshot"],
        &["descriptor"],
        &["reading"],
        &["offload_result", "pipeline"],
        &["config"],
        &["telemetry"],
        &["service"],
        &["tools"],
        &["confine"],
        &["lock", "blocking"],
        &["mcp"],
        &["http", "proxy"],
        &["cli"],
        &["fuzz"],
    ];
    let module = |path: &str| -> String {
        let inner = path
            .strip_prefix("interfaces")
            .map_or(path, |rest| rest.trim_start_matches(['/', ':']));
        inner.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()
    };
    let place = |name: &str| ORDER.iter().position(|floor| floor.contains(&name));
    let (mut uses, mut others) = (0, BTreeSet::new());
    for (name, source) in sources() {
        let own = module(&name);
        let Some(own_place) = place(&own) else {
            others.insert(own);
            continue;
        };
        // The tests of private parts share one module.
        let used = source.split("crate::").skip(1).map(module).filter(|used| used != "tests");
        for used in used {
            let used_place = place(&used).unwrap_or_else(|| panic!("{name} uses {used}"));
            assert!(used == own || used_place < own_place, "{name} uses {used}");
            uses += usize::from(used != own);
        }
    }
    assert!(uses > 100, "{uses} uses: this tells nothing");
    assert_eq!(others, ["confine_tests", "lib", "main", "mod", "tests"].map(str::to_owned).into());
}

#[test]
fn house_rules() {
    for (name, source) in sources().into_iter().chain(sources_of_crates()) {
        let lines = source.lines().count();
        assert!(lines <= 400, "{name} has {lines} lines: which second noun hides there?");
        assert!(source.starts_with("//!"), "{name} opens with what it is");
        assert!(!source.contains("unsafe "), "{name}");
        assert!(!source.contains("println!"), "{name}: cli/ has `print` and `say`");
        // The README's commands are held to a build that is not optimised.
        assert!(!source.contains("debug_assertions"), "{name} differs with the profile");
        if !name.starts_with("interfaces/http") && !name.starts_with("interfaces/cli/serve") {
            assert!(!source.contains("axum"), "{name} knows HTTP");
        }
        let strategy = ["redact", "compaction", "snapshot", "lro", "pipeline/moves/plan"]
            .iter()
            .any(|s| name.starts_with(s));
        for effect in ["std::fs", "SystemTime", "Instant", "Ulid", "std::thread"] {
            assert!(!strategy || !source.contains(effect), "{name} is pure, but says {effect}");
        }
    }
    assert!(text("src/main.rs").lines().count() <= 50);
}

/// A reader of the code finds what its comments cite.
#[test]
fn what_comments_cite_is_there() {
    let document = Regex::new(r"[\w./-]+\.md\b").unwrap();
    let invariant = Regex::new(r"\bI[0-9]{1,2}\b").unwrap();
    let specification = Regex::new(r"`(lro-spec-[\w-]+|context-offload-guide)`").unwrap();
    let (invariants, specifications) = (text("docs/invariants.md"), text("docs/specifications.md"));
    let mut cited = 0;
    let tops = ["src", "tests/it", "benches"].iter().flat_map(|top| sources_of(top));
    for (name, source) in tops.chain(sources_of_crates()) {
        for line in source.lines().filter(|line| line.trim_start().starts_with("//")) {
            for found in document.find_iter(line) {
                let at = [found.as_str().to_owned(), format!("docs/{}", found.as_str())];
                let is_there = at.iter().any(|path| Path::new(ROOT).join(path).is_file());
                assert!(is_there, "{name} cites {}: {line}", found.as_str());
            }
            for found in invariant.find_iter(line) {
                let row = format!("| {} |", found.as_str());
                assert!(invariants.contains(&row), "{name} cites {}", found.as_str());
                cited += 1;
            }
            for found in specification.captures_iter(line) {
                assert!(specifications.contains(&found[0]), "{name} cites {}", &found[0]);
            }
        }
    }
    assert!(cited > 40, "{cited} citations: this tells nothing");
}

/// What the guides for maintainers name is there.
#[test]
fn files_that_guides_name_are_there() {
    let path =
        Regex::new(r"`((?:src|tests|crates|clients|docs|docker|prompts)/[\w./-]+)`").unwrap();
    for guide in ["CONTRIBUTING.md", "ARCHITECTURE.md", "docs/specifications.md"] {
        let guide_text = text(guide);
        let named: Vec<&str> =
            path.captures_iter(&guide_text).map(|found| found.extract::<1>().1[0]).collect();
        assert!(named.len() > 2, "{guide} names {named:?}");
        for name in named {
            assert!(Path::new(ROOT).join(name).exists(), "{guide} names {name}");
        }
    }
}

/// Name (below `src`) and text of every source file.
fn sources() -> Vec<(String, String)> {
    sources_of("src")
}

/// The same of the library crates: the name begins with the crate's.
fn sources_of_crates() -> Vec<(String, String)> {
    let crates = sources_of("crates").into_iter().filter(|(name, _)| name.contains("/src/"));
    crates.map(|(name, source)| (name.replacen("/src/", "/", 1), source)).collect()
}

fn sources_of(top: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(ROOT).join(top)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let name = path.strip_prefix(Path::new(ROOT).join(top)).unwrap();
            found.push((name.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}
