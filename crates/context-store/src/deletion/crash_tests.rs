//! A deletion that crashes after any of its steps.

use super::*;
use crate::Lease;

/// Creates the state after a deletion of `a` that crashed after a step, for each of its files.
fn crash(shop: &Shop, name: &FileName, step: usize) {
    let index = shop.index();
    if step > 0 {
        let _ = index.chat_markers(Chat::of("a")).set_aside();
    }
    if step > 1 {
        let ended = shop.record(name).unwrap().ended(after(9), End::ChatDeleted);
        index.records.replace(name, &ended).unwrap();
    }
    if step > 2 {
        shop.remove_file(name);
        assert!(ended_of(&shop.at(name.as_str())).unwrap().ended.is_some(), "a 410 at once");
    }
}

on_both! {
    fn a_crash_after_any_step_is_finished_by_the_next_call() {
        for step in 0..4 {
            for another in [false, true] {
                let shop = shop();
                let own = ["1", "2"].map(|id| made(&shop, "a", id, id));
                let shared = made(&shop, "a", "3", "3");
                mention(&shop, "b", &shared);
                crash(&shop, &own[0], step);
                // The deletion crashes after it recorded the end, before it finds the other chat.
                if another && step < 3 {
                    crash(&shop, &shared, step);
                }
                let shop = shop_in(shop.temp);
                let deletion = delete(&shop, "a");
                assert_eq!(deletion.deleted.len(), if step > 2 { 1 } else { 2 }, "{step}");
                assert_eq!(kept(&deletion), [(shared.to_string(), KeptReason::Shared)], "{step}");
                assert!(is_forgotten(&shop, "a"), "{step}: {:?}", shop.private());
                assert_eq!(shop.record(&shared).unwrap().ended, None, "{step}");
                assert_eq!(deleted(&delete(&shop, "b")), [shared.to_string()]);
            }
        }
    }
}

on_both! {
    /// A file that a crashed deletion left belongs to a chat that refers to it from then on.
    fn a_file_that_a_crash_left_can_be_used_again() {
        let shop = shop();
        let own = made(&shop, "a", "1", "x");
        crash(&shop, &own, 2);
        let leases =
            shop.store.note_references(Chat::of("b"), std::slice::from_ref(&own), MissingIndex::Create);
        assert_eq!(leases, [Lease::Held]);
        assert_eq!(shop.record(&own).unwrap().ended, None);
        assert_eq!(deleted(&delete(&shop, "a")), Vec::<String>::new());
        assert!(shop.has(own.as_str()));
        assert_eq!(deleted(&delete(&shop, "b")), [own.as_str()]);
    }
}

on_both! {
    fn a_file_that_is_gone_is_not_held_by_a_mention() {
        let shop = shop();
        let own = made(&shop, "a", "1", "x");
        delete(&shop, "a");
        let names = std::slice::from_ref(&own);
        let leases = shop.store.note_references(Chat::of("b"), names, MissingIndex::Create);
        assert_eq!(leases, [Lease::Gone]);
    }
}
