//! Results as pictures: arrays in colours, waveforms, projections, histograms and hits as curves.

use image::RgbImage;

use crate::analyze::{Array, Found, Named, Table, Value};
use livetime_plot::{Axis, Grid, Map, Panel, Point, Series, Style, Tile, draw};

/// Unit of a value of an ADC.
const COUNTS: &str = "counts";
/// Curves in one pair of axes: more cannot be told apart.
const MOST_CURVES: usize = 4;
/// Bins of a histogram that are shown with their errors: more would be a band of bars.
const MOST_BARS: usize = 200;

/// Draws a result: curves where each panel has one axis, else pictures. `None` if there is nothing to see.
pub(super) fn draw_result(named: &Named, found: &Found) -> Option<RgbImage> {
    match &named.value {
        Value::Number(_) => None,
        Value::Table(table) => match &*named.name {
            "histogram" => histogram(table),
            "events" => hits(table),
            _ => None,
        },
        Value::Array(array) => Drawing::new(named, array, found).draw(),
    }
}

/// An array that is to be drawn, and its description.
struct Drawing<'a> {
    array: &'a Array,
    /// The name without the number of the panel.
    kind: &'a str,
    /// The panels that the array holds.
    panels: Vec<u32>,
    /// Standard deviations of the pixels.
    deviations: Option<&'a Array>,
    is_line: bool,
    events: f64,
}

