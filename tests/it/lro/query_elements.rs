//! Random conditions on nested arrays, compared with every choice of elements.

use std::collections::{BTreeMap, BTreeSet};

use raw_json as raw;
use record_files::query::{Query, run};
use serde_json::{Value, json};

use super::random::Random;

const PATHS: [&str; 8] = ["e.x", "e.y", "e.f.x", "e.f.y", "e.f", "o.x", "e.0.x", "n"];

impl Random {
    fn number(&mut self) -> Value {
        json!(self.below(3))
    }

    /// An object, an array of such, or an array of arrays, with the members of `make`.
    fn one_or_many(&mut self, make: &dyn Fn(&mut Self) -> Value) -> Value {
        match self.below(6) {
            0 => make(self),
            1 => json!([[make(self)], make(self)]),
            _ => (0..self.below(4)).map(|_| make(self)).collect(),
        }
    }

    fn event(&mut self) -> Value {
        let inner = self.one_or_many(&|random| {
            let (x, y) = (random.number(), random.number());
            random.pick(&[json!({"x": x, "y": y}), json!({"x": x})])
        });
        let (x, y) = (self.number(), self.number());
        self.pick(&[json!({"x": x, "y": y, "f": inner}), json!({"y": y, "f": inner})])
    }

    fn elements_condition(&mut self, depth: usize) -> Value {
        match self.below(if depth > 2 { 3 } else { 8 }) {
            3..=5 => self.list("all", depth),
            6 => self.list("any", depth),
            7 => json!({"not": self.elements_condition(depth + 1)}),
            _ => {
                let op = self.pick(&["=", "=", "!=", "exists"]);
                let value = if op == "exists" { json!(true) } else { self.number() };
                json!({"field": self.pick(&PATHS), "op": op, "value": value})
            }
        }
    }

    fn list(&mut self, word: &str, depth: usize) -> Value {
        let parts: Vec<Value> =
            (0..1 + self.below(3)).map(|_| self.elements_condition(depth + 1)).collect();
        json!({ word: parts })
    }
}

/// The chosen elements, by the path of their array.
type Chosen = BTreeMap<String, Value>;

fn is_index(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// The arrays that a path may go through.
fn prefixes(path: &str) -> BTreeSet<String> {
    let segments: Vec<&str> = path.split('.').collect();
    let before = |at: &usize| !is_index(segments[*at]);
    (1..segments.len()).filter(before).map(|at| segments[..at].join(".")).collect()
}

fn values(path: &str, record: &Value, chosen: &Chosen) -> Vec<Value> {
    let base = prefixes(path).into_iter().rfind(|prefix| chosen.contains_key(prefix));
    let (mut values, rest) = match &base {
        Some(prefix) => (vec![chosen[prefix].clone()], &path[prefix.len() + 1..]),
        None => (vec![record.clone()], path),
    };
    for segment in rest.split('.') {
        values = values.into_iter().flat_map(|value| step(&value, segment)).collect();
    }
    values
}

fn step(value: &Value, segment: &str) -> Vec<Value> {
    match value {
        Value::Object(members) => members.get(segment).into_iter().cloned().collect(),
        Value::Array(all) if is_index(segment) => {
            all.get(segment.parse::<usize>().unwrap()).into_iter().cloned().collect()
        }
        Value::Array(all) => all.iter().flat_map(|value| step(value, segment)).collect(),
        _ => Vec::new(),
    }
}

fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(all) => all.iter().flat_map(elements).collect(),
        other => vec![other.clone()],
    }
}

fn flat(parts: &Value) -> Vec<Value> {
    let part = |part: &Value| match part.get("all") {
        Some(inner) => flat(inner),
        None => vec![part.clone()],
    };
    parts.as_array().unwrap().iter().flat_map(part).collect()
}

/// The arrays that the paths of a part go through, outside of a `not`.
fn arrays(part: &Value) -> BTreeSet<String> {
    let list = part.get("all").or_else(|| part.get("any")).and_then(Value::as_array);
    match (list, part["field"].as_str()) {
        (Some(parts), _) => parts.iter().flat_map(arrays).collect(),
        (None, Some(path)) => prefixes(path),
        (None, None) => BTreeSet::new(),
    }
}

fn holds(condition: &Value, record: &Value, chosen: &Chosen) -> bool {
    if let Some(parts) = condition.get("all") {
        let parts = flat(parts);
        let of_parts: Vec<BTreeSet<String>> = parts.iter().map(arrays).collect();
        let all: BTreeSet<&String> = of_parts.iter().flatten().collect();
        let is_shared =
            |array: &&String| of_parts.iter().filter(|part| part.contains(*array)).count() > 1;
        let shared: Vec<String> = all.into_iter().filter(is_shared).cloned().collect();
        return any_choice(&parts, &shared, record, chosen);
    }
    if let Some(parts) = condition.get("any") {
        return parts.as_array().unwrap().iter().any(|part| holds(part, record, chosen));
    }
    if let Some(part) = condition.get("not") {
        return !holds(part, record, &Chosen::new());
    }
    let values = values(condition["field"].as_str().unwrap(), record, chosen);
    let wanted = &condition["value"];
    let equal = || values.iter().any(|value| elements(value).contains(wanted) || value == wanted);
    match condition["op"].as_str().unwrap() {
        "=" => equal(),
        "!=" => !equal(),
        _ => !values.is_empty(),
    }
}

fn any_choice(parts: &[Value], shared: &[String], record: &Value, chosen: &Chosen) -> bool {
    let Some((array, inner)) = shared.split_first() else {
        return parts.iter().all(|part| holds(part, record, chosen));
    };
    let found = values(array, record, chosen);
    if chosen.contains_key(array) || !found.iter().any(Value::is_array) {
        return any_choice(parts, inner, record, chosen);
    }
    let elements: Vec<Value> = found.iter().flat_map(elements).collect();
    if elements.is_empty() {
        return any_choice(parts, inner, record, chosen);
    }
    elements.into_iter().any(|element| {
        let mut chosen = chosen.clone();
        chosen.insert(array.clone(), element);
        any_choice(parts, inner, record, &chosen)
    })
}

#[test]
fn a_condition_holds_if_one_choice_of_elements_meets_it() {
    let mut random = Random(0x5DEE_CE66_D1CE_5EED);
    let mut records: Vec<Value> = (0..120)
        .map(|n| {
            let events = random.one_or_many(&|random| random.event());
            let others = random.one_or_many(&|random| json!({"x": random.number()}));
            json!({"id": n, "e": events, "o": others, "n": random.number()})
        })
        .collect();
    // Every path exists, and `e.f` has numbers to be compared with.
    records.push(json!({"id": 120, "n": 0, "o": {"x": 0}, "e": [{"x": 0, "y": 0, "f": 7}]}));
    records.push(json!({"id": 121, "e": {"f": [{"x": 0, "y": 0}]}}));
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let mut distinct = BTreeSet::new();
    for _ in 0..1_500 {
        let condition = random.elements_condition(0);
        let expected: Vec<String> = records
            .iter()
            .filter(|record| holds(&condition, record, &Chosen::new()))
            .map(|record| format!("{{\"id\":{}}}", record["id"]))
            .collect();
        let request = json!({"where": condition, "select": ["id"]}).to_string();
        let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
        let outcome = run(&query, &lines, &|| false).unwrap();
        assert_eq!(outcome.records, expected, "{condition}");
        distinct.insert(expected.len());
    }
    assert!(distinct.len() > 60, "{}", distinct.len());
}
