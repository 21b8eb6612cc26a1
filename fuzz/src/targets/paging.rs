//! Any file in pages of any size: the pages that follow the cursors, put together,
//! are the file byte for byte; totals stay, cursors grow (I1, I17).

use arbitrary::{Result, Unstructured};
use unburden::fuzz::Pages;

use super::place::folder;

pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(pages) = pages(&mut u) else { return };
    pages.check(folder().path(), u.take_rest());
}

fn pages(u: &mut Unstructured<'_>) -> Result<Pages> {
    let some = |u: &mut Unstructured<'_>, most: u64| -> Result<Option<u64>> {
        Ok(if u.arbitrary()? { Some(u.int_in_range(1..=most)?) } else { None })
    };
    Ok(Pages {
        by_lines: u.arbitrary()?,
        limit: some(u, 200)?,
        max_tokens: some(u, 100)?,
        answer_bytes: u.int_in_range(0..=500)?,
    })
}
