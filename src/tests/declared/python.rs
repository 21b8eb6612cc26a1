//! The settings of the Python client.

use std::fmt::Write;

use super::settings::{OWN_FILES, sentence, type_of, types};
use super::{hold, wrapped};
use crate::params::Shape;
use crate::pipeline::Settings;

#[test]
fn the_python_client_has_the_declared_settings() {
    let update = "UPDATE=1 cargo test --lib declared";
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
         \"\"\"The accepted value of each setting: the minimum of a whole number, a type, a tuple of which\n\
         one word is accepted, or a list of which several are.\"\"\"\n"
    );
    hold("clients/python/src/unburden/declared.py", "", &made);
}
