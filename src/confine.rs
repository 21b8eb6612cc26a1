//! Landlock: the process gives up, for itself and its workers, access to every file outside its
//! roots, and outgoing connections unless a model, an object store or a collector of traces is
//! configured. Directory handles already confine the roots; Landlock still holds if this program
//! has a bug.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// The newest Landlock version requested; an older kernel enforces the rules it knows.
const LANDLOCK_ABI: ABI = ABI::V6;

/// Paths that a worker process reads: libraries, and its own size in `/proc`. The kernel hides
/// other processes' details from a confined one.
const WORKER_PATHS: [&str; 6] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/proc"];

/// Paths for resolving and trusting the endpoint of a model, an object store or a collector.
const NETWORK_PATHS: [&str; 12] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    "/run/systemd/resolve",
];

/// Permissions that a confined process keeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Permissions {
    /// Folders that it may read and write.
    pub roots: Vec<PathBuf>,
    /// Programs that it may run.
    pub programs: Vec<PathBuf>,
    /// Whether it may call a model, an object store or a collector of traces.
    pub connects: bool,
}

/// How far the kernel enforces the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confined {
    /// All rules are enforced.
    Full,
    /// Only rules that this kernel knows are enforced: on files, not on everything else.
    Partial,
    /// The kernel has no Landlock, or it is off.
    Unavailable,
}

impl Confined {
    /// Returns a sentence for the log.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Confined::Full => "Landlock confines this process to its roots",
            Confined::Partial => {
                "Landlock confines this process to its roots as far as this kernel can"
            }
            Confined::Unavailable => {
                "this kernel has no Landlock: only directory handles confine the roots"
            }
        }
    }
}

/// Confines the calling thread and all that it starts. Cannot be undone.
pub(crate) fn confine(permissions: &Permissions) -> Result<Confined, RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK_ABI))?
        .scope(Scope::from_all(LANDLOCK_ABI))?;
    if !permissions.connects {
        rules = rules.handle_access(AccessNet::ConnectTcp)?;
    }
    let (all, read) = (AccessFs::from_all(LANDLOCK_ABI), AccessFs::from_read(LANDLOCK_ABI));
    let network = permissions.connects.then(network_paths).unwrap_or_default();
    let running =
        WORKER_PATHS.iter().map(PathBuf::from).chain(permissions.programs.iter().cloned());
    // Missing paths need no rule.
    let status = rules
        .create()?
        .add_rules(path_beneath_rules(&permissions.roots, all))?
        .add_rules(path_beneath_rules(running, read))?
        .add_rules(path_beneath_rules(network, read))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented)
        | (RulesetStatus::NotEnforced, _) => Confined::Unavailable,
        (RulesetStatus::PartiallyEnforced, _) => Confined::Partial,
        (RulesetStatus::FullyEnforced, _) => Confined::Full,
    })
}

/// Returns the paths for name resolution and certificates, including those that the environment
/// names.
fn network_paths() -> Vec<PathBuf> {
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().filter_map(std::env::var_os);
    NETWORK_PATHS.iter().map(PathBuf::from).chain(named.map(PathBuf::from)).collect()
}

/// Returns the path of this program, for [`Permissions::programs`].
pub(crate) fn this_program() -> Option<PathBuf> {
    std::fs::read_link(Path::new("/proc/self/exe")).ok()
}

#[cfg(test)]
#[path = "confine_tests.rs"]
mod tests;
