//! A Parquet file of hits.

use std::path::Path;
use std::sync::Arc;

use livetime_formats::file::GrowingFile;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::wire::HitRow;

/// The columns, in the order of [`write_group`].
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

/// What is written beside the hits.
pub(super) struct About {
    pub(super) run: u32,
    pub(super) clock_hz: u64,
    /// Level of zstd.
    pub(super) level: u32,
}

/// A file that is being written.
pub(super) struct HitFile {
    writer: SerializedFileWriter<GrowingFile>,
    pub(super) rows: u64,
}

impl HitFile {
    /// Creates `path`, as `path.inprogress`.
    ///
    /// # Errors
    /// Text, if one of them is there, or the system refuses.
    pub(super) fn create(path: &Path, about: &About) -> std::result::Result<HitFile, String> {
        let file = GrowingFile::create(path).map_err(|e| e.to_string())?;
        let made = properties(about).and_then(|properties| {
            let schema = Arc::new(parse_message_type(SCHEMA)?);
            SerializedFileWriter::new(file, schema, Arc::new(properties))
        });
        Ok(HitFile { writer: made.map_err(|e| e.to_string())?, rows: 0 })
    }

    /// Where the file is while it is written.
    pub(super) fn written_path(&self) -> &Path {
        self.writer.inner().written_path()
    }

    /// Bytes written.
    pub(super) fn bytes(&self) -> u64 {
        self.writer.bytes_written() as u64
    }

    /// Writes hits as one row group.
    ///
    /// # Errors
    /// Text, if the system refuses; then the file cannot be finished any more.
    pub(super) fn write(&mut self, hits: &[HitRow]) -> std::result::Result<(), String> {
        let written = write_group(&mut self.writer, hits).and_then(|()| Ok(self.writer.flush()?));
        written.map_err(|e| e.to_string())?;
        self.rows += hits.len() as u64;
        Ok(())
    }

    /// Writes the file's index and gives the file its name; name and bytes.
    ///
    /// # Errors
    /// Text, if the system refuses.
    pub(super) fn finish(self) -> std::result::Result<(String, u64), String> {
        let file = self.writer.into_inner().map_err(|e| e.to_string())?;
        let named = (file.path().display().to_string(), file.len());
        file.finish().map_err(|e| e.to_string())?;
        Ok(named)
    }
}

/// Times are written as differences, which compress best; all other columns have few values.
fn properties(about: &About) -> Result<WriterProperties> {
    let time = ColumnPath::from("time_start");
    let of = |key: &str, value: String| KeyValue::new(key.to_owned(), value);
    let about = (
        ZstdLevel::try_new(about.level as i32)?,
        vec![
            of("run", about.run.to_string()),
            of("clock_hz", about.clock_hz.to_string()),
            of("time_start", "ticks of the clock since 1970".into()),
        ],
    );
    Ok(WriterProperties::builder()
        .set_created_by(concat!("livetime ", env!("CARGO_PKG_VERSION")).into())
        .set_key_value_metadata(Some(about.1))
        .set_compression(Compression::ZSTD(about.0))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_column_dictionary_enabled(time.clone(), false)
        .set_column_encoding(time, Encoding::DELTA_BINARY_PACKED)
        .build())
}

fn write_group(writer: &mut SerializedFileWriter<GrowingFile>, hits: &[HitRow]) -> Result<()> {
    let mut group = writer.next_row_group()?;
    // Parquet has signed numbers, which the schema says are read without a sign.
    write::<Int64Type>(&mut group, hits, |hit| hit.time_start as i64)?;
    write::<Int32Type>(&mut group, hits, |hit| hit.channel as i32)?;
    write::<Int32Type>(&mut group, hits, |hit| hit.adc_integral as i32)?;
    write::<Int32Type>(&mut group, hits, |hit| hit.adc_peak.into())?;
    write::<Int32Type>(&mut group, hits, |hit| hit.samples_over.into())?;
    write::<Int32Type>(&mut group, hits, |hit| hit.samples_to_peak.into())?;
    write::<Int32Type>(&mut group, hits, |hit| hit.link.into())?;
    write::<Int32Type>(&mut group, hits, |hit| hit.plane.into())?;
    write::<Int32Type>(&mut group, hits, |hit| hit.flags.into())?;
    group.close().map(drop)
}

/// The next column.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, GrowingFile>,
    hits: &[HitRow],
    value: impl Fn(&HitRow) -> T::T,
) -> Result<()> {
    let values: Vec<T::T> = hits.iter().map(value).collect();
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}
