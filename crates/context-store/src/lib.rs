//! Keeps files of agents durably in confined folders.
//!
//! A [`Store`] is one folder below a configured root. Its files are named after the call
//! that their content came from and never overwritten; a name keeps its content for good.
//! A caller's string becomes a path only through [`Roots::locate`], and every open goes
//! through the root's directory handle, so the kernel confines it.
//!
//! Files live by leases: [`sweep`] removes files whose lease expired, [`delete_chat`] removes
//! the files that only one chat refers to, and [`expired`] tells the call that made a file
//! which is gone.
//!
//! ```
//! use std::sync::Arc;
//!
//! use context_store::{ClaimedFile, Claims, Durability, Ledger, Origin, RootSpec, Roots, Stem, Store};
//!
//! let folder = tempfile::tempdir()?;
//! let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())])?;
//! let location = roots.locate(&folder.path().join("chat").display().to_string())?;
//! let store = Store::new(location, Durability::Sync, Arc::new(Ledger::new(1000)));
//!
//! let text = "a long log";
//! let hash = blake3::hash(text.as_bytes());
//! let stem = Stem::of_call(Some("call_1"), &hash);
//! let claim = store.claim(&mut Claims::default(), &[(stem.clone(), hash)])?.remove(0);
//! let files = [ClaimedFile { stem, claim, origin: Origin::default() }];
//! let written = store.write(&files, |_| text.into())?;
//!
//! assert!(roots.locate("/etc").is_err());
//! assert_eq!(std::fs::read_to_string(store.spell(&written[0].name))?, text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded;
mod chat;
mod claim;
mod clock;
mod deletion;
mod deletion_batch;
mod deletion_report;
mod deletion_watch;
mod ends;
mod expired;
mod file;
mod find;
mod index;
mod key;
mod lease;
mod ledger;
mod lro_name;
mod manifest;
mod markers;
mod mention;
mod migrate;
mod mounts;
mod name;
mod names_in;
mod origin;
mod own_file;
mod private;
mod reader;
mod record;
mod reserve;
mod root;
mod stamp;
mod sweep;
mod sweep_folder;
mod sweep_forget;
mod sweep_report;
#[cfg(test)]
mod testing;
mod verify;
mod walk;
mod write;
mod writers;

pub use bounded::Bounded;
pub use chat::Chat;
pub use claim::{Claim, Claims, Others};
pub use clock::Moment;
pub use deletion::delete_chat;
pub use deletion_report::{DeletedFile, Deletion, Keeping, KeptFile};
pub use expired::{Gone, expired};
pub use file::{WHOLE_BYTES, modified, read_start, regular_len};
pub use find::{find_result, gone_result, stores};
pub use key::{Code, Key, SECRET_BYTES};
pub use lease::{HEADER_BYTES, HeaderTtl, Lease, Lifetimes};
pub use ledger::Ledger;
pub use lro_name::{LroName, LroPrefix};
pub use mention::{Folder, memory_key};
pub use name::{FileName, Stem};
pub use names_in::names_in;
pub use origin::{Call, Origin};
pub use private::{PRIVATE, is_private};
pub use reader::{Allowance, ReadError, Reader, StoredText};
pub use record::End;
pub use root::{Location, RootSpec, Roots};
pub use stamp::rfc3339;
pub use sweep::sweep;
pub use sweep_report::{ExpiredFile, Run, SweepEvent, SweepReport, Trouble};
pub use verify::{VerifyReport, verify};
pub use write::{ClaimedFile, Durability, Store};

use std::io;

/// Files are looked at by the counting threads in runs of at least so many: one look
/// takes a microsecond or two, waking a thread several times that.
pub const LOOKS: usize = 16;

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A path that lies under no configured root.
    #[error("\"{path}\" lies outside the allowed roots; accepted is a folder under {roots}")]
    Outside {
        /// The path as the caller spelled it.
        path: String,
        /// The roots as the operator spelled them.
        roots: String,
    },
    /// A path that cannot be one.
    #[error("\"{path}\" is no usable path: {reason}")]
    BadPath {
        /// The path as the caller spelled it, shortened.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A configured root that cannot be opened.
    #[error("the root \"{path}\" cannot be opened: {source}")]
    Root {
        /// The root as the operator spelled it.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A file or folder operation that failed.
    #[error("{step} \"{path}\" failed: {source}")]
    Io {
        /// What was tried.
        step: &'static str,
        /// The path as the caller would spell it.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Every name that the content could have is taken by other content.
    #[error("no free name is left for \"{path}\"")]
    NoName {
        /// The first name tried.
        path: String,
    },
}
