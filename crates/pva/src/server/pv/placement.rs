//! Where in memory a large array lies, as seen by the kernel that copies it into a socket.
//!
//! AMD processors copy four times as slowly when source and target have nearly the same offset within a page of 4 KiB
//! (measured on Zen 4: 2.3 instead of 10 GB/s inside `_copy_from_iter`, whose copy is one `rep movsb`). That is the
//! usual case and not bad luck: the allocator puts a large `Vec` 16 bytes behind the start of a page, and the kernel
//! puts the array a few bytes behind the start of a page, after the head of the message. So the array of a requested
//! value is copied once to the middle of a page, where all later answers find it.

use std::sync::OnceLock;

use bytes::Bytes;

use crate::data::{Array, Field, Value};

const PAGE: usize = 4096;
/// Smaller arrays cost less than a wake-up, however they are copied.
const LARGE: usize = 64 << 10;
/// The head of a message and the fields of a structure in front of its array are shorter than this. The slow copies were
/// seen up to 64 bytes on either side of the target's offset.
const HEADS: usize = 256;
const NEAR: usize = 64;

/// Moves the large arrays of `value` to where this processor's kernel copies them fast.
pub(super) fn place_arrays(value: &mut Value) {
    if !copies_slowly_at_equal_offsets() {
        return;
    }
    for field in &mut value.fields {
        if let Field::Array(array) = field
            && let Some(placed) = placed(array)
        {
            *array = placed;
        }
    }
}

/// The array in the middle of a page, unless it lies well already.
fn placed(array: &Array) -> Option<Array> {
    let data = array.data();
    let offset = data.as_ptr() as usize % PAGE;
    let lies_well = (HEADS + NEAR..=PAGE - NEAR).contains(&offset);
    if data.len() < LARGE || lies_well {
        return None;
    }
    let mut memory = vec![0; data.len() + 2 * PAGE];
    let start = PAGE - memory.as_ptr() as usize % PAGE + PAGE / 2;
    memory[start..start + data.len()].copy_from_slice(data);
    let moved = Bytes::from(memory).slice(start..start + data.len());
    Array::new(array.kind(), moved).ok()
}

/// Whether this is one of AMD's processors.
fn copies_slowly_at_equal_offsets() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    let is_amd = || std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains("AuthenticAMD"));
    *ANSWER.get_or_init(is_amd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScalarType;

    /// Bytes with the numbers 0, 1, … at `offset` within a page.
    fn at(offset: usize, len: usize) -> Array {
        let mut memory = vec![0; len + 2 * PAGE];
        let start = PAGE - memory.as_ptr() as usize % PAGE + offset;
        (0..len).for_each(|i| memory[start + i] = i as u8);
        Array::new(ScalarType::F64, Bytes::from(memory).slice(start..start + len)).unwrap()
    }

    #[test]
    fn large_arrays_at_the_start_of_a_page_are_moved_to_its_middle() {
        for offset in [0, 16, 64, 300, PAGE - 8] {
            let array = at(offset, LARGE);
            let moved = placed(&array).unwrap();
            assert_eq!(moved, array);
            assert_eq!(moved.data().as_ptr() as usize % PAGE, PAGE / 2);
        }
    }

    #[test]
    fn others_stay_where_they_are() {
        assert!(placed(&at(16, LARGE - 8)).is_none());
        assert!(placed(&at(PAGE / 2, LARGE)).is_none());
        assert!(placed(&placed(&at(16, 2 * LARGE)).unwrap()).is_none());
    }
}
