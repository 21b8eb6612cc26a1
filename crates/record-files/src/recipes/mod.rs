//! The recipes of a descriptor: exactly ten. For memories they are the
//! specification's; for other records they are derived from the schema, the best
//! first, with spare ones for those that give nothing when they are tried.

mod access;
mod general;
mod mif;
mod pool;
mod roles;
mod words;

use super::profile::{Detail, Profile};
use super::recipe::Recipe;
use super::schema::Schema;

/// How many recipes a descriptor has (`lro-spec-1600`).
pub const TEN: usize = 10;

/// The ten recipes of a profile, and after them, for [`Profile::General`] only,
/// at least six spare ones. No two have the same filter.
pub fn candidates(profile: Profile, detail: Detail, schema: &Schema) -> Vec<Recipe> {
    match profile {
        Profile::Mif => mif::table(detail),
        Profile::Mif6400 => mif::table_6400(),
        Profile::General => {
            let mut all = general::recipes(schema);
            all.extend(pool::recipes(schema));
            let mut seen = std::collections::HashSet::new();
            all.retain(|recipe| {
                seen.insert((recipe.with_defaults(), recipe.slurp))
                    && seen.insert((recipe.description.clone(), true))
            });
            all
        }
    }
}

/// The first ten of the candidates that did well (`ok` of the same length); where
/// fewer did, the others fill up. Fewer than ten only of fewer candidates.
pub fn ten(candidates: Vec<Recipe>, ok: &[bool]) -> Vec<Recipe> {
    let good = |at: usize| ok.get(at).copied().unwrap_or(false);
    let mut ranked: Vec<(usize, Recipe)> = candidates.into_iter().enumerate().collect();
    ranked.sort_by_key(|(at, _)| !good(*at));
    ranked.truncate(TEN);
    ranked.sort_by_key(|(at, _)| *at);
    ranked.into_iter().map(|(_, recipe)| recipe).collect()
}

#[cfg(test)]
#[path = "recipes_tests.rs"]
mod tests;
