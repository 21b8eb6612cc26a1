//! The door to jq: runs filters over records in worker processes. Calls block;
//! many may run at once.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    thread::available_parallelism,
    time::Instant,
};

use fair_share::{Holder, Places};

use super::{
    child::{self, Transcript},
    error::JqError,
    fields,
    job::{Job, Order, Outcome, Task, Tried},
    limits::Limits,
};

/// How many workers a trial may cost: records that break two break them all.
const DEATHS: usize = 2;

/// What an agent forgets most: records come one by one.
const ONE_BY_ONE: &str = "the filter ran on each record by itself, and none is an array; with \
                          slurp it gets all of them as one array";

/// The running program, also after its file was replaced.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// Where workers come from and what they may use.
#[derive(Clone, Debug)]
pub struct Jq {
    program: PathBuf,
    limits: Limits,
    workers: Places,
    holder: Holder,
}

impl Jq {
    /// Workers are this program with the argument [`super::worker::ARGUMENT`];
    /// its `main` must hand them to [`super::worker::main`] before all else.
    pub fn this_program(limits: Limits) -> Self {
        let named = Path::new(THIS_PROGRAM);
        let program =
            if named.exists() { Some(named.to_owned()) } else { std::env::current_exe().ok() };
        Self::new(program.unwrap_or_else(|| named.to_owned()), limits)
    }

    /// Workers are `program`, as above.
    pub fn new(program: PathBuf, limits: Limits) -> Self {
        let workers = Places::new(at_a_time(&limits), 1);
        Self { program, limits, workers, holder: Holder::default() }
    }

    /// The same for each of `tenants`, who share the workers.
    pub fn shared(self, tenants: usize) -> Self {
        Self { workers: Places::new(at_a_time(&self.limits), tenants), ..self }
    }

    /// The same for one tenant.
    pub fn of(&self, holder: Holder) -> Self {
        Self { holder, ..self.clone() }
    }

    /// Runs a job over `input`: records as JSON, one a line, no header line.
    ///
    /// What a limit cuts after the first outputs is an answer that says so; an
    /// error in any record before that is an error of the run.
    pub fn run(&self, job: &Job<'_>, input: &str) -> Result<Outcome, JqError> {
        let until = Instant::now() + self.limits.deadline;
        self.accept(job)?;
        let (said, death) = self.talk(std::slice::from_ref(job), false, input, until)?;
        let total = match (said.end, death) {
            (Some(end), _) => end?,
            (None, Some(death)) if said.cut.is_none() => return Err(death),
            (None, _) => None,
        };
        let mut outcome =
            Outcome { values: said.outputs, total, cut: said.cut, warnings: Vec::new() };
        if outcome.cut.is_none() && outcome.values.iter().all(|value| value == "null") {
            outcome.warnings = fields::unknown(job.filter, input);
            if !job.slurp && fields::indexes(job.filter) && !outcome.values.is_empty() {
                outcome.warnings.push(ONE_BY_ONE.to_owned());
            }
        }
        Ok(outcome)
    }

    /// Tries jobs over one input that is read once: for each in its order how
    /// many outputs it has, or why it fails. A job that breaks its worker costs
    /// the others only time; they share one deadline.
    pub fn check(
        &self,
        jobs: &[Job<'_>],
        input: &str,
    ) -> Result<Vec<Result<Tried, JqError>>, JqError> {
        let until = Instant::now() + self.limits.deadline;
        let mut tried = Vec::with_capacity(jobs.len());
        let mut deaths = 0;
        while let Some(job) = jobs.get(tried.len()) {
            if deaths == DEATHS {
                tried.push(Err(child::deadline(&self.limits)));
                continue;
            }
            if let Err(error) = self.accept(job) {
                tried.push(Err(error));
                continue;
            }
            let rest = &jobs[tried.len()..];
            let fitting = rest.iter().take_while(|job| self.accept(job).is_ok()).count();
            let (said, death) = self.talk(&rest[..fitting], true, input, until)?;
            tried.extend(said.tried);
            match (said.end, death) {
                (Some(end), _) => _ = end?,
                (None, Some(death)) => {
                    deaths += 1;
                    tried.push(Err(death));
                }
                (None, None) => tried.push(Err(child::deadline(&self.limits))),
            }
        }
        Ok(tried)
    }

    fn accept(&self, job: &Job<'_>) -> Result<(), JqError> {
        let (found, accepted) = (job.filter.len(), self.limits.filter_bytes);
        if found > accepted { Err(JqError::FilterTooLong { found, accepted }) } else { Ok(()) }
    }

    fn talk(
        &self,
        jobs: &[Job<'_>],
        only_try: bool,
        input: &str,
        until: Instant,
    ) -> Result<(Transcript, Option<JqError>), JqError> {
        let busy = || JqError::Busy { ms: ms(self.limits.deadline) };
        let _place = self.workers.take_until(self.holder, until).ok_or_else(busy)?;
        let jobs = jobs.iter().map(Task::from).collect();
        let order = Order { jobs, only_try, output_bytes: self.limits.output_bytes };
        child::talk(&self.program, &order, input, &self.limits, until)
    }
}

/// How many workers run at a time: as many as there are cores, but two at least; each may
/// use the memory that it is allowed, and the limit on their number bounds all of it.
fn at_a_time(limits: &Limits) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    cores.max(2).min(limits.workers)
}

fn ms(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
