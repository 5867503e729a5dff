//! Where the pixels of a detector are: psana's geometry files.
//!
//! A line of the file places an object in the frame of its parent: `PARENT IND OBJECT IND X0 Y0 Z0 ROT-Z ROT-Y ROT-X TILT-Z TILT-Y
//! TILT-X`, in µm and degrees; lines that begin with `#` are comments. The coordinates of an object are turned by rotation and tilt
//! together, about z, then y, then x, and moved by the origin. An object without children is a segment with pixels, of a type that its name
//! tells:
//!
//! | object | pixels | x and y |
//! |---|---|---|
//! | `SENS2X1:V1` | 185 x 388 of 109.92 µm, the two columns in the middle 274.8 µm wide | x along columns, y against rows, from the middle |
//! | `EPIX10KA:V1`, `EPIXHR2X2:V1` | 352 x 384, 288 x 384 of 100 µm, rows and columns in the middle 225 µm wide | as above |
//! | `EPIXHR1X4:V1`, `EPIXUHR3X2:V1` | 144 x 768, 336 x 576 of 100 µm in 1 x 4 and 2 x 3 chips | as above |
//! | `EPIXMASIC:V1`, `EPIXUHRASIC:V1` | 192 x 384 of 50 µm, 168 x 192 of 100 µm | as above |
//! | `EPIX100:V1` | 704 x 768 of 50 µm, rows and columns in the middle 175 µm wide | x along columns, y along rows, from the middle |
//! | `JUNGFRAU:V1` | 512 x 1024 of 75 µm in 2 x 4 chips, two pixels between chips | x along columns, y against rows, from the middle |
//! | `JUNGFRAU:V2` | the same; pixels at the edges between chips are 150 µm wide | x along columns, y along rows, from the middle |
//! | `ARCHON:V1`, `ARCHON:V2` | 4800 columns of 10 µm in 16 banks, 36 columns of each no pixels; rows of 20 µm | as `SENS2X1:V1` |
//! | `MTRX:V2:ROWS:COLUMNS:HEIGHT:WIDTH`, `MTRXANY:V1` | as named, as given ([`OpenSize`]) | as `SENS2X1:V1` |
//! | `MTRX:ROWS:COLUMNS:HEIGHT:WIDTH`, `PNCCD:V1` | as named; 512 x 512 of 75 µm | x along rows, y along columns, from the first pixel |
//!
//! The pixels of an object `CSPAD2X2:V1` with two segments alternate between these, as in its data: its last axis is the segment.
//!
//! A positive z of an object whose parent is the interaction point (`IP...`) is taken for a negative one, as psana does.
//!
//! The files, the segments and the way to a picture follow psana's `GeometryAccess`, whose documentation and constants
//! are the source: in the picture x is the row and y is the column.

use std::path::Path;

use crate::{Error, Result};

mod assembly;
mod axis;
mod mask;
mod segment;
#[cfg(test)]
mod tests;

pub use assembly::Assembly;
use axis::MOST_PIXELS;
pub use mask::{MaskOptions, Unbonded};
pub use segment::OpenSize;
use segment::Segment;

/// More than any file has: a segment or a group of them in each line.
const MOST_OBJECTS: usize = 4096;
/// Groups within each other.
const MOST_DEPTH: usize = 16;
/// The placed objects of a detector.
///
/// ```
/// use livetime_formats::geometry::Geometry;
///
/// // Two segments of 1 x 2 pixels, the second one turned by 90 degrees and moved by 1000 µm.
/// let text = "# HDR ...\nCAM 0 MTRX:1:2:100:100 0  0 0 0  0 0 0  0 0 0\n\
///             CAM 0 MTRX:1:2:100:100 1  1000 0 0  90 0 0  0 0 0\nIP 0 CAM 0  0 0 -5000  0 0 0  0 0 0\n";
/// let pixels = Geometry::parse(text)?.coordinates();
/// assert_eq!(pixels.shape, [2, 1, 2]);
/// assert_eq!(pixels.x.iter().map(|x| x.round()).collect::<Vec<_>>(), [0.0, 0.0, 1000.0, 900.0]);
/// assert_eq!(pixels.y.iter().map(|y| y.round()).collect::<Vec<_>>(), [0.0, 100.0, 0.0, 0.0]);
/// assert_eq!(pixels.z, [-5000.0; 4]);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Geometry {
    objects: Vec<Object>,
    /// The objects whose parent is no object of the file, in its order.
    tops: Vec<usize>,
    pixel_um: f64,
    shape: Vec<usize>,
}

