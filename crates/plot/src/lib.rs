//! Plots: curves in axes with units and errors, and pictures in colours with a bar that explains the colours.
//!
//! A [`Panel`] is a pair of [`Axis`] with [`Series`] of [`Point`]s, and [`draw`] puts panels beside each other. A [`Map`]
//! shows a [`Grid`] of values, or several as [`Tile`]s. [`save`] writes the picture as PNG.
//!
//! ```
//! use livetime_plot::{Axis, Panel, Point, Series, draw, png};
//!
//! let points = [(1.0, 98.0), (2.0, 190.0)].map(|(x, y)| Point::new(x, y).with_error(3.0));
//! let series = vec![Series::new("files", points.to_vec())];
//! let (x, y) = (Axis::new("workers", ""), Axis::new("rate", "MB/s").from(0.0));
//! let picture = draw(&[Panel { title: "data rates".into(), x, y, series }]);
//! assert!(png(&picture)?.starts_with(b"\x89PNG"));
//! # Ok::<(), image::ImageError>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod axis;
mod canvas;
mod map;

use std::fmt;
use std::path::{Path, PathBuf};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageResult, Rgb, RgbImage};
use livetime_formats::file::GrowingFile;

pub use axis::Axis;
pub use map::{Grid, Map, Tile};

use axis::Scale;
use canvas::{BLACK, Canvas, GREY, TEXT, width};

/// A measured value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Place along the x axis.
    pub x: f64,
    /// The value; not shown if it is no number.
    pub y: f64,
    /// How far below and above the value the truth may be (one standard deviation); 0 or no number draws no bar.
    pub error: (f64, f64),
}

impl Point {
    /// A value that is known exactly, or whose error is not known.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, error: (0.0, 0.0) }
    }

    /// With an error that is the same below and above.
    #[must_use]
    pub fn with_error(self, error: f64) -> Point {
        Point { error: (error, error), ..self }
    }
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// A mark at each point, and a line from one to the next: few values.
    Marks,
    /// A line alone: many values.
    Curve,
    /// A level from each point's x to the next: bins. The last point only ends the last bin.
    Steps,
    /// Error bars alone, for points that another series shows.
    Bars,
}

/// Values with their name.
#[derive(Clone, Debug)]
pub struct Series {
    /// Stands beside its colour if it is not empty.
    pub name: String,
    /// In the order of x.
    pub points: Vec<Point>,
    /// How they are drawn.
    pub style: Style,
}

impl Series {
    /// Few values, or many as a curve.
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Series {
        let style = if points.len() > MOST_MARKS { Style::Curve } else { Style::Marks };
        Series { name: name.into(), points, style }
    }
}

/// Series in one pair of axes.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Stands above the axes.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// At most four have colours of their own.
    pub series: Vec<Series>,
}

/// The size of the plotting area, in pixels.
const WIDTH: i32 = 640;
const HEIGHT: i32 = 400;
/// Room for numbers and titles.
const LEFT: i32 = 104;
const RIGHT: i32 = 24;
const TOP: i32 = 36;
const BOTTOM: i32 = 56;
/// More marks than these run into one another.
const MOST_MARKS: usize = 40;
/// The approximate number of ticks of an axis.
const TICKS: usize = 6;
/// Height of a line with the name of a series.
const NAME: i32 = 20;
/// Colours that people who do not see red or green tell apart, too (Okabe and Ito).
const COLOURS: [Rgb<u8>; 4] =
    [Rgb([0, 114, 178]), Rgb([213, 94, 0]), Rgb([0, 158, 115]), Rgb([204, 121, 167])];

/// A picture as a PNG file. It is packed fast: noise becomes hardly smaller with more time, and a plot is small.
///
/// # Errors
/// If the picture is larger than the format allows.
pub fn png(image: &RgbImage) -> ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Up);
    let (width, height) = image.dimensions();
    encoder.write_image(image.as_raw(), width, height, ExtendedColorType::Rgb8).map(|()| bytes)
}

