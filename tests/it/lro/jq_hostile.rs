//! Filters and records that mean harm: every one ends with an answer or an error, and nothing
//! of the environment comes back. `jq_ceilings` meets the ceilings.

use std::time::Duration;

use query_sandbox::{Cut, Job, JqError, Limits, WorkerError, Workers};

use super::jq_filters::{ENDLESS, HOSTILE};

fn limits() -> Limits {
    Limits {
        deadline: Duration::from_secs(1),
        memory_bytes: 256 * 1024 * 1024,
        ..Limits::default()
    }
}

fn jq() -> Workers {
    Workers::new(env!("CARGO_BIN_EXE_unburden").into(), limits())
}

/// One with more time, where a slow machine must not matter.
fn patient() -> Workers {
    let limits = Limits { deadline: Duration::from_secs(20), ..Limits::default() };
    Workers::new(env!("CARGO_BIN_EXE_unburden").into(), limits)
}

const RECORDS: &str =
    "{\"a\":1,\"b\":[1,2],\"s\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"}\n{\"a\":2}\n";

/// What every run keeps to, whatever it was given.
fn bounded(jq: &Workers, filter: &str) {
    let (slurp, raw) = (filter.len().is_multiple_of(2), filter.len().is_multiple_of(3));
    let job = Job { slurp: Some(slurp), raw, ..Job::new(filter) };
    match jq.run(&job, RECORDS) {
        Ok(outcome) => {
            let bytes: usize = outcome.values.iter().map(|value| value.len() + 2).sum();
            assert!(bytes <= 1 << 20, "{filter}: {bytes}");
            let leaks = |value: &String| value.contains("CARGO") || value.contains("/usr/bin");
            assert!(!outcome.values.iter().any(leaks), "{filter}");
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < 1_200, "{filter}: {text}");
            let ours = matches!(
                error,
                JqError::Worker(WorkerError::Spawn { .. }) | JqError::BadInput { .. }
            );
            assert!(!ours, "{filter}: {text}");
        }
    }
}

#[test]
fn a_worker_with_little_memory_has_all_of_it() {
    let limits = Limits { memory_bytes: 32 * 1024 * 1024, ..Limits::default() };
    let jq = Workers::new(env!("CARGO_BIN_EXE_unburden").into(), limits);
    let records: String = (0..20_000).map(|n| format!("{{\"a\":{n}}}\n")).collect();
    let job = Job { slurp: Some(true), ..Job::new("map(.a) | add") };
    for _ in 0..20 {
        assert_eq!(jq.run(&job, &records).unwrap().values, ["199990000"]);
    }
}

/// Four at a time: most wait for their worker's end.
fn each(filters: &[&str]) {
    let limits = Limits { deadline: Duration::from_millis(300), ..limits() };
    let jq = Workers::new(env!("CARGO_BIN_EXE_unburden").into(), limits);
    std::thread::scope(|scope| {
        for part in filters.chunks(filters.len().div_ceil(4)) {
            let jq = &jq;
            scope.spawn(move || part.iter().for_each(|filter| bounded(jq, filter)));
        }
    });
}

#[test]
fn filters_that_ask_for_too_much() {
    each(&ENDLESS);
}

#[test]
fn filters_that_ask_for_what_is_not_theirs() {
    each(&HOSTILE);
}

#[test]
fn filters_that_are_deep_or_long() {
    let jq = jq();
    for filter in [
        "(".repeat(16_000),
        "[".repeat(16_000),
        "{a:".repeat(5_000),
        format!("{}1{}", "[".repeat(8_000), "]".repeat(8_000)),
        format!("{}1{}", "(".repeat(8_000), ")".repeat(8_000)),
        ".a|".repeat(5_000) + ".",
        "-".repeat(16_000) + "1",
        format!("{}.{}", "\"\\(".repeat(4_000), ")\"".repeat(4_000)),
        "try ".repeat(4_000) + "1",
        "def f: ".repeat(2_000),
        ".".to_owned() + &"[0]".repeat(5_000),
        ".".to_owned() + &"?".repeat(16_000),
        "1,".repeat(8_000) + "1",
        "if 1 then ".repeat(1_600),
    ] {
        bounded(&jq, &filter);
    }
    let long = " ".repeat(16_385);
    let error = jq.run(&Job::new(&long), RECORDS).unwrap_err();
    assert!(matches!(error, JqError::FilterTooLong { found: 16_385, accepted: 16_384 }), "{error}");
}

#[test]
fn records_that_are_deep_odd_or_broken() {
    let jq = patient();
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    for text in [&deep, &objects] {
        assert_eq!(&jq.run(&Job::new("."), text).unwrap().values, &[text.as_str()]);
    }
    for filter in ["tojson | length", "flatten", ". == ."] {
        assert!(jq.run(&Job::new(filter), &deep).is_ok(), "{filter}");
    }
    assert!(jq.run(&Job::new("."), &"[".repeat(3_000_000)).is_err());
    let same = r#"{"z":1e400,"a":"\ud800x","n":1.10,"b":12345678901234567890123,"c":-1E+2}"#;
    assert_eq!(jq.run(&Job::new("."), same).unwrap().values, [same]);
    let values = jq.run(&Job::new("[.n, .b, .z]"), same).unwrap().values;
    assert_eq!(values, ["[1.10,12345678901234567890123,1e400]"]);
    let raw = Job { raw: true, ..Job::new(".a") };
    assert_eq!(jq.run(&raw, same).unwrap().values, ["\u{FFFD}x"]);
    for (text, line) in [("{}\n{\n{}", 2), ("\n\n1 2\n", 3), ("[1,\n2]", 1)] {
        let error = jq.run(&Job::new("."), text).unwrap_err();
        assert!(matches!(error, JqError::BadInput { line: found, .. } if found == line), "{error}");
    }
    let outcome = jq.run(&Job::new("."), "").unwrap();
    assert_eq!((outcome.values.len(), outcome.total), (0, Some(0)));
}

