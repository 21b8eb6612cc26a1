//! The list of tools: the upstream's, then the reload tools, each under the name that
//! the client has it by.

use chat_history::raw::{self, offset_in};
use chat_history::splice::{Edit, quote, splice};

use super::edit::{changed, with, without};
use super::filter::Filter;
use super::message::{member, text};
use super::names::{Names, is_disputed};

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

    /// The names on it that could be in the way of ours.
    pub(super) fn rivals(&self) -> impl Iterator<Item = String> {
        let names = self.each.iter().filter_map(|tool| text(member(tool, "name")?));
        names.filter(|name| is_disputed(name)).map(std::borrow::Cow::into_owned)
    }

    /// The page as the client gets it: no schema for results that may become
    /// descriptors, which clients would refuse for not fitting it; no name of ours for a
    /// tool of the upstream; and ours behind the last page.
    pub(super) fn changed(&self, filter: &Filter, names: &Names) -> Option<String> {
        let edits: Vec<Edit> =
            self.each.iter().filter_map(|tool| self.edit(tool, filter, names)).collect();
        let ours = if self.next.is_none() { names.listed() } else { Vec::new() };
        if edits.is_empty() && ours.is_empty() {
            return None;
        }
        let tools = splice(self.tools, &edits);
        let inside = tools.trim_ascii_end().strip_suffix(']')?;
        let comma = if self.each.is_empty() || ours.is_empty() { "" } else { "," };
        let tools = format!("{inside}{comma}{}]", ours.join(","));
        changed(self.result, "tools", |_| Some(tools))
    }

    /// The edit of one tool, where it needs one.
    fn edit(&self, tool: &str, filter: &Filter, names: &Names) -> Option<Edit> {
        let name = member(tool, "name").and_then(text)?;
        let plain = filter.takes(&name).then(|| without(tool, "outputSchema")).flatten();
        let shown = names.shown(&name);
        let named = (shown != name).then(|| {
            let tool = plain.as_deref().unwrap_or(tool);
            // Once, so that nobody reads another of its names.
            let nameless = without(tool, "name");
            with(nameless.as_deref().unwrap_or(tool), "name", &quote(&shown))
        });
        let replacement = named.flatten().or(plain)?;
        let start = offset_in(self.tools, tool);
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
        let page = Page::read(result).unwrap();
        let filter = Filter { deny: taken(&["b"]), ..Filter::default() };
        let names = Names::beside(&page.rivals().collect());
        let said = page.changed(&filter, &names).unwrap();
        let kept = r#"{"x":1.10,"tools":[{"name":"a"},{"name":"b","outputSchema":{"y":1}},{"name":"read_file""#;
        assert!(said.starts_with(kept), "{said}");
        assert!(said.ends_with(r#"}],"_meta":{}}"#), "{said}");
        assert_eq!(Page::read(&said).unwrap().each.len(), 6);
    }

    #[test]
    fn a_page_with_nothing_to_change_stays() {
        let names = Names::beside(&taken(&[]));
        let page = Page::read(r#"{"tools":[{"name":"a"}],"nextCursor":"2"}"#).unwrap();
        assert_eq!(page.next, Some("\"2\""));
        assert_eq!(page.changed(&Filter::default(), &names), None);
        assert_eq!(Page::read(r#"{"tools":[],"nextCursor":""}"#).unwrap().next, None);
        let empty = Page::read(r#"{"tools":[ ]}"#).unwrap();
        let said = empty.changed(&Filter::default(), &names).unwrap();
        assert_eq!(Page::read(&said).unwrap().each.len(), 4);
    }

    #[test]
    fn a_tool_under_a_name_of_ours_gets_another_and_one_only() {
        let names = Names::beside(&taken(&[]));
        let page = r#"{"tools":[{"name":"a","x":1.10,"name":"grep","y":2}],"nextCursor":"2"}"#;
        let said = Page::read(page).unwrap().changed(&Filter::default(), &names).unwrap();
        assert_eq!(said, r#"{"tools":[{"x":1.10,"y":2,"name":"upstream_grep"}],"nextCursor":"2"}"#);
    }
}
