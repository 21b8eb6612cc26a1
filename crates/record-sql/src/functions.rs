//! The functions that SQLite lacks: `REGEXP` in linear time, standard deviation and variance,
//! normal forms of Unicode; and those that it has for ASCII alone: `lower`, `upper`, `LIKE`.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use regex::{Regex, RegexBuilder};
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, Error, Result};

use crate::letter_order::Collation;
use crate::moments;

/// The most bytes of a compiled expression.
const MAX_COMPILED_BYTES: usize = 4 * 1024 * 1024;

type Convert = fn(&str) -> String;

/// Adds the functions to a connection.
pub(crate) fn add(db: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    moments::add(db)?;
    db.create_scalar_function("regexp", 2, flags, |context| regexp(context))?;
    for arguments in [2, 3] {
        db.create_scalar_function("like", arguments, flags, |context| like(context))?;
    }
    // `COLLATE NOCASE`, too.
    db.create_collation("NOCASE", |a, b| a.to_lowercase().cmp(&b.to_lowercase()))?;
    Collation::add_all(db, &[])?;
    let nfc = |text: &str| ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned();
    let convert: [Convert; 3] = [str::to_lowercase, str::to_uppercase, nfc];
    for (name, convert) in ["lower", "upper", "nfc"].into_iter().zip(convert) {
        db.create_scalar_function(name, 1, flags, move |context| {
            Ok(text(context.get_raw(0)).map(|text| convert(&text)))
        })?;
    }
    for name in ["variance", "var_samp", "var_pop", "stddev", "stddev_samp", "stddev_pop"] {
        let part = Part { root: name.starts_with("stddev"), sample: !name.ends_with("_pop") };
        db.create_aggregate_function(name, 1, flags, part)?;
    }

    Ok(())
}

/// Returns a value as a text; None for null.
fn text(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Null => None,
        ValueRef::Text(text) | ValueRef::Blob(text) => Some(String::from_utf8_lossy(text)),
        ValueRef::Integer(number) => Some(Cow::Owned(number.to_string())),
        ValueRef::Real(number) => Some(Cow::Owned(format!("{number:?}"))),
    }
}

/// `text REGEXP pattern` is `regexp(pattern, text)`; null if one of them is.
fn regexp(context: &Context<'_>) -> Result<Option<bool>> {
    let Some(text) = text(context.get_raw(1)) else { return Ok(None) };
    if context.get_raw(0).data_type() == Type::Null {
        return Ok(None);
    }
    let regex = context.get_or_create_aux(0, |pattern| -> std::result::Result<Regex, String> {
        let pattern = pattern.as_str().map_err(|_| "a regular expression is a text".to_owned())?;
        compile(pattern).map_err(|error| {
            let shown: String = pattern.chars().take(100).collect();
            format!("{shown:?} is not a regular expression: {error}")
        })
    })?;
    Ok(Some(regex.is_match(&text)))
}

/// `text LIKE pattern ESCAPE escape` is `like(pattern, text, escape)`; null if one of them is.
fn like(context: &Context<'_>) -> Result<Option<bool>> {
    let Some(value) = text(context.get_raw(1)) else { return Ok(None) };
    let escape = match context.len() {
        3 => match text(context.get_raw(2)) {
            None => return Ok(None),
            Some(escape) => Some(one_character(&escape)?),
        },
        _ => None,
    };
    if context.get_raw(0).data_type() == Type::Null {
        return Ok(None);
    }
    let made = context.get_or_create_aux(0, |pattern| Like::new(pattern, escape))?;
    // The pattern is the same for every row, and ESCAPE may be another.
    if made.escape == escape {
        return Ok(Some(made.regex.is_match(&value)));
    }
    let made = Like::new(context.get_raw(0), escape);
    let made = made.map_err(|error| Error::UserFunctionError(error.into()))?;
    Ok(Some(made.regex.is_match(&value)))
}

fn one_character(escape: &str) -> Result<char> {
    let mut characters = escape.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(Error::UserFunctionError("ESCAPE takes a text of one character".into())),
    }
}

/// A pattern of LIKE as a regular expression, which knows the case of every letter.
struct Like {
    escape: Option<char>,
    regex: Regex,
}

impl Like {
    fn new(pattern: ValueRef<'_>, escape: Option<char>) -> std::result::Result<Self, String> {
        let pattern = text(pattern).unwrap_or_default();
        let mut body = String::new();
        let itself = |one: char| regex::escape(one.encode_utf8(&mut [0; 4]));
        let mut characters = pattern.chars();
        while let Some(next) = characters.next() {
            match next {
                _ if Some(next) == escape => match characters.next() {
                    Some(escaped) => body.push_str(&itself(escaped)),
                    // Nothing that could be escaped: SQLite finds no match, either.
                    None => body.push_str("[^\\s\\S]"),
                },
                '%' if body.ends_with(".*") => {}
                '%' => body.push_str(".*"),
                '_' => body.push('.'),
                other => body.push_str(&itself(other)),
            }
        }
        // Without an anchor a search may skip to the letters of the pattern.
        let (start, body) = body.strip_prefix(".*").map_or(("^", body.as_str()), |rest| ("", rest));
        let (body, end) = body.strip_suffix(".*").map_or((body, "$"), |rest| (rest, ""));
        let regex = compile(&format!("(?is){start}{body}{end}"))
            .map_err(|error| format!("the pattern of LIKE: {error}"))?;
        Ok(Self { escape, regex })
    }
}

fn compile(pattern: &str) -> std::result::Result<Regex, String> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES);
    builder.build().map_err(|error| {
        let error = error.to_string();
        error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// The parts of Welford's algorithm, of distances from the first whole number: large ones differ
/// by less than a float of their size can tell.
#[derive(Debug, Default)]
struct Moments {
    first: Option<i64>,
    count: f64,
    mean: f64,
    squares: f64,
}

/// A standard deviation or a variance.
struct Part {
    /// The standard deviation.
    root: bool,
    /// Divides by the number of values less one.
    sample: bool,
}

impl Aggregate<Moments, Option<f64>> for Part {
    fn init(&self, _: &mut Context<'_>) -> Result<Moments> {
        Ok(Moments::default())
    }

    fn step(&self, context: &mut Context<'_>, moments: &mut Moments) -> Result<()> {
        let value = match context.get_raw(0) {
            ValueRef::Null => return Ok(()),
            #[expect(clippy::cast_precision_loss, reason = "SQLite's avg() rounds, too")]
            ValueRef::Integer(number) => {
                let first = *moments.first.get_or_insert(number);
                (i128::from(number) - i128::from(first)) as f64
            }
            #[expect(clippy::cast_precision_loss, reason = "SQLite's avg() rounds, too")]
            ValueRef::Real(number) => number - *moments.first.get_or_insert(0) as f64,
            _ => return Err(Error::UserFunctionError("the values must be numbers".into())),
        };
        moments.count += 1.0;
        let distance = value - moments.mean;
        moments.mean += distance / moments.count;
        moments.squares += distance * (value - moments.mean);
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, moments: Option<Moments>) -> Result<Option<f64>> {
        let Some(moments) = moments else { return Ok(None) };
        let divisor = if self.sample { moments.count - 1.0 } else { moments.count };
        if divisor <= 0.0 {
            return Ok(None);
        }
        let variance = moments.squares / divisor;
        Ok(Some(if self.root { variance.sqrt() } else { variance }))
    }
}
