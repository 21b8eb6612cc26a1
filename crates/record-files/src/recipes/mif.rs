//! The recipe tables of the two MIF specifications (`lro-spec-1600`, `lro-spec-6400-mif`),
//! unchanged. They do not depend on the records.

use super::profile::Detail;
use super::recipe::Recipe;

/// Returns the ten recipes of `lro-spec-1600`; the last two depend on the detail.
pub(super) fn table(detail: Detail) -> Vec<Recipe> {
    let search = || {
        Recipe::each("Full-text search in content", r#"select(.content | test($pattern; "i"))"#)
            .with("pattern", "\"pattern\"")
    };
    let by_confidence =
        |path: &str| Recipe::slurped("Sort by confidence desc", format!("sort_by(-{path})"));
    let last = match detail {
        Detail::Light => [
            Recipe::slurped("List unique namespaces", "[.[].namespace] | unique"),
            Recipe::slurped(
                "Count by memory_type",
                "group_by(.memory_type) | map({memory_type: .[0].memory_type, count: length})",
            ),
        ],
        Detail::Medium => [by_confidence(".confidence"), search()],
        Detail::Full => [by_confidence(".provenance.confidence"), search()],
    };
    let mut table = vec![
        Recipe::each("List titles with namespaces", "[.title, .namespace] | @tsv").raw(),
        by_namespace(),
        by_keyword(),
        Recipe::each("Extract IDs and titles only", "{id, title, namespace}"),
        by_type("Filter by memory type"),
        Recipe::slurped("Count by namespace", COUNT_BY_NAMESPACE),
        Recipe::each("Filter by tag", "select(.tags | index($tag))").with("tag", "\"TAG\""),
        Recipe::slurped("Sort by created date", "sort_by(.created)"),
    ];
    table.extend(last);
    table
}

const COUNT_BY_NAMESPACE: &str =
    "group_by(.namespace) | map({namespace: .[0].namespace, count: length})";

/// Returns the ten recipes of `lro-spec-6400-mif`.
pub(super) fn table_6400() -> Vec<Recipe> {
    vec![
        Recipe::each("List all titles with scores", "[.title, .provenance.confidence] | @tsv")
            .raw(),
        by_namespace(),
        by_keyword(),
        Recipe::slurped("Sort by confidence (descending)", "sort_by(-.provenance.confidence)"),
        Recipe::each("Extract IDs and titles only", "{id, title, namespace}"),
        by_type("Filter by memory type"),
        Recipe::each("Get memories with entities", "select(.entities | length > 0)"),
        Recipe::slurped("Count by namespace", format!("{COUNT_BY_NAMESPACE} | sort_by(-.count)")),
        Recipe::slurped("Get top N by score", "sort_by(-.provenance.confidence) | .[:10]"),
        Recipe::each("Full-text search in content", r#"select(.content | test($pattern; "i"))"#)
            .with("pattern", "\"pattern\""),
    ]
}

fn by_namespace() -> Recipe {
    Recipe::each("Filter by namespace prefix", "select(.namespace | startswith($namespace))")
        .with("namespace", "\"_semantic\"")
}

fn by_keyword() -> Recipe {
    Recipe::each("Search titles by keyword", r#"select(.title | test($keyword; "i"))"#)
        .with("keyword", "\"keyword\"")
}

fn by_type(description: &str) -> Recipe {
    Recipe::each(description, "select(.memory_type == $memory_type)")
        .with("memory_type", "\"semantic\"")
}
