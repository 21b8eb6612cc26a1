//! `unburden offload`: a history in, a history out; what was done as a table on
//! standard error.

use std::io::IsTerminal;

use super::arguments::{Mode, Offload};
use super::input::{Document, Members, read};
use super::{CliError, Exit, print, progress, say, service, table};
use crate::params::Params;
use crate::pipeline::{Outcome, Request};
use crate::service::{Failure, offload_answer};

pub(super) fn run(options: &Offload) -> Result<Exit, CliError> {
    let service = service(&options.reach, options.privacy)?;
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let body = document.request(&members(options).0);
    let params = Params::parse(body.as_bytes()).map_err(Failure::from)?;
    let request = Request::read(&params).map_err(Failure::from)?;
    let offloaded =
        progress::watch(&service, text.len() as u64, || service.offload_request(&request))?;
    if options.json {
        deliver(options, &offload_answer(offloaded, &request).into_json())?;
        return Ok(Exit::Success);
    }
    deliver(options, &document.with(&offloaded.messages, offloaded.system.as_deref()))?;
    say(table::offloaded(&offloaded, options.dry_run));
    if offloaded.report.outcome != Outcome::Unchanged && !options.dry_run {
        say(table::next_steps(&offloaded, &options.store_dir));
    }
    Ok(Exit::Success)
}

fn members(options: &Offload) -> Members {
    let mode = match options.mode {
        Mode::Auto => "auto",
        Mode::Compact => "compact",
        Mode::Compress => "compress",
    };
    Members::default()
        .text("store_dir", Some(&options.store_dir))
        .text("context_manage_mode", Some(mode))
        .text("model", options.model.as_deref())
        .number("max_total_tokens", options.max_total_tokens)
        .number("max_tool_message_tokens", options.max_tool_message_tokens)
        .number("keep_recent_count", options.keep_recent_count)
        .number("group_token_threshold", options.group_token_threshold)
        .text("chat_id", options.chat_id.as_deref())
        .number("preview_tokens", options.preview_tokens)
        .number("target_tokens", options.target_tokens)
        .text("format", options.format.as_deref())
        .flag("repair", options.repair)
        .flag("include_files", options.json)
        .flag("dry_run", options.dry_run)
}

/// The history goes to the file that was named, or to standard output; a person
/// at a terminal gets the table only, not thousands of lines of JSON.
fn deliver(options: &Offload, text: &str) -> Result<(), CliError> {
    if let Some(path) = &options.output {
        return std::fs::write(path, text)
            .map_err(CliError::io(format_args!("writing {}", path.display())));
    }
    if std::io::stdout().is_terminal() && !options.json {
        say("The new history is not shown on a terminal: add --output FILE, or > FILE.\n");
        return Ok(());
    }
    print(text)
}
