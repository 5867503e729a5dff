//! Parquet files, as `hits_parquet` writes them: columns, rows, row groups, and the metadata of the file.

use std::path::Path;

use livetime_formats::file::{ReadAt, RecordedFile};
use livetime_formats::{Error, Result};

use super::report::Report;

/// The first bytes of a Parquet file, and its last ones.
const MAGIC: &[u8; 4] = b"PAR1";
/// Damaged row groups that the text names; JSON names all.
#[cfg(feature = "parquet")]
const DAMAGED: usize = 10;

/// Whether `file` is one, by the name, or else by its first bytes.
pub(super) fn is_parquet(path: &Path, file: &impl ReadAt) -> Result<bool> {
    let name = path.to_string_lossy();
    // A file that is being written has the ending of its format before its mark.
    if name.strip_suffix(".inprogress").unwrap_or(&name).ends_with(".parquet") {
        return Ok(true);
    }
    let mut head = [0; MAGIC.len()];
    let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e))?;
    Ok(head[..count] == *MAGIC)
}

#[cfg(not(feature = "parquet"))]
pub(super) fn report(_: &Path, _: u64, _: &RecordedFile) -> Result<Report> {
    Err(Error::new("a program built with the feature `parquet`", "one without it"))
}

#[cfg(feature = "parquet")]
pub(super) use with_parquet::report;

#[cfg(feature = "parquet")]
mod with_parquet {
    use std::fmt::Write;

    use livetime_formats::parquet::{Checked, Survey, said};
    use parquet::file::metadata::ParquetMetaData;
    use parquet::schema::types::ColumnDescriptor;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::commands::inspect::exit_of;
    use crate::report::numbers::bytes;
    use crate::report::table::{Style, Table, cell};

    /// The report of the file, and whether its pages are as they were written.
    pub(in crate::commands::inspect) fn report(
        path: &Path,
        size: u64,
        file: &RecordedFile,
    ) -> Result<Report> {
        let RecordedFile::Disk(file) = file else {
            return Err(Error::new("hits (Parquet) in a file on a disk", "an object"));
        };
        match Survey::new(file, size) {
            Ok(mut survey) => {
                // The checksums are looked at for each row group, so that one damaged group does not hide the
                // others.
                let proof = Proof::of(&mut survey);
                Ok(readable(path, size, survey.metadata(), &proof))
            }
            Err(error) => Ok(broken(path, size, &said(error))),
        }
    }

    /// The verdict of the checksums.
    struct Proof {
        checked: Checked,
        is_sealed: bool,
        /// The number of each damaged row group, its rows, and the fault.
        damaged: Vec<(usize, i64, String)>,
    }

    impl Proof {
        fn of(survey: &mut Survey<'_>) -> Proof {
            let mut proof =
                Proof { checked: Checked::default(), is_sealed: survey.is_sealed(), damaged: Vec::new() };
            for group in 0..survey.metadata().num_row_groups() {
                match survey.check(group) {
                    Ok(Checked { pages, proved }) => {
                        proof.checked.pages += pages;
                        proof.checked.proved += proved;
                    }
                    Err(error) => {
                        let rows = survey.metadata().row_group(group).num_rows();
                        proof.damaged.push((group, rows, said(error)));
                    }
                }
            }
            proof
        }

        fn is_whole(&self) -> bool {
            // Pages without a checksum prove nothing, and so the file is not proved.
            self.is_sealed && self.checked.pages == self.checked.proved
        }

        fn text(&self) -> String {
            let Checked { pages, proved } = self.checked;
            let mut text: String = self
                .damaged
                .iter()
                .take(DAMAGED)
                .map(|(group, rows, why)| format!("DAMAGED: row group {group} ({rows} rows): {why}\n"))
                .collect();
            match self.damaged.len().saturating_sub(DAMAGED) {
                0 => {}
                more => text += &format!("  and {more} more\n"),
            }
            text + &match (self.is_whole(), self.is_sealed) {
                (true, _) if self.damaged.is_empty() => {
                    format!("checksums: right, of {pages} pages and of the index\n")
                }
                (true, _) => format!("checked: {pages} pages and the index\n"),
                (false, true) => {
                    format!("not checked: {} of {pages} pages have no checksum\n", pages - proved)
                }
                (false, false) => {
                    format!(
                        "not checked: the index and {} of {pages} pages have no checksum\n",
                        pages - proved
                    )
                }
            }
        }
    }

    fn readable(path: &Path, size: u64, found: &ParquetMetaData, proof: &Proof) -> Report {
        let about = found.file_metadata();
        let file = path.display().to_string();
        let (rows, groups) = (about.num_rows(), found.num_row_groups());
        let is_whole = proof.damaged.is_empty();
        let state = if is_whole { "complete" } else { "damaged" };
        let mut text =
            format!("{file}: Parquet, {}, {rows} rows in {groups} row groups, {state}\n", bytes(size));
        text += &proof.text();
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
            // A column without bytes is as large as it was.
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
        let broken = proof.damaged.first().map(|(group, _, why)| format!("row group {group}: {why}"));
        let state =
            json!({ "whole": is_whole, "complete_bytes": size, "partial_bytes": 0, "broken": broken });
        let damaged = |(group, rows, why): &(usize, i64, String)| json!({ "row_group": group, "rows": rows, "why": why });
        let checksums = json!({
            "checked": proof.is_whole(), "index": proof.is_sealed,
            "pages": proof.checked.pages, "pages_with": proof.checked.proved,
        });
        let json = json!({
            "file": file, "format": "parquet", "bytes": size, "state": state, "rows": rows, "row_groups": groups,
            "written_by": about.created_by(), "metadata": told, "columns": json_columns,
            "checksums": checksums, "damaged": proof.damaged.iter().map(damaged).collect::<Vec<_>>(),
        });
        Report {
            text: format!("{text}\n{}", table.render(Style::default())),
            json,
            exit: exit_of(1, is_whole),
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
            exit: exit_of(0, false),
        }
    }

    /// Bytes of a column in all row groups: plain, and in the file.
    fn sizes(found: &ParquetMetaData, column: usize) -> (u64, u64) {
        let chunks = found.row_groups().iter().map(|group| group.column(column));
        chunks.fold((0, 0), |(plain, packed), chunk| {
            // The sizes are signed in the file, and a broken file may have negative ones.
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
