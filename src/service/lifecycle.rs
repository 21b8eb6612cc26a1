//! The lives of stored files, at the service: sweeping what has expired, and
//! comparing what is there with what was written.

use std::fmt::Write;
use std::time::Duration;

use chat_history::raw;
use redact::Redact;
use serde::Serialize;

use super::{Failure, Service};
use crate::envelope::Answer;
use crate::params::{ParamError, Params, invalid};
use crate::reading::error::ReloadError;
use context_store::{
    Bounded, Call, End, Gone, Lifetimes, Location, Moment, Run, SweepEvent, SweepReport,
    VerifyReport, expired, rfc3339, sweep, verify,
};
use record_files::header;

/// What a process that died left half written lives so long.
const TEMPORARY: Duration = Duration::from_secs(3_600);
/// Most files that an answer names one by one.
pub(super) const NAMED: usize = 50;

#[derive(Serialize)]
struct ExpiredFile<'a> {
    path: &'a str,
    bytes: u64,
    age_seconds: u64,
    call: &'a Call,
}

#[derive(Serialize)]
pub(super) struct Trouble<'a> {
    pub(super) path: &'a str,
    pub(super) why: &'a str,
}

impl Service {
    /// `unburden sweep`: deletes what has expired in the given folders and in every
    /// store under the roots.
    pub fn sweep(&self, body: &[u8]) -> Result<Answer, Failure> {
        let params = Params::parse(body)?;
        let run = if params.flag("dry_run")?.unwrap_or(false) { Run::Dry } else { Run::Real };
        let report = self.sweep_now(&self.folders(&params)?, run);
        let mut answer = Answer::text(swept(&report, run));
        answer.put("folders", &report.folders);
        answer.put("examined", &report.examined);
        let expired: Vec<ExpiredFile<'_>> = report
            .expired
            .iter()
            .map(|file| ExpiredFile {
                path: &file.path,
                bytes: file.bytes,
                age_seconds: file.age.as_secs(),
                call: &file.call,
            })
            .collect();
        answer.put("expired", &expired);
        answer.put("temporary", &report.temporary);
        answer.put("bytes_freed", &report.bytes);
        let errors: Vec<Trouble<'_>> =
            report.errors.iter().map(|e| Trouble { path: &e.path, why: &e.why }).collect();
        answer.put("errors", &errors);
        answer.put("complete", &report.complete);
        answer.put("dry_run", &(run == Run::Dry));
        let mut warnings = params.unknown_warnings();
        warnings.extend(shortened("expired", &report.expired));
        warnings.extend(shortened("errors", &report.errors));
        Ok(answer.with_warnings(warnings))
    }

    /// The sweep of the schedule: everywhere.
    pub fn sweep_on_schedule(&self) {
        let folders: Vec<Location> = self.large.folder().into_iter().collect();
        let report = self.sweep_now(&folders, Run::Real);
        tracing::info!(
            folders = report.folders,
            examined = report.examined,
            expired = report.expired.total(),
            bytes = report.bytes,
            errors = report.errors.total(),
            "swept"
        );
    }

    fn sweep_now(&self, folders: &[Location], run: Run) -> SweepReport {
        let mut tell = |event: SweepEvent<'_>| match event {
            SweepEvent::Expired(_) if run == Run::Dry => {}
            SweepEvent::Expired(file) => {
                metrics::counter!("unburden_offload_file_expired_total").increment(1);
                let age = file.age.as_secs();
                tracing::info!(
                    event = "OffloadFileExpired",
                    path = file.path,
                    bytes = file.bytes,
                    age_seconds = age,
                    "a stored file expired"
                );
            }
            SweepEvent::Failed(trouble) => {
                tracing::warn!(path = trouble.path, why = trouble.why, "a file was not swept");
            }
        };
        sweep(&self.roots, folders, &self.lifetimes, &Moment::now(), run, &mut tell)
    }

    /// `unburden verify`: reads every listed file of a store again; also true where
    /// each holds what was written.
    pub fn verify(&self, body: &[u8]) -> Result<(Answer, bool), Failure> {
        let params = Params::parse(body)?;
        let accepted = "a store's folder, as a string";
        let folder = params.string("store_dir")?.ok_or_else(|| ParamError::Missing {
            field: "store_dir",
            accepted: accepted.to_owned(),
        })?;
        let at = self.readable("store_dir", &folder)?;
        let report = verify(&at).map_err(|source| Failure::Store { field: "store_dir", source })?;
        let sound = report.changed.is_empty()
            && report.missing.is_empty()
            && report.errors.is_empty()
            && report.store;
        let mut answer = Answer::text(verified(&report, &folder));
        answer.put("intact", &report.intact);
        answer.put("bytes", &report.bytes);
        answer.put("changed", &report.changed);
        answer.put("missing", &report.missing);
        answer.put("expired", &report.expired);
        answer.put("unlisted", &report.unlisted);
        let errors: Vec<Trouble<'_>> =
            report.errors.iter().map(|e| Trouble { path: &e.path, why: &e.why }).collect();
        answer.put("errors", &errors);
        let mut warnings = params.unknown_warnings();
        let lists = [
            ("changed", &report.changed),
            ("missing", &report.missing),
            ("expired", &report.expired),
            ("unlisted", &report.unlisted),
        ];
        warnings.extend(lists.iter().filter_map(|(what, list)| shortened(what, list)));
        Ok((answer.with_warnings(warnings), sound))
    }

    fn folders(&self, params: &Params<'_>) -> Result<Vec<Location>, Failure> {
        let Some(list) = params.raw("folders") else {
            return Ok(self.large.folder().into_iter().collect());
        };
        let accepted = "a list of folders";
        let items = raw::elements(list).map_err(|_| invalid("folders", list, accepted))?;
        let mut folders = Vec::new();
        for item in items {
            if !raw::is_string(item) {
                return Err(invalid("folders", item, accepted).into());
            }
            let path = raw::unescape(item).text;
            let at = self.roots.locate(&path);
            folders.push(at.map_err(|source| Failure::Store { field: "folders", source })?);
        }
        Ok(folders)
    }
}

