//! Recipes for any JSON values at all: what fills up to ten where the records
//! have few fields, and what stands in for a recipe that shows nothing.

use chat_history::splice::quote;

use super::words::keyword;
use crate::recipe::{Param, Recipe};
use crate::schema::Schema;

/// They are more than ten, so that there are ten for records of any kind.
pub(super) fn recipes(schema: &Schema) -> Vec<Recipe> {
    let word = schema
        .paths()
        .iter()
        .find_map(|field| keyword(schema.node(field.node)))
        .unwrap_or_else(|| "1".to_owned());
    vec![
        plain(
            "Search every field by keyword",
            "select(tostring | test($pattern; \"i\"))",
            false,
            &[("pattern", &quote(&word))],
        ),
        plain("First records", ".[:$n]", true, &[("n", "5")]),
        plain("Count records", "length", true, &[]),
        plain(
            "List the keys with how often each occurs",
            "map(objects | keys[]) | group_by(.) | map({key: .[0], count: length}) | sort_by(-.count)",
            true,
            &[],
        ),
        plain("Last records", ".[-$n:]", true, &[("n", "5")]),
        plain(
            "Every tenth record",
            "[range(0; length; $step) as $at | .[$at]]",
            true,
            &[("step", "10")],
        ),
        plain("Three longest records", "sort_by(-(tostring | length)) | .[:3]", true, &[]),
        plain(
            "Count records by type",
            "group_by(type) | map({type: (.[0] | type), count: length})",
            true,
            &[],
        ),
        plain(
            "List the paths of the first hundred records",
            "[.[:100][] | paths | map(strings) | join(\".\")] | unique",
            true,
            &[],
        ),
        plain("Count distinct records", "unique | length", true, &[]),
        plain("First records with their positions", "to_entries | .[:5]", true, &[]),
        plain("Size of all records in characters", "map(tostring | length) | add", true, &[]),
        plain("Three shortest records", "sort_by(tostring | length) | .[:3]", true, &[]),
        plain("Records in reverse order, the first five", "reverse | .[:5]", true, &[]),
        plain("Size of each record in characters", "map(tostring | length)", true, &[]),
        plain("Type of each record", "map(type)", true, &[]),
    ]
}

fn plain(description: &str, filter: &str, slurp: bool, params: &[(&str, &str)]) -> Recipe {
    let param = |(name, value): &(&str, &str)| Param {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    Recipe {
        description: description.to_owned(),
        filter: filter.to_owned(),
        params: params.iter().map(param).collect(),
        slurp,
        raw: false,
    }
}
