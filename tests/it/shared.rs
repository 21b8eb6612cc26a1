//! One service for several processes (`serve --shared`): who starts it, shares it, and ends it.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The longest wait for a process that should end.
const MOST: Duration = Duration::from_secs(30);

/// A process that a program would start.
struct Sharer {
    child: Child,
    address: String,
    log: String,
    _stdout: BufReader<ChildStdout>,
}

fn command(run: &Path, root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
    command
        .args(["serve", "--shared", "--listen", "127.0.0.1:0", "--root"])
        .arg(root)
        .env("XDG_RUNTIME_DIR", run)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Sharer {
    fn start(run: &Path, root: &Path) -> Sharer {
        let mut child = command(run, root).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = |start: &str| {
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            let Some(rest) = line.trim_end().strip_prefix(start) else {
                let mut said = String::new();
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                panic!("{line:?} does not begin with {start:?}: {said}")
            };
            rest.to_owned()
        };
        let (address, log) = (line("listening on http://"), line("logging to "));
        Sharer { child, address, log, _stdout: stdout }
    }

    fn answers(&self) -> bool {
        TcpStream::connect(&self.address).is_ok()
    }

    /// Closes its standard input, as the kernel does when its starter ends.
    fn let_go(&mut self) {
        drop(self.child.stdin.take());
    }

    fn ends(&mut self) -> bool {
        let started = Instant::now();
        while started.elapsed() < MOST {
            if self.child.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }
}

impl Drop for Sharer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folders() -> (TempDir, TempDir) {
    (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
}

#[test]
fn it_runs_until_the_last_of_them_lets_go() {
    let (run, root) = folders();
    let mut first = Sharer::start(run.path(), root.path());
    let mut second = Sharer::start(run.path(), &root.path().join("."));
    assert_eq!((&first.address, &first.log), (&second.address, &second.log));
    first.let_go();
    let mut third = Sharer::start(run.path(), root.path());
    assert_eq!(third.address, first.address);
    second.let_go();
    assert!(second.ends());
    assert!(third.answers() && first.child.try_wait().unwrap().is_none());
    third.let_go();
    assert!(third.ends() && first.ends());
    assert!(!first.answers());
}

#[test]
fn other_folders_have_other_services() {
    let (run, root) = folders();
    let other = tempfile::tempdir().unwrap();
    let first = Sharer::start(run.path(), root.path());
    let second = Sharer::start(run.path(), other.path());
    assert_ne!(first.address, second.address);
    assert_ne!(first.log, second.log);
}

#[test]
fn one_that_was_killed_or_stopped_is_replaced() {
    let (run, root) = folders();
    let mut first = Sharer::start(run.path(), root.path());
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let mut second = Sharer::start(run.path(), root.path());
    assert!(second.answers());
    let status = Command::new("kill").arg(second.child.id().to_string()).status().unwrap();
    assert!(status.success() && second.ends());
    assert!(Sharer::start(run.path(), root.path()).answers());
}

#[test]
fn many_at_once_are_one_service() {
    let (run, root) = folders();
    let all: Vec<Sharer> = std::thread::scope(|scope| {
        let start = || Sharer::start(run.path(), root.path());
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|each| each.address == all[0].address));
}

#[test]
fn a_folder_that_others_can_open_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let (run, root) = folders();
    drop(Sharer::start(run.path(), root.path()));
    let made = std::fs::read_dir(run.path()).unwrap().next().unwrap().unwrap().path();
    std::fs::set_permissions(&made, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = command(run.path(), root.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("is open to other users"), "{said}");
}
