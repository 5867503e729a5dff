//! `table_csv`: tables of any columns become a text file that every tool reads: the simulator's truth, activities, decisions, the ledger of links.
//!
//! In: tables, all with the same columns. Out: nothing. The first line has the names of the columns, separated by commas; each row of a table is a line of numbers in the
//! same order. Lines end with a line feed; floating-point numbers have as many digits as it takes to read them back unchanged, `NaN`, `inf` and `-inf` included.
//!
//! The file is called `FILE.inprogress` until it is complete, and an existing one is never replaced: if the name is
//! taken, also by the remains of a killed program, the new file has the next free number, as `truth.1.csv`. Written
//! lines are with the system: if the program is killed, all whole tables can be read. When the disk is full, tables are
//! errors and counted, the node tries again once a second, and the written part of an incomplete table is cut off.
//!
//! For hits there is `hits_parquet`, which is faster and smaller.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_frame::{DType, Schema, TableLayout};
//! use livetime_nodes::sinks::table_csv::TableCsv;
//!
//! let file = std::env::temp_dir().join(format!("livetime-truth-{}.csv", std::process::id()));
//! let mut node = Harness::new::<TableCsv>(&[("file", file.to_str().unwrap_or_default().into())])?;
//! let schema = Schema::new([("time_peak", DType::U64), ("width", DType::F32)]);
//! let mut table = node.pool().allocator().table(TableLayout::new(schema, 1).unwrap())?;
//! table.column_mut::<u64>(0)?[0] = 1000;
//! table.column_mut::<f32>(1)?[0] = 2.5;
//! node.feed(&table.freeze())?;
//! node.drain()?;
//! assert_eq!(std::fs::read_to_string(&file)?, "time_peak,width\n1000,2.5\n");
//! # std::fs::remove_file(file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_filing::{Recorder, Result, WriteReport, Writing, may_be_file, numbered};
use livetime_formats::file::GrowingFile;
use livetime_frame::{DType, Element, Frame, Schema, TableRef};

/// Parameters of `table_csv`.
#[derive(Params)]
pub struct TableCsvParams {
    /// The file; if the name is taken, it has the next free number, as `truth.1.csv`.
    #[param(role = File)]
    pub file: String,
    /// The file that is being written, or the last one.
    #[param(readback, pv = "FullFileName", role = LastFile)]
    pub full_file_name: String,
    /// Rows written.
    #[param(readback)]
    pub rows: u64,
    /// Bytes written.
    #[param(readback, unit = "B")]
    pub bytes_written: u64,
    /// Tables that could not be written.
    #[param(readback)]
    pub write_errors: u64,
    /// How writing fares.
    #[param(flatten)]
    pub report: WriteReport,
}

/// Writes tables as text.
pub struct TableCsv {
    params: TableCsvParams,
    file: Option<GrowingFile>,
    schema: Option<Schema>,
    /// The lines of a table.
    text: String,
    columns: Vec<String>,
    writing: Writing,
}

impl Node for TableCsv {
    type Params = TableCsvParams;

    const SPEC: NodeSpec =
        NodeSpec::sink("table_csv", "Writes tables of any columns to a text file.", &[PortSpec::table("in")]);

    fn new(params: TableCsvParams) -> Result<TableCsv, NodeError> {
        let (text, columns, writing) = (String::new(), Vec::new(), Writing::default());
        Ok(TableCsv { params, file: None, schema: None, text, columns, writing })
    }

    fn params(&mut self) -> &mut TableCsvParams {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        let file = &self.params.file;
        // A node without a name of a file writes nowhere, so no other node can collide with it.
        if file.is_empty() { Vec::new() } else { vec![file.into()] }
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.writing.start(ctx);
        // The file is created at the start, so that a wrong name is refused before the first table.
        if self.params.file.is_empty() { Ok(()) } else { self.create().map_err(NodeError::new) }
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let table = frame.table()?;
        if self.params.file.is_empty() {
            // A table that is dropped silently would look as if it were written.
            return Err(NodeError::new("wanted the name of a file (parameter `file`), found none"));
        }
        let now_ns = ctx.now_ns();
        self.look_for_files(now_ns);
        // The lines are made before the file is touched, so that a refused table leaves no half of it.
        self.encode(table)?;
        let may_write = self.writing.may_write(&self.params.report, now_ns);
        let written = may_write.and_then(|()| self.write());
        let p = &mut self.params;
        // The counts follow only a write that succeeded.
        let settled = self.writing.settle(written, &mut p.report, now_ns);
        settled.inspect_err(|_| p.write_errors += 1)?;
        // The columns are fixed when they are in the file, so a failed first table does not fix them.
        self.schema.get_or_insert_with(|| table.layout().schema().clone());
        p.rows += table.layout().rows() as u64;
        p.bytes_written += self.text.len() as u64;
        Ok(())
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        // The old file ends before the new name is used.
        self.end_or_tell()?;
        self.start(ctx)
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.end()
    }

