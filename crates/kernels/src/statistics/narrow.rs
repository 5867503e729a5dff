//! Projections of 8 and 16-bit pixels: integer lanes, emptied before they overflow.

use super::lanes::zip;
use super::projections::{Project, Projections};

/// Bytes in 16-bit lanes.
pub struct Narrow8;

/// 16-bit pixels in 32-bit lanes.
pub struct Narrow16;

/// Rows that fit the lanes: 255·22·23/2 < 2¹⁶, and in two's complement 128·22·23/2 ≤ 2¹⁵.
const ROWS8: usize = 22;
/// Rows that fit the lanes: 65535·361·362/2 < 2³², and in two's complement 2¹⁵·361·362/2 < 2³¹.
const ROWS16: usize = 361;
/// Rows of bytes whose Σ y·v fits an `i32`: 255·4096²/2 < 2³¹.
const ROWS_MIDDLE: usize = 4096;

/// Pixels side by side in a loop.
const LANES: usize = 32;
/// Pixels of a row whose sum fits the lanes: 256 chunks, 255·256 < 2¹⁶ and 128·256 = 2¹⁵; and 2¹³
/// pixels of 16 bits fit an `i32`.
const PIECE: usize = LANES * 256;

/// The loops, for a pixel type, the unsigned lane it is added in, and that lane's reading
/// when a row is summed in it.
macro_rules! lane_loops {
    ($name:ident, $t:ty, $signed:ty, $lane:ty, $sum:ty) => {
        mod $name {
            use super::{LANES, PIECE, zip};
            use std::hint::black_box;

            #[inline(always)]
            // Signed pixels are extended; their sums wrap, and get their sign back when the lanes are emptied.
            fn lane(v: $t) -> $lane {
                v as $signed as $lane
            }

            #[inline(always)]
            fn passing(v: $t, least: $t) -> $t {
                if v >= least { v } else { 0 }
            }

            /// Adds the passing pixels to `sum`, then `sum` to `moment`, and gives Σv of the passing pixels.
            #[inline(always)]
            pub(super) fn add_passing(row: &[$t], least: $t, sum: &mut [$lane], moment: &mut [$lane]) -> f64 {
                let mut total = 0;
                let columns = sum.chunks_mut(PIECE).zip(moment.chunks_mut(PIECE));
                for (row, (sum, moment)) in row.chunks(PIECE).zip(columns) {
                    total += i64::from(add_piece(row, least, sum, moment));
                }
                total as f64
            }

            #[inline(always)]
            fn add_piece(row: &[$t], least: $t, sum: &mut [$lane], moment: &mut [$lane]) -> i32 {
                let (chunks, tail) = row.as_chunks::<LANES>();
                let (sums, sum_tail) = sum.as_chunks_mut::<LANES>();
                let (moments, moment_tail) = moment.as_chunks_mut::<LANES>();
                let mut total = [0; LANES];
                for ((chunk, sum), moment) in chunks.iter().zip(sums).zip(moments) {
                    let v = zip(chunk, &total, |v, _| lane(passing(v, least)));
                    *sum = zip(&v, sum, <$lane>::wrapping_add);
                    // After the sum has grown, so that the moment is Σ (end − y)·v.
                    *moment = zip(sum, moment, <$lane>::wrapping_add);
                    total = zip(&v, &total, <$lane>::wrapping_add);
                }
                let mut all = black_box(total).iter().map(|&v| i32::from(v as $sum)).sum();
                for ((&v, sum), moment) in tail.iter().zip(sum_tail).zip(moment_tail) {
                    let v = passing(v, least);
                    *sum = sum.wrapping_add(lane(v));
                    *moment = moment.wrapping_add(*sum);
                    all += i32::from(v);
                }
                all
            }

            #[inline(always)]
            pub(super) fn add_all(row: &[$t], all: &mut [$lane]) {
                for (&v, all) in row.iter().zip(all) {
                    *all = all.wrapping_add(lane(v));
                }
            }
        }
    };
}

lane_loops!(lanes_u8, u8, u16, u16, u16);
lane_loops!(lanes_i8, i8, i16, u16, i16);
lane_loops!(lanes_u16, u16, u32, u32, i32);
lane_loops!(lanes_i16, i16, i32, u32, i32);

