//! The seal of a block: a line with a code that requires the store's key. A text without a valid
//! code is not a snapshot of this service.

use context_store::{Code, Key};

/// The end of a block, before the lines that name its originals.
pub(super) const END: &str = "</state_snapshot>";
const OPEN: &str = "(ref ";
const CLOSE: &str = ")";
/// The purpose that the codes of blocks are bound to.
const PURPOSE: &str = "snapshot";

/// Renders the line with a block's code.
pub(super) fn code_line(code: Code) -> String {
    format!("{OPEN}{code}{CLOSE}")
}

/// Parses the code in the last line of a block.
pub(super) fn code_of(body: &str) -> Option<Code> {
    let (_, last) = body.trim_end_matches('\n').rsplit_once('\n')?;
    Code::parse(last.trim().strip_prefix(OPEN)?.strip_suffix(CLOSE)?)
}

/// Returns the code of a block with this text, made with the key of its store. The code ignores
/// white space, so that a framework may change line ends and indentation.
pub(crate) fn code_by(key: &Key, text: &str) -> Code {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if let Some(end) = words.iter().rposition(|word| *word == END).filter(|end| *end >= 2) {
        words.drain(end - 2..end);
    }
    key.code(PURPOSE, &[words.join(" ").as_bytes()])
}