/// How long files live, by this configuration; a file of records may say its own.
pub(super) fn lifetimes(config: &crate::config::Config) -> Lifetimes {
    let seconds = |seconds: u64| (seconds > 0).then(|| Duration::from_secs(seconds));
    Lifetimes {
        store: seconds(config.store.ttl_seconds),
        lro: seconds(config.prompt.offload.ttl_seconds),
        temporary: TEMPORARY,
        header_ttl: header::ttl,
    }
}

/// What is known of the file that is not at `at` any more.
pub(super) fn gone(at: &Location, redact: Redact) -> Option<ReloadError> {
    let Gone { call, ended } = expired(at)?;
    let (when, end) = ended?;
    let (path, when) = (at.spelled().to_owned(), rfc3339(when));
    if end == End::ChatDeleted {
        return Some(ReloadError::Deleted { path, at: when });
    }
    let Call { tool, call_id, arguments } = call;
    // They may have been noted where secrets are shown.
    let word = |word: String| redact.word(&word).into_owned();
    let (tool, call_id) = (tool.map(word), call_id.map(word));
    let arguments = arguments.map(|arguments| redact.text(arguments));
    let mut again = match (tool, arguments) {
        (Some(tool), Some(arguments)) => format!("the call {tool}({arguments})"),
        (Some(tool), None) => format!("a call of {tool}"),
        (None, _) => "the call that made it".to_owned(),
    };
    if let Some(id) = call_id {
        let _ = write!(again, " (it was {id})");
    }
    Some(ReloadError::Expired { path, expired_at: when, again })
}

/// The warning that a list of a report holds the first items only.
pub(super) fn shortened<T>(what: &str, list: &Bounded<T>) -> Option<String> {
    let (listed, total) = (list.len(), list.total());
    (listed < total).then(|| format!("\"{what}\" lists the first {listed} of {total}"))
}

fn swept(report: &SweepReport, run: Run) -> String {
    let did = report.expired.total();
    let files = if did == 1 { "file" } else { "files" };
    let verb = match run {
        Run::Real => "Deleted",
        Run::Dry => "Dry run: would delete",
    };
    let mut out = format!(
        "{verb} {did} expired {files} ({} bytes); {} files in {} folders looked at.",
        report.bytes, report.examined, report.folders
    );
    for file in report.expired.iter().take(NAMED) {
        let _ = write!(out, "\n{} ({} bytes, {} s old)", file.path, file.bytes, file.age.as_secs());
    }
    if did > NAMED {
        let _ = write!(out, "\n… and {} more", did - NAMED);
    }
    for error in report.errors.iter().take(NAMED) {
        let _ = write!(out, "\nnot swept: {}: {}", error.path, error.why);
    }
    out
}

fn verified(report: &VerifyReport, folder: &str) -> String {
    if !report.store {
        return format!("\"{folder}\" is no store of this service; nothing to compare with.");
    }
    let mut out =
        format!("{} files hold what was written ({} bytes).", report.intact, report.bytes);
    let lists: [(&str, &Bounded<String>); 4] = [
        ("changed", &report.changed),
        ("missing", &report.missing),
        ("expired", &report.expired),
        ("not listed", &report.unlisted),
    ];
    for (what, paths) in lists {
        for path in paths.iter().take(NAMED) {
            let _ = write!(out, "\n{what}: {path}");
        }
        if paths.total() > NAMED {
            let _ = write!(out, "\n{what}: … and {} more", paths.total() - NAMED);
        }
    }
    for error in report.errors.iter().take(NAMED) {
        let _ = write!(out, "\nnot read: {}: {}", error.path, error.why);
    }
    out
}
