//! Pictures in colours.

use image::{Rgb, RgbImage};

use super::Axis;
use super::axis::Scale;
use super::canvas::{BLACK, Canvas, TEXT, width};

/// Colours from dark violet over green to yellow whose brightness rises evenly (matplotlib's viridis at ten places).
const COLOURS: [[u8; 3]; 10] = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 73, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [110, 206, 88],
    [181, 222, 43],
    [253, 231, 37],
];
/// The colour of a value that is no number.
const NO_NUMBER: Rgb<u8> = Rgb([128, 128, 128]);
/// Steps of colour from the lowest value to the highest: more than the eye can tell apart.
const STEPS: usize = 1024;
/// Values that the ends of the colours are taken from; of more, some at equal distances.
const SAMPLE: usize = 1 << 18;
/// The share of values at each end that may be beyond the colours: a few hot pixels hide nothing.
const OUTSIDE: f64 = 0.005;
/// Pixels of a picture, at most.
const MOST: usize = 1 << 28;
/// Smaller pictures are drawn larger, a pixel as a square.
const LEAST: usize = 320;
/// Room for titles and numbers.
const LEFT: i32 = 84;
const TOP: i32 = 56;
const BOTTOM: i32 = 56;
/// The bar: its distance, its width, and the room for its numbers and its title.
const BAR: (i32, i32, i32) = (24, 20, 116);
/// The distance of numbers along an axis, at least.
const TICK: usize = 70;

/// Rows and columns of values, however they lie in memory.
pub struct Grid<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The value at a row and column.
    pub value: &'a dyn Fn(usize, usize) -> f64,
}

/// A grid and where it lies on the picture: one of several panels.
pub struct Tile<'a> {
    /// Stands above it if it is not empty.
    pub title: String,
    /// The values.
    pub grid: Grid<'a>,
}

/// Tiles of one size beside and below each other, with axes and one bar of colours.
pub struct Map<'a> {
    /// Stands above all tiles.
    pub title: String,
    /// Along the columns of each tile.
    pub x: Axis,
    /// Along its rows, from the top.
    pub y: Axis,
    /// The quantity that colours show.
    pub value: Axis,
    /// The tiles, by row.
    pub tiles: Vec<Tile<'a>>,
    /// How many tiles stand beside each other.
    pub across: usize,
}

impl Map<'_> {
    /// Draws it; `None` if there is nothing to draw or too much.
    pub fn draw(&self) -> Option<RgbImage> {
        let first = self.tiles.first()?;
        let (rows, columns) = (first.grid.rows, first.grid.columns);
        let across = self.across.clamp(1, self.tiles.len());
        let down = self.tiles.len().div_ceil(across);
        if rows == 0 || columns == 0 {
            return None;
        }
        let zoom = (LEAST / (across * columns).max(down * rows)).max(1);
        let gap = if self.tiles.len() > 1 { TEXT as usize + 8 } else { 0 };
        let (step_x, step_y) = (columns * zoom + gap, rows * zoom + gap);
        let (width, height) = (across.checked_mul(step_x)? - gap, down.checked_mul(step_y)? - gap);
        // Refused before memory is taken.
        if width.checked_mul(height).is_none_or(|pixels| pixels > MOST) {
            return None;
        }
        let (low, high) = self.range();
        let colours = Colours::new(low, high);
        let all = (LEFT + width as i32 + BAR.0 + BAR.1 + BAR.2, TOP + height as i32 + BOTTOM);
        // The title, and the bar with its own, need some room.
        let mut canvas = Canvas::new(all.0.max(360), all.1.max(TOP + 160 + BOTTOM));
        canvas.text(LEFT, 8, &self.title, BLACK);
        for (i, tile) in self.tiles.iter().enumerate() {
            let (left, top) = (LEFT + (i % across * step_x) as i32, TOP + (i / across * step_y) as i32);
            tile.draw(&mut canvas, (left, top), zoom, &colours);
            if i % across == 0 {
                rows_axis(&mut canvas, rows, zoom, (left, top));
            }
            if i / across == down - 1 {
                columns_axis(&mut canvas, columns, zoom, (left, TOP + height as i32));
            }
        }
        let bottom = TOP + height as i32;
        canvas.text(LEFT, bottom + 30, self.x.title(), BLACK);
        let length = self::width(self.y.title());
        canvas.text_upwards(4, ((TOP + bottom + length) / 2).max(TOP + length), self.y.title(), BLACK);
        let height = (height as i32).max(160);
        self.bar(&mut canvas, (LEFT + width as i32 + BAR.0, height), Scale::exact(low, high, 5));
        Some(canvas.image)
    }

    /// Draws the scale of the colours.
    fn bar(&self, canvas: &mut Canvas, (left, height): (i32, i32), scale: Scale) {
        for row in 0..height {
            let share = 1.0 - (f64::from(row) + 0.5) / f64::from(height);
            let value = scale.low + share * (scale.high - scale.low);
            canvas.rectangle(left, TOP + row, BAR.1, 1, colour(value, scale.low, scale.high));
        }
        for (value, text) in scale.ticks() {
            let y = TOP + ((1.0 - scale.share(value)) * f64::from(height - 1)).round() as i32;
            canvas.rectangle(left + BAR.1, y, 4, 1, BLACK);
            canvas.text(left + BAR.1 + 8, y - TEXT / 2, &text, BLACK);
        }
        let length = width(self.value.title());
        let bottom = TOP + (height + length) / 2;
        canvas.text_upwards(left + BAR.1 + BAR.2 - TEXT - 4, bottom, self.value.title(), BLACK);
    }

    /// From which value to which the colours go.
    fn range(&self) -> (f64, f64) {
        let pixels: usize = self.tiles.iter().map(|tile| tile.grid.rows * tile.grid.columns).sum();
        let step = pixels.div_ceil(SAMPLE).max(1);
        let some = self.tiles.iter().flat_map(|tile| {
            let Grid { rows, columns, value } = tile.grid;
            (0..rows * columns).step_by(step).map(move |at| value(at / columns, at % columns))
        });
        range(some.filter(|v| v.is_finite()).collect())
    }
}

