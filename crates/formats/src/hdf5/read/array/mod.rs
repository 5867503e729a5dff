//! The elements of a data set, row by row.

mod chunks;
mod cover;
mod virtuals;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use livetime_frame::AttributeValue;

use cover::Cover;

use super::super::filter::Filter;
use super::file::{Files, OpenFile};
use super::header::{Message, find, kind, messages};
use super::index::{Chunk, Grid, chunks};
use super::input::Input;
use super::kind::ElementKind;
use super::layout::{Layout, layout};
use super::pipeline::{self, Decoders};
use super::space::Space;
use super::spans::Mappings;
use crate::file::read_exact_at;
use crate::{Error, Result};

/// Bytes of a row, and of a chunk, that are read at once.
const MOST_BYTES: u64 = 1 << 32;
/// The most bytes of a row whose elements are in other files.
const MOST_VIRTUAL: u64 = 1 << 30;
/// The largest ratio of the bytes that are read out of a file to the size of the file. A constant chunk of zlib is 1030
/// times smaller than its content.
const MOST_RATIO: u64 = 1 << 16;
/// The most bytes of values that are read at once; each value takes more memory than in the file.
const MOST_VALUES_BYTES: u64 = 16 << 20;
/// Virtual data sets within each other.
const MOST_DEEP: usize = 8;

/// How much of the wanted data is in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// All of it.
    Whole,
    /// Some; the rest was never written and has the fill value.
    Partial,
    /// Nothing; all has the fill value.
    Nothing,
}

impl Filled {
    fn and(self, other: Filled) -> Filled {
        if self == other { self } else { Filled::Partial }
    }
}

/// The memory of a thread that reads data sets. Keep it for the next read.
pub struct Scratch {
    /// The most bytes that a read may take beside its output.
    limit: u64,
    decoders: Decoders,
    packed: Vec<u8>,
    /// A whole chunk that was decoded, and which one it is.
    chunk: Vec<u8>,
    known: Option<(Arc<OpenFile>, u64, u64)>,
    part: Vec<u8>,
    cover: Cover,
}

impl Scratch {
    /// For reads that take at most `bytes` bytes beside their output; a chunk that needs more is refused before any
    /// memory is taken.
    pub fn within(bytes: u64) -> Scratch {
        Scratch {
            limit: bytes,
            decoders: Decoders::default(),
            packed: Vec::new(),
            chunk: Vec::new(),
            known: None,
            part: Vec::new(),
            cover: Cover::default(),
        }
    }

    /// From now on reads take at most `bytes` bytes beside their output.
    pub fn limit_to(&mut self, bytes: u64) {
        self.limit = bytes;
    }
}

/// Within 4 GiB.
impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::within(MOST_BYTES)
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scratch")
    }
}

/// A data set that can be read: a list of rows along its first axis.
#[derive(Debug)]
pub struct Array {
    files: Arc<Files>,
    file: Arc<OpenFile>,
    at: u64,
    space: Space,
    element: ElementKind,
    filters: Vec<Filter>,
    fill: Vec<u8>,
    stored: Stored,
    row_bytes: u64,
    /// See [`Array::read_memory`]; the number of a virtual data set grows as its sources are opened.
    read_memory: AtomicU64,
}

#[derive(Debug)]
enum Stored {
    Compact(Vec<u8>),
    Contiguous(Option<u64>),
    Chunked(Grid, Vec<Chunk>),
    Virtual(Mappings, Mutex<HashMap<(String, String), Source>>),
}

/// A data set that a virtual one shows; the reason why it cannot be read.
type Source = std::result::Result<Arc<Array>, Arc<Error>>;

