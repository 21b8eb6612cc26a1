//! `unburden validate`: prints what a provider would reject.

use crate::interfaces::cli::arguments::{Reach, Validate};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::{BodyMembers, Document, read};
use crate::interfaces::cli::open::reader;
use crate::interfaces::cli::output::print_answer;

/// Exit status 1 if there is a problem.
pub(crate) fn run(options: &Validate) -> Result<Exit, CliError> {
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let body =
        document.request(&BodyMembers::default().text("format", options.format.as_deref()).0);
    let reach = Reach { config: None, root: Vec::new(), confined: true };
    let (answer, sound) = reader(&reach)?.validate(body.as_bytes())?;
    print_answer(answer, options.json)?;
    Ok(if sound { Exit::Success } else { Exit::Negative })
}
