//! Notes on nulls that take part in an order or a mean, and on what stands in for them.

use super::{answer_over, assert_noted, assert_silent};

#[test]
fn a_null_above_a_field_is_a_null() {
    let rows = "{\"d\":null}\n{\"d\":{\"p\":10}}\n{\"d\":{\"p\":25}}\n";
    for (filter, words) in [
        ("map(.d.p) | add / length", "`select(.d.p != null)` leaves them out"),
        ("map(select(.d.p < 20)) | length", "null is less than a number"),
        ("map(.d.p) | min", "null is the least value"),
        ("min_by(.d.p) | .d.p", "null is the least value"),
        ("sort_by(.d.p) | .[0].d.p", "null is the least value"),
    ] {
        assert_noted(filter, rows, words);
    }
}

#[test]
fn the_filter_of_a_note_runs_where_it_is_put() {
    let rows = "{\"a\":[{\"s\":1},{\"s\":null}]}\n{\"a\":[{\"s\":3}]}\n";
    for (filter, words, instead, value) in [
        (
            "[.[].a[].s] | add / length",
            "`.a[].s | select(. != null)` leaves them out",
            "[.[].a[].s | select(. != null)] | add / length",
            "2",
        ),
        (
            "[.[].a[] | select(.s < 2)] | length",
            "`.s != null and …` leaves these out",
            "[.[].a[] | select(.s != null and .s < 2)] | length",
            "1",
        ),
    ] {
        assert_noted(filter, rows, words);
        assert_eq!(answer_over(instead, None, rows).values, [value], "{instead}");
    }
}

#[test]
fn nulls_that_are_not_selected_have_no_note() {
    let rows = "{\"k\":\"a\",\"r\":5}\n{\"k\":\"b\",\"r\":null}\n{\"k\":\"c\",\"r\":9}\n";
    for filter in [
        "map(select(.k == \"a\")) | map(.r) | add / length",
        "map(select(.k == \"a\") | .r) | add / length",
        "[.[] | select(.k == \"a\") | .r] | add / length",
        "map(.r // empty) | add / length",
        "map(.r | select(type == \"number\")) | add / length",
    ] {
        assert_silent(filter, rows);
    }
    for filter in [
        "map(select(.k != \"a\") | .r) | add / length",
        "{a: map(select(.k == \"a\") | .r), b: (map(.r) | add / length)}",
        "(map(select(.k == \"a\")) | length), (map(.r) | add / length)",
    ] {
        assert_noted(filter, rows, "`.r` is null or absent");
    }
}

#[test]
fn false_that_a_constant_stands_in_for_is_noted() {
    let rows = "{\"ok\":true,\"a\":1}\n{\"ok\":false,\"a\":null}\n{\"ok\":null,\"a\":2}\n";
    for filter in ["map(.ok // \"none\") | unique", "map(select(.ok // true)) | length"] {
        assert_noted(filter, rows, "`if .ok == null then … else .ok end` keeps false");
    }
    for filter in ["map(select(.ok // false)) | length", "map(.a // 0) | add"] {
        assert_silent(filter, rows);
    }
}
