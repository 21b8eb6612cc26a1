//! The settings of the TypeScript client.

use std::fmt::Write;

use super::settings::{OWN_FILES, sentence, type_of, types};
use super::{hold, wrapped};
use crate::params::{HistoryMembers, Shape};
use crate::pipeline::Settings;

#[test]
fn the_typescript_client_has_the_declared_settings() {
    let update = "UPDATE=1 cargo test --lib declared";
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
            // The client accepts any text, because a newer service may know more formats.
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
         /** The accepted value: the minimum of a whole number, a kind of value, one word, or several words. */\n\
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

/// Returns a text with the names of settings in backticks as in TypeScript.
fn camel_in_code(text: &str) -> String {
    Settings::FIELDS.iter().fold(text.to_owned(), |text, field| {
        text.replace(&format!("`{}`", field.name), &format!("`{}`", camel(field.name)))
    })
}
