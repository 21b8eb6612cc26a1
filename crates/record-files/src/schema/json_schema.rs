//! The schema as JSON Schema, draft 2020-12, with fields in order of first appearance. Omits
//! details and then fields until it fits a budget.

use std::fmt::Write;

use raw_json::{self as raw, quote};

use super::node::{Node, Step};
use super::{ROOT, Schema};

/// The detail for each field, from all facts to its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    Full,
    NoCounts,
    FewChoices,
    NoBounds,
    Types,
}

pub(super) fn json_schema(schema: &Schema, budget: usize) -> String {
    let all = schema.len() - 1;
    for verbosity in [
        Verbosity::Full,
        Verbosity::NoCounts,
        Verbosity::FewChoices,
        Verbosity::NoBounds,
        Verbosity::Types,
    ] {
        let text = Writer::new(schema, verbosity, &[]).write();
        if text.len() <= budget {
            return text;
        }
    }
    let order = dropping_order(schema);
    let fits = |dropped: usize| {
        let text = Writer::new(schema, Verbosity::Types, &order[..dropped]).write();
        (text.len() <= budget).then_some(text)
    };
    // A binary search for the minimum number of dropped fields.
    let (mut too_few, mut enough) = (0, all);
    while too_few + 1 < enough {
        let middle = too_few.midpoint(enough);
        if fits(middle).is_some() { enough = middle } else { too_few = middle }
    }
    Writer::new(schema, Verbosity::Types, &order[..enough]).write()
}

/// Returns the nodes, the deepest and rarest first; a node always comes after its descendants.
fn dropping_order(schema: &Schema) -> Vec<usize> {
    let mut order: Vec<usize> = (1..schema.len()).collect();
    order.sort_by_key(|&at| {
        (std::cmp::Reverse(schema.trail(at).len()), schema.node(at).records, std::cmp::Reverse(at))
    });
    order
}

struct Writer<'a> {
    schema: &'a Schema,
    verbosity: Verbosity,
    written: Vec<bool>,
    out: String,
}

impl<'a> Writer<'a> {
    fn new(schema: &'a Schema, verbosity: Verbosity, dropped: &[usize]) -> Self {
        let mut written = vec![true; schema.len()];
        dropped.iter().for_each(|&at| written[at] = false);
        Self { schema, verbosity, written, out: String::new() }
    }

    fn write(mut self) -> String {
        self.out.push_str(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","#);
        self.members(ROOT);
        let fields = |at: usize| matches!(self.schema.node(at).step, Step::Key(_));
        let dropped = (0..self.schema.len()).filter(|&at| !self.written[at] && fields(at)).count();
        let omitted = dropped as u64 + self.schema.omitted_fields();
        if omitted > 0 {
            let _ = write!(self.out, "\"x-omitted-fields\":{omitted},");
        }
        self.close('}');
        self.out
    }

    /// Closes an object or array, and removes the comma after its last part.
    fn close(&mut self, end: char) {
        if self.out.ends_with(',') {
            self.out.pop();
        }
        self.out.push(end);
    }

    fn members(&mut self, at: usize) {
        let node = self.schema.node(at);
        self.types(node);
        self.scalars(node);
        self.rates(at);
        self.properties(node);
        if let Some(items) = self.schema.items(at).filter(|items| self.written[*items]) {
            self.out.push_str("\"items\":{");
            self.members(items);
            self.close('}');
            self.out.push(',');
        }
    }

    fn types(&mut self, node: &Node) {
        match node.counts.names().as_slice() {
            [] => {}
            [one] => {
                let _ = write!(self.out, "\"type\":\"{one}\",");
            }
            many => {
                let _ = write!(self.out, "\"type\":[\"{}\"],", many.join("\",\""));
            }
        }
    }

    fn scalars(&mut self, node: &Node) {
        if self.verbosity <= Verbosity::NoBounds
            && node.counts.string > 0
            && let Some(format) = node.texts.formats.name()
        {
            let _ = write!(self.out, "\"format\":\"{format}\",");
        }
        if self.verbosity > Verbosity::FewChoices {
            return;
        }
        let max = if self.verbosity == Verbosity::FewChoices { 5 } else { usize::MAX };
        if let Some(choices) = node.choices().filter(|choices| choices.len() <= max) {
            self.out.push_str("\"enum\":[");
            for literal in choices {
                let _ = write!(self.out, "{},", quote(&raw::unescape(literal).text));
            }
            if node.counts.null > 0 {
                self.out.push_str("null,");
            }
            self.close(']');
            self.out.push(',');
        }
        if let Some((min, max)) = node.numbers.min_max() {
            let _ = write!(self.out, "\"minimum\":{min},\"maximum\":{max},");
        }
        if self.verbosity == Verbosity::Full
            && let Some((first, last)) = &node.texts.dates
        {
            let _ = write!(self.out, "\"x-first\":{},\"x-last\":{},", quote(first), quote(last));
        }
    }

    fn rates(&mut self, at: usize) {
        let node = self.schema.node(at);
        if self.verbosity <= Verbosity::NoBounds {
            self.rate("x-null-rate", node.counts.null, node.counts.all());
            if matches!(node.step, Step::Key(_)) {
                let holders = self.schema.node(node.parent).counts.object;
                self.rate("x-missing-rate", holders - node.holders.min(holders), holders);
            }
        }
        let counted = node.counts.string + node.counts.numbers();
        if self.verbosity == Verbosity::Full && counted > 0 && node.choices().is_none() {
            let name = if node.values.exact() { "x-distinct" } else { "x-distinct-at-least" };
            let _ = write!(self.out, "\"{name}\":{},", node.values.distinct());
        }
    }

    /// Writes the share of `part` in `whole` with four digits, at least 0.0001.
    fn rate(&mut self, name: &str, part: u64, whole: u64) {
        if part > 0 && whole > 0 {
            #[allow(clippy::cast_precision_loss)]
            let share = (part as f64 / whole as f64 * 10_000.0).round().max(1.0) / 10_000.0;
            let _ = write!(self.out, "\"{name}\":{share},");
        }
    }

    fn properties(&mut self, node: &Node) {
        let key = |at: usize| match &self.schema.node(at).step {
            Step::Key(key) if self.written[at] => Some((at, quote(key))),
            Step::Key(_) | Step::Root | Step::Items => None,
        };
        let keys: Vec<(usize, String)> = node.children.iter().filter_map(|at| key(*at)).collect();
        if keys.is_empty() {
            return;
        }
        self.out.push_str("\"properties\":{");
        for (at, key) in &keys {
            let _ = write!(self.out, "{key}:{{");
            self.members(*at);
            self.close('}');
            self.out.push(',');
        }
        self.close('}');
        let always = |at: usize| self.schema.node(at).holders == node.counts.object;
        let required: Vec<&str> =
            keys.iter().filter(|(at, _)| always(*at)).map(|(_, key)| key.as_str()).collect();
        self.out.push(',');
        if !required.is_empty() {
            let _ = write!(self.out, "\"required\":[{}],", required.join(","));
        }
    }
}
