//! Booleans together with texts that spell them.

use crate::{ask_files, ask_of, assert_has, notes_of};

const SPELLED: &str = "{\"i\":1,\"ok\":true}\n{\"i\":2,\"ok\":\"true\"}\n\
                       {\"i\":3,\"ok\":\"False\"}\n\
                       {\"i\":4,\"ok\":false}\n{\"i\":5,\"ok\":null}\n";

#[test]
fn texts_that_spell_booleans_are_booleans_beside_others() {
    for (condition, count) in [
        ("ok", 2),
        ("ok = TRUE", 2),
        ("ok = 1", 2),
        ("ok IS NOT TRUE", 3),
        ("ok = FALSE", 2),
        ("ok IN (TRUE)", 2),
    ] {
        let found = ask_of(&format!("SELECT count(*) FROM records WHERE {condition}"), SPELLED);
        let found = found.unwrap();
        assert_eq!((found.rows, found.notes), (vec![format!("[{count}]")], vec![]), "{condition}");
    }
    let groups = ask_of("SELECT ok, count(*) FROM records GROUP BY ok", SPELLED).unwrap();
    assert_eq!(groups.rows, ["[null,1]", "[0,2]", "[1,2]"]);
    let told = notes_of("SELECT count(*) FROM records WHERE ok = 'true'", SPELLED);
    assert_has(&told, "ok is a boolean: compare with TRUE or FALSE", "ok = 'true'");
    // In all files, or in none.
    let join = "SELECT count(*) FROM records r JOIN b ON b.ok = r.ok";
    let found = ask_files(join, &[("records", SPELLED), ("b", "{\"ok\":\"true\"}\n")]).unwrap();
    assert_eq!(found.rows, ["[1]"]);
}

#[test]
fn booleans_beside_other_texts_are_told() {
    let lines = format!("{SPELLED}{{\"i\":6,\"ok\":\"n/a\"}}\n");
    for (condition, told) in [
        ("ok = TRUE", "ok is a boolean in 2 records and text in 3, such as 'true'"),
        ("ok = 'true'", "lower(ok) IN ('1', 'true') finds 2"),
        ("ok <> FALSE", "lower(ok) NOT IN ('0', 'false') finds"),
    ] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        assert_has(&notes_of(&sql, &lines), told, condition);
    }
    assert_eq!(notes_of("SELECT count(*) FROM records WHERE ok = 'n/a'", &lines), "");
}
