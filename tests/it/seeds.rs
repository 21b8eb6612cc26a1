//! Every seed of the fuzz targets, through the body of its target: what fuzzing found
//! once stays found, on the stable compiler and in every run of the tests. The bodies
//! are those of `fuzz/`, included by their path.

#[path = "../../fuzz/src/targets/mod.rs"]
pub(crate) mod targets;

use std::path::{Path, PathBuf};

/// Every seed of a target, each by its own name where it fails.
fn runs(name: &str) {
    let body = targets::ALL.iter().find(|target| target.0 == name).unwrap().1;
    let seeds = seeds_of(name);
    assert!(seeds.len() >= 3, "{name} has {} seeds", seeds.len());
    for seed in seeds {
        println!("{}", seed.display());
        body(&std::fs::read(&seed).unwrap());
    }
}

pub(crate) fn seeds_of(name: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut seeds: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    seeds.sort();
    seeds
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            runs(stringify!($name));
        })*

        #[test]
        fn every_target_is_run() {
            let names = [$(stringify!($name)),*];
            assert_eq!(targets::ALL.map(|target| target.0), names);
        }
    };
}

targets!(
    request_json,
    pairing,
    growth,
    names,
    paths,
    paging,
    regex,
    jq_protocol,
    sql,
    model_reply,
    mcp_message,
    proxy_edit
);
