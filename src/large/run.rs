//! The run of `/offload_result`: estimate, inline or material, file, descriptor.
//! Offloading is an optimisation: where it fails the result comes back inline, as
//! much of it as the threshold allows, and the operation has still succeeded
//! (`lro-spec-1600`, "Error Handling").

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use redact::Redact;

use super::describe::{Said, describe, preview_of};
use super::fallback::truncated;
use super::material::Material;
use super::place::{Place, Written};
use super::request::Request;
use context_store::{
    Claim, Durability, FileName, Ledger, Lifetimes, Location, Reader, Roots, Store, StoreError,
    rfc3339,
};
use jq_sandbox::Jq;
use record_files::file::{Facts, identity, render};
use record_files::header::SCHEMA_VERSION;
use record_files::profile::Profile;

/// Longest query that a header holds, in characters.
const QUERY: usize = 4_096;

/// What offloading a result works with; one for the process.
pub struct Large {
    /// The allowed roots.
    pub roots: Arc<Roots>,
    /// Files that this process has seen.
    pub ledger: Arc<Ledger>,
    /// How far a file must have come before its name is given out.
    pub durability: Durability,
    /// Tries recipes.
    pub jq: Arc<Jq>,
    /// How long files live.
    pub lifetimes: Lifetimes,
    /// The operator's settings.
    pub config: Settings,
    /// Whether descriptors show secrets.
    pub redact: Redact,
    /// One result is looked for and written by one request at a time.
    pub turns: Turns,
}

/// Locks, one of which each result has by its hash.
#[derive(Default)]
pub struct Turns([Mutex<()>; 32]);

impl Turns {
    fn take(&self, identity: &blake3::Hash) -> MutexGuard<'_, ()> {
        let lock = &self.0[usize::from(identity.as_bytes()[0]) % self.0.len()];
        // What it guards is in the store: a panic of another leaves nothing torn.
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the operator sets.
#[derive(Debug, Clone)]
pub struct Settings {
    /// False gives every result back inline.
    pub enabled: bool,
    /// Above this a result is offloaded, in tokens.
    pub threshold_tokens: u64,
    /// How long a file lives, in seconds.
    pub ttl_seconds: u64,
    /// Where files go; None = the system's folder for temporary files, or the
    /// first root where that one is not allowed.
    pub output_dir: Option<String>,
}

/// Why a result was refused; nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum LargeError {
    /// The folder that the caller named.
    #[error(transparent)]
    Folder(StoreError),
}

/// What came of it.
#[derive(Debug)]
pub enum Outcome {
    /// The result stays in the context.
    Inline {
        /// What it costs.
        estimated_tokens: u64,
        /// What it may cost.
        threshold_tokens: u64,
        /// Why it stays.
        why: String,
    },
    /// The result went to a file.
    Offloaded {
        /// The descriptor, JSON.
        descriptor: String,
        /// The file.
        file: Written,
        /// What the caller should know.
        warnings: Vec<String>,
    },
    /// The result could not be written: the part of it that fits.
    Truncated {
        /// An array, or a string literal.
        results: String,
        /// What was left out and why.
        warning: String,
        /// What the whole result costs.
        estimated_tokens: u64,
        /// What it may cost.
        threshold_tokens: u64,
    },
}

impl Large {
    /// Where files go that no request names a folder for.
    pub fn folder(&self) -> Option<Location> {
        let own = self.config.output_dir.as_deref().map(|folder| self.roots.locate(folder).ok());
        let temporary = || self.roots.locate(&std::env::temp_dir().display().to_string()).ok();
        own.unwrap_or_else(|| temporary().or_else(|| self.roots.first()))
    }

    /// Runs one request; `reader` reads the files that may hold its result already.
    pub fn offload(
        &self,
        request: &Request<'_>,
        reader: &Reader<'_>,
    ) -> Result<Outcome, LargeError> {
        let estimated_tokens = request.estimated_tokens();
        let threshold_tokens =
            request.threshold_tokens.unwrap_or_else(|| self.threshold_of(request.profile));
        let inline = |why: String| Outcome::Inline { estimated_tokens, threshold_tokens, why };
        let folder = match &request.output_dir {
            Some(folder) => Some(self.roots.locate(folder).map_err(LargeError::Folder)?),
            None => self.folder(),
        };
        if !self.config.enabled {
            return Ok(inline("large result offloading is switched off".to_owned()));
        }
        if estimated_tokens <= threshold_tokens {
            return Ok(inline(format!(
                "the result has about {estimated_tokens} tokens, not more than {threshold_tokens}"
            )));
        }
        let Some(folder) = folder else {
            let why = "there is no allowed folder";
            return Ok(failed(request, estimated_tokens, threshold_tokens, why));
        };
        Ok(match self.file(request, reader, folder, estimated_tokens) {
            Ok(Filed::Done { descriptor, file, warnings }) => {
                Outcome::Offloaded { descriptor, file, warnings }
            }
            Ok(Filed::NotWorthIt) => inline("no descriptor of it would be smaller".to_owned()),
            Err(error) => failed(request, estimated_tokens, threshold_tokens, &error.to_string()),
        })
    }

