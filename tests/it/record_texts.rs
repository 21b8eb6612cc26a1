//! Generated arrays of records as tools print them: compact, indented, in lines, in
//! an object, in a string of JSON, among words – and with what no tree of JSON
//! keeps.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// One record, spelled as some server would.
fn record() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        3 => "[a-z ]{0,20}".prop_map(|text| format!("\"{text}\"")),
        3 => (0..5u8).prop_map(|n| n.to_string()),
        2 => select(vec![
            "9007199254740993", "1.10", "1e400", "-0", "null", "true", "{}", "[]",
            "\"\\ud800\"", "\"\\u00e9\\/\"", "{\"b\":[1,{\"c\":null}]}", "[\"x\",\"y\"]",
            "\"(detailed result is stored in /workspace/store/tool_call_1.txt)\"",
        ])
        .prop_map(str::to_owned),
    ];
    let key = select(vec!["id", "name", "a", "b.c", "status", "é", "", "id"]);
    vec((key, value), 1..5).prop_map(|members| {
        let members: Vec<String> =
            members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// A whole text that holds records.
pub(crate) fn records() -> impl Strategy<Value = String> {
    (vec(record(), 3..40), 0..8u8).prop_map(|(records, shape)| {
        let array = format!("[{}]", records.join(","));
        match shape {
            0 => array,
            1 => records.join("\n") + "\n",
            2 => records.join("\r\n"),
            3 => format!("{{\"total\": {}, \"items\": {array}, \"next\": null}}", records.len()),
            4 => format!("[\n  {}\n]\n", records.join(",\n  ")),
            5 => format!("Found {} results:\n{array}\nDone.", records.len()),
            6 => array.replace("\":", "\": ").replace(",\"", ", \""),
            _ => {
                // Only what a literal holds as it came: an escape would be another text.
                let plain = array.replace('\\', "");
                format!("{{\"content\":{}}}", serde_json::json!(plain))
            }
        }
    })
}
