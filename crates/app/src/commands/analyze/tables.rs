//! Tables as files: .npy as numpy's structured arrays, CSV, Parquet.
//!
//! ```
//! use livetime::analyze::Array;
//!
//! let folder = tempfile::tempdir().unwrap();
//! let (events, sums) = (Array::new(&[2], vec![3u64, 8]), Array::new(&[2], vec![0.5f64, 1.0]));
//! let path = folder.path().join("sums.csv");
//! livetime::tables::write(&path, &[("event", &events), ("sum", &sums)]).unwrap();
//! assert_eq!(std::fs::read_to_string(path).unwrap(), "event,sum\n3,0.5\n8,1\n");
//! ```

use std::io::{BufWriter, Write};
use std::path::Path;

use livetime_formats::file::{GrowingFile, NewFile};
use livetime_frame::{DType, with_dtype};

pub use super::error::FileError;
use super::npy;
use crate::analyze::Array;

/// How tables are written.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TableFormat {
    /// A structured array of NumPy.
    Npy,
    /// Text: a line with the names, and one for each row; numbers have as many digits as it takes to read them back unchanged.
    Csv,
    /// Parquet, as pandas, DuckDB and many others read it.
    Parquet,
}

impl TableFormat {
    /// Whether this program can write it.
    ///
    /// # Errors
    /// If it was built without.
    pub(super) fn check(self) -> Result<(), FileError> {
        let is_there = self != TableFormat::Parquet || cfg!(feature = "parquet");
        is_there.then_some(()).ok_or(FileError::NoParquet)
    }

    /// Writes columns into a new file.
    pub(super) fn write(self, new: &mut NewFile, columns: Columns) -> Result<(), FileError> {
        self.check()?;
        match self {
            TableFormat::Npy => structured(new, columns),
            TableFormat::Csv => csv(new, columns).map_err(FileError::Io),
            TableFormat::Parquet => parquet(new, columns),
        }
    }

    pub(super) fn ending(self) -> &'static str {
        match self {
            TableFormat::Npy => "npy",
            TableFormat::Csv => "csv",
            TableFormat::Parquet => "parquet",
        }
    }
}

/// Writes columns with their names, as many rows as the shortest has, to a file whose name ends with `.npy`, `.csv` or `.parquet`: the
/// same bytes as the files of `livetime analyze --tables`. The file is replaced.
///
/// # Errors
/// If the name ends otherwise, or the file cannot be written.
pub fn write(path: &Path, columns: &[(&str, &Array)]) -> Result<(), FileError> {
    let ending = path.extension().unwrap_or_default();
    let known = <TableFormat as clap::ValueEnum>::value_variants();
    let found = known
        .iter()
        .find(|format| format.ending() == ending)
        .ok_or_else(|| FileError::Ending(path.to_owned()))?;
    let new = GrowingFile::replace(path).map(NewFile::Disk).map_err(FileError::Refused);
    let written = new.and_then(|mut new| found.write(&mut new, columns).map(|()| new));
    written.map_err(FileError::of(path.to_owned()))?.finish().map_err(FileError::Named)
}

/// Columns with their names.
pub(super) type Columns<'a> = &'a [(&'a str, &'a Array)];

/// The rows of the shortest column.
pub(super) fn rows(columns: Columns) -> usize {
    columns.iter().map(|(_, cells)| cells.shape().iter().product()).min().unwrap_or(0)
}

/// A structured array: the cells of a row lie beside each other.
fn structured(new: &mut NewFile, columns: Columns) -> Result<(), FileError> {
    // The header is a Python literal, and numpy would read such a name as its end.
    if let Some((name, _)) = columns.iter().find(|(name, _)| name.contains(['\'', '\\', '\n'])) {
        return Err(FileError::ColumnName((*name).to_owned()));
    }
    let types = columns.iter().map(|(name, cells)| format!("('{name}', {})", npy::describe(cells.dtype())));
    let types = format!("[{}]", types.collect::<Vec<_>>().join(", "));
    let rows = rows(columns);
    let mut bytes = Vec::new();
    for row in 0..rows {
        for (_, cells) in columns {
            let size = cells.dtype().bytes();
            bytes.extend_from_slice(&cells.bytes()[row * size..][..size]);
        }
    }
    new.append(&[&npy::header(&types, &[rows]), &bytes]).map(drop).map_err(FileError::Refused)
}

