//! Forms that SQLite refuses without a hint, or reads in another way than they are meant.

use crate::error::SqlError;
use crate::sql::quoting;
use crate::sql::statement::{Statement, send_instead};
use crate::sql::token::{Kind, Token};

impl Statement {
    /// Refuses `?` and `@name`, and `a.@name` with the quotes that it needs.
    pub(super) fn parameters(&self) -> Result<(), SqlError> {
        if let Some(at) = self.tokens.iter().position(|token| token.kind == Kind::Parameter) {
            let token = &self.tokens[at];
            let chains = self.chains();
            let of = chains.iter().find(|chain| chain.range().end + 1 == token.range.start);
            if let Some(chain) = of.filter(|_| self.is(at - 1, ".")) {
                let path = quoting::name(&format!("{}.{}", chain.path(0), token.text(&self.sql)));
                let corrected = self.replaced(chain.range().start..token.range.end, &path);
                return Err(SqlError::statement(format!(
                    "SQL: a name with {} goes in double quotes. {}",
                    &token.text(&self.sql)[..1],
                    send_instead(&corrected.sql)
                )));
            }
            return Err(SqlError::statement(format!(
                "SQL: there are no parameters ({}): write the value into the statement, text in \
                 single quotes",
                token.text(&self.sql).chars().take(30).collect::<String>()
            )));
        }
        Ok(())
    }

    /// Refuses `x[0]`, `x.0` and `x['key']`; SQLite takes the last one for a column with an alias.
    pub(super) fn elements(&self) -> Result<(), SqlError> {
        let step = |at: usize| {
            let (name, token) = (self.tokens.get(at.checked_sub(1)?)?, &self.tokens[at]);
            let text = token.text(&self.sql);
            // Not `AS[name]`.
            let is_column = name.is_name() && !self.ends_expression(at - 1);
            let inner = match text.strip_prefix('.').filter(|_| token.kind == Kind::Number) {
                // `x.0.key`
                Some(numbered) => {
                    let (number, keys) = numbered.split_once('.').unwrap_or((numbered, ""));
                    let keys = if keys.is_empty() { String::new() } else { format!(".{keys}") };
                    let is_element = is_column && name.range.end == token.range.start;
                    return is_element.then(|| format!("[{number}]{keys}"));
                }
                None => text.strip_prefix('[')?.strip_suffix(']')?.trim(),
            };
            (is_column && name.range.end == token.range.start).then(|| match inner.parse::<i64>() {
                Ok(_) => format!("[{inner}]"),
                Err(_) => format!(".{}", inner.trim_matches(['\'', '"'])),
            })
        };
        let mut corrected = self.sql.clone();
        let mut first = None;
        for at in (0..self.tokens.len()).rev() {
            let Some(step) = step(at) else { continue };
            let mut end = at;
            while self.is(end + 1, ".") && self.tokens.get(end + 2).is_some_and(Token::is_name) {
                end += 2;
            }
            let (path, keys) = (self.bytes(at..end + 1), self.bytes(at + 1..end + 1));
            corrected.replace_range(path, &format!("->>'${step}{}'", &self.sql[keys]));
            first = Some(step);
        }
        first.map_or(Ok(()), |step| {
            let of = match step.starts_with('[') {
                true => "an element of an array",
                false => "a key of an object",
            };
            Err(SqlError::statement(format!(
                "SQL: {of} is x->>'${step}', the length of an array json_array_length(x). {}",
                send_instead(&corrected)
            )))
        })
    }

    /// Refuses fractions where percents are due: `percentile(x, 0.95)` would be nearly the
    /// minimum.
    pub(super) fn percentiles(&self) -> Result<(), SqlError> {
        for at in 0..self.tokens.len() {
            if !self.is(at, "percentile") || !self.is(at + 1, "(") {
                continue;
            }
            let close = self.closing(at + 1);
            let Some(last) = close.checked_sub(1).and_then(|at| self.tokens.get(at)) else {
                continue;
            };
            let fraction = last.text(&self.sql).parse::<f64>().ok();
            let Some(fraction) = fraction.filter(|f| *f > 0.0 && *f < 1.0) else { continue };
            let mut corrected = self.sql.clone();
            corrected
                .replace_range(last.range.clone(), &format!("{}", (fraction * 1e8).round() / 1e6));
            return Err(SqlError::statement(format!(
                "SQL: percentile(x, p) takes p from 0 to 100. {}",
                send_instead(&corrected)
            )));
        }
        Ok(())
    }
}
