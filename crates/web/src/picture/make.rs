//! A picture or a table made of a frame: cropped, binned, scaled, packed.

use axum::body::Bytes;
use livetime_frame::{ArrayRef, Column, DType, Flags, Frame, Payload, TableRef, with_dtype};

use super::message::{CUT, Header, Kind, SCALED};
use super::not_shown::NotShown;
use super::place::Place;
use super::sample::Sample;
use super::spec::{Axes, Encoding, Reduce, Spec};
use crate::wrong::Wrong;

/// The most bytes of one picture: a detector of 16 megapixels of 4 bytes. More would keep a browser busy for seconds.
const LARGEST: usize = 64 << 20;
/// The most rows of a table, unless the client wants fewer.
const ROWS: usize = 1 << 16;

/// The message made of a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// All fields except the fields that differ between clients: `left_out`, `age_us`, and the flag `HELD`.
    pub(crate) header: Header,
    /// Where on the detector the array was read; `None` of a table.
    pub(crate) place: Option<Place>,
    /// The one copy of the frame's pixels, which all clients are sent.
    pub(crate) payload: Bytes,
}

/// Makes the message of `frame` that `spec` asks for.
///
/// # Errors
/// Why it cannot be shown.
pub(crate) fn make(frame: &Frame, spec: &Spec) -> Result<Made, NotShown> {
    let mut made = match frame.payload() {
        Payload::Array(_) => picture(&frame.array()?, spec)?,
        Payload::Table(_) => table(&frame.table()?, spec)?,
        other => return Err(Wrong::new("frames that are arrays or tables").found(other).into()),
    };
    let header = frame.header();
    made.header.sequence = header.sequence;
    made.header.event_time_ns = header.event_time_ns;
    made.header.flags |= u16::from(header.flags.contains(Flags::DAMAGED));
    made.header.flags |= u16::from(header.flags.contains(Flags::LAST_OF_RUN)) << 1;
    made.header.payload_bytes = made.payload.len() as u32;
    Ok(made)
}

// ---- Pictures ----

/// Where the pixels of an array lie; strides in elements.
#[derive(Clone, Copy)]
struct Pixels {
    width: usize,
    height: usize,
    colours: usize,
    x_stride: usize,
    y_stride: usize,
    colour_stride: usize,
}

impl Pixels {
    /// Of an array with more dimensions the first plane.
    fn of(array: &ArrayRef) -> Result<Pixels, Wrong> {
        let layout = array.layout();
        if let Some(codec) = layout.codec() {
            return Err(Wrong::new("arrays that are not compressed").found(codec.0));
        }
        let (axes, bytes) = (layout.axes(), layout.dtype().bytes());
        let dim = |axis: Option<usize>| {
            axis.and_then(|axis| layout.dims().get(axis)).map_or((1, 0), |dim| (dim.size, dim.stride / bytes))
        };
        let colour_axis = axes.color.filter(|_| layout.color().is_rgb());
        let ((width, x_stride), (height, y_stride)) = (dim(axes.x), dim(axes.y));
        let (colours, colour_stride) = dim(colour_axis);
        Ok(Pixels {
            width,
            height,
            colours: if colours == 3 { 3 } else { 1 },
            x_stride,
            y_stride,
            colour_stride,
        })
    }
}

/// A region of an array and the size of its bins.
#[derive(Clone, Copy)]
struct Cut {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
    /// Across and down.
    bin: (usize, usize),
}

