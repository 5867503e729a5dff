//! HDF5 in areaDetector's layout.

use std::sync::Arc;

use livetime_codecs::{ALL, Array, Chunk, Codec, CodecType, Settings};
use livetime_formats::file::GrowingFile;
use livetime_formats::hdf5::{Attribute, Element, Filter, Growing, NodeId, StreamId, Tree, Writer};
use livetime_formats::{Error, Result};
use livetime_frame::{AttributeValue, ColorMode, DType, Frame};

use super::sink::{Item, Sink, damage_of, sequence_of};

/// Rows of a chunk of a column, as in `hdf5_files`.
const COLUMN_CHUNK: u64 = 16384;
/// Bytes of a text in a column, as in areaDetector.
const TEXT_BYTES: usize = 256;
/// Seconds from 1970 to 1990, where EPICS starts to count.
const EPICS_EPOCH_S: i64 = 631_152_000;
/// Attributes that have columns of their own.
const OWN: [&str; 2] = ["Damage", "RecordedSequence"];
/// Bytes of rows of columns that are kept in memory before they are written together.
const MOST_PENDING: usize = 16 << 20;

/// How pictures are stored in an HDF5 file: uncompressed, or as streams of a codec at its usual settings, one in each
/// chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Packing(Option<&'static CodecType>);

impl Packing {
    /// As they are.
    pub const NONE: Packing = Packing(None);

    /// All packings with their names: `none`, then HDF5's filters.
    pub fn all() -> impl Iterator<Item = (&'static str, Packing)> {
        let packs = |codec: &'static CodecType| {
            let filter = codec.filter.filter(|filter| filter.head.is_none())?;
            Some((filter.name, Packing(Some(codec))))
        };
        [("none", Packing::NONE)].into_iter().chain(ALL.iter().filter_map(packs))
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Packing> {
        Packing::all().find(|(known, _)| *known == name).map(|(_, packing)| packing)
    }

    fn codec(self) -> Result<Option<Box<dyn Codec>>> {
        let made = self.0.map(|codec| codec.make(&Settings::USUAL));
        made.transpose().map_err(|e| Error::new("memory for a codec", e.to_string()))
    }

    fn filter(self, element: usize, bytes: usize) -> Option<Filter> {
        Filter::of(self.0?, Chunk { element, bytes }, &Settings::USUAL)
    }
}

/// A column of an attribute of the first frame.
struct Column {
    name: Arc<str>,
    stream: StreamId,
    kind: Element,
    left_out: u64,
}

/// A new HDF5 file.
pub(super) struct Hdf5Sink {
    file: Writer,
    pixels: StreamId,
    codec: Option<Box<dyn Codec>>,
    packed: Vec<u8>,
    columns: Vec<Column>,
    /// ColorMode, missing_before, Damage, time stamp, its seconds and nanoseconds, event time, number.
    own: [StreamId; 8],
    finished: NodeId,
    rows: u64,
    /// Values of attributes that the first frame did not have.
    left_out: u64,
}

