//! The list of tools: the upstream's, then the reload tools under names that are
//! free beside them.

use std::collections::HashSet;

use super::edit::{changed, without};
use super::filter::Filter;
use super::message::{member, text};
use crate::history::raw::{self, offset_in};
use crate::history::splice::{Edit, quote, splice};
use crate::tools::{self, Definition, RELOAD};

/// What a reload tool is called where its own name is taken.
const PREFIX: &str = "unburden_";

/// The reload tools under the names that this client has them by.
#[derive(Debug, Clone)]
pub(super) struct Names(Vec<(String, &'static Definition)>);

impl Names {
    /// The names that are free beside those of the upstream.
    pub(super) fn beside(upstream: &HashSet<String>) -> Names {
        let reload = tools::every().iter().filter(|tool| RELOAD.contains(&tool.name));
        Names(reload.map(|tool| (free(tool.name, upstream), tool)).collect())
    }

    /// The reload tool that has this name.
    pub(super) fn tool(&self, name: &str) -> Option<&'static Definition> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, tool)| *tool)
    }

    /// `reload_tools` of a request to the service: each tool with the name that
    /// guidance has to call it by here.
    pub(super) fn reload_tools(&self) -> String {
        let named =
            |(own, tool): &(String, &Definition)| format!("{}:{}", quote(tool.name), quote(own));
        format!("{{{}}}", self.0.iter().map(named).collect::<Vec<_>>().join(","))
    }

    fn listed(&self) -> Vec<String> {
        self.0.iter().map(|(name, tool)| tool.as_mcp_named(name)).collect()
    }
}

fn free(name: &str, taken: &HashSet<String>) -> String {
    let mut own = name.to_owned();
    while taken.contains(&own) {
        own.insert_str(0, PREFIX);
    }
    own
}

/// True where a reload tool could have this name: then the list decides.
pub(super) fn may_be_ours(name: &str) -> bool {
    let mut bare = name;
    while let Some(rest) = bare.strip_prefix(PREFIX) {
        bare = rest;
    }
    RELOAD.contains(&bare)
}

/// One page of the upstream's list.
pub(super) struct Page<'a> {
    result: &'a str,
    tools: &'a str,
    each: Vec<&'a str>,
    /// Where the next page begins; None on the last.
    pub(super) next: Option<&'a str>,
}

impl<'a> Page<'a> {
    /// None where the result is no list of tools.
    pub(super) fn read(result: &'a str) -> Option<Page<'a>> {
        let fields = raw::fields(result).ok()?;
        let tools = raw::field(&fields, "tools")?;
        let each = raw::elements(tools).ok()?;
        // Clients take an empty cursor for none.
        let next =
            raw::field(&fields, "nextCursor").filter(|next| !matches!(*next, "null" | "\"\""));
        Some(Page { result, tools, each, next })
    }

    /// The names on it.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.each.iter().filter_map(|tool| Some(text(member(tool, "name")?)?.into_owned()))
    }

    /// The page as the client gets it: no schema for results that may become
    /// descriptors, which clients would refuse for not fitting it; and `ours`
    /// behind the upstream's.
    pub(super) fn changed(&self, filter: &Filter, ours: Option<&Names>) -> Option<String> {
        let mut edits = Vec::new();
        for tool in &self.each {
            let Some(name) = member(tool, "name").and_then(text) else { continue };
            let Some(replacement) = filter.takes(&name).then(|| without(tool, "outputSchema"))
            else {
                continue;
            };
            let start = offset_in(self.tools, tool);
            let span = start..start + tool.len();
            edits.extend(replacement.map(|replacement| Edit { span, replacement }));
        }
        let ours = ours.map(Names::listed).unwrap_or_default();
        if edits.is_empty() && ours.is_empty() {
            return None;
        }
        let tools = splice(self.tools, &edits);
        let inside = tools.trim_ascii_end().strip_suffix(']')?;
        let comma = if self.each.is_empty() || ours.is_empty() { "" } else { "," };
        let tools = format!("{inside}{comma}{}]", ours.join(","));
        changed(self.result, "tools", |_| Some(tools))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(names: &[&str]) -> HashSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_name_that_is_taken_gets_a_prefix_until_it_is_free() {
        let names = Names::beside(&taken(&["read_file", "grep", "unburden_grep"]));
        assert_eq!(names.tool("unburden_read_file").unwrap().name, "read_file");
        assert_eq!(names.tool("unburden_unburden_grep").unwrap().name, "grep");
        assert_eq!(names.tool("lro_extract").unwrap().name, "lro_extract");
        assert!(names.tool("read_file").is_none());
    }

    #[test]
    fn only_some_names_can_be_ours() {
        let names = ["grep", "unburden_unburden_grep", "unburden_search", "search"];
        assert_eq!(names.map(may_be_ours), [true, true, false, false]);
    }

    #[test]
    fn the_last_page_has_ours_and_no_schema_of_what_may_change() {
        let result = r#"{"x":1.10,"tools":[{"name":"a","outputSchema":{}},{"name":"b","outputSchema":{"y":1}}],"_meta":{}}"#;
        let page = Page::read(result).unwrap();
        let filter = Filter { deny: taken(&["b"]), ..Filter::default() };
        let names = Names::beside(&page.names().collect());
        let said = page.changed(&filter, Some(&names)).unwrap();
        let kept = r#"{"x":1.10,"tools":[{"name":"a"},{"name":"b","outputSchema":{"y":1}},{"name":"read_file""#;
        assert!(said.starts_with(kept), "{said}");
        assert!(said.ends_with(r#"}],"_meta":{}}"#), "{said}");
        assert_eq!(Page::read(&said).unwrap().each.len(), 6);
    }

    #[test]
    fn a_page_with_nothing_to_change_stays() {
        let page = Page::read(r#"{"tools":[{"name":"a"}],"nextCursor":"2"}"#).unwrap();
        assert_eq!(page.next, Some("\"2\""));
        assert_eq!(page.changed(&Filter::default(), None), None);
        assert_eq!(Page::read(r#"{"tools":[],"nextCursor":""}"#).unwrap().next, None);
        let empty = Page::read(r#"{"tools":[ ]}"#).unwrap();
        let names = Names::beside(&HashSet::new());
        let said = empty.changed(&Filter::default(), Some(&names)).unwrap();
        assert_eq!(Page::read(&said).unwrap().each.len(), 4);
    }
}