impl Tile<'_> {
    fn draw(&self, canvas: &mut Canvas, (left, top): (i32, i32), zoom: usize, colours: &Colours) {
        let Grid { rows, columns, value } = self.grid;
        if !self.title.is_empty() {
            canvas.text(left, top - TEXT - 3, &self.title, BLACK);
        }
        let mut line = Vec::with_capacity(3 * columns * zoom);
        for y in 0..rows {
            line.clear();
            for x in 0..columns {
                let Rgb(colour) = colours.of(value(y, x));
                (0..zoom).for_each(|_| line.extend_from_slice(&colour));
            }
            (0..zoom).for_each(|row| canvas.line_of_pixels(left, top + (y * zoom + row) as i32, &line));
        }
    }
}

/// The colours of values, made once for a picture.
struct Colours {
    low: f64,
    /// Steps per unit of the value.
    scale: f64,
    table: Vec<Rgb<u8>>,
}

impl Colours {
    fn new(low: f64, high: f64) -> Colours {
        let last = (STEPS - 1) as f64;
        let table = (0..STEPS).map(|step| colour(step as f64, 0.0, last)).collect();
        Colours { low, scale: if high > low { last / (high - low) } else { 0.0 }, table }
    }

    fn of(&self, value: f64) -> Rgb<u8> {
        if value.is_nan() {
            return NO_NUMBER;
        }
        let step = match self.scale > 0.0 {
            // Values beyond the ends get the colours of the ends: the conversion saturates.
            true => ((value - self.low) * self.scale + 0.5) as usize,
            false => STEPS / 2,
        };
        self.table[step.min(STEPS - 1)]
    }
}

fn rows_axis(canvas: &mut Canvas, rows: usize, zoom: usize, (left, top): (i32, i32)) {
    for (value, text) in ticks(rows, zoom) {
        let y = top + (value * zoom as f64) as i32;
        canvas.rectangle(left - 5, y, 5, 1, BLACK);
        canvas.text(left - 8 - width(&text), y - TEXT / 2, &text, BLACK);
    }
}

fn columns_axis(canvas: &mut Canvas, columns: usize, zoom: usize, (left, bottom): (i32, i32)) {
    for (value, text) in ticks(columns, zoom) {
        let x = left + (value * zoom as f64) as i32;
        canvas.rectangle(x, bottom, 1, 5, BLACK);
        canvas.text(x - width(&text) / 2, bottom + 8, &text, BLACK);
    }
}

/// Numbers along so many pixels of the detector: whole ones.
fn ticks(pixels: usize, zoom: usize) -> Vec<(f64, String)> {
    let mut scale = Scale::exact(0.0, pixels as f64, (pixels * zoom / TICK).max(1));
    scale.step = scale.step.max(1.0);
    scale.ticks()
}

fn range(mut values: Vec<f64>) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 1.0);
    }
    // As many values at one end as at the other.
    let outside = ((values.len() - 1) as f64 * OUTSIDE) as usize;
    let last = values.len() - 1 - outside;
    let low = *values.select_nth_unstable_by(outside, f64::total_cmp).1;
    let high = *values.select_nth_unstable_by(last, f64::total_cmp).1;
    (low, high)
}

