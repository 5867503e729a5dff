//! One array as a TIFF.

use std::borrow::Cow;
use std::io::{Seek, Write};

use livetime_frame::{ArrayRef, Attributes, ColorMode, DType, Header, Layout};
use tiff::TiffResult;
use tiff::encoder::{DirectoryEncoder, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard, TiffValue};
use tiff::tags::{Tag, Type};

use crate::error::Mismatch;
use crate::sinks::event_time::EventTime;

/// Seconds from 1970 to 1990, where EPICS starts to count.
const EPICS_EPOCH_S: i64 = 631_152_000;

/// Offsets in a file have 32 bits; beyond this, less some room for the tags, it becomes a BigTIFF.
const LARGEST_CLASSIC: usize = (1 << 32) - (1 << 24);

/// How the bytes of an array become the strips of a TIFF.
pub(super) struct Strips {
    width: u32,
    height: u32,
    /// Samples per pixel.
    samples: u16,
    /// Colours in planes, one strip each, instead of side by side.
    planar: bool,
    bytes_per_plane: usize,
    dtype: DType,
    /// Size and stride in bytes of the dimensions around a run of neighbouring bytes, slowest first.
    outer: [(usize, usize); 3],
    run: usize,
}

impl Strips {
    /// # Errors
    /// For arrays that are no picture.
    pub(super) fn of(layout: &Layout) -> Result<Strips, Mismatch> {
        let wanted = "an uncompressed picture, mono or RGB, with pixels";
        let refuse = || Err(Mismatch::new(wanted, layout.to_string()));
        // Axes of one element are left out, so that a single row of a stack is a picture too.
        let layout = if layout.color().is_rgb() { *layout } else { layout.collapsed() };
        let rgb = layout.color().is_rgb();
        let plain = matches!(layout.color(), ColorMode::Mono | ColorMode::Bayer) && layout.dims().len() <= 2;
        if layout.codec().is_some() || layout.is_empty() || !(rgb || plain) {
            return refuse();
        }
        let (Ok(width), Ok(height)) = (layout.width().try_into(), layout.height().try_into()) else {
            return refuse();
        };
        let dim =
            |axis: Option<usize>| axis.map_or((1, 0), |a| (layout.dims()[a].size, layout.dims()[a].stride));
        let axes = layout.axes();
        let (x, y, sample) = (dim(axes.x), dim(axes.y), layout.dtype().bytes());
        let planar = rgb && layout.color() != ColorMode::Rgb1;
        let (outer, run) = match layout.color() {
            // Pixels without gaps let a whole row be one run.
            ColorMode::Rgb1 if x.1 == 3 * sample => ([(1, 0), (1, 0), y], 3 * x.0 * sample),
            ColorMode::Rgb1 => ([(1, 0), y, x], 3 * sample),
            ColorMode::Rgb2 | ColorMode::Rgb3 => ([(1, 0), dim(axes.color), y], x.0 * sample),
            _ => ([(1, 0), (1, 0), y], x.0 * sample),
        };
        let bytes_per_plane = layout.len() * sample / if planar { 3 } else { 1 };
        let samples = if rgb { 3 } else { 1 };
        Ok(Strips { width, height, samples, planar, bytes_per_plane, dtype: layout.dtype(), outer, run })
    }

    /// The runs of neighbouring bytes, in the order of the file. Rows that follow each other are one run.
    fn write(&self, bytes: &[u8], mut write: impl FnMut(&[u8]) -> TiffResult<()>) -> TiffResult<()> {
        let [a, b, c] = self.outer;
        // Rows without gaps become one run, which saves a call for each row.
        let (c, run) = if c.1 == self.run { ((1, 0), c.0 * self.run) } else { (c, self.run) };
        for start in (0..a.0).flat_map(|i| (0..b.0).map(move |j| i * a.1 + j * b.1)) {
            for row in 0..c.0 {
                // The ranges are inside the array by its layout; an empty run in place of a panic gives a
                // short strip.
                write(bytes.get(start + row * c.1..).and_then(|rest| rest.get(..run)).unwrap_or_default())?;
            }
        }
        Ok(())
    }
}

/// Writes the picture with all tags.
pub(super) fn encode(
    out: impl Write + Seek,
    strips: &Strips,
    array: &ArrayRef,
    header: &Header,
    time: EventTime,
) -> TiffResult<()> {
    if array.bytes().len().max(strips.bytes_per_plane * usize::from(strips.samples)) < LARGEST_CLASSIC {
        let mut encoder = TiffEncoder::<_, TiffKindStandard>::new_generic(out)?;
        directory(encoder.image_directory()?, strips, array, header, time)
    } else {
        let mut encoder = TiffEncoder::<_, TiffKindBig>::new_generic(out)?;
        directory(encoder.image_directory()?, strips, array, header, time)
    }
}

