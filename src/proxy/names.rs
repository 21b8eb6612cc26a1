//! Names of tools, as the client has them. The reload tools get theirs once, beside
//! what the upstream has then; from there on a name means the same tool for as long
//! as the session lasts, whatever the upstream lists later:
//!
//! - ours: `NAME`, or `unburden_NAME` where that is taken, or that with a second prefix;
//! - a tool of the upstream under a name of ours is `upstream_NAME` to the client. So
//!   that no two tools meet there, a name that has such prefixes already gets one more.

use std::borrow::Cow;
use std::collections::HashSet;

use chat_history::splice::quote;

use crate::tools::{self, Definition, RELOAD};

/// Prefix of a reload tool whose own name is taken.
const OURS: &str = "unburden_";
/// Most of these prefixes: some clients refuse names of more than 64 characters.
const MOST: usize = 2;
/// Prefix of an upstream's tool that took a name of ours.
const THEIRS: &str = "upstream_";

/// The reload tools under the names that this client has them by.
#[derive(Debug, Clone)]
pub(super) struct Names(Vec<(String, &'static Definition)>);

impl Names {
    /// The names that are free beside those of the upstream.
    pub(super) fn beside(upstream: &HashSet<String>) -> Names {
        let taken: HashSet<String> = upstream.iter().map(|name| folded(name)).collect();
        let reload = tools::every().iter().filter(|tool| RELOAD.contains(&tool.name));
        Names(reload.map(|tool| (free(tool.name, &taken), tool)).collect())
    }

    /// The reload tool that has this name.
    pub(super) fn tool(&self, name: &str) -> Option<&'static Definition> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, tool)| *tool)
    }

    /// The name under which the client has the tool that the upstream calls `name`.
    pub(super) fn shown<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if self.is_rival(name) { format!("{THEIRS}{name}").into() } else { name.into() }
    }

    /// The upstream's own name of what the client calls `name`.
    pub(super) fn upstream<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(THEIRS).filter(|own| self.is_rival(own)).unwrap_or(name)
    }

    /// True for a name of ours, also behind prefixes that tell it from ours.
    fn is_rival(&self, name: &str) -> bool {
        let bare = folded(name.trim_start_matches(THEIRS));
        self.0.iter().any(|(own, _)| *own == bare)
    }

    /// `reload_tools` of a request to the service: each tool with the name that
    /// guidance has to call it by here.
    pub(super) fn reload_tools(&self) -> String {
        let named =
            |(own, tool): &(String, &Definition)| format!("{}:{}", quote(tool.name), quote(own));
        format!("{{{}}}", self.0.iter().map(named).collect::<Vec<_>>().join(","))
    }

    /// The definitions, as a list of tools has them.
    pub(super) fn listed(&self) -> Vec<String> {
        self.0.iter().map(|(name, tool)| tool.as_mcp_named(name)).collect()
    }
}

fn free(name: &str, taken: &HashSet<String>) -> String {
    let mut own = name.to_owned();
    for _ in 0..MOST {
        if taken.contains(&own) {
            own.insert_str(0, OURS);
        }
    }
    own
}

/// True where a name can be one of ours, or of a tool that stands in its way: then the
/// list decides where a call goes.
pub(super) fn is_disputed(name: &str) -> bool {
    let bare = folded(name.trim_start_matches(THEIRS));
    RELOAD.contains(&bare.trim_start_matches(OURS))
}

/// The name as clients spell it that allow letters, digits and `_` only, or that tell
/// names apart without regard to case.
fn folded(name: &str) -> String {
    let fold = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(names: &[&str]) -> Names {
        Names::beside(&names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_name_that_is_taken_gets_a_prefix_or_two() {
        let names = beside(&["Read.File", "grep", "unburden_grep", "unburden_unburden_grep"]);
        assert_eq!(names.tool("unburden_read_file").unwrap().name, "read_file");
        assert_eq!(names.tool("unburden_unburden_grep").unwrap().name, "grep");
        assert_eq!(names.tool("lro_extract").unwrap().name, "lro_extract");
        assert!(names.tool("read_file").is_none());
    }

    #[test]
    fn only_some_names_are_disputed() {
        let names =
            ["grep", "unburden_unburden_grep", "upstream_Grep", "unburden_search", "search"];
        assert_eq!(names.map(is_disputed), [true, true, true, false, false]);
    }

    #[test]
    fn a_tool_of_the_upstream_is_never_shown_as_ours_nor_as_another() {
        let names = beside(&["grep"]);
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
        let shown = theirs.map(|name| names.shown(name).into_owned());
        assert_eq!(shown.iter().collect::<HashSet<_>>().len(), theirs.len(), "{shown:?}");
        for (name, shown) in theirs.iter().zip(&shown) {
            assert!(names.tool(shown).is_none(), "{shown}");
            assert_eq!(names.upstream(shown), *name);
        }
        assert_eq!(shown[..2], ["grep", "upstream_read_file"]);
        assert_eq!(shown[5..7], ["upstream_unburden_grep", "upstream_grep"]);
    }
}
