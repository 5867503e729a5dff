//! Where the pixels of a detector are: psana's geometry files.
//!
//! A line of the file places an object in the frame of its parent: `PARENT IND OBJECT IND X0 Y0 Z0 ROT-Z ROT-Y ROT-X TILT-Z TILT-Y
//! TILT-X`, in µm and degrees; lines that begin with `#` are comments. The coordinates of an object are turned by rotation and tilt
//! together, about z, then y, then x, and moved by the origin. An object without children is a segment with pixels, of a type that its name
//! tells:
//!
//! | object | pixels | coordinates |
//! |---|---|---|
//! | `SENS2X1:V1` | 185 x 388 of 109.92 µm, the two columns in the middle 274.8 µm wide | x along columns, y against rows, from the middle |
//! | `EPIX10KA:V1` | 352 x 384 of 100 µm, rows and columns in the middle 225 µm wide | as above |
//! | `JUNGFRAU:V2` | 512 x 1024 of 75 µm in 2 x 4 chips, those at the edges between chips 150 µm wide | x along columns, y along rows, from the middle |
//! | `MTRX:ROWS:COLUMNS:SIZE:SIZE`, `PNCCD:V1` | as named; 512 x 512 of 75 µm | x along rows, y along columns, from the first pixel |
//!
//! A positive z of an object whose parent is the interaction point (`IP...`) is taken for a negative one, as psana does.
//!
//! The files, the segments and the way to a picture are those of psana's `GeometryAccess`, whose documentation and constants are the
//! source: in the picture x is the row and y is the column.

use std::path::Path;

use crate::{Error, Result};

/// More than any file has: a segment or a group of them in each line.
const MOST_OBJECTS: usize = 4096;
/// Groups within each other.
const MOST_DEPTH: usize = 16;
/// More pixels than any detector has.
const MOST_PIXELS: usize = 1 << 28;

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
}

/// The coordinates of a segment's pixels in its own frame: those of rows and of columns add up to a grid.
#[derive(Clone, PartialEq, Debug)]
struct Segment {
    of_rows: Vec<f64>,
    of_columns: Vec<f64>,
    /// x is along the rows' numbers, as in a matrix.
    is_matrix: bool,
    pixel_um: f64,
}

/// Coordinates of the centre of each pixel, in µm.
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

/// Where each pixel is in an assembled picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assembly {
    /// Rows of the picture.
    pub rows: usize,
    /// Columns of the picture.
    pub columns: usize,
    /// The place of each pixel: its row times `columns` and its column.
    pub places: Vec<u32>,
}

impl Geometry {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is none, or the system refuses.
    pub fn read(path: &Path) -> Result<Geometry> {
        let text =
            std::fs::read_to_string(path).map_err(|e| Error::io("to read a geometry", e).in_file(path))?;
        Geometry::parse(&text).map_err(|e| e.in_file(path))
    }

