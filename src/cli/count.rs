//! `unburden count`: what a history costs.

use super::arguments::{Count, Reach};
use super::input::{Document, Members, read};
use super::{CliError, Exit, print, reader};

pub(super) fn run(options: &Count) -> Result<Exit, CliError> {
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let body = document.request(
        &Members::default()
            .text("model", options.model.as_deref())
            .text("format", options.format.as_deref())
            .0,
    );
    let reach = Reach { config: None, root: Vec::new(), confined: true };
    let answer = reader(&reach)?.count_tokens(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    Ok(Exit::Success)
}
