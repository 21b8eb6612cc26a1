//! The recipes: the tables of the specifications, and derived recipes.

use super::*;
use crate::schema::infer;

#[test]
fn ten_prefers_what_did_well_and_keeps_the_order() {
    let schema = infer(["1", "2"].into_iter());
    let all = candidates(Profile::General, Detail::Full, &schema);
    assert!(all.len() >= 16, "{}", all.len());
    let mut ok = vec![true; all.len()];
    ok[1] = false;
    let names: Vec<String> = all.iter().map(|recipe| recipe.description.clone()).collect();
    let ten = ten(all, &ok);
    assert_eq!(ten.len(), 10);
    let chosen: Vec<&str> = ten.iter().map(|recipe| recipe.description.as_str()).collect();
    assert_eq!(chosen[..2], [names[0].as_str(), names[2].as_str()]);
    assert_eq!(chosen[9], names[10]);
}

#[test]
fn memories_have_exactly_their_ten() {
    let schema = infer([].into_iter());
    for profile in [Profile::Mif, Profile::Mif6400] {
        assert_eq!(candidates(profile, Detail::Full, &schema).len(), TEN);
    }
}

#[test]
fn recipes_are_made_of_the_fields() {
    let records: Vec<String> = (0..20)
        .map(|n| {
            let (status, tag) = if n % 3 == 0 { ("open", "urgent") } else { ("done", "later") };
            format!(
                r#"{{"id":{n},"title":"Task number {n}","status":"{status}","size":{},"tags":["{tag}"],"due":"2024-01-{:02}"}}"#,
                n * 7,
                n + 1
            )
        })
        .collect();
    let schema = infer(records.iter().map(String::as_str));
    let commands: Vec<String> = candidates(Profile::General, Detail::Full, &schema)
        .iter()
        .take(10)
        .map(|recipe| recipe.command("F").replace("tail -n +2 F | ", ""))
        .collect();
    assert_eq!(
        commands,
        [
            "jq -r '[.title, .status] | @tsv'",
            "jq 'select(.status == \"done\")'",
            "jq 'select(.title | strings | test(\"Task\"; \"i\"))'",
            "jq '{id, title, status}'",
            "jq 'select(.size >= 105)'",
            "jq -s 'group_by(.status) | map({status: .[0].status, count: length}) | sort_by(-.count)'",
            "jq 'select(any(.tags[]?; . == \"later\"))'",
            "jq -s 'map(select(.status == \"done\" and .size >= 105)) | length'",
            "jq -s 'sort_by(.due) | reverse | .[:10]'",
            "jq -s 'map(.size | numbers) | select(length > 0) | {min: min, max: max, avg: (add / length), count: length}'",
        ]
    );
}

/// A text that differs in each record is a title, and so is one that repeats under such a name.
#[test]
fn a_title_is_told_by_its_values_or_its_name() {
    let recipes = |record: &dyn Fn(u32) -> String| {
        let records: Vec<String> = (0..20).map(record).collect();
        let schema = infer(records.iter().map(String::as_str));
        let all = candidates(Profile::General, Detail::Full, &schema);
        all.iter().map(|recipe| recipe.command("F")).collect::<Vec<_>>().join("\n")
    };
    let phrases = recipes(&|n| format!(r#"{{"id":{n},"phrase":"What was said as number {n}"}}"#));
    assert!(phrases.contains("{id, phrase}"), "{phrases}");
    let titles = recipes(&|n| format!(r#"{{"id":{n},"title":"Volume {}"}}"#, n % 2));
    assert!(titles.contains("select(.title | strings | test("), "{titles}");
}
