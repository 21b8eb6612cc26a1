//! Fuzz targets whose subject is private: any bytes go in, and a promise that does not hold is a
//! panic. `fuzz/` feeds them.

mod mcp_message;
mod model_reply;
mod paging;
mod proxy_edit;

pub use mcp_message::mcp_message;
pub use model_reply::model_reply;
pub use paging::Pages;
pub use proxy_edit::{proxy_edit, proxy_result};
