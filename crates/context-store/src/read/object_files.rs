//! The files of an object store below a path. A path is a folder there if it contains stores.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::local::location::Location;
use crate::local::writers;
use crate::objects::key_path::key_of;
use crate::read::file_reader::FileReader;
use crate::records::record::Record;

/// Maximum number of stores to examine.
const MAX_STORES: usize = 50_000;

impl Location {
    /// Returns true if stores of an object store are at or below this path.
    ///
    /// # Errors
    ///
    /// Fails if the store is not available.
    pub fn has_stores(&self) -> io::Result<bool> {
        Ok(!self.stores_below()?.is_empty())
    }

    /// Lists the files of an object store at or below this path whose relative paths `selects`
    /// accepts, in the order of these paths, without hidden ones. Returns at most `most` of them,
    /// and whether these are all.
    ///
    /// # Errors
    ///
    /// Fails if the store is not available.
    pub fn files_below(
        &self,
        most: usize,
        selects: &dyn Fn(&str) -> bool,
    ) -> io::Result<(Vec<(String, Location)>, bool)> {
        let mut files: BTreeMap<String, Location> = BTreeMap::new();
        for (below, folder) in self.stores_below()? {
            let Some(place) = folder.place() else { continue };
            for entry in place.contents().list_below() {
                let (file, _) = entry?;
                let Some((name, _)) = Record::parse_file(&file) else { continue };
                let path = match below.is_empty() {
                    true => name.to_string(),
                    false => format!("{below}/{name}"),
                };
                if name.as_str().starts_with('.') || !selects(&path) {
                    continue;
                }
                files.insert(path, folder.child(name.as_str()));
                if files.len() > most {
                    files.pop_last();
                    return Ok((files.into_iter().collect(), false));
                }
            }
        }
        Ok((files.into_iter().collect(), true))
    }

    /// Opens files in parallel, like [`Location::open_reader`].
    pub fn open_readers(files: &[Location]) -> Vec<io::Result<FileReader>> {
        writers::all(files.len(), |at| files[at].open_reader())
    }

    /// Returns the stores at or below this path, with their relative paths.
    fn stores_below(&self) -> io::Result<Vec<(String, Location)>> {
        let Some(place) = self.place() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for path in place.objects.stores(&place.patience, MAX_STORES)? {
            let Some(below) = below(&place.key, &place.objects.key_below(&key_of(&path))) else {
                continue;
            };
            let hidden =
                Path::new(&below).iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
            if hidden {
                continue;
            }
            let parts = Path::new(&below).iter().filter_map(|part| part.to_str());
            let folder = parts.fold(self.clone(), |at, part| at.child(part));
            found.push((below, folder));
        }
        Ok(found)
    }
}

/// Returns the path of `key` below `folder`, unescaped; empty for the folder itself.
fn below(folder: &str, key: &str) -> Option<String> {
    let rest = key.strip_prefix(folder)?;
    if rest.is_empty() {
        return Some(String::new());
    }
    let rest = if folder.is_empty() { rest } else { rest.strip_prefix('/')? };
    let parts: Option<Vec<String>> =
        rest.split('/').map(crate::objects::key_path::unescape).collect();
    Some(parts?.join("/"))
}
