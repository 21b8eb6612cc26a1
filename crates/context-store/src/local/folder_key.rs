//! The key of a store's folder, in its private folder. Processes that share the folder
//! share the key.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::MetadataExt;

use super::file_cache::{FileCache, FileStamp};
use super::location::Location;
use super::open::metadata_of;
use super::own_file::Synced;
use super::private::PRIVATE;
use super::publish::Durability;
use super::store_folder::StoreFolder;
use crate::error::StoreError;
use crate::folder::{Folder, Small};
use crate::key::{KEY_BYTES, Key};

/// The key's name in the private folder.
const NAME: &str = "key";

/// Maximum size of a key's file, in bytes: hexadecimal digits and a line feed.
const FILE_BYTES: usize = 2 * KEY_BYTES + 2;

/// Returns the operator's key, otherwise that of `folder`; `None` if the folder has no key, or one
/// that cannot be trusted.
pub(crate) fn known_key(cache: &FileCache, folder: &Location) -> Option<Key> {
    if let Some(key) = cache.operator_key() {
        return Some(key);
    }
    let dir = folder.open_folder().ok()??;
    read_key(cache, &folder.key(), &dir.open_folder(PRIVATE).ok()??).ok()?
}

/// Returns the key of the folder; creates both if they are missing.
///
/// A new key is on the disk before it is returned. Of several processes that create one in
/// parallel, one wins, and all return its key.
pub(crate) fn key_or_new(store: &StoreFolder) -> Result<Key, StoreError> {
    // A key that was found may not be synced yet, because its creator may have crashed.
    let is_synced =
        store.cache.operator_key().is_some() || store.cache.is_synced_dir(&key_path(store));
    if let Some(key) = known_key(&store.cache, &store.location).filter(|_| is_synced) {
        return Ok(key);
    }
    let folder = store.make()?;
    make_key(store, &folder).map_err(|source| store.error("making the key of", None, source))
}

fn make_key(store: &StoreFolder, folder: &Folder) -> io::Result<Key> {
    let private = folder.make_folder(PRIVATE)?;
    let at = store.location.key();
    if read_key(&store.cache, &at, &private)?.is_none() {
        let mut secret = [0; KEY_BYTES];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let text = blake3::Hash::from_bytes(secret).to_hex();
        private.create(NAME, text.as_bytes(), Synced::Yes)?;
    }
    if store.durability == Durability::Sync {
        private.sync()?;
        folder.sync()?;
    }
    let key = read_key(&store.cache, &at, &private)?.ok_or(io::ErrorKind::NotFound)?;
    store.cache.add_synced_dir(key_path(store));
    Ok(key)
}

fn read_key(cache: &FileCache, folder: &Path, private: &Folder) -> io::Result<Option<Key>> {
    let metadata = match private.local() {
        Some(dir) => match metadata_of(dir, NAME)? {
            Some(metadata) => Some(metadata),
            None => return Ok(None),
        },
        None => None,
    };
    // A key in an object store is created once and never changes.
    let stamp = metadata.as_ref().map_or(FileStamp::CONSTANT, FileStamp::of);
    if let Some(key) = cache.key(folder, stamp) {
        return Ok(Some(key));
    }
    if metadata.is_some_and(|metadata| metadata.mode() & 0o077 != 0) {
        let reason = "other users can read the key; give its file the mode 0600";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    let Some(Small { bytes: text, .. }) = private.read(NAME, FILE_BYTES)? else {
        return Ok(None);
    };
    let invalid = || {
        let reason = "the key is not 64 hexadecimal digits; restore it from a backup";
        io::Error::new(io::ErrorKind::InvalidData, reason)
    };
    let key = Key::parse(&text).ok_or_else(invalid)?;
    cache.add_key(folder.to_owned(), stamp, key);
    Ok(Some(key))
}

fn key_path(store: &StoreFolder) -> PathBuf {
    store.location.child(PRIVATE).key().join(NAME)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use super::*;
    use crate::testing::shop;
    use crate::{Durability, FileCache, Store};

    fn again(store: &Store) -> Store {
        let cache = Arc::new(FileCache::new(100));
        Store::new(store.folder().clone(), Durability::Relaxed, cache)
    }

    #[test]
    fn many_that_make_a_key_at_once_have_one() {
        let shop = shop();
        let stores: Vec<Store> = (0..16).map(|_| again(&shop.store)).collect();
        let keys: Vec<Key> = std::thread::scope(|scope| {
            let made: Vec<_> = stores
                .iter()
                .map(|store| scope.spawn(move || store.key_or_new().unwrap()))
                .collect();
            made.into_iter().map(|made| made.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0] && *key != Key::placeholder()));
        assert_eq!(again(&shop.store).known_key(), Some(keys[0]));
        let left = shop.open().open_dir(PRIVATE).unwrap().entries().unwrap().count();
        assert_eq!(left, 1, "no fresh key is left behind");
    }

    #[test]
    fn a_key_that_others_can_read_is_not_used() {
        let shop = shop();
        shop.store.key_or_new().unwrap();
        let path = Path::new(&shop.store.folder().absolute()).join(".unburden/key");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let other = again(&shop.store);
        assert_eq!(other.known_key(), None);
        assert!(other.key_or_new().is_err(), "nor is it replaced");
    }
}
