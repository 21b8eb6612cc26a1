//! Recipes for records of any kind, made of their own fields and values. Each
//! default is a value that occurs, so that a recipe shows something as it stands.

use chat_history::splice::quote;

use super::access::{Base, member};
use super::roles::{self, Fields, Part};
use super::words::keyword;
use crate::recipe::{Param, Recipe};
use crate::schema::Schema;

/// The recipes that the fields allow, the best first.
pub(super) fn recipes(schema: &Schema) -> Vec<Recipe> {
    let base = Base::of(schema);
    let fields = Fields::of(schema, base);
    let parts = fields.parts(schema);
    let cook = Cook { base };
    let (ids, titles) = (roles::ids(&parts), roles::titles(&parts));
    let (categories, numbers) = (roles::categories(&parts), roles::numbers(&parts));
    let (dates, texts) = (roles::dates(&parts), roles::texts(&parts));
    let categories: Vec<_> = without(&categories, titles.first());
    let numbers: Vec<_> = without(&numbers, categories.first());
    let (id, title, category) = (ids.first(), titles.first(), categories.first());
    let texts: Vec<_> = without(&texts, title);

    // Each role once, then what else the fields allow.
    let first = [
        cook.browse(title.or(id), category, &parts),
        category.and_then(|part| cook.equals(part)),
        title.and_then(|part| cook.search(part, "keyword")),
        cook.project(id, title, category, &parts),
        numbers.first().and_then(|part| cook.at_least(part)),
        category.map(|part| cook.count_by(part)),
        parts.iter().find(|part| part.list()).and_then(|part| cook.contains(part)),
        parts.iter().find(|part| part.inner()).and_then(|part| cook.any_inner(part)),
        category.zip(numbers.first()).and_then(|(a, b)| cook.count_where(a, b)),
        dates.first().map(|part| cook.last_ten(part, "newest")),
        texts.first().and_then(|part| cook.search(part, "pattern")),
        numbers.first().map(|part| cook.statistics(part)),
    ];
    let more = [
        parts.iter().find(|part| part.has_gaps()).map(|part| cook.missing(part)),
        categories.get(1).and_then(|part| cook.equals(part)),
        category.map(|part| cook.unique(part)),
        numbers.first().map(|part| cook.last_ten(part, "highest")),
        categories.get(1).map(|part| cook.count_by(part)),
        dates.first().and_then(|part| cook.since(part)),
        numbers.get(1).and_then(|part| cook.at_least(part)),
        parts.iter().find(|part| part.list()).map(|part| cook.count_elements(part)),
    ];
    first.into_iter().chain(more).flatten().collect()
}

fn without<'a>(parts: &[Part<'a>], other: Option<&Part<'a>>) -> Vec<Part<'a>> {
    let same = |part: &Part<'a>| other.is_some_and(|other| other.path == part.path);
    parts.iter().filter(|part| !same(part)).copied().collect()
}

struct Cook {
    base: Base,
}

impl Cook {
    fn stream(&self, description: String, filter: &str) -> Recipe {
        let filter = format!("{}{filter}", self.base.stream);
        Recipe { description, filter, params: Vec::new(), slurp: false, raw: false }
    }

    fn slurped(&self, description: String, filter: &str) -> Recipe {
        let filter = format!("{}{filter}", self.base.slurped);
        Recipe { description, filter, params: Vec::new(), slurp: true, raw: false }
    }

