//! Recipes for any JSON values. They complete the ten if the records have few fields, and
//! replace recipes that fail or give no output.

use raw_json::quote;

use super::keyword::keyword;
use super::recipe::Recipe;
use crate::schema::Schema;

/// Returns sixteen recipes, enough for ten for records of any kind.
pub(super) fn recipes(schema: &Schema) -> Vec<Recipe> {
    let word = schema
        .paths()
        .iter()
        .find_map(|field| keyword(schema.node(field.node)))
        .unwrap_or_else(|| "1".to_owned());
    vec![
        Recipe::each("Search every field by keyword", "select(tostring | test($pattern; \"i\"))")
            .with("pattern", &quote(&word)),
        Recipe::slurped("First records", ".[:$n]").with("n", "5"),
        Recipe::slurped("Count records", "length"),
        Recipe::slurped(
            "List the keys with how often each occurs",
            "map(objects | keys[]) | group_by(.) | map({key: .[0], count: length}) | sort_by(-.count)",
        ),
        Recipe::slurped("Last records", ".[-$n:]").with("n", "5"),
        Recipe::slurped("Every tenth record", "[range(0; length; $step) as $at | .[$at]]")
            .with("step", "10"),
        Recipe::slurped("Three longest records", "sort_by(-(tostring | length)) | .[:3]"),
        Recipe::slurped(
            "Count records by type",
            "group_by(type) | map({type: (.[0] | type), count: length})",
        ),
        Recipe::slurped(
            "List the paths of the first hundred records",
            "[.[:100][] | paths | map(strings) | join(\".\")] | unique",
        ),
        Recipe::slurped("Count distinct records", "unique | length"),
        Recipe::slurped("First records with their positions", "to_entries | .[:5]"),
        Recipe::slurped("Size of all records in characters", "map(tostring | length) | add"),
        Recipe::slurped("Three shortest records", "sort_by(tostring | length) | .[:3]"),
        Recipe::slurped("Records in reverse order, the first five", "reverse | .[:5]"),
        Recipe::slurped("Size of each record in characters", "map(tostring | length)"),
        Recipe::slurped("Type of each record", "map(type)"),
    ]
}