impl Array {
    /// The data set at `at`, if there is one.
    pub(super) fn open(
        files: &Arc<Files>,
        file: &Arc<OpenFile>,
        at: u64,
        depth: usize,
    ) -> Result<Option<Array>> {
        let input = file.input()?;
        let messages = messages(&input, at)?;
        let Some((space, element)) = type_of(&messages)? else { return Ok(None) };
        let rank = space.shape.len();
        let message = find(&messages, kind::LAYOUT)?.ok_or_else(|| Error::new("a layout", "none").at(at))?;
        let filters = find(&messages, kind::FILTERS)?.map(pipeline::filters).transpose()?.unwrap_or_default();
        let fill = find(&messages, kind::FILL_VALUE)?.map(fill_value).transpose()?.unwrap_or_default();
        let size = u64::from(element.bytes);
        let stored = match layout(&input, message, rank)? {
            Layout::Compact(bytes) => Stored::Compact(bytes),
            Layout::Contiguous(at) => Stored::Contiguous(at),
            Layout::Chunked { chunk, index, at } => {
                // The size is bounded here, because each later read takes memory for a whole chunk.
                let whole = bytes_of(&chunk, size).filter(|bytes| *bytes <= MOST_BYTES);
                let whole = whole.ok_or_else(|| {
                    Error::new("chunks of at most 4 GiB", format!("{chunk:?} elements")).at(message.at)
                })?;
                let (grid, chunks) = chunks(&input, &space, &chunk, (index, at), whole)?;
                Stored::Chunked(grid, chunks)
            }
            Layout::Virtual(mappings) => Stored::Virtual(Mappings::new(mappings), Mutex::default()),
        };
        let row_bytes = bytes_of(space.shape.get(1..).unwrap_or_default(), size);
        let row_bytes = row_bytes.filter(|bytes| *bytes <= MOST_BYTES).ok_or_else(|| {
            Error::new("rows of at most 4 GiB", format!("{:?} elements", space.shape)).at(at)
        })?;
        // A file that claims more than filters could have made of it is damaged or hostile.
        let most = match stored {
            Stored::Virtual(..) => MOST_VIRTUAL,
            _ => file.size()?.saturating_mul(MOST_RATIO).saturating_add(MOST_RATIO),
        };
        // A single value has no axis and is one row.
        let rows = space.shape.first().copied().unwrap_or(1);
        if row_bytes > most || rows.checked_mul(row_bytes).is_none() {
            let found = format!("{rows} of {row_bytes} bytes");
            return Err(Error::new("rows that their file can hold", found).at(at));
        }
        let (files, file) = (files.clone(), file.clone());
        let read_memory = AtomicU64::default();
        let mut array =
            Array { files, file, at, space, element, filters, fill, stored, row_bytes, read_memory };
        if let Stored::Chunked(grid, chunks) = &array.stored {
            array.read_memory = array.chunk_memory(grid, chunks).into();
        }
        // A virtual data set takes the memory of its sources, so these are opened now.
        array.measure(depth)?;
        Ok(Some(array))
    }

    /// The same data set as it is now.
    ///
    /// # Errors
    /// If it cannot be read, as may happen for a moment while it is being written.
    pub fn again(&self) -> Result<Array> {
        // The space may have grown, so the index is read again.
        let array =
            Array::open(&self.files, &self.file, self.at, 0).map_err(|e| e.in_file(&self.file.path))?;
        array.ok_or_else(|| Error::new("a data set", "something else").at(self.at).in_file(&self.file.path))
    }

    /// Sizes, the slowest axis first; empty for a single value.
    pub fn shape(&self) -> &[u64] {
        &self.space.shape
    }

    /// Whether the first axis may grow.
    pub fn grows(&self) -> bool {
        self.space.most.first().is_some_and(|most| most.is_none_or(|most| most > self.rows()))
    }

    /// The type of an element.
    pub fn element(&self) -> &ElementKind {
        &self.element
    }

    /// Along the first axis; 1 for a single value.
    pub fn rows(&self) -> u64 {
        match self.space.shape.first() {
            _ if self.space.is_null => 0,
            Some(rows) => *rows,
            None => 1,
        }
    }

