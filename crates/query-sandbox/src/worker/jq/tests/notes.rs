//! Notes on filters that mean something else than they look.

use super::{answer, answer_over, assert_noted, assert_silent};

#[test]
fn an_absent_path_is_noted_with_the_path_that_exists() {
    for (filter, field, near) in [
        (".trust", "`.trust`", "`.by.trust`"),
        (".trust // 0", "`.trust`", "`.by.trust`"),
        ("select(.trust > 0.1)", "`.trust`", "`.by.trust`"),
        ("[.[] | select(.trust > 0.1)] | length", "`.trust`", "`.by.trust`"),
        ("map(.trust // 0) | add", "`.trust`", "`.by.trust`"),
        ("group_by(.nmae) | length", "`.nmae`", "`.by.name`"),
        ("sort_by(.by.trsut) | .[0].id", "`.by.trsut`", "`.by.trust`"),
        ("select(.by.name2 == null) | .id", "`.by.name2`", "`.by.name`"),
        (".parts[].knd", "`.parts[].knd`", "`.parts[].kind`"),
        (".parts[0].kid", "`.parts[0].kid`", "`.parts[].kind`"),
        ("{id, Size}", "`.Size`", "`.size`"),
        (".size2?", "`.size2`", "`.size`"),
        (". as $r | {x: $r.sizes}", "`.sizes`", "`.size`"),
        (". as {siz: $s} | $s", "`.siz`", "`.size`"),
        ("[.tags[]?, .kind]", "`.kind`", "`.parts[].kind`"),
        ("\"\\(.id) \\(.nam)\"", "`.nam`", "`.by.name`"),
        ("first(.[] | select(.kind == 1))", "`.kind`", "`.parts[].kind`"),
        ("max_by(.trust) | .id", "`.trust`", "`.by.trust`"),
        ("reduce .[] as $r (0; . + $r.trust)", "`.trust`", "`.by.trust`"),
        (".unit_price", "`.unit_price`", "`.\"unit price\"`"),
        ("map({n: .size}) | sort_by(.m) | length", "`m`", "`n`"),
        (".parts.kind?", "`.parts.kind`", "`.parts[].kind`"),
        (".by.person.name", "`.by.person`", "`.by.name`"),
        (".by_name", "`.by_name`", "`.by.name`"),
        (".unitPrice", "`.unitPrice`", "`.\"unit price\"`"),
        (".size_of_it", "`.size_of_it`", "`.size`"),
    ] {
        let answer = answer(filter);
        let notes = answer.notes.join("\n");
        assert!(notes.contains(field) && notes.contains(near), "{filter} {answer:?}");
    }
}

#[test]
fn what_a_filter_may_read_is_not_noted() {
    for filter in [
        ".by | .trust",
        ".. | .trust?",
        "[.. | .kind? // empty] | length",
        "with_entries(.value |= tostring)",
        "with_entries(select(.key == \"id\")) | .id",
        "{n: .id} | .n",
        "map({n: .id}) | .[0].n",
        "group_by(.size) | map({k: .[0].size, n: length}) | sort_by(.n) | .[0].k",
        ".new = 1 | .new",
        ".count += 1 | .count",
        ".by.new |= 3",
        "path(.nothing)",
        "del(.nothing)",
        "has(\"nothing\")",
        "select(has(\"more\")) | .more",
        ".more",
        ".z",
        ".title // .id",
        "(.title // .by.name) | length",
        "to_entries[] | .value | numbers",
        "map(.by) | .[].trust",
        ".[] | .by | .name",
        "map(.parts[]) | map(.kind) | unique",
        "reduce .[] as $r ({}; .[$r.id] += 1) | .a",
        "[.[] | {key: .id, value: .size}] | from_entries | .a",
        "INDEX(.id) | .a.size",
        ". as $r | .parts[] | {id: $r.id, kind}",
        "def f: .by; f | .name",
        "def f(g): g; f(.by) | .name",
        ".tags as [$first] | $first",
        "getpath([\"by\", \"name\"])",
        ".[\"by\"][\"name\"]",
        ".\"unit price\"",
        "limit(1; .[] | .id)",
        "map(select(.parts[]?.kind == \"k\")) | length",
        "if .size > 3 then .by else .parts[0] end | .name?",
        "(.id | capture(\"(?<first>.)\")) | .first",
        "(.by + {extra: 1}) | .extra",
        "(.by * {extra: 1}) | .trust",
        "[.parts[] | .kind] | first",
        "{a: {b: .id}} | .a.b",
        "[{x: .id}, {y: .id}] | .[].x",
        "\"trust\" as $k | .by[$k]",
        "input_use? // 1",
    ] {
        let answer = answer(filter);
        assert!(answer.notes.is_empty(), "{filter} {answer:?}");
    }
}