    /// Takes it from the text of a file.
    ///
    /// # Errors
    /// If a line is not complete, a segment is of no known type, or objects are their own parents.
    pub fn parse(text: &str) -> Result<Geometry> {
        let mut objects = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                objects.push(Object::parse(line, number + 1)?);
            }
        }
        if objects.is_empty() || objects.len() > MOST_OBJECTS {
            return Err(Error::new(format!("1 to {MOST_OBJECTS} objects"), objects.len().to_string()));
        }
        let mut tops = Vec::new();
        for child in 0..objects.len() {
            let parent = objects.iter().position(|object| object.name == objects[child].parent);
            match parent {
                Some(parent) => objects[parent].children.push(child),
                None => tops.push(child),
            }
        }
        for object in objects.iter_mut().filter(|object| object.children.is_empty()) {
            object.segment = Some(Segment::named(&object.name.0)?);
        }
        let mut geometry = Geometry { objects, tops, pixel_um: 1.0, shape: Vec::new() };
        geometry.measure()?;
        Ok(geometry)
    }

    /// Finds the segments in their order, and what their pixels are like.
    fn measure(&mut self) -> Result<()> {
        let mut segments = Vec::new();
        for top in &self.tops {
            self.add_segments(*top, 0, &mut segments)?;
        }
        let all: Vec<&Segment> =
            segments.iter().filter_map(|at| self.objects[*at].segment.as_ref()).collect();
        let pixels: usize = all.iter().map(|segment| segment.pixels()).sum();
        let Some(first) = all.first().filter(|_| pixels <= MOST_PIXELS) else {
            return Err(Error::new(
                format!("segments with at most {MOST_PIXELS} pixels"),
                pixels.to_string(),
            ));
        };
        let size = |segment: &Segment| (segment.of_rows.len(), segment.of_columns.len());
        let (rows, columns) = size(first);
        let is_same = all.iter().all(|segment| size(segment) == (rows, columns));
        let shape = if is_same { vec![all.len(), rows, columns] } else { vec![pixels] };
        (self.pixel_um, self.shape) = (first.pixel_um, shape);
        Ok(())
    }

    fn add_segments(&self, at: usize, depth: usize, found: &mut Vec<usize>) -> Result<()> {
        if depth > MOST_DEPTH || found.len() > MOST_OBJECTS {
            return Err(Error::new(format!("at most {MOST_DEPTH} objects within each other"), "more"));
        }
        if self.objects[at].segment.is_some() {
            found.push(at);
        }
        self.objects[at].children.iter().try_for_each(|child| self.add_segments(*child, depth + 1, found))
    }

    /// The size of a pixel of the first segment, in µm.
    pub fn pixel_um(&self) -> f64 {
        self.pixel_um
    }

    /// Segments, rows, columns; of segments of several shapes the number of pixels.
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
            for row in &segment.of_rows {
                for column in &segment.of_columns {
                    let (x, y) = if segment.is_matrix { (*row, *column) } else { (*column, *row) };
                    all.x.push(x);
                    all.y.push(y);
                    all.z.push(0.0);
                }
            }
        }
        object.children.iter().for_each(|child| self.add_coordinates(*child, all));
        let [about_z, about_y, about_x] = object.turns.map(|degrees| degrees.to_radians().sin_cos());
        let pixels = all.x[from..].iter_mut().zip(&mut all.y[from..]).zip(&mut all.z[from..]);
        for ((x, y), z) in pixels {
            let (x1, y1) = turned(*x, *y, about_z);
            let (z2, x2) = turned(*z, x1, about_y);
            let (y3, z3) = turned(y1, z2, about_x);
            (*x, *y, *z) = (x2 + object.origin[0], y3 + object.origin[1], z3 + object.origin[2]);
        }
    }

    /// Where the pixels are in a picture with cells of the size of a pixel.
    ///
    /// # Errors
    /// If the picture would have more than a quarter of a gigapixel.
    pub fn assembly(&self) -> Result<Assembly> {
        let Coordinates { x, y, .. } = self.coordinates();
        let lowest =
            |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min) - self.pixel_um / 2.0;
        let (x0, y0) = (lowest(&x), lowest(&y));
        // Behind a wide pixel others lie on borders of cells: what is added decides for the later one, whatever a turn has rounded.
        let cell = |value: f64, from: f64| ((value - from) / self.pixel_um + 1e-6) as usize;
        let last = |values: &[f64], from| values.iter().map(|v| cell(*v, from)).max().unwrap_or(0);
        let (rows, columns) = (last(&x, x0).saturating_add(1), last(&y, y0).saturating_add(1));
        if rows.checked_mul(columns).is_none_or(|cells| cells > MOST_PIXELS) {
            return Err(Error::new(
                format!("a picture of at most {MOST_PIXELS} cells"),
                format!("{rows} x {columns}"),
            ));
        }
        let place = |(x, y): (&f64, &f64)| (cell(*x, x0) * columns + cell(*y, y0)) as u32;
        Ok(Assembly { rows, columns, places: x.iter().zip(&y).map(place).collect() })
    }
}

