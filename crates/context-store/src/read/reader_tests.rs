//! The limits of an operation, and files that are read once.

use std::time::Duration;

use super::*;
use crate::media::on_both;
use crate::testing::shop;

fn allowance(bytes: u64, hold: &(dyn Fn(u64) -> bool + Sync)) -> Allowance<'_> {
    Allowance { bytes, until: Instant::now() + Duration::from_secs(60), hold }
}

on_both! {
    fn a_file_named_twice_is_read_once() {
        let shop = shop();
        let name = shop.write_call("1", "twelve bytes");
        let cache = FileCache::new(10);
        let reader = Reader::new(&cache, allowance(12, &|_| true));
        let at = shop.at(name.as_str());
        for _ in 0..1_000 {
            assert_eq!(reader.text(&at).unwrap().text, "twelve bytes");
            assert_eq!(reader.hash(&at).unwrap(), blake3::hash(b"twelve bytes"));
        }
        let other = shop.at(shop.write_call("2", "x").as_str());
        assert!(matches!(reader.text(&other), Err(ReadError::Allowance(12))));
    }
}

#[test]
fn what_is_searched_again_and_again_comes_to_an_end() {
    let cache = FileCache::new(10);
    let reader = Reader::new(&cache, allowance(0, &|_| true));
    let most = (0..100_000).take_while(|_| reader.search(1 << 20).is_ok()).count();
    assert_eq!(most as u64, SEARCHED >> 20);
}

#[test]
fn each_limit_is_asked_before_a_file_is_read() {
    let shop = shop();
    let at = shop.at(shop.write_call("1", "text").as_str());
    let large = shop.at("tool_call_large.txt");
    let file = std::fs::File::create(shop.path("tool_call_large.txt")).unwrap();
    file.set_len(2 * 1024 * 1024 * 1024).unwrap();
    let cache = FileCache::new(10);
    let asked = AtomicU64::new(0);
    let refuse = |bytes: u64| {
        asked.fetch_add(bytes, Ordering::Relaxed);
        false
    };
    let reader = Reader::new(&cache, allowance(u64::MAX, &refuse));
    assert!(matches!(reader.text(&at), Err(ReadError::Memory)));
    assert_eq!(asked.load(Ordering::Relaxed), 4);
    assert!(matches!(reader.text(&large), Err(ReadError::TooLarge { .. })));
    assert!(matches!(reader.hash(&large), Err(ReadError::TooLarge { .. })));
    let late = Allowance { until: Instant::now(), ..allowance(u64::MAX, &|_| true) };
    assert!(matches!(Reader::new(&cache, late).text(&at), Err(ReadError::Deadline)));
    let gone = shop.at("tool_call_gone.txt");
    assert!(matches!(reader.text(&gone), Err(ReadError::Missing(_))));
}
