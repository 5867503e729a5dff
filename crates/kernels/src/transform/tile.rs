//! Tiles: squares of pixels whose rows become columns.

/// How the columns of a tile are made out of its rows. A trait and not a closure, because only
/// methods can be told to become part of the loop, and so to be compiled for its level.
pub(super) trait Tile<P, const N: usize> {
    fn transpose(&self, rows: [&[P; N]; N], columns: &mut [[P; N]; N]);
}

pub(super) struct OneByOne;

impl<P: Copy, const N: usize> Tile<P, N> for OneByOne {
    #[inline(always)]
    fn transpose(&self, rows: [&[P; N]; N], columns: &mut [[P; N]; N]) {
        for (y, row) in rows.into_iter().enumerate() {
            for x in 0..N {
                columns[x][y] = row[x];
            }
        }
    }
}
