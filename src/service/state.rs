//! The service of one tenant.

use std::sync::Arc;
use std::time::Duration;

use fair_share::{Holder, StripedLocks};

use super::budget::Budget;
use super::open_error::OpenError;
use super::shared_resources::SharedResources;
use super::stored::Stored;
use crate::config::{self, Config, ReloadConfig};
use crate::measure::Measure;
use crate::offload_result::ResultOffloader;
use crate::pipeline::{Materials, Offloader, expanded_files, replacements};
use crate::reading::extract::Limits as ExtractLimits;
use context_store::{Durability, FileCache, Key, Lifetimes, RootSpec, Roots};
use query_sandbox::Workers;
use record_files::file::header;

/// Lifetime of temporary files that a crashed process left.
const TEMPORARY: Duration = Duration::from_secs(3_600);
/// Everything that the interfaces share; one for the process, or for each tenant.
pub struct Service {
    pub(super) roots: Arc<Roots>,
    pub(super) measure: Arc<Measure>,
    pub(super) offloader: Offloader,
    pub(super) large: ResultOffloader,
    pub(super) workers: Arc<Workers>,
    pub(super) budget: Budget,
    pub(super) holder: Holder,
    pub(super) reload: ReloadConfig,
    pub(super) extract: ExtractLimits,
    pub(super) lifetimes: Lifetimes,
    pub(super) stored: Stored,
    /// Time from the start of an operation to the client's 504.
    pub(super) time_limit: Duration,
}

/// Maximum number of bytes cached of the references inside groups and lists.
const EXPANDED_BYTES: u64 = 4 << 20;

impl Service {
    /// Opens the configured roots and prepares the model's client; writes nothing and makes no
    /// call.
    pub fn open(config: &Config) -> Result<Service, OpenError> {
        Service::open_with(config, &SharedResources::prepare(config)?, Holder::default())
    }

    pub(super) fn open_with(
        config: &Config,
        resources: &SharedResources,
        holder: Holder,
    ) -> Result<Service, OpenError> {
        let roots = Arc::new(roots(config, resources)?);
        let measure = Arc::new(Measure::new(config.cache.measured_bytes));
        let file_cache =
            Arc::new(FileCache::new(config.cache.files).with_key(operators_key(config)?));
        let durability = config.store.durability.into();
        let lifetimes = lifetimes(config);
        let workers = Arc::new(resources.workers.of(holder));
        let budget = resources.budget.for_one_of(config.callers());
        let large = ResultOffloader {
            roots: Arc::clone(&roots),
            file_cache: Arc::clone(&file_cache),
            durability,
            workers: Arc::clone(&workers),
            lifetimes,
            config: config.prompt.offload.clone().into(),
            redact: config.privacy.into(),
            locks: StripedLocks::default(),
        };
        let offloader = Offloader {
            roots: Arc::clone(&roots),
            measure: Arc::clone(&measure),
            file_cache,
            durability,
            replacements: replacements(config.cache.replacement_bytes),
            summariser: resources.summariser.clone(),
            materials: Materials::new(config.cache.files),
            records: config.prompt.offload.enabled,
            redact: config.privacy.into(),
            workers: Arc::clone(&workers),
            lifetimes,
            expanded_files: expanded_files(EXPANDED_BYTES),
            snapshot_locks: StripedLocks::default(),
        };
        let reload = config.reload.clone();
        let mut extract = config.extract.limits();
        // A queried file is read whole.
        extract.file_bytes = extract.file_bytes.min(budget.total() / 2);
        let time_limit = Duration::from_secs(config.server.request_timeout_seconds);
        Ok(Service {
            roots,
            measure,
            offloader,
            large,
            workers,
            budget,
            holder,
            reload,
            extract,
            lifetimes,
            stored: Stored::default(),
            time_limit,
        })
    }

    /// Returns the tenant's number for fair sharing.
    pub(crate) fn holder(&self) -> Holder {
        self.holder
    }

    /// Returns the memory budget of its requests.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the bytes of messages counted so far, for a progress bar.
    pub(crate) fn counted_bytes(&self) -> u64 {
        self.measure.counted_bytes()
    }

    /// Returns the allowed roots, for the log.
    pub(crate) fn roots(&self) -> String {
        self.roots.spelled()
    }

    /// Returns the local folders that the service reads and writes: the allowed roots as real
    /// paths, or the cache of an object store.
    pub(crate) fn root_folders(&self) -> Vec<std::path::PathBuf> {
        let cache = self.roots.objects().map(|objects| objects.cache_dir());
        self.roots.real().chain(cache).map(Into::into).collect()
    }

    /// Returns the maximum tokens of a read's answer, or `None` for no limit; `asked` is the limit
    /// in the call.
    pub(crate) fn ceiling(&self, asked: Option<u64>) -> Option<u64> {
        self.reload.ceiling(asked)
    }

    /// `GET /readyz`: returns why the service cannot work, if it cannot.
    pub(crate) fn unready(&self) -> Option<String> {
        self.roots.unwritable()
    }
}

/// Opens the configured roots, or their objects.
fn roots(config: &Config, resources: &SharedResources) -> Result<Roots, OpenError> {
    let specs: Vec<RootSpec> =
        config.store.roots.iter().map(|spec| RootSpec::parse(spec)).collect();
    Ok(match &resources.objects {
        Some(objects) => Roots::of_objects(&specs, objects)?,
        None => Roots::open(&specs)?,
    })
}

/// Returns the configured lifetimes; a file of records may have its own.
fn lifetimes(config: &Config) -> Lifetimes {
    let seconds = |seconds: u64| (seconds > 0).then(|| Duration::from_secs(seconds));
    Lifetimes {
        store: seconds(config.store.ttl_seconds),
        lro: seconds(config.prompt.offload.ttl_seconds),
        temporary: TEMPORARY,
        header_ttl: header::ttl,
    }
}

/// Reads the operator's signing key for all stores, if one is configured.
fn operators_key(config: &Config) -> Result<Option<Key>, OpenError> {
    let Some(path) = &config.store.key_file else { return Ok(None) };
    let refused = |found: String| OpenError::Key { path: path.display().to_string(), found };
    let secret = config::Key::read(path).map_err(|error| refused(error.to_string()))?;
    let key = Key::of_secret(secret.text())
        .ok_or_else(|| refused(format!("it holds {} characters", secret.text().len())))?;
    Ok(Some(key))
}

impl From<config::DurabilityConfig> for Durability {
    fn from(durability: config::DurabilityConfig) -> Durability {
        match durability {
            config::DurabilityConfig::Sync => Durability::Sync,
            config::DurabilityConfig::Relaxed => Durability::Relaxed,
        }
    }
}
