//! The service: one method an operation, shared by every door. HTTP and the
//! command line parse, call one of these, and print; no decision is theirs.

pub mod budget;
mod count;
mod deletion;
mod extract;
mod large;
mod lifecycle;
mod offload;
mod reload;
mod tenants;
mod tool_result;
pub mod turns;
mod validate;

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::{Duration, Instant};

use budget::{Budget, Full, Held, TooHeavy, Unheld};
use chat_history::HistoryError;
use fair_share::Holder;
pub use offload::offload_answer;
pub use tenants::{Tenant, open_all};
use turns::Crowded;

use crate::config::{self, Config, ReloadConfig, SummariserError};
use crate::envelope::Answer;
use crate::measure::Measure;
use crate::offload_result::{ResultOffloader, StripedLocks};
use crate::params::{HistoryOrParam, ParamError, Params};
use crate::pipeline::{
    ExpandedFiles, Materials, OffloadError, Offloader, Summariser, replacements,
};
use crate::reading::error::ReloadError;
use crate::reading::extract::{ExtractError, Limits as ExtractLimits};
use crate::reading::regular_file::unopened;
use crate::reading::target::Target;
use context_store::{
    Allowance, Durability, Key, Ledger, Lifetimes, Location, ReadError, Reader, RootSpec, Roots,
    SECRET_BYTES, StoreError,
};
use jq_sandbox::Jq;

/// Why an operation gave no answer. Facts only; `http::error` maps them to
/// statuses, the command line to exit codes.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The request cannot be read.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The messages cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A path cannot be used.
    #[error("{field}: {source}")]
    Store {
        /// The field that holds it.
        field: &'static str,
        /// Why.
        source: StoreError,
    },
    /// A question about records has no answer.
    #[error("{0}")]
    Extract(#[from] ExtractError),
    /// A file cannot be searched or read.
    #[error("{source}")]
    Reload {
        /// The field that holds its path.
        field: &'static str,
        /// Why.
        source: ReloadError,
    },
    /// There never is memory for it.
    #[error(transparent)]
    TooHeavy(#[from] TooHeavy),
    /// There is no memory for it now.
    #[error(transparent)]
    Full(#[from] Full),
    /// No turn came for it.
    #[error(transparent)]
    Crowded(#[from] Crowded),
}

impl Service {
    /// A file that cannot be read; one that was deleted says why and which call made it.
    fn no_file(&self, field: &'static str, at: &Location, source: ReloadError) -> Failure {
        let gone = matches!(source, ReloadError::NotFound { .. });
        let gone = || lifecycle::gone(at, self.large.redact).filter(|_| gone);
        Failure::Reload { field, source: gone().unwrap_or(source) }
    }
}

impl From<Unheld> for Failure {
    fn from(unheld: Unheld) -> Failure {
        match unheld {
            Unheld::TooHeavy(error) => error.into(),
            Unheld::Full(error) => error.into(),
        }
    }
}

impl From<HistoryOrParam> for Failure {
    fn from(error: HistoryOrParam) -> Failure {
        match error {
            HistoryOrParam::Param(error) => error.into(),
            HistoryOrParam::History(error) => error.into(),
        }
    }
}

impl From<OffloadError> for Failure {
    fn from(error: OffloadError) -> Failure {
        match error {
            OffloadError::History(error) => error.into(),
            OffloadError::Store(source) => Failure::Store { field: "store_dir", source },
        }
    }
}

/// Why the service could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A root.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The summariser.
    #[error(transparent)]
    Summariser(#[from] SummariserError),
    /// The secret that signs references.
    #[error(
        "store.key_file {path}: {found}; accepted is a file with at least {SECRET_BYTES} \
             characters (openssl rand -hex 32)"
    )]
    Key {
        /// The file.
        path: String,
        /// What is wrong with it.
        found: String,
    },
    /// Two tenants would see the same files.
    #[error(
        "the tenants \"{one}\" and \"{other}\" share the folder {folder}; accepted are folders that \
         do not lie in one another"
    )]
    Shared {
        /// A tenant.
        one: String,
        /// Another.
        other: String,
        /// The folder that lies in both.
        folder: String,
    },
}

/// How often a text that is read stands in memory: itself, escaped, in the answer.
const COPIES: u64 = 3;

