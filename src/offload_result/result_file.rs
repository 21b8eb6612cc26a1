//! The file of a result: an existing one in the folder, or a new one.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use raw_json::quote;
use redact::Redact;

use super::request::Request;
use context_store::{
    Call, Claim, ClaimedFile, Claims, FileName, Lease, Lifetimes, LroPrefix, Origin, Reader, Stem,
    Store, StoreError, modified, read_start, regular_len, rfc3339,
};
use record_files::file::header;
use record_files::recipes::{Profile, Recipe};

/// Number of bytes of a file to read for its header.
const HEADER_BYTES: usize = 64 * 1024;

/// Renders a query as arguments of a call.
fn query_of(query: &str) -> String {
    format!("{{\"query\":{}}}", quote(query))
}

/// Returns the stem of a file of records.
pub(super) fn stem_of_records(
    request: &Request<'_>,
    identity: &blake3::Hash,
    now: SystemTime,
) -> Stem {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let ms = u64::try_from(since.as_millis()).unwrap_or_default();
    Stem::of_lro(prefix(request.members.profile), &request.members.operation, ms, identity)
}

fn prefix(profile: Profile) -> LroPrefix {
    match profile {
        Profile::General => LroPrefix::Lro,
        Profile::Mif | Profile::Mif6400 => LroPrefix::Atlatl,
    }
}

/// A file whose path the caller gets.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub(crate) struct StoredFile {
    /// Its absolute path.
    pub path: String,
    /// True if the call wrote it; false if it already held the same result.
    pub created: bool,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its lifetime in seconds, counted from the last time it was returned.
    pub ttl_seconds: u64,
    /// The time until which it can be read at least, RFC 3339; `None` if no clock can represent it.
    pub expires_at: Option<String>,
}

/// The file of a result, existing or to be written.
pub(super) struct ResultFile<'a> {
    store: &'a Store,
    request: &'a Request<'a>,
    stem: Stem,
    now: SystemTime,
    redact: Redact,
}

impl<'a> ResultFile<'a> {
    pub(super) fn new(
        store: &'a Store,
        request: &'a Request<'a>,
        stem: Stem,
        now: SystemTime,
        redact: Redact,
    ) -> ResultFile<'a> {
        ResultFile { store, request, stem, now, redact }
    }

    /// Finds the file that already holds the records with this identity, and renews its lease.
    pub(super) fn known(
        &self,
        identity: &blake3::Hash,
        reader: &Reader<'_>,
        lifetimes: &Lifetimes,
    ) -> Result<Option<FileName>, StoreError> {
        let found = self
            .store
            .find_lro(
                prefix(self.request.members.profile),
                &self.request.members.operation,
                identity,
            )
            .map_err(|source| self.failed("listing", source))?;
        let Some(name) = found else { return Ok(None) };
        // The name identifies the stored content; the hash shows whether it is still there.
        let at = self.store.folder().child(name.as_str());
        let recorded = reader.recorded_hash(&at);
        if recorded.is_none() || reader.hash(&at).ok() != recorded {
            return Ok(None);
        }
        Ok(self.renew(&name, lifetimes).then_some(name))
    }

    /// Renews the lease of a file; returns false if there is none.
    pub(super) fn renew(&self, name: &FileName, lifetimes: &Lifetimes) -> bool {
        self.store.renew(std::slice::from_ref(name), lifetimes, self.now) == [Lease::Held]
    }

    /// Returns the recipes in the header of a known file.
    pub(super) fn recipes(&self, name: &FileName) -> Option<Vec<Recipe>> {
        let at = self.store.folder().child(name.as_str());
        let start = read_start(&at, HEADER_BYTES).ok()?;
        serde_json::from_str(header::header_of(&start)?.recipes?.get()).ok()
    }

    /// Claims a name for the content; writes nothing.
    pub(super) fn claim(&self, content: &str) -> Result<Claim, StoreError> {
        let wanted = [(self.stem.clone(), blake3::hash(content.as_bytes()))];
        let [claim] =
            self.store.claim(&mut Claims::default(), &wanted)?.try_into().map_err(|_| {
                StoreError::NoName { path: self.store.folder().spelled().to_owned() }
            })?;
        Ok(claim)
    }

    /// Writes the file with its origin, and returns the name that it got.
    pub(super) fn write(
        &self,
        claim: Claim,
        content: &str,
        ttl_seconds: u64,
    ) -> Result<FileName, StoreError> {
        // The error of an expired file shows it to the agent.
        let arguments =
            self.request.members.query.as_deref().map(|q| query_of(&self.redact.text(q)));
        let tool = Some(self.request.members.operation.clone());
        let origin = Origin {
            call: Call { tool, call_id: None, arguments },
            // The file belongs to no chat, and has its own lifetime.
            chat: None,
            ttl_seconds: Some(ttl_seconds),
        };
        let files = [ClaimedFile { stem: self.stem.clone(), claim, origin }];
        let written = self.store.write(&files, |_| content.into())?;
        let claim = written.into_iter().next().unwrap_or_else(|| files[0].claim.clone());
        Ok(claim.name)
    }

    /// Describes the file to the caller.
    pub(super) fn given_out(
        &self,
        name: &FileName,
        created: bool,
        ttl_seconds: u64,
    ) -> Result<StoredFile, StoreError> {
        let at = self.store.folder().child(name.as_str());
        let bytes = regular_len(&at).map_err(|source| self.failed("reading", source))?;
        // An existing file keeps the lifetime that it was created with.
        let own = if created { None } else { self.own_ttl(name) };
        let ttl_seconds = own.unwrap_or(ttl_seconds);
        // Counts from the file's own time: a fresh lease is not renewed each time.
        let since = modified(&at).map_err(|source| self.failed("reading", source))?;
        let expires_at = since.checked_add(Duration::from_secs(ttl_seconds)).map(rfc3339);
        Ok(StoredFile { path: at.absolute(), created, bytes, ttl_seconds, expires_at })
    }

    fn own_ttl(&self, name: &FileName) -> Option<u64> {
        let header = || {
            // A text could imitate a header.
            let is_records = name.as_str().ends_with(".jsonl");
            let at = self.store.folder().child(name.as_str());
            header::ttl(&is_records.then(|| read_start(&at, HEADER_BYTES).ok()).flatten()?)?
        };
        self.store.recorded_ttl(name).or_else(header)
    }

    fn failed(&self, step: &'static str, source: io::Error) -> StoreError {
        StoreError::Io { step, path: self.store.folder().spelled().to_owned(), source }
    }
}
