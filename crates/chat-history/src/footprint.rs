//! The memory size of a view, for caches with a limit in bytes.

use super::message::{MessageView, ServerTool};

/// Bytes of a cache entry in addition to its value: the key and the tables.
pub const CACHE_ENTRY_BYTES: u64 = 160;

impl MessageView {
    /// Frees the spare capacity of the lists, for a view that is cached: a list of one element may
    /// otherwise have capacity for four.
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

    /// Returns the bytes of the lists and strings, as if they were shrunk.
    pub fn heap_bytes(&self) -> usize {
        let calls = self.calls.iter().map(|call| text_bytes(&call.id) + text_bytes(&call.name));
        let results = self.results.iter().map(|result| {
            text_bytes(&result.call_id) + text_bytes(&result.name) + list_bytes(&result.slots)
        });
        let server = self.server.iter().map(|side| match side {
            ServerTool::Call(id) | ServerTool::Result(id) => block_bytes(id.len()),
        });
        let awaiting = self.awaiting.iter().map(|id| block_bytes(id.len()));
        let lists =
            list_bytes(&self.calls) + list_bytes(&self.awaiting) + list_bytes(&self.results);
        let more = list_bytes(&self.server) + list_bytes(&self.texts) + list_bytes(&self.faults);
        let within: usize = calls.chain(results).chain(server).chain(awaiting).sum();
        lists + more + within + text_bytes(&self.reasoning_id)
    }
}

/// Returns the bytes of a list's elements without those that they point to.
pub fn list_bytes<T>(list: &[T]) -> usize {
    block_bytes(size_of_val(list))
}

fn text_bytes(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, |text| block_bytes(text.len()))
}

/// Returns the size of the block that the allocator returns for this number of bytes.
pub fn block_bytes(bytes: usize) -> usize {
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
        assert_eq!(view.heap_bytes(), block_bytes(size_of::<Call>()) + 32);
        view.shrink();
        assert_eq!(view.calls.capacity(), 1);
    }
}
