//! Notes on texts in another letter case than that of a filter, and on days among times.

use super::{assert_noted, assert_silent};

#[test]
fn a_day_among_times_is_the_start_of_it() {
    let rows = "{\"d\":\"2025-03-30\",\"t\":null}\n{\"d\":\"2025-03-31T23:59:59Z\",\"t\":\"\"}\n\
                {\"d\":\"2025-04-02\",\"t\":\"x\"}\n";
    for (filter, words) in [
        ("map(select(.d <= \"2025-03-31\")) | length", "`.d[:10] <= \"2025-03-31\"`"),
        ("map(select(\"2025-03-31\" < .d)) | length", "`.d[:10] > \"2025-03-31\"`"),
        ("map(select(.t != \"\")) | length", "null is not equal to \"\": `.t != null and …`"),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "map(select(.d < \"2025-03-31\")) | length",
        "map(select(.d >= \"2025-03-31\")) | length",
        "map(select(.d <= \"2025-03-30\")) | length",
        "map(select(.d[:10] <= \"2025-03-31\")) | length",
        "map(select(.t != null and .t != \"\")) | length",
        "map(select(.t != \"x\")) | length",
    ] {
        assert_silent(filter, rows);
    }
}

#[test]
fn texts_that_differ_in_case_alone_are_told() {
    let rows = "{\"k\":\"Open\",\"t\":\"An Error\",\"c\":\"US\"}\n\
                {\"k\":\"open\",\"t\":\"error in a\",\"c\":\"us\"}\n\
                {\"k\":\"done\",\"t\":\"none\",\"c\":\"US \"}\n";
    for (filter, words) in [
        ("map(select(.k == \"open\")) | length", "`.k` is \"Open\" in 1 records, which differs"),
        ("map(select(.k | IN(\"open\", \"x\")))", "`.k` is \"Open\" in 1 records"),
        ("map(select(.k | test(\"^op\"))) | length", "1 texts in `.k`, such as \"Open\""),
        ("map(select(.c != \"US\")) | length", "\"us\") | not` leaves out all"),
        ("map(select(.c == \"US\")) | length", "`IN(\"US\", \"US \", \"us\")` takes all"),
        (
            "map(select(.t | test(\"error\"))) | length",
            "1 texts in `.t`, such as \"An Error\", have \"error\" only in other letter case",
        ),
        ("map(select(.t | contains(\"Error\"))) | length", "such as \"error in a\""),
        ("map(select((.t // \"\") | test(\"Error\")))", "such as \"error in a\""),
    ] {
        assert_noted(filter, rows, words);
    }
    for filter in [
        "map(select(.k == \"open\" or .k == \"Open\")) | length",
        "map(select(.k | ascii_downcase == \"open\")) | length",
        "map(select(.k == \"done\")) | length",
        "map(select(.t | test(\"e\"))) | length",
        "map(select(.t | test(\"error\"; \"i\"))) | length",
    ] {
        assert_silent(filter, rows);
    }
}
