//! The lines of a result that is one JSON value. Each is a part that is as small as possible but
//! still tells its subject.

use raw_json::{elements, fields, is_string, unescape};

/// Maximum bytes of a part that is not split.
const SMALL: usize = 240;
/// Maximum depth of split parts, and maximum number of lines of a value.
const DEEP: usize = 8;
const LINES: usize = 4_000;

/// Returns the parts of a JSON object or array as `path: value`. Returns `None` for other text, and
/// for a value of at most `SMALL` bytes.
pub(super) fn json_lines(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || text.len() <= SMALL {
        return None;
    }
    let mut lines = Vec::new();
    add("", text, DEEP, &mut lines).then_some(lines)
}

/// Adds the parts of a value. Returns false if it is not JSON.
fn add(path: &str, value: &str, depth: usize, lines: &mut Vec<String>) -> bool {
    if lines.len() >= LINES {
        return true;
    }
    let dot = if path.is_empty() { "" } else { "." };
    if value.len() > SMALL && depth > 0 && value.starts_with('{') {
        let Ok(members) = fields(value) else { return false };
        // Adjacent small members form one line, because they have the same subject.
        let mut run = String::new();
        for (name, value) in members {
            let one = format!("\"{name}\": {value}");
            if run.len() + one.len() > SMALL && !run.is_empty() {
                lines.push(line(path, &std::mem::take(&mut run)));
            }
            if one.len() > SMALL / 2 {
                if !run.is_empty() {
                    lines.push(line(path, &std::mem::take(&mut run)));
                }
                if !add(&format!("{path}{dot}{name}"), value, depth - 1, lines) {
                    return false;
                }
                continue;
            }
            let gap = if run.is_empty() { "" } else { ", " };
            run.push_str(gap);
            run.push_str(&one);
        }
        lines.extend((!run.is_empty()).then(|| line(path, &run)));
        return true;
    }
    if value.len() > SMALL && depth > 0 && value.starts_with('[') {
        let Ok(members) = elements(value) else { return false };
        return members
            .into_iter()
            .enumerate()
            .all(|(at, value)| add(&format!("{path}[{at}]"), value, depth - 1, lines));
    }
    if is_string(value) {
        let text = unescape(value).text;
        let mut before = format!("{path}: ");
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            lines.push(format!("{before}{line}"));
            before.clear();
        }
    } else {
        lines.push(line(path, value));
    }
    true
}

fn line(path: &str, value: &str) -> String {
    if path.is_empty() { value.to_owned() } else { format!("{path}: {value}") }
}

#[cfg(test)]
mod tests {
    use super::json_lines;

    #[test]
    fn small_parts_stay_whole() {
        let flights = |n: usize| format!(r#"{{"flight":"HAT{n:03}","price":{n}}}"#);
        let list: Vec<String> = (0..20).map(flights).collect();
        let text =
            format!(r#"{{"date":"2024-05-24","flights":[{}],"note":"one\ntwo"}}"#, list.join(","));
        let lines = json_lines(&text).expect("an object");
        assert_eq!(lines[0], r#""date": "2024-05-24""#);
        assert_eq!(lines[3], r#"flights[2]: {"flight":"HAT002","price":2}"#);
        assert_eq!(lines[21..], [r#""note": "one\ntwo""#]);
        assert_eq!(json_lines("{}"), None);
        assert_eq!(json_lines(&"[".repeat(500)), None);
    }
}
