//! Writes the two vocabularies the counter embeds. tiktoken-rs carries the
//! official tokens; `bpe` turns them into its own tables, which takes seconds
//! and so is done here once instead of at every start. Both tables are made in
//! parallel because building them is most of what this script costs.

use std::{env, error::Error, fs, path::Path, thread};

use bpe::byte_pair_encoding::BytePairEncoding;
use tiktoken_rs::CoreBPE;

/// `bpe` keys tokens by a 32-bit hash and refuses a vocabulary in which two
/// collide. This factor, taken from GitHub's `bpe-openai`, keeps both apart.
const HASH_FACTOR: u64 = 17_846_336_922_010_275_747;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out_dir = env::var("OUT_DIR")?;
    let write = |name: &str, source: &CoreBPE| {
        let path = Path::new(&out_dir).join(name);
        fs::write(path, table(source)).expect("OUT_DIR can be written");
    };
    let (o200k, cl100k) = (tiktoken_rs::o200k_base()?, tiktoken_rs::cl100k_base()?);
    thread::scope(|scope| {
        scope.spawn(|| write("o200k_base.dict", &o200k));
        scope.spawn(|| write("cl100k_base.dict", &cl100k));
    });
    Ok(())
}

/// Ordinary tokens are numbered from 0 without a gap; the first rank that does
/// not decode is where the special tokens begin.
fn table(source: &CoreBPE) -> Vec<u8> {
    let tokens = (0..).map_while(|rank| source.decode_bytes(&[rank]).ok());
    let table = BytePairEncoding::from_dictionary(tokens, Some(HASH_FACTOR));
    rmp_serde::to_vec(&table).expect("tables of integers always serialize")
}