impl Cut {
    /// The part of the wanted region that is there, and whether that is less than was wanted.
    fn of(pixels: &Pixels, spec: &Spec) -> Result<(Cut, bool), Wrong> {
        let all = [0, 0, pixels.width as u32, pixels.height as u32];
        let [x, y, width, height] = spec.region.unwrap_or(all).map(|number| number as usize);
        let (found_width, found_height) =
            (width.min(pixels.width.saturating_sub(x)), height.min(pixels.height.saturating_sub(y)));
        if found_width == 0 || found_height == 0 {
            let wanted = Wrong::new(format!("a region in {} x {} pixels", pixels.width, pixels.height));
            return Err(wanted.found(format_args!("{width} x {height} at {x}, {y}")));
        }
        let bin = spec.fit.map_or((1, 1), |most| bins((found_width, found_height), most, spec.axes));
        let largest = bin.0.max(bin.1);
        // The header has 16 bits for a bin.
        if largest > usize::from(u16::MAX) {
            return Err(Wrong::new(format!("bins of at most {} pixels", u16::MAX)).found(largest));
        }
        let is_cut = (found_width, found_height) != (width, height);
        Ok((Cut { x, y, width: found_width, height: found_height, bin }, is_cut))
    }

    fn columns(&self) -> usize {
        self.width.div_ceil(self.bin.0)
    }

    fn rows(&self) -> usize {
        self.height.div_ceil(self.bin.1)
    }

    fn is_binned(&self) -> bool {
        self.bin != (1, 1)
    }
}

/// The smallest bins by which this many pixels become at most as many as wanted.
fn bins((width, height): (usize, usize), [columns, rows]: [u32; 2], axes: Axes) -> (usize, usize) {
    let (x, y) = (width.div_ceil(columns as usize), height.div_ceil(rows as usize));
    match axes {
        Axes::Equal => (x.max(y), x.max(y)),
        Axes::Own => (x, y),
    }
}

fn picture(array: &ArrayRef, spec: &Spec) -> Result<Made, NotShown> {
    let pixels = Pixels::of(array)?;
    let (cut, is_cut) = Cut::of(&pixels, spec)?;
    let dtype = array.layout().dtype();
    let is_mean = cut.is_binned() && spec.reduce == Reduce::Mean;
    let (sent, scaled) = match spec.encoding {
        Encoding::U8(..) => (DType::U8, SCALED),
        Encoding::Native if is_mean => (DType::F32, 0),
        Encoding::Native => (dtype, 0),
    };
    let bytes = cut.columns() * cut.rows() * pixels.colours * sent.bytes();
    if bytes > LARGEST {
        let found = format!("{bytes}: choose a region, or a size to fit");
        return Err(Wrong::new(format!("at most {LARGEST} bytes")).found(found).into());
    }
    let payload = with_dtype!(dtype, T => {
        let elements = array.elements::<T>()?;
        payload(elements, pixels, cut, spec, is_mean)
    });
    let header = Header {
        kind: Kind::Picture,
        colours: pixels.colours as u8,
        dtype: sent,
        reduce: if cut.is_binned() { spec.reduce as u8 } else { 0 },
        flags: scaled | if is_cut { CUT } else { 0 },
        width: cut.columns() as u32,
        height: cut.rows() as u32,
        x: cut.x as u32,
        y: cut.y as u32,
        bin: (cut.bin.0 as u16, cut.bin.1 as u16),
        full_width: pixels.width as u32,
        full_height: pixels.height as u32,
        ..Header::default()
    };
    Ok(Made { header, place: Some(Place::of(array.layout())), payload })
}

fn payload<T: Sample>(elements: &[T], pixels: Pixels, cut: Cut, spec: &Spec, is_mean: bool) -> Bytes {
    let count = cut.columns() * cut.rows() * pixels.colours;
    if is_mean {
        let mut means = Vec::with_capacity(count);
        means_of(elements, pixels, cut, &mut means);
        return encoded(means, spec);
    }
    let mut kept = Vec::with_capacity(count);
    match (cut.bin, spec.reduce) {
        // Without bins, every way to reduce gives the pixel itself.
        ((1, 1), _) | (_, Reduce::Pick) => picked(elements, pixels, cut, &mut kept),
        _ => largest(elements, pixels, cut, &mut kept),
    }
    encoded(kept, spec)
}

/// Elements as the bytes that they lie in.
struct Elements<T>(Vec<T>);

impl<T: Sample> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

