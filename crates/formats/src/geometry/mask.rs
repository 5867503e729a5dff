//! Masks that follow from the build of a detector.

/// Which pixels a mask leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MaskOptions {
    /// Rows that are left out at both ends of each segment.
    pub edge_rows: usize,
    /// Columns that are left out at both ends of each segment.
    pub edge_columns: usize,
    /// Rows that are left out on both sides of each border between chips.
    pub center_rows: usize,
    /// Columns that are left out on both sides of each border between chips.
    pub center_columns: usize,
    /// Pixels without contact, which only CSPads have.
    pub unbonded: Unbonded,
}

/// The pixels that a mask leaves out around the pixels of a CSPad without contact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unbonded {
    /// None.
    #[default]
    Stay,
    /// They alone.
    Alone,
    /// They, and the four pixels that touch them with a side.
    AndFour,
    /// They, and the eight pixels around them.
    AndEight,
}

impl Unbonded {
    /// All, with their names.
    pub const ALL: [(Unbonded, &'static str); 4] = [
        (Unbonded::Stay, "stay"),
        (Unbonded::Alone, "alone"),
        (Unbonded::AndFour, "and-four"),
        (Unbonded::AndEight, "and-eight"),
    ];

    /// Rows and columns from the one without contact.
    pub(super) fn around(self) -> &'static [(isize, isize)] {
        const ALL: [(isize, isize); 9] =
            [(0, 0), (0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];
        match self {
            Unbonded::Stay => &[],
            Unbonded::Alone => &ALL[..1],
            Unbonded::AndFour => &ALL[..5],
            Unbonded::AndEight => &ALL,
        }
    }
}
