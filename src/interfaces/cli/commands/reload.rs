//! `unburden grep` and `unburden read`: the same operations as over HTTP.

use crate::interfaces::cli::arguments::{Grep, Read};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::BodyMembers;
use crate::interfaces::cli::open::reader;
use crate::interfaces::cli::output::print_answer;

pub(crate) fn grep(options: &Grep) -> Result<Exit, CliError> {
    let body = BodyMembers::default()
        .text("pattern", Some(&options.pattern))
        .text("path", options.path.as_deref())
        .text("glob", options.glob.as_deref())
        .number("limit", options.limit)
        .number("offset", options.offset)
        .number("context", options.context)
        .number("max_tokens", options.answer.max_tokens)
        .flag("ignore_case", !options.case_sensitive)
        .flag("literal", options.literal)
        .body();
    let answer = reader(&options.answer.reach)?.grep(body.as_bytes())?;
    let nothing = answer.answer().starts_with("No matches found");
    print_answer(answer, options.answer.json)?;
    Ok(if nothing { Exit::Negative } else { Exit::Success })
}

pub(crate) fn read(options: &Read) -> Result<Exit, CliError> {
    if let Some(lines) = &options.lines {
        return part(options, lines);
    }
    let body = BodyMembers::default()
        .text("absolute_path", Some(&options.path))
        .number("start_line", options.start_line)
        .number("offset", options.offset)
        .number("limit", options.limit)
        .number("byte_offset", options.byte_offset)
        .number("byte_limit", options.byte_limit)
        .number("max_tokens", options.answer.max_tokens)
        .body();
    let answer = reader(&options.answer.reach)?.read_file(body.as_bytes())?;
    print_answer(answer, options.answer.json)?;
    Ok(Exit::Success)
}

/// Reads a part of a result, by the id of its call or its path.
fn part(options: &Read, lines: &str) -> Result<Exit, CliError> {
    let body = BodyMembers::default()
        .text("result_id", Some(&options.path))
        .text("lines", Some(lines))
        .text("store_dir", options.store_dir.as_deref())
        .number("max_tokens", options.answer.max_tokens)
        .body();
    let answer = reader(&options.answer.reach)?.read_tool_result(body.as_bytes())?;
    print_answer(answer, options.answer.json)?;
    Ok(Exit::Success)
}
