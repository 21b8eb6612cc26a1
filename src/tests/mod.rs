//! Tests over several modules, and code shared with the tests of `tests/it`.

#[path = "../../tests/it/cpu_time.rs"]
pub(crate) mod cpu_time;
#[path = "../../tests/it/scenarios.rs"]
pub(crate) mod scenarios;
#[path = "../../tests/it/skips.rs"]
pub(crate) mod skips;

mod declared;
