//! Every pixel of the output is a copy of one of the input.

use super::output::Output;
use super::taps::nearest;
use crate::{Pixel, Plane};

/// Copies pixels of `samples` samples; `columns` gives for each column of the output the column of the input.
pub(super) fn run<T: Pixel>(
    input: Plane<'_, T>,
    columns: &[usize],
    samples: usize,
    output: &mut Output<'_, T>,
) {
    let mut before = None;
    for y in 0..output.height {
        let row = nearest(y, input.height(), output.height);
        // Rows repeat when an image is enlarged: a copy of the row needs no look-ups.
        if before == Some(row) {
            output.repeat_row(y - 1);
            continue;
        }
        let (from, to) = (input.row(row), output.row(y));
        match samples {
            1 => pixels::<1, T>(from, columns, to),
            3 => pixels::<3, T>(from, columns, to),
            _ => {
                for (to, column) in to.chunks_exact_mut(samples).zip(columns) {
                    to.copy_from_slice(&from[column * samples..][..samples]);
                }
            }
        }
        before = Some(row);
    }
}

fn pixels<const SAMPLES: usize, T: Pixel>(from: &[T], columns: &[usize], to: &mut [T]) {
    let (from, to) = (from.as_chunks::<SAMPLES>().0, to.as_chunks_mut::<SAMPLES>().0);
    for (to, column) in to.iter_mut().zip(columns) {
        *to = from[*column];
    }
}
