//! Random records: SQL finds what a plain computation finds.

use proptest::prelude::*;

use crate::rows_of;

#[derive(Clone, Debug)]
struct Row {
    group: u8,
    number: Option<i32>,
    text: String,
}

fn row() -> impl Strategy<Value = Row> {
    let text = prop_oneof![Just(String::new()), "[a-c\"\\\\é\n]{0,4}"];
    (0_u8..4, proptest::option::of(-50..50_i32), text).prop_map(|(group, number, text)| Row {
        group,
        number,
        text,
    })
}

/// The records; a null is spelled, or left out.
fn lines(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let number = match row.number {
            Some(number) => format!("\"n\":{{\"v\":{number}}},"),
            None if row.group == 0 => "\"n\":{\"v\":null},".to_owned(),
            None => String::new(),
        };
        format!("{{\"g\":\"g{}\",{number}\"t\":{}}}\n", row.group, raw_json::quote(&row.text))
    };
    // The first record has every column.
    let first = Row { group: 9, number: Some(0), text: String::new() };
    std::iter::once(&first).chain(rows).map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn sums_and_counts(rows in proptest::collection::vec(row(), 0..60), least in -50..50_i32) {
        let lines = lines(&rows);
        let mut expected = Vec::new();
        for group in 0..4 {
            let of: Vec<&Row> = rows.iter().filter(|row| row.group == group).collect();
            if of.is_empty() {
                continue;
            }
            let numbers: Vec<i32> = of.iter().filter_map(|row| row.number).collect();
            let above = numbers.iter().filter(|number| **number >= least).count();
            let sum = if numbers.is_empty() { "null".to_owned() } else { numbers.iter().sum::<i32>().to_string() };
            expected.push(format!("\"g{group}\",{},{},{sum},{above}", of.len(), numbers.len()));
        }
        let sql = format!(
            "SELECT g, count(*), count(n.v), sum(n.v), count(CASE WHEN n.v >= {least} THEN 1 END) \
             FROM records WHERE g <> 'g9' GROUP BY g ORDER BY g"
        );
        prop_assert_eq!(rows_of(&sql, &lines), expected);
    }

    #[test]
    fn texts_come_back(rows in proptest::collection::vec(row(), 0..30)) {
        let lines = lines(&rows);
        let texts: Vec<String> = rows.iter().map(|row| raw_json::quote(&row.text)).collect();
        prop_assert_eq!(rows_of("SELECT t FROM records WHERE g <> 'g9' ORDER BY rowid", &lines), texts);
        let wanted = "a";
        let count = rows.iter().filter(|row| row.text == wanted).count();
        let sql = format!("SELECT count(*) FROM records WHERE t = '{wanted}'");
        prop_assert_eq!(rows_of(&sql, &lines), [count.to_string()]);
    }
}
