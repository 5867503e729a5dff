//! From a frame to an NTNDArray.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use livetime_engine::NodeError;
use livetime_frame::{
    ArrayRef, AttributeValue, Attributes, Codec, ColorMode, DType, Dim, Frame, Header, Layout,
};
use livetime_pva::data::{Array, Chosen, Dynamic, Field, ScalarType, Type, Value};
use livetime_pva::nt;

use crate::packed::gather;

/// `sourceType` of an attribute that the detector gave.
const BY_DRIVER: i32 = 0;

/// Writes frames into one NTNDArray, one after the other.
///
/// The pixels of a packed array stay where they are: the image holds a reference to the frame. A region, whose rows
/// lie apart, is copied.
///
/// ```
/// use livetime_frame::{ColorMode, DType, FramePool, Layout};
/// use livetime_nodes::ntndarray::ImageWriter;
///
/// let layout = Layout::packed(DType::U8, ColorMode::Mono, &[2, 3])?;
/// let mut frame = FramePool::new(1 << 20).allocator().array(layout)?;
/// frame.elements_mut::<u8>()?.copy_from_slice(&[1, 2, 3, 4, 5, 6]);
/// let frame = frame.freeze();
///
/// let mut writer = ImageWriter::new()?;
/// let image = writer.write(&frame)?;
/// assert_eq!(image.array("value").map(|a| a.data().as_ptr()), Some(frame.bytes().as_ptr()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ImageWriter {
    image: Value,
    bits: Bits,
    /// The layout and attributes in the image; `None` before the first frame.
    said: Option<(Layout, Attributes)>,
    loans: Loans,
}

/// Numbers of the fields.
struct Bits {
    value: usize,
    codec: usize,
    parameters: usize,
    compressed: usize,
    uncompressed: usize,
    dimension: usize,
    unique_id: usize,
    data_time: usize,
    attribute: usize,
    time: usize,
}

impl Bits {
    fn of(image: &Value) -> Option<Bits> {
        Some(Bits {
            value: image.bit("value")?,
            codec: image.bit("codec.name")?,
            parameters: image.bit("codec.parameters")?,
            compressed: image.bit("compressedSize")?,
            uncompressed: image.bit("uncompressedSize")?,
            dimension: image.bit("dimension")?,
            unique_id: image.bit("uniqueId")?,
            data_time: image.bit("dataTimeStamp")?,
            attribute: image.bit("attribute")?,
            time: image.bit("timeStamp")?,
        })
    }
}

impl ImageWriter {
    /// An image without pixels.
    ///
    /// # Errors
    /// [`NodeError`] when the type of images lacks a field, which no version does.
    pub fn new() -> Result<ImageWriter, NodeError> {
        // One value is filled again for every frame, so that unchanged fields cost no memory and are not
        // sent.
        let image = Value::new(&nt::ndarray());
        let missing = || NodeError::new("wanted the fields of an NTNDArray, found fewer");
        let bits = Bits::of(&image).ok_or_else(missing)?;
        Ok(ImageWriter { image, bits, said: None, loans: Loans::default() })
    }

    /// Counts the memory that the images keep.
    pub fn loans(&self) -> &Loans {
        &self.loans
    }

    /// The frame as an image. [`Value::changed`] names the fields that differ from the previous one.
    ///
    /// # Errors
    /// [`NodeError`] when the frame is no array.
    pub fn write(&mut self, frame: &Frame) -> Result<&Value, NodeError> {
        let array = frame.array()?;
        let (header, layout) = (frame.header(), array.layout());
        self.image.clear_changed();
        // Layout and attributes seldom change, and their lists are the costly part of an image.
        if !self.said.as_ref().is_some_and(|(said, _)| said == layout) {
            self.describe(layout).map_err(NodeError::new)?;
        }
        let is_said =
            // The colour mode is one of the attributes, so a new one writes them again.
            |said: &(Layout, Attributes)| said.0.color() == layout.color() && said.1 == header.attributes;
        if !self.said.as_ref().is_some_and(is_said) {
            let attributes = attributes(layout.color(), &header.attributes).map_err(NodeError::new)?;
            self.image.set_bit(self.bits.attribute, attributes).map_err(NodeError::new)?;
        }
        self.said = Some((*layout, header.attributes.clone()));
        self.fill(frame, array).map_err(NodeError::new)?;
        Ok(&self.image)
    }