    fn stop(&mut self) {
        // The node has no caller any more; `end_or_tell` has logged an error.
        let _ = self.end_or_tell();
    }
}

impl TableCsv {
    fn create(&mut self) -> Result<()> {
        let wanted = Path::new(&self.params.file);
        may_be_file(wanted)?;
        let create = |number| GrowingFile::create_new(&numbered(wanted, number)).transpose();
        // Numbers are tried until a name is free, so that an older file is never overwritten.
        let file = (0..u64::MAX).find_map(create).transpose()?;
        if let Some(file) = &file {
            self.params.full_file_name = file.written_path().display().to_string();
        }
        self.file = file;
        Ok(())
    }

    /// Makes the lines of a table, behind the names of the columns if it is the first one.
    fn encode(&mut self, table: TableRef<'_>) -> Result<(), NodeError> {
        let schema = table.layout().schema();
        self.text.clear();
        match &self.schema {
            None => header(schema, &mut self.text),
            Some(known) if known == schema => {}
            Some(known) => {
                let [known, found] = [known, schema].map(names);
                return Err(NodeError::new(format_args!("wanted the columns {known}, found {found}")));
            }
        }
        lines(table, &mut self.columns, &mut self.text)
    }

    /// Writes these lines.
    fn write(&mut self) -> Result<()> {
        if self.file.is_none() {
            self.create()?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        // A failed write may have left half a line, which is cut before more follows.
        file.repair()?;
        file.append(&[self.text.as_bytes()])?;
        Ok(())
    }
}

impl Recorder for TableCsv {
    fn writing(&mut self) -> &mut Writing {
        &mut self.writing
    }

    fn is_in_place(&self) -> bool {
        self.file.as_ref().is_none_or(GrowingFile::is_in_place)
    }

