//! A generated history, compacted or compressed for real: the provider's rules hold
//! as before (I8), nothing grew and the report's numbers are true (I10, I21), a
//! second time changes nothing (I3), and everything comes back (I1).

use arbitrary::{Result, Unstructured};
use raw_json::elements;
use serde_json::Value;

use super::conversation::{Conversation, conversation};
use super::place::{Place, Said, gave_up, none_is_new};

pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok(settings) = settings(&mut u) else { return };
    let Ok(posted) = conversation(&mut u) else { return };
    let place = Place::new();
    let (before, system) = (posted.array(), posted.system.as_deref());
    // A request without messages is refused, and so may broken ones be.
    let Some(after) = offload(&place, &posted, &before, system, &settings) else {
        assert!(!posted.sound, "a sound history is refused: {before}");
        return;
    };
    let system = after.system.as_deref().or(system);
    pairs_stay(&place, &posted, &before, &after);
    it_is_not_larger(&after);
    let again = offload(&place, &posted, &after.messages, system, &settings);
    let again = again.expect("what came back may be posted");
    assert_eq!(again.messages, after.messages, "a second time changes it");
    everything_comes_back(&place, &posted, &before, (&after.messages, system));
}

/// The members of a request in addition to the history.
pub(crate) fn settings(u: &mut Unstructured<'_>) -> Result<String> {
    let mode = *u.choose(&["auto", "compact", "compress"])?;
    let total = *u.choose(&[0, 1, 100, 1_000])?;
    let tool = *u.choose(&[0, 20, 60, 300])?;
    let keep = u.int_in_range(0..=5)?;
    let group = *u.choose(&[0, 0, 50, 400, 2_000])?;
    let ratio = *u.choose(&["0.0", "0.5", "1.0"])?;
    let preview = *u.choose(&[0, 5, 40, 120])?;
    let descriptor = *u.choose(&["pointer", "compact", "full"])?;
    let mut more = format!(
        ",\"store_dir\":\"/workspace/store\",\"include_files\":false,\
         \"context_manage_mode\":\"{mode}\",\"max_total_tokens\":{total},\
         \"max_tool_message_tokens\":{tool},\"keep_recent_count\":{keep},\
         \"group_token_threshold\":{group},\"compact_ratio_threshold\":{ratio},\
         \"preview_tokens\":{preview},\"descriptor\":\"{descriptor}\""
    );
    if u.ratio(1, 6)? {
        more.push_str(&format!(",\"target_tokens\":{}", u.int_in_range(50..=2_000)?));
    }
    if u.ratio(1, 6)? {
        more.push_str(",\"compact_roles\":[\"tool\",\"user\"]");
    }
    if u.ratio(1, 6)? {
        more.push_str(",\"materialize\":false");
    }
    Ok(more)
}

pub(crate) fn offload(
    place: &Place,
    posted: &Conversation,
    messages: &str,
    system: Option<&str>,
    settings: &str,
) -> Option<Said> {
    let body = posted.body(messages, system, settings);
    place.service.offload(body.as_bytes()).ok().map(Said::of)
}

pub(crate) fn pairs_stay(place: &Place, posted: &Conversation, before: &str, after: &Said) {
    let name = posted.format.name();
    let was = place.problems(name, before);
    let is = place.problems(name, &after.messages);
    assert!(none_is_new(&is, &was), "{name}: {was:?} became {is:?} in {}", after.messages);
    assert!(!posted.sound || was.is_empty(), "{name}: a sound history has {was:?}: {before}");
    assert!(!gave_up(after), "a check failed: {}", after.report());
}

pub(crate) fn it_is_not_larger(after: &Said) {
    let (was, is) = (after.number("tokens_before"), after.number("tokens_after"));
    assert!(is <= was, "{was} tokens became {is}");
    let checks = &after.report()["checks"];
    let held = checks.as_object().into_iter().flatten().all(|(_, held)| held == true);
    assert!(held, "{checks}");
}

/// Puts both back: what was a reference before it came is resolved in both.
pub(crate) fn everything_comes_back(
    place: &Place,
    posted: &Conversation,
    before: &str,
    after: (&str, Option<&str>),
) {
    let back = |messages: &str, system: Option<&str>| {
        let body = posted.body(messages, system, "");
        Said::of(place.service.rehydrate(body.as_bytes()).expect("messages of that format"))
    };
    let (was, is) = (back(before, posted.system.as_deref()), back(after.0, after.1));
    let system = |said: &Said, sent: Option<&str>| said.system.clone().or(sent.map(str::to_owned));
    let prompts = (system(&was, posted.system.as_deref()), system(&is, after.1));
    assert_eq!(prompts.0, prompts.1, "the system prompt does not come back");
    let values = |messages: &str| -> Vec<Value> {
        let messages = elements(messages).expect("an array of messages");
        messages.iter().map(|one| serde_json::from_str(one).expect("a message is JSON")).collect()
    };
    assert_eq!(values(&was.messages), values(&is.messages), "the messages do not come back");
}