macro_rules! narrow {
    ($projector:ident, $t:ty, $signed:ty, $loops:ident, $lanes:ident, $rows:ident, $empty:ident, $last:ident) => {
        impl Project<$t> for $projector {
            const MOMENT_OF_COLUMNS: bool = true;

            fn start(sums: &mut Projections, width: usize, averaging: bool) {
                sums.$lanes.clear(width, averaging, 0);
                sums.middle.clear(width, averaging, 0);
            }

            #[inline(always)]
            fn add_all(sums: &mut Projections, y: usize, row: &[$t]) {
                if y - sums.$lanes.start >= $rows {
                    $empty(sums, |lane| lane as $signed);
                }
                sums.$lanes.end = y + 1;
                $loops::add_all(row, &mut sums.$lanes.all);
            }

            #[inline(always)]
            fn add_passing(sums: &mut Projections, y: usize, row: &[$t], least: $t) -> f64 {
                if y - sums.$lanes.start >= $rows {
                    $empty(sums, |lane| lane as $signed);
                }
                sums.$lanes.end = y + 1;
                $loops::add_passing(row, least, &mut sums.$lanes.sum, &mut sums.$lanes.moment)
            }

            #[inline(always)]
            fn finish(sums: &mut Projections) {
                $last(sums, |lane| lane as $signed);
            }
        }
    };
}

narrow!(Narrow8, u8, u16, lanes_u8, lanes8, ROWS8, empty8, empty8_and_middle);
narrow!(Narrow8, i8, i16, lanes_i8, lanes8, ROWS8, empty8, empty8_and_middle);
narrow!(Narrow16, u16, u32, lanes_u16, lanes16, ROWS16, empty16, empty16);
narrow!(Narrow16, i16, i32, lanes_i16, lanes16, ROWS16, empty16, empty16);

/// Moves the lanes of bytes to the middle sums, and empties the middle sums when they are full.
#[inline(always)]
fn empty8<S: Into<i32>>(sums: &mut Projections, read: impl Fn(u16) -> S) {
    let (lanes, middle) = (&mut sums.lanes8, &mut sums.middle);
    // Rows count from the begin of the middle sums, so that the products fit.
    let y = (lanes.end - middle.start) as i32;
    for (to, &from) in middle.moment.iter_mut().zip(lanes.sum.iter()) {
        *to += y * read(from).into();
    }
    for (to, &from) in middle.moment.iter_mut().zip(lanes.moment.iter()) {
        *to -= read(from).into();
    }
    for (to, &from) in middle.sum.iter_mut().zip(lanes.sum.iter()) {
        *to += read(from).into();
    }
    for (to, &from) in middle.all.iter_mut().zip(lanes.all.iter()) {
        *to += read(from).into();
    }
    let end = lanes.end;
    lanes.clear(lanes.sum.len(), !lanes.all.is_empty(), end);
    // The rows of the next lanes must fit, too.
    if end - middle.start + ROWS8 > ROWS_MIDDLE {
        empty_middle(sums);
    }
}

#[inline(always)]
fn empty8_and_middle<S: Into<i32>>(sums: &mut Projections, read: impl Fn(u16) -> S) {
    empty8(sums, read);
    empty_middle(sums);
}

/// Moves the middle sums of bytes to the final ones.
#[inline(always)]
fn empty_middle(sums: &mut Projections) {
    let (middle, end) = (&mut sums.middle, sums.lanes8.end);
    let y = middle.start as f64;
    for (to, (&sum, &moment)) in sums.moment.iter_mut().zip(middle.sum.iter().zip(middle.moment.iter())) {
        *to += y * f64::from(sum) + f64::from(moment);
    }
    for (to, &from) in sums.columns.iter_mut().zip(middle.sum.iter()) {
        *to += f64::from(from);
    }
    for (to, &from) in sums.all_columns.iter_mut().zip(middle.all.iter()) {
        *to += f64::from(from);
    }
    middle.clear(middle.sum.len(), !middle.all.is_empty(), end);
}

/// Moves the lanes of 16-bit pixels to the final sums.
#[inline(always)]
fn empty16<S: Into<f64>>(sums: &mut Projections, read: impl Fn(u32) -> S) {
    let lanes = &mut sums.lanes16;
    let y = lanes.end as f64;
    for (to, (&sum, &moment)) in sums.moment.iter_mut().zip(lanes.sum.iter().zip(lanes.moment.iter())) {
        *to += y * read(sum).into() - read(moment).into();
    }
    for (to, &from) in sums.columns.iter_mut().zip(lanes.sum.iter()) {
        *to += read(from).into();
    }
    for (to, &from) in sums.all_columns.iter_mut().zip(lanes.all.iter()) {
        *to += read(from).into();
    }
    let end = lanes.end;
    lanes.clear(lanes.sum.len(), !lanes.all.is_empty(), end);
}
