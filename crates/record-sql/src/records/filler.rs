//! Finds the values of some columns in the text of a record, and binds them.

use std::collections::HashMap;

use raw_json::{each_member, unescape};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Statement, ToSql};

use crate::records::column::{Column, From};
use crate::records::fields::Fields;
use crate::records::number::{Number, decimals};
use crate::records::profile::{Profile, Type};
use crate::records::source::Scanned;

/// Finds and binds the values of some columns, record by record.
pub(crate) struct Filler<'a> {
    /// The first keys of the columns.
    keys: Vec<Key<'a>>,
    places: HashMap<&'a str, usize>,
    /// A bit for each length of a key in bytes; the last bit for 63 and more.
    lengths: u64,
    /// Whether a record has no key twice.
    ordered: bool,
    /// The places of the columns that have the whole record.
    whole: Vec<usize>,
    /// For each column whether its texts are numbers.
    numeric: Vec<bool>,
}

/// A key, with the places of the columns that begin with it and the rest of their paths.
struct Key<'a> {
    name: &'a str,
    columns: Vec<(usize, Option<&'a str>)>,
}

impl<'a> Filler<'a> {
    pub(crate) fn new(columns: &[&'a Column], scanned: &'a Scanned<'_>) -> Self {
        let mut filler = Self {
            keys: Vec::new(),
            places: HashMap::new(),
            lengths: 0,
            ordered: scanned.shape.fields.are_ordered() && !scanned.shape.more_fields,
            whole: Vec::new(),
            numeric: Vec::new(),
        };
        for (at, column) in columns.iter().enumerate() {
            let name = |fields: &'a Fields, place: usize| fields.names()[place].as_str();
            match column.from {
                From::Record => filler.whole.push(at),
                From::Field(place) => {
                    let field = name(&scanned.shape.fields, place);
                    filler.want(field, at, None);
                }
                From::Path(place) => {
                    let path = name(&scanned.paths().plain, place);
                    for (dot, _) in path.match_indices('.') {
                        filler.want(&path[..dot], at, Some(&path[dot + 1..]));
                    }
                }
            }
            let kind = column.profile(scanned).map(Profile::kind);
            filler.numeric.push(matches!(kind, Some(Type::Integer | Type::Real)));
        }
        filler
    }

    fn want(&mut self, name: &'a str, column: usize, rest: Option<&'a str>) {
        let place = *self.places.entry(name).or_insert(self.keys.len());
        if place == self.keys.len() {
            self.lengths |= length_bit(name);
            self.keys.push(Key { name, columns: Vec::new() });
        }
        self.keys[place].columns.push((column, rest));
    }

    /// Binds the values of a record to the parameters behind `first`.
    pub(crate) fn bind(
        &self,
        line: &str,
        statement: &mut Statement<'_>,
        first: usize,
    ) -> rusqlite::Result<()> {
        let mut bind = |column: usize, value: &str| {
            let cell = Cell { value, numeric: self.numeric[column] };
            statement.raw_bind_parameter(first + column + 1, cell)
        };
        for column in 0..self.numeric.len() {
            bind(column, "null")?;
        }
        for column in &self.whole {
            bind(*column, line)?;
        }
        if self.keys.is_empty() {
            return Ok(());
        }
        // Records repeat their keys in one order.
        let mut next = 0;
        let mut missing = self.keys.len();
        for (key, value) in each_member(line) {
            let key = key.text();
            if self.lengths & length_bit(&key) == 0 {
                continue;
            }
            let place = match self.keys.get(next) {
                Some(expected) if expected.name == key => next,
                _ => match self.places.get(key.as_ref()) {
                    Some(place) => *place,
                    None => continue,
                },
            };
            next = place + 1;
            missing = missing.saturating_sub(1);
            for (column, rest) in &self.keys[place].columns {
                if let Some(value) = rest.map_or(Some(value), |rest| follow(value, rest)) {
                    bind(*column, value)?;
                }
            }
            if missing == 0 && self.ordered {
                break;
            }
        }
        Ok(())
    }
}

fn length_bit(key: &str) -> u64 {
    1 << key.len().min(63)
}

/// Returns the value at a path below `value`; keys may contain dots.
fn follow<'l>(value: &'l str, path: &str) -> Option<&'l str> {
    let mut found = None;
    for (key, inner) in each_member(value) {
        let key = key.text();
        if key == path {
            found = Some(inner);
        } else if let Some(rest) = path.strip_prefix(key.as_ref()).and_then(|r| r.strip_prefix('.'))
        {
            found = follow(inner, rest).or(found);
        }
    }
    found
}

/// A JSON value that is bound to a parameter.
struct Cell<'a> {
    value: &'a str,
    /// Whether texts of the column are numbers.
    numeric: bool,
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = |text| ToSqlOutput::Borrowed(ValueRef::Text(text));
        let number = |spelled: &str| Number::read(spelled).to_sql();
        Ok(match self.value.as_bytes().first() {
            Some(b'"') => {
                let inner = &self.value[1..self.value.len() - 1];
                if self.numeric && decimals(inner).is_some() {
                    return Ok(number(inner).unwrap_or_else(|| text(inner.as_bytes())));
                }
                if inner.contains('\\') {
                    ToSqlOutput::Owned(Value::Text(unescape(self.value).text.into_owned()))
                } else {
                    text(inner.as_bytes())
                }
            }
            Some(b'{' | b'[') => text(self.value.as_bytes()),
            Some(b't') => ToSqlOutput::Owned(Value::Integer(1)),
            Some(b'f') => ToSqlOutput::Owned(Value::Integer(0)),
            Some(b'n') | None => ToSqlOutput::Owned(Value::Null),
            Some(_) => number(self.value).unwrap_or_else(|| text(self.value.as_bytes())),
        })
    }
}
