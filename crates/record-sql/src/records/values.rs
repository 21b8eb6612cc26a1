//! The values of one column.

/// The values of one column as they stand in the text of its records, with the numbers of these
/// records, counted from 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values<'a>(Vec<(u64, &'a str)>);

impl<'a> Values<'a> {
    /// Adds the value of a record. The last of several counts.
    pub(crate) fn add(&mut self, record: u64, value: &'a str) {
        match self.0.last_mut() {
            Some(last) if last.0 == record => last.1 = value,
            _ => self.0.push((record, value)),
        }
    }

    /// Adds the values of the records that follow `records` ones.
    pub(crate) fn append(&mut self, other: Self, records: u64) {
        self.0.extend(other.0.into_iter().map(|(record, value)| (records + record, value)));
    }

    /// Returns the values that are texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|(_, value)| *value).filter(|value| value.starts_with('"'))
    }

    /// Returns the value of each record, beginning with the first one; `null` where it has none.
    pub(crate) fn each(&self) -> impl Iterator<Item = &'a str> {
        let mut values = self.0.iter().peekable();
        (0..).map(move |record| {
            values.next_if(|(of, _)| *of == record).map_or("null", |(_, value)| value)
        })
    }
}