fn colour(value: f64, low: f64, high: f64) -> Rgb<u8> {
    if value.is_nan() {
        return NO_NUMBER;
    }
    // A single value has the colour in the middle.
    let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    let place = share * (COLOURS.len() - 1) as f64;
    // The last colour ends the last pair.
    let first = (place as usize).min(COLOURS.len() - 2);
    let mix = |i: usize| {
        let (from, to) = (f64::from(COLOURS[first][i]), f64::from(COLOURS[first + 1][i]));
        (from + (to - from) * (place - first as f64)).round() as u8
    };
    Rgb([mix(0), mix(1), mix(2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: usize, columns: usize, tiles: usize, across: usize) -> Option<RgbImage> {
        let value = move |y: usize, x: usize| (y * columns + x) as f64;
        let tile =
            |i: usize| Tile { title: format!("panel {i}"), grid: Grid { rows, columns, value: &value } };
        let [x, y, value] =
            [("column", "pixels"), ("row", "pixels"), ("mean", "counts")].map(|(q, u)| Axis::new(q, u));
        Map { title: "mean".into(), x, y, value, tiles: (0..tiles).map(tile).collect(), across }.draw()
    }

    #[test]
    fn a_picture_stands_in_its_axes_beside_a_bar() {
        let image = map(400, 500, 1, 1).unwrap();
        let (width, height) = (LEFT + 500 + BAR.0 + BAR.1 + BAR.2, TOP + 400 + BOTTOM);
        assert_eq!(image.dimensions(), (width as u32, height as u32));
        assert_eq!(*image.get_pixel(LEFT as u32, TOP as u32), Rgb(COLOURS[0]));
        assert_eq!(*image.get_pixel(LEFT as u32 + 499, TOP as u32 + 399), Rgb(COLOURS[9]));
        // Highest values at the top of the bar.
        let bar = (LEFT + 500 + BAR.0 + 5) as u32;
        let rows = [TOP as u32, TOP as u32 + 399];
        let found = rows.map(|y| image.get_pixel(bar, y).0[0]);
        assert!(found[0] > 240 && found[1] < 80, "{found:?}");
    }

    #[test]
    fn small_pictures_are_drawn_larger_and_panels_apart() {
        let image = map(4, 5, 1, 1).unwrap();
        assert_eq!(*image.get_pixel(LEFT as u32 + 5 * 64 - 1, TOP as u32 + 4 * 64 - 1), Rgb(COLOURS[9]));
        let two = map(100, 200, 3, 2).unwrap();
        let (step_x, step_y) = (200 + TEXT as u32 + 8, 100 + TEXT as u32 + 8);
        let corners = [(0, 0), (step_x, 0), (0, step_y)].map(|(x, y)| (LEFT as u32 + x, TOP as u32 + y));
        assert!(corners.iter().all(|(x, y)| *two.get_pixel(*x, *y) == Rgb(COLOURS[0])));
        assert_eq!(*two.get_pixel(LEFT as u32 + step_x + 50, TOP as u32 + step_y + 50), Rgb([255; 3]));
        assert!(map(0, 5, 1, 1).is_none() && map(5, 5, 0, 1).is_none());
        assert!(map(1 << 20, 1 << 20, 1, 1).is_none());
    }

    #[test]
    fn hot_pixels_and_nan_do_not_hide_the_others() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        (values[0], values[1]) = (f64::NEG_INFINITY, 1e30);
        let (low, high) = range(values.into_iter().filter(|v| v.is_finite()).collect());
        assert!((2.0..10.0).contains(&low) && (990.0..=999.0).contains(&high), "{low} {high}");
        assert_eq!(colour(f64::NAN, low, high), NO_NUMBER);
        assert_eq!(colour(1e30, low, high), Rgb(COLOURS[9]));
        let colours = Colours::new(low, high);
        let values = [f64::NAN, 1e30, f64::NEG_INFINITY, f64::INFINITY, low, high, 300.0];
        for (value, wanted) in values.map(|v| (v, colour(v, low, high))) {
            let far = |(a, b): (u8, u8)| a.abs_diff(b) > 1;
            let found = colours.of(value);
            assert!(!found.0.into_iter().zip(wanted.0).any(far), "{value}: {found:?} {wanted:?}");
        }
        assert_eq!(Colours::new(3.0, 3.0).of(3.0), Colours::new(0.0, 0.0).of(9.0));
        assert_eq!(range(Vec::new()), (0.0, 1.0));
    }
}