fn directory<W: Write + Seek, K: TiffKind>(
    mut to: DirectoryEncoder<'_, W, K>,
    strips: &Strips,
    array: &ArrayRef,
    header: &Header,
    time: EventTime,
) -> TiffResult<()> {
    // Writing no bytes tells the place at which the pixels begin.
    let start = to.write_data::<&[u8]>(&[])?;
    strips.write(array.bytes(), |run| to.write_data(run).map(drop))?;
    // Planes lie one after another, and each is one strip.
    let count = if strips.planar { 3 } else { 1 };
    let size = strips.bytes_per_plane as u64;
    let offsets: Vec<K::OffsetType> =
        (0..count).map(|i| K::convert_offset(start + i * size)).collect::<TiffResult<_>>()?;
    let sizes: Vec<K::OffsetType> = (0..count).map(|_| K::convert_offset(size)).collect::<TiffResult<_>>()?;
    to.write_tag(Tag::StripOffsets, K::convert_slice(&offsets))?;
    to.write_tag(Tag::StripByteCounts, K::convert_slice(&sizes))?;
    describe(&mut to, strips)?;
    identify(&mut to, header, time)?;
    annotate(&mut to, &header.attributes, time)?;
    to.finish()
}

fn describe<W: Write + Seek, K: TiffKind>(
    to: &mut DirectoryEncoder<'_, W, K>,
    strips: &Strips,
) -> TiffResult<()> {
    let samples = usize::from(strips.samples);
    let format: u16 = match strips.dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 1,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 2,
        DType::F32 | DType::F64 => 3,
    };
    let bits = 8 * strips.dtype.bytes() as u16;
    to.write_tag(Tag::ImageWidth, strips.width)?;
    to.write_tag(Tag::ImageLength, strips.height)?;
    to.write_tag(Tag::BitsPerSample, &[bits; 3][..samples])?;
    to.write_tag(Tag::Compression, 1u16)?;
    // 2 is RGB, 1 is gray with black as 0: TIFF 6.0.
    to.write_tag(Tag::PhotometricInterpretation, if strips.samples == 3 { 2u16 } else { 1 })?;
    to.write_tag(Tag::SamplesPerPixel, strips.samples)?;
    to.write_tag(Tag::RowsPerStrip, strips.height)?;
    // 2 means planes of their own, 1 means samples side by side.
    to.write_tag(Tag::PlanarConfiguration, if strips.planar { 2u16 } else { 1 })?;
    to.write_tag(Tag::SampleFormat, &[format; 3][..samples])
}

/// Writes the tags in which areaDetector keeps number and time.
fn identify<W: Write + Seek, K: TiffKind>(
    to: &mut DirectoryEncoder<'_, W, K>,
    header: &Header,
    time: EventTime,
) -> TiffResult<()> {
    let since_1990_ns = time.ns.saturating_sub(EPICS_EPOCH_S * 1_000_000_000);
    // Euclid's division keeps the nanoseconds positive for times before 1990.
    let (seconds, ns) = (since_1990_ns.div_euclid(1_000_000_000), since_1990_ns.rem_euclid(1_000_000_000));
    to.write_tag(Tag::Unknown(65000), since_1990_ns as f64 / 1e9)?;
    // The tag has 32 bits in areaDetector, so the number wraps as there.
    to.write_tag(Tag::Unknown(65001), header.sequence as u32)?;
    // Seconds before 1990 and beyond 32 bits have no form in this tag.
    to.write_tag(Tag::Unknown(65002), u32::try_from(seconds).unwrap_or(0))?;
    to.write_tag(Tag::Unknown(65003), ns as u32)
}

/// Attributes as texts `name:value` from tag 65010 on, as many as there are tags; some have a tag of their own.
fn annotate<W: Write + Seek, K: TiffKind>(
    to: &mut DirectoryEncoder<'_, W, K>,
    attributes: &Attributes,
    time: EventTime,
) -> TiffResult<()> {
    // areaDetector's readers look for these tags, so their attributes are also found there.
    to.write_tag(Tag::Software, Text("Livetime".into()))?;
    for (tag, name) in
        [(Tag::Make, "Manufacturer"), (Tag::Model, "Model"), (Tag::ImageDescription, "TIFFImageDescription")]
    {
        if let Some(value) = attributes.get(name) {
            to.write_tag(tag, Text(value.to_string()))?;
        }
    }
    let attributes = attributes.iter().map(|attribute| format!("{}:{}", attribute.name, attribute.value));
    let arrival = time.is_arrival.then(|| "TimeStampSource:arrival".to_owned());
    // The range of tags bounds the number of attributes; the format has no more.
    for (tag, text) in (65010..=u16::MAX).zip(attributes.chain(arrival)) {
        to.write_tag(Tag::Unknown(tag), Text(text))?;
    }
    Ok(())
}

/// A text tag in UTF-8: names and values need not be ASCII, and readers take the bytes as they are.
struct Text(String);

impl TiffValue for Text {
    const BYTE_LEN: u8 = 1;
    const FIELD_TYPE: Type = Type::ASCII;

    fn count(&self) -> usize {
        self.0.len() + 1
    }

    fn data(&self) -> Cow<'_, [u8]> {
        // 0 ends the text, so there is none inside.
        self.0.bytes().map(|b| if b == 0 { b' ' } else { b }).chain([0]).collect::<Vec<u8>>().into()
    }
}