    fn end(&mut self) -> Result<(), NodeError> {
        // The next file has its own columns.
        self.schema = None;
        // The file is taken, so that a failed end is not tried again with every frame.
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let name = file.path().display().to_string();
        let p = &mut self.params;
        let ended = file.repair().and_then(|()| file.finish_on_disk());
        ended.inspect_err(|why| p.report.failed(why.to_string())).map_err(NodeError::new)?;
        // The name without its mark of growth is told only after the file has it.
        p.full_file_name = name;
        Ok(())
    }
}

fn names(schema: &Schema) -> String {
    schema.columns().iter().map(|column| column.name.to_string()).collect::<Vec<_>>().join(",")
}

fn header(schema: &Schema, text: &mut String) {
    *text += &names(schema);
    text.push('\n');
}

/// Appends a line for each row.
fn lines(table: TableRef<'_>, columns: &mut Vec<String>, text: &mut String) -> Result<(), NodeError> {
    let (layout, mut cells) = (table.layout(), Vec::new());
    columns.clear();
    for index in 0..layout.schema().columns().len() {
        let mut column = String::new();
        let ends = match layout.place(index).map(|(_, dtype)| dtype) {
            Some(DType::I8) => column_text::<i8>(table, index, &mut column)?,
            Some(DType::U8) => column_text::<u8>(table, index, &mut column)?,
            Some(DType::I16) => column_text::<i16>(table, index, &mut column)?,
            Some(DType::U16) => column_text::<u16>(table, index, &mut column)?,
            Some(DType::I32) => column_text::<i32>(table, index, &mut column)?,
            Some(DType::U32) => column_text::<u32>(table, index, &mut column)?,
            Some(DType::I64) => column_text::<i64>(table, index, &mut column)?,
            Some(DType::U64) => column_text::<u64>(table, index, &mut column)?,
            Some(DType::F32) => column_text::<f32>(table, index, &mut column)?,
            Some(DType::F64) => column_text::<f64>(table, index, &mut column)?,
            None => Vec::new(),
        };
        columns.push(column);
        cells.push(ends);
    }
    for row in 0..layout.rows() {
        for (column, (ends, all)) in cells.iter().zip(columns.iter()).enumerate() {
            // Each row begins at the end of the row before.
            let begin = row.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
            let cell = ends.get(row).and_then(|end| all.get(begin..*end)).unwrap_or_default();
            if column > 0 {
                text.push(',');
            }
            *text += cell;
        }
        text.push('\n');
    }
    Ok(())
}

/// All numbers of a column one behind the other, and where each ends.
fn column_text<T: Element + Display>(
    table: TableRef<'_>,
    index: usize,
    text: &mut String,
) -> Result<Vec<usize>, NodeError> {
    let values = table.column::<T>(index)?;
    Ok(values
        .iter()
        .map(|value| {
            // Writing to a text does not fail.
            let _ = write!(text, "{value}");
            text.len()
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::TableLayout;
    use tempfile::TempDir;

    use super::*;

    fn sink(folder: &TempDir) -> Harness {
        let file = folder.path().join("t.csv");
        Harness::new::<TableCsv>(&[("file", file.to_str().unwrap().into())]).unwrap()
    }

    fn table(harness: &Harness, second: DType, rows: &[(u64, f64)]) -> Frame {
        let schema = Schema::new([("time", DType::U64), ("value", second)]);
        let mut table =
            harness.pool().allocator().table(TableLayout::new(schema, rows.len()).unwrap()).unwrap();
        for (i, row) in rows.iter().enumerate() {
            table.column_mut::<u64>(0).unwrap()[i] = row.0;
            match second {
                DType::F64 => table.column_mut::<f64>(1).unwrap()[i] = row.1,
                _ => table.column_mut::<i8>(1).unwrap()[i] = row.1 as i8,
            }
        }
        table.freeze()
    }

    #[test]
    fn rows_are_lines_and_numbers_are_read_back() {
        let folder = TempDir::new().unwrap();
        let mut harness = sink(&folder);
        let some = table(&harness, DType::F64, &[(u64::MAX, 0.1), (0, -1e300)]);
        let none = table(&harness, DType::F64, &[]);
        let more = table(&harness, DType::F64, &[(7, f64::NAN)]);
        [some, none, more].iter().for_each(|table| drop(harness.feed(table).unwrap()));
        assert_eq!(harness.number_of("rows"), 3.0);
        harness.drain().unwrap();
        let text = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[1], lines[3]), ("time,value", "18446744073709551615,0.1", "7,NaN"));
        assert_eq!(lines[2].split(',').nth(1).unwrap().parse(), Ok(-1e300));
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn other_columns_are_refused_and_the_file_goes_on() {
        let folder = TempDir::new().unwrap();
        let mut harness = sink(&folder);
        let (one, other) =
            (table(&harness, DType::I8, &[(1, -3.0)]), table(&harness, DType::F64, &[(1, 2.0)]));
        harness.feed(&one).unwrap();
        assert!(harness.feed(&other).is_err());
        harness.feed(&one).unwrap();
        harness.drain().unwrap();
        let text = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
        assert_eq!(text, "time,value\n1,-3\n1,-3\n");
    }

    #[test]
    fn a_folder_is_refused() {
        let folder = TempDir::new().unwrap();
        for wrong in ["/", folder.path().to_str().unwrap()] {
            let error = Harness::new::<TableCsv>(&[("file", wrong.into())]).err().unwrap().to_string();
            assert!(error.contains("wanted the name of a file, found a folder"), "{error}");
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("t.csv"), "theirs").unwrap();
        // The remains of a killed program, and two of ours at once.
        std::fs::write(path("t.1.csv.inprogress"), "half").unwrap();
        let mut both = [sink(&folder), sink(&folder)];
        for (harness, time) in both.iter_mut().zip(1..) {
            harness.feed(&table(harness, DType::I8, &[(time, 0.0)])).unwrap();
            harness.drain().unwrap();
        }
        for (name, wanted) in [
            ("t.csv", "theirs"),
            ("t.1.csv.inprogress", "half"),
            ("t.2.csv", "time,value\n1,0\n"),
            ("t.3.csv", "time,value\n2,0\n"),
        ] {
            assert_eq!(std::fs::read_to_string(path(name)).unwrap(), wanted, "{name}");
        }
        assert_eq!(both[1].get("full_file_name"), Some(path("t.3.csv").to_str().unwrap().into()));
    }

    #[test]
    fn a_file_that_is_taken_away_is_noticed() {
        let folder = TempDir::new().unwrap();
        let (mut harness, below) = (sink(&folder), folder.path().join("t.csv.inprogress"));
        let some = table(&harness, DType::I8, &[(1, 0.0)]);
        harness.feed(&some).unwrap();
        std::fs::remove_file(&below).unwrap();
        harness.advance(2_000_000_000).unwrap();
        harness.feed(&some).unwrap();
        assert!(harness.events().iter().any(|e| e.message.contains("the data are gone")));
        harness.drain().unwrap();
        let text = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
        assert_eq!((text.as_str(), harness.number_of("rows")), ("time,value\n1,0\n", 2.0));
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<TableCsv>(&[]);
    }
}
