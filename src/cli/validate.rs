//! `unburden validate`: what a provider would reject.

use super::arguments::{Reach, Validate};
use super::input::{Document, Members, read};
use super::{CliError, Exit, print, reader};

/// Exit status 1 where there is something.
pub(super) fn run(options: &Validate) -> Result<Exit, CliError> {
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let body = document.request(&Members::default().text("format", options.format.as_deref()).0);
    let reach = Reach { config: None, root: Vec::new(), confined: true };
    let (answer, sound) = reader(&reach)?.validate(body.as_bytes())?;
    print(&if options.json { answer.into_json() } else { answer.answer().to_owned() })?;
    Ok(if sound { Exit::Success } else { Exit::Nothing })
}
