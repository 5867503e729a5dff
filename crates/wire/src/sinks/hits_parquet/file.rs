//! A Parquet file of hits.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use livetime_engine::lock;
use livetime_formats::file::GrowingFile;
use livetime_formats::parquet::{index, write_column};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::{FileMetaData, KeyValue};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, SchemaDescPtr, SchemaDescriptor};

use super::error::HitsError;
use crate::HitRow;

/// The columns, in the order of [`HitFile::write_group`].
const SCHEMA: &str = "
    message hits {
        required int64 time_start (INTEGER(64, false));
        required int32 channel (INTEGER(32, false));
        required int32 adc_integral (INTEGER(32, false));
        required int32 adc_peak (INTEGER(16, false));
        required int32 samples_over (INTEGER(16, false));
        required int32 samples_to_peak (INTEGER(16, false));
        required int32 link (INTEGER(16, false));
        required int32 plane (INTEGER(8, false));
        required int32 flags (INTEGER(8, false));
    }";

/// The content of each column, for readers of the file without other documents.
const COLUMNS: [(&str, &str); 9] = [
    (
        "time_start",
        "when the pulse came over the threshold, ticks of the clock (clock_hz) since 1970-01-01 00:00 UTC",
    ),
    ("channel", "offline number of the wire; without a channel map 65536 * link + channel in the frame"),
    ("adc_integral", "sum over the samples over the threshold, ADC counts times samples, pedestal taken off"),
    (
        "adc_peak",
        "highest sample, ADC counts, pedestal taken off; 0 where the algorithm does not look for it",
    ),
    ("samples_over", "samples over the threshold: of WIB1 25 ticks of the clock each, of WIB2 and WIBEth 32"),
    (
        "samples_to_peak",
        "samples from time_start to the highest one; 0 where the algorithm does not look for it",
    ),
    ("link", "number of the link in the run that the wire is read by"),
    ("plane", "0 and 1 induction, 2 collection"),
    (
        "flags",
        "bits: 1 ended because of its length (cut), 2 ended because frames are missing (gap), 4 a frame under it has faults (faulty), \
         8 the sum does not fit and is its highest value (saturated), \
         16 it was still over the threshold when the run ended (open)",
    ),
];

/// An index is written when the hits since the last one are this many times longer: all together they take at most a twentieth of a file
/// that is written without pause.
const BYTES_PER_INDEX: u64 = 20;

/// The metadata beside the hits.
pub(super) struct About {
    pub(super) run: u32,
    pub(super) clock_hz: u64,
    /// Level of zstd.
    pub(super) level: u32,
}

/// A file that is being written.
///
/// Parquet is read from its end: the index there says where the columns of all row groups lie, at any place before it.
/// So behind the row groups an index is written repeatedly, and the file continues behind it. After a kill at any time,
/// the bytes from the begin of the file to the end of an index are a whole Parquet file; old indexes are skipped as
/// bytes that no column refers to.
pub(super) struct HitFile {
    writer: SerializedFileWriter<Shared>,
    /// The file that the writer writes to. The writer cannot give the file back after a failure, so it is kept here
    /// too.
    file: Shared,
    about: FileMetaData,
    properties: WriterPropertiesPtr,
    /// Hits written.
    pub(super) rows: u64,
    /// Hits of `rows` that an index has: these can be read even if the program dies.
    pub(super) safe_rows: u64,
    /// The file up to its last index.
    safe_bytes: u64,
    index_bytes: u64,
}

