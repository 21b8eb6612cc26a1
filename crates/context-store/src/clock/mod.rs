//! The clock of a folder: the age of its files, whatever the wall clock did. Sweeps observe
//! it, and so does whoever dates files by a clock that was set.

pub(crate) mod eras;
pub(crate) mod folder_clock;
pub(crate) mod moment;
