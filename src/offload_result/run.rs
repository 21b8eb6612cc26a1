//! Runs `/offload_result`: estimates the tokens, then returns the result inline, or writes a file
//! and returns its descriptor. Offloading is an optimisation: if it fails, the operation still
//! succeeds, and as much of the result as the threshold allows is returned inline (`lro-spec-1600`,
//! "Error Handling").

use std::sync::Arc;
use std::time::SystemTime;

use fair_share::StripedLocks;
use redact::Redact;

use super::describe::{Preview, describe, describe_text};
use super::described_records::DescribedRecords;
use super::fallback::truncated;
use super::request::Request;
use super::result_file::{ResultFile, StoredFile, stem_of_records};
use context_store::{
    Claim, Durability, FileCache, FileName, Lifetimes, Location, Reader, Roots, Stem, Store,
    StoreError, rfc3339,
};
use query_sandbox::Workers;
use record_files::file::header::SCHEMA_VERSION;
use record_files::file::{Facts, identity, render};
use record_files::recipes::Profile;

/// Maximum length of a query that a header holds, in characters.
const QUERY: usize = 4_096;

/// Offloads results, with the resources of the process.
pub(crate) struct ResultOffloader {
    /// The allowed roots.
    pub roots: Arc<Roots>,
    /// Files that this process has seen.
    pub file_cache: Arc<FileCache>,
    /// The durability that a file must have before its name is given out.
    pub durability: Durability,
    /// Workers that try recipes.
    pub workers: Arc<Workers>,
    /// The lifetimes of files.
    pub lifetimes: Lifetimes,
    /// The operator's settings.
    pub config: Settings,
    /// The redaction of secrets in descriptors.
    pub redact: Redact,
    /// Lets one request at a time look for a result and write it.
    pub locks: StripedLocks,
}

/// The operator's settings.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// False returns every result inline.
    pub enabled: bool,
    /// The number of tokens above which a result is offloaded.
    pub threshold_tokens: u64,
    /// The lifetime of a file, in seconds.
    pub ttl_seconds: u64,
    /// The folder of files; `None` for the system's folder for temporary files, or the first root
    /// if that folder is not allowed.
    pub output_dir: Option<String>,
}

/// The error of a refused request; nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OffloadResultError {
    /// The folder that the caller named cannot be used.
    #[error(transparent)]
    Folder(StoreError),
}

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The result stays in the context.
    Inline {
        /// Its tokens.
        estimated_tokens: u64,
        /// The threshold.
        threshold_tokens: u64,
        /// The reason.
        why: String,
    },
    /// The result went to a file.
    Offloaded {
        /// The descriptor as the model reads it: the JSON, or the preview of a text.
        answer: String,
        /// The descriptor, JSON.
        descriptor: String,
        /// The file.
        file: StoredFile,
        /// Warnings for the caller.
        warnings: Vec<String>,
    },
    /// The result could not be written; this is the part of it that fits.
    Truncated {
        /// An array, or a string literal.
        results: String,
        /// The omitted part and the reason.
        warning: String,
        /// The tokens of the whole result.
        estimated_tokens: u64,
        /// The threshold.
        threshold_tokens: u64,
    },
}

impl ResultOffloader {
    /// Returns the folder of files for requests that name none.
    pub(crate) fn folder(&self) -> Option<Location> {
        let own = self.config.output_dir.as_deref().map(|folder| self.roots.locate(folder).ok());
        let temporary = || self.roots.locate(&std::env::temp_dir().display().to_string()).ok();
        own.unwrap_or_else(|| temporary().or_else(|| self.roots.first()))
    }