/// Writes a picture to the file `path` as PNG; an older one of this name is replaced when the new one is whole.
///
/// # Errors
/// Why it is not written.
pub fn save(image: &RgbImage, path: &Path) -> Result<(), PlotError> {
    let refused = |error| PlotError::File(path.to_owned(), error);
    let bytes = png(image).map_err(|error| PlotError::Picture(path.to_owned(), error))?;
    let mut new = GrowingFile::replace(path).map_err(refused)?;
    new.append(&[&bytes]).map(drop).and_then(|()| new.finish()).map_err(refused)
}

/// Why a plot is not written to the file of this name.
#[derive(Debug)]
pub enum PlotError {
    /// The picture is larger than its format allows.
    Picture(PathBuf, image::ImageError),
    /// The system refuses the file.
    File(PathBuf, livetime_formats::Error),
    /// The system refuses the folder.
    Folder(PathBuf, std::io::Error),
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlotError::Picture(path, error) => write!(f, "cannot write {}: {error}", path.display()),
            PlotError::File(path, error) => write!(f, "cannot write {}: {}", path.display(), error.reason()),
            PlotError::Folder(path, error) => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

/// Draws panels beside each other.
pub fn draw(panels: &[Panel]) -> RgbImage {
    let mut canvas = Canvas::new(WIDTH * panels.len() as i32, HEIGHT);
    for (panel, left) in panels.iter().zip((0..).step_by(WIDTH as usize)) {
        let axes = Axes::of(panel, left);
        axes.draw(&mut canvas, panel);
        let (names_left, names_top) = axes.place_of_names(panel);
        for (i, series) in panel.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            axes.series(&mut canvas, series, colour);
            if !series.name.is_empty() {
                let y = names_top + NAME * i as i32;
                canvas.rectangle(names_left, y + 6, 18, 4, colour);
                canvas.text(names_left + 24, y, &series.name, BLACK);
            }
        }
    }
    canvas.image
}

/// From values to pixels.
struct Axes {
    left: i32,
    x: Scale,
    y: Scale,
}

impl Axes {
    fn of(panel: &Panel, left: i32) -> Axes {
        let points = || panel.series.iter().flat_map(|s| &s.points).filter(|p| p.y.is_finite());
        let ends = points().flat_map(|p| [p.y - bar(p.error.0), p.y + bar(p.error.1)]);
        // Room above for the names of the series.
        let named = panel.series.iter().filter(|s| !s.name.is_empty()).count();
        let y = panel.y.scale(ends, TICKS, 0.1 * named as f64);
        Axes { left, x: panel.x.scale(points().map(|p| p.x), TICKS, 0.0), y }
    }

    fn x(&self, value: f64) -> i32 {
        let width = f64::from(WIDTH - LEFT - RIGHT - 20);
        // A value far away must not overflow the pixels.
        self.left + LEFT + 10 + (self.x.share(value).clamp(-1.0, 2.0) * width).round() as i32
    }

    /// A value beyond the axis is drawn at its end.
    fn y(&self, value: f64) -> i32 {
        let height = f64::from(HEIGHT - TOP - BOTTOM);
        HEIGHT - BOTTOM - (self.y.share(value).clamp(0.0, 1.0) * height).round() as i32
    }

    fn draw(&self, canvas: &mut Canvas, panel: &Panel) {
        let (left, right) = (self.left + LEFT, self.left + WIDTH - RIGHT);
        for (value, text) in self.y.ticks() {
            let y = self.y(value);
            canvas.rectangle(left, y, right - left, 1, GREY);
            canvas.text(left - 6 - width(&text), y - TEXT / 2, &text, BLACK);
        }
        canvas.rectangle(left, HEIGHT - BOTTOM, right - left, 1, BLACK);
        canvas.rectangle(left, TOP, 1, HEIGHT - TOP - BOTTOM, BLACK);
        for (value, text) in self.x.ticks() {
            canvas.rectangle(self.x(value), HEIGHT - BOTTOM, 1, 5, BLACK);
            canvas.text(self.x(value) - width(&text) / 2, HEIGHT - BOTTOM + 6, &text, BLACK);
        }
        canvas.text(left, 10, &panel.title, BLACK);
        let title = panel.x.title();
        canvas.text((left + right - width(title)) / 2, HEIGHT - 26, title, BLACK);
        let title = panel.y.title();
        let bottom = (TOP + HEIGHT - BOTTOM + width(title)) / 2;
        canvas.text_upwards(self.left + 4, bottom, title, BLACK);
    }