/// Everything the doors share; one for the process, or for each tenant.
pub struct Service {
    roots: Arc<Roots>,
    measure: Arc<Measure>,
    offloader: Offloader,
    large: ResultOffloader,
    jq: Arc<Jq>,
    budget: Budget,
    holder: Holder,
    reload: ReloadConfig,
    extract: ExtractLimits,
    lifetimes: Lifetimes,
    /// From the beginning of an operation to its client's 504.
    time_limit: Duration,
}

/// What all services of a process use together.
struct Means {
    summariser: Summariser,
    jq: Jq,
    budget: Budget,
}

impl Means {
    /// Prepares the model's client; calls nobody.
    fn prepare(config: &Config) -> Result<Means, OpenError> {
        let turns = config.server.concurrent_requests as u64;
        let budget = match config.server.memory_bytes {
            0 => Budget::of_this_machine(config.cache.bytes(), turns),
            bytes => Budget::new(bytes),
        };
        let summariser = config.llm.summariser(config.compression.summariser)?;
        let jq = jq(config, &budget).shared(config.callers());
        Ok(Means { summariser, jq, budget })
    }
}

/// Groups and lists whose own mentions are remembered.
const FOLLOWED: usize = 10_000;

impl Service {
    /// Opens the configured roots, and prepares the model's client; writes nothing
    /// and calls nobody.
    pub fn open(config: &Config) -> Result<Service, OpenError> {
        Service::open_with(config, &Means::prepare(config)?, Holder::default())
    }

    fn open_with(config: &Config, means: &Means, holder: Holder) -> Result<Service, OpenError> {
        let specs: Vec<RootSpec> =
            config.store.roots.iter().map(|spec| RootSpec::parse(spec)).collect();
        let roots = Arc::new(Roots::open(&specs)?);
        let measure = Arc::new(Measure::new(config.cache.measured_bytes));
        let ledger = Arc::new(Ledger::new(config.cache.files).with_key(operators_key(config)?));
        let durability = config.store.durability.into();
        let lifetimes = lifecycle::lifetimes(config);
        let jq = Arc::new(means.jq.of(holder));
        let budget = means.budget.of_one_among(config.callers());
        let large = ResultOffloader {
            roots: Arc::clone(&roots),
            ledger: Arc::clone(&ledger),
            durability,
            jq: Arc::clone(&jq),
            lifetimes,
            config: config.prompt.offload.clone().into(),
            redact: config.privacy.into(),
            locks: StripedLocks::default(),
        };
        let offloader = Offloader {
            roots: Arc::clone(&roots),
            measure: Arc::clone(&measure),
            ledger,
            durability,
            replacements: replacements(config.cache.replacement_bytes),
            summariser: means.summariser.clone(),
            materials: Materials::new(config.cache.files),
            records: config.prompt.offload.enabled,
            redact: config.privacy.into(),
            jq: Arc::clone(&jq),
            lifetimes,
            expanded_files: ExpandedFiles::new(FOLLOWED),
        };
        let reload = config.reload.clone();
        let mut extract = config.extract.limits();
        // A file that is asked is read whole.
        extract.file_bytes = extract.file_bytes.min(budget.total() / 2);
        let time_limit = Duration::from_secs(config.server.request_timeout_seconds);
        Ok(Service {
            roots,
            measure,
            offloader,
            large,
            jq,
            budget,
            holder,
            reload,
            extract,
            lifetimes,
            time_limit,
        })
    }

    /// Whose it is, where tenants share turns.
    pub fn holder(&self) -> Holder {
        self.holder
    }

