//! The failures of a store.

use std::io;

/// A failure of a store, with the path as the caller spelled it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The path is not under a configured root.
    #[error("\"{path}\" is outside the allowed roots; accepted is a folder under {roots}")]
    Outside {
        /// The path, truncated to 200 characters.
        path: String,
        /// The roots as the operator spelled them.
        roots: String,
    },
    /// The path leads into the private folder of a store.
    #[error(
        "\"{path}\" is in the store's own folder .unburden, which no request may name; accepted \
         is another folder under {roots}"
    )]
    Private {
        /// The path, truncated to 200 characters.
        path: String,
        /// The roots as the operator spelled them.
        roots: String,
    },
    /// The path is empty, too long, or holds a control character.
    #[error("\"{path}\" is not a usable path: {reason}")]
    BadPath {
        /// The path, truncated to 80 characters.
        path: String,
        /// The reason why it is rejected.
        reason: &'static str,
    },
    /// A configured root cannot be opened.
    #[error("the root \"{path}\" cannot be opened: {source}; give a folder that exists")]
    Root {
        /// The root as the operator spelled it.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// An object store cannot be used.
    #[error("the store \"{url}\" cannot be used: {reason}")]
    Url {
        /// The URL as the operator spelled it.
        url: String,
        /// The reason, with what is accepted.
        reason: String,
    },
    /// An operation on a file or folder failed.
    #[error("{step} \"{path}\" failed: {source}")]
    Io {
        /// The operation, as a participle: "opening".
        step: &'static str,
        /// The file or folder.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Every name that the content could get belongs to other content.
    #[error("every name like \"{path}\" is taken by other content; use another folder")]
    NoName {
        /// The first name that was tried.
        path: String,
    },
}
