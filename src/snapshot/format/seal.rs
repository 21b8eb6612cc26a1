//! The seal of a block: a line with a code that only the store's key can make. A text
//! without a valid code is not a snapshot of this service.

use context_store::{Code, Key};

/// The end of a block, before the lines on its originals.
pub(super) const END: &str = "</state_snapshot>";
const OPEN: &str = "(ref ";
const CLOSE: &str = ")";
/// The purpose that codes of blocks are bound to.
const PURPOSE: &str = "snapshot";

/// The line with a block's code.
pub(super) fn code_line(code: Code) -> String {
    format!("{OPEN}{code}{CLOSE}")
}

/// The code in a block's last line.
pub(super) fn code_of(body: &str) -> Option<Code> {
    let (_, last) = body.trim_end_matches('\n').rsplit_once('\n')?;
    Code::parse(last.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?)
}

/// Returns the code, by the key of its store, of a block that stands as `text`: changes of
/// line ends, blanks and indentation by a framework do not matter.
pub(crate) fn code_by(key: &Key, text: &str) -> Code {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if let Some(end) = words.iter().rposition(|word| *word == END).filter(|end| *end >= 2) {
        words.drain(end - 2..end);
    }
    key.code(PURPOSE, &[words.join(" ").as_bytes()])
}
