//! One service for all processes that use the same roots (`serve --shared`): the first process
//! becomes the service, the others keep it running.
//!
//! A process takes part while its standard input is open. The kernel closes it when the process at
//! the other end has ended, in whatever way. The service locks one file exclusively and writes its
//! address into it; every other process holds a shared lock on a second file. When its own standard
//! input is closed, the service waits until it can lock the second file exclusively, and holds the
//! lock until it has ended: a process that arrives meanwhile starts the next service.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::CliError;

/// Maximum wait for a service that starts or ends.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);
/// A log above this many bytes is truncated when the next service starts.
const MAX_LOG_BYTES: u64 = 1 << 22;

/// The role of this process.
pub(super) enum Part {
    /// It runs the service.
    Service(Tenure),
    /// A service runs, and this process keeps it running.
    User(Membership),
}

/// The role of the process that runs the service.
pub(super) struct Tenure {
    address: File,
    users: File,
    /// The log's path.
    pub log: PathBuf,
}

/// The role of a process that keeps a service running.
pub(super) struct Membership {
    /// The address of the service.
    pub address: SocketAddr,
    /// The log's path.
    pub log: PathBuf,
    _users: File,
}

/// Joins the service for `roots`, or becomes it.
///
/// # Errors
///
/// Fails if the files of the service cannot be created, or if a service neither starts nor ends in
/// time.
pub(super) fn join(roots: &[String]) -> Result<Part, CliError> {
    let files = Files::of(roots)?;
    let started = Instant::now();
    loop {
        if let Some(part) = files.attempt().map_err(CliError::io("sharing the service"))? {
            return Ok(part);
        }
        if started.elapsed() > MAX_WAIT {
            let log = files.path("log");
            return Err(CliError::Input {
                what: "--shared".to_owned(),
                found: format!(
                    "the service of this folder did not start or end within {} s; its log is {}",
                    MAX_WAIT.as_secs(),
                    log.display()
                ),
            });
        }
        std::thread::sleep(PAUSE);
    }
}

/// Waits until standard input is closed.
pub(super) fn wait_for_end_of_input() {
    // An input that cannot be read counts as closed.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
}

impl Tenure {
    /// Opens the log for appending.
    pub(super) fn open_log(&self) -> Result<File, CliError> {
        open(&self.log)
            .and_then(|log| {
                if log.metadata()?.len() > MAX_LOG_BYTES {
                    log.set_len(0)?;
                }
                Ok(log)
            })
            .map_err(CliError::io(format_args!("opening the log {}", self.log.display())))
    }

    /// Publishes the service's address to the other processes.
    pub(super) fn announce(&mut self, address: SocketAddr) -> Result<(), CliError> {
        self.address
            .write_all(format!("{address}\n").as_bytes())
            .map_err(CliError::io("writing the address for other processes"))
    }

    /// Waits until no process needs the service.
    pub(super) async fn abandoned(&self) {
        let Ok(users) = self.users.try_clone() else { return std::future::pending().await };
        let (abandoned, told) = tokio::sync::oneshot::channel();
        // Uses its own thread, because the runtime cannot cancel this wait.
        std::thread::spawn(move || {
            wait_for_end_of_input();
            if users.lock().is_ok() {
                let _ = abandoned.send(());
            }
        });
        if told.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Tenure {
    fn drop(&mut self) {
        // A stale address only causes a refused connection.
        let _ = self.address.set_len(0);
    }
}

/// The files of a service, all named after its version and its roots.
struct Files {
    folder: PathBuf,
    name: String,
}

impl Files {
    fn of(roots: &[String]) -> Result<Files, CliError> {
        let mut hash = blake3::Hasher::new();
        hash.update(env!("CARGO_PKG_VERSION").as_bytes());
        for root in roots {
            let (seen, real) = root.split_once('=').unwrap_or(("", root));
            let real = std::fs::canonicalize(real)
                .map_err(CliError::io(format_args!("opening the root {real}")))?;
            for part in [seen.as_bytes(), real.as_os_str().as_encoded_bytes()] {
                hash.update(b"\0").update(part);
            }
        }
        let name = hash.finalize().to_hex()[..16].to_owned();
        Ok(Files { folder: private_folder()?, name })
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    /// Takes a role; returns `None` while another service starts or ends.
    fn attempt(&self) -> io::Result<Option<Part>> {
        let (address, users) = (open(&self.path("address"))?, open(&self.path("users"))?);
        let log = self.path("log");
        match address.try_lock() {
            Ok(()) => {
                address.set_len(0)?;
                return Ok(Some(Part::Service(Tenure { address, users, log })));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        match users.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let address = announced(address)?;
        // After a crash, the address of the previous service may still be there.
        let address = address.filter(|to| TcpStream::connect_timeout(to, MAX_WAIT).is_ok());
        Ok(address.map(|address| Part::User(Membership { address, log, _users: users })))
    }
}

/// Reads the address that a service announced; `None` if it has not announced one yet.
fn announced(mut file: File) -> io::Result<Option<SocketAddr>> {
    let mut line = String::new();
    file.read_to_string(&mut line)?;
    Ok(line.strip_suffix('\n').and_then(|address| address.parse().ok()))
}

fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).append(true).create(true).open(path)
}

/// Returns the user's own folder for files that end with the session: under `XDG_RUNTIME_DIR`, if
/// it belongs to the user, or under the system's folder for temporary files, where another user may
/// have created a folder of that name. It contains no store: its log is not for agents.
fn private_folder() -> Result<PathBuf, CliError> {
    let user = rustix::process::geteuid().as_raw();
    let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let base = base.filter(|base| base.metadata().is_ok_and(|base| base.uid() == user));
    let folder = base.unwrap_or_else(std::env::temp_dir).join(format!("unburden-shared-{user}"));
    let failed = |what| CliError::io(format!("{what} {}", folder.display()));
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(failed("making the folder")(error));
        }
        _ => {}
    }
    let made = std::fs::symlink_metadata(&folder).map_err(failed("looking at"))?;
    if made.is_dir() && made.uid() == user && made.mode() & 0o077 == 0 {
        return Ok(folder);
    }
    Err(CliError::Input {
        what: folder.display().to_string(),
        found:
            "is open to other users; accepted is a folder of this user with mode 0700: delete it, \
                or set XDG_RUNTIME_DIR to another folder"
                .to_owned(),
    })
}
