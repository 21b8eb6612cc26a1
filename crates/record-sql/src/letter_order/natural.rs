//! Texts part by part: letters as letters, and the numbers between them as numbers.

/// A part of a text. A number comes before letters.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub(super) enum Part {
    Number(f64),
    Letters(String),
}

impl Part {
    /// Returns a number; None for letters.
    pub(super) fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Letters(_) => None,
        }
    }
}

/// Returns the parts of a text: `PAY-1,200.5` has `PAY-` and 1200.5.
pub(super) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = text;
    // A number behind a point is a part of a version.
    let mut behind_point = false;
    while !rest.is_empty() {
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        if letters > 0 {
            let (letters, behind) = rest.split_at(letters);
            behind_point = !parts.is_empty() && letters == ".";
            parts.push(Part::Letters(letters.to_owned()));
            rest = behind;
            continue;
        }
        let whole = grouped(rest).unwrap_or_else(|| digits(rest));
        let fraction = if behind_point { 0 } else { fraction(&rest[whole..]) };
        let (number, behind) = rest.split_at(whole + fraction);
        parts.push(Part::Number(number.replace(',', "").parse().unwrap_or(f64::INFINITY)));
        rest = behind;
    }
    parts
}

/// Returns the length of the digits at the start.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the length of a number at the start whose thousands are parted: `1,200`, `1,00,000`.
fn grouped(text: &str) -> Option<usize> {
    let length = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b',').count();
    let number = text[..length].trim_end_matches(',');
    let mut groups = number.split(',');
    let first = groups.next()?.len();
    let groups: Vec<usize> = groups.map(str::len).collect();
    let is_one = (1..=3).contains(&first)
        && groups.last() == Some(&3)
        && groups.iter().all(|group| matches!(group, 2 | 3));
    is_one.then_some(number.len())
}

/// Returns the length of a fraction with its point; 0 for the next part of a version.
fn fraction(text: &str) -> usize {
    let Some(behind) = text.strip_prefix('.') else { return 0 };
    let length = digits(behind);
    let is_part = behind[length..].strip_prefix('.').is_some_and(|next| digits(next) > 0);
    if length == 0 || is_part { 0 } else { length + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |part| match part {
            Part::Number(number) => format!("{number}"),
            Part::Letters(letters) => format!("<{letters}>"),
        };
        parts(text).into_iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_stand_between_letters() {
        for (text, parts) in [
            ("PAY-100", "<PAY-> 100"),
            ("PT1H30M", "<PT> 1 <H> 30 <M>"),
            ("(1,200)", "<(> 1200 <)>"),
            ("1,00,000円", "100000 <円>"),
            ("a 0.25, b 1.5.", "<a > 0.25 <, b > 1.5 <.>"),
            ("5.15.0-9", "5 <.> 15 <.> 0 <-> 9"),
            ("1,5,12", "1 <,> 5 <,> 12"),
            ("é", "<é>"),
        ] {
            assert_eq!(shown(text), parts, "{text}");
        }
    }
}
