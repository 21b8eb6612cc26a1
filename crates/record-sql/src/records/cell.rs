//! A value of a record as SQLite gets it.

use raw_json::unescape;
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

use crate::records::number::{Number, boolean, decimals};

/// A JSON value that is bound to a parameter.
pub(crate) struct Cell<'a> {
    pub(crate) value: &'a str,
    /// True if texts of the column are numbers.
    pub(crate) numeric: bool,
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = |text| ToSqlOutput::Borrowed(ValueRef::Text(text));
        let number = |spelled: &str| Number::read(spelled).to_sql();
        Ok(match self.value.as_bytes().first() {
            Some(b'"') => {
                let inner = &self.value[1..self.value.len() - 1];
                if let Some(number) = boolean(inner).filter(|_| self.numeric) {
                    return Ok(ToSqlOutput::Owned(Value::Integer(number)));
                }
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
