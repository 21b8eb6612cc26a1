//! Any file in pages of any size: the pages that follow the cursors, put together,
//! are the file byte for byte; totals stay, cursors grow (I1, I17).

use std::fs;

use arbitrary::{Result, Unstructured};
use unburden::fuzz::paging;

use super::place::folder;

pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok((by_lines, limit, max_tokens, answer_bytes)) = sizes(&mut u) else { return };
    let folder = folder();
    fs::write(folder.path().join("file"), u.take_rest()).expect("a folder for temporary files");
    paging(folder.path(), by_lines, limit, max_tokens, answer_bytes);
}

type Sizes = (bool, Option<u64>, Option<u64>, usize);

fn sizes(u: &mut Unstructured<'_>) -> Result<Sizes> {
    let some = |u: &mut Unstructured<'_>, most: u64| -> Result<Option<u64>> {
        Ok(if u.arbitrary()? { Some(u.int_in_range(1..=most)?) } else { None })
    };
    Ok((u.arbitrary()?, some(u, 200)?, some(u, 100)?, u.int_in_range(0..=500)?))
}
