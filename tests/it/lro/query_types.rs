//! Numbers, versions and dates in strings, compared with what they were written from.

use raw_json as raw;
use record_files::query::{Query, run};
use serde_json::{Value, json};

use super::random::Random;

/// The days of May, June and July 2025.
const MONTHS: [i64; 3] = [31, 30, 31];

/// Returns `2025-MM-DD` for a day from 0.
fn date(mut day: i64) -> String {
    let mut month = 5;
    for days in MONTHS {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("2025-{month:02}-{:02}", day + 1)
}

/// Writes a minute since 1 May in a zone, in one of several forms.
fn instant(minute: i64, random: &mut Random) -> String {
    let zone = random.pick(&[0, 120, -420, 330]);
    let local = minute + zone;
    let (day, rest) = (local.div_euclid(1_440), local.rem_euclid(1_440));
    let clock = format!("{:02}:{:02}", rest / 60, rest % 60);
    let sign = if zone < 0 { '-' } else { '+' };
    let (hours, minutes) = (zone.abs() / 60, zone.abs() % 60);
    let date = date(day);
    if zone == 0 {
        return random.pick(&[
            format!("{date}T{clock}:00Z"),
            format!("{date} {clock}"),
            format!("{date}T{clock}:00.000"),
        ]);
    }
    format!("{date}T{clock}:00{sign}{hours:02}:{minutes:02}")
}

fn expected(op: &str, value: i64, (first, last): (i64, i64)) -> bool {
    match op {
        "=" => (first..=last).contains(&value),
        "!=" => !(first..=last).contains(&value),
        "<" => value < first,
        "<=" => value <= last,
        ">" => value > last,
        _ => value >= first,
    }
}

/// Returns the numbers of the records that match.
fn matches(lines: &str, condition: &Value) -> Vec<usize> {
    let request = json!({"where": condition, "select": ["id"]}).to_string();
    let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
    let outcome = run(&query, lines, &|| false).unwrap();
    let id = |record: &str| serde_json::from_str::<Value>(record).unwrap()["id"].as_u64();
    outcome.records.iter().map(|record| id(record).unwrap() as usize).collect()
}

/// Compares every value with every operand by every operator.
fn check(texts: &[String], values: &[i64], operands: &[(Value, (i64, i64))]) {
    let line = |(id, text)| json!({"id": id, "f": text}).to_string() + "\n";
    let lines: String = texts.iter().enumerate().map(line).collect();
    for (operand, range) in operands {
        for op in ["=", "!=", "<", "<=", ">", ">="] {
            let condition = json!({"field": "f", "op": op, "value": operand});
            let expected: Vec<usize> =
                (0..values.len()).filter(|at| expected(op, values[*at], *range)).collect();
            assert_eq!(matches(&lines, &condition), expected, "{condition}");
        }
    }
}

#[test]
fn dates_are_instants_and_days_are_whole() {
    let mut random = Random(7);
    let minutes: Vec<i64> =
        (0..400).map(|_| 1_440 + random.below(1_440 * 88) as i64 / 360 * 360).collect();
    let texts: Vec<String> = minutes.iter().map(|at| instant(*at, &mut random)).collect();
    let days = |first: i64, days: i64| (first * 1_440, (first + days) * 1_440 - 1);
    let mut operands = vec![
        (json!("2025-05"), days(0, 31)),
        (json!("June 2025"), days(31, 30)),
        (json!("2025/07"), days(61, 31)),
        (json!("2024"), days(-485, 365)),
    ];
    for _ in 0..20 {
        let day = 1 + random.below(88) as i64;
        operands.push((json!(date(day)), days(day, 1)));
        let minute = minutes[random.below(minutes.len())];
        operands.push((json!(instant(minute, &mut random)), (minute, minute)));
    }
    check(&texts, &minutes, &operands);
}

#[test]
fn numbers_and_versions_in_strings_are_ordered_as_such() {
    let mut random = Random(11);
    let hundredths: Vec<i64> = (0..300).map(|_| random.below(2_000) as i64 - 300).collect();
    let write = |value: &i64| format!("{value}e-2");
    let texts: Vec<String> = hundredths.iter().map(write).collect();
    let at = |value: i64| (value, value);
    let operands = [
        (json!("13"), at(1_300)),
        (json!(2), at(200)),
        (json!("-0.5"), at(-50)),
        (json!("9.99"), at(999)),
        (json!(1e1), at(1_000)),
    ];
    check(&texts, &hundredths, &operands);

    let parts: Vec<[i64; 3]> = (0..300)
        .map(|_| [random.below(15) as i64, random.below(3) as i64, random.below(12) as i64])
        .collect();
    let value = |[a, b, c]: &[i64; 3]| (a * 100 + b) * 100 + c;
    let texts: Vec<String> = parts.iter().map(|[a, b, c]| format!("{a}.{b}.{c}")).collect();
    let values: Vec<i64> = parts.iter().map(value).collect();
    let operands = [
        (json!("13"), at(130_000)),
        (json!(9), at(90_000)),
        (json!("v2.1"), at(20_100)),
        (json!("10.2.11"), at(100_211)),
    ];
    check(&texts, &values, &operands);
}