fn encoded<T: Sample>(values: Vec<T>, spec: &Spec) -> Bytes {
    match spec.encoding {
        Encoding::Native => Bytes::from_owner(Elements(values)),
        Encoding::U8(low, high) => {
            let scale = 255.0 / (high - low);
            // A cast saturates, and makes 0 of NaN.
            values
                .into_iter()
                .map(|value| ((value.number() - low) * scale).round() as u8)
                .collect::<Vec<u8>>()
                .into()
        }
    }
}

/// The first pixel of each bin.
fn picked<T: Sample>(elements: &[T], pixels: Pixels, cut: Cut, to: &mut Vec<T>) {
    // Full rows of a packed array are one piece of memory.
    if !cut.is_binned() && pixels.x_stride == 1 && pixels.colours == 1 && pixels.y_stride == cut.width {
        let start = cut.y * pixels.y_stride + cut.x;
        return to.extend_from_slice(&elements[start..start + cut.width * cut.height]);
    }
    for row in 0..cut.rows() {
        let start = (cut.y + row * cut.bin.1) * pixels.y_stride + cut.x * pixels.x_stride;
        if cut.bin.0 == 1 && pixels.x_stride == 1 && pixels.colours == 1 {
            to.extend_from_slice(&elements[start..start + cut.width]);
            continue;
        }
        for column in 0..cut.columns() {
            let at = start + column * cut.bin.0 * pixels.x_stride;
            to.extend((0..pixels.colours).map(|colour| elements[at + colour * pixels.colour_stride]));
        }
    }
}

/// The largest pixel of each bin.
fn largest<T: Sample>(elements: &[T], pixels: Pixels, cut: Cut, to: &mut Vec<T>) {
    // The rows of a bin are put together first: that loop needs no bounds of bins and runs on vectors.
    let mut row: Vec<T> = Vec::with_capacity(cut.width * pixels.colours);
    for_each_bin_row(cut, |first_y, rows| {
        row.clear();
        for y in first_y..first_y + rows {
            let start = y * pixels.y_stride + cut.x * pixels.x_stride;
            larger_row(&elements[start..], pixels, cut.width, &mut row);
        }
        largest_of_bins(&row, pixels.colours, cut.bin.0, to);
    });
}

/// Puts the pixels of a row into `row`, or where it has some already the larger ones.
fn larger_row<T: Sample>(elements: &[T], pixels: Pixels, width: usize, row: &mut Vec<T>) {
    let Pixels { x_stride, colours, colour_stride, .. } = pixels;
    if colours == 1 && x_stride == 1 {
        return match row.is_empty() {
            true => row.extend_from_slice(&elements[..width]),
            false => row.iter_mut().zip(elements).for_each(|(old, new)| *old = old.larger(*new)),
        };
    }
    let at = |index: usize| elements[index / colours * x_stride + index % colours * colour_stride];
    match row.is_empty() {
        true => row.extend((0..width * colours).map(at)),
        false => row.iter_mut().enumerate().for_each(|(index, old)| *old = old.larger(at(index))),
    }
}

/// Of each `bin` pixels of a row the largest one, of each colour.
fn largest_of_bins<T: Sample>(row: &[T], colours: usize, bin: usize, to: &mut Vec<T>) {
    if colours == 1 && bin == 2 {
        // Most pages show a large picture in bins of two.
        let (pairs, last) = row.as_chunks::<2>();
        to.extend(pairs.iter().map(|[a, b]| a.larger(*b)));
        return to.extend_from_slice(last);
    }
    for bin in row.chunks(bin * colours) {
        let largest = |colour: usize| {
            let first = bin[colour];
            bin[colours..].iter().skip(colour).step_by(colours).copied().fold(first, T::larger)
        };
        to.extend((0..colours).map(largest));
    }
}

