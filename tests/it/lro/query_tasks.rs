//! Conditions and ids answer the tasks of the shared corpora correctly. Skipped without
//! `../shared`.

use raw_json as raw;
use record_files::query::{Outcome, Query, run};
use serde_json::{Value, json};

use crate::asking::tight;
use crate::skips::shared;

/// Returns the records of a corpus as lines, and its tasks.
fn corpus(n: u32) -> Option<(String, Value)> {
    let folder = shared("lro")?;
    let read = |name: String| std::fs::read_to_string(folder.join(name)).unwrap();
    let text = read(format!("corpus_n{n}.json"));
    let records = raw::elements(&text).unwrap();
    let lines = records.iter().map(|record| tight(record) + "\n").collect();
    Some((lines, serde_json::from_str(&read(format!("tasks_n{n}.json"))).unwrap()))
}

fn ask<'a>(request: &Value, lines: &'a str) -> Outcome<'a> {
    let request = request.to_string();
    let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
    run(&query, lines, &|| false).unwrap()
}

/// Returns a sorted list of strings.
fn sorted(list: &Value) -> Vec<String> {
    let mut all: Vec<String> = serde_json::from_value(list.clone()).unwrap();
    all.sort();
    all
}

fn strings(literals: Option<Vec<String>>) -> Vec<String> {
    let literals = literals.unwrap();
    let mut all: Vec<String> =
        literals.iter().map(|literal| serde_json::from_str(literal).unwrap()).collect();
    all.sort();
    all
}

#[test]
fn filters() {
    for n in [50, 200, 500] {
        let Some((lines, tasks)) = corpus(n) else { return };
        let tasks = tasks["aggregate_filter"].as_array().unwrap();
        assert_eq!(tasks.len(), 15);
        for task in tasks {
            let condition = json!({"all": [
                {"field": "namespace", "op": "=", "value": task["namespace"]},
                {"field": "priority", "op": task["op"], "value": task["priority"]},
                {"field": "content", "op": "contains", "value": task["product"]}]});
            let outcome = ask(&json!({"where": condition, "select": ["id"]}), &lines);
            assert_eq!(Some(outcome.matched), task["answer"].as_u64(), "{task}");
            let id = |record: &str| serde_json::from_str::<Value>(record).unwrap()["id"].clone();
            let ids: Vec<Value> = outcome.records.iter().map(|record| id(record)).collect();
            assert_eq!(sorted(&json!(ids)), sorted(&task["matching_ids"]), "{task}");
        }
    }
}

#[test]
fn lookups() {
    for n in [50, 200, 500] {
        let Some((lines, tasks)) = corpus(n) else { return };
        let tasks = tasks["id_lookup"].as_array().unwrap();
        assert_eq!(tasks.len(), 15);
        for task in tasks {
            let outcome = ask(&json!({"ids": task["ids"]}), &lines);
            let present = strings(outcome.present);
            assert_eq!(Some(present.len() as u64), task["answer"].as_u64(), "{task}");
            assert_eq!(present, sorted(&task["present"]), "{task}");
            assert_eq!(strings(outcome.absent), sorted(&task["absent"]), "{task}");
        }
    }
}
