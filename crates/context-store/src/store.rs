//! A store: one folder of files that are claimed, written, renewed and referred to.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::StoreError;
use crate::key::Key;
use crate::lease::lifetimes::Lifetimes;
use crate::lease::renewal::{self, Lease};
use crate::local::file_cache::FileCache;
use crate::local::folder_key;
use crate::local::location::Location;
use crate::local::publish::Durability;
use crate::local::store_folder::StoreFolder;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::names::lro_name::LroPrefix;
use crate::names::stem::Stem;
use crate::read::{ended, find};
use crate::write::claim::{Claim, ClaimedFile, Claims, ExcludedNames, NONE_EXCLUDED};
use crate::write::claiming::{self, FilesState};
use crate::write::confirmed::KnownChat;
use crate::write::references::{self, MissingIndex};
use crate::write::writer;

/// A folder for files.
///
/// ```
/// use std::sync::Arc;
///
/// use context_store::{
///     Claims, ClaimedFile, Durability, FileCache, FilesState, Origin, RootSpec, Roots, Stem, Store,
/// };
///
/// let folder = tempfile::tempdir()?;
/// let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())])?;
/// let location = roots.first().unwrap();
/// let store = Store::new(location, Durability::Sync, Arc::new(FileCache::new(1000)));
///
/// let text = "a long log";
/// let hash = blake3::hash(text.as_bytes());
/// let stem = Stem::of_call(Some("1"), &hash);
/// let claim = store.claim(&mut Claims::default(), &[(stem.clone(), hash)])?.remove(0);
/// assert!(!claim.stored, "nothing is written yet");
/// let files = [ClaimedFile { stem, claim, origin: Origin::default() }];
/// let written = store.write(&files, |_| text.into())?;
/// assert_eq!(written[0].name.as_str(), "tool_call_1.txt");
/// assert_eq!(store.state_of(&[&written[0]]), FilesState::Held);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Store {
    pub(crate) folder: StoreFolder,
    pub(crate) known: KnownChat,
}

impl Store {
    /// Returns a store in `folder`, which is created when the first file is written.
    pub fn new(folder: Location, durability: Durability, cache: Arc<FileCache>) -> Store {
        let folder = StoreFolder { location: folder, durability, cache };
        Store { folder, known: KnownChat::default() }
    }

    /// Sets the chat that the files are for. Its known references in an object store then need no
    /// request, because this store is for one request.
    pub fn set_chat(&self, chat: Chat, lifetimes: Lifetimes) {
        self.known.set(chat, lifetimes);
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Location {
        &self.folder.location
    }

    /// Returns the path of a file, spelled like the folder.
    pub fn path_of(&self, name: &FileName) -> String {
        self.folder.path_of(name)
    }

    /// Claims a name for each content, in order: the first name of its stem that holds this
    /// content, or was never assigned. Writes nothing. `claims` are those of the whole request.
    ///
    /// # Errors
    ///
    /// Fails if the folder or a file cannot be read, or no name is free.
    pub fn claim(
        &self,
        claims: &mut Claims,
        wanted: &[(Stem, blake3::Hash)],
    ) -> Result<Vec<Claim>, StoreError> {
        self.claim_except(&NONE_EXCLUDED, claims, wanted)
    }

    /// Like [`Store::claim`], but never returns an excluded name, whatever it holds: for equal
    /// contents that need different names.
    ///
    /// # Errors
    ///
    /// Fails like [`Store::claim`].
    pub fn claim_except(
        &self,
        excluded: ExcludedNames<'_>,
        claims: &mut Claims,
        wanted: &[(Stem, blake3::Hash)],
    ) -> Result<Vec<Claim>, StoreError> {
        claiming::claim((&self.folder, &self.known), excluded, claims, wanted)
    }

    /// Returns the state of claimed files.
    pub fn state_of(&self, claims: &[&Claim]) -> FilesState {
        claiming::state_of((&self.folder, &self.known), claims)
    }

    /// Writes files under claimed names, in parallel. Returns their claims, with the next name if
    /// another request took one in between. Calls `content` for the text of a file just before it
    /// is written, because all texts together would double the memory of a request.
    ///
    /// The origin of each file is recorded before the file is visible, so that a deletion of the
    /// chat finds whatever a crash leaves.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created or written to, or if no name is free. Files that were
    /// written before the failure stay.
    pub fn write<'a>(
        &self,
        files: &[ClaimedFile],
        content: impl Fn(usize) -> Cow<'a, str> + Sync,
    ) -> Result<Vec<Claim>, StoreError> {
        self.write_except(&NONE_EXCLUDED, files, content)
    }

    /// Like [`Store::write`], but no file gets an excluded name in place of its claimed one.
    ///
    /// # Errors
    ///
    /// Fails like [`Store::write`].
    pub fn write_except<'a>(
        &self,
        excluded: ExcludedNames<'_>,
        files: &[ClaimedFile],
        content: impl Fn(usize) -> Cow<'a, str> + Sync,
    ) -> Result<Vec<Claim>, StoreError> {
        writer::write(&self.folder, excluded, files, content)
    }

    /// Renews the leases of files that are used again; returns the state of each.
    ///
    /// Call this after a claim that found its content stored, to make sure that no sweep deleted
    /// the file in between.
    pub fn renew(&self, names: &[FileName], lifetimes: &Lifetimes, now: SystemTime) -> Vec<Lease> {
        renewal::renew((&self.folder, &self.known), names, lifetimes, now)
    }

    /// Records that a chat refers to files of this folder. Returns for each whether it exists for
    /// the chat from now on. A parallel deletion of another chat either finds the reference, or
    /// this call finds that the file ended. A failure is logged, and counts as held.
    pub fn note_references(
        &self,
        chat: Chat,
        names: &[FileName],
        missing: MissingIndex,
    ) -> Vec<Lease> {
        references::note_references(&self.folder, chat, names, missing)
    }

    /// Returns the key of the folder; `None` if it has no key, or one that cannot be trusted.
    pub fn known_key(&self) -> Option<Key> {
        folder_key::known_key(&self.folder.cache, &self.folder.location)
    }

    /// Returns the key of the folder; creates both if they are missing.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be written to, or if the key cannot be trusted: it belongs to
    /// another user, or others can read it.
    pub fn key_or_new(&self) -> Result<Key, StoreError> {
        folder_key::key_or_new(&self.folder)
    }

    /// Returns the own lifetime of a file, in seconds; `None` if it has none, or no record.
    pub fn recorded_ttl(&self, name: &FileName) -> Option<u64> {
        let at = self.folder.location.child(name.as_str());
        ended::record_of(&at).ok()??.origin.ttl_seconds
    }

    /// Finds the file of a large result by its prefix, operation and identity: the one with
    /// the smallest ULID. Only regular files of this user count.
    ///
    /// # Errors
    ///
    /// Fails if the folder exists and cannot be read.
    pub fn find_lro(
        &self,
        prefix: LroPrefix,
        operation: &str,
        hash: &blake3::Hash,
    ) -> io::Result<Option<FileName>> {
        find::find_lro(&self.folder.location, prefix, operation, hash)
    }
}
