//! Durations in several units of time, which are converted without doubt.

/// The units and their seconds. A month or a year has no certain length.
const UNITS: [(&[&str], f64); 6] = [
    (&["w", "wk", "wks", "week", "weeks"], 604_800.0),
    (&["d", "day", "days"], 86_400.0),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600.0),
    (&["m", "min", "mins", "minute", "minutes"], 60.0),
    (&["s", "sec", "secs", "second", "seconds"], 1.0),
    (&["ms", "msec", "millisecond", "milliseconds"], 0.001),
];

/// Returns the seconds of `2h 10m`, `3 days`, `1.5 hours`, `PT1H5M` or `1:02:03`. `1M` may be a
/// month.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |text| (-1.0, text));
    if text.contains(':') {
        return clock(text).map(|seconds| sign * seconds);
    }
    let (mut rest, is_iso) = text.strip_prefix('P').map_or((text, false), |text| (text, true));
    let (mut seconds, mut last, mut is_time) = (0.0, f64::INFINITY, false);
    while !rest.is_empty() {
        if is_iso && let Some(time) = rest.strip_prefix('T') {
            (rest, is_time) = (time, true);
        }
        let (number, behind) = split(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, behind) = match is_iso {
            true => behind.split_at_checked(1)?,
            false => split(behind.trim_start(), |c| c.is_ascii_alphabetic()),
        };
        if !is_iso && unit.len() == 1 && unit != unit.to_ascii_lowercase() {
            return None;
        }
        let is_one = |name: &&str| name.eq_ignore_ascii_case(unit);
        let unit = UNITS.iter().find(|(names, _)| names.iter().any(is_one))?.1;
        // Before its time, the minutes of ISO are months.
        if unit >= last || (is_iso && unit == 60.0 && !is_time) {
            return None;
        }
        seconds += number.parse::<f64>().ok()? * unit;
        (last, rest) = (unit, behind.trim_start_matches([' ', ',']));
    }
    last.is_finite().then_some(sign * seconds)
}

/// Returns the seconds of `1:02:03`.
fn clock(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes @ 0.0..60.0, seconds @ 0.0..60.0] = parts[..] else { return None };
    Some(hours * 3_600.0 + minutes * 60.0 + seconds)
}

/// Returns the characters at the start that are alike, and the rest.
fn split(text: &str, is_alike: fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_alike(c)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_time_are_seconds() {
        for (text, found) in [
            ("2h 10m", Some(7_800.0)),
            ("3 days, 2 hours", Some(266_400.0)),
            ("-1.5 hours", Some(-5_400.0)),
            ("250ms", Some(0.25)),
            ("PT1H5M", Some(3_900.0)),
            ("P1DT1S", Some(86_401.0)),
            ("10:02:03", Some(36_123.0)),
            ("3 Days", Some(259_200.0)),
            ("1M", None),
            ("P1M", None),
            ("9:30", None),
            ("1:72:03", None),
            ("5m 2h", None),
            ("5", None),
            ("5 GB", None),
            ("h", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), found, "{text}");
        }
    }
}
