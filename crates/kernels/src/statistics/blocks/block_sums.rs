//! The sums of a block of rows.

/// Most rows of a block. Σ of running sums of bytes fits 16 bits: 255·16·17/2 < 2¹⁶.
pub(in crate::statistics) const ROWS: usize = 16;

/// The sums of a block of rows; one sum per row.
pub struct BlockSums<T> {
    pub(in crate::statistics) min: T,
    pub(in crate::statistics) max: T,
    /// Σv of all.
    pub(in crate::statistics) all: [f64; ROWS],
    /// Σv of the passing pixels.
    pub(in crate::statistics) passing: [f64; ROWS],
}
