//! Lines over a number, as a picture.

use image::{Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Values over a number, with their name.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Number and value.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines in one pair of axes.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) series: Vec<Series>,
}

const WIDTH: i32 = 640;
const HEIGHT: i32 = 400;
/// Room for numbers and titles.
const LEFT: i32 = 76;
const RIGHT: i32 = 24;
const TOP: i32 = 36;
const BOTTOM: i32 = 56;
/// More numbers below are not told one by one.
const MOST_TICKS: usize = 12;
const LETTER: RasterHeight = RasterHeight::Size16;
const BLACK: Rgb<u8> = Rgb([0, 0, 0]);
const GREY: Rgb<u8> = Rgb([220, 220, 220]);
const WHITE: Rgb<u8> = Rgb([255, 255, 255]);
/// Told apart also by those who do not see red or green (Okabe and Ito).
const COLOURS: [Rgb<u8>; 4] =
    [Rgb([0, 114, 178]), Rgb([213, 94, 0]), Rgb([0, 158, 115]), Rgb([204, 121, 167])];

/// Draws panels beside each other, all over the same kind of number. Values begin at 0.
pub(crate) fn draw(over: &str, panels: &[Panel]) -> RgbImage {
    let mut canvas =
        Canvas { image: RgbImage::from_pixel((WIDTH * panels.len() as i32) as u32, HEIGHT as u32, WHITE) };
    for (panel, left) in panels.iter().zip((0..).step_by(WIDTH as usize)) {
        let axes = Axes::of(panel, left);
        axes.draw(&mut canvas, &panel.title, over);
        for (i, series) in panel.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            axes.line(&mut canvas, series, colour);
            let y = TOP + 8 + 20 * i as i32;
            canvas.rectangle(left + LEFT + 10, y + 6, 18, 4, colour);
            canvas.text(left + LEFT + 34, y, &series.name, BLACK);
        }
    }
    canvas.image
}

/// From values to pixels.
struct Axes {
    left: i32,
    x: (f64, f64),
    /// Highest value and distance of lines.
    y: (f64, f64),
    ticks: Vec<f64>,
}

impl Axes {
    fn of(panel: &Panel, left: i32) -> Axes {
        let points = || panel.series.iter().flat_map(|s| &s.points);
        let highest = points().map(|p| p.1).filter(|v| v.is_finite()).fold(0.0, f64::max);
        // Lines at 1, 2 or 5 times a power of ten, and room above for the names.
        let step = step(highest * 1.4 / 6.0);
        let mut ticks: Vec<f64> = points().map(|p| p.0).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        let x = (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(1.0));
        if ticks.len() > MOST_TICKS {
            let step = self::step((x.1 - x.0) / MOST_TICKS as f64);
            let first = (x.0 / step).ceil();
            ticks = (0..=MOST_TICKS).map(|i| (first + i as f64) * step).filter(|tick| *tick <= x.1).collect();
        }
        Axes { left, x, y: ((highest * 1.4 / step).ceil().max(1.0) * step, step), ticks }
    }

    fn x(&self, value: f64) -> i32 {
        let (low, high) = self.x;
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        let width = f64::from(WIDTH - LEFT - RIGHT - 40);
        self.left + LEFT + 20 + (share * width).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        let height = f64::from(HEIGHT - TOP - BOTTOM);
        HEIGHT - BOTTOM - (value / self.y.0 * height).round() as i32
    }

    fn draw(&self, canvas: &mut Canvas, title: &str, over: &str) {
        let (left, right) = (self.left + LEFT, self.left + WIDTH - RIGHT);
        for line in 0..=(self.y.0 / self.y.1).round() as i32 {
            let value = f64::from(line) * self.y.1;
            let y = self.y(value);
            canvas.rectangle(left, y, right - left, 1, if line == 0 { BLACK } else { GREY });
            let text = number(value);
            canvas.text(left - 6 - width(&text), y - 8, &text, BLACK);
        }
        canvas.rectangle(left, TOP, 1, HEIGHT - TOP - BOTTOM, BLACK);
        for tick in &self.ticks {
            let text = number(*tick);
            canvas.text(self.x(*tick) - width(&text) / 2, HEIGHT - BOTTOM + 6, &text, BLACK);
        }
        canvas.text(left, 10, title, BLACK);
        canvas.text((left + right - width(over)) / 2, HEIGHT - 26, over, BLACK);
    }