    /// Releases the last frame.
    pub fn release(&mut self) {
        // A failure is impossible for an empty union, and the caller frees memory only.
        let _ = self.image.set_bit(self.bits.value, Field::Union(None));
    }

    fn describe(&mut self, layout: &Layout) -> livetime_pva::Result<()> {
        let dimensions = dimensions(&self.image, layout)?;
        self.image.set_bit(self.bits.dimension, dimensions)?;
        self.image.set_str(self.bits.codec, layout.codec().map_or("", |Codec(name)| name))?;
        // The parameters name the type of the elements, because a compressed array arrives as bytes.
        let number = ScalarType::ALL.iter().position(|k| *k == kind_of(layout.dtype())).unwrap_or(0) as i32;
        self.image.set_bit(self.bits.parameters, Dynamic::new(Type::Scalar(ScalarType::I32), number)?)?;
        let bytes = layout.len() * layout.dtype().bytes();
        self.image.set_bit(self.bits.uncompressed, bytes as i64)
    }

    fn fill(&mut self, frame: &Frame, array: ArrayRef<'_>) -> livetime_pva::Result<()> {
        let pixels = pixels(frame, array, &self.loans)?;
        self.image.set_bit(self.bits.compressed, pixels.data().len() as i64)?;
        let selector = nt::ndarray().nodes()[self.bits.value].ty.clone();
        let Type::Union(union) = selector else { return Ok(()) };
        let selector = union.selector_of(&Type::array(pixels.kind())).unwrap_or(0);
        let chosen = Chosen { selector, field: Field::Array(pixels) };
        self.image.set_bit(self.bits.value, Field::Union(Some(Box::new(chosen))))?;
        let header = frame.header();
        // areaDetector's field has 32 bits, so a larger number wraps.
        self.image.set_bit(self.bits.unique_id, number_of(header) as i32)?;
        for bit in [self.bits.data_time, self.bits.time] {
            // The fields of a time follow its bit: seconds, then nanoseconds.
            self.image.set_bit(bit + 1, header.event_time_ns.div_euclid(1_000_000_000))?;
            // Euclid's division keeps the nanoseconds positive for times before 1970.
            self.image.set_bit(bit + 2, header.event_time_ns.rem_euclid(1_000_000_000) as i32)?;
        }
        Ok(())
    }
}

/// Attribute of a frame that has another number in the run than its detector gave it.
pub const UNIQUE_ID: &str = "UniqueId";

/// The number that the detector gave the frame: its number in the run unless an attribute says otherwise.
pub(crate) fn number_of(header: &Header) -> i64 {
    match header.attributes.get(UNIQUE_ID) {
        Some(AttributeValue::Int(number)) => *number,
        _ => header.sequence as i64,
    }
}

/// The element type in pvAccess.
pub fn kind_of(dtype: DType) -> ScalarType {
    match dtype {
        DType::I8 => ScalarType::I8,
        DType::U8 => ScalarType::U8,
        DType::I16 => ScalarType::I16,
        DType::U16 => ScalarType::U16,
        DType::I32 => ScalarType::I32,
        DType::U32 => ScalarType::U32,
        DType::I64 => ScalarType::I64,
        DType::U64 => ScalarType::U64,
        DType::F32 => ScalarType::F32,
        DType::F64 => ScalarType::F64,
    }
}

/// Counts the memory that images hold: frames whose pixels are on their way to clients, and copies. Clones
/// share one count.
///
/// ```
/// use livetime_frame::{ColorMode, DType, FramePool, Layout};
/// use livetime_nodes::ntndarray::{Loans, pixels};
///
/// let layout = Layout::packed(DType::U8, ColorMode::Mono, &[2, 3])?;
/// let frame = FramePool::new(1 << 20).allocator().array(layout)?.freeze();
/// let loans = Loans::default();
/// let on_its_way = pixels(&frame, frame.array()?, &loans)?;
/// assert_eq!((loans.images(), loans.bytes()), (1, 6));
/// drop(on_its_way);
/// assert_eq!((loans.images(), loans.bytes()), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Loans(Arc<[AtomicUsize; 2]>);