impl HitFile {
    /// Begins a new file.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub(super) fn begin(file: GrowingFile, about: &About) -> std::result::Result<HitFile, HitsError> {
        let file = Shared(Arc::new(Mutex::new(file)));
        let made = properties(about).and_then(|properties| {
            let schema = Arc::new(parse_message_type(SCHEMA)?);
            let key_values = properties.key_value_metadata().cloned();
            let created_by = Some(properties.created_by().to_owned());
            let columns = Arc::new(SchemaDescriptor::new(schema.clone()));
            let about = FileMetaData::new(1, 0, created_by, key_values, columns, None);
            let properties = Arc::new(properties);
            let writer = SerializedFileWriter::new(file.clone(), schema, properties.clone())?;
            Ok((writer, about, properties))
        });
        let (writer, about, properties) = made?;
        Ok(HitFile { writer, file, about, properties, rows: 0, safe_rows: 0, safe_bytes: 0, index_bytes: 0 })
    }

    /// As [`GrowingFile::is_in_place`].
    pub(super) fn is_in_place(&self) -> bool {
        self.file.lock().is_in_place()
    }

    /// Bytes written.
    pub(super) fn bytes(&self) -> u64 {
        self.writer.bytes_written() as u64
    }

    /// Writes hits as one row group, and an index if that is worth it.
    ///
    /// # Errors
    /// If the operating system reports an error; then nothing more can be written, only [`HitFile::give_up`] saves the safe hits.
    pub(super) fn write(&mut self, hits: &[HitRow]) -> std::result::Result<(), HitsError> {
        let written = self.write_group(hits).and_then(|()| Ok(self.writer.flush()?));
        written?;
        self.rows += hits.len() as u64;
        // An index costs bytes, so it waits until enough hits justify it; `flush_seconds` bounds the wait.
        let is_worth_it = self.bytes() - self.safe_bytes >= BYTES_PER_INDEX * self.index_bytes;
        if is_worth_it { self.secure() } else { Ok(()) }
    }

    /// Writes an index: from now on all hits so far can be read, even if the program dies.
    ///
    /// # Errors
    /// As [`HitFile::write`].
    pub(super) fn secure(&mut self) -> std::result::Result<(), HitsError> {
        // An empty file gets an index too, or it would be no Parquet file.
        if self.safe_rows == self.rows && self.safe_bytes > 0 {
            return Ok(());
        }
        let index = index(&self.about, self.writer.flushed_row_groups())?;
        self.writer.write_all(&index).and_then(|()| self.writer.flush())?;
        (self.safe_rows, self.safe_bytes, self.index_bytes) = (self.rows, self.bytes(), index.len() as u64);
        Ok(())
    }

    fn write_group(&mut self, hits: &[HitRow]) -> Result<()> {
        let columns = self.about.schema_descr_ptr();
        let group = self.writer.next_row_group()?;
        let mut group = Group { group, columns, properties: &self.properties, hits, next: 0 };
        // Parquet has signed numbers, which the schema says are read without a sign.
        group.write::<Int64Type>(|hit| hit.time_start as i64)?;
        group.write::<Int32Type>(|hit| hit.channel as i32)?;
        group.write::<Int32Type>(|hit| hit.adc_integral as i32)?;
        group.write::<Int32Type>(|hit| hit.adc_peak.into())?;
        group.write::<Int32Type>(|hit| hit.samples_over.into())?;
        group.write::<Int32Type>(|hit| hit.samples_to_peak.into())?;
        group.write::<Int32Type>(|hit| hit.link.into())?;
        group.write::<Int32Type>(|hit| hit.plane.into())?;
        group.write::<Int32Type>(|hit| hit.flags.into())?;
        group.group.close().map(drop)
    }

    /// Writes the index, waits for the disk and gives the file its name; name and bytes.
    ///
    /// # Errors
    /// If the operating system reports an error. Safe hits stay in the file, under the name in the error.
    pub(super) fn finish(mut self) -> std::result::Result<(String, u64), HitsError> {
        self.secure()?;
        self.close().and_then(|closed| closed.ok_or(HitsError::TwoWriters))
    }

    /// After a failure: cuts the file behind its last index and gives it its name; name and bytes. A file without safe hits is removed.
    ///
    /// # Errors
    /// If the operating system reports an error. Safe hits stay in the file, under the name in the error.
    pub(super) fn give_up(self) -> std::result::Result<Option<(String, u64)>, HitsError> {
        let safe_bytes = self.safe_bytes;
        // Cut before the name: the file must end with its last index.
        self.file.lock().cut(safe_bytes)?;
        self.close()
    }

    fn close(self) -> std::result::Result<Option<(String, u64)>, HitsError> {
        let (safe_bytes, is_empty) = (self.safe_bytes, self.safe_rows == 0);
        // The writer would write the content of its buffer when it is dropped, so it is dropped before the file is cut
        // or closed.
        drop(self.writer);
        let Some(file) = Arc::into_inner(self.file.0) else { return Ok(None) };
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        if is_empty {
            file.discard()?;
            return Ok(None);
        }
        let named = (file.path().display().to_string(), safe_bytes);
        file.cut(safe_bytes).and_then(|()| file.finish_on_disk())?;
        Ok(Some(named))
    }
}

/// A file that its writer and we write to.
#[derive(Clone)]
struct Shared(Arc<Mutex<GrowingFile>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, GrowingFile> {
        lock(&self.0)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
}

/// Times are written as differences, which compress best; all other columns have few values.
fn properties(about: &About) -> Result<WriterProperties> {
    let time = ColumnPath::from("time_start");
    let of = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let mut key_values = vec![
        of("run", about.run.to_string()),
        of("clock_hz", about.clock_hz.to_string()),
        of("format", "hits of livetime, version 1".into()),
    ];
    key_values.extend(COLUMNS.map(|(name, what)| of(name, what.into())));
    Ok(WriterProperties::builder()
        .set_created_by(concat!("livetime ", env!("CARGO_PKG_VERSION")).into())
        .set_key_value_metadata(Some(key_values))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(about.level as i32)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // An index of pages pays only for searches of single rows, which hits are not read by.
        .set_offset_index_disabled(true)
        // Times are all different, so a dictionary would only add to them; differences are small.
        .set_column_dictionary_enabled(time.clone(), false)
        .set_column_encoding(time, Encoding::DELTA_BINARY_PACKED)
        .build())
}

/// A row group that is written column by column.
struct Group<'a> {
    group: SerializedRowGroupWriter<'a, Shared>,
    columns: SchemaDescPtr,
    properties: &'a WriterPropertiesPtr,
    hits: &'a [HitRow],
    next: usize,
}

impl Group<'_> {
    /// The next column.
    fn write<T: DataType>(&mut self, value: impl Fn(&HitRow) -> T::T) -> Result<()> {
        let values: Vec<T::T> = self.hits.iter().map(value).collect();
        let column = self.columns.column(self.next);
        self.next += 1;
        write_column::<T>(&mut self.group, column, self.properties, &values)
    }
}
