//! From an NTNDArray to a frame.

use std::sync::Arc;

use livetime_engine::{Context, NodeError};
use livetime_frame::{AttributeValue, Bytes, Codec, ColorMode, DType, FrameMut, Header, Layout};
use livetime_pva::data::{Array, Field, ScalarType, Value};
use livetime_pva::nt;

use crate::codec::Compressor;

/// How the pixels of an image lie, slowest dimension first.
///
/// ```
/// use livetime_nodes::ntndarray::layout_of;
/// use livetime_pva::{data::Value, nt};
///
/// let mut image = Value::new(&nt::ndarray());
/// image.set("value", vec![1u16, 2, 3])?;
/// assert_eq!(layout_of(&image).unwrap().to_string(), "3 u16 mono");
/// # Ok::<(), livetime_pva::Error>(())
/// ```
///
/// # Errors
/// [`NodeError`] when the image has no pixels, is compressed with an unknown codec, or contradicts itself.
pub fn layout_of(image: &Value) -> Result<Layout, NodeError> {
    let pixels = pixels_of(image)?;
    let sizes = sizes(image, pixels.len())?;
    let codec = codec_of(image)?;
    // Compressed pixels are bytes, so their type says nothing about the elements.
    let kind = if codec.is_some() { said_kind(image)? } else { pixels.kind() };
    let dtype = dtype_of(kind).ok_or_else(|| NodeError::new("wanted numbers, found texts"))?;
    let layout = Layout::packed(dtype, color_of(image, &sizes), &sizes)?;
    if let Some(codec) = codec {
        // The length of compressed pixels depends on the content; the codec checks it when it unpacks them.
        return Ok(layout.with_origin(origins(image)).compressed(codec));
    }
    if layout.len() != pixels.len() {
        let found = pixels.len();
        return Err(NodeError::new(format_args!(
            "wanted the {} pixels of {layout}, found {found}",
            layout.len()
        )));
    }
    Ok(layout.with_origin(origins(image)))
}

/// The pixels of an image where they are.
///
/// # Errors
/// [`NodeError`] when there are none.
pub fn pixels_of(image: &Value) -> Result<&Array, NodeError> {
    image.array("value").ok_or_else(|| NodeError::new("wanted an image with pixels, found none"))
}

/// The pixels where they lie, if they may lie there; else a copy.
pub(crate) fn frame_of(layout: Layout, pixels: &Bytes, ctx: &mut Context) -> Result<FrameMut, NodeError> {
    // Compressed bytes are never read as elements, so any address will do.
    if layout.codec().is_some() || pixels.as_ptr().addr().is_multiple_of(layout.dtype().bytes()) {
        return ctx.adopt(layout, pixels.clone());
    }
    // The first image of a connection: where its pixels begin was not known when it was received.
    let mut frame = ctx.array(layout)?;
    frame.bytes_mut().copy_from_slice(pixels);
    Ok(frame)
}

/// How the pixels are compressed, if they are.
fn codec_of(image: &Value) -> Result<Option<Codec>, NodeError> {
    let name = image.str("codec.name").unwrap_or_default();
    // areaDetector writes an empty name for pixels that are not compressed.
    if name.is_empty() {
        return Ok(None);
    }
    let known = Compressor::named(name).map(|c| Some(c.codec()));
    known.ok_or_else(|| NodeError::new(format_args!("wanted a codec that is known here, found `{name}`")))
}

/// The type of the pixels before they were compressed.
fn said_kind(image: &Value) -> Result<ScalarType, NodeError> {
    let number = match image.get("codec.parameters") {
        Some(Field::Any(Some(any))) => any.field().as_i64(),
        _ => None,
    };
    let kind = number.and_then(|n| usize::try_from(n).ok()).and_then(|n| ScalarType::ALL.get(n).copied());
    kind.ok_or_else(|| NodeError::new("wanted the type of the pixels in `codec.parameters`, found none"))
}

