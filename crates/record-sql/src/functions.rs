//! The functions that SQLite lacks: `REGEXP` in linear time, standard deviation and variance.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, Error, Result};

/// The most bytes of a compiled expression.
const MAX_COMPILED_BYTES: usize = 4 * 1024 * 1024;

/// Adds the functions to a connection.
pub(crate) fn add(db: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("regexp", 2, flags, |context| regexp(context))?;
    for (name, part) in [
        ("variance", Part { root: false, sample: true }),
        ("var_samp", Part { root: false, sample: true }),
        ("var_pop", Part { root: false, sample: false }),
        ("stddev", Part { root: true, sample: true }),
        ("stddev_samp", Part { root: true, sample: true }),
        ("stddev_pop", Part { root: true, sample: false }),
    ] {
        db.create_aggregate_function(name, 1, flags, part)?;
    }
    Ok(())
}

/// `text REGEXP pattern` is `regexp(pattern, text)`; null if one of them is.
fn regexp(context: &Context<'_>) -> Result<Option<bool>> {
    let text = match context.get_raw(1) {
        ValueRef::Null => return Ok(None),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text),
        ValueRef::Integer(number) => Cow::Owned(number.to_string()),
        ValueRef::Real(number) => Cow::Owned(number.to_string()),
    };
    if context.get_raw(0).data_type() == Type::Null {
        return Ok(None);
    }
    let regex = context.get_or_create_aux(0, |pattern| -> std::result::Result<Regex, String> {
        compile(pattern.as_str().map_err(|_| "a regular expression is a text".to_owned())?)
    })?;
    Ok(Some(regex.is_match(&text)))
}

fn compile(pattern: &str) -> std::result::Result<Regex, String> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES);
    builder.build().map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        let shown: String = pattern.chars().take(100).collect();
        format!("{shown:?} is not a regular expression: {last}")
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
