//! Names of chats and files: pure text, no file system.

pub(crate) mod chat;
pub(crate) mod file_name;
pub(crate) mod lro_name;
pub(crate) mod names_in;
pub(crate) mod stem;
