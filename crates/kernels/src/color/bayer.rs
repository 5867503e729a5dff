//! Mosaics of a colour camera: each pixel has seen one colour, in a 2 x 2 pattern of one red, two green and one blue.

use super::check;
use crate::{LengthError, Level, Pixel, Plane};

/// The treatment of pixels on the edge of the picture, which lack neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Edges {
    /// The picture is continued by reflection about its outermost pixels, which keeps the pattern.
    #[default]
    Reflected,
    /// Pixels on the edge keep the colour that they have seen; the other two are 0.
    OwnColor,
}

/// A picture in which each pixel has seen one colour.
#[derive(Clone, Copy, Debug)]
pub struct Mosaic<'a, T> {
    /// The picture.
    pub plane: Plane<'a, T>,
    /// The column of a red pixel: only its parity matters.
    pub red_x: usize,
    /// The row of a red pixel: only its parity matters.
    pub red_y: usize,
    /// The treatment of pixels on the edge.
    pub edges: Edges,
}

impl<T: Pixel> Mosaic<'_, T> {
    /// The red, green and blue of row `y`, interpolated bilinearly: the colours that a pixel has not seen are the means
    /// over its two or four nearest neighbours that have (see [`Mix`](super::Mix) for how means are rounded).
    ///
    /// ```text
    /// R G R     green of the middle = mean of the four G, red = mean of the four R
    /// G B G     at a G: the colour left and right of it, and the colour above and below it
    /// R G R
    /// ```
    ///
    /// # Errors
    /// [`LengthError`] when there is no such row or an output is not as long as a row; nothing has been written then.
    ///
    /// ```
    /// use livetime_kernels::{Level, Plane, color::{Edges, Mosaic}};
    /// let plane = Plane::packed(&[10u8, 20, 30, 40, 50, 60, 70, 80, 90], 3, 3)?;
    /// let mosaic = Mosaic { plane, red_x: 0, red_y: 0, edges: Edges::Reflected };
    /// let (mut r, mut g, mut b) = ([0; 3], [0; 3], [0; 3]);
    /// mosaic.row(Level::best(), 1, [&mut r, &mut g, &mut b])?;
    /// assert_eq!((r[1], g[1], b[1]), (50, 50, 50));
    /// assert_eq!((r[0], g[0], b[0]), (40, 40, 50));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row(&self, level: Level, y: usize, outputs: [&mut [T]; 3]) -> Result<(), LengthError> {
        let (width, height) = (self.plane.width(), self.plane.height());
        LengthError::check("the row", usize::from(y < height), 1)?;
        check(outputs.each_ref().map(|o| o.len()), "an output", width)?;
        let [red, green, blue] = outputs;
        let has_red = (y ^ self.red_y) & 1 == 0;
        // The colour that this row has beside green, and the one of the rows above and below.
        let (own, other) = if has_red { (red, blue) } else { (blue, red) };
        let own_at = if has_red { self.red_x } else { self.red_x ^ 1 } & 1;
        let is_edge = y == 0 || y + 1 == height;
        if self.edges == Edges::OwnColor && is_edge {
            keep_own(self.plane.row(y), own_at, [own, green, other], 0..width);
            return Ok(());
        }
        let rows = [reflected(y, height, -1), y, reflected(y, height, 1)].map(|y| self.plane.row(y));
        middle(level, rows, own_at, [&mut *own, &mut *green, &mut *other]);
        // One column is both edges; a row without columns has none.
        for x in [0, width.saturating_sub(1)].into_iter().take(width) {
            let outputs = [&mut *own, &mut *green, &mut *other];
            match self.edges {
                Edges::OwnColor => keep_own(rows[1], own_at, outputs, x..x + 1),
                Edges::Reflected => {
                    let columns = [reflected(x, width, -1), x, reflected(x, width, 1)];
                    let near = rows.map(|row| columns.map(|x| row[x]));
                    let colors = interpolated(near, (x ^ own_at) & 1 == 0);
                    outputs.into_iter().zip(colors).for_each(|(output, color)| output[x] = color);
                }
            }
        }
        Ok(())
    }
}

/// The row or column next to number `at` of `count`, reflected at the edge; itself where there is no other.
fn reflected(at: usize, count: usize, step: isize) -> usize {
    // A step below 0 wraps to a number above every count.
    let wanted = at.wrapping_add_signed(step);
    if wanted < count {
        return wanted;
    }
    let opposite = at.wrapping_add_signed(-step);
    if opposite < count { opposite } else { at }
}

