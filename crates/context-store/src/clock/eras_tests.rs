//! A file's age is right, or too small, whatever happened to the wall clock.

use proptest::prelude::*;

use super::*;
use crate::clock::folder_clock::CLOCK_BYTES;
use std::time::UNIX_EPOCH;

const HOUR: i64 = 3_600_000;
const YEAR: i64 = 365 * 24 * HOUR;

fn at(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap())
}

/// A machine whose wall clock is off by some amount.
struct Machine {
    real: i64,
    ahead: i64,
    booted: i64,
    boot: u32,
}

impl Machine {
    fn new() -> Machine {
        Machine { real: 50 * YEAR, ahead: 0, booted: 50 * YEAR, boot: 0 }
    }

    fn wall(&self) -> SystemTime {
        at(self.real + self.ahead)
    }

    fn now(&self) -> Moment {
        let up = Duration::from_millis(u64::try_from(self.real - self.booted).unwrap());
        Moment { wall: self.wall(), up, boot: self.boot.to_string() }
    }

    fn reboot(&mut self, off: i64, ahead: i64) {
        self.real += off;
        (self.ahead, self.booted, self.boot) = (ahead, self.real, self.boot + 1);
    }

    /// Returns the age of a file by the folder's clock, in milliseconds.
    fn age(&self, clock: &Clock, file: SystemTime) -> i64 {
        let age = self.wall().duration_since(clock.since(file)).unwrap_or_default();
        i64::try_from(age.as_millis()).unwrap()
    }
}

fn begun(machine: &Machine) -> Clock {
    let mut clock = Clock::of(machine.wall());
    clock.observe(&machine.now());
    clock
}

#[test]
fn a_clock_that_is_ahead_at_the_start_makes_no_file_older() {
    let mut machine = Machine::new();
    let mut clock = begun(&machine);
    let file = machine.wall();
    machine.real += 60_000;
    machine.reboot(0, 8 * HOUR);
    clock.observe(&machine.now());
    assert!(machine.age(&clock, file) <= 60_000);
    let second = machine.wall();
    machine.real += HOUR;
    machine.ahead = 0;
    clock.observe(&machine.now());
    assert_eq!(machine.age(&clock, file), HOUR, "right but for what passed unobserved");
    assert_eq!(machine.age(&clock, second), 0, "late: it is from the future");
}

#[test]
fn a_clock_that_was_behind_and_is_put_right_ages_files_as_real_time_does() {
    let mut machine = Machine::new();
    machine.ahead = -10 * YEAR;
    let mut clock = begun(&machine);
    let file = machine.wall();
    machine.real += HOUR;
    machine.ahead = 0;
    clock.observe(&machine.now());
    assert_eq!(machine.age(&clock, file), HOUR);
    machine.real += HOUR;
    clock.observe(&machine.now());
    assert_eq!(machine.age(&clock, file), 2 * HOUR, "and does expire");
}

#[test]
fn a_step_ahead_and_back_leaves_ages_right() {
    let mut machine = Machine::new();
    let mut clock = begun(&machine);
    let file = machine.wall();
    for ahead in [10 * YEAR, -10 * YEAR, 0, 2 * HOUR, -2 * HOUR, 0] {
        machine.real += 1_000;
        machine.ahead = ahead;
        clock.observe(&machine.now());
        // By a clock that was set to before the file, the file is new.
        let age = if ahead < 0 { 0 } else { machine.real - 50 * YEAR };
        assert_eq!(machine.age(&clock, file), age, "{ahead}");
    }
}

#[test]
fn a_folder_of_which_no_clock_is_known_is_as_old_as_its_newest_file() {
    let mut machine = Machine::new();
    let file = machine.wall();
    machine.real += HOUR;
    machine.ahead = 8 * HOUR;
    let mut clock = Clock::of(file);
    clock.observe(&machine.now());
    assert_eq!(machine.age(&clock, file), 0);
    machine.real += HOUR;
    clock.observe(&machine.now());
    assert_eq!(machine.age(&clock, file), HOUR, "from the first observation on");
}

#[test]
fn what_is_remembered_is_bounded_and_small() {
    let mut machine = Machine::new();
    let mut clock = begun(&machine);
    let file = machine.wall();
    for round in 0..500 {
        machine.real += 1_000;
        machine.reboot(5_000, i64::from(round % 7) * HOUR);
        clock.observe(&machine.now());
    }
    assert_eq!((clock.boots.len(), clock.eras.len()), (BOOTS, ERAS));
    assert!(clock.render().len() < CLOCK_BYTES);
    assert!(machine.age(&clock, file) <= machine.real - 50 * YEAR);
}

#[derive(Debug, Clone)]
enum Step {
    Write,
    Observe,
    Pass(i64),
    Set(i64),
    Reboot(i64, i64),
}

fn step() -> impl Strategy<Value = Step> {
    let ahead = prop_oneof![Just(0), -3 * HOUR..3 * HOUR, -5 * YEAR..5 * YEAR];
    prop_oneof![
        3 => Just(Step::Write),
        3 => Just(Step::Observe),
        3 => (0..5 * HOUR).prop_map(Step::Pass),
        2 => ahead.clone().prop_map(Step::Set),
        1 => (0..5 * HOUR, ahead).prop_map(|(off, ahead)| Step::Reboot(off, ahead)),
    ]
}

proptest! {
    /// Each start of a machine and each write is observed, as the service does.
    #[test]
    fn no_file_is_ever_taken_for_older_than_it_is(steps in prop::collection::vec(step(), 1..60)) {
        let mut machine = Machine::new();
        let mut clock = begun(&machine);
        let mut files: Vec<(i64, SystemTime)> = Vec::new();
        for step in steps {
            match step {
                Step::Write => {
                    clock.observe(&machine.now());
                    files.push((machine.real, machine.wall()));
                }
                Step::Observe => {}
                Step::Pass(ms) => machine.real += ms,
                Step::Set(ahead) => machine.ahead = ahead,
                Step::Reboot(off, ahead) => machine.reboot(off, ahead),
            }
            if matches!(step, Step::Observe | Step::Reboot(..)) {
                clock.observe(&machine.now());
                for (written, file) in &files {
                    let (age, real) = (machine.age(&clock, *file), machine.real - written);
                    // A difference smaller than a step is ignored.
                    prop_assert!(age <= real + STEP_MS, "{age} > {real}: {clock:?}");
                }
            }
        }
    }
}