impl Assembly {
    /// The picture of `values`, one for each pixel; cells without a pixel are `fill`. Where pixels fall into one cell, the last one counts.
    ///
    /// # Errors
    /// If there are not as many values as pixels.
    pub fn assemble<T: Copy>(&self, values: &[T], fill: T) -> Result<Vec<T>> {
        if values.len() != self.places.len() {
            return Err(Error::new(
                format!("{} values to assemble", self.places.len()),
                values.len().to_string(),
            ));
        }
        let mut picture = vec![fill; self.rows * self.columns];
        for (place, value) in self.places.iter().zip(values) {
            if let Some(cell) = picture.get_mut(*place as usize) {
                *cell = *value;
            }
        }
        Ok(picture)
    }
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
        })
    }
}

impl Segment {
    fn named(name: &str) -> Result<Segment> {
        match name {
            "SENS2X1:V1" => {
                let of_rows = (0..185).map(|row| (92.0 - f64::from(row)) * 109.92).collect();
                Ok(Segment {
                    of_rows,
                    of_columns: halves(194, 109.92, 274.8),
                    is_matrix: false,
                    pixel_um: 109.92,
                })
            }
            "EPIX10KA:V1" => {
                let of_rows = halves(176, 100.0, 225.0).into_iter().rev().collect();
                Ok(Segment {
                    of_rows,
                    of_columns: halves(192, 100.0, 225.0),
                    is_matrix: false,
                    pixel_um: 100.0,
                })
            }
            "JUNGFRAU:V2" => {
                let (of_rows, of_columns) = (chips(2), chips(4));
                Ok(Segment { of_rows, of_columns, is_matrix: false, pixel_um: 75.0 })
            }
            "PNCCD:V1" => Segment::matrix(512, 512, 75.0, 75.0),
            _ => Segment::of_text(name).ok_or_else(|| {
                let wanted =
                    "a segment SENS2X1:V1, EPIX10KA:V1, JUNGFRAU:V2, PNCCD:V1 or MTRX:ROWS:COLUMNS:SIZE:SIZE";
                Error::new(wanted, format!("`{}`", name.chars().take(40).collect::<String>()))
            })?,
        }
    }

    fn of_text(name: &str) -> Option<Result<Segment>> {
        let [rows, columns, height, width] = name.strip_prefix("MTRX:")?.split(':').collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let size = |text: &str| text.parse::<f64>().ok().filter(|size| *size > 0.0 && *size < 1e6);
        Some(Segment::matrix(rows.parse().ok()?, columns.parse().ok()?, size(height)?, size(width)?))
    }

    fn matrix(rows: u32, columns: u32, height: f64, width: f64) -> Result<Segment> {
        let pixels = u64::from(rows) * u64::from(columns);
        if pixels == 0 || pixels > MOST_PIXELS as u64 {
            return Err(Error::new(
                format!("a segment of 1 to {MOST_PIXELS} pixels"),
                format!("{rows} x {columns}"),
            ));
        }
        let all = |count: u32, size: f64| (0..count).map(|n| f64::from(n) * size).collect();
        let (of_rows, of_columns) = (all(rows, height), all(columns, width));
        Ok(Segment { of_rows, of_columns, is_matrix: true, pixel_um: height })
    }

    fn pixels(&self) -> usize {
        self.of_rows.len() * self.of_columns.len()
    }
}

/// Coordinates of the pixels of `count` chips of a Jungfrau, with two pixels between chips: the pixels on both sides of these are so much
/// wider, and their centres half a pixel nearer to each other.
fn chips(count: u32) -> Vec<f64> {
    let first = (1.0 - f64::from(258 * count - 2)) / 2.0;
    let pixel = |chip: u32, n: u32| {
        let toward = match n {
            0 if chip > 0 => -0.5,
            255 if chip + 1 < count => 0.5,
            _ => 0.0,
        };
        (first + f64::from(258 * chip + n) + toward) * 75.0
    };
    (0..count).flat_map(|chip| (0..256).map(move |n| pixel(chip, n))).collect()
}

