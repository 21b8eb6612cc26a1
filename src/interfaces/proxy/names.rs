//! Names of tools as the client knows them. The retrieval tools get theirs once, avoiding the
//! upstream's names of that moment. From then on a name means the same tool for the whole
//! session, whatever the upstream lists later:
//!
//! - A retrieval tool is `NAME`, or `unburden_NAME` if that is taken, or
//!   `unburden_unburden_NAME`.
//! - An upstream tool whose name collides with a retrieval tool's is `upstream_NAME`. A name
//!   that already has that prefix gets one more, so that no two tools share a name.

use std::borrow::Cow;
use std::collections::HashSet;

use raw_json::quote;

use crate::tools::{self, Definition, RETRIEVAL};

/// Prefix of a retrieval tool whose own name is taken.
const LOCAL_PREFIX: &str = "unburden_";
/// Maximum number of such prefixes: some clients reject names of more than 64 characters.
const MAX_PREFIXES: usize = 2;
/// Prefix of an upstream tool whose name collides with a retrieval tool's.
const UPSTREAM_PREFIX: &str = "upstream_";

/// The retrieval tools that the proxy lists, with the names that the client knows them by.
#[derive(Debug, Clone)]
pub(super) struct ToolNames {
    listed: Vec<(String, &'static Definition)>,
    /// The request field `reload_tools`: each tool that the model has, with the name that
    /// guidance uses for it.
    pub(super) reload_tools: String,
}

impl ToolNames {
    /// Chooses names that the upstream does not use.
    pub(super) fn avoiding(upstream: &HashSet<String>) -> ToolNames {
        let taken: HashSet<String> = upstream.iter().map(|name| folded_name(name)).collect();
        let reload = tools::all().iter().filter(|tool| RETRIEVAL.contains(&tool.name));
        let listed: Vec<_> = reload.map(|tool| (free_name(tool.name, &taken), tool)).collect();
        let named =
            |(own, tool): &(String, &Definition)| format!("{}:{}", quote(tool.name), quote(own));
        let reload_tools =
            format!("{{{}}}", listed.iter().map(named).collect::<Vec<_>>().join(","));
        ToolNames { listed, reload_tools }
    }

    /// Returns names without tools of the proxy: the model has `reload_tools` from elsewhere.
    pub(super) fn unlisted(reload_tools: String) -> ToolNames {
        ToolNames { listed: Vec::new(), reload_tools }
    }

    /// Returns the retrieval tool with this name.
    pub(super) fn local_tool(&self, name: &str) -> Option<&'static Definition> {
        self.listed.iter().find(|(own, _)| own == name).map(|(_, tool)| *tool)
    }

    /// Returns the client's name for the tool that the upstream calls `name`.
    pub(super) fn client_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if self.collides(name) { format!("{UPSTREAM_PREFIX}{name}").into() } else { name.into() }
    }

    /// Returns the upstream's name for the tool that the client calls `name`.
    pub(super) fn upstream_name<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(UPSTREAM_PREFIX).filter(|own| self.collides(own)).unwrap_or(name)
    }

    /// Returns true for a retrieval tool's name, with or without [`UPSTREAM_PREFIX`].
    fn collides(&self, name: &str) -> bool {
        let bare = folded_name(name.trim_start_matches(UPSTREAM_PREFIX));
        self.listed.iter().any(|(own, _)| *own == bare)
    }

    /// Returns the definitions as a tool list has them.
    pub(super) fn definitions(&self) -> Vec<String> {
        self.listed.iter().map(|(name, tool)| tool.as_mcp_named(name)).collect()
    }
}

fn free_name(name: &str, taken: &HashSet<String>) -> String {
    let mut own = name.to_owned();
    for _ in 0..MAX_PREFIXES {
        if taken.contains(&own) {
            own.insert_str(0, LOCAL_PREFIX);
        }
    }
    own
}

/// Returns true if a name could collide with a retrieval tool's. Calls with such names are routed
/// by the tool list.
pub(super) fn may_collide(name: &str) -> bool {
    let bare = folded_name(name.trim_start_matches(UPSTREAM_PREFIX));
    RETRIEVAL.contains(&bare.trim_start_matches(LOCAL_PREFIX))
}

/// Folds a name as clients do that allow only letters, digits and `_`, or that ignore case.
fn folded_name(name: &str) -> String {
    let fold = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn avoiding(names: &[&str]) -> ToolNames {
        ToolNames::avoiding(&names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_name_that_is_taken_gets_a_prefix_or_two() {
        let names = avoiding(&["Read.File", "grep", "unburden_grep", "unburden_unburden_grep"]);
        assert_eq!(names.local_tool("unburden_read_file").unwrap().name, "read_file");
        assert_eq!(names.local_tool("unburden_unburden_grep").unwrap().name, "grep");
        assert_eq!(names.local_tool("lro_extract").unwrap().name, "lro_extract");
        assert!(names.local_tool("read_file").is_none());
    }

    #[test]
    fn only_some_names_are_disputed() {
        let names =
            ["grep", "unburden_unburden_grep", "upstream_Grep", "unburden_search", "search"];
        assert_eq!(names.map(may_collide), [true, true, true, false, false]);
    }

    #[test]
    fn a_tool_of_the_upstream_is_never_shown_as_ours_nor_as_another() {
        let names = avoiding(&["grep"]);
        let theirs = [
            "grep",
            "read_file",
            "READ-FILE",
            "upstream_read_file",
            "upstream_upstream_read_file",
            "unburden_grep",
            "upstream_grep",
            "unburden_read_file",
            "search",
            "upstream_search",
        ];
        let shown = theirs.map(|name| names.client_name(name).into_owned());
        assert_eq!(shown.iter().collect::<HashSet<_>>().len(), theirs.len(), "{shown:?}");
        for (name, shown) in theirs.iter().zip(&shown) {
            assert!(names.local_tool(shown).is_none(), "{shown}");
            assert_eq!(names.upstream_name(shown), *name);
        }
        assert_eq!(shown[..2], ["grep", "upstream_read_file"]);
        assert_eq!(shown[5..7], ["upstream_unburden_grep", "upstream_grep"]);
    }
}