#[derive(Clone, PartialEq, Debug)]
struct Object {
    parent: (String, i64),
    name: (String, i64),
    origin: [f64; 3],
    /// Rotation and tilt about z, y and x, in degrees.
    turns: [f64; 3],
    children: Vec<usize>,
    segment: Option<Segment>,
    /// The pixels of two segments alternate.
    is_pair: bool,
}

/// Three numbers for each pixel, in µm: coordinates of its centre, or its sizes. NaN for columns of an Archon that are no pixels.
#[derive(Clone, PartialEq, Debug)]
pub struct Coordinates {
    /// Segments, rows, columns; of segments of several shapes the number of pixels.
    pub shape: Vec<usize>,
    /// By pixel, in the order of the segments in the file, then of rows and columns.
    pub x: Vec<f64>,
    /// As `x`.
    pub y: Vec<f64>,
    /// As `x`.
    pub z: Vec<f64>,
}

impl Geometry {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is none, or the system refuses.
    pub fn read(path: &Path) -> Result<Geometry> {
        Geometry::read_sized(path, None)
    }

    /// Reads a file that leaves the size of its segments open.
    ///
    /// # Errors
    /// As [`Geometry::read`], or if the size is none that the segments can have.
    pub fn read_sized(path: &Path, size: Option<OpenSize>) -> Result<Geometry> {
        let text =
            std::fs::read_to_string(path).map_err(|e| Error::io("to read a geometry", e).in_file(path))?;
        Geometry::parse_sized(&text, size).map_err(|e| e.in_file(path))
    }

    /// Takes it from the text of a file.
    ///
    /// # Errors
    /// If a line is not complete, a segment is of no known type, or objects are their own parents.
    pub fn parse(text: &str) -> Result<Geometry> {
        Geometry::parse_sized(text, None)
    }

