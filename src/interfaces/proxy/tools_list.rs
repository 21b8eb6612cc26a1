//! The tool list: the upstream's tools, then the retrieval tools, each under the client's name
//! for it.

use chat_history::splice::{Edit, splice};
use raw_json::quote;
use raw_json::{self as raw, offset_in};

use super::filter::Filter;
use super::names::{ToolNames, may_collide};
use crate::interfaces::mcp::edit::{map_member, remove_member, set_member};
use crate::interfaces::mcp::message::{member, text};

/// A page of the upstream's tool list.
pub(super) struct ToolsPage<'a> {
    result: &'a str,
    array: &'a str,
    tools: Vec<&'a str>,
    /// Cursor of the next page; `None` on the last one.
    pub(super) next_cursor: Option<&'a str>,
}

impl<'a> ToolsPage<'a> {
    /// Reads a page. Returns `None` unless the result is a tool list.
    pub(super) fn read(result: &'a str) -> Option<ToolsPage<'a>> {
        let fields = raw::fields(result).ok()?;
        let array = raw::field(&fields, "tools")?;
        let tools = raw::elements(array).ok()?;
        // Clients treat an empty cursor as none.
        let next_cursor = raw::field(&fields, "nextCursor")
            .filter(|next_cursor| !matches!(*next_cursor, "null" | "\"\""));
        Some(ToolsPage { result, array, tools, next_cursor })
    }

    /// Returns the names on this page that could collide with a retrieval tool's.
    pub(super) fn colliding_names(&self) -> impl Iterator<Item = String> {
        let names = self.tools.iter().filter_map(|tool| text(member(tool, "name")?));
        names.filter(|name| may_collide(name)).map(std::borrow::Cow::into_owned)
    }

    /// Returns the page for the client: removes output schemas of tools whose results may become
    /// descriptors, which would not match; replaces colliding names; appends the retrieval tools to
    /// the last page.
    pub(super) fn for_client(&self, filter: &Filter, names: &ToolNames) -> Option<String> {
        let edits: Vec<Edit> =
            self.tools.iter().filter_map(|tool| self.edit(tool, filter, names)).collect();
        let ours = if self.next_cursor.is_none() { names.definitions() } else { Vec::new() };
        if edits.is_empty() && ours.is_empty() {
            return None;
        }
        let tools = splice(self.array, &edits);
        let inside = tools.trim_ascii_end().strip_suffix(']')?;
        let comma = if self.tools.is_empty() || ours.is_empty() { "" } else { "," };
        let tools = format!("{inside}{comma}{}]", ours.join(","));
        map_member(self.result, "tools", |_| Some(tools))
    }

    /// Returns the edit of one tool, if it needs one.
    fn edit(&self, tool: &str, filter: &Filter, names: &ToolNames) -> Option<Edit> {
        let name = member(tool, "name").and_then(text)?;
        let plain = filter.takes(&name).then(|| remove_member(tool, "outputSchema")).flatten();
        let shown = names.client_name(&name);
        let named = (shown != name).then(|| {
            let tool = plain.as_deref().unwrap_or(tool);
            // Removes every duplicate, so that no client reads another name.
            let nameless = remove_member(tool, "name");
            set_member(nameless.as_deref().unwrap_or(tool), "name", &quote(&shown))
        });
        let replacement = named.flatten().or(plain)?;
        let start = offset_in(self.array, tool);
        Some(Edit { span: start..start + tool.len(), replacement })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn taken(names: &[&str]) -> HashSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_last_page_has_ours_and_no_schema_of_what_may_change() {
        let result = r#"{"x":1.10,"tools":[{"name":"a","outputSchema":{}},{"name":"b","outputSchema":{"y":1}}],"_meta":{}}"#;
        let page = ToolsPage::read(result).unwrap();
        let filter = Filter { deny: taken(&["b"]), ..Filter::default() };
        let names = ToolNames::avoiding(&page.colliding_names().collect());
        let said = page.for_client(&filter, &names).unwrap();
        let kept = r#"{"x":1.10,"tools":[{"name":"a"},{"name":"b","outputSchema":{"y":1}},{"name":"read_file""#;
        assert!(said.starts_with(kept), "{said}");
        assert!(said.ends_with(r#"}],"_meta":{}}"#), "{said}");
        assert_eq!(ToolsPage::read(&said).unwrap().tools.len(), 6);
    }

    #[test]
    fn a_page_with_nothing_to_change_stays() {
        let names = ToolNames::avoiding(&taken(&[]));
        let page = ToolsPage::read(r#"{"tools":[{"name":"a"}],"nextCursor":"2"}"#).unwrap();
        assert_eq!(page.next_cursor, Some("\"2\""));
        assert_eq!(page.for_client(&Filter::default(), &names), None);
        assert_eq!(ToolsPage::read(r#"{"tools":[],"nextCursor":""}"#).unwrap().next_cursor, None);
        let empty = ToolsPage::read(r#"{"tools":[ ]}"#).unwrap();
        let said = empty.for_client(&Filter::default(), &names).unwrap();
        assert_eq!(ToolsPage::read(&said).unwrap().tools.len(), 4);
    }

    #[test]
    fn a_tool_under_a_name_of_ours_gets_another_and_one_only() {
        let names = ToolNames::avoiding(&taken(&[]));
        let page = r#"{"tools":[{"name":"a","x":1.10,"name":"grep","y":2}],"nextCursor":"2"}"#;
        let said = ToolsPage::read(page).unwrap().for_client(&Filter::default(), &names).unwrap();
        assert_eq!(said, r#"{"tools":[{"x":1.10,"y":2,"name":"upstream_grep"}],"nextCursor":"2"}"#);
    }
}
