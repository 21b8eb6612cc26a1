//! The key of a store's folder: a secret by which the service knows its own notes
//! again. Whoever can write a text into a history can copy the form of a note; only
//! who has the key can write its code. Processes that share a folder share its key.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, MetadataExt};

use super::ledger::Print;
use super::own_file::{self, Synced};
use super::write::sync_folder;
use super::{Durability, Ledger, Location, Store, StoreError, private};

/// The key's name in the private folder.
const NAME: &str = "key";

/// Length of a key, in bytes.
const BYTES: usize = 32;

/// Largest file of a key that is read, in bytes: hexadecimal digits and a line feed.
const MOST_BYTES: usize = 2 * BYTES + 2;

/// Shortest secret of an operator, in bytes.
pub const SECRET_BYTES: usize = 32;

/// The number of codes.
const CODES: u128 = 1_000_000_000_000_000;

/// Digits of a code: some 50 bits.
const DIGITS: usize = 15;

/// The secret of a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; BYTES]);

/// A [`Key`]'s signature of a text: 15 decimal digits, which are five tokens in the public
/// encodings, whichever digits they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Code(u64);

impl Key {
    /// The key of a folder that has none yet, where nothing may be written: its codes are
    /// as long as any, and prove nothing.
    pub fn placeholder() -> Key {
        Key([0; BYTES])
    }

    /// The code of `parts`. Codes of different `purpose` are unrelated.
    pub fn code(&self, purpose: &str, parts: &[&[u8]]) -> Code {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let mut first = [0; 16];
        hasher.finalize_xof().fill(&mut first);
        Code(u64::try_from(u128::from_le_bytes(first) % CODES).unwrap_or_default())
    }

    /// The key that an operator's secret stands for; None where it is shorter than
    /// [`SECRET_BYTES`].
    pub fn of_secret(secret: &str) -> Option<Key> {
        let long = secret.len() >= SECRET_BYTES;
        long.then(|| {
            Key(blake3::derive_key("unburden 2026-11 signing of references", secret.as_bytes()))
        })
    }

    fn parse(text: &[u8]) -> Option<Key> {
        let hash = blake3::Hash::from_hex(text.trim_ascii_end()).ok()?;
        Some(Key(*hash.as_bytes()))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Code {
    /// Reads what [`fmt::Display`] wrote; None where it is anything else.
    pub fn parse(text: &str) -> Option<Code> {
        let digits = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten().map(Code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$}", self.0, width = DIGITS)
    }
}

impl Ledger {
    /// The operator's key, else that of `folder`; None where it has none, or none to trust.
    pub fn key(&self, folder: &Location) -> Option<Key> {
        if let Some(key) = self.operators_key() {
            return Some(key);
        }
        let dir = folder.dir().open_dir(folder.relative()).ok()?;
        self.key_in(&folder.key(), &private::open(&dir).ok()??).ok()?
    }

    fn key_in(&self, folder: &Path, private: &Dir) -> io::Result<Option<Key>> {
        let metadata = match private.symlink_metadata(NAME) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if let Some(key) = self.known_key(folder, Print::of(&metadata)) {
            return Ok(Some(key));
        }
        if metadata.mode() & 0o077 != 0 {
            let why = "the key is not private to this user";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let Some(text) = own_file::read(private, NAME, MOST_BYTES)? else { return Ok(None) };
        let key = Key::parse(&text)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the key cannot be read"))?;
        self.note_key(folder.to_owned(), Print::of(&metadata), key);
        Ok(Some(key))
    }
}

impl Store {
    /// The key of the folder, as far as it has one.
    pub fn known_key(&self) -> Option<Key> {
        self.ledger.key(self.folder())
    }

    /// The key of the folder; both are made where they are not there.
    ///
    /// A new key is on the disk before it is given out. Of several processes that make
    /// one at once, one wins, and all have its key.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to, or what is there cannot be trusted: another user's
    /// key, or one that others can read.
    pub fn key_or_new(&self) -> Result<Key, StoreError> {
        // One that was found may wait for its sync: its maker can have died.
        let vouched =
            self.ledger.operators_key().is_some() || self.ledger.knows_way(&self.key_at());
        if let Some(key) = self.known_key().filter(|_| vouched) {
            return Ok(key);
        }
        let folder = self.make_folder()?;
        self.make_key(&folder).map_err(|source| self.failed("making the key of", None, source))
    }

    fn make_key(&self, folder: &Dir) -> io::Result<Key> {
        let private = private::make(folder)?;
        let at = self.folder().key();
        if self.ledger.key_in(&at, &private)?.is_none() {
            let mut secret = [0; BYTES];
            getrandom::fill(&mut secret).map_err(io::Error::other)?;
            let text = blake3::Hash::from_bytes(secret).to_hex();
            own_file::create(&private, NAME, text.as_bytes(), Synced::Yes)?;
        }
        if self.durability == Durability::Sync {
            sync_folder(&private)?;
            sync_folder(folder)?;
        }
        let key = self.ledger.key_in(&at, &private)?.ok_or(io::ErrorKind::NotFound)?;
        self.ledger.note_way(self.key_at());
        Ok(key)
    }

    fn key_at(&self) -> PathBuf {
        self.folder().child(private::PRIVATE).key().join(NAME)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use super::super::testing::shop;
    use super::*;

    fn again(store: &Store) -> Store {
        let ledger = Arc::new(Ledger::new(100));
        Store::new(store.folder().clone(), Durability::Relaxed, ledger)
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
        let left = shop.open().open_dir(private::PRIVATE).unwrap().entries().unwrap().count();
        assert_eq!(left, 1, "no fresh key is left behind");
    }

    #[test]
    fn a_key_that_others_can_read_is_none() {
        let shop = shop();
        shop.store.key_or_new().unwrap();
        let path = Path::new(&shop.store.folder().absolute()).join(".unburden/key");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let other = again(&shop.store);
        assert_eq!(other.known_key(), None);
        assert!(other.key_or_new().is_err(), "nor is it replaced");
    }

    #[test]
    fn a_code_depends_on_every_part() {
        let key = Key([7; BYTES]);
        let codes = [
            key.code("a", &[b"x", b"y"]),
            key.code("a", &[b"xy", b""]),
            key.code("a", &[b"x"]),
            key.code("b", &[b"x", b"y"]),
            Key([8; BYTES]).code("a", &[b"x", b"y"]),
        ];
        let different: std::collections::HashSet<Code> = codes.into_iter().collect();
        assert_eq!(different.len(), codes.len());
        for code in codes {
            assert_eq!(code.to_string().len(), DIGITS);
            assert_eq!(Code::parse(&code.to_string()), Some(code));
        }
        assert_eq!(Code::parse("+00000000000001"), None);
    }
}