fn dtype_of(kind: ScalarType) -> Option<DType> {
    DType::ALL.into_iter().find(|dtype| super::kind_of(*dtype) == kind).or(match kind {
        // DType has no truth value; a Bool of pvAccess is one byte, so it becomes U8.
        ScalarType::Bool => Some(DType::U8),
        _ => None,
    })
}

fn dimensions(image: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    image.get("dimension").and_then(Field::as_values).unwrap_or_default().iter().flatten()
}

/// Sizes, slowest first; an image without sizes is one row.
fn sizes(image: &Value, pixels: usize) -> Result<Vec<usize>, NodeError> {
    let sizes: Option<Vec<usize>> =
        // areaDetector lists the fastest axis first, a layout the slowest.
        dimensions(image).rev().map(|d| usize::try_from(d.i64("size")?).ok()).collect();
    let sizes = sizes.ok_or_else(|| NodeError::new("wanted sizes of at least 0, found less"))?;
    Ok(if sizes.is_empty() { vec![pixels] } else { sizes })
}

/// Offset, binning and reversal, slowest first.
fn origins(image: &Value) -> impl Iterator<Item = (usize, usize, bool)> {
    let number = |d: &Value, name: &str| d.i64(name).and_then(|v| usize::try_from(v).ok());
    let origin = move |d: &Value| {
        let is_reverse = d.get("reverse").and_then(Field::as_bool).unwrap_or(false);
        // A binning of 0 would divide by zero, and a missing one means that no pixels were put together.
        (number(d, "offset").unwrap_or(0), number(d, "binning").unwrap_or(1).max(1), is_reverse)
    };
    dimensions(image).rev().map(origin)
}

/// The colour mode of the attribute, if the sizes agree with it.
fn color_of(image: &Value, sizes: &[usize]) -> ColorMode {
    let said = attributes(image).find(|(name, _)| *name == nt::COLOR_MODE);
    let index = said.and_then(|(_, value)| value.as_i64()).and_then(|index| usize::try_from(index).ok());
    let color = index.and_then(|index| ColorMode::ALL.get(index).copied()).unwrap_or_default();
    let colors = color.axes(sizes.len()).color.and_then(|axis| sizes.get(axis));
    // An attribute that disagrees with the sizes must not make the image unreadable.
    if color.is_rgb() && (sizes.len() != 3 || colors != Some(&3)) { ColorMode::Mono } else { color }
}

/// Names and values of scalar attributes.
fn attributes(image: &Value) -> impl Iterator<Item = (&str, &Field)> {
    let all = image.get("attribute").and_then(Field::as_values).unwrap_or_default();
    all.iter().flatten().filter_map(|a| match a.get("value")? {
        Field::Any(Some(any)) => Some((a.str("name")?, any.field())),
        _ => None,
    })
}

/// Names that come repeatedly, shared.
#[derive(Default)]
pub struct Names(Vec<Arc<str>>);

/// Names that are kept for reuse. A server with more, or changing, names must not fill the memory.
const MOST_NAMES: usize = 256;

impl Names {
    pub(crate) fn of(&mut self, name: &str) -> Arc<str> {
        match self.0.iter().find(|known| &***known == name) {
            Some(known) => known.clone(),
            None => {
                let new: Arc<str> = name.into();
                if self.0.len() < MOST_NAMES {
                    self.0.push(new.clone());
                }
                new
            }
        }
    }

