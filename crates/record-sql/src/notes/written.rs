//! Texts that spell numbers, next to numbers: SQLite compares their letters.

use date_text::written_number::{Notation, Separators, marks};

use crate::letter_order::MAX_TEXTS;
use crate::notes::compared::of_order;
use crate::notes::facts::{Facts, Read, plain};
use crate::notes::letters::are_versions;
use crate::notes::values::Subject;
use crate::sql::comparison::{Comparison, Literal};
use crate::sql::quoting::spelled;

/// Texts that are numbers in one notation other than that of SQLite.
pub(crate) struct Written {
    /// The expression that makes numbers of them; `{}` is the text. It is null for texts without
    /// digits, such as `n/a`.
    number: String,
    /// The clause on a separator that may have another meaning, or nothing.
    pub(crate) doubt: String,
}

impl Written {
    /// Texts of which SQLite makes numbers.
    fn plain() -> Self {
        Self { number: "CAST({} AS REAL)".to_owned(), doubt: String::new() }
    }

    /// Returns the expression for the text `name`.
    pub(crate) fn number(&self, name: &str) -> String {
        self.number.replace("{}", name)
    }
}

/// Returns the notation of the texts of a subject, if they are numbers.
pub(crate) fn written(of: &Subject<'_>) -> Option<Written> {
    const WRITTEN: &str = "it GLOB '*[0-9]*'";
    let rows = format!("WHERE typeof(it) = 'text' AND {WRITTEN} LIMIT {MAX_TEXTS}");
    let rows = of.rows("DISTINCT it", &rows)?;
    let texts: Vec<String> = rows.iter().filter_map(|row| Some(plain(row.first()?))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let template = Notation::of(&texts)?.plain(&texts);
    let plain = template.replace("{}", "it");
    let others = format!("{WRITTEN} AND NOT {plain} = CAST({plain} AS NUMERIC)");
    let is_all = plain != "it" && of.has(&others) == Some(false);
    is_all.then_some(())?;
    let number = match of.has(&format!("NOT {WRITTEN}")) {
        Some(false) => format!("CAST({template} AS REAL)"),
        _ => format!("CASE WHEN {{}} GLOB '*[0-9]*' THEN CAST({template} AS REAL) END"),
    };
    let mut separators = Separators::default();
    texts.iter().for_each(|text| separators.add(text));
    let marks = texts.iter().fold(0, |all, text| all | marks(text));
    let doubt = separators.doubt(marks).map(|doubt| format!("; {}", doubt.replace("{}", &of.name)));
    Some(Written { number, doubt: doubt.unwrap_or_default() })
}

/// Texts next to a number, if the comparison of numbers holds in other rows, or if texts are no
/// numbers, such as `+Inf` and `3 days`.
pub(crate) fn of_texts(
    facts: &Facts<'_>,
    read: Read<'_>,
    comparison: &Comparison,
) -> Option<String> {
    let subject = Subject::of(read);
    let name = &subject.name;
    let found = written(&subject);
    let is_read = found.as_ref().map_or(read.profile.is_date(), |one| one.doubt.is_empty());
    let written = found.unwrap_or_else(Written::plain);
    let compared = |value: &str, of: fn(&Literal) -> &String| {
        let literals: Vec<&str> =
            comparison.literals.iter().map(|literal| of(literal).as_str()).collect();
        format!("coalesce({value} {} {}, 0)", comparison.operator, literals.join(" AND "))
    };
    let (texts, numbers) =
        (compared("it", |l| &l.sql), compared(&written.number("it"), |l| &l.value));
    let unread = if is_read { "0" } else { "NOT it = CAST(it AS NUMERIC)" };
    let others = format!("{texts} <> {numbers} OR {unread}");
    if subject.has(&others) == Some(false) && !are_versions(facts, &subject) {
        return None;
    }
    of_order(facts, &subject, comparison).or_else(|| {
        Some(format!(
            "{name} has {}, and text is compared letter by letter ('9' > '13'): {} compares \
             numbers{}",
            read.profile.words(),
            written.number(name),
            written.doubt
        ))
    })
}

/// A number next to texts that spell it in several ways.
pub(crate) fn of_spellings(
    facts: &Facts<'_>,
    comparison: &Comparison,
    column: Option<Read<'_>>,
) -> Option<String> {
    let read = column.filter(|read| comparison.is_equality() && read.profile.texts > 0)?;
    let subject = Subject::of(read);
    let [literal] = comparison.literals.as_slice() else { return None };
    // A number of more digits is not exact.
    let is_exact = |number: &f64| *number != 0.0 && literal.value.len() < 16;
    literal.value.parse::<f64>().ok().filter(is_exact)?;
    let number = format!("CAST(it AS NUMERIC) = CAST({} AS NUMERIC)", literal.sql);
    // A text that is all digits, perhaps with blanks, and no code with zeros before it.
    let number = format!(
        "{number} AND trim(it) <> '' AND trim(it) NOT GLOB '*[^-.0-9]*' AND trim(it) NOT \
         GLOB '0[0-9]*'"
    );
    let same = format!("it = {}", literal.sql);
    let [numbers, same] = subject.counts(&format!("sum({number}), sum({same})"))?;

    let name = spelled(&read.column.name);
    (numbers > same && same > 0 && !are_versions(facts, &subject)).then(|| {
        format!(
            "{name} spells {} in several ways: CAST({name} AS NUMERIC) = {} finds {numbers} records",
            literal.value, literal.value
        )
    })
}