/// Coordinates of twice `count` pixels from the middle, the two in the middle wide; psana takes as theirs that of their outer part.
fn halves(count: u32, size: f64, wide: f64) -> Vec<f64> {
    let right = (0..count).map(|n| f64::from(n) * size + wide - size / 2.0);
    right.clone().rev().map(|x| -x).chain(right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four ePix10ka in a camera that is turned by 90 degrees.
    const QUAD: &str = "# HDR PARENT IND OBJECT IND X0 Y0 Z0 ROT-Z ROT-Y ROT-X TILT-Z TILT-Y TILT-X\n\
        CAMERA 0 EPIX10KA:V1 0  20000 -20000 0  0 0 0  0 0 0\n\
        CAMERA 0 EPIX10KA:V1 1 -20000 -20000 0  0 0 0  0 0 0\n\
        CAMERA 0 EPIX10KA:V1 2  20000  20000 0  0 0 0  0 0 0\n\
        CAMERA 0 EPIX10KA:V1 3 -20000  20000 50  0 0 0  0 0 0\n\
        IP 0 CAMERA 0  0 0 -100000  90 0 0  0 0 0\n";

    fn at(all: &Coordinates, segment: usize, row: usize, column: usize) -> [f64; 3] {
        let [_, rows, columns] = all.shape[..] else { panic!("{:?}", all.shape) };
        let pixel = (segment * rows + row) * columns + column;
        [all.x[pixel], all.y[pixel], all.z[pixel]].map(|v| (v * 1000.0).round() / 1000.0)
    }

    #[test]
    fn pixels_are_where_a_calculation_by_hand_finds_them() {
        let all = Geometry::parse(QUAD).unwrap().coordinates();
        assert_eq!(all.shape, [4, 352, 384]);
        // In the segment (-19275, 17675): the outer part of the first column of 192, the last row of 176. In the camera
        // (725, -2325); turned by 90 degrees (2325, 725).
        assert_eq!(at(&all, 0, 0, 0), [2325.0, 725.0, -100_000.0]);
        // The two columns in the middle are 225 µm wide, and taken at 175 µm from the middle.
        assert_eq!(at(&all, 0, 175, 191), [19825.0, 19825.0, -100_000.0]);
        assert_eq!(at(&all, 0, 176, 192), [20175.0, 20175.0, -100_000.0]);
        assert_eq!(at(&all, 3, 351, 383), [-2325.0, -725.0, -99_950.0]);
    }

    #[test]
    fn tilts_about_all_axes_are_three_rotations() {
        let text = "IP 0 MTRX:2:3:10:20 0  1 2 3  30 0 -5  0 20 15\n";
        let all = Geometry::parse(text).unwrap().coordinates();
        let turn = |degrees: f64| degrees.to_radians().sin_cos();
        let ((sz, cz), (sy, cy), (sx, cx)) = (turn(30.0), turn(20.0), turn(10.0));
        for pixel in 0..6 {
            let (x, y) = ((pixel / 3 * 10) as f64, (pixel % 3 * 20) as f64);
            let (x1, y1) = (x * cz - y * sz, x * sz + y * cz);
            let (x2, z2) = (x1 * cy, -x1 * sy);
            let (y3, z3) = (y1 * cx - z2 * sx, z2 * cx + y1 * sx);
            let wanted = [x2 + 1.0, y3 + 2.0, z3 - 3.0];
            let found = [all.x[pixel], all.y[pixel], all.z[pixel]];
            assert!(
                wanted.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-9),
                "{pixel}: {wanted:?} {found:?}"
            );
        }
    }

    #[test]
    fn segments_have_the_sizes_of_their_types() {
        let shape = |name: &str| {
            let geometry = Geometry::parse(&format!("IP 0 {name} 0 0 0 0 0 0 0 0 0 0")).unwrap();
            let all = geometry.coordinates();
            let range =
                |v: &[f64]| v.iter().fold((0.0f64, 0.0f64), |(low, high), v| (low.min(*v), high.max(*v)));
            (all.shape.clone(), range(&all.x), range(&all.y))
        };
        let round = |(low, high): (f64, f64)| ((low * 100.0).round() / 100.0, (high * 100.0).round() / 100.0);
        let (sizes, x, y) = shape("SENS2X1:V1");
        assert_eq!(
            (sizes, round(x), round(y)),
            (vec![1, 185, 388], (-21434.4, 21434.4), (-10112.64, 10112.64))
        );
        let (sizes, x, y) = shape("JUNGFRAU:V2");
        assert_eq!((sizes, x, y), (vec![1, 512, 1024], (-38587.5, 38587.5), (-19237.5, 19237.5)));
        assert_eq!(shape("PNCCD:V1").0, [1, 512, 512]);
    }

    /// By psana 4.3.4; `python/tests/test_psana_peer.py` compares all pixels of its own geometries.
    #[test]
    fn wide_pixels_of_a_jungfrau_are_where_psana_has_them() {
        let all = Geometry::parse("IP 0 JUNGFRAU:V2 0 0 0 0 0 0 0 0 0 0").unwrap().coordinates();
        let x = |column: usize| all.x[column];
        let y = |row: usize| all.y[row * 1024];
        assert_eq!([0, 254, 255, 256, 257].map(x), [-38587.5, -19537.5, -19425.0, -19275.0, -19162.5]);
        assert_eq!([511, 512, 767, 768, 1023].map(x), [-75.0, 75.0, 19275.0, 19425.0, 38587.5]);
        assert_eq!([0, 254, 255, 256, 257, 511].map(y), [-19237.5, -187.5, -75.0, 75.0, 187.5, 19237.5]);
        let regular = |at: usize| f64::from(u32::try_from(at / 256 * 258 + at % 256).unwrap());
        let moved = (0..1024).filter(|c| all.x[*c] != (regular(*c) - 514.5) * 75.0).count();
        assert_eq!(moved, 6);
    }

    #[test]
    fn pictures_are_assembled_with_x_down() {
        let text = "CAM 0 MTRX:1:2:100:100 0  0 0 0  0 0 0  0 0 0\nCAM 0 MTRX:1:2:100:100 1  300 100 0  90 0 0  0 0 0\n\
                    IP 0 CAM 0  0 0 0  0 0 0  0 0 0\n";
        let assembly = Geometry::parse(text).unwrap().assembly().unwrap();
        assert_eq!((assembly.rows, assembly.columns), (4, 2));
        let picture = assembly.assemble(&[1, 2, 3, 4], 0).unwrap();
        assert_eq!(picture, [1, 2, 0, 0, 0, 4, 0, 3]);
        assert!(assembly.assemble(&[1, 2, 3], 0).is_err());
    }

    #[test]
    fn what_is_no_geometry_is_refused() {
        for (text, wanted) in [
            ("", "1 to 4096 objects"),
            ("# only comments\n", "1 to 4096 objects"),
            ("IP 0 MTRX:1:1:1:1 0 1 2 3\n", "nine numbers in line 1"),
            ("IP 0 MTRX:1:1:1:1 0 0 0 0 0 0 0 0 0 nan\n", "nine numbers in line 1"),
            ("IP x MTRX:1:1:1:1 0 0 0 0 0 0 0 0 0 0\n", "nine numbers in line 1"),
            ("IP 0 MTRX:99999:99999:1:1 0 0 0 0 0 0 0 0 0 0\n", "a segment of 1 to"),
            ("IP 0 MTRX:0:9:1:1 0 0 0 0 0 0 0 0 0 0\n", "a segment of 1 to"),
            ("IP 0 SOMETHING:V7 0 0 0 0 0 0 0 0 0 0\n", "a segment SENS2X1:V1"),
            ("A 0 B 0 0 0 0 0 0 0 0 0 0\nB 0 A 0 0 0 0 0 0 0 0 0 0\n", "pixels, found 0"),
            ("A 0 A 0 0 0 0 0 0 0 0 0 0\n", "pixels, found 0"),
        ] {
            let error = Geometry::parse(text).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        let far = "IP 0 MTRX:1:1:1:1 0 0 0 0 0 0 0 0 0 0\nIP 0 MTRX:1:1:1:1 1 9e9 9e9 0 0 0 0 0 0 0\n";
        assert!(Geometry::parse(far).unwrap().assembly().is_err());
    }
}
