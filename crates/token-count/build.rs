//! Writes the tables that the counter reads in place: for each vocabulary, the trie of its tokens,
//! the parents of each token, and the pairs that merge; and the classes of the characters. The
//! official tokens come from `tiktoken-rs`. There is one thread for each vocabulary.

use std::{env, error::Error, fs, path::Path, thread};

use tiktoken_rs::CoreBPE;

#[path = "src/char_class.rs"]
#[expect(dead_code, reason = "the counter uses what this script does not")]
mod char_class;
#[path = "build/char_classes.rs"]
mod char_classes;
#[path = "build/double_array.rs"]
mod double_array;
#[path = "src/trie.rs"]
#[expect(dead_code, reason = "the counter uses what this script does not")]
mod trie;
#[path = "src/vocabulary.rs"]
#[expect(dead_code, reason = "the counter uses what this script does not")]
mod vocabulary;

use trie::{NO_TOKEN, Trie};
use vocabulary::{NO_PAIR, Row, Vocabulary, add_pair};

fn main() -> Result<(), Box<dyn Error>> {
    for read in ["build.rs", "build", "src/char_class.rs", "src/trie.rs", "src/vocabulary.rs"] {
        println!("cargo::rerun-if-changed={read}");
    }
    let (o200k, cl100k) = (tiktoken_rs::o200k_base()?, tiktoken_rs::cl100k_base()?);
    thread::scope(|scope| {
        scope.spawn(|| write_vocabulary("o200k_base", &o200k));
        scope.spawn(|| write_vocabulary("cl100k_base", &cl100k));
    });
    let (rows, blocks) = char_classes::rows_and_blocks();
    write("classes.rows", &rows);
    write("classes.blocks", blocks.as_flattened());
    Ok(())
}

fn write(name: &str, bytes: &[u8]) {
    let out_dir = env::var("OUT_DIR").expect("cargo says where the output goes");
    fs::write(Path::new(&out_dir).join(name), bytes).expect("OUT_DIR can be written");
}

fn write_vocabulary(name: &str, source: &CoreBPE) {
    // Ordinary tokens are numbered from 0 without a gap. The first rank that does not decode is the
    // start of the special tokens.
    let tokens: Vec<Vec<u8>> = (0..).map_while(|rank| source.decode_bytes(&[rank]).ok()).collect();
    let trie = double_array::build(&tokens);
    let (rows, pairs) = merges(&tokens, Trie(&trie));
    write(&format!("{name}.trie"), trie.as_flattened());
    write(&format!("{name}.rows"), rows.as_flattened());
    write(&format!("{name}.pairs"), pairs.as_flattened());
}

/// Returns the rows of the tokens, and the hash table of the pairs that merge, with at least two
/// slots for each pair, so that searches are short.
///
/// The last merge that makes a token joins two parts of it. Of all pairs of tokens with its bytes,
/// this is the only pair whose tokens can be next to each other in an encoding before that merge.
fn merges(tokens: &[Vec<u8>], trie: Trie<'_>) -> (Vec<[u8; 8]>, Vec<[u8; 4]>) {
    let mut rows: Vec<[u8; 8]> = Vec::with_capacity(tokens.len());
    let mut pairs = vec![NO_PAIR.to_le_bytes(); (2 * tokens.len()).next_power_of_two()];
    for (token, bytes) in (0..).zip(tokens) {
        let prefixes = || (1..bytes.len()).rev().map(|end| (end, trie.token(&bytes[..end])));
        let vocabulary = Vocabulary { trie, rows: &rows, pairs: &pairs };
        let parents = prefixes().find_map(|(end, left)| {
            let right = trie.token(&bytes[end..]);
            // A part that has a later rank, or is not a token, cannot be merged into this one.
            (left < token && right < token && vocabulary.may_meet(left, right))
                .then_some((left, right))
        });
        if let Some(parents) = parents {
            add_pair(&mut pairs, parents, token);
        }
        assert!(parents.is_some() == (bytes.len() > 1), "two tokens make {bytes:?}");
        let prefix = prefixes().map(|(_, prefix)| prefix).find(|prefix| *prefix != NO_TOKEN);
        let row =
            Row::new(parents.unwrap_or((token, token)), prefix.unwrap_or(NO_TOKEN), bytes.len());
        rows.push(row.0.to_le_bytes());
    }
    (rows, pairs)
}