    /// The configured threshold; the larger one of a profile that has its own.
    fn threshold_of(&self, profile: Profile) -> u64 {
        match profile {
            Profile::General | Profile::Mif => self.config.threshold_tokens,
            Profile::Mif6400 => self.config.threshold_tokens.max(profile.threshold_tokens()),
        }
    }

    /// Describes the result, and writes its file if the description is worth it.
    fn file(
        &self,
        request: &Request<'_>,
        reader: &Reader<'_>,
        folder: Location,
        estimated_tokens: u64,
    ) -> Result<Filed, StoreError> {
        let found = request.records();
        let now = SystemTime::now();
        let ttl_seconds = request.ttl_seconds.unwrap_or(self.config.ttl_seconds);
        let mut facts = Facts {
            operation: request.operation.clone(),
            query: request.query.as_deref().map(shortened),
            detail: request.detail.clone(),
            schema_version: SCHEMA_VERSION.to_owned(),
            timestamp: rfc3339(now),
            ttl_seconds: Some(ttl_seconds),
            profile: Some(request.profile.name().to_owned()),
            estimated_tokens,
            recipes: None,
        };
        let store = Store::new(folder, self.durability, Arc::clone(&self.ledger));
        let identity = identity(&found, &facts);
        let _turn = self.turns.take(&identity);
        let place = Place::new(&store, request, identity, now, self.redact);
        let known = place.known(reader, &self.lifetimes)?;
        // What was tried on the same records once needs no second trial; but recipes
        // that were made where secrets are shown may show one.
        let tried = known.as_ref().filter(|_| self.redact == Redact::Off);
        let tried = tried.and_then(|name| place.recipes(name));
        let material = Material::of(&found, request, tried, &self.jq, self.redact);
        facts.recipes = serde_json::value::to_raw_value(&material.recipes).ok();
        let around = found.around().map(|around| self.redact.text(around));
        let preview = found.is_text().then(|| preview_of(&request.text(), self.redact));
        let said = Said { around: around.as_deref(), preview: preview.as_deref() };
        let describe = |name: &FileName| {
            let path = store.folder().child(name.as_str()).absolute();
            describe(request, &material, &said, &path, estimated_tokens)
        };
        let content = render(&found, &facts);
        let created = known.is_none();
        let claim = match known {
            Some(name) => Claimed::Known(name),
            None => Claimed::New(place.claim(&content)?),
        };
        if describe(claim.name()).is_none() {
            return Ok(Filed::NotWorthIt);
        }
        let name = match claim {
            Claimed::Known(name) => name,
            // Another request may take the name in between: then it is the next one.
            Claimed::New(claim) => place.write(claim, &content, ttl_seconds)?,
        };
        let Some(descriptor) = describe(&name) else { return Ok(Filed::NotWorthIt) };
        let file = place.given_out(&name, created, ttl_seconds)?;
        let mut warnings: Vec<String> = material.untried.into_iter().collect();
        if let Some(asked) = request.ttl_seconds.filter(|asked| *asked != file.ttl_seconds) {
            let lives = file.ttl_seconds;
            warnings.push(format!("the file was there: it lives {lives} seconds, not {asked}"));
        }
        Ok(Filed::Done { descriptor, file, warnings })
    }
}

/// A query as a header holds it: a header is read from a file's first bytes.
fn shortened(query: &str) -> String {
    match query.char_indices().nth(QUERY) {
        Some((at, _)) => format!("{}…", &query[..at]),
        None => query.to_owned(),
    }
}

/// The file of a result: there already, or to be written.
enum Claimed {
    Known(FileName),
    New(Claim),
}

impl Claimed {
    fn name(&self) -> &FileName {
        match self {
            Claimed::Known(name) => name,
            Claimed::New(claim) => &claim.name,
        }
    }
}

/// What became of a result that is large enough.
enum Filed {
    Done {
        descriptor: String,
        file: Written,
        warnings: Vec<String>,
    },
    /// No descriptor is smaller than the result.
    NotWorthIt,
}

/// The part of the result that fits, where no file could be had.
fn failed(
    request: &Request<'_>,
    estimated_tokens: u64,
    threshold_tokens: u64,
    why: &str,
) -> Outcome {
    metrics::counter!("unburden_offload_write_failed_total").increment(1);
    tracing::warn!(event = "OffloadWriteFailed", why, "a large result stays inline, cut");
    let (results, left_out) = truncated(request, threshold_tokens);
    let warning = format!(
        "large result offloading failed ({why}); the results are truncated: {left_out} left out"
    );
    Outcome::Truncated { results, warning, estimated_tokens, threshold_tokens }
}