#[test]
fn names_of_unknown_values_are_noted_only_where_nothing_came_out() {
    let notes = |filter: &str| answer(filter).notes;
    assert!(notes("[.. | .trsut? // empty] | length").is_empty());
    assert_eq!(
        notes(".. | .trsut? // empty"),
        ["no record has a field `trsut`; nearest: `.by.trust`"]
    );
    assert!(notes(".. | .trust? // empty").is_empty());
}

#[test]
fn a_comparison_that_never_holds_is_noted() {
    let rows = "{\"n\":\"7\",\"b\":\"true\",\"k\":\"Red\",\"i\":1,\"t\":[\"x\"],\"d\":null}\n\
                {\"n\":\"12\",\"b\":\"false\",\"k\":\"Blue\",\"i\":2,\"t\":[],\"d\":\"e\"}\n";
    for (filter, words) in [
        (
            "map(select(.n > 9)) | length",
            "such as \"12\", \"7\", and never a number; `(.n | tonumber)`",
        ),
        ("select(.b == true)", "never a boolean"),
        ("select(.t == \"x\") | .i", "any(.t[]; . == …)"),
        (
            "select(.i == \"1\")",
            "`.i` is a number in the records, such as 1, 2, and never a string",
        ),
        (
            "[.[] | select(.k == \"red\")] | length",
            "no record has \"red\" in `.k`; nearest: \"Red\"",
        ),
        ("select(.k == \"Green\")", "the values are \"Blue\", \"Red\""),
        ("select(1 < .n)", "never a number"),
        ("select(.b)", "every string is true"),
        ("map(select(.b | not)) | length", "every string is true"),
        ("select(.i > 0 and .b)", "every string is true"),
        ("map(select(.k | . == \"red\")) | length", "nearest: \"Red\""),
        ("map(select(.k != \"red\")) | length", "no record has \"red\" in `.k`; nearest: \"Red\""),
        ("[.[] | select(.k | IN(\"Red\", \"blue\"))] | length", "nearest: \"Blue\""),
        ("select(.k | startswith(\"r\"))", "no text in `.k` begins with \"r\"; \"Red\" does"),
        ("map(select(.k | endswith(\"UE\"))) | length", "ends with \"UE\"; \"Blue\" does"),
        ("map(select(.k | contains(\"eD\"))) | length", "contains \"eD\"; \"Red\" does"),
        ("map(select(.k | test(\"^red\"))) | length", "matches \"^red\"; \"Red\" does"),
        ("select(.k | test(\"BLUE\"; \"x\"))", "`test(\"BLUE\"; \"i\")` finds these"),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "select(.k == \"Red\")",
        "select(.d == null)",
        "select(.d == \"e\")",
        "select(.i > 9)",
        "select(.i == 9)",
        "select(.k)",
        "select(.d | not)",
        "select((.n | tonumber) > 9)",
        "select(.t[] == \"x\")",
        "select(any(.t[]; . == \"x\"))",
        "select(.k != \"Green\")",
        "select(.k | startswith(\"G\"))",
        "select(.k | contains(\"ed\"))",
        "select(.k | test(\"^red\"; \"i\"))",
        "select(.k | test(\"(?i)^red\"))",
        "select(.k | test(\"Red\"))",
        "select(.k > \"Z\")",
        "select((.d // \"none\") == \"none\")",
    ] {
        let notes = answer_over(filter, None, rows).notes;
        assert!(notes.is_empty(), "{filter}: {notes:?}");
    }
}

#[test]
fn a_number_among_texts_is_shown_as_a_number() {
    let rows = "{\"k\":5,\"t\":\"2026-03-30T10:00:00Z\"}\n{\"k\":\"7\",\"t\":\"x\"}\n";
    let notes = |filter: &str| answer_over(filter, None, rows).notes;
    assert_eq!(
        notes("map(select(.k == \"5\")) | length"),
        ["no record has \"5\" in `.k`; nearest: 5, \"7\"; it is a number in some records, \
          such as 5"]
    );
    for filter in ["map(select(.t[0:10] == \"2026-03-30\")) | length", "map(.t[:4]) | .[:2]"] {
        assert_eq!(notes(filter), [""; 0], "{filter}");
    }
    assert_eq!(notes(".[0:1] | map(.q)"), ["no record has a field `.q`; nearest: `.k`, `.t`"]);
}

