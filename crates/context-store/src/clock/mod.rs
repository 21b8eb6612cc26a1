//! The clock of a folder: the age of its files, whatever happened to the wall clock. Sweeps observe
//! it, and so does a writer that uses a clock which was set.

pub(crate) mod eras;
pub(crate) mod folder_clock;
pub(crate) mod moment;