    /// Takes it from the text of a file that leaves the size of its segments open.
    ///
    /// # Errors
    /// As [`Geometry::parse`], or if the size is none that the segments can have.
    pub fn parse_sized(text: &str, size: Option<OpenSize>) -> Result<Geometry> {
        let mut objects = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            // Comment lines hold the history of a calibration.
            if !line.is_empty() && !line.starts_with('#') {
                objects.push(Object::parse(line, number + 1)?);
            }
        }
        // The number is bounded before children are searched, which takes its square.
        if objects.is_empty() || objects.len() > MOST_OBJECTS {
            return Err(Error::new(format!("1 to {MOST_OBJECTS} objects"), objects.len().to_string()));
        }
        let mut tops = Vec::new();
        for child in 0..objects.len() {
            let parent = objects.iter().position(|object| object.name == objects[child].parent);
            match parent {
                Some(parent) => objects[parent].children.push(child),
                // An object whose parent is not in the file is an outermost one.
                None => tops.push(child),
            }
        }
        // Only the innermost objects are segments; groups have no pixels.
        for object in objects.iter_mut().filter(|object| object.children.is_empty()) {
            object.segment = Some(Segment::named(&object.name.0, size)?);
        }
        let is_half = |at: &usize| objects[*at].name.0 == "SENS2X1:V1" && objects[*at].segment.is_some();
        let is_pair = |object: &Object| {
            object.name.0 == "CSPAD2X2:V1"
                && object.children.len() == 2
                && object.children.iter().all(is_half)
        };
        let pairs: Vec<usize> = (0..objects.len()).filter(|at| is_pair(&objects[*at])).collect();
        pairs.iter().for_each(|at| objects[*at].is_pair = true);
        let mut geometry = Geometry { objects, tops, pixel_um: 1.0, shape: Vec::new() };
        geometry.measure()?;
        Ok(geometry)
    }

    /// Finds the segments in their order, and the properties of their pixels.
    fn measure(&mut self) -> Result<()> {
        let mut segments = Vec::new();
        for top in &self.tops {
            self.add_segments(*top, 0, &mut segments)?;
        }
        let all: Vec<&Segment> =
            // Groups have no segment.
            segments.iter().filter_map(|at| self.objects[*at].segment.as_ref()).collect();
        let pixels: usize = all.iter().map(|segment| segment.pixels()).sum();
        let Some(first) = all.first().filter(|_| pixels <= MOST_PIXELS) else {
            return Err(Error::new(
                format!("segments with at most {MOST_PIXELS} pixels"),
                pixels.to_string(),
            ));
        };
        let size = |segment: &Segment| (segment.rows.len(), segment.columns.len());
        let (rows, columns) = size(first);
        let is_same = all.iter().all(|segment| size(segment) == (rows, columns));
        let pairs = self.objects.iter().filter(|object| object.is_pair).count();
        let shape = match (is_same, pairs) {
            (false, _) => vec![pixels],
            // Pairs of a CSPad 2x2 alternate pixel by pixel, so the axis of the segments is the last.
            (true, pairs) if 2 * pairs == all.len() => vec![pairs * rows, columns, 2],
            (true, _) => vec![all.len(), rows, columns],
        };
        (self.pixel_um, self.shape) = (first.cell_um, shape);
        Ok(())
    }

    fn add_segments(&self, at: usize, depth: usize, found: &mut Vec<usize>) -> Result<()> {
        // The depth bounds the recursion.
        if depth > MOST_DEPTH || found.len() > MOST_OBJECTS {
            return Err(Error::new(format!("at most {MOST_DEPTH} objects within each other"), "more"));
        }
        if self.objects[at].segment.is_some() {
            found.push(at);
        }
        self.objects[at].children.iter().try_for_each(|child| self.add_segments(*child, depth + 1, found))
    }

    /// The size of a pixel of the first segment, in µm: the smaller one if it is not square.
    pub fn pixel_um(&self) -> f64 {
        self.pixel_um
    }

    /// Segments, rows, columns; of a CSPad 2x2 rows, columns, segments; of segments of several shapes the number of pixels.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Where the pixels are in the frame of the outermost parent.
    pub fn coordinates(&self) -> Coordinates {
        let mut all = Coordinates { shape: self.shape.clone(), x: Vec::new(), y: Vec::new(), z: Vec::new() };
        for top in &self.tops {
            self.add_coordinates(*top, &mut all);
        }
        all
    }

    fn add_coordinates(&self, at: usize, all: &mut Coordinates) {
        let (object, from) = (&self.objects[at], all.x.len());
        if let Some(segment) = &object.segment {
            all.x.extend(segment.along(true, &segment.rows.at, &segment.columns.at));
            all.y.extend(segment.along(false, &segment.rows.at, &segment.columns.at));
            all.z.resize(all.x.len(), 0.0);
        }
        object.children.iter().for_each(|child| self.add_coordinates(*child, all));
        // The pixels are alternated before they are turned, because the pair turns as a whole.
        if object.is_pair {
            [&mut all.x, &mut all.y, &mut all.z]
                .into_iter()
                .for_each(|values| alternate(&mut values[from..]));
        }
        let [about_z, about_y, about_x] = object.turns.map(|degrees| degrees.to_radians().sin_cos());
        let pixels = all.x[from..].iter_mut().zip(&mut all.y[from..]).zip(&mut all.z[from..]);
        // Rotations about z, y and x follow in psana's order.
        for ((x, y), z) in pixels {
            let (x1, y1) = turned(*x, *y, about_z);
            let (z2, x2) = turned(*z, x1, about_y);
            let (y3, z3) = turned(y1, z2, about_x);
            (*x, *y, *z) = (x2 + object.origin[0], y3 + object.origin[1], z3 + object.origin[2]);
        }
    }

    /// The width, height and depth of each pixel along x, y and z of its segment.
    pub fn sizes(&self) -> Coordinates {
        let along = |is_x: bool| self.lay(&|s: &Segment| s.along(is_x, &s.rows.widths, &s.columns.widths));
        let z = self.lay(&|segment: &Segment| vec![segment.depth_um; segment.pixels()]);
        Coordinates { shape: self.shape.clone(), x: along(true), y: along(false), z }
    }

    /// The area of each pixel, relative to the area of most pixels of its segment.
    pub fn areas(&self) -> Vec<f64> {
        self.lay(&Segment::areas)
    }

    /// 1 for each pixel that stays, 0 for each that is left out because of its place in the segment.
    ///
    /// ```
    /// use livetime_formats::geometry::{Geometry, MaskOptions};
    ///
    /// let geometry = Geometry::parse("IP 0 MTRX:3:4:75:75 0  0 0 0  0 0 0  0 0 0\n")?;
    /// let edges = MaskOptions { edge_rows: 1, edge_columns: 1, ..MaskOptions::default() };
    /// assert_eq!(geometry.mask(&edges), [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    pub fn mask(&self, options: &MaskOptions) -> Vec<u8> {
        self.lay(&|segment: &Segment| segment.mask(options))
    }

    /// Values of all pixels, in the order of [`Coordinates`].
    fn lay<T: Copy>(&self, of: &dyn Fn(&Segment) -> Vec<T>) -> Vec<T> {
        let mut all = Vec::new();
        self.tops.iter().for_each(|top| self.add_values(*top, of, &mut all));
        all
    }

    fn add_values<T: Copy>(&self, at: usize, of: &dyn Fn(&Segment) -> Vec<T>, all: &mut Vec<T>) {
        let (object, from) = (&self.objects[at], all.len());
        if let Some(segment) = &object.segment {
            all.extend(of(segment));
        }
        object.children.iter().for_each(|child| self.add_values(*child, of, all));
        if object.is_pair {
            alternate(&mut all[from..]);
        }
    }

    /// Where the pixels are in a picture with cells of the size of a pixel, as psana has it: pixels on borders of cells (beside wide
    /// ones) go where the rounding of a turn puts them.
    ///
    /// # Errors
    /// If the picture would have more than a quarter of a gigapixel.
    pub fn assembly(&self) -> Result<Assembly> {
        let Coordinates { x, y, .. } = self.coordinates();
        Assembly::new(&x, &y, self.pixel_um)
    }
}

