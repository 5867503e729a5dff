//! Global heaps: texts of variable length, and the mappings of virtual data sets.

use super::input::{Fields, Input};
use crate::{Error, Result};

/// Object number `number` of the heap at `at`, and where it lies.
pub(super) fn object(input: &Input<'_>, at: u64, number: u64) -> Result<(Vec<u8>, u64)> {
    let head = input.read(at, 16)?;
    if !head.starts_with(b"GCOL\x01") {
        return Err(Error::new("GCOL", "something else").at(at));
    }
    let end = at.saturating_add(Fields::new(&head[8..], at + 8).uint(8)?);
    let mut place = at + 16;
    while place.saturating_add(16) <= end {
        let head = input.read(place, 16)?;
        let mut fields = Fields::new(&head, place);
        let (found, _, bytes) = (fields.uint(2)?, fields.uint(6)?, fields.uint(8)?);
        if found == number && number != 0 {
            return Ok((input.read(place + 16, bytes)?, place + 16));
        }
        // Object 0 is the free room at the end.
        if found == 0 {
            break;
        }
        let next =
            bytes.checked_next_multiple_of(8).and_then(|bytes| place.checked_add(16)?.checked_add(bytes));
        place = next.ok_or_else(|| Error::new("objects within their heap", "one behind it").at(place))?;
    }
    Err(Error::new(format!("object {number} of a heap"), "none").at(at))
}
