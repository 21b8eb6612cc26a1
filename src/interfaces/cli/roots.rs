//! The folders that a command opens.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

use super::error::CliError;
use crate::config::Config;

/// Replaces the configured roots with `given`, unless it is empty. If there is no root, as for a
/// program that was started in `/`, the user's folder becomes the only one.
pub(super) fn choose(config: &mut Config, given: &[String]) -> Result<(), CliError> {
    if !given.is_empty() {
        config.store.roots = given.to_vec();
    }
    if config.store.roots.is_empty() {
        config.store.roots = vec![user_folder("--root")?];
    }
    Ok(())
}

/// Returns this user's folder under the system's folder for temporary files, and creates it if it
/// does not exist. It is the same in every run, so that a resumed conversation finds its files.
/// Its name can be guessed, so it must belong to this user alone. `option` names the option that
/// chooses another folder.
pub(super) fn user_folder(option: &str) -> Result<String, CliError> {
    let user = rustix::process::geteuid().as_raw();
    let folder = std::env::temp_dir().join(format!("unburden-{user}"));
    create_private(&folder, option)?;
    let found = std::fs::symlink_metadata(&folder).map_err(CliError::io("the user's folder"))?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o077 != 0 {
        let found = format!(
            "{} does not belong to this user alone (mode 0700); accepted is another folder by {option} DIR",
            folder.display()
        );
        return Err(CliError::Input { what: "the user's folder".to_owned(), found });
    }
    Ok(folder.display().to_string())
}

/// Creates a private folder unless it exists.
pub(super) fn create_private(folder: &Path, option: &str) -> Result<(), CliError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| CliError::Input {
        what: "the folder for files".to_owned(),
        found: format!(
            "{} is not a folder and cannot be created ({error}); accepted is a folder by {option} DIR",
            folder.display()
        ),
    })
}
