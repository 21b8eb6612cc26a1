//! Footprint: what a view takes in memory, for caches that are bounded by it.

use super::message::{MessageView, ServerTool};

/// The bytes that a cache takes for an entry: its key, its place, the tables.
pub const ENTRY: u64 = 160;

impl MessageView {
    /// Gives back the room that its lists could still grow into: for a view that is
    /// kept. A list of one has room for four otherwise.
    pub fn shrink(&mut self) {
        self.calls.shrink_to_fit();
        self.awaiting.shrink_to_fit();
        for result in &mut self.results {
            result.slots.shrink_to_fit();
        }
        self.results.shrink_to_fit();
        self.server.shrink_to_fit();
        self.texts.shrink_to_fit();
        self.faults.shrink_to_fit();
    }

    /// Returns the bytes of its lists and words, as if they were shrunk.
    pub fn heap_bytes(&self) -> usize {
        let calls = self.calls.iter().map(|call| words(&call.id) + words(&call.name));
        let results = self
            .results
            .iter()
            .map(|result| words(&result.call_id) + words(&result.name) + list(&result.slots));
        let server = self.server.iter().map(|side| match side {
            ServerTool::Call(id) | ServerTool::Result(id) => block(id.len()),
        });
        let awaiting = self.awaiting.iter().map(|id| block(id.len()));
        let lists = list(&self.calls) + list(&self.awaiting) + list(&self.results);
        let more = list(&self.server) + list(&self.texts) + list(&self.faults);
        let within: usize = calls.chain(results).chain(server).chain(awaiting).sum();
        lists + more + within + words(&self.reasoning_id)
    }
}

/// The elements of a list, in bytes, what they point to left out.
pub fn list<T>(list: &[T]) -> usize {
    block(size_of_val(list))
}

fn words(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, |text| block(text.len()))
}

/// Returns the size of the block that the allocator hands out for so many bytes.
pub fn block(bytes: usize) -> usize {
    bytes.next_multiple_of(16)
}

#[cfg(test)]
mod tests {
    use crate::message::{Call, Role};

    use super::*;

    #[test]
    fn lists_and_words_are_counted_and_spare_room_is_given_back() {
        let mut view = MessageView::new(Role::Assistant);
        assert_eq!(view.heap_bytes(), 0);
        view.calls = Vec::with_capacity(100);
        view.calls.push(Call { id: Some("i".repeat(17)), name: None, arguments: None });
        assert_eq!(view.heap_bytes(), block(size_of::<Call>()) + 32);
        view.shrink();
        assert_eq!(view.calls.capacity(), 1);
    }
}
