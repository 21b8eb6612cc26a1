//! The schemas and parameters of `openapi.yaml`, and the definitions of the tools.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::{hold, with_unit, wrapped};
use crate::offload_result::RequestMembers as OffloadResult;
use crate::params::{Beside, Blank, Field, HistoryMembers, Shape};
use crate::pipeline::Settings;
use crate::reading::extract::request::Extract;
use crate::service::requests::{Count, Deletion, Grep, Read, ToolResult};

/// Exactly one kind of query, as JSON Schema.
const ONE_QUESTION: &str = "
      if: { required: [recipe] }
      then:
        not: { anyOf: [{ required: [query] }, { required: [sql] }, { required: [where] }, { required: [ids] }] }
      else:
        if: { required: [query] }
        then: { not: { anyOf: [{ required: [sql] }, { required: [where] }, { required: [ids] }] } }
        else:
          if: { required: [sql] }
          then: { not: { anyOf: [{ required: [where] }, { required: [ids] }] } }
          else:
            anyOf:
              - required: [where]
              - required: [ids]
              - required: [select]
              - required: [count]
              - required: [group_by]
              - required: [sort_by]";
/// Exactly one of the results and the content.
const ONE_RESULT: &str = "
      if: { required: [results] }
      then: { not: { required: [content] } }
      else: { required: [content] }";

/// The tools whose calls models write, with their schemas: an unknown member is rejected.
const CALLS: [(&str, &str); 4] = [
    ("grep", "GrepRequest"),
    ("lro_extract", "ExtractRequest"),
    ("read_file", "ReadRequest"),
    ("read_tool_result", "ToolResultRequest"),
];

/// A schema of the contract: its name, its members, and its other keywords.
type Schema = (&'static str, Vec<Field>, &'static str);

fn schemas() -> Vec<Schema> {
    let history = HistoryMembers::FIELDS;
    let beside = Beside::FIELDS;
    vec![
        ("OffloadRequest", [history, Settings::FIELDS, beside].concat(), ""),
        ("GrepRequest", Grep::FIELDS.to_vec(), ""),
        ("ReadRequest", Read::FIELDS.to_vec(), ""),
        ("OffloadResultRequest", OffloadResult::FIELDS.to_vec(), ONE_RESULT),
        ("ExtractRequest", Extract::FIELDS.to_vec(), ONE_QUESTION),
        ("ToolResultRequest", ToolResult::FIELDS.to_vec(), ""),
        ("RehydrateRequest", [history, &[Beside::system]].concat(), ""),
        ("ValidateRequest", history.to_vec(), ""),
        ("CountRequest", [history, Count::FIELDS, beside].concat(), ""),
    ]
}

#[test]
fn the_contract_has_the_declared_members() {
    let mark = "    # Written from the declarations by src/tests/declared; edits are lost.\n";
    let mut made = mark.to_owned();
    for (name, fields, rule) in schemas() {
        let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
        let required = flow(&json!(required));
        write!(made, "    {name}:\n      type: object\n      required: {required}{rule}").unwrap();
        let is_call = CALLS.iter().any(|(_, schema)| *schema == name);
        write!(made, "\n      additionalProperties: {}\n      properties:\n", !is_call).unwrap();
        for field in fields {
            writeln!(made, "        {}:", field.name).unwrap();
            for (keyword, value) in keywords(&field).into_iter().filter(|(k, _)| k != "default") {
                writeln!(made, "          {keyword}: {}", flow(&value)).unwrap();
            }
            describe(&mut made, &field);
        }
    }
    hold("openapi.yaml", mark, &made);
}

/// The parameters of `DELETE /chats/{chat_id}` are declared members.
#[test]
fn the_contract_has_the_declared_parameters() {
    let page = text("openapi.yaml");
    let contract: Value = serde_yaml_ng::from_str(&page).unwrap();
    let parameters = contract["paths"]["/chats/{chat_id}"]["delete"]["parameters"].as_array();
    let named = parameters.unwrap().iter().filter(|parameter| parameter["name"].is_string());
    let mut compared = 0;
    for parameter in named {
        let field = Deletion::FIELDS.iter().find(|field| parameter["name"] == field.name).unwrap();
        fits(&parameter["schema"], field, field.name);
        assert_eq!(parameter["required"], field.required);
        compared += 1;
    }
    assert_eq!(compared, 3);
}

