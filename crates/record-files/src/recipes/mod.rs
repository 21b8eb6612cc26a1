//! The recipes of a descriptor: ten jq filters. For memories they are those of the
//! specification; for other records they are derived from the schema, the best first, with
//! spare ones for those that fail or give no output.
//!
//! ```
//! use record_files::recipes::{Detail, Profile, candidates};
//! use record_files::schema::infer;
//!
//! let schema = infer([r#"{"id":"a","size":3}"#, r#"{"id":"b","size":20}"#].into_iter());
//! let recipes = candidates(Profile::General, Detail::Full, &schema);
//! assert_eq!(recipes[0].command("f.jsonl"), "tail -n +2 f.jsonl | jq -r '[.id] | @tsv'");
//! ```

mod access;
mod fallback;
mod general;
mod keyword;
mod mif;
mod profile;
mod recipe;
mod roles;
mod sql;

use crate::schema::Schema;

pub use profile::{Detail, Profile};
pub use recipe::{Param, Purpose, Recipe};
pub(crate) use sql::sql_name;
pub use sql::statements;

/// The number of recipes of a descriptor (`lro-spec-1600`).
pub const TEN: usize = 10;

/// Returns the ten recipes of a profile; for [`Profile::General`], at least six spare ones
/// after them. No two have the same filter.
pub fn candidates(profile: Profile, detail: Detail, schema: &Schema) -> Vec<Recipe> {
    match profile {
        Profile::Mif => mif::table(detail),
        Profile::Mif6400 => mif::table_6400(),
        Profile::General => {
            let mut all = general::recipes(schema);
            all.extend(fallback::recipes(schema));
            let mut seen = std::collections::HashSet::new();
            all.retain(|recipe| {
                seen.insert((recipe.with_defaults(), recipe.slurp))
                    && seen.insert((recipe.description.clone(), true))
            });
            all
        }
    }
}

/// Returns the first ten candidates whose entry in `ok` is true. If there are fewer, fills up with
/// other candidates.
pub fn ten(candidates: Vec<Recipe>, ok: &[bool]) -> Vec<Recipe> {
    let is_ok = |at: usize| ok.get(at).copied().unwrap_or(false);
    let mut ranked: Vec<(usize, Recipe)> = candidates.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, _)| !is_ok(*at));
    ranked.truncate(TEN);
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(_, recipe)| recipe).collect()
}

/// Returns a frequent word of a field's texts; `None` if the field has no texts.
pub fn keyword(schema: &Schema, path: &str) -> Option<String> {
    let field = schema.paths().into_iter().find(|field| field.path == path)?;
    keyword::keyword(schema.node(field.node))
}

#[cfg(test)]
#[path = "recipes_tests.rs"]
mod tests;