    /// Writes time and attributes of an image into a header.
    pub fn describe(&mut self, image: &Value, header: &mut Header) {
        // A driver without its own clock leaves this time at 0; then the time of the record is the better
        // one.
        let time = nt::time_of(image, "dataTimeStamp").filter(|t| t.seconds != 0);
        let time = time.or_else(|| nt::time_of(image, "timeStamp")).unwrap_or_default();
        // The server chooses the seconds, so the product saturates.
        header.event_time_ns =
            time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanoseconds.into());
        // The colour mode is in the layout already; as an attribute it would contradict later nodes that
        // change it.
        for (name, field) in attributes(image).filter(|(name, _)| *name != nt::COLOR_MODE) {
            let value = match field {
                Field::U64(v) => AttributeValue::Uint(*v),
                Field::F32(_) | Field::F64(_) => AttributeValue::Float(field.as_f64().unwrap_or(f64::NAN)),
                Field::Str(text) => AttributeValue::Text(self.of(text)),
                other => match other.as_i64() {
                    Some(v) => AttributeValue::Int(v),
                    // Other types, such as arrays, have no form as an attribute of a frame.
                    None => continue,
                },
            };
            header.attributes.set(&self.of(name), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use livetime_frame::FramePool;
    use livetime_pva::data::{Dynamic, Type};

    use super::*;
    use crate::ntndarray::ImageWriter;

    #[test]
    fn what_a_frame_says_comes_back() {
        let layout = Layout::packed(DType::I16, ColorMode::Rgb2, &[4, 3, 5]).unwrap();
        let layout = layout.with_origin([(7, 2, true), (0, 1, false), (9, 3, false)]);
        let mut frame = FramePool::new(1 << 20).allocator().array(layout).unwrap();
        let mut names = Names::default();
        let header = frame.header_mut();
        header.event_time_ns = 1_234_567_890_123_456_789;
        header.attributes.set(&names.of("Sample"), AttributeValue::Text("silver".into()));
        header.attributes.set(&names.of("Angle"), AttributeValue::Float(1.5));
        let frame = frame.freeze();
        let mut writer = ImageWriter::new().unwrap();
        let image = writer.write(&frame).unwrap();
        assert_eq!(layout_of(image).unwrap(), layout);
        let mut again = Header::default();
        names.describe(image, &mut again);
        assert_eq!(again.event_time_ns, frame.header().event_time_ns);
        assert_eq!(again.attributes, frame.header().attributes);
    }

    #[test]
    fn a_compressed_array_stays_what_it_is() {
        let layout = Layout::packed(DType::I32, ColorMode::Rgb1, &[4, 5, 3]).unwrap();
        let mut frame = FramePool::new(1 << 20).allocator().compressed(layout, Codec("bslz4"), 7).unwrap();
        frame.bytes_mut().copy_from_slice(b"packed!");
        let mut writer = ImageWriter::new().unwrap();
        let image = writer.write(&frame.freeze()).unwrap();
        assert_eq!((image.i64("compressedSize"), image.i64("uncompressedSize")), (Some(7), Some(240)));
        // Clients learn the type of the pixels from here: 3 is pvData's int.
        assert_eq!(said_kind(image).unwrap(), ScalarType::I32);
        assert_eq!(ScalarType::ALL[3], ScalarType::I32);
        assert_eq!(layout_of(image).unwrap(), layout.compressed(Codec("bslz4")));
        assert_eq!(pixels_of(image).unwrap().data()[..], b"packed!"[..]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |image: &Value| layout_of(image).unwrap_err().to_string();
        let mut image = Value::new(&nt::ndarray());
        assert_eq!(refused(&image), "wanted an image with pixels, found none");
        let layout = Layout::packed(DType::U8, ColorMode::Mono, &[2, 3]).unwrap();
        let frame = FramePool::new(1 << 20).allocator().array(layout).unwrap().freeze();
        let mut writer = ImageWriter::new().unwrap();
        image.clone_from(writer.write(&frame).unwrap());
        image.set("value", vec![1u8, 2]).unwrap();
        assert_eq!(refused(&image), "wanted the 6 pixels of 2x3 u8 mono, found 2");
        image.set("codec.name", "zfp").unwrap();
        assert!(refused(&image).contains("found `zfp`"));
        for name in ["zlib", "blosc", "lz4", "lz4hdf5", "bslz4", "jpeg"] {
            image.set("codec.name", name).unwrap();
            assert_eq!(layout_of(&image).unwrap().to_string(), format!("2x3 u8 mono {name}"));
        }
        image.set("codec.parameters", Dynamic::new(Type::Scalar(ScalarType::I32), 99).unwrap()).unwrap();
        assert!(refused(&image).contains("`codec.parameters`"));
    }
}
