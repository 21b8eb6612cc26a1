//! The further files that an SQL statement names.

use context_store::{Location, regular_len};
use record_sql::named_files;

use crate::reading::extract::RecordFile;
use crate::service::failure::Failure;
use crate::service::state::Service;

/// Maximum number of further files of one statement.
const MAX_FILES: usize = 8;

/// A further file, with the name that the statement gives it.
pub(super) struct FurtherFile {
    at: Location,
    name: String,
}

impl Service {
    /// Returns the names of the file at `main`, and the further files that `sql` names. Each is
    /// confined like `file_path`. A table name that is not a file is left to SQLite, which knows
    /// the names that the statement defines.
    pub(super) fn named_files(
        &self,
        main: &Location,
        sql: &str,
    ) -> Result<(Vec<String>, Vec<FurtherFile>), Failure> {
        let mut names = names("records", main);
        let mut further = Vec::new();
        for file in named_files(sql) {
            if names.iter().any(|known| known.eq_ignore_ascii_case(&file.name)) {
                continue;
            }
            let at = match self.existing(main, &file.name) {
                Some(at) => at,
                // Reading it reports why it is missing.
                None if file.must_exist => self.readable("sql", &file.name)?,
                None => continue,
            };
            if at.key() == main.key() {
                names.push(file.name);
            } else if further.len() < MAX_FILES {
                further.push(FurtherFile { at, name: file.name });
            }
        }
        Ok((names, further))
    }

    /// Returns the file that a name stands for: a path, or a file next to `main`, with or without
    /// `.jsonl`.
    fn existing(&self, main: &Location, name: &str) -> Option<Location> {
        let folder = main.parent().map(|(folder, _)| folder);
        let next_to = |name: String| {
            let folder = folder.as_ref().filter(|_| !name.contains('/'))?;
            Some(folder.child(&name).spelled().to_owned())
        };
        [Some(name.to_owned()), next_to(name.to_owned()), next_to(format!("{name}.jsonl"))]
            .into_iter()
            .flatten()
            .filter_map(|path| self.readable("sql", &path).ok())
            .find(|at| regular_len(at).is_ok())
    }

    /// Reads files one after the other, and passes `found` and all of them to `answer`.
    pub(super) fn with_further<T>(
        &self,
        files: &[FurtherFile],
        found: &[RecordFile<'_>],
        answer: &mut dyn FnMut(&[RecordFile<'_>]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some((FurtherFile { at, name }, rest)) = files.split_first() else {
            return answer(found);
        };
        self.with_text("sql", at, self.extract.file_bytes, |content| {
            let mut files = found.to_vec();
            files.push(RecordFile { content, path: at.spelled(), names: names(name, at) });
            self.with_further(rest, &files, answer)
        })
    }
}

/// Returns the names of a file in a statement: `first`, its path, its name and its stem.
fn names(first: &str, at: &Location) -> Vec<String> {
    let mut names = vec![first.to_owned(), at.spelled().to_owned()];
    if let Some((_, name)) = at.parent() {
        names.push(name.to_owned());
        names.extend(name.rsplit_once('.').map(|(stem, _)| stem.to_owned()));
    }
    names
}
