//! The numbers of a field: its ends as they are spelled, and a sample that tells
//! what is typical.

use crate::number::Number;

/// How many numbers of a field are remembered to know what is typical of it.
const SAMPLE: usize = 128;

/// The numbers of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    ends: Option<(Number<'static>, Number<'static>)>,
    sample: Vec<f64>,
    stride: u64,
    seen: u64,
}

impl Numbers {
    pub(crate) fn add(&mut self, spelled: &str) {
        let number = Number::read(spelled);
        self.remember(number.near());
        match &mut self.ends {
            Some((least, _)) if number < *least => *least = number.into_owned(),
            Some((_, most)) if number > *most => *most = number.into_owned(),
            Some(_) => {}
            None => {
                let number = number.into_owned();
                self.ends = Some((number.clone(), number));
            }
        }
    }

    /// Keeps every n-th number, n growing so that the sample stays small.
    fn remember(&mut self, near: f64) {
        let stride = self.stride.max(1);
        if self.seen.is_multiple_of(stride) {
            self.sample.push(near);
        }
        self.seen += 1;
        if self.sample.len() >= SAMPLE {
            let mut nth = 0;
            self.sample.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.stride = stride * 2;
        }
    }

    /// The least and the greatest, as spelled.
    pub(crate) fn ends(&self) -> Option<(&str, &str)> {
        let (least, most) = self.ends.as_ref()?;
        Some((least.text(), most.text()))
    }

    /// A number that about a quarter of them reach; none where it would have no
    /// short spelling.
    pub(crate) fn upper_quarter(&self) -> Option<f64> {
        let mut sorted = self.sample.clone();
        sorted.sort_by(f64::total_cmp);
        let at = *sorted.get(sorted.len() * 3 / 4)?;
        (at == 0.0 || (1e-6..1e15).contains(&at.abs())).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_kept_as_spelled() {
        let mut numbers = Numbers::default();
        for spelled in ["1.10", "9007199254740993", "9007199254740992", "1e400", "-0.50"] {
            numbers.add(spelled);
        }
        assert_eq!(numbers.ends(), Some(("-0.50", "1e400")));
    }

    #[test]
    fn the_upper_quarter_is_reached_by_some_and_not_by_most() {
        let mut numbers = Numbers::default();
        (0..10_000).for_each(|n: u32| numbers.add(&n.to_string()));
        let at = numbers.upper_quarter().expect("there are numbers");
        assert!((6_500.0..8_500.0).contains(&at), "{at}");
        assert!(numbers.sample.len() <= SAMPLE);
    }
}
