//! The recipe: a jq filter that answers a common question about the records,
//! with parameters that have defaults. It is run in two ways: by the service,
//! which binds the parameters as variables, and as a shell command in which
//! their defaults stand as literals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A question about the records, as jq.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// What it answers, in a few words.
    pub description: String,
    /// The jq filter; parameters are its variables (`$keyword`).
    pub filter: String,
    /// The parameters with their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// True where the filter wants all records as one array (`jq -s`).
    #[serde(default)]
    pub slurp: bool,
    /// True where strings come out as they are (`jq -r`).
    #[serde(default)]
    pub raw: bool,
}

/// A parameter of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The variable's name without `$`.
    pub name: String,
    /// The default as JSON text, such as `"_semantic"` with its quotes.
    pub value: String,
}

/// A recipe as a descriptor shows it (`JqRecipe` of `lro-spec-1600`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JqRecipe {
    /// What it answers.
    pub description: String,
    /// The shell command.
    pub command: String,
}

/// What a recipe is for, as guidance sorts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It shows all records, shortened.
    Browse,
    /// It picks records.
    Filter,
    /// It computes something of all records.
    Analyze,
}

impl Recipe {
    /// The records as they are.
    pub fn identity() -> Recipe {
        let (description, filter) = ("Every record".to_owned(), ".".to_owned());
        Recipe { description, filter, params: Vec::new(), slurp: false, raw: false }
    }

    /// What the filter sees as `$name`, with the defaults: name and JSON text.
    pub fn variables(&self) -> Vec<(String, String)> {
        self.params.iter().map(|param| (param.name.clone(), param.value.clone())).collect()
    }

    /// The shell command over a file: the header line is skipped, defaults stand
    /// as literals, path and filter are quoted for `sh` where they must be.
    pub fn command(&self, file: &str) -> String {
        let mut command = format!("tail -n +2 {} | jq ", shell_word(file));
        if self.raw {
            command.push_str("-r ");
        }
        if self.slurp {
            command.push_str("-s ");
        }
        command.push_str(&single_quoted(&self.with_defaults()));
        command
    }

    /// What a descriptor shows.
    pub fn jq_recipe(&self, file: &str) -> JqRecipe {
        JqRecipe { description: self.description.clone(), command: self.command(file) }
    }

    /// The filter with the defaults as literals in place of its variables.
    pub fn with_defaults(&self) -> String {
        let mut out = String::with_capacity(self.filter.len());
        let mut rest = self.filter.as_str();
        while let Some(at) = memchr::memchr2(b'"', b'$', rest.as_bytes()) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let used = if rest.starts_with('"') {
                let used = string_length(rest);
                out.push_str(&rest[..used]);
                used
            } else {
                let name = identifier(&rest[1..]);
                let value = self.params.iter().find(|param| param.name == name);
                out.push_str(value.map_or(&rest[..=name.len()], |param| &param.value));
                1 + name.len()
            };
            rest = &rest[used..];
        }
        out.push_str(rest);
        out
    }

    /// What it is for.
    pub fn purpose(&self) -> Purpose {
        let analyzes = ["group_by", "length", "add", "unique"];
        if self.filter.contains("select(") && !self.slurp {
            Purpose::Filter
        } else if self.slurp && analyzes.iter().any(|word| self.filter.contains(word)) {
            Purpose::Analyze
        } else {
            Purpose::Browse
        }
    }
}

/// The length of the string literal at the start of a filter, quotes included.
fn string_length(filter: &str) -> usize {
    let bytes = filter.as_bytes();
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    filter.len()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// A path as one word of `sh`: as it is where nothing in it is special.
fn shell_word(path: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if path.starts_with('-') {
        // A word that looks like an option would be taken for one.
        return Cow::Owned(single_quoted(&format!("./{path}")));
    }
    if !path.is_empty() && path.chars().all(plain) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(single_quoted(path))
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(filter: &str, params: &[(&str, &str)]) -> Recipe {
        let param = |(name, value): &(&str, &str)| Param {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        Recipe {
            description: "d".to_owned(),
            filter: filter.to_owned(),
            params: params.iter().map(param).collect(),
            slurp: false,
            raw: false,
        }
    }

    #[test]
    fn a_command_skips_the_header_and_has_the_defaults() {
        let recipe = recipe("select(.a == $value)", &[("value", "\"it's\"")]);
        assert_eq!(
            recipe.command("/tmp/a.jsonl"),
            r#"tail -n +2 /tmp/a.jsonl | jq 'select(.a == "it'\''s")'"#
        );
        let both = Recipe { raw: true, slurp: true, ..recipe };
        assert!(both.command("a b").starts_with("tail -n +2 'a b' | jq -r -s 'sel"));
        assert!(both.command("-n").starts_with("tail -n +2 './-n' | jq"));
        assert!(both.command("$(id)'").starts_with(r"tail -n +2 '$(id)'\''' | jq"));
    }

    #[test]
    fn only_variables_outside_of_strings_are_replaced() {
        let recipe = recipe(
            r#".["$value"] == $value and .["\\\"$value"] and $values and $__loc__"#,
            &[("value", "\"$value\"")],
        );
        assert_eq!(
            recipe.with_defaults(),
            r#".["$value"] == "$value" and .["\\\"$value"] and $values and $__loc__"#
        );
    }

    #[test]
    fn a_recipe_comes_back_from_its_json() {
        let recipe = recipe(".a >= $min", &[("min", "1.10")]);
        let json = serde_json::to_string(&recipe).expect("plain data");
        assert_eq!(serde_json::from_str::<Recipe>(&json).expect("own JSON"), recipe);
    }
}
