//! `unburden offload`: shrinks a history, and prints a table of the changes on standard error.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use console::Term;
use raw_json::quote;

use crate::interfaces::cli::arguments::Offload;
use crate::interfaces::cli::arguments::offload::STORE_DIR;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::{Document, read};
use crate::interfaces::cli::open::service;
use crate::interfaces::cli::output::{print, print_status};
use crate::interfaces::cli::page;
use crate::interfaces::cli::progress;
use crate::interfaces::cli::table;
use crate::params::Params;
use crate::pipeline::{Outcome, Request, Settings};
use crate::service::{Failure, offload_answer};

pub(crate) fn run(options: &Offload) -> Result<Exit, CliError> {
    let service = service(&options.reach, options.privacy)?;
    let text = read(&options.input)?;
    let document = Document::parse(&options.input, &text)?;
    let mut members = options.settings.0.clone();
    let is_absent =
        |members: &[(&str, String)], name| members.iter().all(|(known, _)| *known != name);
    for name in Settings::FIELDS.iter().map(|field| field.name) {
        // An option overrides the same setting in the file.
        if let Some(value) = document.setting(name).filter(|_| is_absent(&members, name)) {
            members.push((name, value.to_owned()));
        }
    }
    if is_absent(&members, "store_dir") {
        members.push(("store_dir", quote(STORE_DIR)));
    }
    if is_absent(&members, "include_files") {
        members.push(("include_files", options.json.to_string()));
    }
    let body = document.request(&members);
    let params = Params::parse(body.as_bytes()).map_err(Failure::from)?;
    let request = Request::read(&params).map_err(Failure::from)?;
    if let Some(output) = &options.output {
        require_outside(output, Path::new(&request.settings.store_dir))?;
    }
    let offloaded =
        progress::with_bar(&service, text.len() as u64, || service.offload_request(&request))?;
    if options.json {
        write_history(options, &request, &offload_answer(offloaded, &request).into_json())?;
        return Ok(Exit::Success);
    }
    let history = document.with(&offloaded.messages, offloaded.system.as_deref());
    write_history(options, &request, &history)?;
    let width = page::width(&Term::stderr());
    print_status(table::offload_table(&offloaded, &request, width));
    if offloaded.report.outcome != Outcome::Unchanged && !request.settings.dry_run {
        print_status(table::next_steps(&offloaded, &request.settings.store_dir));
    }
    Ok(Exit::Success)
}

/// Rejects an output path that could overwrite a stored file.
fn require_outside(output: &Path, store: &Path) -> Result<(), CliError> {
    if !real(output).starts_with(real(store)) {
        return Ok(());
    }
    let found = format!(
        "{} lies in the store {}, to whose files the new history refers; accepted is a file \
         outside of it",
        output.display(),
        store.display()
    );
    Err(CliError::Input { what: "--output".to_owned(), found })
}

/// Returns the path with links resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    path.canonicalize().unwrap_or_else(|_| match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path,
    })
}

/// Writes the history to the given file or to standard output. On a terminal only the table is
/// shown.
fn write_history(options: &Offload, request: &Request<'_>, text: &str) -> Result<(), CliError> {
    if let Some(path) = &options.output {
        // A path that did not exist before may lead into the store now.
        require_outside(path, Path::new(&request.settings.store_dir))?;
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