impl Hdf5Sink {
    pub(super) fn create(
        new: &GrowingFile,
        first: &Frame,
        packing: Packing,
        (files, detector): (&str, &str),
    ) -> Result<Hdf5Sink> {
        let array = first.array().map_err(|e| Error::new("an array", e.to_string()))?;
        let layout = array.layout();
        let mut tree = Tree::default();
        let class = |name: &str| Attribute::text("NX_class", name);
        tree.attribute(Tree::ROOT, class("NXroot"));
        tree.attribute(Tree::ROOT, Attribute::text("default", "entry"));
        let entry =
            tree.group(Tree::ROOT, "entry", vec![class("NXentry"), Attribute::text("default", "data")]);
        let instrument = tree.group(entry, "instrument", vec![class("NXinstrument")]);
        let group = tree.group(instrument, "detector", vec![class("NXdetector")]);
        let row: Vec<u64> = layout.shape().map(|size| size as u64).collect();
        let filter = packing.filter(layout.dtype().bytes(), array.bytes().len());
        let what =
            Growing { element: Element::Number(layout.dtype()), row: &row, chunk: 1, part: &[], filter };
        let (data, pixels) = tree.growing(group, "data", what, vec![Attribute::int("signal", 1)]);
        let about = tree.group(group, "NDAttributes", vec![class("NXcollection")]);
        let color = column(&mut tree, about, "ColorMode", Element::Number(DType::I32));
        let loss = tree.group(instrument, "loss", vec![class("NXcollection")]);
        let missing = column(&mut tree, loss, "missing_before", Element::Number(DType::U32));
        let one = (Element::Number(DType::U64), &[][..]);
        let finished = tree.fixed(loss, "finished", one, vec![0; 8], vec![]);
        let group = tree.group(instrument, "NDAttributes", vec![class("NXcollection")]);
        let columns = columns(&mut tree, group, first);
        let own = [
            ("Damage", DType::U32),
            ("NDArrayTimeStamp", DType::F64),
            ("NDArrayEpicsTSSec", DType::U32),
            ("NDArrayEpicsTSnSec", DType::U32),
            ("NDArrayEventTime", DType::I64),
            ("NDArrayUniqueId", DType::I32),
        ]
        .map(|(name, dtype)| column(&mut tree, group, name, Element::Number(dtype)));
        let [damage, stamp, seconds, nanoseconds, time, number] = own;
        let shown = tree.group(entry, "data", vec![class("NXdata"), Attribute::text("signal", "data")]);
        tree.link(shown, "data", data);
        let group = tree.group(entry, "livetime", vec![class("NXcollection")]);
        tree.text(group, "converted_from", files);
        tree.text(group, "detector", detector);
        Ok(Hdf5Sink {
            file: Writer::begin(new.file()?, new.written_path(), &tree)?,
            pixels,
            codec: packing.codec()?,
            packed: Vec::new(),
            columns,
            own: [color, missing, damage, stamp, seconds, nanoseconds, time, number],
            finished,
            rows: 0,
            left_out: 0,
        })
    }

    fn add_pixels(&mut self, frame: &Frame) -> Result<()> {
        let array = frame.array().map_err(|e| Error::new("an array", e.to_string()))?;
        let Some(codec) = &mut self.codec else { return self.file.write_row(self.pixels, array.bytes()) };
        let refused =
            |e: livetime_codecs::CodecError| Error::new("pixels that the codec takes", e.to_string());
        let dtype = array.layout().dtype();
        let shape = [array.bytes().len() / dtype.bytes()];
        let bound = codec.bound(array.bytes().len());
        if self.packed.len() < bound {
            self.packed.resize(bound, 0);
        }
        let pixels = Array::new(array.bytes(), dtype, &shape).map_err(refused)?;
        let size = codec.encode(pixels, &mut self.packed).map_err(refused)?;
        self.file.write_chunk(self.pixels, self.rows, 1, &[&self.packed[..size]])
    }

    fn add_own(&mut self, &Item { frame, event, time_ns: ns, skipped }: &Item<'_>) {
        let [color, missing, damage, stamp, seconds, nanoseconds, time, number] = self.own;
        let (s, rest) = (ns.div_euclid(1_000_000_000) - EPICS_EPOCH_S, ns.rem_euclid(1_000_000_000));
        let file = &mut self.file;
        let mode = frame.array().map_or(ColorMode::Mono, |array| array.layout().color());
        let mode = ColorMode::ALL.iter().position(|known| *known == mode).unwrap_or(0);
        file.push(color, &(mode as i32).to_le_bytes());
        file.push(missing, &(u32::try_from(skipped).unwrap_or(u32::MAX)).to_le_bytes());
        file.push(damage, &damage_of(frame).to_le_bytes());
        file.push(stamp, &(s as f64 + rest as f64 * 1e-9).to_le_bytes());
        file.push(seconds, &(u32::try_from(s).unwrap_or(0)).to_le_bytes());
        file.push(nanoseconds, &(rest as u32).to_le_bytes());
        file.push(time, &ns.to_le_bytes());
        file.push(number, &(sequence_of(frame, event) as i32).to_le_bytes());
    }
}

