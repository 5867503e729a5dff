//! Parquet files, as `hits_parquet` writes them: columns, rows, row groups, and what the file says about itself.

use std::fs::File;
use std::path::Path;

use livetime_formats::file::ReadAt;
use livetime_formats::{Error, Result};

use super::Report;

/// The first bytes of a Parquet file, and its last ones.
const MAGIC: &[u8; 4] = b"PAR1";

/// Whether `file` is one, by the name, or else by what it begins with.
pub(super) fn is_parquet(path: &Path, file: &File) -> Result<bool> {
    let name = path.to_string_lossy();
    if name.strip_suffix(".inprogress").unwrap_or(&name).ends_with(".parquet") {
        return Ok(true);
    }
    let mut head = [0; MAGIC.len()];
    let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e))?;
    Ok(head[..count] == *MAGIC)
}

#[cfg(not(feature = "parquet"))]
pub(super) fn report(_: &Path, _: u64, _: &File) -> Result<Report> {
    Err(Error::new("a program built with the feature `parquet`", "one without it"))
}

#[cfg(feature = "parquet")]
pub(super) use with_parquet::report;

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::fmt::Write;

    use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
    use parquet::schema::types::ColumnDescriptor;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::commands::inspect::exit_of;
    use crate::report::numbers::bytes;
    use crate::report::table::{Style, Table, cell};

    /// What the file says without its data.
    pub(in crate::commands::inspect) fn report(path: &Path, size: u64, file: &File) -> Result<Report> {
        match ParquetMetaDataReader::new().parse_and_finish(file) {
            Ok(found) => Ok(whole(path, size, &found)),
            Err(error) => Ok(broken(path, size, &error.to_string())),
        }
    }

    fn whole(path: &Path, size: u64, found: &ParquetMetaData) -> Report {
        let about = found.file_metadata();
        let file = path.display().to_string();
        let (rows, groups) = (about.num_rows(), found.num_row_groups());
        let mut text =
            format!("{file}: Parquet, {}, {rows} rows in {groups} row groups, complete\n", bytes(size));
        if let Some(program) = about.created_by() {
            let _ = writeln!(text, "written by: {program}");
        }
        let mut told: Map<String, Value> = Map::new();
        for entry in about.key_value_metadata().into_iter().flatten() {
            let value = entry.value.clone().unwrap_or_default();
            let _ = writeln!(text, "{}: {value}", entry.key);
            told.insert(entry.key.clone(), value.into());
        }
        let columns = about.schema_descr().columns();
        let mut table = Table::new(&["column", "type", "bytes", "in file", "ratio"]).right([2, 3, 4]);
        let mut json_columns = Vec::new();
        for (position, column) in columns.iter().enumerate() {
            let (plain, packed) = sizes(found, position);
            let ratio = if plain > 0 { packed as f64 / plain as f64 } else { 1.0 };
            let cells = [
                column.name().to_owned(),
                type_of(column),
                bytes(plain),
                bytes(packed),
                format!("{ratio:.3}"),
            ];
            table.row(cells.map(|text| cell(text, false)));
            json_columns.push(json!({
                "name": column.name(), "type": type_of(column), "bytes": plain, "bytes_in_file": packed,
            }));
        }
        let state = json!({ "whole": true, "complete_bytes": size, "partial_bytes": 0, "broken": null });
        let json = json!({
            "file": file, "format": "parquet", "bytes": size, "state": state, "rows": rows, "row_groups": groups,
            "written_by": about.created_by(), "metadata": told, "columns": json_columns,
        });
        Report {
            text: format!("{text}\n{}", table.render(Style::default())),
            json,
            exit: exit_of(true, true),
        }
    }

    /// A file whose writer was killed has no footer, which says where its rows are.
    fn broken(path: &Path, size: u64, why: &str) -> Report {
        let file = path.display().to_string();
        let state = json!({ "whole": false, "complete_bytes": 0, "partial_bytes": size, "broken": why });
        Report {
            text: format!(
                "{file}: Parquet, {}, without a whole footer: {why}\nwhat hits_parquet made safe: livetime recover {file} -o NEW\n",
                bytes(size)
            ),
            json: json!({ "file": file, "format": "parquet", "bytes": size, "state": state }),
            exit: exit_of(false, false),
        }
    }

    /// Bytes of a column in all row groups: plain, and in the file.
    fn sizes(found: &ParquetMetaData, column: usize) -> (u64, u64) {
        let chunks = found.row_groups().iter().map(|group| group.column(column));
        chunks.fold((0, 0), |(plain, packed), chunk| {
            (plain + chunk.uncompressed_size().max(0) as u64, packed + chunk.compressed_size().max(0) as u64)
        })
    }

    /// The logical type if there is one, as `u32`, else the one in which it is stored.
    fn type_of(column: &ColumnDescriptor) -> String {
        use parquet::basic::{ConvertedType, Type};
        match (column.converted_type(), column.physical_type()) {
            (ConvertedType::UINT_8, _) => "u8".into(),
            (ConvertedType::UINT_16, _) => "u16".into(),
            (ConvertedType::UINT_32, _) => "u32".into(),
            (ConvertedType::UINT_64, _) => "u64".into(),
            (ConvertedType::INT_8, _) => "i8".into(),
            (ConvertedType::INT_16, _) => "i16".into(),
            (_, Type::INT32) => "i32".into(),
            (_, Type::INT64) => "i64".into(),
            (_, Type::FLOAT) => "f32".into(),
            (_, Type::DOUBLE) => "f64".into(),
            (_, other) => other.to_string().to_lowercase(),
        }
    }
}
