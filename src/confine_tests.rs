//! The refusals of the kernel to a confined thread.

use std::net::TcpStream;

use super::{Confined, Permissions, confine};
use crate::tests::skips::skipped;

#[test]
fn the_kernel_holds_a_confined_thread_to_its_roots() {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(inside.path().join("a"), "a").unwrap();
    std::fs::write(outside.path().join("b"), "b").unwrap();
    std::os::unix::fs::symlink(outside.path().join("b"), inside.path().join("link")).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (within, beyond) = (inside.path().to_owned(), outside.path().to_owned());
    let permissions = Permissions { roots: vec![within.clone()], ..Permissions::default() };
    // Rules hold for a thread and what it starts, not for the other tests.
    let seen = std::thread::spawn(move || {
        let confined = confine(&permissions).unwrap();
        let denied = |kind| kind == std::io::ErrorKind::PermissionDenied;
        (
            confined,
            std::fs::read(within.join("a")).is_ok()
                && std::fs::write(within.join("c"), "c").is_ok(),
            std::fs::read(beyond.join("b")).is_err_and(|error| denied(error.kind())),
            std::fs::read(within.join("link")).is_err_and(|error| denied(error.kind())),
            std::fs::write(beyond.join("c"), "c").is_err_and(|error| denied(error.kind())),
            TcpStream::connect(address).is_err_and(|error| denied(error.kind())),
        )
    });
    let seen = seen.join().unwrap();
    if seen.0 == Confined::Unavailable {
        return skipped(seen.0.sentence());
    }
    assert_eq!((seen.1, seen.2, seen.3, seen.4), (true, true, true, true), "{seen:?}");
    // Connections are an old kernel's to allow.
    assert!(seen.5 || seen.0 == Confined::Partial, "{seen:?}");
}