fn csv(new: &mut NewFile, columns: Columns) -> std::io::Result<()> {
    // Cells are a few bytes each, too few for a write of their own.
    let mut file = BufWriter::new(new);
    let names: Vec<String> = columns.iter().map(|(name, _)| quoted(name)).collect();
    writeln!(file, "{}", names.join(","))?;
    for row in 0..rows(columns) {
        for (number, (_, cells)) in columns.iter().enumerate() {
            let separator = if number > 0 { "," } else { "" };
            write!(file, "{separator}{}", cell(cells, row))?;
        }
        writeln!(file)?;
    }
    // The buffer would drop an error of its last write.
    file.flush()
}

/// A name as RFC 4180 has it.
fn quoted(name: &str) -> String {
    // Names without these signs stay bare, as most readers show them.
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// An element as text.
fn cell(cells: &Array, row: usize) -> String {
    let size = cells.dtype().bytes();
    let bytes = cells.bytes().get(row * size..(row + 1) * size).unwrap_or_default();
    with_dtype!(cells.dtype(), T => <T>::from_le_bytes(bytes.try_into().unwrap_or_default()).to_string())
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &mut NewFile, _: Columns) -> Result<(), FileError> {
    TableFormat::Parquet.check()
}

#[cfg(feature = "parquet")]
fn parquet(new: &mut NewFile, columns: Columns) -> Result<(), FileError> {
    write_parquet(new, columns).map_err(FileError::Parquet)
}

/// Whole numbers have 64 bits, all others are doubles. The table has the name of the file.
#[cfg(feature = "parquet")]
fn write_parquet(new: &mut NewFile, columns: Columns) -> Result<(), parquet::errors::ParquetError> {
    use std::sync::Arc;

    use livetime_formats::parquet::{index, write_column};
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::data_type::{DoubleType, Int64Type};
    use parquet::file::metadata::FileMetaData;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

    let properties = WriterProperties::builder()
        .set_created_by(concat!("livetime ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .build();
    let schema = Arc::new(parse_message_type(&schema(new.path(), columns))?);
    let (properties, described) = (Arc::new(properties), Arc::new(SchemaDescriptor::new(schema.clone())));
    let mut writer = SerializedFileWriter::new(new, schema, properties.clone())?;
    let mut group = writer.next_row_group()?;
    let rows = rows(columns);
    for (number, (_, cells)) in columns.iter().enumerate() {
        let column = described.column(number);
        match is_signed(cells.dtype()) {
            // Parquet stores numbers with and without sign in one type; the schema tells them apart.
            Some(_) => {
                let values: Vec<i64> = wholes(cells).take(rows).collect();
                write_column::<Int64Type>(&mut group, column, &properties, &values)?;
            }
            None => {
                write_column::<DoubleType>(&mut group, column, &properties, &cells.values()[..rows])?;
            }
        }
    }
    group.close()?;
    let created_by = Some(properties.created_by().to_owned());
    let about = FileMetaData::new(1, 0, created_by, None, described, None);
    let index = index(&about, writer.flushed_row_groups())?;
    writer.write_all(&index)?;
    Ok(writer.flush()?)
}

/// The columns in the language of Parquet's schemas.
#[cfg(feature = "parquet")]
fn schema(path: &Path, columns: Columns) -> String {
    let table = path.file_stem().unwrap_or_default().to_string_lossy();
    // The language of schemas has no quotes, so other characters become underscores.
    let word = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
    // Every cell is there, so `required` saves the levels of optional columns.
    let column = |(name, cells): &(&str, &Array)| match is_signed(cells.dtype()) {
        Some(is_signed) => format!("required int64 {} (INTEGER(64, {is_signed}));", word(name)),
        None => format!("required double {};", word(name)),
    };
    let columns: Vec<String> = columns.iter().map(column).collect();
    format!("message {} {{ {} }}", word(&table), columns.join(" "))
}

/// Whether whole numbers have a sign; `None`: these are others.
#[cfg(feature = "parquet")]
fn is_signed(dtype: DType) -> Option<bool> {
    match dtype {
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Some(true),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Some(false),
        DType::F32 | DType::F64 => None,
    }
}

/// Whole numbers as Parquet stores them: those without a sign by their bits.
#[cfg(feature = "parquet")]
fn wholes(cells: &Array) -> Box<dyn Iterator<Item = i64> + '_> {
    with_dtype!(cells.dtype(), T => {
        let values = cells.bytes().chunks_exact(size_of::<T>());
        Box::new(values.map(|bytes| <T>::from_le_bytes(bytes.try_into().unwrap_or_default()) as i64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::{Column, Table};

    fn write_table(path: &Path, table: &Table) -> Result<(), FileError> {
        let columns: Vec<_> = table.columns.iter().map(|column| (column.name, &column.cells)).collect();
        write(path, &columns)
    }

    fn table() -> Table {
        let columns = vec![
            Column::new("event", vec![3u64, u64::MAX]),
            Column::new("shift [um]", vec![-2i16, 7]),
            Column::new("sum", vec![0.1f64, f64::NAN]),
        ];
        Table { columns }
    }

    #[test]
    fn tables_are_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.npy");
        let (a, b) = (Array::new(&[2], vec![1u8, 2]), Array::new(&[2], vec![3u16, 4]));
        write(&path, &[("a", &a), ("b", &b)]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains("'descr': [('a', '|u1'), ('b', '<u2')], "));
        assert_eq!(bytes[bytes.len() - 6..], [1, 3, 0, 2, 4, 0]);
    }

    #[test]
    fn text_reads_back_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        write_table(&path, &table()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "event,shift [um],sum\n3,-2,0.1\n18446744073709551615,7,NaN\n");
        assert!(write_table(Path::new("/no/such/folder/t.csv"), &table()).is_err());
    }

    #[test]
    fn the_name_says_the_format() {
        let folder = tempfile::tempdir().unwrap();
        let cells = Array::new(&[2], vec![1u8, 2]);
        let saved = |name: &str| write(&folder.path().join(name), &[("a,b", &cells)]);
        assert!(saved("t.npy").is_ok() && saved("t.csv").is_ok());
        assert_eq!(std::fs::read_to_string(folder.path().join("t.csv")).unwrap(), "\"a,b\"\n1\n2\n");
        assert!(write(&folder.path().join("q.npy"), &[("it's", &cells)]).is_err());
        let error = saved("t.parque").unwrap_err().to_string();
        assert!(error.starts_with("wanted a name that ends with .parquet, .csv or .npy, found "), "{error}");
        assert!(write(Path::new("/no/such/t.csv"), &[]).is_err());
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_has_the_types_and_values() {
        use std::fs::File;

        use parquet::file::reader::{FileReader, SerializedFileReader};
        use parquet::record::RowAccessor;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peak-events.parquet");
        write_table(&path, &table()).unwrap();
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].get_ulong(0).unwrap(), rows[1].get_ulong(0).unwrap()), (3, u64::MAX));
        assert_eq!((rows[0].get_long(1).unwrap(), rows[0].get_double(2).unwrap()), (-2, 0.1));
        assert!(rows[1].get_double(2).unwrap().is_nan());
        let none = Table { columns: vec![Column::new("event", Vec::<u64>::new())] };
        write_table(&path, &none).unwrap();
        assert!(SerializedFileReader::new(File::open(&path).unwrap()).is_ok());
    }
}
