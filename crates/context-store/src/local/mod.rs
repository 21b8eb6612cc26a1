//! The local file system: folders, files, locks, syncs and times. It contains only the effects, no
//! rules of the store.

pub(crate) mod file_cache;
pub(crate) mod folder;
pub(crate) mod folder_key;
pub(crate) mod location;
pub(crate) mod mounts;
pub(crate) mod mtime;
pub(crate) mod open;
pub(crate) mod own_file;
pub(crate) mod private;
pub(crate) mod publish;
pub(crate) mod regular_file;
pub(crate) mod roots;
pub(crate) mod store_folder;
pub(crate) mod writers;