    /// Runs one request; `reader` reads the files that may already hold its result.
    pub(crate) fn offload(
        &self,
        request: &Request<'_>,
        reader: &Reader<'_>,
    ) -> Result<Outcome, OffloadResultError> {
        let estimated_tokens = request.estimated_tokens();
        let threshold_tokens = request
            .members
            .threshold_tokens
            .unwrap_or_else(|| self.threshold_of(request.members.profile));
        let inline = |why: String| Outcome::Inline { estimated_tokens, threshold_tokens, why };
        let folder = match &request.members.output_dir {
            Some(folder) => Some(self.roots.locate(folder).map_err(OffloadResultError::Folder)?),
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
            Ok(Filed::Done { answer, descriptor, file, warnings }) => {
                Outcome::Offloaded { answer, descriptor, file, warnings }
            }
            Ok(Filed::NotWorthIt) => inline("no descriptor of it would be smaller".to_owned()),
            Err(error) => failed(request, estimated_tokens, threshold_tokens, &error.to_string()),
        })
    }

    /// Returns the configured threshold, or that of the profile if it is larger.
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
        let store = Store::new(folder, self.durability, Arc::clone(&self.file_cache));
        let Some(found) = request.records() else {
            return self.text_file(request, &store, estimated_tokens);
        };
        let now = SystemTime::now();
        let ttl_seconds = request.members.ttl_seconds.unwrap_or(self.config.ttl_seconds);
        let mut facts = facts_of(request, now, ttl_seconds, estimated_tokens);
        let identity = identity(&found, &facts);
        let _lock = self.locks.take(identity.as_bytes());
        let stem = stem_of_records(request, &identity, now);
        let result_file = ResultFile::new(&store, request, stem, now, self.redact);
        let known = result_file.known(&identity, reader, &self.lifetimes)?;
        // Reuses recipes that were tried on the same records; not with redaction, because recipes
        // made without it may show a secret.
        let tried = known.as_ref().filter(|_| self.redact == Redact::Off);
        let tried = tried.and_then(|name| result_file.recipes(name));
        let described = DescribedRecords::of(&found, request, tried, &self.workers, self.redact);
        facts.recipes = serde_json::value::to_raw_value(&described.recipes).ok();
        let around = found.around().map(|around| self.redact.text(around));
        let describe = |name: &FileName| {
            let path = store.folder().child(name.as_str()).absolute();
            describe(request, &described, around.as_deref(), &path, estimated_tokens)
        };
        let content = render(&found, &facts);
        let created = known.is_none();
        let claim = match known {
            Some(name) => Claimed::Known(name),
            None => Claimed::New(result_file.claim(&content)?),
        };
        if describe(claim.name()).is_none() {
            return Ok(Filed::NotWorthIt);
        }
        let name = match claim {
            Claimed::Known(name) => name,
            // Another request may take the name first; then the file gets the next one.
            Claimed::New(claim) => result_file.write(claim, &content, ttl_seconds)?,
        };
        let Some(descriptor) = describe(&name) else { return Ok(Filed::NotWorthIt) };
        let file = result_file.given_out(&name, created, ttl_seconds)?;
        let warnings = described.untried.into_iter().chain(other_ttl(request, &file)).collect();
        Ok(Filed::Done { answer: descriptor.clone(), descriptor, file, warnings })
    }

    /// Moves a text without records to a file of its own, as in a history.
    fn text_file(
        &self,
        request: &Request<'_>,
        store: &Store,
        estimated_tokens: u64,
    ) -> Result<Filed, StoreError> {
        let text = request.text();
        let hash = blake3::hash(text.as_bytes());
        let _lock = self.locks.take(hash.as_bytes());
        let stem = Stem::of_text(&request.members.operation, &hash);
        let file = ResultFile::new(store, request, stem, SystemTime::now(), self.redact);
        let claim = file.claim(&text)?;
        let path = store.folder().child(claim.name.as_str()).absolute();
        if !Preview::of(request, &text, &path, self.redact).is_smaller(estimated_tokens) {
            return Ok(Filed::NotWorthIt);
        }
        let ttl_seconds = request.members.ttl_seconds.unwrap_or(self.config.ttl_seconds);
        let held = claim.stored && file.renew(&claim.name, &self.lifetimes);
        let name = if held { claim.name } else { file.write(claim, &text, ttl_seconds)? };
        let given = file.given_out(&name, !held, ttl_seconds)?;
        let preview = Preview::of(request, &text, &given.path, self.redact);
        let descriptor = describe_text(request, &preview, &given.path, estimated_tokens);
        let warnings = other_ttl(request, &given).into_iter().collect();
        Ok(Filed::Done { answer: preview.text, descriptor, file: given, warnings })
    }
}

/// Warns if an existing file has a lifetime other than the requested one.
fn other_ttl(request: &Request<'_>, file: &StoredFile) -> Option<String> {
    let (asked, lives) = (request.members.ttl_seconds?, file.ttl_seconds);
    (asked != lives)
        .then(|| format!("the file existed: its lifetime is {lives} seconds, not {asked}"))
}

/// The facts of a result for the header of its file, without recipes.
fn facts_of(
    request: &Request<'_>,
    now: SystemTime,
    ttl_seconds: u64,
    estimated_tokens: u64,
) -> Facts {
    Facts {
        operation: request.members.operation.clone(),
        query: request.members.query.as_deref().map(shortened),
        detail: request.detail.clone(),
        schema_version: SCHEMA_VERSION.to_owned(),
        timestamp: rfc3339(now),
        ttl_seconds: Some(ttl_seconds),
        profile: Some(request.members.profile.name().to_owned()),
        estimated_tokens,
        recipes: None,
    }
}

/// Truncates a query for a header, which is read from a file's first bytes.
fn shortened(query: &str) -> String {
    match query.char_indices().nth(QUERY) {
        Some((at, _)) => format!("{}…", &query[..at]),
        None => query.to_owned(),
    }
}

/// The file of a result, existing or to be written.
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

/// The outcome for a result above the threshold.
enum Filed {
    Done {
        answer: String,
        descriptor: String,
        file: StoredFile,
        warnings: Vec<String>,
    },
    /// No descriptor is smaller than the result.
    NotWorthIt,
}

/// Returns the part of the result that fits, after a failure to write its file.
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