#[test]
fn many_records_and_a_large_one() {
    let input = format!("{{\"a\":\"{}\"}}\n", "x".repeat(1_000)).repeat(10_000);
    let jq = patient();
    let job = Job { limit: Some(2), ..Job::new(".a | length") };
    let outcome = jq.run(&job, &input).unwrap();
    assert_eq!((outcome.values, outcome.cut), (vec!["1000".to_owned(); 2], Some(Cut::Limit)));
    let outcome = jq.run(&Job { slurp: Some(true), ..Job::new("length") }, &input).unwrap();
    assert_eq!(outcome.values, ["10000"]);
    let line = format!("\"{}\"", "x".repeat(10_000_000));
    assert_eq!(jq.run(&Job::new("length"), &line).unwrap().values, ["10000000"]);
    let outcome = jq.run(&Job::new("."), &line).unwrap();
    let cut = Some(Cut::OutputBytes);
    assert_eq!((outcome.values.len(), outcome.total, outcome.cut), (0, Some(1), cut));
    // A worker that never reads its input is ended all the same.
    let hung = self::jq().run(&Job::new("until(false; .)"), &input);
    assert!(matches!(hung, Err(JqError::Worker(WorkerError::Deadline { ms: 1_000 }))));
}

#[test]
fn limits_offsets_and_totals() {
    let jq = patient();
    let input: String = (0..100).map(|i| format!("{{\"i\":{i}}}\n")).collect();
    for (offset, limit, values, cut) in [
        (10, Some(3), vec!["10", "11", "12"], Some(Cut::Limit)),
        (97, Some(3), vec!["97", "98", "99"], None),
        (0, Some(0), vec![], Some(Cut::Limit)),
        (100, None, vec![], None),
    ] {
        let outcome = jq.run(&Job { offset, limit, ..Job::new(".i") }, &input).unwrap();
        assert_eq!(outcome.values, values, "{offset} {limit:?}");
        assert_eq!((outcome.total, outcome.cut), (Some(100), cut), "{offset} {limit:?}");
    }
}

#[test]
fn values_before_a_hang_or_an_error_are_given() {
    for filter in ["1, 2, 3, until(false; .)", "1, 2, 3, error"] {
        let outcome = jq().run(&Job { limit: Some(2), ..Job::new(filter) }, "1\n").unwrap();
        let cut = Some(Cut::Limit);
        assert_eq!((outcome.values.len(), outcome.total, outcome.cut), (2, None, cut), "{filter}");
    }
    let error = patient().run(&Job::new(".a.b"), "{\"a\":{}}\n\n{\"a\":5}\n").unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("jq: cannot index number 5 with string \"b\""), "{error}");
    assert!(error.ends_with("(at record 1, counted from 0)"), "{error}");
}

#[test]
fn variables_are_values() {
    let jq = patient();
    let vars =
        [("keyword", "\"a\\\"b\""), ("n", "1.10")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    let outcome = jq.run(&Job { vars: &vars, ..Job::new("[$keyword, $n]") }, "1\n").unwrap();
    assert_eq!(outcome.values, ["[\"a\\\"b\",1.10]"]);
    for (name, json) in [("a b", "1"), ("1", "1"), ("", "1"), ("x", "{"), ("ENV", "{")] {
        let vars = [(name.to_owned(), json.to_owned())];
        let error = jq.run(&Job { vars: &vars, ..Job::new(".") }, "1\n").unwrap_err();
        assert!(matches!(error, JqError::Variable { .. }), "{name}: {error}");
    }
}

#[test]
fn a_hostile_filter_among_several_costs_only_itself() {
    let jq = patient();
    let long = " ".repeat(20_000);
    let jobs = [".a", "def f: [f]; f", ".zzz", "slect(.a)", &long, ".b[]?", ".a.b"].map(Job::new);
    let tried = jq.check(&jobs, RECORDS).unwrap();
    assert_eq!(tried.len(), jobs.len());
    assert_eq!(tried[0].as_ref().unwrap().outputs, 2);
    assert!(tried[1].is_err());
    assert_eq!(tried[2].as_ref().unwrap().nulls, 2);
    assert!(matches!(tried[3], Err(JqError::Undefined { .. })));
    assert!(matches!(tried[4], Err(JqError::FilterTooLong { .. })));
    assert_eq!(tried[5].as_ref().unwrap().outputs, 2);
    assert!(matches!(tried[6], Err(JqError::Runtime { record: Some(0), .. })));
    assert!(matches!(jq.check(&jobs, "{"), Err(JqError::BadInput { line: 1, .. })));
}

#[test]
fn sixteen_at_once_and_workers_that_are_none() {
    std::thread::scope(|scope| {
        for i in 0..16 {
            scope.spawn(move || {
                let hangs = i % 4 == 0;
                let (jq, filter) = if hangs {
                    (jq(), "until(false; .)")
                } else {
                    (patient(), "[range(100)] | add")
                };
                assert_eq!(jq.run(&Job::new(filter), RECORDS).is_ok(), !hangs);
            });
        }
    });
    let run = |program: &str| {
        Workers::new(program.into(), Limits::default()).run(&Job::new("."), "").unwrap_err()
    };
    assert!(matches!(run("/no/such/program"), JqError::Worker(WorkerError::Spawn { .. })));
    assert!(matches!(run("/bin/true"), JqError::Worker(WorkerError::Crashed { .. })));
    assert!(matches!(run("/bin/cat"), JqError::Worker(WorkerError::Crashed { .. })));
}