/// The definitions of the tools, written for models, accept declared members only.
#[test]
fn the_tools_take_declared_members() {
    for (tool, schema) in CALLS.into_iter().chain([("context_offload", "OffloadRequest")]) {
        let definition = text(&format!("prompts/tools/{tool}.json"));
        let definition: Value = serde_json::from_str(&definition).unwrap();
        let (_, fields, _) = schemas().into_iter().find(|(name, ..)| *name == schema).unwrap();
        let is_call = tool != "context_offload";
        let is_closed = definition["input_schema"]["additionalProperties"] == json!(false);
        assert_eq!(is_closed, is_call, "{tool}");
        for (name, given) in definition["input_schema"]["properties"].as_object().unwrap() {
            let field = fields.iter().find(|field| field.name == name);
            fits(given, field.unwrap(), &format!("{tool}.{name}"));
        }
        let required = fields.iter().filter(|field| field.required).map(|field| field.name);
        assert_eq!(definition["input_schema"]["required"], json!(required.collect::<Vec<_>>()));
    }
}

/// Checks that a schema accepts nothing that the declared one rejects.
fn fits(given: &Value, field: &Field, place: &str) {
    let declared: serde_json::Map<String, Value> = keywords(field).into_iter().collect();
    let declared = |name: &str| declared.get(name).cloned().unwrap_or_default();
    let kinds = declared("type");
    let kinds = kinds.as_array().map_or(std::slice::from_ref(&kinds), Vec::as_slice);
    let kind = &given["type"];
    assert!(kind.is_null() || kinds[0].is_null() || kinds.contains(kind), "{place}: {kind}");
    if let Some(words) = given.get("enum") {
        assert_eq!(words, &json!(field.words), "{place}");
    }
    if let Some(least) = given["minimum"].as_u64() {
        assert!(least >= field.min, "{place}: {least}");
    }
    let most = given.get("maximum");
    assert!(most.is_none_or(|most| *most == declared("maximum")), "{place}: {most:?}");
    assert!(given.get("default").is_none_or(|default| *default == declared("default")), "{place}");
}

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the keywords of a member's schema, except its description.
fn keywords(field: &Field) -> Vec<(String, Value)> {
    let Field { words, min, max, .. } = field;
    let text = (*max < u64::MAX).then_some(("maxLength", json!(max)));
    let (kind, limits) = match field.shape {
        Shape::Whole => {
            let max = (*max < u64::MAX).then_some(("maximum", json!(max)));
            ("integer", [Some(("minimum", json!(min))), max])
        }
        Shape::Fraction => ("number", [Some(("minimum", json!(0))), Some(("maximum", json!(1)))]),
        Shape::Flag => ("boolean", [None, None]),
        Shape::Words => ("array", [Some(("items", json!({"enum": words}))), None]),
        Shape::Texts => ("array", [Some(("items", json!({"type": "string"}))), None]),
        Shape::Word => ("string", [text, None]),
        Shape::Text => ("string", [text, None]),
        Shape::Json => ("", [None, None]),
    };
    let mut found: Vec<(String, Value)> = Vec::new();
    let mut put = |name: &str, value: Value| match found.iter_mut().find(|(known, _)| known == name)
    {
        Some((_, known)) => *known = value,
        None => found.push((name.to_owned(), value)),
    };
    if !kind.is_empty() {
        put("type", if field.required { json!(kind) } else { json!([kind, "null"]) });
    }
    if !words.is_empty() && field.shape != Shape::Words {
        let null = (!field.required).then_some(Value::Null);
        put("enum", words.iter().map(|word| json!(word)).chain(null).collect());
    }
    for (name, value) in limits.into_iter().flatten() {
        put(name, value);
    }
    if field.blank == Blank::Refused || field.required && field.blank == Blank::Absent {
        put("pattern", json!("\\S"));
    }
    let further: Value = serde_json::from_str(field.schema).unwrap();
    for (name, value) in further.as_object().unwrap() {
        put(name, value.clone());
    }
    if let Some(default) = field.default {
        put("default", serde_json::from_str(default).unwrap());
    }
    found
}

/// Formats a value as YAML on one line, with bare words.
fn flow(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Array(items) => format!("[{}]", list(items.iter().map(flow).collect())),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{name}: {}", flow(value));
            format!("{{ {} }}", list(members.iter().map(member).collect()))
        }
        other => other.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(plain) && text != "null"
}

/// Appends the description of a member: the unit, the declared text, and the meaning of its
/// absence. Only the description states a default: clients generated from a `default` keyword send
/// it with every request, also next to members that it does not go with.
fn describe(made: &mut String, field: &Field) {
    let mut paragraphs = field.paragraphs();
    paragraphs[0] = with_unit(field, &paragraphs[0]);
    match field.default {
        Some(default) => paragraphs.push(format!("Absent: `{}`.", default.trim_matches('"'))),
        None if field.absent.is_empty() => {}
        None => paragraphs.push(format!("Absent: {}.", field.absent)),
    }
    let text = paragraphs.join(" ");
    let is_bare = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && !text.contains(": ");
    if is_bare && text.len() <= 77 {
        writeln!(made, "          description: {text}").unwrap();
        return;
    }
    made.push_str("          description: |\n");
    for line in wrapped(&text, 88) {
        writeln!(made, "            {line}").unwrap();
    }
}
