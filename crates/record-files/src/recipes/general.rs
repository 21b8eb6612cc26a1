//! Recipes for records of any kind, from their own fields and values. Each default is an existing
//! value, so that a recipe gives results without changes.

use raw_json::quote;

use super::access::{Base, member};
use super::keyword::keyword;
use super::recipe::Recipe;
use super::roles::{self, RecipeField, RecipeFields};
use crate::schema::Schema;

/// Returns the recipes that the fields support, the best first.
pub(super) fn recipes(schema: &Schema) -> Vec<Recipe> {
    let base = Base::of(schema);
    let reachable = RecipeFields::of(schema, base);
    let fields = reachable.all(schema);
    let writer = RecipeWriter { base };
    let (ids, titles) = (roles::ids(&fields), roles::titles(&fields));
    let (categories, numbers) = (roles::categories(&fields), roles::numbers(&fields));
    let (dates, texts) = (roles::dates(&fields), roles::texts(&fields));
    let categories: Vec<_> = without(&categories, titles.first());
    let numbers: Vec<_> = without(&numbers, categories.first());
    let (id, title, category) = (ids.first(), titles.first(), categories.first());
    let texts: Vec<_> = without(&texts, title);

    // One recipe for each role first, then the other recipes that the fields support.
    let first = [
        writer.browse(title.or(id), category, &fields),
        category.and_then(|field| writer.equals(field)),
        title.and_then(|field| writer.search(field, "keyword")),
        writer.project(id, title, category, &fields),
        numbers.first().and_then(|field| writer.at_least(field)),
        category.map(|field| writer.count_by(field)),
        fields.iter().find(|field| field.list()).and_then(|field| writer.contains(field)),
        fields.iter().find(|field| field.inner()).and_then(|field| writer.any_inner(field)),
        category.zip(numbers.first()).and_then(|(a, b)| writer.count_where(a, b)),
        dates.first().map(|field| writer.last_ten(field, "newest")),
        texts.first().and_then(|field| writer.search(field, "pattern")),
        numbers.first().map(|field| writer.statistics(field)),
    ];
    let more = [
        fields.iter().find(|field| field.has_gaps()).map(|field| writer.missing(field)),
        categories.get(1).and_then(|field| writer.equals(field)),
        category.map(|field| writer.unique(field)),
        numbers.first().map(|field| writer.last_ten(field, "highest")),
        categories.get(1).map(|field| writer.count_by(field)),
        dates.first().and_then(|field| writer.since(field)),
        numbers.get(1).and_then(|field| writer.at_least(field)),
        fields.iter().find(|field| field.list()).map(|field| writer.count_elements(field)),
    ];
    first.into_iter().chain(more).flatten().collect()
}

fn without<'a>(
    fields: &[RecipeField<'a>],
    other: Option<&RecipeField<'a>>,
) -> Vec<RecipeField<'a>> {
    let same = |field: &RecipeField<'a>| other.is_some_and(|other| other.path == field.path);
    fields.iter().filter(|field| !same(field)).copied().collect()
}

/// Writes recipes over the objects at a base.
struct RecipeWriter {
    base: Base,
}

impl RecipeWriter {
    fn each(&self, description: String, filter: &str) -> Recipe {
        Recipe::each(description, format!("{}{filter}", self.base.stream))
    }

    fn slurped(&self, description: String, filter: &str) -> Recipe {
        Recipe::slurped(description, format!("{}{filter}", self.base.slurped))
    }

