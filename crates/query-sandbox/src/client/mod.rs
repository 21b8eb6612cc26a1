//! The client: runs queries over records in worker processes. Its calls block; many may run at
//! the same time.

mod child;

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    thread::available_parallelism,
    time::{Duration, Instant},
};

use fair_share::{Holder, Place, Places};

use crate::{
    job::{Job, JobMessage, Outcome, Trial},
    jq_error::JqError,
    limits::{Limits, ms},
    request::{FileMessage, JqRequest, Request, SqlRequest},
    sql_error::SqlError,
    worker_error::WorkerError,
};
use child::{Transcript, WorkerProcess};

/// The most workers that may crash in one [`Workers::check`]: records that crash two crash all.
const MAX_CRASHES: usize = 2;

/// The part of the time that SQLite gets.
const SQL_TIME: f64 = 0.85;

/// The running program, also after its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// Runs jq filters and SQL statements in worker processes (see the [crate documentation](crate)).
#[derive(Clone, Debug)]
pub struct Workers {
    program: PathBuf,
    limits: Limits,
    workers: Places,
    holder: Holder,
}

/// A worker that waits for its request, and its place among those that run at a time.
#[derive(Debug)]
pub struct StartedWorker {
    process: WorkerProcess,
    _place: Place,
}

impl Workers {
    /// Uses this program as the worker, started with the argument [`crate::worker::ARGUMENT`]. Its
    /// `main` must then call [`crate::worker::main`] before anything else.
    pub fn this_program(limits: Limits) -> Self {
        let named = Path::new(THIS_PROGRAM);
        let program =
            if named.exists() { Some(named.to_owned()) } else { std::env::current_exe().ok() };
        Self::new(program.unwrap_or_else(|| named.to_owned()), limits)
    }

