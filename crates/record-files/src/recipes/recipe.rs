//! The recipe: a jq filter that answers a common question about the records, with parameters
//! that have defaults. The service binds the parameters as variables; a shell command has
//! the defaults as literals.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A question about the records, as a jq filter.
///
/// ```
/// use record_files::recipes::Recipe;
///
/// let recipe = Recipe::identity();
/// assert_eq!(recipe.command("a b.jsonl"), "tail -n +2 'a b.jsonl' | jq '.'");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The question in a few words.
    pub description: String,
    /// The jq filter. Its parameters are variables such as `$keyword`.
    pub filter: String,
    /// The parameters with their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<Param>,
    /// True if the filter runs once, on the array of all records (`jq -s`).
    #[serde(default)]
    pub slurp: bool,
    /// True if strings are printed without quotes (`jq -r`).
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

/// The purpose of a recipe. Guidance groups recipes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Shows all records, shortened.
    Browse,
    /// Selects records.
    Filter,
    /// Computes values from all records.
    Analyze,
}

impl Recipe {
    /// Returns a recipe whose filter runs on each record.
    pub(super) fn each(description: impl Into<String>, filter: impl Into<String>) -> Recipe {
        let (description, filter) = (description.into(), filter.into());
        Recipe { description, filter, params: Vec::new(), slurp: false, raw: false }
    }

    /// Returns a recipe whose filter runs once, on the array of all records.
    pub(super) fn slurped(description: impl Into<String>, filter: impl Into<String>) -> Recipe {
        Recipe { slurp: true, ..Recipe::each(description, filter) }
    }

    /// Prints strings without quotes.
    pub(super) fn raw(self) -> Recipe {
        Recipe { raw: true, ..self }
    }

    /// Adds a parameter with its default as JSON.
    pub(super) fn with(mut self, name: &str, value: &str) -> Recipe {
        self.params.push(Param { name: name.to_owned(), value: value.to_owned() });
        self
    }

    /// Returns the recipe that shows every record unchanged.
    pub fn identity() -> Recipe {
        Recipe::each("Every record", ".")
    }

    /// Returns the variables of the filter with their defaults: names without `$`, and JSON
    /// texts.
    pub fn variables(&self) -> Vec<(String, String)> {
        self.params.iter().map(|param| (param.name.clone(), param.value.clone())).collect()
    }

    /// Returns a shell command that runs the filter over a file. It skips the header line.
    /// Defaults are literals; path and filter are quoted for `sh`.
    pub fn command(&self, file: &str) -> String {
        self.command_on(&shell_word(file))
    }

    /// Returns the command for the file whose path is in a shell variable, such as `$FILE`.
    pub fn command_with(&self, variable: &str) -> String {
        self.command_on(&format!("\"{variable}\""))
    }

    fn command_on(&self, word: &str) -> String {
        let mut command = format!("tail -n +2 {word} | jq ");
        if self.raw {
            command.push_str("-r ");
        }
        if self.slurp {
            command.push_str("-s ");
        }
        command.push_str(&single_quoted(&self.with_defaults()));
        command
    }

    /// Returns the filter with its variables replaced by their defaults.
    pub fn with_defaults(&self) -> String {
        let mut out = String::with_capacity(self.filter.len());
        let mut rest = self.filter.as_str();
        while let Some(at) = memchr::memchr2(b'"', b'$', rest.as_bytes()) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let used = if rest.starts_with('"') {
                let used = raw_json::string_end(rest.as_bytes()).unwrap_or(rest.len());
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

    /// Returns the purpose.
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

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Returns a path as one word of `sh`, quoted only if a character in it is special.
fn shell_word(path: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if path.starts_with('-') {
        // jq would parse it as an option.
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
    fn a_recipe_is_read_from_its_json() {
        let recipe = recipe(".a >= $min", &[("min", "1.10")]);
        let json = serde_json::to_string(&recipe).expect("plain data");
        assert_eq!(serde_json::from_str::<Recipe>(&json).expect("own JSON"), recipe);
    }
}
