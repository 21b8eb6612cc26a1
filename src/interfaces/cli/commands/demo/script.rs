//! The script of the demo agent: its calls and their results. Invented, deterministic, and of
//! realistic size.

use std::fmt::Write;

use raw_json::quote;

/// The fact in an early result that the agent must find.
pub(super) const FACT: &str = "port 48213";
/// The pattern that it searches for.
pub(super) const PATTERN: &str = "checkout listens on";
/// The turn whose result has the fact.
const FACT_TURN: u64 = 2;

/// Returns the messages before the first turn.
pub(super) fn opening() -> Vec<String> {
    let system = "You are an engineer on call. Use the tools; be brief.";
    let task = "The checkout fails since last night's release. Find out why, and fix it.";
    vec![
        format!("{{\"role\":\"system\",\"content\":{}}}", quote(system)),
        format!("{{\"role\":\"user\",\"content\":{}}}", quote(task)),
    ]
}

/// Returns the call and the result of a turn, counted from 1.
pub(super) fn turn(number: u64) -> [String; 2] {
    let mut dice = Dice(number);
    let (tool, arguments, result) = match number % 5 {
        0 => ("list_tickets", "{\"state\": \"open\"}", tickets(&mut dice)),
        1 => ("run_command", "{\"command\": \"cargo build 2>&1\"}", build(&mut dice)),
        2 => {
            ("run_command", "{\"command\": \"journalctl -u checkout\"}", journal(number, &mut dice))
        }
        3 => ("read_file", "{\"path\": \"src/checkout/cart.rs\"}", source(&mut dice)),
        _ => ("query_metrics", "{\"service\": \"checkout\"}", metrics(&mut dice)),
    };
    let call = format!(
        "{{\"id\":\"call_{number}\",\"type\":\"function\",\"function\":{{\"name\":\"{tool}\",\"arguments\":{}}}}}",
        quote(arguments)
    );
    [
        format!("{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{call}]}}"),
        format!(
            "{{\"role\":\"tool\",\"tool_call_id\":\"call_{number}\",\"content\":{}}}",
            quote(&result)
        ),
    ]
}

/// A pseudorandom number generator.
struct Dice(u64);

impl Dice {
    /// Returns a number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        // Knuth's constants for a linear congruential generator.
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = usize::try_from(self.roll(words.len() as u64)).unwrap_or_default();
        words[at]
    }
}

const MODULES: [&str; 6] = ["cart", "prices", "stock", "payment", "session", "mailer"];
const STATES: [&str; 4] = ["accepted", "retried", "timed out", "queued"];

fn build(dice: &mut Dice) -> String {
    let mut log = String::new();
    for _ in 0..150 + dice.roll(120) {
        let (module, patch) = (dice.pick(&MODULES), dice.roll(40));
        let _ = writeln!(log, "   Compiling {module}-core v1.{}.{patch}", dice.roll(9));
    }
    let _ = write!(log, "error[E0308]: mismatched types\n  --> src/{}.rs", dice.pick(&MODULES));
    let _ = writeln!(log, ":{}:9\nexit code: 101", 20 + dice.roll(300));
    log
}

fn journal(number: u64, dice: &mut Dice) -> String {
    let mut log = String::new();
    let lines = 120 + dice.roll(80);
    for line in 0..lines {
        let (module, state) = (dice.pick(&MODULES), dice.pick(&STATES));
        let _ = writeln!(
            log,
            "03:{:02}:{:02} {module}[{}]: request {:08x} {state} after {} ms",
            line / 60,
            line % 60,
            900 + dice.roll(90),
            dice.roll(1 << 32),
            dice.roll(2_000)
        );
        if number == FACT_TURN && line == lines / 2 {
            let _ = writeln!(log, "03:01:07 checkout[901]: {PATTERN} {FACT} since the release");
        }
    }
    log
}

fn source(dice: &mut Dice) -> String {
    let mut text = String::from("//! The cart, and what it costs.\n\n");
    for number in 0..40 + dice.roll(20) {
        let module = dice.pick(&MODULES);
        let _ = writeln!(
            text,
            "/// Step {number} of the {module}.\npub fn {module}_{number}(total: u64) -> u64 {{\n    total.saturating_add({})\n}}\n",
            dice.roll(1_000)
        );
    }
    text
}

fn tickets(dice: &mut Dice) -> String {
    let ticket = |number: u64, dice: &mut Dice| {
        format!(
            "{{\"id\": \"T-{}\", \"title\": \"{} is slow for customer {}\", \"area\": \"{}\", \"priority\": {}, \"open\": {}}}",
            1_000 + number,
            dice.pick(&MODULES),
            dice.roll(900),
            dice.pick(&MODULES),
            1 + dice.roll(5),
            dice.roll(2) == 0
        )
    };
    let tickets: Vec<String> = (0..60 + dice.roll(60)).map(|n| ticket(n, dice)).collect();
    format!("[{}]", tickets.join(",\n "))
}

fn metrics(dice: &mut Dice) -> String {
    let point = |minute: u64, dice: &mut Dice| {
        format!(
            "{{\"minute\": {minute}, \"requests\": {}, \"errors\": {}, \"p99_ms\": {}.{}}}",
            400 + dice.roll(300),
            dice.roll(40),
            90 + dice.roll(900),
            dice.roll(10)
        )
    };
    let points: Vec<String> = (0..90 + dice.roll(40)).map(|n| point(n, dice)).collect();
    format!("{{\"service\": \"checkout\", \"points\": [{}]}}", points.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_the_same_in_every_run_and_differ_from_each_other() {
        assert_eq!(turn(7), turn(7));
        assert_ne!(turn(7)[1], turn(12)[1]);
        for number in 1..=10 {
            let [call, result] = turn(number);
            serde_json::from_str::<serde_json::Value>(&call).unwrap();
            serde_json::from_str::<serde_json::Value>(&result).unwrap();
            assert_eq!(result.contains(FACT), number == FACT_TURN);
        }
    }
}