    /// Bytes of a row when it was read, at most 8 GiB.
    pub fn row_bytes(&self) -> u64 {
        let widened = if self.element.is_half() { 2 } else { 1 };
        self.row_bytes * widened
    }

    /// How its chunks are compressed: the filters' names in the order in which they were applied, `+` between them.
    pub fn codec(&self) -> String {
        self.filters.iter().map(pipeline::name).collect::<Vec<_>>().join("+")
    }

    /// Why its elements cannot be read, whatever they are: their type, or a filter of theirs or of a source that is known.
    pub fn refused(&self) -> Option<Error> {
        let sources = match &self.stored {
            Stored::Virtual(_, sources) => virtuals::refused(sources),
            _ => None,
        };
        let refused = self.element.refused().or_else(|| pipeline::refused(&self.filters)).or(sources);
        refused.map(|e| e.in_file(&self.file.path))
    }

    /// Whether other data sets hold its elements.
    pub fn is_virtual(&self) -> bool {
        matches!(self.stored, Stored::Virtual(..))
    }

    /// Bytes of its elements in files; 0 of a virtual one.
    pub fn stored_bytes(&self) -> u64 {
        match &self.stored {
            Stored::Compact(bytes) => bytes.len() as u64,
            Stored::Contiguous(at) => at.map_or(0, |_| self.rows().saturating_mul(self.row_bytes)),
            Stored::Chunked(_, chunks) => chunks.iter().fold(0, |all, chunk| all.saturating_add(chunk.bytes)),
            Stored::Virtual(..) => 0,
        }
    }

