//! The declarations of the requests' members, in the contract and in the clients: the
//! schemas of requests in `openapi.yaml` and the settings of both clients are written from
//! them. `UPDATE=1 cargo test --test it declared` writes these anew.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use unburden::offload_result::RequestMembers as OffloadResult;
use unburden::params::{Beside, Blank, Field, HistoryMembers, Shape};
use unburden::pipeline::Settings;
use unburden::reading::extract::request::Extract;
use unburden::service::requests::{Count, Deletion, Grep, Read, ToolResult};

/// Exactly one part of the question, as JSON Schema.
const ONE_QUESTION: &str = "
      oneOf:
        - required: [recipe]
        - required: [query]
        - anyOf: [{ required: [where] }, { required: [ids] }]
        - anyOf:
            - required: [select]
            - required: [count]
            - required: [group_by]
            - required: [sort_by]
          not:
            anyOf:
              - required: [recipe]
              - required: [query]
              - required: [ids]
              - required: [where]";
const ONE_RESULT: &str = "
      oneOf: [{ required: [results] }, { required: [content] }]";

/// A schema of the contract: its name, its members, and what else holds for it.
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

/// Holds a file, or its part behind `mark`, to what the declarations say; writes it where
/// `UPDATE` is set.
fn hold(path: &str, mark: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let start = text.find(mark).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, format!("{}{made}", &text[..start])).unwrap();
    } else {
        let path = path.display();
        assert!(text[start..] == *made, "{path} is old: UPDATE=1 cargo test --test it declared");
    }
}

