//! What a worker reads and what it says: any line of a reply is one of the protocol's
//! or none, any order ends the worker with a word or an error, and whatever records a
//! filter gets, each line that comes of it is one that the client reads, an end last.
//!
//! Filters are those of a list: what others may cost is held by the limits of a
//! process, which a target has not.

use std::thread;

use query_sandbox::protocol::{Line, read};
use query_sandbox::worker::serve;
use serde_json::{Value, json};

/// As a worker has it: deep values are gone down by calls.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// The identity is first.
const FILTERS: [&str; 14] = [
    ".",
    ".a",
    ".[]?",
    "length",
    "keys?",
    "tostring",
    "tojson",
    "type",
    "[.]",
    "..",
    "ascii?",
    "select(.a > 1)",
    "error",
    "not a filter |",
];

pub(crate) fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind % 3 {
        0 => rest.split_inclusive(|byte| *byte == b'\n').for_each(replied),
        1 => worked(rest),
        _ if is_known(rest) => drop(served(rest)),
        _ => {}
    }
}

/// A line that a client reads.
fn replied(line: &[u8]) {
    let Some(Line::Output(text)) = read(line) else { return };
    match line[0] {
        b'v' => assert_eq!(text.as_bytes(), &line[1..line.len() - 1]),
        _ => assert_eq!(serde_json::from_slice::<String>(&line[1..]).ok(), Some(text)),
    }
}

/// An order whose filter is known, over any records.
fn worked(data: &[u8]) {
    let Some((choice, rest)) = data.split_first_chunk::<3>() else { return };
    let [filter, flags, limit] = choice;
    let filter = FILTERS[usize::from(*filter) % FILTERS.len()];
    let task = json!({
        "filter": filter, "vars": [["a", "1"]], "slurp": flags & 1 != 0, "raw": flags & 2 != 0,
        "offset": flags >> 6, "limit": (flags & 4 != 0).then_some(limit)
    });
    let room: u32 = if flags & 8 != 0 { u32::from(*limit) } else { 1 << 20 };
    let order = json!({"jobs": [task], "only_try": flags & 16 != 0, "output_bytes": room});
    let mut input = order.to_string().into_bytes();
    input.push(b'\n');
    input.extend_from_slice(rest);
    let said = served(&input).expect("the order can be read");
    let plain = flags & 0b1101_1111 == 0 && filter == ".";
    let outputs = outputs(&said);
    if plain && let Some(outputs) = outputs {
        is_identity(rest, &outputs);
    }
}

/// True where the bytes are no order, or one of known filters.
fn is_known(input: &[u8]) -> bool {
    let first = input.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(order) = serde_json::from_slice::<Value>(first) else { return true };
    if order.get("sql").is_some() {
        return false;
    }
    let tasks = order["jobs"].as_array();
    let known = |task: &Value| task["filter"].as_str().is_some_and(|one| FILTERS.contains(&one));
    tasks.is_none_or(|tasks| tasks.iter().all(known))
}

fn served(input: &[u8]) -> Option<Vec<u8>> {
    let work = || {
        let mut output = Vec::new();
        serve(input, &mut output).ok().map(|()| output)
    };
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        worker.expect("a thread can be started").join().expect("a worker ends with a word")
    })
}

/// The outputs, where the filter came to its end.
fn outputs(said: &[u8]) -> Option<Vec<String>> {
    let mut outputs = Vec::new();
    let mut end = None;
    for line in said.split_inclusive(|byte| *byte == b'\n') {
        assert!(end.is_none(), "a line follows the last word");
        match read(line) {
            Some(Line::Output(output)) => outputs.push(output),
            Some(Line::End(last)) => end = Some(last),
            Some(Line::Full(_) | Line::Trial(_) | Line::Slurped(_) | Line::Notes(_)) => {}
            Some(Line::Sql(_)) => panic!("a filter ends as a statement"),
            None => panic!("no line of the protocol: {:?}", String::from_utf8_lossy(line)),
        }
    }
    end.expect("the last word is said").ok().map(|_| outputs)
}

/// `.` gives each record as it is, by value.
fn is_identity(records: &[u8], outputs: &[String]) {
    let lines = records.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let lines: Vec<&[u8]> = lines.collect();
    assert_eq!(lines.len(), outputs.len(), "an output a record");
    for (line, output) in lines.iter().zip(outputs) {
        let Ok(record) = serde_json::from_slice::<Value>(line) else { continue };
        let output: Value = serde_json::from_str(output).expect("an output is JSON");
        assert_eq!(unsigned(output), unsigned(record), "the record is another one");
    }
}

/// The value without the sign of a zero: whole numbers have none here.
fn unsigned(value: Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64() == Some(0.0) => Value::from(0),
        Value::Array(all) => all.into_iter().map(unsigned).collect(),
        Value::Object(all) => all.into_iter().map(|(name, one)| (name, unsigned(one))).collect(),
        other => other,
    }
}