    /// Uses `program` as the worker (see [`Workers::this_program`]).
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        let workers = Places::new(at_a_time(&limits), 1);
        Self { program, limits, workers, holder: Holder::default() }
    }

    /// Shares the workers among `tenants`.
    pub fn shared(self, tenants: usize) -> Self {
        Self { workers: Places::new(at_a_time(&self.limits), tenants), ..self }
    }

    /// Returns the same for one tenant.
    pub fn of(&self, holder: Holder) -> Self {
        Self { holder, ..self.clone() }
    }

    /// Runs a job over `input`: one JSON value on each line, without a header. If a limit ends the
    /// outputs, the outcome has those before it and says so.
    ///
    /// # Errors
    ///
    /// Fails if the filter is invalid, fails on a record, or reaches a limit before its first
    /// output.
    pub fn run(&self, job: &Job<'_>, input: &str) -> Result<Outcome, JqError> {
        let until = Instant::now() + self.limits.deadline;
        self.check_length(job)?;
        let (transcript, crash) = self.run_jq(std::slice::from_ref(job), false, input, until)?;
        let total = match (transcript.end, crash) {
            (Some(end), _) => end?,
            (None, Some(crash)) if transcript.cut.is_none() => return Err(crash.into()),
            (None, _) => None,
        };
        Ok(Outcome {
            values: transcript.outputs,
            total,
            cut: transcript.cut,
            slurped: transcript.slurped,
            warnings: transcript.notes,
        })
    }

    /// Tries jobs over one input, which is read once. Returns the number of outputs or the error of
    /// each job, in their order. A job that crashes its worker costs the others only time; all
    /// share one deadline.
    ///
    /// # Errors
    ///
    /// Fails if no worker can be started, or if the input is invalid.
    pub fn check(
        &self,
        jobs: &[Job<'_>],
        input: &str,
    ) -> Result<Vec<Result<Trial, JqError>>, JqError> {
        let until = Instant::now() + self.limits.deadline;
        let mut trials = Vec::with_capacity(jobs.len());
        let mut crashes = 0;
        while let Some(job) = jobs.get(trials.len()) {
            if crashes == MAX_CRASHES {
                trials.push(Err(self.limits.deadline_error().into()));
                continue;
            }
            if let Err(error) = self.check_length(job) {
                trials.push(Err(error));
                continue;
            }
            let rest = &jobs[trials.len()..];
            let fitting = rest.iter().take_while(|job| self.check_length(job).is_ok()).count();
            let (transcript, crash) = self.run_jq(&rest[..fitting], true, input, until)?;
            trials.extend(transcript.trials);
            match (transcript.end, crash) {
                (Some(end), _) => _ = end?,
                (None, Some(crash)) => {
                    crashes += 1;
                    trials.push(Err(crash.into()));
                }
                (None, None) => trials.push(Err(self.limits.deadline_error().into())),
            }
        }
        Ok(trials)
    }

    fn check_length(&self, job: &Job<'_>) -> Result<(), JqError> {
        let (found, accepted) = (job.filter.len(), self.limits.filter_bytes);
        if found > accepted { Err(JqError::FilterTooLong { found, accepted }) } else { Ok(()) }
    }

    /// Starts a worker for [`Workers::sql_in`] while the caller reads the files: a start takes a tenth
    /// of the time of a query. None if there is no place for it at once, or if it fails.
    pub fn start(&self) -> Option<StartedWorker> {
        self.started_until(Instant::now()).ok()
    }

    /// Runs an SQL statement over files of records.
    ///
    /// # Errors
    ///
    /// Fails if the statement is refused or fails, or reaches a limit before its first row.
    pub fn sql(&self, query: &record_sql::Query<'_>) -> Result<record_sql::Outcome, SqlError> {
        self.sql_in(None, query)
    }

    /// The same in `started`, if there is one.
    ///
    /// # Errors
    ///
    /// As [`Workers::sql`].
    pub fn sql_in(
        &self,
        started: Option<StartedWorker>,
        query: &record_sql::Query<'_>,
    ) -> Result<record_sql::Outcome, SqlError> {
        let until = Instant::now() + self.limits.deadline;
        let (found, accepted) = (query.sql.len(), self.limits.filter_bytes);
        if found > accepted {
            return Err(SqlError::TooLong { found, accepted });
        }
        let lines: Vec<&str> = query.sources.iter().map(|source| source.lines).collect();
        let (transcript, crash) = self.run_worker(started, &lines, until, || {
            Request::Sql(self.sql_request(query, until.saturating_duration_since(Instant::now())))
        })?;
        match (transcript.sql, transcript.end, crash) {
            (Some(end), ..) => {
                let outcome = end.map_err(|error| SqlError::of(error, &self.limits))?;
                Ok(record_sql::Outcome { rows: transcript.outputs, ..outcome })
            }
            (None, Some(Err(JqError::Worker(error))), _) | (None, _, Some(error)) => {
                Err(error.into())
            }
            (None, _, None) => Err(self.limits.deadline_error().into()),
        }
    }

    /// The engine ends a little before the worker is killed, so that it can say what it has.
    fn sql_request(&self, query: &record_sql::Query<'_>, time: Duration) -> SqlRequest {
        let files = query.sources.iter().map(|source| FileMessage {
            names: source.names.clone(),
            bytes: source.lines.len() as u64,
        });
        let input: u64 = query.sources.iter().map(|source| source.lines.len() as u64).sum();
        let memory = self.limits.memory_bytes;
        SqlRequest {
            sql: query.sql.to_owned(),
            files: files.collect(),
            offset: query.offset,
            limit: query.limit,
            time_ms: ms(time.mul_f64(SQL_TIME)),
            memory_bytes: memory.saturating_sub(input).max(memory / 4) / 8 * 7,
            output_bytes: self.limits.output_bytes,
        }
    }

    fn run_jq(
        &self,
        jobs: &[Job<'_>],
        only_try: bool,
        input: &str,
        until: Instant,
    ) -> Result<(Transcript, Option<WorkerError>), WorkerError> {
        let jobs = jobs.iter().map(JobMessage::from).collect();
        let request = JqRequest { jobs, only_try, output_bytes: self.limits.output_bytes };
        self.run_worker(None, &[input], until, || Request::Jq(request))
    }

    /// Runs the request in `started`, or waits for a place to start a worker.
    fn run_worker(
        &self,
        started: Option<StartedWorker>,
        inputs: &[&str],
        until: Instant,
        request: impl FnOnce() -> Request,
    ) -> Result<(Transcript, Option<WorkerError>), WorkerError> {
        let started = started.map_or_else(|| self.started_until(until), Ok)?;
        child::run_worker(started.process, &request(), inputs, &self.limits, until)
    }

    /// Waits for a place until `until`, and starts a worker.
    fn started_until(&self, until: Instant) -> Result<StartedWorker, WorkerError> {
        let busy = || WorkerError::Busy { ms: ms(self.limits.deadline) };
        let place = self.workers.take_until(self.holder, until).ok_or_else(busy)?;
        let process = WorkerProcess::start(&self.program, &self.limits)?;
        Ok(StartedWorker { process, _place: place })
    }
}

/// Returns the most workers that run at a time: the number of cores, at least two. Together with
/// the limit for each, this bounds their memory.
fn at_a_time(limits: &Limits) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    cores.max(2).min(limits.workers)
}
