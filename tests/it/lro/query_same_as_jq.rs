//! Random conditions and orders over random records, compared with jq 1.6. Skipped without it.
//! The fields hold text, so that no value is read as another type; `query_types.rs` tests these.

use std::collections::BTreeSet;

use raw_json as raw;
use record_files::query::{Query, run};
use serde_json::{Value, json};

use super::random::Random;
use super::system_jq;

impl Random {
    fn scalar(&mut self) -> Value {
        self.pick(&[
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!(1),
            json!(2.5),
            json!(-3),
            json!(1e20),
            json!(4_503_599_627_370_497_u64),
            json!(""),
            json!("a"),
            json!("Ab"),
            json!("é"),
            json!("\u{1F600}z"),
            json!("a\"b\\c\n"),
            json!("1"),
            json!("2024-05-01"),
        ])
    }

    fn tree(&mut self, depth: usize) -> Value {
        match self.below(if depth > 2 { 1 } else { 6 }) {
            4 => (0..self.below(4)).map(|_| self.tree(depth + 1)).collect(),
            5 => self.record(depth + 1),
            _ => self.scalar(),
        }
    }

    fn record(&mut self, depth: usize) -> Value {
        let mut record = serde_json::Map::new();
        for key in ["a", "b", "c", "d"] {
            if self.below(3) > 0 {
                record.insert(key.into(), self.tree(depth));
            }
        }
        Value::Object(record)
    }

    /// Returns a condition, and the same as a filter.
    fn condition(&mut self, depth: usize) -> (Value, String) {
        match self.below(if depth > 2 { 1 } else { 6 }) {
            3 | 4 => {
                let (word, op) = self.pick(&[("all", " and "), ("any", " or ")]);
                let (parts, filters): (Vec<_>, Vec<_>) =
                    (0..=self.below(3)).map(|_| self.condition(depth + 1)).unzip();
                let all = |parts: Vec<Value>| {
                    // By themselves: parts of an `all` would speak of one element.
                    let none: Vec<Value> =
                        parts.into_iter().map(|part| json!({ "not": part })).collect();
                    json!({"not": {"any": none}})
                };
                let condition = if word == "all" { all(parts) } else { json!({ word: parts }) };
                (condition, format!("({})", filters.join(op)))
            }
            5 => {
                let (part, filter) = self.condition(depth + 1);
                (json!({"not": part}), format!("({filter} | not)"))
            }
            _ => self.test(),
        }
    }

    /// Returns a comparison of one field, and the same as a filter.
    fn test(&mut self) -> (Value, String) {
        let path = self.pick(&["a", "b", "c", "a.b", "b.c", "c.a.d", ".d", "b[].a"]);
        let steps: Vec<String> = path
            .trim_start_matches('.')
            .split('.')
            .map(|step| format!("{:?}", step.trim_end_matches("[]")))
            .collect();
        let field = Field { hits: format!("[[hits([{}])] | .[] ]", steps.join(",")) };
        let op = self.pick(&[
            "=",
            "!=",
            ">",
            ">=",
            "<",
            "<=",
            "contains",
            "starts_with",
            "ends_with",
            "matches",
            "in",
            "exists",
        ]);
        let value = self.tree(2);
        let word = self.pick(&["", "a", "A", "b", "é", "\u{1F600}", "1", "2024", "\"b"]);
        let (value, filter) = match op {
            "=" => (value.clone(), field.equals(&value)),
            "!=" => (value.clone(), format!("({} | not)", field.equals(&value))),
            ">" | ">=" | "<" | "<=" => {
                let value = if value.is_number() { value } else { json!(word) };
                (value.clone(), field.ordered(op, &value))
            }
            "contains" if value.is_string() => {
                let lower =
                    format!("(ascii_downcase | contains({} | ascii_downcase))", json!(word));
                (json!(word), field.text(&lower))
            }
            "contains" => {
                let hits = &field.hits;
                (value.clone(), format!("({hits} | any(.[]|arrays|.[]; . == ({value})))"))
            }
            "starts_with" => (json!(word), field.text(&format!("startswith({})", json!(word)))),
            "ends_with" => (json!(word), field.text(&format!("endswith({})", json!(word)))),
            "matches" => {
                let pattern = self.pick(&["^a", "b", "[0-9]+", "^.$", "(?i)AB"]);
                (json!(pattern), field.text(&format!("test({})", json!(pattern))))
            }
            "in" => {
                let list: Vec<Value> = (0..self.below(4)).map(|_| self.tree(2)).collect();
                let each: Vec<String> = list.iter().map(|value| field.equals(value)).collect();
                let filter = if each.is_empty() { "false".into() } else { each.join(" or ") };
                (json!(list), format!("({filter})"))
            }
            _ => {
                let exists = self.below(2) == 0;
                (json!(exists), format!("(({} | length > 0) == {exists})", field.hits))
            }
        };
        (json!({"field": path, "op": op, "value": value}), filter)
    }
}

