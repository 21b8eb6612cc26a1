//! Offload: the whole operation. Request → measure → plan → effects → splice →
//! check → answer; one direction, no way back.

mod answer;
mod assemble;
mod call;
mod chat;
mod check;
mod check_snapshot;
mod compress;
mod compressed;
mod decide;
mod earlier;
mod kept;
mod leases;
mod materials;
mod moves;
mod plan;
mod replacement;
mod report;
mod request;
mod run;
mod snapshots;
mod standing;
mod summarise;
mod transcribe;
mod write;

pub use leases::Followed;
pub use materials::{Material, Materials};
pub use plan::recent_from;
pub use replacement::{Literals, Replacement, Replacements, replacements};
pub use report::{
    Action, ActionKind, Checks, GroupReport, Outcome, Report, SnapshotReport, Source,
};
pub use request::{CompactRole, Files, Mode, Records, Request, Run, Settings};
pub use run::{FileOfCall, OffloadError, Offloaded, Offloader, UNCHANGED};
pub use summarise::{Kind, Summariser};
