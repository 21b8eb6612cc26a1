//! `unburden offload`: shrinks a history, and prints a table of the changes on standard error.

use std::io::IsTerminal;

use crate::interfaces::cli::arguments::{Mode, Offload};
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::{BodyMembers, Document, read};
use crate::interfaces::cli::open::service;
use crate::interfaces::cli::output::{print, print_status};
use crate::interfaces::cli::progress;
use crate::interfaces::cli::table;
use crate::params::Params;
use crate::pipeline::{Outcome, Request};
use crate::service::{Failure, offload_answer};

pub(in crate::interfaces::cli) fn run(options: &Offload) -> Result<Exit, CliError> {
    let service = service(&options.reach, options.privacy)?;
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let body = document.request(&members(options).0);
    let params = Params::parse(body.as_bytes()).map_err(Failure::from)?;
    let request = Request::read(&params).map_err(Failure::from)?;
    let offloaded =
        progress::with_bar(&service, text.len() as u64, || service.offload_request(&request))?;
    if options.json {
        write_history(options, &offload_answer(offloaded, &request).into_json())?;
        return Ok(Exit::Success);
    }
    write_history(options, &document.with(&offloaded.messages, offloaded.system.as_deref()))?;
    print_status(table::offload_table(&offloaded, options.dry_run));
    if offloaded.report.outcome != Outcome::Unchanged && !options.dry_run {
        print_status(table::next_steps(&offloaded, &options.store_dir));
    }
    Ok(Exit::Success)
}

fn members(options: &Offload) -> BodyMembers {
    let mode = match options.mode {
        Mode::Auto => "auto",
        Mode::Compact => "compact",
        Mode::Compress => "compress",
    };
    BodyMembers::default()
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

/// Writes the history to the given file or to standard output. On a terminal only the table is
/// shown.
fn write_history(options: &Offload, text: &str) -> Result<(), CliError> {
    if let Some(path) = &options.output {
        return std::fs::write(path, text)
            .map_err(CliError::io(format_args!("writing {}", path.display())));
    }
    if std::io::stdout().is_terminal() && !options.json {
        print_status(
            "The new history is not printed to a terminal: use --output FILE or > FILE.\n",
        );
        return Ok(());
    }
    print(text)
}