    /// Whether both are the same object of the same file.
    pub fn is_same(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.file, &other.file) && self.at == other.at
    }

    /// Reads `count` rows from row `first` on into `output`, which must have their size: little-endian, the last axis
    /// fastest.
    ///
    /// # Errors
    /// If there are no such rows, the type is neither a number nor a fixed text, or the data in the file cannot be read
    /// or decoded. An element that was never written is no error: see [`Filled`].
    pub fn read(&self, first: u64, count: u64, output: &mut [u8], scratch: &mut Scratch) -> Result<Filled> {
        if !self.element.is_half() {
            return self.read_stored(first, count, output, scratch);
        }
        // Half floats are read into the second half, and widened from the front.
        // One buffer serves both, so that half floats take no further memory.
        let half = output.len() / 2;
        let filled = self.read_stored(first, count, &mut output[half..], scratch)?;
        self.element.widen(output);
        Ok(filled)
    }

    /// As [`Array::read`], of elements in the size that they have in the file.
    fn read_stored(
        &self,
        first: u64,
        count: u64,
        output: &mut [u8],
        scratch: &mut Scratch,
    ) -> Result<Filled> {
        self.read_deep(first, count, output, scratch).map_err(|e| e.in_file(&self.file.path))
    }

    /// The most bytes that a read takes beside its output: a chunk as it lies in the file, and decoded where it does
    /// not go straight into the output. Of a virtual data set, as far as its sources are known.
    pub fn read_memory(&self) -> u64 {
        // Relaxed is enough: the number only grows, and a read checks it again.
        self.read_memory.load(Ordering::Relaxed)
    }

    fn read_deep(&self, first: u64, count: u64, output: &mut [u8], scratch: &mut Scratch) -> Result<Filled> {
        // The sum may overflow: a caller's rows may come from another file.
        let end = first.checked_add(count).filter(|end| *end <= self.rows());
        if end.is_none() || count.checked_mul(self.row_bytes) != Some(output.len() as u64) {
            let found = format!("{count} from row {first} on in {} bytes", output.len());
            return Err(Error::new(
                format!("some of {} rows of {} bytes", self.rows(), self.row_bytes),
                found,
            ));
        }
        if let Some(refused) = self.element.refused() {
            return Err(refused);
        }
        // The check comes before memory is taken.
        self.check_memory(scratch)?;
        let filled = match &self.stored {
            Stored::Compact(bytes) => {
                let from = (first * self.row_bytes) as usize;
                let found = bytes.get(from..).and_then(|rest| rest.get(..output.len()));
                let found =
                    found.ok_or_else(|| Error::new("the elements in the header", "fewer").at(self.at))?;
                output.copy_from_slice(found);
                Filled::Whole
            }
            // Space that was never written has no place in the file.
            Stored::Contiguous(None) => self.nothing(output),
            Stored::Contiguous(Some(at)) => {
                read_exact_at(&*self.file.bytes, output, at.saturating_add(first * self.row_bytes))?;
                Filled::Whole
            }
            Stored::Chunked(grid, chunks) => self.read_chunks(grid, chunks, first, count, output, scratch)?,
            Stored::Virtual(mappings, _) => {
                let row = (self.row_bytes as usize).max(1);
                let mut all = None;
                for (number, output) in output.chunks_exact_mut(row).enumerate() {
                    let filled = self.read_virtual(mappings, first + number as u64, output, scratch)?;
                    all = Some(all.map_or(filled, |all: Filled| all.and(filled)));
                }
                // Data from other data sets got their order there.
                return Ok(all.unwrap_or(Filled::Whole));
            }
        };
        self.element.swap(output);
        Ok(filled)
    }

    /// Writes the fill value, as it lies in the file, everywhere.
    fn nothing(&self, output: &mut [u8]) -> Filled {
        // Only a fill value of the right length is one of this type.
        if self.fill.len() == self.element.bytes as usize && self.fill.iter().any(|byte| *byte != 0) {
            output.chunks_exact_mut(self.fill.len()).for_each(|element| element.copy_from_slice(&self.fill));
        } else {
            output.fill(0);
        }
        Filled::Nothing
    }

    /// Where the bytes of some rows are: the file's path, and places in it.
    pub fn places(&self, rows: Range<u64>) -> Vec<(PathBuf, Range<u64>)> {
        let here = |at: u64, bytes: u64| vec![(self.file.path.clone(), at..at.saturating_add(bytes))];
        match &self.stored {
            Stored::Compact(_) | Stored::Contiguous(None) => Vec::new(),
            Stored::Contiguous(Some(at)) => {
                let begin = at.saturating_add(rows.start.saturating_mul(self.row_bytes));
                here(begin, (rows.end - rows.start).saturating_mul(self.row_bytes))
            }
            Stored::Chunked(grid, chunks) => {
                let layers: u64 = grid.counts.iter().skip(1).product();
                let deep = grid.chunk.first().copied().unwrap_or(1);
                let number = |layer: u64| layer.saturating_mul(layers);
                let (first, end) = (number(rows.start / deep), number(rows.end.div_ceil(deep)));
                // The chunks are sorted by their numbers, so the wanted ones follow each other.
                let from = chunks.partition_point(|chunk| chunk.number < first);
                let found = chunks[from..].iter().take_while(|chunk| chunk.number < end);
                found.flat_map(|chunk| here(chunk.at, chunk.bytes)).collect()
            }
            Stored::Virtual(mappings, _) => {
                let one = |row: u64| {
                    let near = mappings.near(row).into_iter();
                    near.filter_map(move |m| Some((m, self.source_of(m, row)?)))
                };
                // A source that cannot be opened has no places.
                let found = rows.flat_map(one).filter_map(|(mapping, position)| {
                    let array = self.source(mapping, position.0).ok()?;
                    let rows = virtuals::source_row(mapping, &array, position.1).ok()?;
                    Some(array.places(rows..rows + 1))
                });
                found.flatten().collect()
            }
        }
    }
}