fn keep_own<T: Pixel>(
    row: &[T],
    own_at: usize,
    [own, green, other]: [&mut [T]; 3],
    columns: std::ops::Range<usize>,
) {
    for x in columns {
        let is_own = (x ^ own_at) & 1 == 0;
        own[x] = if is_own { row[x] } else { T::default() };
        green[x] = if is_own { T::default() } else { row[x] };
        other[x] = T::default();
    }
}

/// The row's own colour, green and the other colour of the pixel in the middle of 3 x 3.
#[inline(always)]
fn interpolated<T: Pixel>(near: [[T; 3]; 3], is_own: bool) -> [T; 3] {
    let [[nw, n, ne], [w, here, e], [sw, s, se]] = near;
    let at_own = [here, T::mean4([n, w, e, s]), T::mean4([nw, ne, sw, se])];
    let at_green = [T::mean2([w, e]), here, T::mean2([n, s])];
    if is_own { at_own } else { at_green }
}

per_level! {
    /// All pixels of a row but the first and the last.
    fn middle<T: Pixel>(rows: [&[T]; 3], own_at: usize, outputs: [&mut [T]; 3]) = middle_body;
}

/// Pixels of a block, whose loops have a length that the compiler knows: with one output for each loop, and the same
/// pattern in each block, all types become vector instructions. 64 bytes fill the longest vectors.
const BLOCK: usize = 64;

#[inline(always)]
fn middle_body<T: Pixel>(rows: [&[T]; 3], own_at: usize, outputs: [&mut [T]; 3]) {
    let Some(count) = rows[1].len().checked_sub(2) else { return };
    let near = [0, 1, 2].map(|x| rows.map(|row| &row[x..][..count]));
    let [own, green, other] = outputs.map(|output| &mut output[1..][..count]);
    // Whether the first of these pixels has seen the row's own colour.
    let is_own_first = own_at == 1;
    let outputs =
        own.chunks_exact_mut(BLOCK).zip(green.chunks_exact_mut(BLOCK)).zip(other.chunks_exact_mut(BLOCK));
    for (number, ((own, green), other)) in outputs.enumerate() {
        let near = near.map(|rows| rows.map(|row| &row[number * BLOCK..][..BLOCK]));
        // `BLOCK` is even, so every block begins with the same colour.
        match is_own_first {
            true => block::<T, true>(near, [own, green, other]),
            false => block::<T, false>(near, [own, green, other]),
        }
    }
    let [left, here, right] = near;
    for x in count / BLOCK * BLOCK..count {
        let near = [0, 1, 2].map(|y| [left[y][x], here[y][x], right[y][x]]);
        [own[x], green[x], other[x]] = interpolated(near, (x & 1 == 0) == is_own_first);
    }
}

/// The same as [`interpolated`] for a block of pixels, in which every second one has seen the row's own colour.
#[inline(always)]
fn block<T: Pixel, const OWN_FIRST: bool>(near: [[&[T]; 3]; 3], outputs: [&mut [T]; 3]) {
    let near = near.map(|rows| rows.map(|row| row.first_chunk::<BLOCK>()));
    let [[Some(nw), Some(w), Some(sw)], [Some(n), Some(here), Some(s)], [Some(ne), Some(e), Some(se)]] = near
    else {
        return;
    };
    let [Some(own), Some(green), Some(other)] = outputs.map(|output| output.first_chunk_mut::<BLOCK>())
    else {
        return;
    };
    for x in 0..BLOCK {
        own[x] = pick::<T, OWN_FIRST>(x, here[x], T::mean2([w[x], e[x]]));
    }
    for x in 0..BLOCK {
        green[x] = pick::<T, OWN_FIRST>(x, T::mean4([n[x], w[x], e[x], s[x]]), here[x]);
    }
    for x in 0..BLOCK {
        other[x] = pick::<T, OWN_FIRST>(x, T::mean4([nw[x], ne[x], sw[x], se[x]]), T::mean2([n[x], s[x]]));
    }
}

/// The result for pixel `x` of a block.
#[inline(always)]
fn pick<T, const OWN_FIRST: bool>(x: usize, at_own: T, at_green: T) -> T {
    if (x & 1 == 0) == OWN_FIRST { at_own } else { at_green }
}
