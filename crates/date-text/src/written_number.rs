//! Numbers as people write them: `$1,893.20`, `1.196,27 €`, `3 511,33`, `5,5 %`.

/// Characters next to a number that do not change it. A space is one, too.
const SYMBOLS: [char; 8] = ['$', '€', '£', '¥', '%', '+', ' ', '\u{a0}'];

/// The characters that a way of writing numbers gives a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    /// Parts thousands.
    group: char,
    /// Begins the fraction.
    point: char,
}

/// The first one that reads all texts of a field counts.
pub(crate) const NOTATIONS: [Notation; 7] = [
    Notation { group: ',', point: '.' },
    Notation { group: '.', point: ',' },
    Notation { group: ' ', point: ',' },
    Notation { group: '\u{a0}', point: ',' },
    Notation { group: '\u{202f}', point: ',' },
    Notation { group: ' ', point: '.' },
    Notation { group: '\'', point: '.' },
];

impl Notation {
    /// Returns the notation of all `texts`; None if there is no text, or one that is no number.
    pub(crate) fn of(texts: &[&str]) -> Option<Self> {
        let reads_all = |one: &Self| texts.iter().all(|text| one.read(text).is_some());
        NOTATIONS.into_iter().find(reads_all).filter(|_| !texts.is_empty())
    }

    /// Reads a text; None if it is no number in this notation.
    pub(crate) fn read(self, text: &str) -> Option<f64> {
        let is_symbol = |c: char| SYMBOLS.contains(&c);
        let text = text.trim_matches(is_symbol);
        let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
        let text = text.trim_start_matches(is_symbol);
        let (whole, fraction) = text.split_once(self.point).unwrap_or((text, "0"));
        let groups: Vec<&str> = whole.split(self.group).collect();
        let all = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let are_thousands = groups.len() == 1
            || (groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3));
        (are_thousands && groups.iter().all(|group| all(group)) && all(fraction)).then_some(())?;
        format!("{sign}{}.{fraction}", groups.concat()).parse().ok()
    }

    /// Returns the SQL that makes plain numbers of `texts` in this notation; `{}` is the text. It
    /// is `{}` alone for texts that are plain numbers.
    pub(crate) fn plain(self, texts: &[&str]) -> String {
        let has = |c: char| texts.iter().any(|text| text.trim().contains(c));
        // A cast ignores blanks around a number.
        let mut removed: Vec<char> = SYMBOLS.into_iter().filter(|c| *c != ' ' && has(*c)).collect();
        let ends_of = |text: &str| text.trim_matches(|c: char| SYMBOLS.contains(&c)).to_owned();
        let is_grouped = texts.iter().any(|text| ends_of(text).contains(self.group));
        if is_grouped && !removed.contains(&self.group) {
            removed.push(self.group);
        }
        let replace = |of: String, from: &str, to: &str| format!("replace({of}, {from}, '{to}')");
        let mut sql = removed.into_iter().fold("{}".to_owned(), |sql, c| match c {
            '\'' => replace(sql, "''''", ""),
            c if c.is_whitespace() && c != ' ' => {
                replace(sql, &format!("char({})", u32::from(c)), "")
            }
            c => replace(sql, &format!("'{c}'"), ""),
        });
        if self.point == ',' && has(',') {
            sql = replace(sql, "','", ".");
        }
        sql
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_the_notation_of_all() {
        for (texts, numbers, plain) in [
            (
                &["$1,893.20", "$993.32", "-$5"][..],
                [1893.2, 993.32, -5.0],
                "replace(replace({}, '$', ''), ',', '')",
            ),
            (
                &["1.196,27 €", "-5,50 €", "12 €"],
                [1196.27, -5.5, 12.0],
                "replace(replace(replace({}, '€', ''), '.', ''), ',', '.')",
            ),
            (
                &["3 511,33", "12", "1,5"],
                [3511.33, 12.0, 1.5],
                "replace(replace({}, ' ', ''), ',', '.')",
            ),
            (
                &["20 %", "5,5 %", "0 %"],
                [20.0, 5.5, 0.0],
                "replace(replace({}, '%', ''), ',', '.')",
            ),
            (
                &["1\u{202f}204,50", "7", "9"],
                [1204.5, 7.0, 9.0],
                "replace(replace({}, char(8239), ''), ',', '.')",
            ),
            (&["1,204.50", "12.75", "0.5"], [1204.5, 12.75, 0.5], "replace({}, ',', '')"),
            (&["12.75", "0.5", "7"], [12.75, 0.5, 7.0], "{}"),
        ] {
            let notation = Notation::of(texts).unwrap_or_else(|| panic!("{texts:?}"));
            let read: Vec<f64> = texts.iter().filter_map(|text| notation.read(text)).collect();
            assert_eq!(read, numbers, "{texts:?}");
            assert_eq!(notation.plain(texts), plain);
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in ["", "-", "12 MB", "1.2.3", "1,2,3", "01:02:03", "2025-05-14", "1e5", "5 - 7"] {
            assert_eq!(Notation::of(&[text]), None, "{text}");
        }
    }
}