/// Shape and type, if these messages describe a data set.
pub(super) fn type_of(messages: &[Message]) -> Result<Option<(Space, ElementKind)>> {
    // A group has no layout.
    if !messages.iter().any(|message| message.kind == kind::LAYOUT) {
        return Ok(None);
    }
    let (Some(space), Some(element)) = (find(messages, kind::DATASPACE)?, find(messages, kind::DATATYPE)?)
    else {
        return Ok(None);
    };
    Ok(Some((Space::read(&mut space.fields())?, ElementKind::read(&mut element.fields())?)))
}

/// The bytes of elements that were never written; empty: zeros.
fn fill_value(message: &Message) -> Result<Vec<u8>> {
    let mut fields = message.fields();
    let version = fields.u8()?;
    let has_value = match version {
        1 => fields.skip(3).map(|()| true)?,
        2 => fields.skip(2).and_then(|()| fields.u8())? != 0,
        3 => fields.u8()? & 0x20 != 0,
        _ => return Err(fields.refused("a fill value of version 1 to 3", version)),
    };
    // Without a value the elements are zeros.
    if !has_value {
        return Ok(Vec::new());
    }
    let bytes = fields.uint(4)? as usize;
    fields.take(bytes).map(<[u8]>::to_vec)
}

/// The number of bytes of an array with this number of elements along each axis.
fn bytes_of(shape: &[u64], element: u64) -> Option<u64> {
    shape.iter().try_fold(element, |all, size| all.checked_mul(*size))
}

impl Array {
    /// The value or values of a small data set: its rows from `first` on, at most `count`. None for a type that is not
    /// read.
    ///
    /// # Errors
    /// As [`Array::read`], or if they have more than 16 MiB.
    pub fn values(&self, first: u64, count: u64, scratch: &mut Scratch) -> Result<Vec<AttributeValue>> {
        let count = count.min(self.rows().saturating_sub(first));
        let bytes = count.checked_mul(self.row_bytes()).filter(|bytes| *bytes <= MOST_VALUES_BYTES);
        let bytes = bytes.ok_or_else(|| {
            let found = format!("{count} rows of {} bytes", self.row_bytes);
            Error::new(format!("values of at most {MOST_VALUES_BYTES} bytes"), found).in_file(&self.file.path)
        })?;
        let mut raw = vec![0; bytes as usize];
        self.read(first, count, &mut raw, scratch)?;
        let bytes = self.element.read_bytes() as u32;
        // The bytes were put into order and widened by the read, so they are plain now.
        let plain = ElementKind { is_big_endian: false, bytes, ..self.element.clone() };
        let input = self.file.input()?;
        Ok(plain.values(&raw, Some(&input)))
    }

    /// Shows all values of the rows `rows`, some at a time.
    ///
    /// # Errors
    /// As [`Array::values`] of one row.
    pub fn each_value(
        &self,
        rows: Range<u64>,
        scratch: &mut Scratch,
        take: &mut dyn FnMut(AttributeValue),
    ) -> Result<()> {
        let end = rows.end.min(self.rows());
        // A value takes much more memory than its bytes, so fewer are read at once.
        let at_once = (MOST_VALUES_BYTES / 64 / self.row_bytes.max(1)).max(1);
        let mut first = rows.start;
        while first < end {
            let count = at_once.min(end - first);
            self.values(first, count, scratch)?.into_iter().for_each(&mut *take);
            first += count;
        }
        Ok(())
    }

    /// Refuses a read that would take more than the scratch may have.
    fn check_memory(&self, scratch: &Scratch) -> Result<()> {
        let needed = self.read_memory();
        if needed <= scratch.limit {
            return Ok(());
        }
        let wanted = format!("chunks that need at most {} bytes to be read", scratch.limit);
        Err(Error::new(wanted, format!("some that need {needed}")).at(self.at))
    }
}

impl OpenFile {
    /// For metadata, as the file is now.
    pub(super) fn input(&self) -> Result<Input<'_>> {
        Input::new(&*self.bytes)
    }

    fn size(&self) -> Result<u64> {
        self.bytes.size().map_err(|e| Error::io("the size of the file", e))
    }
}