#[test]
fn a_comparison_that_only_some_values_meet_is_noted() {
    let rows = "{\"p\":5,\"ok\":true,\"a\":1,\"n\":1}\n\
                {\"p\":\"50\",\"ok\":\"true\",\"a\":null,\"n\":2}\n{\"p\":70,\"ok\":false,\"n\":3}\n";
    for (filter, words) in [
        ("map(select(.p > 40)) | length", "`.p` is a string in some records, such as \"50\""),
        ("map(select(.ok == true)) | length", "never equal to a boolean"),
        ("map(select(.a < 10)) | length", "`.a` is null or absent in some records"),
        ("map(select(10 > .a)) | length", "`.a != null and …`"),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "map(select(.n < 10)) | length",
        "map(select(.a > 0)) | length",
        "map(select(.a != null and .a < 10)) | length",
        "map(select(.ok)) | length",
    ] {
        assert_silent(filter, rows);
    }
}

#[test]
fn an_order_of_another_kind_is_noted() {
    let of = |filter: &str, values: &[&str]| {
        let records: String = values
            .iter()
            .map(|value| format!("{{\"x\":{value},\"y\":{{\"z\":{value}}}}}\n"))
            .collect();
        answer_over(filter, Some(true), &records).notes.join("\n")
    };
    let prices = ["\"$9\"", "\"$100\"", "\"$20\""];
    for (filter, values, words) in [
        ("map(.x) | max", &prices[..], "text of numbers with other characters, which jq orders"),
        ("sort_by(.x) | last", &prices, "(\"$100\" < \"$20\")"),
        ("max_by(.y.z)", &prices, "`.y.z` is text of numbers"),
        ("[.[].x] | sort", &["\"9\"", "\"10\""], "`tonumber` makes numbers of them"),
        ("map(.x) | min", &["\"1.9.0\"", "\"1.10.0\""], "`ltrimstr(\"v\") | split"),
        ("map(.x) | max", &["\"1.9.0\"", "\"1.10.0-rc1\""], "send the same as SQL"),
        ("map(.x) | max", &["\"9\"", "\"8\"", "\"N/A\""], "send the same as SQL"),
        (
            "max_by(.x)",
            &["\"2025-05-14T23:30:00-05:00\"", "\"2025-05-15T03:00:00+02:00\""],
            "text of times of several zones",
        ),
        ("map(select(.x < \"20\")) | length", &["\"3\"", "\"10\""], "letter by letter"),
        ("max_by(.x).x", &["\"PAY-9\"", "\"PAY-10\""], "(\"PAY-10\" < \"PAY-9\")"),
        ("max_by(.x).x", &["\"98円\"", "\"1,200円\""], "(\"1,200円\" < \"98円\")"),
        ("map(select(.x > \"PT1H\"))", &["\"PT9M\"", "\"PT12M\""], "(\"PT1H\" < \"PT9M\")"),
        ("sort_by(.x)", &["1", "\"2\""], "jq orders by type first"),
        ("min_by(.x)", &["1", "null"], "`select(.x != null)` leaves these out"),
        ("sort_by(.x) | .[0]", &["1", "null"], "`select(.x != null)` leaves these out"),
        ("sort_by(.x) | first | .x", &["1", "null"], "null is the least value"),
        ("sort_by(.x)[0].x", &["1", "null"], "null is the least value"),
        ("sort_by(.x) | .[:1] | map(.x)", &["1", "null"], "null is the least value"),
        ("[limit(1; sort_by(.x) | .[0:1])]", &["1", "null"], "null is the least value"),
        ("sort_by(.x) | limit(1; .[]) | .x", &["1", "null"], "null is the least value"),
        ("map(.x) | sort | .[0]", &["1", "null"], "null is the least value"),
    ] {
        let notes = of(filter, values);
        assert!(notes.contains(words), "{filter} {values:?}: {notes}");
    }
    for (filter, values) in [
        ("max_by(.x)", &["1", "null"][..]),
        ("sort_by(.x)", &["1", "null"]),
        ("sort_by(.x) | .[-1]", &["1", "null"]),
        ("sort_by(.x) | last", &["1", "null"]),
        ("sort_by(.x) | reverse | .[0]", &["1", "null"]),
        ("map(select(.x != null)) | sort_by(.x) | .[0]", &["1", "null"]),
        ("map(select(.x != null)) | min_by(.x)", &["1", "null"]),
        ("map(.x | tonumber) | max", &["\"9\"", "\"10\""]),
        ("sort_by(.x)", &["\"2025-05-14\"", "\"2025-05-15\""]),
        ("sort_by(.x)", &["\"b\"", "\"a\""]),
        ("group_by(.x) | length", &["\"9\"", "\"10\""]),
        ("sort_by(.x)", &["9", "10"]),
    ] {
        assert_eq!(of(filter, values), "", "{filter} {values:?}");
    }
}

