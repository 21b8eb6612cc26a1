//! `unburden count`: counts the tokens of a history.

use crate::interfaces::cli::arguments::{Count, Reach};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::{BodyMembers, Document, read};
use crate::interfaces::cli::open::reader;
use crate::interfaces::cli::output::print_answer;

pub(crate) fn run(options: &Count) -> Result<Exit, CliError> {
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let body = document.request(
        &BodyMembers::default()
            .text("model", options.model.as_deref())
            .text("format", options.format.as_deref())
            .0,
    );
    let reach = Reach { config: None, root: Vec::new(), confined: true };
    let answer = reader(&reach)?.count_tokens(body.as_bytes())?;
    print_answer(answer, options.json)?;
    Ok(Exit::Success)
}