impl<'a> Drawing<'a> {
    fn new(named: &'a Named, array: &'a Array, found: &'a Found) -> Drawing<'a> {
        let all = &found.layout.panels;
        // Panels of several shapes have an array each, with their number.
        // The number must be a panel's, and a name like `projection-x` has none.
        let numbered = named.name.rsplit_once('-').and_then(|(kind, n)| Some((kind, n.parse().ok()?)));
        let (kind, panels) = match numbered {
            Some((kind, number)) => (kind, vec![number]),
            None => (&*named.name, all.iter().map(|panel| panel.number).collect()),
        };
        let deviations = named.name.replacen(kind, "std", 1);
        let deviations = found.results.iter().find(|r| r.name == deviations).and_then(|r| match &r.value {
            Value::Array(array) => Some(array),
            _ => None,
        });
        // A mixture of curves and pictures is drawn as pictures.
        let is_line = all.iter().all(crate::analyze::Panel::has_any_length);
        Drawing { array, kind, panels, deviations, is_line, events: found.account.used as f64 }
    }

    fn draw(&self) -> Option<RgbImage> {
        match self.kind {
            "projection-x" => self.curves(Axis::new("column", "pixels"), "mean over the rows"),
            "projection-y" => self.curves(Axis::new("row", "pixels"), "mean over the columns"),
            kind if self.is_line => self.curves(Axis::new("element", "samples"), kind),
            _ => self.colours(),
        }
    }

    /// The name of the values, with their unit.
    fn value(&self, quantity: &str) -> Axis {
        match self.kind {
            "hits" => Axis::new("hits", "events"),
            "n" => Axis::new("n", "events"),
            _ => Axis::new(quantity, COUNTS),
        }
    }

    /// A curve for each panel, a few in one pair of axes.
    fn curves(&self, x: Axis, quantity: &str) -> Option<RgbImage> {
        // Without an element there is nothing to draw.
        let length = *self.array.shape().last().filter(|n| **n > 0)?;
        let values = self.array.values();
        let errors = self.errors(values.len());
        let at = |i: usize, x: usize| match errors.get(i) {
            Some(error) => Point::new(x as f64, values[i]).with_error(*error),
            None => Point::new(x as f64, values[i]),
        };
        let series = |curve: usize| {
            let points = (0..length).map(|x| at(curve * length + x, x)).collect();
            Series { name: self.title(curve, values.len() / length), points, style: Style::Curve }
        };
        let all: Vec<Series> = (0..values.len() / length).map(series).collect();
        let panel = |series: &[Series]| Panel {
            title: self.kind.to_owned(),
            x: x.clone(),
            y: self.value(quantity),
            series: series.to_vec(),
        };
        let panels: Vec<Panel> = all.chunks(MOST_CURVES).map(panel).collect();
        (!panels.is_empty()).then(|| draw(&panels))
    }

    /// The errors of so many means, if the deviations of the same elements are known: σ/√n.
    fn errors(&self, values: usize) -> Vec<f64> {
        // The error of a mean needs two events.
        let deviations = self.deviations.filter(|_| self.kind == "mean" && self.events > 1.0);
        // Deviations of another shape belong to other elements.
        let deviations = deviations.map(Array::values).filter(|found| found.len() == values);
        deviations.unwrap_or_default().iter().map(|deviation| deviation / self.events.sqrt()).collect()
    }

    /// The last two axes as pictures, all of them beside and below each other.
    fn colours(&self) -> Option<RgbImage> {
        let (pictures, rows, columns, step) = pictures(self.array.shape())?;
        let values = self.array.values();
        let value = |picture: usize| {
            let values = &values;
            // Pictures lie one behind the other, or pixel by pixel in turn.
            move |y: usize, x: usize| match step {
                1 => values[(picture * rows + y) * columns + x],
                _ => values[(y * columns + x) * step + picture],
            }
        };
        let values: Vec<_> = (0..pictures).map(value).collect();
        let tiles = values.iter().enumerate().map(|(picture, value)| Tile {
            title: self.title(picture, pictures),
            grid: Grid { rows, columns, value },
        });
        // As square as it can be.
        let across = (1..=pictures)
            .min_by_key(|across| (across * columns).abs_diff(pictures.div_ceil(*across) * rows))?;
        let map = Map {
            title: self.kind.to_owned(),
            x: Axis::new("column", "pixels"),
            y: Axis::new("row", "pixels"),
            value: self.value(self.kind),
            tiles: tiles.collect(),
            across,
        };
        map.draw()
    }

    /// Which panel, and which part of it, the picture or curve at `place` of `all` is.
    fn title(&self, place: usize, all: usize) -> String {
        let parts = all / self.panels.len().max(1);
        match self.panels.get(place / parts.max(1)) {
            _ if all < 2 => String::new(),
            Some(panel) if parts == 1 => format!("panel {panel}"),
            Some(_) if self.panels.len() == 1 => format!("part {place}"),
            Some(panel) => format!("panel {panel}.{}", place % parts),
            None => format!("part {place}"),
        }
    }
}

/// How many pictures there are, their rows and columns, and how many lie pixel by pixel in turn, as in a CSPad 2x2.
fn pictures(shape: &[usize]) -> Option<(usize, usize, usize, usize)> {
    let found = match *shape {
        // Up to four pictures pixel by pixel: pairs of a CSPad and colours; both have many rows and columns.
        [rows, columns, step @ 2..=4] if rows > 4 && columns > 4 => (step, rows, columns, step),
        [ref outer @ .., rows, columns] => (outer.iter().product(), rows, columns, 1),
        _ => return None,
    };
    // A picture of one row shows nothing.
    (found.0 > 0 && found.1 > 1 && found.2 > 1).then_some(found)
}

/// The values of a column.
fn column(table: &Table, name: &str) -> Option<Vec<f64>> {
    table.columns.iter().find(|c| c.name == name).map(|c| c.cells.values())
}

/// Counts with their errors, √n.
fn histogram(table: &Table) -> Option<RgbImage> {
    let (from, to, counts) = (column(table, "from")?, column(table, "to")?, column(table, "count")?);
    let mut levels: Vec<Point> = from.iter().zip(&counts).map(|(x, n)| Point::new(*x, *n)).collect();
    // The last bin ends at its own edge, so its level is drawn twice.
    levels.push(Point::new(*to.last()?, *counts.last()?));
    let mut series = vec![Series { name: String::new(), points: levels, style: Style::Steps }];
    if counts.len() <= MOST_BARS {
        let centres = from.iter().zip(&to).map(|(from, to)| (from + to) / 2.0);
        let bars = centres.zip(&counts).map(|(x, n)| Point::new(x, *n).with_error(n.sqrt())).collect();
        series.push(Series { name: String::new(), points: bars, style: Style::Bars });
    }
    let (x, y) = (Axis::new("value of a pixel", COUNTS), Axis::new("pixels in a bin", "").from(0.0));
    Some(draw(&[Panel { title: "histogram".into(), x, y, series }]))
}

/// How many pixels were hit, event by event.
fn hits(table: &Table) -> Option<RgbImage> {
    let (events, hits) = (column(table, "event")?, column(table, "hits")?);
    let points: Vec<Point> = events.iter().zip(&hits).map(|(x, n)| Point::new(*x, *n)).collect();
    let (x, y) = (Axis::new("event", ""), Axis::new("hits", "pixels").from(0.0));
    let series = vec![Series::new("", points)];
    (!events.is_empty()).then(|| draw(&[Panel { title: "hits".into(), x, y, series }]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::{self, Account, Column, Layout};
    use livetime_frame::DType;

    /// The outcome of an analysis of panels of `shape` with these results.
    fn found(panels: u32, shape: &[usize], results: Vec<Named>) -> Found {
        let panel = |number| analyze::Panel { number, dtype: DType::U16, shape: shape.to_vec() };
        let layout = Layout { panels: (0..panels).map(panel).collect(), first_values: (0.0, 1.0) };
        let mut account = Account::default();
        account.used = 4;
        Found { layout, events: 4, account, results }
    }

    fn array(name: &str, shape: &[usize]) -> Named {
        let values: Vec<f64> = (0..shape.iter().product()).map(|i| (i % 7) as f64).collect();
        Named { name: name.into(), value: Value::Array(Array::new(shape, values)) }
    }

    #[test]
    fn pictures_are_found_in_shapes() {
        assert_eq!(pictures(&[6, 5]), Some((1, 6, 5, 1)));
        assert_eq!(pictures(&[4, 8, 185, 388]), Some((32, 185, 388, 1)));
        assert_eq!(pictures(&[185, 388, 2]), Some((2, 185, 388, 2)));
        assert_eq!([pictures(&[60]), pictures(&[1, 60]), pictures(&[0, 3])], [None; 3]);
    }

    #[test]
    fn panels_have_their_numbers() {
        let mean = array("mean", &[2, 3, 6, 5]);
        let found = found(2, &[3, 6, 5], vec![mean.clone()]);
        let Value::Array(values) = &mean.value else { panic!() };
        let drawing = Drawing::new(&mean, values, &found);
        assert_eq!([0, 2, 3].map(|i| drawing.title(i, 6)), ["panel 0.0", "panel 0.2", "panel 1.0"]);
        assert_eq!(drawing.title(1, 2), "panel 1");
        let one = Drawing { panels: vec![7], ..Drawing::new(&mean, values, &found) };
        assert_eq!([one.title(0, 1), one.title(1, 2)], ["", "part 1"]);
    }

    #[test]
    fn lines_are_curves_and_planes_are_colours() {
        let is_curve = |result: &Named, found: &Found| {
            draw_result(result, found).is_some_and(|image| image.height() == 400 && image.width() % 640 == 0)
        };
        let results = ["mean", "projection-x", "projection-y"];
        let shapes: [&[usize]; 3] = [&[2, 6, 5], &[2, 5], &[2, 6]];
        let all: Vec<Named> = results.iter().zip(shapes).map(|(name, shape)| array(name, shape)).collect();
        let planes = found(2, &[6, 5], all.clone());
        assert_eq!(all.iter().map(|r| is_curve(r, &planes)).collect::<Vec<_>>(), [false, true, true]);
        // Two panels of waveforms have two axes too.
        let waveforms = array("mean", &[2, 50]);
        assert!(is_curve(&waveforms, &found(2, &[50], vec![waveforms.clone()])));
    }

    #[test]
    fn means_of_waveforms_have_the_errors_of_their_deviations() {
        let (mean, std) = (array("mean", &[50]), array("std", &[50]));
        let found = found(1, &[50], vec![mean.clone(), std]);
        let Value::Array(values) = &mean.value else { panic!() };
        assert_eq!(Drawing::new(&mean, values, &found).errors(50)[..3], [0.0, 0.5, 1.0]);
        let without = Found { results: vec![mean.clone()], ..found };
        assert!(Drawing::new(&mean, values, &without).errors(50).is_empty());
    }

    #[test]
    fn tables_are_curves_where_there_is_something_to_see() {
        let bins = |n: usize| {
            let from: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let to = from.iter().map(|v| v + 1.0).collect();
            let columns =
                vec![Column::new("from", from), Column::new("to", to), Column::new("count", vec![4u64; n])];
            Named::table("histogram", columns)
        };
        let none = found(1, &[5, 5], vec![]);
        assert!(draw_result(&bins(3), &none).is_some() && draw_result(&bins(0), &none).is_none());
        assert!(draw_result(&Named::number("all-mean", 3.0), &none).is_none());
    }
}
