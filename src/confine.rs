//! Landlock: the process gives up, for itself and its workers, every file outside its
//! roots, and every outgoing connection where no model is configured. The roots are
//! confined by their directory handles already; this is a second wall, which also
//! holds where this program is wrong.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// The newest rules that are asked for; an older kernel enforces those it knows.
const RULES: ABI = ABI::V6;

/// What running a worker reads: libraries, and its own size in `/proc`. What there
/// is of other processes beyond their names the kernel keeps from a confined one.
const RUN: [&str; 6] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/proc"];

/// What finding a model's endpoint and trusting it reads.
const CALL: [&str; 12] = [
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

/// What is left to a confined process.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Folders that it reads and writes.
    pub roots: Vec<PathBuf>,
    /// Programs that it runs.
    pub programs: Vec<PathBuf>,
    /// Whether it calls a model.
    pub calls: bool,
}

/// What the kernel made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confined {
    /// Every rule holds.
    Fully,
    /// The rules hold that this kernel knows: on files, not on all else.
    Partly,
    /// None does: the kernel has no Landlock, or it is off.
    NotAtAll,
}

impl Confined {
    /// In a sentence for the log.
    pub fn sentence(self) -> &'static str {
        match self {
            Confined::Fully => "Landlock confines this process to its roots",
            Confined::Partly => {
                "Landlock confines this process to its roots as far as this kernel can"
            }
            Confined::NotAtAll => {
                "this kernel has no Landlock: directory handles alone confine the roots"
            }
        }
    }
}

/// Confines the calling thread and all it starts from now on; there is no way back.
pub fn confine(reach: &Reach) -> Result<Confined, RulesetError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(RULES))?
        .scope(Scope::from_all(RULES))?;
    if !reach.calls {
        rules = rules.handle_access(AccessNet::ConnectTcp)?;
    }
    let (all, read) = (AccessFs::from_all(RULES), AccessFs::from_read(RULES));
    let calling = reach.calls.then(calling).unwrap_or_default();
    let running = RUN.iter().map(PathBuf::from).chain(reach.programs.iter().cloned());
    // A path that is not there needs no rule.
    let status = rules
        .create()?
        .add_rules(path_beneath_rules(&reach.roots, all))?
        .add_rules(path_beneath_rules(running, read))?
        .add_rules(path_beneath_rules(calling, read))?
        .add_rules(path_beneath_rules(["/dev/null"], AccessFs::ReadFile | AccessFs::WriteFile))?
        .restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (_, LandlockStatus::NotEnabled | LandlockStatus::NotImplemented)
        | (RulesetStatus::NotEnforced, _) => Confined::NotAtAll,
        (RulesetStatus::PartiallyEnforced, _) => Confined::Partly,
        (RulesetStatus::FullyEnforced, _) => Confined::Fully,
    })
}

/// The files of names and certificates, those that the environment names included.
fn calling() -> Vec<PathBuf> {
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().filter_map(std::env::var_os);
    CALL.iter().map(PathBuf::from).chain(named.map(PathBuf::from)).collect()
}

/// The running program, for [`Reach::programs`].
pub fn this_program() -> Option<PathBuf> {
    std::fs::read_link(Path::new("/proc/self/exe")).ok()
}
