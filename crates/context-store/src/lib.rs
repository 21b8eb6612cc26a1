//! Keeps files of agents durably in confined folders.
//!
//! A [`Store`] is one folder below a configured root. Its files are named after the call that
//! produced their content and never overwritten; a name keeps its content for good. A caller's
//! string becomes a path only through [`Roots::locate`], and every file is opened through the
//! root's directory handle, so the kernel confines it.
//!
//! | step | item |
//! |---|---|
//! | resolve a caller's path | [`Roots::locate`] returns a [`Location`] |
//! | find a name for a content | [`Store::claim`] returns a [`Claim`] |
//! | write files | [`Store::write`] with [`ClaimedFile`]s |
//! | keep files that are used again | [`Store::renew`], [`Store::note_references`] |
//! | read files | [`Reader`], [`find_results`], [`ended_file`] |
//! | delete files | [`sweep`] those that expired, [`delete_chat`] those of one chat |
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use std::time::SystemTime;
//!
//! use context_store::{
//!     Call, Chat, ClaimedFile, Claims, Durability, FileCache, Origin, RootSpec, Roots, Run, Stem,
//!     Store, delete_chat, ended_file,
//! };
//!
//! let folder = tempfile::tempdir()?;
//! let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())])?;
//! let location = roots.locate(&folder.path().join("store").display().to_string())?;
//! let store = Store::new(location, Durability::Sync, Arc::new(FileCache::new(1000)));
//!
//! // Claim a name for the content, and write the file.
//! let text = "a long log";
//! let hash = blake3::hash(text.as_bytes());
//! let stem = Stem::of_call(Some("call_1"), &hash);
//! let claim = store.claim(&mut Claims::default(), &[(stem.clone(), hash)])?.remove(0);
//! let call = Call { tool: Some("build".to_owned()), ..Call::default() };
//! let origin = Origin { call, chat: Some(Chat::of("my chat")), ttl_seconds: None };
//! let written = store.write(&[ClaimedFile { stem, claim, origin }], |_| text.into())?;
//! let path = store.path_of(&written[0].name);
//! assert!(path.ends_with("/store/tool_call_1.txt"));
//! assert_eq!(std::fs::read_to_string(&path)?, text);
//!
//! // Delete the chat: its file is gone, and its record tells so.
//! let deletion = delete_chat(&roots, None, Chat::of("my chat"), SystemTime::now(), Run::Real);
//! assert_eq!(deletion.deleted.total(), 1);
//! assert!(ended_file(&roots.locate(&path)?)?.unwrap().ended.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! Rules are separate from effects. `names`, `records`, `key` and the eras of `clock` are pure;
//! `local` is the file system and `objects` an object store; `folder` is the interface that both
//! implement. `index` stores records and markers. `write`, `lease`, `read`, `deletion` and `sweep`
//! hold the rules that need both.
//!
//! # Object stores
//!
//! [`Objects::open`] connects to a bucket and [`Roots::of_objects`] returns roots in it; everything
//! else is the same. Calls block while requests run, so async workers must not make them. Each
//! operation waits for the store for at most [`ObjectSettings::timeout`].

mod clock;
mod deletion;
mod error;
mod folder;
mod index;
mod key;
mod lease;
mod local;
#[cfg(test)]
mod media;
#[cfg(test)]
mod model_tests;
mod names;
mod objects;
mod parallel;
mod read;
mod records;
mod report;
mod store;
mod sweep;
#[cfg(test)]
mod testing;
mod write;

pub use clock::moment::Moment;
pub use deletion::delete_chat;
pub use deletion::report::{DeletedFile, Deletion, KeptFile, KeptReason};
pub use error::StoreError;
pub use key::{Code, Key, MIN_SECRET_BYTES};
pub use lease::lifetimes::{HeaderTtl, Lifetimes};
pub use lease::renewal::Lease;
pub use local::file_cache::FileCache;
pub use local::location::Location;
pub use local::private::{PRIVATE, is_private};
pub use local::publish::Durability;
pub use local::regular_file::{MAX_WHOLE_FILE_BYTES, modified, read_start, regular_len};
pub use local::roots::{RootSpec, Roots};
pub use names::chat::Chat;
pub use names::file_name::{
    FileName, contains_references, group_of, has_own_ttl, is_reference_target,
};
pub use names::lro_name::LroPrefix;
pub use names::names_in::{names_in, path_at};
pub use names::stem::Stem;
pub use objects::client::Objects;
pub use objects::counts::RequestCounts;
pub use objects::health::is_away;
pub use objects::settings::ObjectSettings;
pub use parallel::MIN_FILES_PER_TASK;
pub use read::ahead::Ahead;
pub use read::ended::{EndedFile, ended_file};
pub use read::file_reader::FileReader;
pub use read::find::{find_ended_result, find_results};
pub use read::reader::{Allowance, ReadError, Reader, StoredText};
pub use read::store_folders::store_folders;
pub use read::verify::{VerifyReport, verify};
pub use records::origin::{Call, Origin};
pub use records::record::End;
pub use records::timestamp::rfc3339;
pub use report::{Bounded, PathError, Run};
pub use store::Store;
pub use sweep::options::{Coverage, SweepOptions};
pub use sweep::report::{ExpiredFile, SweepEvent, SweepReport};
pub use sweep::sweep;
pub use write::claim::{Claim, ClaimedFile, Claims, ExcludedNames};
pub use write::claiming::FilesState;
pub use write::references::{MissingIndex, reference_key};
