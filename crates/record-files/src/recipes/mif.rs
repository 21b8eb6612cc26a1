//! The recipe tables of the two MIF specifications, as they stand there
//! (`lro-spec-1600`, `lro-spec-6400-mif`). None depends on the records.

use crate::profile::Detail;
use crate::recipe::{Param, Recipe};

/// The ten recipes of `lro-spec-1600`; the last two depend on the level.
pub(super) fn table(detail: Detail) -> Vec<Recipe> {
    let search = || {
        stream("Full-text search in content", r#"select(.content | test($pattern; "i"))"#)
            .with("pattern", "\"pattern\"")
    };
    let by_confidence =
        |path: &str| slurped("Sort by confidence desc", &format!("sort_by(-{path})"));
    let last = match detail {
        Detail::Light => [
            slurped("List unique namespaces", "[.[].namespace] | unique"),
            slurped(
                "Count by memory_type",
                "group_by(.memory_type) | map({memory_type: .[0].memory_type, count: length})",
            ),
        ],
        Detail::Medium => [by_confidence(".confidence"), search()],
        Detail::Full => [by_confidence(".provenance.confidence"), search()],
    };
    let mut table = vec![
        stream("List titles with namespaces", "[.title, .namespace] | @tsv").raw(),
        by_namespace(),
        by_keyword(),
        stream("Extract IDs and titles only", "{id, title, namespace}"),
        by_type("Filter by memory type"),
        slurped("Count by namespace", COUNT_BY_NAMESPACE),
        stream("Filter by tag", "select(.tags | index($tag))").with("tag", "\"TAG\""),
        slurped("Sort by created date", "sort_by(.created)"),
    ];
    table.extend(last);
    table
}

const COUNT_BY_NAMESPACE: &str =
    "group_by(.namespace) | map({namespace: .[0].namespace, count: length})";

/// The ten recipes of `lro-spec-6400-mif`.
pub(super) fn table_6400() -> Vec<Recipe> {
    vec![
        stream("List all titles with scores", "[.title, .provenance.confidence] | @tsv").raw(),
        by_namespace(),
        by_keyword(),
        slurped("Sort by confidence (descending)", "sort_by(-.provenance.confidence)"),
        stream("Extract IDs and titles only", "{id, title, namespace}"),
        by_type("Filter by memory type"),
        stream("Get memories with entities", "select(.entities | length > 0)"),
        slurped("Count by namespace", &format!("{COUNT_BY_NAMESPACE} | sort_by(-.count)")),
        slurped("Get top N by score", "sort_by(-.provenance.confidence) | .[:10]"),
        stream("Full-text search in content", r#"select(.content | test($pattern; "i"))"#)
            .with("pattern", "\"pattern\""),
    ]
}

fn by_namespace() -> Recipe {
    stream("Filter by namespace prefix", "select(.namespace | startswith($namespace))")
        .with("namespace", "\"_semantic\"")
}

fn by_keyword() -> Recipe {
    stream("Search titles by keyword", r#"select(.title | test($keyword; "i"))"#)
        .with("keyword", "\"keyword\"")
}

fn by_type(description: &str) -> Recipe {
    stream(description, "select(.memory_type == $memory_type)").with("memory_type", "\"semantic\"")
}

fn stream(description: &str, filter: &str) -> Recipe {
    Recipe {
        description: description.to_owned(),
        filter: filter.to_owned(),
        params: Vec::new(),
        slurp: false,
        raw: false,
    }
}

fn slurped(description: &str, filter: &str) -> Recipe {
    Recipe { slurp: true, ..stream(description, filter) }
}

impl Recipe {
    fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.params.push(Param { name: name.to_owned(), value: value.to_owned() });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(table: &[Recipe]) -> Vec<String> {
        table.iter().map(|recipe| recipe.command("F")).collect()
    }

    #[test]
    fn the_first_eight_are_the_same_at_every_level() {
        let [light, medium, full] = [Detail::Light, Detail::Medium, Detail::Full].map(table);
        assert_eq!(light[..8], medium[..8]);
        assert_eq!(light[..8], full[..8]);
    }

    #[test]
    fn confidence_is_read_where_the_level_has_it() {
        assert!(commands(&table(Detail::Medium))[8].ends_with("sort_by(-.confidence)'"));
        assert!(commands(&table(Detail::Full))[8].ends_with("sort_by(-.provenance.confidence)'"));
    }

    #[test]
    fn no_recipe_reads_a_score_and_light_ones_read_no_content() {
        for detail in [Detail::Light, Detail::Medium, Detail::Full] {
            assert!(commands(&table(detail)).iter().all(|command| !command.contains(".score")));
        }
        assert!(commands(&table(Detail::Light)).iter().all(|c| !c.contains(".content")));
    }
}
