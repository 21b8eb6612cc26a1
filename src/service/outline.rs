//! Parsing of bodies whose messages are all read on the way to the answer.

use super::failure::Failure;
use crate::envelope::Answer;
use crate::params::Params;

/// Answers a body whose messages are parsed on the way. If that fails, invalid JSON is reported
/// first, as by every other operation.
pub(super) fn with_outline(
    body: &[u8],
    answer: impl FnOnce(&Params<'_>) -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    let params = Params::outline(body)?;
    answer(&params).map_err(|failure| Params::parse(body).err().map_or(failure, Failure::from))
}
