//! `sql`, as libFuzzer runs it.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| unburden_fuzz::run("sql", data));