    fn line(&self, canvas: &mut Canvas, series: &Series, colour: Rgb<u8>) {
        let at = |(x, y): &(f64, f64)| (self.x(*x), self.y(*y));
        let points: Vec<(i32, i32)> = series.points.iter().filter(|p| p.1.is_finite()).map(at).collect();
        points.windows(2).for_each(|pair| canvas.line(pair[0], pair[1], colour));
        points.iter().for_each(|(x, y)| canvas.rectangle(x - 4, y - 4, 9, 9, colour));
    }
}

/// The next of 1, 2, 5, 10, 20 ... that is not below.
fn step(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|s| *s >= least).unwrap_or(10.0 * power)
}

/// As short as it can be.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn width(text: &str) -> i32 {
    (text.chars().count() * get_raster_width(FontWeight::Regular, LETTER)) as i32
}

struct Canvas {
    image: RgbImage,
}

impl Canvas {
    fn put(&mut self, x: i32, y: i32, colour: Rgb<u8>, share: u8) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if let Some(pixel) = self.image.get_pixel_mut_checked(x, y) {
            let mix = |old: u8, new: u8| {
                ((u16::from(old) * u16::from(255 - share) + u16::from(new) * u16::from(share)) / 255) as u8
            };
            *pixel = Rgb([0, 1, 2].map(|i| mix(pixel.0[i], colour.0[i])));
        }
    }

    fn rectangle(&mut self, left: i32, top: i32, width: i32, height: i32, colour: Rgb<u8>) {
        for (y, x) in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x))) {
            self.put(x, y, colour, 255);
        }
    }

    /// Two pixels wide.
    fn line(&mut self, from: (i32, i32), to: (i32, i32), colour: Rgb<u8>) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for i in 0..=steps {
            let (x, y) = (from.0 + (to.0 - from.0) * i / steps, from.1 + (to.1 - from.1) * i / steps);
            self.rectangle(x, y, 2, 2, colour);
        }
    }

    fn text(&mut self, left: i32, top: i32, text: &str, colour: Rgb<u8>) {
        let advance = get_raster_width(FontWeight::Regular, LETTER) as i32;
        for (letter, x) in text.chars().zip((left..).step_by(advance as usize)) {
            let Some(raster) = get_raster(letter, FontWeight::Regular, LETTER) else { continue };
            for (row, y) in raster.rows().zip(top..) {
                row.iter().zip(x..).for_each(|(share, x)| self.put(x, y, colour, *share));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_numbers() {
        assert_eq!(
            [0.0, 0.7, 1.0, 3.0, 60.0, 400.0, f64::NAN].map(step),
            [1.0, 1.0, 1.0, 5.0, 100.0, 500.0, 1.0]
        );
        assert_eq!([0.0, 2.0, 2.5, 1500.0].map(number), ["0", "2", "2.5", "1500"]);
    }

    #[test]
    fn a_plot_has_its_lines_and_letters() {
        let points = vec![(1.0, 10.0), (2.0, 20.0), (3.0, f64::NAN)];
        let panel = || Panel {
            title: "MB/s".into(),
            series: vec![Series { name: "data".into(), points: points.clone() }],
        };
        let image = draw("workers", &[panel(), panel()]);
        assert_eq!(image.dimensions(), (2 * WIDTH as u32, HEIGHT as u32));
        let coloured = image.pixels().filter(|p| **p == COLOURS[0]).count();
        let dark = image.pixels().filter(|p| p.0.iter().all(|c| *c < 100)).count();
        assert!(coloured > 400 && dark > 800, "{coloured} {dark}");
        let none = Panel { title: String::new(), series: Vec::new() };
        assert_eq!(draw("", &[none]).dimensions(), (WIDTH as u32, HEIGHT as u32));
    }
}