    fn browse(
        &self,
        title: Option<&Part<'_>>,
        category: Option<&Part<'_>>,
        parts: &[Part<'_>],
    ) -> Option<Recipe> {
        let mut shown: Vec<&Part<'_>> = title.into_iter().chain(category).collect();
        if shown.is_empty() {
            shown.extend(parts.iter().filter(|part| part.single()).take(3));
        }
        if shown.is_empty() {
            return None;
        }
        let paths: Vec<&str> = shown.iter().map(|part| part.path).collect();
        let labels: Vec<String> = shown.iter().map(|part| part.said()).collect();
        let recipe = self.stream(
            format!("List {}", labels.join(" with ")),
            &format!("[{}] | @tsv", paths.join(", ")),
        );
        Some(Recipe { raw: true, ..recipe })
    }

    fn equals(&self, part: &Part<'_>) -> Option<Recipe> {
        let (value, _) = part.node.values.top(1).first().copied()?;
        let filter = format!("select({} == $value)", part.path);
        Some(with(self.stream(format!("Filter by {}", part.said()), &filter), "value", value))
    }

    fn search(&self, part: &Part<'_>, name: &str) -> Option<Recipe> {
        let word = quote(&keyword(part.node)?);
        let filter = format!("select({} | strings | test(${name}; \"i\"))", part.path);
        Some(with(self.stream(format!("Search {} by keyword", part.said()), &filter), name, &word))
    }

    fn project(
        &self,
        id: Option<&Part<'_>>,
        title: Option<&Part<'_>>,
        category: Option<&Part<'_>>,
        parts: &[Part<'_>],
    ) -> Option<Recipe> {
        let mut shown: Vec<&Part<'_>> = id.into_iter().chain(title).chain(category).collect();
        shown.dedup_by_key(|part| part.path);
        for part in parts.iter().filter(|part| part.single()) {
            if shown.len() < 3 && shown.iter().all(|known| known.path != part.path) {
                shown.push(part);
            }
        }
        if shown.is_empty() {
            return None;
        }
        let members: Vec<String> =
            shown.iter().map(|part| member(part.label(), part.path)).collect();
        let labels: Vec<String> = shown.iter().map(|part| part.said()).collect();
        Some(self.stream(
            format!("Extract only {}", labels.join(", ")),
            &format!("{{{}}}", members.join(", ")),
        ))
    }

    fn at_least(&self, part: &Part<'_>) -> Option<Recipe> {
        let least = part.node.numbers.upper_quarter()?.to_string();
        let filter = format!("select({} >= $min)", part.path);
        let description = format!("Filter by {} at or above a number", part.said());
        Some(with(self.stream(description, &filter), "min", &least))
    }

    fn count_where(&self, category: &Part<'_>, number: &Part<'_>) -> Option<Recipe> {
        let (value, _) = category.node.values.top(1).first().copied()?;
        let least = number.node.numbers.upper_quarter()?.to_string();
        let (path, measure) = (category.path, number.path);
        let filter = format!("map(select({path} == $value and {measure} >= $min)) | length");
        let description =
            format!("Count records by {} and {} together", category.said(), number.said());
        Some(with(with(self.slurped(description, &filter), "value", value), "min", &least))
    }

    fn count_by(&self, part: &Part<'_>) -> Recipe {
        let key = member(part.label(), &format!(".[0]{}", following(part.path)));
        let filter =
            format!("group_by({}) | map({{{key}, count: length}}) | sort_by(-.count)", part.path);
        self.slurped(format!("Count by {}", part.said()), &filter)
    }

    fn contains(&self, part: &Part<'_>) -> Option<Recipe> {
        let (value, _) = part.within.values.top(1).first().copied()?;
        let filter = format!("select(any({}[]?; . == $value))", part.path);
        let description = format!("Filter by a value in {}", part.said());
        Some(with(self.stream(description, &filter), "value", value))
    }

    fn any_inner(&self, part: &Part<'_>) -> Option<Recipe> {
        let (value, _) = part.node.values.top(1).first().copied()?;
        let filter = format!("select(any({}; . == $value))", part.path);
        Some(with(self.stream(format!("Filter by {}", part.said()), &filter), "value", value))
    }

    fn last_ten(&self, part: &Part<'_>, word: &str) -> Recipe {
        let filter = format!("sort_by({}) | reverse | .[:10]", part.path);
        self.slurped(format!("Ten {word} by {}", part.said()), &filter)
    }

    fn since(&self, part: &Part<'_>) -> Option<Recipe> {
        let (_, last) = part.node.texts.dates.as_ref()?;
        let month = quote(last.get(..7)?);
        let filter = format!("select({} >= $since)", part.path);
        Some(with(
            self.stream(format!("Filter by {} since", part.said()), &filter),
            "since",
            &month,
        ))
    }

    fn statistics(&self, part: &Part<'_>) -> Recipe {
        let filter = format!(
            "map({} | numbers) | select(length > 0) | {{min: min, max: max, avg: (add / length), count: length}}",
            part.path
        );
        self.slurped(format!("Statistics of {}", part.said()), &filter)
    }

    fn missing(&self, part: &Part<'_>) -> Recipe {
        let filter = format!("select({} == null)", part.path);
        self.stream(format!("Records without {}", part.said()), &filter)
    }

    fn unique(&self, part: &Part<'_>) -> Recipe {
        let filter = format!("map({}) | unique", part.path);
        self.slurped(format!("List the values of {}", part.said()), &filter)
    }

    fn count_elements(&self, part: &Part<'_>) -> Recipe {
        let filter = format!(
            "map({}[]?) | group_by(.) | map({{value: .[0], count: length}}) | sort_by(-.count)",
            part.path
        );
        self.slurped(format!("Count the values in {}", part.said()), &filter)
    }
}

/// The path as it follows another: `.a` stays, `.["a"]` loses its dot, which jq
/// 1.6 takes only at the beginning.
fn following(path: &str) -> &str {
    if path.starts_with(".[") { &path[1..] } else { path }
}

fn with(mut recipe: Recipe, name: &str, value: &str) -> Recipe {
    recipe.params.push(Param { name: name.to_owned(), value: value.to_owned() });
    recipe
}