/// The first half and the second one in turn.
fn alternate<T: Copy>(values: &mut [T]) {
    let (first, second) = values.split_at(values.len() / 2);
    let turns: Vec<T> = first.iter().zip(second).flat_map(|(a, b)| [*a, *b]).collect();
    values.copy_from_slice(&turns);
}

fn turned(a: f64, b: f64, (sine, cosine): (f64, f64)) -> (f64, f64) {
    (a * cosine - b * sine, b * cosine + a * sine)
}

impl Object {
    fn parse(line: &str, number: usize) -> Result<Object> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let refuse = || {
            let found: String = line.chars().take(60).collect();
            Error::new(format!("a parent, an object and nine numbers in line {number}"), format!("`{found}`"))
        };
        let [parent, parent_index, name, index, numbers @ ..] = &words[..] else { return Err(refuse()) };
        let index_of = |text: &str| text.parse::<i64>().map_err(|_| refuse());
        let values =
            // The bound keeps sums and products of the places finite.
            numbers.iter().map(|n| n.parse::<f64>().ok().filter(|n| n.is_finite() && n.abs() < 1e12));
        let values: Vec<f64> = values.collect::<Option<_>>().ok_or_else(refuse)?;
        let &[x, y, z, rot_z, rot_y, rot_x, tilt_z, tilt_y, tilt_x] = &values[..] else {
            return Err(refuse());
        };
        // psana's way: seen from the interaction point `IP` a detector lies at a negative z, whatever the sign in the file.
        let z = if parent.starts_with("IP") { -z.abs() } else { z };
        Ok(Object {
            parent: ((*parent).to_owned(), index_of(parent_index)?),
            name: ((*name).to_owned(), index_of(index)?),
            origin: [x, y, z],
            turns: [rot_z + tilt_z, rot_y + tilt_y, rot_x + tilt_x],
            children: Vec::new(),
            segment: None,
            is_pair: false,
        })
    }
}
