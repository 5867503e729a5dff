//! Memory that a thread keeps between events.

use std::sync::Arc;

use livetime_formats::hdf5::Scratch;
use livetime_frame::AttributeValue;

use super::content::{COLUMN_BYTES, Part};

/// Most rows of a column that are read at once, if they are short.
const BLOCK: u64 = 1024;
/// Bytes of a column that are read at once: following events take their values from this block without a system call.
const BLOCK_BYTES: u64 = 1 << 16;

/// The memory of a thread that reads HDF5.
pub(super) struct Memory {
    /// For pictures.
    pub(super) scratch: Scratch,
    columns: Scratch,
    /// The file that the columns belong to.
    part: Option<Arc<Part>>,
    blocks: Vec<Option<Block>>,
}

struct Block {
    first: u64,
    rows: u64,
    values: Vec<AttributeValue>,
}

impl Default for Memory {
    fn default() -> Memory {
        let (scratch, columns) = (Scratch::default(), Scratch::within(COLUMN_BYTES));
        Memory { scratch, columns, part: None, blocks: Vec::new() }
    }
}

impl Memory {
    /// The value of a column at an event; `None` if it cannot be read.
    pub(super) fn value(&mut self, part: &Arc<Part>, column: usize, event: u64) -> Option<AttributeValue> {
        let row = part.row_of(part.columns.get(column)?, event);
        if !self.part.as_ref().is_some_and(|known| Arc::ptr_eq(known, part)) {
            self.part = Some(part.clone());
            self.blocks.clear();
        }
        if self.blocks.len() <= column {
            self.blocks.resize_with(column + 1, || None);
        }
        let is_in = |block: &Block| (block.first..block.first + block.rows).contains(&row);
        if !self.blocks[column].as_ref().is_some_and(is_in) {
            let array = &part.columns.get(column)?.array;
            let rows = (BLOCK_BYTES / array.row_bytes().max(1)).clamp(1, BLOCK);
            let first = row / rows * rows;
            let values = array.values(first, rows, &mut self.columns).unwrap_or_default();
            self.blocks[column] = Some(Block { first, rows, values });
        }
        let block = self.blocks[column].as_ref()?;
        block.values.get((row - block.first) as usize).cloned()
    }
}