impl Sink for Hdf5Sink {
    fn add(&mut self, item: &Item<'_>) -> Result<()> {
        let frame = item.frame;
        self.add_pixels(frame)?;
        // The row counts only after its pixels were written, so that a failed picture leaves no row.
        self.rows += 1;
        let attributes = &frame.header().attributes;
        let mut found = 0;
        for column in &mut self.columns {
            let value = attributes.get(&column.name);
            found += u64::from(value.is_some());
            column.left_out += push(&mut self.file, column, value);
        }
        let all = attributes.iter().filter(|attribute| !OWN.contains(&&*attribute.name)).count() as u64;
        // Columns are fixed by the first picture, so attributes that only later pictures have are counted and told.
        self.left_out += all.saturating_sub(found);
        self.add_own(item);
        // Columns are collected in memory, so they are written out before they take too much.
        if self.file.pending_bytes() > MOST_PENDING { self.file.write_out() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<(String, u64)>> {
        // A reader knows by this number that the file is complete, so the number is written last.
        self.file.rewrite(self.finished, &1u64.to_le_bytes())?;
        self.file.close()?;
        let cut =
            |column: &Column| (format!("the end of texts of attribute `{}`", column.name), column.left_out);
        let others = ("attributes that the first picture does not have".to_owned(), self.left_out);
        let all = self.columns.iter().map(cut).chain([others]);
        Ok(all.filter(|(_, count)| *count > 0).collect())
    }
}

fn column(tree: &mut Tree, group: NodeId, name: &str, element: Element) -> StreamId {
    tree.growing(
        group,
        name,
        Growing { element, row: &[], chunk: COLUMN_CHUNK, part: &[], filter: None },
        vec![],
    )
    .1
}

/// A column for each attribute of the first frame whose name a file can hold.
fn columns(tree: &mut Tree, group: NodeId, first: &Frame) -> Vec<Column> {
    let mut columns = Vec::new();
    for attribute in first.header().attributes.iter() {
        let name = &attribute.name;
        let is_own = OWN.contains(&&**name) || name.starts_with("NDArray");
        // HDF5 gives these names another meaning, or the file has its own dataset of that name.
        if is_own || name.is_empty() || name.contains(['/', '\0']) || **name == *"." {
            continue;
        }
        let kind = match attribute.value {
            AttributeValue::Int(_) => Element::Number(DType::I64),
            AttributeValue::Uint(_) => Element::Number(DType::U64),
            AttributeValue::Float(_) => Element::Number(DType::F64),
            AttributeValue::Text(_) => Element::Text(TEXT_BYTES as u32),
        };
        let stream = column(tree, group, name, kind);
        columns.push(Column { name: name.clone(), stream, kind, left_out: 0 });
    }
    columns
}

/// Adds a value; one that is not there is NaN, 0 or an empty text. 1 if its end is cut off.
fn push(file: &mut Writer, column: &Column, value: Option<&AttributeValue>) -> u64 {
    let whole = match value {
        Some(AttributeValue::Int(v)) => *v,
        Some(AttributeValue::Uint(v)) => *v as i64,
        Some(AttributeValue::Float(v)) => *v as i64,
        _ => 0,
    };
    match column.kind {
        Element::Number(DType::F64) => {
            let float = match value {
                Some(AttributeValue::Float(v)) => *v,
                Some(AttributeValue::Int(v)) => *v as f64,
                Some(AttributeValue::Uint(v)) => *v as f64,
                _ => f64::NAN,
            };
            file.push(column.stream, &float.to_le_bytes());
            0
        }
        Element::Number(_) => {
            file.push(column.stream, &whole.to_le_bytes());
            0
        }
        Element::Text(_) => {
            let text = value.map_or_else(String::new, ToString::to_string);
            let mut row = [0; TEXT_BYTES];
            let end =
                // A text is cut at a whole character, with a zero byte behind where there is room.
                (0..TEXT_BYTES.min(text.len() + 1)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            row[..end].copy_from_slice(&text.as_bytes()[..end]);
            file.push(column.stream, &row);
            u64::from(end < text.len())
        }
    }
}