/// The mean of each bin.
fn means_of<T: Sample>(elements: &[T], pixels: Pixels, cut: Cut, to: &mut Vec<f32>) {
    // Sums of many pixels need more digits than 32 bits have.
    let mut sums = vec![0.0f64; cut.columns() * pixels.colours];
    for_each_bin_row(cut, |first_y, rows| {
        sums.fill(0.0);
        for y in first_y..first_y + rows {
            let start = y * pixels.y_stride + cut.x * pixels.x_stride;
            for x in 0..cut.width {
                for colour in 0..pixels.colours {
                    let value = elements[start + x * pixels.x_stride + colour * pixels.colour_stride];
                    sums[x / cut.bin.0 * pixels.colours + colour] += value.number();
                }
            }
        }
        to.extend(sums.iter().enumerate().map(|(index, sum)| {
            // The last bin may have fewer columns.
            let columns = cut.bin.0.min(cut.width - index / pixels.colours * cut.bin.0);
            (sum / (columns * rows) as f64) as f32
        }));
    });
}

/// Calls `each` with the first row of each row of bins, and how many rows it has.
fn for_each_bin_row(cut: Cut, mut each: impl FnMut(usize, usize)) {
    for row in 0..cut.rows() {
        let from = row * cut.bin.1;
        each(cut.y + from, cut.bin.1.min(cut.height - from));
    }
}

/// The exact value of a pixel of a frame; of a coloured one all three.
///
/// # Errors
/// When there is no such pixel.
pub(crate) fn value_at(frame: &Frame, x: usize, y: usize) -> Result<serde_json::Value, NotShown> {
    let array = frame.array()?;
    let pixels = Pixels::of(&array)?;
    if x >= pixels.width || y >= pixels.height {
        let wanted = Wrong::new(format!("a pixel of {} x {}", pixels.width, pixels.height));
        return Err(wanted.found(format_args!("{x}, {y}")).into());
    }
    let start = y * pixels.y_stride + x * pixels.x_stride;
    with_dtype!(array.layout().dtype(), T => {
        let elements = array.elements::<T>()?;
        let value = |colour: usize| serde_json::json!(elements[start + colour * pixels.colour_stride]);
        Ok(match pixels.colours {
            1 => value(0),
            colours => (0..colours).map(value).collect(),
        })
    })
}

// ---- Tables ----

fn table(table: &TableRef, spec: &Spec) -> Result<Made, NotShown> {
    let layout = table.layout();
    let columns = layout.schema().columns();
    let rows = layout.rows().min(spec.fit.map_or(ROWS, |[_, rows]| rows as usize));
    // The length of a name has one byte.
    let name = |column: &Column| column.name.as_bytes()[..column.name.len().min(255)].to_vec();
    let mut offset = 2 + columns.iter().map(|column| 1 + name(column).len() + 1 + 4).sum::<usize>();
    let mut payload = Vec::from((columns.len() as u16).to_le_bytes());
    let mut offsets = Vec::new();
    for column in columns {
        // A typed array of JavaScript begins at a multiple of the size of its elements.
        offset = offset.next_multiple_of(8);
        offsets.push(offset);
        let name = name(column);
        payload.push(name.len() as u8);
        payload.extend_from_slice(&name);
        payload.push(column.dtype as u8);
        payload.extend_from_slice(&(offset as u32).to_le_bytes());
        offset += rows * column.dtype.bytes();
    }
    if offset > LARGEST {
        let found = format!("{offset}: ask for fewer rows");
        return Err(Wrong::new(format!("at most {LARGEST} bytes")).found(found).into());
    }
    for ((index, column), offset) in columns.iter().enumerate().zip(offsets) {
        payload.resize(offset, 0);
        with_dtype!(column.dtype, T => {
            let values = table.column::<T>(index)?;
            payload.extend_from_slice(bytemuck::cast_slice(&values[..rows]));
        });
    }
    let header = Header {
        kind: Kind::Table,
        flags: if rows < layout.rows() { CUT } else { 0 },
        width: columns.len() as u32,
        height: rows as u32,
        full_width: columns.len() as u32,
        full_height: u32::try_from(layout.rows()).unwrap_or(u32::MAX),
        ..Header::default()
    };
    Ok(Made { header, place: None, payload: payload.into() })
}
