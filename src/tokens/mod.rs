//! stub
#![allow(missing_docs)]
pub mod measure;
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tokenizer {
    O200kBase,
    Cl100kBase,
}
impl Tokenizer {
    pub fn for_model(_m: Option<&str>) -> Tokenizer {
        Tokenizer::O200kBase
    }
    pub fn name(self) -> &'static str {
        "o200k_base"
    }
    pub fn is_exact(self) -> bool {
        true
    }
    pub fn count(self, t: &str) -> u64 {
        t.len() as u64 / 4
    }
    pub fn count_up_to(self, t: &str, l: u64) -> Option<u64> {
        let c = self.count(t);
        (c <= l).then_some(c)
    }
}
pub fn warm_up() {}