    /// The memory of its requests.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The limits of an operation that begins now: it reads at most `bytes` of files, into
    /// memory that `hold` takes.
    fn allowance<'a>(&self, bytes: u64, hold: &'a (dyn Fn(u64) -> bool + Sync)) -> Allowance<'a> {
        Allowance { bytes, until: Instant::now() + self.time_limit, hold }
    }

    /// Reads the one file that a request names, of at most `bytes`, and answers by its
    /// text, which is held [`COPIES`] times until then.
    fn with_text<T>(
        &self,
        field: &'static str,
        at: &Location,
        bytes: u64,
        answer: impl FnOnce(&str) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let memory = Held::new(&self.budget);
        let hold = |bytes: u64| memory.take(bytes.saturating_mul(COPIES));
        let reader = Reader::new(&self.offloader.ledger, self.allowance(bytes, &hold));
        match reader.text(at) {
            Ok(stored) => answer(&stored.text),
            Err(ReadError::Memory) => Err(memory.refused().into()),
            Err(error) => Err(self.no_file(field, at, unread(at, error))),
        }
    }

    /// Bytes of messages counted so far, for a progress bar.
    pub fn counted_bytes(&self) -> u64 {
        self.measure.counted_bytes()
    }

    /// The allowed roots, for the log.
    pub fn roots(&self) -> String {
        self.roots.spelled()
    }

    /// The allowed roots, as the kernel spells them.
    pub fn root_folders(&self) -> Vec<std::path::PathBuf> {
        self.roots.real().map(Into::into).collect()
    }

    /// `GET /readyz`: why the service cannot work now, if it cannot.
    pub fn unready(&self) -> Option<String> {
        self.roots.unwritable()
    }

    /// A place to read from. Outside the roots is answered as missing: the two
    /// must not be told apart.
    fn readable(&self, field: &'static str, path: &str) -> Result<Location, Failure> {
        self.roots.locate(path).map_err(|source| match source {
            StoreError::Outside { .. } => missing(field, path),
            source => Failure::Store { field, source },
        })
    }
}

/// Answers a body whose messages are all read on the way to the answer. Where that
/// fails and the body is no JSON, it is told so first, as by every other operation.
fn outlined(
    body: &[u8],
    answer: impl FnOnce(&Params<'_>) -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    let params = Params::outline(body)?;
    answer(&params).map_err(|failure| Params::parse(body).err().map_or(failure, Failure::from))
}

/// Why a file was not read whole.
fn unread(at: &Location, error: ReadError) -> ReloadError {
    let path = at.spelled().to_owned();
    match error {
        ReadError::Missing(source) if source.kind() == ErrorKind::InvalidInput => {
            ReloadError::NotAFile { path }
        }
        ReadError::Missing(source) => unopened(path, source),
        ReadError::TooLarge { found, limit } => ReloadError::TooLarge { path, found, limit },
        ReadError::NotText(byte_offset) => ReloadError::NotText { path, byte_offset },
        // One file that is read once meets no limit of many files but time.
        ReadError::Deadline | ReadError::Memory | ReadError::Allowance(_) | ReadError::Searched => {
            ReloadError::TooSlow { path }
        }
    }
}

fn target(at: &Location) -> Target<'_> {
    Target { dir: at.dir(), path: at.relative(), spelled: at.spelled() }
}

/// The workers that run jq, and their ceilings: together a third of the requests'
/// memory, beside it. Two find room at least, so that none waits for one other's.
fn jq(config: &Config, budget: &Budget) -> Jq {
    let mut limits = config.extract.jq();
    let share = budget.total() / 3;
    limits.memory_bytes = limits.memory_bytes.min(share / 2);
    limits.workers = usize::try_from(share / limits.memory_bytes.max(1)).unwrap_or(usize::MAX);
    match config.extract.worker.trim() {
        "" => Jq::this_program(limits),
        program => Jq::new(program.into(), limits),
    }
}

/// The secret that signs references, where the operator gives one for all stores.
fn operators_key(config: &Config) -> Result<Option<Key>, OpenError> {
    let Some(path) = &config.store.key_file else { return Ok(None) };
    let refused = |found: String| OpenError::Key { path: path.display().to_string(), found };
    let secret = config::Key::read(path).map_err(|error| refused(error.to_string()))?;
    let key = Key::of_secret(secret.text())
        .ok_or_else(|| refused(format!("it holds {} characters", secret.text().len())))?;
    Ok(Some(key))
}

fn missing(field: &'static str, path: &str) -> Failure {
    Failure::Reload { field, source: ReloadError::NotFound { path: path.to_owned() } }
}

impl From<config::DurabilityConfig> for Durability {
    fn from(durability: config::DurabilityConfig) -> Durability {
        match durability {
            config::DurabilityConfig::Sync => Durability::Sync,
            config::DurabilityConfig::Relaxed => Durability::Relaxed,
        }
    }
}
