//! Expired files are distinguished from files that never existed.

use super::*;
use crate::testing::{after, ended_of, shop, start};

#[test]
fn what_expired_is_known_and_what_never_was_is_not() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    assert_eq!(shop.sweep(after(3_600)).expired.len(), 1);
    let gone = ended_of(&shop.at(name.as_str())).unwrap();
    assert_eq!(gone.ended, Some((after(3_600), End::Expired)));
    assert_eq!(gone.call.tool.as_deref(), Some("tool of nobody"));
    assert_eq!(gone.call.call_id.as_deref(), Some("1"));
    assert_eq!(gone.call.arguments.as_deref(), Some("arguments of nobody"));
    for never in ["tool_call_2.txt", "tool_call_1", "x", ".unburden/format", "no/tool_call_1.txt"] {
        assert_eq!(ended_of(&shop.at(never)), None, "{never}");
    }
    assert_eq!(ended_of(&shop.roots.all().next().unwrap()), None);
}

#[test]
fn a_file_without_a_record_is_known_by_its_end() {
    let shop = shop();
    shop.made("1", "x", start());
    let name = shop.plant("tool_call_2.txt", "unlisted", start());
    shop.sweep(after(4_000));
    let gone = ended_of(&shop.at(name.as_str())).unwrap();
    let ended = Some((after(4_000), End::Expired));
    assert_eq!((gone.call, gone.ended), (Call::default(), ended));
}

#[test]
fn a_recorded_file_that_somebody_removed_is_gone_without_a_moment() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    std::fs::remove_file(shop.path(name.as_str())).unwrap();
    let gone = ended_of(&shop.at(name.as_str())).unwrap();
    assert_eq!(gone.ended, None);
    assert!(gone.call.tool.is_some());
}
