//! `unburden sweep` and `unburden verify`: deletes expired files, and compares stored files
//! with their records.

use std::fmt::Write;

use serde::Serialize;

use super::failure::Failure;
use super::requests::{Sweep, Verify};
use super::state::Service;
use crate::envelope::{Answer, counted};
use crate::params::Params;
use context_store::{
    Bounded, Call, Coverage, Location, Moment, PathError, Run, SweepEvent, SweepOptions,
    SweepReport, VerifyReport, sweep, verify,
};

/// Maximum number of files that an answer's text shows.
const MAX_SHOWN: usize = 50;

/// The warning if another replica holds the lock of sweeps.
const ELSEWHERE: &str = "another replica sweeps this store; what it does is not in this report";

#[derive(Serialize)]
struct ExpiredFile<'a> {
    path: &'a str,
    bytes: u64,
    age_seconds: u64,
    call: &'a Call,
}

impl Service {
    /// `unburden sweep`: deletes expired files in the given folders, or in every store under the
    /// roots. Returns true if nothing failed.
    pub fn sweep(&self, body: &[u8]) -> Result<(Answer, bool), Failure> {
        let params = Params::parse(body)?;
        let Sweep { dry_run, folders } = Sweep::from_params(&params)?;
        let run = if dry_run { Run::Dry } else { Run::Real };
        let report = match folders {
            Some(folders) => {
                self.sweep_now(&self.located("folders", &folders)?, Coverage::Folders, run)
            }
            None => self.sweep_own(Coverage::Roots, run),
        };
        let mut answer = Answer::text(sweep_text(&report, run));
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
        answer.put("errors", &report.errors);
        answer.put("complete", &report.complete);
        answer.put("dry_run", &(run == Run::Dry));
        let mut warnings = params.unknown_warnings();
        warnings.extend(report.elsewhere.then(|| ELSEWHERE.to_owned()));
        warnings.extend(truncation_warning("expired", &report.expired));
        warnings.extend(truncation_warning("errors", &report.errors));
        Ok((answer.with_warnings(warnings), report.errors.is_empty()))
    }

    /// Sweeps the folder of large results, and the stores that `coverage` includes, as scheduled.
    pub(crate) fn sweep_on_schedule(&self, coverage: Coverage) {
        let report = self.sweep_own(coverage, Run::Real);
        if report.elsewhere {
            tracing::info!("another replica sweeps");
            return;
        }
        // A sweep of a bucket examines only objects that may have expired.
        if self.roots.objects().is_none() {
            self.stored.set(report.stored as u64, report.stored_bytes);
        }
        tracing::info!(
            folders = report.folders,
            examined = report.examined,
            expired = report.expired.total(),
            bytes = report.bytes,
            errors = report.errors.total(),
            "swept"
        );
    }

    fn sweep_own(&self, coverage: Coverage, run: Run) -> SweepReport {
        let folders: Vec<Location> = self.large.folder().into_iter().collect();
        self.sweep_now(&folders, coverage, run)
    }

    fn sweep_now(&self, folders: &[Location], coverage: Coverage, run: Run) -> SweepReport {
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
            SweepEvent::Failed(error) => {
                tracing::warn!(path = error.path, why = error.reason, "a file was not swept");
            }
        };
        let (roots, lifetimes) = (&self.roots, &self.lifetimes);
        let now = &Moment::now();
        let options = SweepOptions { roots, folders, coverage, lifetimes, now, run };
        sweep(&options, &mut tell)
    }

    /// `unburden verify`: reads every listed file of a store. Returns true if all are intact.
    pub fn verify(&self, body: &[u8]) -> Result<(Answer, bool), Failure> {
        let params = Params::parse(body)?;
        let Verify { store_dir: folder } = Verify::from_params(&params)?;
        let at = self.readable("store_dir", &folder)?;
        let report = verify(&at).map_err(|source| Failure::Store { field: "store_dir", source })?;
        let sound = report.changed.is_empty()
            && report.missing.is_empty()
            && report.errors.is_empty()
            && report.store;
        let mut answer = Answer::text(verify_text(&report, &folder));
        answer.put("intact", &report.intact);
        answer.put("bytes", &report.bytes);
        answer.put("changed", &report.changed);
        answer.put("missing", &report.missing);
        answer.put("unfinished", &report.unfinished);
        answer.put("expired", &report.expired);
        answer.put("unlisted", &report.unlisted);
        answer.put("errors", &report.errors);
        let mut warnings = params.unknown_warnings();
        let lists = [
            ("changed", &report.changed),
            ("missing", &report.missing),
            ("unfinished", &report.unfinished),
            ("expired", &report.expired),
            ("unlisted", &report.unlisted),
        ];
        warnings.extend(lists.iter().filter_map(|(what, list)| truncation_warning(what, list)));
        Ok((answer.with_warnings(warnings), sound))
    }
}

/// Returns a warning if a list of a report is truncated.
pub(super) fn truncation_warning<T>(what: &str, list: &Bounded<T>) -> Option<String> {
    let (listed, total) = (list.len(), list.total());
    (listed < total).then(|| format!("\"{what}\" lists the first {listed} of {total}"))
}

/// Appends a line for each of the first items of a list, and how many more there are.
pub(super) fn push_list<T>(
    out: &mut String,
    what: &str,
    list: &Bounded<T>,
    line: impl Fn(&T) -> String,
) {
    for item in list.iter().take(MAX_SHOWN) {
        let _ = write!(out, "\n{what}{}", line(item));
    }
    if list.total() > MAX_SHOWN {
        let _ = write!(out, "\n{what}… and {} more", list.total() - MAX_SHOWN);
    }
}

/// Like [`push_list`], for failures.
pub(super) fn push_errors(out: &mut String, what: &str, errors: &Bounded<PathError>) {
    push_list(out, what, errors, |error| format!("{}: {}", error.path, error.reason));
}

fn sweep_text(report: &SweepReport, run: Run) -> String {
    let files = counted(report.expired.total(), "expired file");
    let verb = match run {
        Run::Real => "Deleted",
        Run::Dry => "Dry run: would delete",
    };
    let mut out = format!(
        "{verb} {files} ({} bytes); {} files in {} folders examined.",
        report.bytes, report.examined, report.folders
    );
    push_list(&mut out, "", &report.expired, |file| {
        format!("{} ({} bytes, {} s old)", file.path, file.bytes, file.age.as_secs())
    });
    push_errors(&mut out, "not swept: ", &report.errors);
    out
}

fn verify_text(report: &VerifyReport, folder: &str) -> String {
    if !report.store {
        return format!("\"{folder}\" is not a store of this service; nothing to compare.");
    }
    let mut out = format!("Intact files: {} ({} bytes).", report.intact, report.bytes);
    let lists = [
        ("changed: ", &report.changed),
        ("missing: ", &report.missing),
        ("unfinished write, cleaned by a later sweep: ", &report.unfinished),
        ("expired: ", &report.expired),
        ("not listed: ", &report.unlisted),
    ];
    for (what, paths) in lists {
        push_list(&mut out, what, paths, String::clone);
    }
    push_errors(&mut out, "not read: ", &report.errors);
    out
}