    /// Left and top of the names of the series: the corner that the fewest lines and bars run through.
    fn place_of_names(&self, panel: &Panel) -> (i32, i32) {
        let wide = panel.series.iter().map(|s| width(&s.name)).max().unwrap_or(0) + 24;
        let high = NAME * panel.series.len() as i32;
        let (left, right) = (self.left + LEFT + 10, self.left + WIDTH - RIGHT - wide - 4);
        let (top, bottom) = (TOP + 8, HEIGHT - BOTTOM - high - 8);
        let crowd = |(x, y): (i32, i32)| {
            let (across, down) = (x - 4..x + wide + 4, y - 4..y + high + 4);
            let marks = panel.series.iter().flat_map(|series| self.pixels(series));
            marks.filter(|(x, y)| across.contains(x) && down.contains(y)).count()
        };
        let corners = [(left, top), (right, top), (left, bottom), (right, bottom)];
        corners.into_iter().min_by_key(|corner| crowd(*corner)).unwrap_or((left, top))
    }

    /// Pixels of a series, close enough together to tell where it runs.
    fn pixels(&self, series: &Series) -> Vec<(i32, i32)> {
        let points: Vec<&Point> = series.points.iter().filter(|p| p.y.is_finite()).collect();
        let ends =
            |p: &Point| [p.y - bar(p.error.0), p.y, p.y + bar(p.error.1)].map(|y| (self.x(p.x), self.y(y)));
        let between = |pair: &[&Point]| {
            let [from, to] = [pair[0], pair[1]].map(|p| (self.x(p.x), self.y(p.y)));
            [1, 2, 3, 4, 5, 6, 7]
                .map(|i| (from.0 + (to.0 - from.0) * i / 8, from.1 + (to.1 - from.1) * i / 8))
        };
        let bars = points.iter().flat_map(|point| ends(point));
        bars.chain(points.windows(2).flat_map(between)).collect()
    }

    fn series(&self, canvas: &mut Canvas, series: &Series, colour: Rgb<u8>) {
        let points: Vec<&Point> = series.points.iter().filter(|p| p.y.is_finite()).collect();
        // The bars of many points are a band behind the curve.
        let bars = if series.style == Style::Curve { light(colour) } else { colour };
        points.iter().for_each(|point| self.error(canvas, point, bars, series.style != Style::Curve));
        if series.style == Style::Bars {
            return;
        }
        let corner = |from: &Point, to: &Point| match series.style {
            Style::Steps => (self.x(to.x), self.y(from.y)),
            _ => (self.x(to.x), self.y(to.y)),
        };
        for pair in points.windows(2) {
            let (from, corner) = ((self.x(pair[0].x), self.y(pair[0].y)), corner(pair[0], pair[1]));
            canvas.line(from, corner, colour);
            canvas.line(corner, (self.x(pair[1].x), self.y(pair[1].y)), colour);
        }
        if series.style == Style::Marks {
            let marks = points.iter().map(|point| (self.x(point.x), self.y(point.y)));
            marks.for_each(|(x, y)| canvas.rectangle(x - 3, y - 3, 7, 7, colour));
        }
    }

    fn error(&self, canvas: &mut Canvas, point: &Point, colour: Rgb<u8>, has_caps: bool) {
        let (below, above) = (bar(point.error.0), bar(point.error.1));
        if below == 0.0 && above == 0.0 {
            return;
        }
        let (x, top, bottom) = (self.x(point.x), self.y(point.y + above), self.y(point.y - below));
        canvas.rectangle(x, top, 1, bottom - top + 1, colour);
        if has_caps {
            [top, bottom].iter().for_each(|y| canvas.rectangle(x - 3, *y, 7, 1, colour));
        }
    }
}

fn light(colour: Rgb<u8>) -> Rgb<u8> {
    Rgb(colour.0.map(|c| ((u16::from(c) + 3 * 255) / 4) as u8))
}

