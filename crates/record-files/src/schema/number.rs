//! The numbers of a field: minimum and maximum with their spelling, and a sample.

use crate::number::Number;

/// Maximum number of numbers in the sample of a field.
const MAX_SAMPLE: usize = 128;

/// The numbers of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    min_max: Option<(Number<'static>, Number<'static>)>,
    sample: Vec<f64>,
    stride: u64,
    seen: u64,
}

impl Numbers {
    pub(crate) fn add(&mut self, spelled: &str) {
        let number = Number::read(spelled);
        self.add_to_sample(number.near());
        match &mut self.min_max {
            Some((min, _)) if number < *min => *min = number.into_owned(),
            Some((_, max)) if number > *max => *max = number.into_owned(),
            Some(_) => {}
            None => {
                let number = number.into_owned();
                self.min_max = Some((number.clone(), number));
            }
        }
    }

    /// Adds every n-th number to the sample; n doubles whenever the sample is full.
    fn add_to_sample(&mut self, near: f64) {
        let stride = self.stride.max(1);
        if self.seen.is_multiple_of(stride) {
            self.sample.push(near);
        }
        self.seen += 1;
        if self.sample.len() >= MAX_SAMPLE {
            let mut nth = 0;
            self.sample.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.stride = stride * 2;
        }
    }

    /// Returns minimum and maximum with their spelling.
    pub(crate) fn min_max(&self) -> Option<(&str, &str)> {
        let (min, max) = self.min_max.as_ref()?;
        Some((min.text(), max.text()))
    }

    /// Returns a number that about a quarter of the numbers reach or exceed; `None` if its spelling
    /// would be long.
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
        assert_eq!(numbers.min_max(), Some(("-0.50", "1e400")));
    }

    #[test]
    fn the_upper_quarter_is_reached_by_some_and_not_by_most() {
        let mut numbers = Numbers::default();
        (0..10_000).for_each(|n: u32| numbers.add(&n.to_string()));
        let at = numbers.upper_quarter().expect("there are numbers");
        assert!((6_500.0..8_500.0).contains(&at), "{at}");
        assert!(numbers.sample.len() <= MAX_SAMPLE);
    }
}
