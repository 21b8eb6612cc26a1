//! The results of a SELECT: the items of its list, with their names.

use std::ops::Range;

use crate::sql::statement::Statement;

impl Statement {
    /// Returns the items in the list of a SELECT.
    pub(crate) fn results(&self, select: &Range<usize>) -> Vec<Range<usize>> {
        let list = self.clause_places(select, "select");
        list.map_or_else(Vec::new, |list| self.items(list.start + 1..list.end))
    }

    /// Returns the items of a list, without DISTINCT.
    pub(crate) fn items(&self, list: Range<usize>) -> Vec<Range<usize>> {
        let start = list.start + usize::from(self.is_any(list.start, &["distinct", "all"]));
        self.parted(start..list.end)
    }

    /// Returns the place of the name that an item of a list gives its result.
    pub(crate) fn name_of(&self, item: &Range<usize>) -> Option<usize> {
        let last = item.end.checked_sub(1).filter(|last| *last > item.start)?;
        let is_named = self.tokens[last].is_name() && !self.ends_expression(last);
        (is_named && (self.is(last - 1, "as") || self.names_result(last))).then_some(last)
    }

    /// Returns an item of a list without the name of its result.
    pub(crate) fn without_name(&self, item: &Range<usize>) -> Range<usize> {
        let name = self.name_of(item);
        item.start..name.map_or(item.end, |at| at - usize::from(self.is(at - 1, "as")))
    }

    /// Returns the result that a term of an order or a group is, by its number or its name.
    pub(crate) fn result_of(
        &self,
        term: &Range<usize>,
        items: &[Range<usize>],
    ) -> Option<Range<usize>> {
        let value = self.value(term.start);
        let is_named = |item: &&Range<usize>| {
            let name = self.name_of(item).map(|at| self.value(at));
            name.is_some_and(|name| name.eq_ignore_ascii_case(&value))
        };
        let item = match value.parse::<usize>() {
            Ok(number) => items.get(number.wrapping_sub(1)),
            Err(_) => items.iter().find(is_named),
        };
        item.filter(|_| term.len() == 1).map(|item| self.without_name(item))
    }

    /// Returns an expression with those of results in the place of their names; None if it names
    /// none.
    pub(crate) fn with_results(&self, places: Range<usize>) -> Option<String> {
        let items = self.results(&self.select_around(places.start));
        let bytes = self.bytes(places);
        let mut text = self.sql[bytes.clone()].to_owned();
        let is_inside = |range: &Range<usize>| bytes.start <= range.start && range.end <= bytes.end;
        let names = self.chains().into_iter().map(|chain| chain.range()).filter(is_inside);
        let mut named = names.filter_map(|range| {
            let term = self.places(&range)?;
            Some((range, self.result_of(&term, &items)?))
        });
        let named: Vec<_> = named.by_ref().filter(|(_, of)| self.is_scalar(of.clone())).collect();
        for (range, of) in named.iter().rev() {
            let of = format!("({})", self.text(of.clone()));
            text.replace_range(range.start - bytes.start..range.end - bytes.start, &of);
        }
        (!named.is_empty()).then_some(text)
    }
}
