//! Parses numbers as people write them: `$1,893.20`, `1.196,27 €`, `3 511,33`, `5,5 %`.

/// Characters next to a number. The numbers of one field have at most one of them.
const MARKS: [char; 5] = ['$', '€', '£', '¥', '%'];

/// Maximum length of a text that is parsed, in bytes.
const MAX_BYTES: usize = 40;

/// A way of writing numbers, given by its separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    /// Separates thousands.
    group: char,
    /// Begins the fraction.
    point: char,
}

/// All notations. The first one that can parse all texts of a field is used.
pub const NOTATIONS: [Notation; 7] = [
    Notation { group: ',', point: '.' },
    Notation { group: '.', point: ',' },
    Notation { group: ' ', point: ',' },
    Notation { group: '\u{a0}', point: ',' },
    Notation { group: '\u{202f}', point: ',' },
    Notation { group: ' ', point: '.' },
    Notation { group: '\'', point: '.' },
];

/// Returns a bit set of the marks next to numbers in a text.
pub fn marks(text: &str) -> u8 {
    let bits = MARKS.iter().enumerate().filter(|(_, mark)| text.contains(**mark));
    bits.map(|(at, _)| 1 << at).sum()
}

/// Returns true if [`marks`] has at most one bit, as for numbers with one unit or currency.
pub fn are_of_one_unit(marks: u8) -> bool {
    marks.count_ones() < 2
}

/// The separators of the numbers of a field. They are ambiguous if each number has at most one
/// separator, with three digits after it: `1.200 €`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Separators {
    /// A separator that may separate thousands or begin a fraction.
    open: Option<char>,
    /// True if the meaning is decided: by a number, or because separators differ.
    decided: bool,
}

impl Separators {
    /// Adds the text of a number.
    pub fn add(&mut self, text: &str) {
        let text = text.trim_matches(|c| is_next(c) || c == '-');
        let Some((whole, rest)) = text.split_once([',', '.']) else { return };
        let is_open = rest.len() == 3
            && rest.bytes().all(|byte| byte.is_ascii_digit())
            && (1..=3).contains(&whole.len())
            && !whole.starts_with('0');
        let separator = text[whole.len()..].chars().next();
        self.merge(Self { open: separator.filter(|_| is_open), decided: !is_open });
    }

    /// Adds the separators of further texts.
    pub fn merge(&mut self, other: Self) {
        let differ = self.open.is_some() && other.open.is_some() && self.open != other.open;
        self.decided |= other.decided || differ;
        self.open = self.open.or(other.open);
    }

    /// Returns true if no number decides between thousands and fractions.
    pub fn are_open(self) -> bool {
        self.open.is_some() && !self.decided
    }

    /// Returns the clause of a note on how numbers with these [`marks`] are read, and the SQL that
    /// reads them in the other way; `{}` is a placeholder for the text. Returns `None` if the
    /// separators are not ambiguous.
    ///
    /// ```
    /// use date_text::written_number::{Separators, marks};
    ///
    /// let mut separators = Separators::default();
    /// separators.add("1.200 €");
    /// let doubt = separators.doubt(marks("1.200 €")).unwrap();
    /// assert!(doubt.ends_with("CAST(replace(replace({}, '€', ''), '.', '') AS REAL)"));
    /// separators.add("98.50 €");
    /// assert_eq!(separators.doubt(marks("98.50 €")), None);
    /// ```
    pub fn doubt(self, marks: u8) -> Option<String> {
        let open = self.open.filter(|_| self.are_open())?;
        let marked = MARKS.iter().enumerate().filter(|(at, _)| marks & (1 << at) != 0);
        let text: String =
            marked.map(|(_, mark)| *mark).chain(format!("1{open}234").chars()).collect();
        let (here, elsewhere) = match open {
            '.' => ("begins the fraction", "parts thousands"),
            _ => ("parts thousands", "begins the fraction"),
        };
        Some(format!(
            "`{open}` {here} here; if it {elsewhere}, use the SQL CAST({} AS REAL)",
            OTHER.plain(&[&text])
        ))
    }
}

/// The notation with the separators of the first one exchanged.
pub const OTHER: Notation = NOTATIONS[1];

fn is_next(c: char) -> bool {
    MARKS.contains(&c) || c.is_whitespace()
}

impl Notation {
    /// Returns the notation of all `texts`; `None` if there is no text, if no notation fits all of
    /// them, or if they have several marks.
    pub fn of(texts: &[&str]) -> Option<Self> {
        let marks = texts.iter().fold(0, |marks, text| marks | self::marks(text));
        let reads_all = |one: &Self| texts.iter().all(|text| one.read(text).is_some());
        let of_one = !texts.is_empty() && are_of_one_unit(marks);
        NOTATIONS.into_iter().find(reads_all).filter(|_| of_one)
    }

    /// Parses a text and returns it as a JSON number; `None` if it is not a number in this
    /// notation. Rejects a number with a leading zero, which is a code.
    ///
    /// ```
    /// use date_text::written_number::Notation;
    ///
    /// let notation = Notation::of(&["$1,893.20", "$5"]).unwrap();
    /// assert_eq!(notation.read("-$1,893.20").as_deref(), Some("-1893.20"));
    /// assert_eq!(notation.read("007"), None);
    /// ```
    pub fn read(self, text: &str) -> Option<String> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let text = text.trim_matches(is_next);
        let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
        let text = text.trim_start_matches(is_next);
        let (whole, fraction) = match text.split_once(self.point) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let all = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let mut groups = whole.split(self.group);
        let mut number = groups.next().filter(|first| all(first))?.to_owned();
        if number.len() > 1 && number.starts_with('0') {
            return None;
        }
        let first = number.len();
        for group in groups {
            (first <= 3 && group.len() == 3 && all(group)).then(|| number.push_str(group))?;
        }
        if let Some(fraction) = fraction {
            all(fraction).then(|| number = format!("{number}.{fraction}"))?;
        }
        Some(format!("{sign}{number}"))
    }

    /// Returns the SQL that converts `texts` in this notation to plain numbers; `{}` is a
    /// placeholder for the text. Returns only `{}` if the texts are already plain numbers.
    pub fn plain(self, texts: &[&str]) -> String {
        let has = |c: char| texts.iter().any(|text| text.trim().contains(c));
        // An SQL cast ignores white space around a number.
        let is_grouped = texts.iter().any(|text| text.trim_matches(is_next).contains(self.group));
        let marks = MARKS.into_iter().filter(|mark| has(*mark));
        let removed = marks.chain(is_grouped.then_some(self.group));
        let mut sql = removed.fold("{}".to_owned(), |sql, c| match c {
            '\'' | '\u{a0}' | '\u{202f}' => {
                format!("replace({sql}, char({}), '')", u32::from(c))
            }
            c => format!("replace({sql}, '{c}', '')"),
        });
        if self.point == ',' && has(',') {
            sql = format!("replace({sql}, ',', '.')");
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
            let read = texts.iter().filter_map(|text| notation.read(text)?.parse().ok());
            let read: Vec<f64> = read.collect();
            assert_eq!(read, numbers, "{texts:?}");
            assert_eq!(notation.plain(texts), plain);
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in
            ["", "-", "12 MB", "1.2.3", "1,2,3", "01:02:03", "2025-05-14", "1e5", "5 - 7", "007"]
        {
            assert_eq!(Notation::of(&[text]), None, "{text}");
        }
        assert_eq!(Notation::of(&["$5", "€5"]), None);
    }
}
