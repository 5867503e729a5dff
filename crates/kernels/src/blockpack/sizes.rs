//! Sizes of blocks, groups and rows.

/// Elements that share a width and a centre.
pub const GROUP: usize = 512;

/// Most elements of a block.
pub const BLOCK: usize = 16 * GROUP;

/// Bytes of a row of packed bits.
pub(super) const ROW: usize = 64;
