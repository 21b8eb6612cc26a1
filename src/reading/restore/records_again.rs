//! Records again: an answer that repeats lines of a file of records, as `lro_extract` returns them:
//! a sentence, the records as stored, and perhaps how to continue. It holds nothing that the file
//! does not, so it needs no file of its own.

use std::collections::HashMap;

use super::ranges::{parse_range, ranges};
use super::unresolved::TOO_LARGE;
use crate::compaction::reference::RecordLines;

/// Maximum number of lines of an answer to examine.
const LINES: usize = 20_000;
/// Maximum length of the text above and below the records, in bytes.
const AROUND: usize = 2_000;

/// Recognises `text` as lines of `content` with text above and below.
pub(crate) fn recognise(text: &str, content: &str) -> Option<RecordLines> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > LINES {
        return None;
    }
    // Indexes the lines of the text, because the number of the file's lines is not limited.
    let mut known: HashMap<&str, Option<u64>> = lines.iter().map(|line| (*line, None)).collect();
    for (line, number) in content.lines().zip(1..).skip(1) {
        if let Some(at) = known.get_mut(line) {
            *at = Some(number);
        }
    }
    let number = |line: &&str| known.get(line).copied().flatten();
    let first = lines.iter().position(|line| number(line).is_some())?;
    let last = lines.iter().rposition(|line| number(line).is_some())?;
    let numbers: Option<Vec<u64>> = lines[first..=last].iter().map(number).collect();
    let head: String = lines[..first].iter().flat_map(|line| [line, "\n"]).collect();
    let tail: String = lines[last + 1..].iter().flat_map(|line| ["\n", line]).collect();
    let again = RecordLines { lines: ranges(&numbers?), head, tail };
    let short = again.head.len() + again.tail.len() <= AROUND;
    // The proof: the file gives the same text.
    let limit = text.len() as u64;
    (short && rebuild(&again, content, limit).is_ok_and(|rebuilt| rebuilt == text)).then_some(again)
}

/// Rebuilds the text. Fails if it exceeds `limit` bytes.
pub(crate) fn rebuild(again: &RecordLines, content: &str, limit: u64) -> Result<String, String> {
    let numbers = numbers(&again.lines)?;
    let mut wanted: HashMap<u64, &str> = numbers.iter().map(|number| (*number, "")).collect();
    let last = numbers.iter().max().copied().unwrap_or(0);
    let mut found = 0;
    for (line, number) in content.lines().zip(1..=last) {
        if let Some(at) = wanted.get_mut(&number) {
            (*at, found) = (line, found + 1);
        }
    }
    if found < wanted.len() {
        return Err("the file does not hold those lines".to_owned());
    }
    let mut out = again.head.clone();
    for (place, number) in numbers.iter().enumerate() {
        out.push_str(if place == 0 { "" } else { "\n" });
        out.push_str(wanted.get(number).copied().unwrap_or_default());
        if out.len() as u64 > limit {
            return Err(TOO_LARGE.to_owned());
        }
    }
    out.push_str(&again.tail);
    Ok(out)
}

/// Parses `7,3-5` to its numbers, in that order.
fn numbers(lines: &str) -> Result<Vec<u64>, String> {
    let mut numbers = Vec::new();
    for part in lines.split(',') {
        let range = parse_range(part).ok_or("its note cannot be read")?;
        for number in range {
            if numbers.len() == LINES {
                return Err(TOO_LARGE.to_owned());
            }
            numbers.push(number);
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "{\"type\":\"lro_header\"}\n{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n";

    #[test]
    fn records_in_any_order_come_back_word_for_word() {
        let text = "3 of 3 records match.\n{\"id\":3}\n{\"id\":1}\n{\"id\":2}\n[3 of 9 shown; offset=3 for more]";
        let again = recognise(text, FILE).unwrap();
        assert_eq!(again.lines, "4,2-3");
        assert_eq!(rebuild(&again, FILE, 1_000).unwrap(), text);
        assert!(rebuild(&again, FILE, 10).is_err(), "no more than there is room for");
    }

    #[test]
    fn what_the_file_does_not_hold_is_something_new() {
        assert_eq!(recognise("2 records\n{\"id\":1}\n{\"id\":9}\n{\"id\":2}", FILE), None);
        assert_eq!(recognise("15 of 500 records match.", FILE), None);
        assert_eq!(recognise("{\"type\":\"lro_header\"}", FILE), None);
    }

    #[test]
    fn a_file_that_lost_lines_says_so() {
        let again = RecordLines { lines: "9".to_owned(), head: String::new(), tail: String::new() };
        assert!(rebuild(&again, FILE, 1_000).is_err());
    }
}