#[test]
fn a_mistake_that_jq_answers_is_noted() {
    let rows = "{\"l\":[\"bug\"],\"p\":\"P1\",\"h\":1,\"t\":\"03/30/2026\",\"d\":\"2026-03-30\"}\n\
                {\"l\":[\"bug-report\"],\"p\":\"P3\",\"h\":null,\"t\":\"04/01/2026\",\"d\":\"2026-04-01\"}\n";
    for (filter, words) in [
        (
            "map(select(.l | contains([\"bug\"]))) | length",
            "has \"bug-report\"; `any(.l[]; . == \"bug\")` compares whole elements",
        ),
        ("map(select(.p == \"P1\" or \"P2\")) | length", "\"P2\" alone is a condition"),
        ("map(select(.p != \"P1\" or .p != \"P2\"))", "of one value always holds; `and` excludes"),
        ("map(select(.p == \"P1\" and .p == \"P3\"))", "of one value never holds; `or` finds both"),
        ("map(.h) | add / length", "`add / length` counts these"),
        ("(map(.h) | add) / length", "`select(.h != null)`"),
        ("[.[].h] | add / length", "`.h` is null or absent"),
        ("map(select(.t < \"2026-03-30\")) | length", "has dates such as \"03/30/2026\""),
        ("[.[] | select(.d >= \"30.03.2026\")] | length", "has another form"),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "map(select(.l | contains([\"bug-\", \"x\"]))) | length",
        "map(select(.l | index(\"bug\"))) | length",
        "map(select(.p == \"P1\" or .p == \"P3\")) | length",
        "map(select(.p != \"P1\" and .p != \"P3\" or .h == 1)) | length",
        "map(select(.p != \"P1\" or .h != 1)) | length",
        "map(.h | numbers) | add / length",
        "map(select(.h != null).h) | add / length",
        "map(.h) | add",
        "(map(.h) | length) / length",
        "map(select(.d < \"2026-03-31\")) | length",
        "map(select(.d >= \"2026-03-30T10:00:00Z\")) | length",
        "map(select(.d > \"2026-4-1\")) | length",
    ] {
        assert_silent(filter, rows);
    }
    let zones = "{\"x\":\"2025-05-14T23:30:00-05:00\"}\n{\"x\":\"2025-05-15T03:00:00+02:00\"}\n";
    let notes = answer_over("map(select(.x >= \"2025-05-15\")) | length", None, zones).notes;
    assert!(notes.join("; ").contains("times of several zones"), "{notes:?}");
}

#[test]
fn records_that_select_repeats_are_noted() {
    let rows = "{\"i\":1,\"t\":[\"x\",\"x\"],\"c\":[{\"by\":\"Ann\"},{\"by\":\"Ann\"}]}\n\
                {\"i\":2,\"t\":[\"x\",\"y\"],\"c\":[{\"by\":\"Bob\"}]}\n";
    for (filter, words) in [
        (
            "map(select(.c[].by == \"Ann\")) | length",
            "`any(.c[]; .by == \"Ann\")` gives each record",
        ),
        ("[.[] | select(.t[] == \"x\")] | length", "and 1 records have several: `any(.t[]; . =="),
        ("select(.t[] | . == \"x\") | .i", "once for each \"x\" in `.t[]`"),
        ("map(select(.t[] != \"y\")) | length", "once for each value but \"y\" in `.t[]`"),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "map(select(any(.c[]; .by == \"Ann\"))) | length",
        "map(select(.c[].by == \"Bob\")) | length",
        "map(.c[] | select(.by == \"Ann\")) | length",
        "map(.c[].by | select(. == \"Ann\")) | length",
        "map(select(.t | index(\"x\"))) | length",
        "map(select(.t[0] == \"x\")) | length",
        "map(select([.t[] == \"x\"] | any)) | length",
    ] {
        assert_silent(filter, rows);
    }
}

#[test]
fn nulls_and_blanks_that_are_less_than_a_field_are_noted() {
    let rows = "{\"i\":1,\"a\":\"2026-01-02\",\"b\":\"2026-01-03\",\"c\":\"\"}\n\
                {\"i\":2,\"a\":null,\"b\":\"2026-01-01\",\"c\":\"2026-01-01\"}\n";
    for (filter, words) in [
        ("map(select(.a < .b)) | length", "`.a` is null or absent in some records, and null is"),
        ("map(select(.b > .a)) | length", "less than every other value; `.a != null and …`"),
        ("map(select(.c < .b)) | length", "`.c` is an empty string in some records, which is less"),
        ("map(select(.c < \"2026-01-05\")) | length", "`.c != \"\" and …` leaves these out"),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "map(select(.a > .b)) | length",
        "map(select(.b < .i)) | length",
        "map(select(.a != null and .a < .b)) | length",
        "map(select(.c != \"\" and .c < .b)) | length",
        "map(select(.c != \"\" and .c < \"2026-01-05\")) | length",
        "map(select(.a == .b)) | length",
    ] {
        let notes = answer_over(filter, None, rows).notes.join("; ");
        assert!(!notes.contains("leaves these out"), "{filter}: {notes}");
    }
}