#[test]
fn the_contract_has_the_declared_members() {
    let mark = "    # Written from the declarations by tests/it/declared.rs; edits are lost.\n";
    let mut made = mark.to_owned();
    for (name, fields, rule) in schemas() {
        let required: Vec<&str> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
        let required = flow(&json!(required));
        write!(made, "    {name}:\n      type: object\n      required: {required}{rule}").unwrap();
        made.push_str("\n      additionalProperties: true\n      properties:\n");
        for field in fields {
            writeln!(made, "        {}:", field.name).unwrap();
            for (keyword, value) in keywords(&field) {
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

/// The definitions of the tools, written for models, take declared members only.
#[test]
fn the_tools_take_declared_members() {
    let routes = [
        ("context_offload", "OffloadRequest"),
        ("grep", "GrepRequest"),
        ("lro_extract", "ExtractRequest"),
        ("read_file", "ReadRequest"),
        ("read_tool_result", "ToolResultRequest"),
    ];
    for (tool, schema) in routes {
        let definition = text(&format!("prompts/tools/{tool}.json"));
        let definition: Value = serde_json::from_str(&definition).unwrap();
        let (_, fields, _) = schemas().into_iter().find(|(name, ..)| *name == schema).unwrap();
        for (name, given) in definition["input_schema"]["properties"].as_object().unwrap() {
            let field = fields.iter().find(|field| field.name == name);
            fits(given, field.unwrap(), &format!("{tool}.{name}"));
        }
        let required = fields.iter().filter(|field| field.required).map(|field| field.name);
        assert_eq!(definition["input_schema"]["required"], json!(required.collect::<Vec<_>>()));
    }
}

/// A schema takes nothing that the declared one refuses.
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

/// The keywords of a member's schema, but for its description.
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

/// YAML in one line, with bare words.
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

/// The description of a member: the unit, the declared text, and what its absence means.
fn describe(made: &mut String, field: &Field) {
    let mut paragraphs = field.paragraphs();
    paragraphs[0] = with_unit(field, &paragraphs[0]);
    if !field.absent.is_empty() {
        paragraphs.push(format!("Absent: {}.", field.absent));
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

/// The first sentence behind the unit of a number.
fn with_unit(field: &Field, text: &str) -> String {
    match field.shape {
        Shape::Whole if !field.unit.is_empty() => format!("In {}. {text}", field.unit),
        _ => text.to_owned(),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            let space = if line.is_empty() { "" } else { " " };
            line.push_str(space);
            line.push_str(word);
        }
    }
    lines
}

/// The clients do not ask for the contents of files.
const OWN_FILES: (&str, &str) = ("include_files", "false, unlike the service's");

/// The sentence of a setting in a client; some have a default of their own there.
fn sentence(field: &Field, own: &[(&str, &str)]) -> String {
    let own = own.iter().find(|(name, _)| *name == field.name);
    let default = own.map(|(_, default)| (*default).to_owned()).or(field.default_in_words());
    let default = default.map(|default| format!(" Default: {default}."));
    let text = with_unit(field, &field.paragraphs()[0]);
    format!("{text}{}", default.unwrap_or_default())
}

/// The names of the types of words, for clients.
const TYPES: [(&str, &str); 6] = [
    ("context_manage_mode", "Mode"),
    ("working_summary_mode", "Mode"),
    ("format", "Format"),
    ("descriptor", "Descriptor"),
    ("reload_tools", "ReloadTool"),
    ("compact_roles", "Role"),
];

fn type_of(field: &Field) -> &'static str {
    TYPES.iter().find(|(name, _)| *name == field.name).unwrap().1
}

/// Each type of words and its words, quoted.
fn types(quote: char) -> impl Iterator<Item = (&'static str, Vec<String>)> {
    let fields = Settings::FIELDS.iter().chain(HistoryMembers::FIELDS);
    let fields = fields.filter(|f| !f.words.is_empty() && f.name != "working_summary_mode");
    let quoted = move |word: &&str| format!("{quote}{word}{quote}");
    fields.map(move |field| (type_of(field), field.words.iter().map(quoted).collect()))
}

#[test]
fn the_python_client_has_the_declared_settings() {
    let update = "UPDATE=1 cargo test --test it declared";
    let mut made = format!(
        "\"\"\"The settings of an offload; written by `{update}`, edits are lost.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         from typing import Final, Literal, TypedDict\n\n"
    );
    for (name, words) in types('"') {
        let words = words.join(", ");
        let line = format!("{name} = Literal[{words}]\n");
        let lines = format!("{name} = Literal[\n    {words}\n]\n");
        made.push_str(if line.len() > 110 { &lines } else { &line });
    }
    made.push_str(
        "\n\nclass Settings(TypedDict, total=False):\n    \
         \"\"\"Settings of `/context_offload`, for a client or for one call.\"\"\"\n\n",
    );
    let own = ["chat_id", "model"];
    let defaults = [OWN_FILES, ("reload_tools", "the four that this client has")];
    let fields = || Settings::FIELDS.iter().filter(|field| !own.contains(&field.name));
    let mut table = String::new();
    for field in fields() {
        let (hint, accepted) = match field.shape {
            Shape::Whole => ("int".to_owned(), field.min.to_string()),
            Shape::Fraction => ("float".to_owned(), "float".to_owned()),
            Shape::Flag => ("bool".to_owned(), "bool".to_owned()),
            Shape::Word => (type_of(field).to_owned(), format!("get_args({})", type_of(field))),
            Shape::Words => {
                (format!("list[{}]", type_of(field)), format!("[*get_args({})]", type_of(field)))
            }
            _ => ("str".to_owned(), "str".to_owned()),
        };
        writeln!(made, "    {}: {hint}", field.name).unwrap();
        for (index, line) in wrapped(&sentence(field, &defaults), 100).iter().enumerate() {
            let open = if index == 0 { "\"\"\"" } else { "" };
            write!(made, "{}    {open}{line}", if index == 0 { "" } else { "\n" }).unwrap();
        }
        made.push_str("\"\"\"\n");
        writeln!(table, "    \"{}\": {accepted},", field.name).unwrap();
    }
    let made = made.replace("Literal, TypedDict", "Literal, TypedDict, get_args");
    let made = format!(
        "{made}\n\nAccepted = int | type[float] | type[bool] | type[str] | tuple[str, ...] | list[str]\n\
         ACCEPTED: Final[dict[str, Accepted]] = {{\n{table}}}\n\
         \"\"\"What each setting takes: a whole number from the given one on, a type, one of a tuple of\n\
         words, or words of a list.\"\"\"\n"
    );
    hold("clients/python/src/unburden/declared.py", "", &made);
}

#[test]
fn the_typescript_client_has_the_declared_settings() {
    let update = "UPDATE=1 cargo test --test it declared";
    let mut made = format!("// Written by `{update}`; edits are lost.\n\n");
    for (name, words) in types('\'') {
        let line = format!("export type {name} = {};\n", words.join(" | "));
        let lines = format!("export type {name} =\n  | {};\n", words.join("\n  | "));
        made.push_str(if line.len() > 110 { &lines } else { &line });
    }
    made.push_str("\n/** Settings of `offload`; an absent one is the service's default. */\n");
    made.push_str("export interface OffloadSettings {\n");
    let own = ["store_dir", "working_summary_mode"];
    let defaults = [OWN_FILES];
    let fields = Settings::FIELDS.iter().chain([&HistoryMembers::format]);
    let mut table = String::new();
    for field in fields.filter(|field| !own.contains(&field.name)) {
        let words = || field.words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>();
        let (hint, accepted) = match field.shape {
            Shape::Whole => ("number".to_owned(), field.min.to_string()),
            Shape::Fraction => ("number".to_owned(), "'fraction'".to_owned()),
            Shape::Flag => ("boolean".to_owned(), "'flag'".to_owned()),
            Shape::Word => {
                (type_of(field).to_owned(), format!("{{ word: [{}] }}", words().join(", ")))
            }
            Shape::Words => {
                (format!("{}[]", type_of(field)), format!("{{ words: [{}] }}", words().join(", ")))
            }
            // The service knows its formats: a newer one may know more.
            _ if !field.words.is_empty() => (type_of(field).to_owned(), "'text'".to_owned()),
            _ => ("string".to_owned(), "'text'".to_owned()),
        };
        let name = camel(field.name);
        let lines = wrapped(&camel_in_code(&sentence(field, &defaults)), 92);
        let comment = match &lines[..] {
            [line] => format!("/** {line} */"),
            lines => format!("/**\n   * {}\n   */", lines.join("\n   * ")),
        };
        writeln!(made, "  {comment}\n  {name}?: {hint};").unwrap();
        writeln!(table, "  {name}: {accepted},").unwrap();
    }
    let made = format!(
        "{made}}}\n\n\
         /** A whole number from the given one on, a kind of value, one of some words, or some of them. */\n\
         export type Accepted =\n  | number\n  | 'fraction'\n  | 'flag'\n  | 'text'\n  \
         | {{ word: readonly string[] }}\n  | {{ words: readonly string[] }};\n\n\
         export const ACCEPTED: Record<keyof OffloadSettings, Accepted> = {{\n{table}}};\n"
    );
    hold("clients/typescript/src/settings.generated.ts", "", &made);
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |made, part| made + &part[..1].to_uppercase() + &part[1..])
}

/// The names of settings in a text, as TypeScript has them.
fn camel_in_code(text: &str) -> String {
    Settings::FIELDS.iter().fold(text.to_owned(), |text, field| {
        text.replace(&format!("`{}`", field.name), &format!("`{}`", camel(field.name)))
    })
}
