//! A generated history that grows: it is posted in parts, each after what came back
//! of those before. What comes of it breaks no rule of the provider that the whole
//! does not break, is not larger, stays as it is when it is posted again (I3), and
//! everything comes back (I1).

use arbitrary::Unstructured;
use raw_json::elements;

use super::conversation::{Conversation, conversation};
use super::pairing::{everything_comes_back, it_is_not_larger, offload, pairs_stay, settings};
use super::place::{Place, Said};

pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(posts) = u.int_in_range(2..=4_usize) else { return };
    let Ok(settings) = settings(&mut u) else { return };
    let Ok(whole) = conversation(&mut u) else { return };
    let place = Place::new();
    let length = whole.messages.len().div_ceil(posts).max(1);
    let mut now = Now { messages: Vec::new(), system: whole.system.clone() };
    for part in whole.messages.chunks(length) {
        now.messages.extend_from_slice(part);
        // What is broken may be refused; the caller goes on with what it has.
        let Some(after) = now.posted(&place, &whole, &settings) else {
            assert!(!whole.sound, "a sound history is refused: {}", now.array());
            continue;
        };
        it_is_not_larger(&after);
        now.becomes(&after);
    }
    let Some(again) = now.posted(&place, &whole, &settings) else { return };
    assert_eq!(again.messages, now.array(), "a second time changes it");
    // What is broken breaks other rules in its parts than as a whole.
    if whole.sound {
        pairs_stay(&place, &whole, &whole.array(), &again);
    }
    let system = now.system.as_deref();
    everything_comes_back(&place, &whole, &whole.array(), (&now.array(), system));
}

/// What a caller has.
struct Now {
    messages: Vec<String>,
    system: Option<String>,
}

impl Now {
    fn array(&self) -> String {
        format!("[{}]", self.messages.join(","))
    }

    fn posted(&self, place: &Place, whole: &Conversation, settings: &str) -> Option<Said> {
        offload(place, whole, &self.array(), self.system.as_deref(), settings)
    }

    fn becomes(&mut self, after: &Said) {
        let messages = elements(&after.messages).expect("an array of messages");
        self.messages = messages.into_iter().map(str::to_owned).collect();
        if after.system.is_some() {
            self.system.clone_from(&after.system);
        }
    }
}
