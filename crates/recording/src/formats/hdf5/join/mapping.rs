//! Rows as few regular pieces: hosts that take turns are one piece each, however many frames there are.

use livetime_formats::hdf5::Rows;

/// Rows of a file, and the rows of the master that show them.
pub(super) type Pairs = Vec<(Rows, Rows)>;

/// The rows of each file that the master shows.
pub(super) struct Mappings {
    /// Of pictures.
    pub(super) pictures: Vec<Pairs>,
    /// Of data sets that are taken of one file for each frame.
    pub(super) once: Vec<Pairs>,
}

impl Mappings {
    pub(super) fn of(&self, is_picture: bool) -> &[Pairs] {
        if is_picture { &self.pictures } else { &self.once }
    }

    pub(super) fn count(&self, is_picture: bool) -> usize {
        self.of(is_picture).iter().map(Vec::len).sum()
    }
}

/// Rows of a file that follow each other in the master, too.
#[derive(Clone, Copy)]
struct Run {
    to: u64,
    from: u64,
    rows: u64,
}

/// Runs of one length at equal distances, in the file and in the master.
struct Piece {
    first: Run,
    last: Run,
    count: u64,
    /// From a run to the next one: in the master, in the file. Of no meaning for a single run.
    strides: (u64, u64),
}

/// The pieces of a list of rows: the row of the master and the row of the file, in the order of the master's rows. As
/// pairs of rows of the file and rows of the master.
pub(super) fn regular(rows: impl Iterator<Item = (u64, u64)>) -> Pairs {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut run: Option<Run> = None;
    for (to, from) in rows {
        match &mut run {
            Some(run) if (to, from) == (run.to + run.rows, run.from + run.rows) => run.rows += 1,
            run => {
                if let Some(whole) = run.replace(Run { to, from, rows: 1 }) {
                    add(&mut pieces, whole);
                }
            }
        }
    }
    if let Some(last) = run {
        add(&mut pieces, last);
    }
    pieces.iter().map(Piece::rows).collect()
}

fn add(pieces: &mut Vec<Piece>, run: Run) {
    if !pieces.last_mut().is_some_and(|piece| piece.take(run)) {
        pieces.push(Piece { first: run, last: run, count: 1, strides: (run.rows, run.rows) });
    }
}

impl Piece {
    /// Whether the run goes on with it.
    fn take(&mut self, run: Run) -> bool {
        let steps = run.to.checked_sub(self.last.to).zip(run.from.checked_sub(self.last.from));
        // Selections of HDF5 go forward.
        let Some(strides) = steps.filter(|(to, from)| *to >= run.rows && *from >= run.rows) else {
            return false;
        };
        if run.rows != self.last.rows || (self.count > 1 && strides != self.strides) {
            return false;
        }
        (self.last, self.count, self.strides) = (run, self.count + 1, strides);
        true
    }

    fn rows(&self) -> (Rows, Rows) {
        let Piece { first: Run { to, from, rows: block }, count, strides, .. } = *self;
        let rows = |first, stride| Rows { first, stride, count, block };
        (rows(from, strides.1), rows(to, strides.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(rows: Rows) -> Vec<u64> {
        (0..rows.count).flat_map(|n| (0..rows.block).map(move |i| rows.first + n * rows.stride + i)).collect()
    }

    /// The rows that pieces show, by rows of the master.
    fn shown(pieces: &[(Rows, Rows)]) -> Vec<(u64, u64)> {
        let mut shown = Vec::new();
        for (from, to) in pieces {
            assert_eq!((from.count, from.block), (to.count, to.block));
            assert!(from.stride >= from.block && to.stride >= to.block);
            shown.extend(all(*to).into_iter().zip(all(*from)));
        }
        shown
    }

    #[test]
    fn turns_are_one_piece() {
        let turns = regular((0..1_000_000).map(|n| (3 + 4 * n, n)));
        assert_eq!(turns.len(), 1);
        let (from, to) = turns[0];
        assert_eq!(from, Rows { first: 0, stride: 1, count: 1_000_000, block: 1 });
        assert_eq!(to, Rows { first: 3, stride: 4, count: 1_000_000, block: 1 });
        // In turns of 16 frames; the last turn is cut.
        let blocks = regular((0..1000).map(|n| (n / 16 * 64 + n % 16, n)));
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].1, Rows { first: 0, stride: 64, count: 62, block: 16 });
    }

    #[test]
    fn a_missing_frame_costs_a_few_pieces() {
        let pieces =
            regular((0..10_000).filter(|n| *n != 5000).enumerate().map(|(row, n)| (4 * n, row as u64)));
        assert!(pieces.len() <= 3, "{}", pieces.len());
    }

    proptest! {
        #[test]
        fn pieces_show_every_row_once(steps in prop::collection::vec((1..4u64, 0..30u64), 0..200)) {
            let mut to = 0;
            let rows: Vec<(u64, u64)> = steps
                .into_iter()
                .scan(0u64, |from, (step, jump)| {
                    to += step;
                    // Most rows follow each other in the file, some lie anywhere.
                    *from = if jump < 25 { *from + 1 } else { jump * 7 % 40 };
                    Some((to, *from))
                })
                .collect();
            prop_assert_eq!(shown(&regular(rows.iter().copied())), rows);
        }
    }
}
