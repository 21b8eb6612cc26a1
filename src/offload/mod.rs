//! Offload: the whole operation. Request → measure → plan → effects → splice →
//! check → answer; one direction, no way back.

mod answer;
mod check;
mod moves;
mod plan;
mod report;
mod request;
mod run;
mod standing;

pub use moves::{Literals, Replacement, Replacements, replacements};
pub use plan::recent_from;
pub use report::{Action, ActionKind, Checks, Outcome, Report};
pub use request::{CompactRole, Files, Mode, Request, Run, Settings};
pub use run::{FileOfCall, OffloadError, Offloaded, Offloader, UNCHANGED};