    fn browse(
        &self,
        title: Option<&RecipeField<'_>>,
        category: Option<&RecipeField<'_>>,
        fields: &[RecipeField<'_>],
    ) -> Option<Recipe> {
        let mut shown: Vec<&RecipeField<'_>> = title.into_iter().chain(category).collect();
        if shown.is_empty() {
            shown.extend(fields.iter().filter(|field| field.single()).take(3));
        }
        if shown.is_empty() {
            return None;
        }
        let paths: Vec<&str> = shown.iter().map(|field| field.path).collect();
        let labels: Vec<String> = shown.iter().map(|field| field.label_line()).collect();
        let description = format!("List {}", labels.join(" with "));
        Some(self.each(description, &format!("[{}] | @tsv", paths.join(", "))).raw())
    }

    fn equals(&self, field: &RecipeField<'_>) -> Option<Recipe> {
        let value = field.node.values.first()?;
        let filter = format!("select({} == $value)", field.path);
        Some(self.each(format!("Filter by {}", field.label_line()), &filter).with("value", value))
    }

    fn search(&self, field: &RecipeField<'_>, name: &str) -> Option<Recipe> {
        let word = quote(&keyword(field.node)?);
        let filter = format!("select({} | strings | test(${name}; \"i\"))", field.path);
        Some(self.each(format!("Search {}", field.label_line()), &filter).with(name, &word))
    }

    fn project(
        &self,
        id: Option<&RecipeField<'_>>,
        title: Option<&RecipeField<'_>>,
        category: Option<&RecipeField<'_>>,
        fields: &[RecipeField<'_>],
    ) -> Option<Recipe> {
        let mut shown: Vec<&RecipeField<'_>> =
            id.into_iter().chain(title).chain(category).collect();
        shown.dedup_by_key(|field| field.path);
        for field in fields.iter().filter(|field| field.single()) {
            if shown.len() < 3 && shown.iter().all(|known| known.path != field.path) {
                shown.push(field);
            }
        }
        if shown.is_empty() {
            return None;
        }
        let members: Vec<String> =
            shown.iter().map(|field| member(field.label(), field.path)).collect();
        let labels: Vec<String> = shown.iter().map(|field| field.label_line()).collect();
        Some(
            self.each(
                format!("Only {}", labels.join(", ")),
                &format!("{{{}}}", members.join(", ")),
            ),
        )
    }

    fn at_least(&self, field: &RecipeField<'_>) -> Option<Recipe> {
        let min = field.node.numbers.upper_quarter()?.to_string();
        let filter = format!("select({} >= $min)", field.path);
        let description = format!("Filter by a minimum of {}", field.label_line());
        Some(self.each(description, &filter).with("min", &min))
    }

    fn count_where(&self, category: &RecipeField<'_>, number: &RecipeField<'_>) -> Option<Recipe> {
        let value = category.node.values.first()?;
        let min = number.node.numbers.upper_quarter()?.to_string();
        let (path, measure) = (category.path, number.path);
        let filter = format!("map(select({path} == $value and {measure} >= $min)) | length");
        let description =
            format!("Count by {} with a minimum of {}", category.label_line(), number.label_line());
        Some(self.slurped(description, &filter).with("value", value).with("min", &min))
    }

    fn count_by(&self, field: &RecipeField<'_>) -> Recipe {
        let key = member(field.label(), &format!(".[0]{}", following(field.path)));
        let filter =
            format!("group_by({}) | map({{{key}, count: length}}) | sort_by(-.count)", field.path);
        self.slurped(format!("Count by {}", field.label_line()), &filter)
    }

    fn contains(&self, field: &RecipeField<'_>) -> Option<Recipe> {
        let value = field.within.values.first()?;
        let filter = format!("select(any({}[]?; . == $value))", field.path);
        let description = format!("Filter by an element of {}", field.label_line());
        Some(self.each(description, &filter).with("value", value))
    }

    fn any_inner(&self, field: &RecipeField<'_>) -> Option<Recipe> {
        let value = field.node.values.first()?;
        let filter = format!("select(any({}; . == $value))", field.path);
        Some(self.each(format!("Filter by {}", field.label_line()), &filter).with("value", value))
    }

    fn last_ten(&self, field: &RecipeField<'_>, word: &str) -> Recipe {
        let filter = format!("sort_by({}) | reverse | .[:10]", field.path);
        self.slurped(format!("Ten {word} by {}", field.label_line()), &filter)
    }

    fn since(&self, field: &RecipeField<'_>) -> Option<Recipe> {
        let (_, last) = field.node.texts.dates.as_ref()?;
        let month = quote(last.get(..7)?);
        let filter = format!("select({} >= $since)", field.path);
        Some(
            self.each(format!("Filter by {} since", field.label_line()), &filter)
                .with("since", &month),
        )
    }

    fn statistics(&self, field: &RecipeField<'_>) -> Recipe {
        let filter = format!(
            "map({} | numbers) | select(length > 0) | {{min: min, max: max, avg: (add / length), count: length}}",
            field.path
        );
        self.slurped(format!("Statistics of {}", field.label_line()), &filter)
    }

    fn missing(&self, field: &RecipeField<'_>) -> Recipe {
        let filter = format!("select({} == null)", field.path);
        self.each(format!("Records without {}", field.label_line()), &filter)
    }

    fn unique(&self, field: &RecipeField<'_>) -> Recipe {
        let filter = format!("map({}) | unique", field.path);
        self.slurped(format!("List the values of {}", field.label_line()), &filter)
    }

    fn count_elements(&self, field: &RecipeField<'_>) -> Recipe {
        let filter = format!(
            "map({}[]?) | group_by(.) | map({{value: .[0], count: length}}) | sort_by(-.count)",
            field.path
        );
        self.slurped(format!("Count the values in {}", field.label_line()), &filter)
    }
}

/// Returns a path to append to another: `.["a"]` loses its dot, which jq 1.6 accepts only
/// at the start.
fn following(path: &str) -> &str {
    if path.starts_with(".[") { &path[1..] } else { path }
}
