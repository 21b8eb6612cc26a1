//! The server from which the model has the retrieval tools.

use super::names::ToolNames;
use crate::tools;

/// The server that offers the retrieval tools to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ToolsFrom {
    /// This proxy lists them
    #[default]
    Here,
    /// Another proxy, or `unburden mcp`, lists them and opens the same folder
    Elsewhere,
    /// The model has none of them, but a shell with jq
    None,
}

impl ToolsFrom {
    /// Returns the names of the tools; `None` if they depend on the upstream's names.
    pub(super) fn fixed_names(self) -> Option<ToolNames> {
        match self {
            ToolsFrom::Here => None,
            ToolsFrom::Elsewhere => Some(ToolNames::unlisted(tools::reload_tools(""))),
            ToolsFrom::None => Some(ToolNames::unlisted(r#"["shell"]"#.to_owned())),
        }
    }
}