/// Length of an error bar.
fn bar(error: f64) -> f64 {
    if error.is_finite() { error.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(points: Vec<Point>, style: Style) -> Panel {
        Panel {
            title: "rates".into(),
            x: Axis::new("workers", ""),
            y: Axis::new("rate", "MB/s").from(0.0),
            series: vec![Series { name: "data".into(), points, style }],
        }
    }

    fn count(image: &RgbImage, colour: Rgb<u8>) -> usize {
        image.pixels().filter(|p| **p == colour).count()
    }

    #[test]
    fn a_plot_has_its_lines_and_letters() {
        let points = vec![Point::new(1.0, 10.0), Point::new(2.0, 20.0), Point::new(3.0, f64::NAN)];
        let panel = || panel(points.clone(), Style::Marks);
        let image = draw(&[panel(), panel()]);
        assert_eq!(image.dimensions(), (2 * WIDTH as u32, HEIGHT as u32));
        let dark = image.pixels().filter(|p| p.0.iter().all(|c| *c < 100)).count();
        assert!(count(&image, COLOURS[0]) > 400 && dark > 800, "{dark}");
        let none = Panel { title: String::new(), x: Axis::new("", ""), y: Axis::new("", ""), series: vec![] };
        assert_eq!(draw(&[none]).dimensions(), (WIDTH as u32, HEIGHT as u32));
    }

    #[test]
    fn names_stand_where_no_curve_runs() {
        let place = |points: Vec<(f64, f64)>| {
            let points = points.into_iter().map(|(x, y)| Point::new(x, y)).collect();
            let mut panel = panel(points, Style::Marks);
            panel.y = Axis::new("found", "%").from(0.0).to(100.0);
            panel.series[0].name = "cosmics, collection".into();
            Axes::of(&panel, 0).place_of_names(&panel)
        };
        // An efficiency: steeply up at the left, then near the top.
        let (left, top) = place(vec![(0.0, 0.0), (10.0, 50.0), (20.0, 90.0), (100.0, 90.0)]);
        assert!(left > WIDTH / 2 && top > HEIGHT / 2, "{left} {top}");
        let (left, top) = place(vec![(0.0, 10.0), (100.0, 10.0)]);
        assert!(left < WIDTH / 2 && top < HEIGHT / 2, "{left} {top}");
    }

    /// Of the title of the y axis, which stands upright at the left.
    #[test]
    fn both_axes_say_what_they_show() {
        let image = draw(&[panel(vec![Point::new(1.0, 2.0)], Style::Marks)]);
        let dark = |left: u32, top: u32, width: u32, height: u32| {
            let place = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
            place.filter(|(x, y)| image.get_pixel(*x, *y).0[0] < 100).count()
        };
        assert!(dark(0, 0, 24, HEIGHT as u32) > 100);
        assert!(dark(LEFT as u32, HEIGHT as u32 - 28, 400, 20) > 100);
    }

    #[test]
    fn errors_are_bars_where_there_are_any() {
        let exact = vec![Point::new(1.0, 10.0), Point::new(2.0, 20.0)];
        let with = exact.iter().map(|p| p.with_error(3.0)).collect();
        let odd = exact.iter().map(|p| p.with_error(f64::NAN)).collect();
        let drawn = |points: Vec<Point>| {
            let mut panel = panel(points, Style::Marks);
            panel.y = Axis::new("rate", "").from(0.0).to(40.0);
            count(&draw(&[panel]), COLOURS[0])
        };
        assert_eq!(drawn(exact.clone()), drawn(odd));
        assert!(drawn(with) > drawn(exact) + 40);
    }

    #[test]
    fn bins_are_levels_and_values_may_be_negative() {
        let points: Vec<Point> =
            [(0.0, -5.0), (1.0, 5.0), (2.0, -5.0)].map(|(x, y)| Point::new(x, y)).to_vec();
        let mut of = panel(points, Style::Steps);
        of.y = Axis::new("mean", "counts");
        let axes = Axes::of(&of, 0);
        assert_eq!((axes.y.low, axes.x(0.0), axes.x(2.0)), (-6.0, LEFT + 10, WIDTH - RIGHT - 10));
        let image = draw(&[of]);
        // The level of the second bin reaches to its end.
        let (x, y) = (axes.x(1.9) as u32, axes.y(5.0) as u32);
        assert_eq!(*image.get_pixel(x, y), COLOURS[0]);
    }
}
