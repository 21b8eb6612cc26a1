//! The regular expressions of a filter. They run in linear time; look-around and
//! back-references cannot, and are errors.

use std::{cell::RefCell, rc::Rc};

use jaq_core::Cv;
use jaq_json::{Error, Map, Val};
use regex::{Captures, Regex, RegexBuilder};

use super::data::Data;

/// The most bytes of a compiled expression.
const MAX_COMPILED_BYTES: usize = 4 * 1024 * 1024;

/// The most compiled expressions in the cache.
const MAX_CACHED: usize = 16;

/// The start of the error for an expression that this engine does not support.
pub(super) const UNSUPPORTED: &str = "unsupported regular expression";

/// A compiled expression with its flags.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Rc<Regex>,
    /// Finds all matches, not only the first.
    global: bool,
    /// Skips empty matches.
    not_empty: bool,
}

thread_local! {
    static COMPILED: RefCell<Vec<(String, String, Pattern)>> = const { RefCell::new(Vec::new()) };
}

/// Applies `function` to the input, a string. The two arguments of the call are the expression
/// and the flags.
pub(super) fn call(
    mut cv: Cv<'_, Data>,
    function: fn(&str, &Pattern) -> Val,
) -> Result<Val, Error> {
    let flags = match cv.0.pop_var() {
        Val::Null => String::new(),
        flags => string(&flags)?,
    };
    let expression = string(&cv.0.pop_var())?;
    let pattern = compiled(&expression, &flags)?;
    Ok(function(&string(&cv.1)?, &pattern))
}

fn string(value: &Val) -> Result<String, Error> {
    match value {
        Val::TStr(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        other => Err(Error::typ(other.clone(), "string (to match against an expression)")),
    }
}

fn compiled(expression: &str, flags: &str) -> Result<Pattern, Error> {
    COMPILED.with_borrow_mut(|cache| {
        if let Some((.., pattern)) = cache.iter().find(|(e, f, _)| e == expression && f == flags) {
            return Ok(pattern.clone());
        }
        let pattern = Pattern::new(expression, flags)?;
        cache.truncate(MAX_CACHED - 1);
        cache.insert(0, (expression.to_owned(), flags.to_owned(), pattern.clone()));
        Ok(pattern)
    })
}

impl Pattern {
    /// Compiles an expression with its flags.
    ///
    /// # Errors
    ///
    /// Fails for one that is invalid, or that cannot run in linear time.
    pub(super) fn new(expression: &str, flags: &str) -> Result<Self, Error> {
        let mut builder = RegexBuilder::new(expression);
        builder.size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES);
        let (mut global, mut not_empty) = (false, false);
        for flag in flags.chars() {
            match flag {
                'g' => global = true,
                'n' => not_empty = true,
                'i' => _ = builder.case_insensitive(true),
                'x' => _ = builder.ignore_whitespace(true),
                'p' => _ = builder.dot_matches_new_line(true),
                's' => {}
                other => {
                    return Err(Error::str(format_args!(
                        "`{other}` is not a flag of a regular expression; accepted are g, i, x, n, s, p"
                    )));
                }
            }
        }
        match builder.build() {
            Ok(regex) => Ok(Pattern { regex: Rc::new(regex), global, not_empty }),
            Err(error) => Err(refusal(expression, &error)),
        }
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

fn refusal(expression: &str, error: &regex::Error) -> Error {
    let error = error.to_string();
    let last = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let shown: String = expression.chars().take(100).collect();
    if last.contains("look-around") || last.contains("backreference") {
        return Error::str(format_args!("{UNSUPPORTED} {shown:?}: {last}"));
    }
    Error::str(format_args!("{shown:?} is not a regular expression: {last}"))
}

/// Returns whether the expression matches.
pub(super) fn find_any(text: &str, pattern: &Pattern) -> Val {
    let found = if pattern.not_empty {
        pattern.regex.find_iter(text).any(|found| !found.is_empty())
    } else {
        pattern.is_match(text)
    };
    Val::from(found)
}

/// Returns the matches like jq's `match`.
pub(super) fn find_all(text: &str, pattern: &Pattern) -> Val {
    let mut characters = Characters::new(text);
    each(text, pattern).map(|found| match_object(&found, pattern, &mut characters)).collect()
}

/// Returns the text between matches as strings, with the matches between them.
pub(super) fn cut_all(text: &str, pattern: &Pattern) -> Val {
    let mut characters = Characters::new(text);
    let mut pieces = Vec::new();
    let mut done = 0;
    for found in each(text, pattern) {
        let whole = found.get_match();
        pieces.push(Val::from(text[done..whole.start()].to_owned()));
        pieces.push(match_object(&found, pattern, &mut characters));
        done = whole.end();
    }
    pieces.push(Val::from(text[done..].to_owned()));
    pieces.into_iter().collect()
}

fn each<'t>(text: &'t str, pattern: &'t Pattern) -> impl Iterator<Item = Captures<'t>> {
    pattern
        .regex
        .captures_iter(text)
        .filter(|found| !(pattern.not_empty && found.get_match().is_empty()))
        .take(if pattern.global { usize::MAX } else { 1 })
}

fn match_object(found: &Captures<'_>, pattern: &Pattern, characters: &mut Characters<'_>) -> Val {
    let whole = found.get_match();
    let groups = found.iter().zip(pattern.regex.capture_names()).skip(1);
    let start = characters.before(whole.start());
    let captures = groups.map(|(group, name)| {
        // A group may begin before the previous one.
        let offset = group.map(|group| {
            let inside = group.start().saturating_sub(whole.start());
            start + whole.as_str().get(..inside).map_or(0, |text| text.chars().count())
        });
        let mut object = span(offset, group.map(|group| group.as_str()));
        object.insert(key("name"), name.map_or(Val::Null, |name| Val::from(name.to_owned())));
        Val::obj(object)
    });
    let captures: Val = captures.collect();
    let mut object = span(Some(start), Some(whole.as_str()));
    object.insert(key("captures"), captures);
    Val::obj(object)
}

fn span(offset: Option<usize>, text: Option<&str>) -> Map {
    let mut object = Map::default();
    object.insert(key("offset"), offset.map_or(Val::from(-1_isize), Val::from));
    object.insert(key("length"), Val::from(text.map_or(0, |text| text.chars().count())));
    object.insert(key("string"), text.map_or(Val::Null, |text| Val::from(text.to_owned())));
    object
}

fn key(name: &'static str) -> Val {
    Val::utf8_str(name)
}

/// Counts characters up to byte positions that only grow.
struct Characters<'t> {
    rest: &'t str,
    bytes: usize,
    characters: usize,
}

impl<'t> Characters<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text, bytes: 0, characters: 0 }
    }

    fn before(&mut self, byte: usize) -> usize {
        let (passed, rest) = self.rest.split_at(byte - self.bytes);
        self.characters += passed.chars().count();
        self.rest = rest;
        self.bytes = byte;
        self.characters
    }
}
