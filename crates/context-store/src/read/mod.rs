//! Reading: finds and reads files and their ends, by path, by call and by folder.

pub(crate) mod ahead;
pub(crate) mod ended;
pub(crate) mod file_reader;
pub(crate) mod find;
pub(crate) mod object_files;
pub(crate) mod reader;
pub(crate) mod store_folders;
pub(crate) mod verify;