impl Loans {
    /// The number of images that are still held.
    pub fn images(&self) -> usize {
        // Acquire: with the count, the reader also sees that the pixels were released.
        self.0[0].load(Ordering::Acquire)
    }

    /// Bytes of their pixels.
    pub fn bytes(&self) -> usize {
        self.0[1].load(Ordering::Acquire)
    }

    /// `pixels` as shared memory that is counted here until its last holder releases it.
    fn lend<T: AsRef<[u8]> + Send + 'static>(&self, pixels: T) -> Bytes {
        let bytes = pixels.as_ref().len();
        // Counted before the memory is handed out, so that the bound on loans is never exceeded unseen.
        self.0[0].fetch_add(1, Ordering::AcqRel);
        self.0[1].fetch_add(bytes, Ordering::AcqRel);
        Bytes::from_owner(Lent { pixels, _counted: Counted { bytes, loans: self.clone() } })
    }
}

/// Keeps pixels while they are on their way.
struct Lent<T> {
    pixels: T,
    // Dropped after the pixels: memory that is counted as free is free.
    _counted: Counted,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Lent<T> {
    fn as_ref(&self) -> &[u8] {
        self.pixels.as_ref()
    }
}

/// An image in the count.
struct Counted {
    bytes: usize,
    loans: Loans,
}

impl Drop for Counted {
    fn drop(&mut self) {
        // AcqRel: a thread that reads the lower count sees the release of the pixels before it.
        self.loans.0[0].fetch_sub(1, Ordering::AcqRel);
        self.loans.0[1].fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// A frame as the owner of its bytes.
struct Held(Frame);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// The elements of an array in order, without a copy where they lie so.
///
/// While they are held they are counted in `loans`.
///
/// # Errors
/// An error when the bytes are no whole number of elements, which an array's are.
pub fn pixels(frame: &Frame, array: ArrayRef<'_>, loans: &Loans) -> livetime_pva::Result<Array> {
    let layout = array.layout();
    match layout.codec() {
        // Compressed pixels are bytes, whatever the elements are.
        Some(_) => Array::new(ScalarType::U8, loans.lend(Held(frame.clone()))),
        None if layout.is_packed() => Array::new(kind_of(layout.dtype()), loans.lend(Held(frame.clone()))),
        // Elements with gaps are copied, because an image has no strides.
        None => Array::new(kind_of(layout.dtype()), loans.lend(gathered(array))),
    }
}

fn gathered(array: ArrayRef<'_>) -> Vec<u8> {
    let layout = array.layout();
    let mut bytes = Vec::with_capacity(layout.len() * layout.dtype().bytes());
    gather(&array, &mut bytes);
    bytes
}

/// The dimensions, fastest first.
fn dimensions(image: &Value, layout: &Layout) -> livetime_pva::Result<Field> {
    let bit = image.bit("dimension").unwrap_or(0);
    let Type::StructureArray(structure) = &image.structure().nodes()[bit].ty else {
        return Err(livetime_pva::Error::new("a structure array", "something else"));
    };
    let dimension = |dim: &Dim| {
        let mut value = Value::new(structure);
        value.set("size", dim.size as i32)?;
        value.set("offset", dim.offset as i32)?;
        // areaDetector's fullSize is the detector's, which a frame does not know; the frame's own size is the nearest.
        value.set("fullSize", dim.size as i32)?;
        value.set("binning", dim.binning as i32)?;
        value.set("reverse", dim.reverse)?;
        Ok(Some(value))
    };
    let all: livetime_pva::Result<Vec<Option<Value>>> = layout.dims().iter().rev().map(dimension).collect();
    Ok(Field::StructArray(all?))
}

fn attributes(color: ColorMode, attributes: &Attributes) -> livetime_pva::Result<Field> {
    // The colour mode comes first and once, so an attribute of this name is left out.
    let index = ColorMode::ALL.iter().position(|c| *c == color).unwrap_or(0) as i32;
    let mut all = vec![Some(attribute(nt::COLOR_MODE, Field::I32(index))?)];
    for a in attributes.iter().filter(|a| &*a.name != nt::COLOR_MODE) {
        let value = match &a.value {
            AttributeValue::Int(v) => Field::I64(*v),
            AttributeValue::Uint(v) => Field::U64(*v),
            AttributeValue::Float(v) => Field::F64(*v),
            AttributeValue::Text(v) => Field::Str(v.as_ref().into()),
        };
        all.push(Some(attribute(&a.name, value)?));
    }
    Ok(Field::StructArray(all))
}

fn attribute(name: &str, field: Field) -> livetime_pva::Result<Value> {
    let kind = match &field {
        Field::I32(_) => ScalarType::I32,
        Field::I64(_) => ScalarType::I64,
        Field::U64(_) => ScalarType::U64,
        Field::F64(_) => ScalarType::F64,
        _ => ScalarType::Str,
    };
    let mut value = Value::new(&nt::attribute());
    value.set("name", name)?;
    value.set("value", Dynamic::new(Type::Scalar(kind), field)?)?;
    value.set("sourceType", BY_DRIVER)?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use livetime_frame::FramePool;

    use super::*;

    #[test]
    fn a_packed_array_is_shared_and_described() {
        let layout = Layout::packed(DType::U16, ColorMode::Rgb1, &[2, 4, 3]).unwrap();
        let layout = layout.with_origin([(10, 2, false), (20, 1, true), (0, 1, false)]);
        let mut frame = FramePool::new(1 << 20).allocator().array(layout).unwrap();
        frame.elements_mut::<u16>().unwrap().iter_mut().zip(0..).for_each(|(p, i)| *p = i);
        frame.header_mut().sequence = 7;
        frame.header_mut().event_time_ns = 1_500_000_000;
        frame.header_mut().attributes.set(&"Gain".into(), AttributeValue::Float(2.5));
        let frame = frame.freeze();
        let mut writer = ImageWriter::new().unwrap();
        let image = writer.write(&frame).unwrap();
        assert_eq!(image.array("value").unwrap().as_slice::<u16>().unwrap()[..3], [0, 1, 2]);
        assert_eq!(image.array("value").unwrap().data().as_ptr(), frame.bytes().as_ptr());
        let dims = image.get("dimension").unwrap().as_values().unwrap();
        let of = |n: usize, name: &str| dims[n].as_ref().unwrap().i64(name).unwrap();
        assert_eq!((of(0, "size"), of(1, "size"), of(2, "size")), (3, 4, 2));
        assert_eq!((of(1, "offset"), of(1, "reverse"), of(2, "binning")), (20, 1, 2));
        assert_eq!((image.i64("uniqueId"), image.i64("uncompressedSize")), (Some(7), Some(48)));
        assert_eq!(image.i64("dataTimeStamp.nanoseconds"), Some(500_000_000));
        let attributes = image.get("attribute").unwrap().as_values().unwrap();
        assert_eq!(attributes[0].as_ref().unwrap().str("name"), Some("ColorMode"));
        assert_eq!(attributes[1].as_ref().unwrap().str("name"), Some("Gain"));
        assert_eq!((writer.loans().images(), writer.loans().bytes()), (1, 48));
        // The second image marks only the fields that have changed.
        let bit = writer.bits.dimension;
        assert!(!writer.write(&frame).unwrap().changed().contains(bit));
    }

    #[test]
    fn a_region_is_copied_in_order() {
        let layout = Layout::packed(DType::I32, ColorMode::Mono, &[3, 4]).unwrap();
        let mut allocator = FramePool::new(1 << 20).allocator();
        let mut whole = allocator.array(layout).unwrap();
        whole.elements_mut::<i32>().unwrap().iter_mut().zip(0..).for_each(|(p, i)| *p = i);
        let whole = whole.freeze();
        let (rows, first) = layout.crop(0, 1, 2).unwrap();
        let (part, second) = rows.crop(1, 1, 2).unwrap();
        let part = allocator.view(&whole, part, first + second).unwrap().freeze();
        let mut writer = ImageWriter::new().unwrap();
        let image = writer.write(&part).unwrap();
        assert_eq!(image.array("value").unwrap().to_vec::<i32>(), Some(vec![5, 6, 9, 10]));
        let column = layout.crop(1, 2, 1).unwrap();
        let column = allocator.view(&whole, column.0.collapsed(), column.1).unwrap().freeze();
        let image = writer.write(&column).unwrap();
        assert_eq!(image.array("value").unwrap().to_vec::<i32>(), Some(vec![2, 6, 10]));
    }
}