/// Returns a filter for all values of a field.
struct Field {
    hits: String,
}

impl Field {
    fn any(&self, test: &str) -> String {
        format!("({} | any(.[], (.[]|arrays|.[]); {test}))", self.hits)
    }

    fn text(&self, test: &str) -> String {
        self.any(&format!("type == \"string\" and {test}"))
    }

    fn equals(&self, value: &Value) -> String {
        let (hits, any) = (&self.hits, self.any(&format!(". == ({value})")));
        format!("(if ({value}) == null and ({hits} | length) == 0 then true else {any} end)")
    }

    fn ordered(&self, op: &str, value: &Value) -> String {
        let both =
            |kind: &str| format!("(type == \"{kind}\" and (({value}) | type) == \"{kind}\")");
        self.any(&format!("({} or {}) and . {op} ({value})", both("number"), both("string")))
    }
}

const HITS: &str = r#"def hits($p): if ($p|length) == 0 then . elif type == "array" then .[] | hits($p) elif type == "object" then (if has($p[0]) then .[$p[0]] | hits($p[1:]) else empty end) else empty end;"#;

#[test]
fn conditions_match_what_jq_selects() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut records: Vec<String> = (0..150).map(|_| random.record(0).to_string()).collect();
    // Every path has values of every type, so that every operand could be one of them.
    for value in [json!("x y"), json!(1), json!(true), json!(null), json!([1]), json!({"z": 1})] {
        let deep = json!({"a": {"b": value}, "b": [{"a": value, "c": value}],
            "c": {"a": {"d": value}}, "d": value});
        records.push(deep.to_string());
        records.push(json!({"a": value, "b": value, "c": value}).to_string());
    }
    let lines = records.join("\n");
    let (conditions, filters): (Vec<_>, Vec<_>) = (0..300).map(|_| random.condition(0)).unzip();
    let counts: Vec<String> =
        filters.iter().map(|filter| format!("(map(select({filter})) | length)")).collect();
    let program = format!("{HITS} . as $r | [{}]", counts.join(",\n"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.jq");
    std::fs::write(&file, program).unwrap();
    let Some(output) = system_jq(&["-s", "-c", "-f", file.to_str().unwrap()], &lines) else {
        return;
    };
    let expected: Vec<u64> = serde_json::from_str(&output.unwrap()).unwrap();
    for ((condition, filter), expected) in conditions.iter().zip(&filters).zip(&expected) {
        let request = json!({"where": condition, "count": true}).to_string();
        let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
        let outcome = run(&query, &lines, &|| false).unwrap();
        assert_eq!(outcome.matched, *expected, "{condition}\n{filter}");
    }
    let distinct: BTreeSet<&u64> = expected.iter().collect();
    assert!(distinct.len() > 30, "{}", distinct.len());
}

#[test]
fn records_come_in_the_order_of_jq() {
    let mut random = Random(77);
    let records: Vec<String> = (0..300).map(|_| random.record(0).to_string()).collect();
    let lines = records.join("\n");
    for (sort_by, program) in [
        ("a", "sort_by(.a)"),
        ("b,c", "sort_by(.b,.c)"),
        (".", "sort"),
        ("c", "sort_by(.c)"),
        ("d,a,b", "sort_by(.d,.a,.b)"),
    ] {
        let Some(output) = system_jq(&["-s", "-c", program], &lines) else { return };
        let expected: Vec<Value> = serde_json::from_str(&output.unwrap()).unwrap();
        for limit in [0, 1, 7, 100] {
            let request = json!({"sort_by": sort_by, "limit": limit}).to_string();
            let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
            let outcome = run(&query, &lines, &|| false).unwrap();
            // jq changes the spelling of some numbers.
            let spelled =
                |value: &Value| value.to_string().replace("1e+20", "1e20").replace(".0", "");
            let found: Vec<String> = outcome
                .records
                .iter()
                .map(|record| spelled(&serde_json::from_str(record).unwrap()))
                .collect();
            let shown = if limit == 0 { 300 } else { limit };
            let expected: Vec<String> = expected[..shown].iter().map(spelled).collect();
            assert_eq!(found, expected, "{sort_by} {limit}");
        }
    }
}
