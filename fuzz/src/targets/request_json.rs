//! Any bytes as a request: every door that takes a history answers or says what is
//! wrong, an answer is JSON, a dry run writes nothing and changes no byte, a real
//! one gives no more tokens than it got and breaks no rule of a provider.

use raw_json::{field, fields, fields_and_elements};
use serde_json::value::RawValue;

use super::place::{Place, Said, gave_up, none_is_new};

/// The first members of a request; later ones may override them.
const FIRST: &str = "{\"max_total_tokens\":0,\"max_tool_message_tokens\":8,\"preview_tokens\":5,\
                     \"keep_recent_count\":0";

/// The last members of the request, which take effect.
const DRY: &str = ",\"store_dir\":\"/workspace/store\",\"dry_run\":true}";
const REAL: &str = ",\"store_dir\":\"/workspace/store\",\"dry_run\":false}";

pub(crate) fn run(data: &[u8]) {
    let place = Place::new();
    any_door(&place, data);
    let Some((dry, real)) = requests(data) else {
        assert!(place.service.offload(data).is_err(), "what is no object is no request");
        return;
    };
    let Ok(answer) = place.service.offload(dry.as_bytes()) else {
        assert!(place.service.offload(real.as_bytes()).is_err(), "a dry run says the same");
        return;
    };
    let planned = Said::of(answer);
    assert!(!place.path("store").exists(), "a dry run wrote");
    let answer = place.service.offload(real.as_bytes()).expect("a dry run says the same");
    let sent = sent(&real);
    let mends = planned.report()["repairs"].as_array().is_some_and(|mends| !mends.is_empty());
    assert!(mends || planned.messages == sent, "a dry run changes nothing");
    let done = Said::of(answer);
    for said in [&planned, &done] {
        let (was, is) = (said.number("tokens_before"), said.number("tokens_after"));
        assert!(is <= was, "{was} tokens became {is}");
        assert!(!gave_up(said), "a check failed: {}", said.report());
    }
    let format = done.report()["format"].as_str().expect("the report names the format");
    let (was, is) = (place.problems(format, &sent), place.problems(format, &done.messages));
    assert!(none_is_new(&is, &was), "{was:?} became {is:?} in {}", done.messages);
}

/// Every operation that reads a body and writes nothing.
fn any_door(place: &Place, body: &[u8]) {
    let service = &place.service;
    let told = [
        service.count_tokens(body),
        service.validate(body).map(|(answer, _)| answer),
        service.rehydrate(body),
        service.read_file(body),
        service.read_tool_result(body),
        service.lro_extract(body),
    ];
    for answer in told.into_iter().flatten() {
        let json = answer.into_json();
        let whole: Result<&RawValue, _> = serde_json::from_str(&json);
        assert!(whole.is_ok(), "no JSON: {json}");
    }
}

/// The body as a dry run and as a real one; None where it is no object.
fn requests(data: &[u8]) -> Option<(String, String)> {
    let body = std::str::from_utf8(data).ok()?;
    fields_and_elements(body, "messages").ok()?;
    let body = body.trim_ascii();
    let inside = body.strip_prefix('{')?.strip_suffix('}')?;
    let comma = if inside.trim_ascii().is_empty() { "" } else { "," };
    Some((format!("{FIRST}{comma}{inside}{DRY}"), format!("{FIRST}{comma}{inside}{REAL}")))
}

fn sent(body: &str) -> String {
    let members = fields(body).expect("the request was read");
    field(&members, "messages").unwrap_or_default().to_owned()
}
