//! `offload`, as typed.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use raw_json as raw;
use raw_json::quote;

use super::privacy::Privacy;
use super::reach::Reach;
use crate::params::{Field, HistoryMembers, Shape};
use crate::pipeline::Settings;

/// `offload`.
#[derive(Debug, Args)]
pub(crate) struct Offload {
    /// The history: a JSON array of messages, or an object with "messages" (and
    /// "tools", "system", settings by their names in requests); - reads standard input
    #[arg(value_name = "FILE|-")]
    pub input: String,
    /// The settings.
    #[command(flatten)]
    pub settings: Typed,
    /// The redaction of secrets.
    #[command(flatten)]
    pub privacy: Privacy,
    /// Write the new history there instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the whole answer with its report as JSON, and no table
    #[arg(long)]
    pub json: bool,
    /// Configuration and reach.
    #[command(flatten)]
    pub reach: Reach,
}

/// The settings that were typed: members of a request, name and JSON. The service checks
/// them, and its errors are those of the command line.
#[derive(Debug)]
pub(crate) struct Typed(pub Vec<(&'static str, String)>);

impl Args for Typed {
    fn augment_args(command: Command) -> Command {
        command.args(fields().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Typed::augment_args(command)
    }
}

impl FromArgMatches for Typed {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Typed, clap::Error> {
        let typed = |field: &Field| {
            // A default gives way to the setting in the file.
            let source = matches.value_source(field.name)?;
            let text = matches.get_one::<String>(field.name);
            let text = text.filter(|_| source != ValueSource::DefaultValue)?;
            Some((field.name, json(field.shape, text)))
        };
        Ok(Typed(fields().filter_map(typed).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Typed::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The folder of the files where neither an option nor the file names one.
pub(crate) const STORE_DIR: &str = "./context_store";

/// The settings, and the format of the messages.
fn fields() -> impl Iterator<Item = &'static Field> {
    Settings::FIELDS.iter().chain([&HistoryMembers::format])
}

/// The flag of a setting: its name in kebab case.
fn flag(field: &'static Field) -> Arg {
    let paragraphs = field.paragraphs();
    let mut values = String::new();
    if let Some(default) = field.default_in_words() {
        values.push_str(&format!(" [default: {default}]"));
    }
    if !field.words.is_empty() && field.shape != Shape::Word {
        values.push_str(&format!(" [possible values: {}]", field.words.join(", ")));
    }
    let help = |text: &str| format!("{}{values}", text.strip_suffix('.').unwrap_or(text));
    let flag = Arg::new(field.name)
        .long(field.name.replace('_', "-"))
        .value_name(field.unit.to_uppercase())
        .allow_negative_numbers(true)
        .help(help(&paragraphs[0]))
        .long_help(help(&paragraphs.join("\n\n")));
    let flag = match field.shape {
        Shape::Word => flag.value_parser(PossibleValuesParser::new(field.words)),
        Shape::Flag => flag
            .value_name("true|false")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        _ => flag,
    };
    match field.name {
        "store_dir" => flag.default_value(STORE_DIR),
        "context_manage_mode" => flag.visible_alias("mode"),
        _ => flag,
    }
}

/// A typed text as JSON. A text that is not a value of the shape becomes a string, which the
/// service rejects with the setting's name.
fn json(shape: Shape, text: &str) -> String {
    match shape {
        Shape::Text | Shape::Word => quote(text),
        Shape::Words if !text.starts_with(['[', '{']) => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            format!("[{}]", words.map(quote).collect::<Vec<_>>().join(","))
        }
        _ => raw::value(text).map_or_else(|| quote(text), str::to_owned),
    }
}
