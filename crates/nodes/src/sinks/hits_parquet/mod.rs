//! `hits_parquet`: hits become Parquet files, for analysis with any tool that reads them.
//!
//! In: tables of hits ([`HitRow`]), best merged, because they compress best in the order of time. Out: nothing. A file has the columns of [`HitRow`],
//! all unsigned, compressed with zstd; times as differences. Its metadata say the run (`run`) and the clock (`clock_hz`): `time_start` is in
//! ticks of it since 1970. Hits wait in memory for `row_group` of them, or the end of the file, which comes after `max_rows`, `max_bytes` or `max_seconds`.
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. A Parquet file can be read when its end has been written: if the
//! program is killed, the file under way and the hits that wait are lost. When the disk is full, the file under way is given up, its hits are
//! counted (`hits_lost`), and once a second it is tried to begin another one.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::hits_parquet::HitsParquet;
//! use livetime_nodes::wire::{HitRow, Row};
//! use livetime_frame::TableLayout;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-hits-{}", std::process::id()));
//! let params = [("path", folder.to_str().unwrap_or_default().into()), ("create_directory", (-1).into())];
//! let mut node = Harness::new::<HitsParquet>(&params)?;
//! let mut table = node.pool().allocator().table(TableLayout::new(HitRow::schema(), 1).unwrap())?;
//! HitRow::put(&[HitRow { time_start: 1000, channel: 7, ..HitRow::default() }], &mut table)?;
//! node.feed(&table.freeze())?;
//! node.drain()?;
//! let file = std::fs::read(folder.join("hits_0001.parquet"))?;
//! assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

use super::file_name::{ensure_folder, file_name};
use super::next_file::next_file;
use super::write_status::WriteStatus;
use crate::wire::{HitRow, Row, RowTable};
use file::{About, HitFile};

/// After a failed write: when the next one is tried.
const RETRY_NS: u64 = 1_000_000_000;

/// Parameters of `hits_parquet`.
#[derive(Params)]
pub struct HitsParquetParams {
    /// Folder of the files.
    #[param(pv = "FilePath")]
    pub path: String,
    /// Name of the files.
    #[param(default = "hits", pv = "FileName")]
    pub file_name: String,
    /// Template of C's printf for folder, name and number.
    #[param(default = "%s%s_%4.4d.parquet", pv = "FileTemplate")]
    pub template: String,
    /// Number of the next file; it grows with each file, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Which missing folders are created: 0 none, -n at most n, n those below the first n.
    #[param(pv = "CreateDirectory")]
    pub create_directory: i32,
    /// Whether hits are written; a file is begun with the next hits, and ended when this becomes false.
    #[param(default = true, pv = "Capture")]
    pub capture: bool,
    /// Number of the run.
    #[param(default = 1)]
    pub run: u32,
    /// Rate of the clock that times are counted by: 50 MHz for WIB1, 62.5 MHz for WIB2 and WIBEth.
    #[param(default = 50000000, min = 1, unit = "Hz")]
    pub clock_hz: u64,
    /// Hits that are written at once, as one row group.
    #[param(default = 262144, min = 1, max = 16777216)]
    pub row_group: usize,
    /// Level of zstd.
    #[param(default = 1, min = 1, max = 22)]
    pub level: u32,
    /// Hits after which the next file is begun.
    #[param(default = 100000000, min = 1)]
    pub max_rows: u64,
    /// Size of a file after which the next one is begun.
    #[param(default = 1000000000, min = 1, unit = "B")]
    pub max_bytes: u64,
    /// Time after which the next file is begun; 0 means that it does not matter.
    #[param(default = 600.0, min = 0.0, max = 86400, unit = "s")]
    pub max_seconds: f64,
    /// The file that is being written, or the last one.
    #[param(readback, pv = "FullFileName")]
    pub full_file_name: String,
    /// Hits written.
    #[param(readback)]
    pub hits_written: u64,
    /// Hits that wait to be written.
    #[param(readback)]
    pub hits_waiting: u64,
    /// Hits that could not be written, or are in a file that could not be finished.
    #[param(readback)]
    pub hits_lost: u64,
    /// Bytes written.
    #[param(readback, unit = "B")]
    pub bytes_written: u64,
    /// Files written.
    #[param(readback, pv = "NumCaptured")]
    pub num_captured: u64,
    /// Tables that came while nothing was written.
    #[param(readback)]
    pub ignored: u64,
    /// How the last write fared.
    #[param(readback, pv = "WriteStatus")]
    pub write_status: WriteStatus,
    /// What went wrong with the last write; empty when nothing did.
    #[param(readback, pv = "WriteMessage")]
    pub write_message: String,
}

/// Writes hits to Parquet files.
pub struct HitsParquet {
    params: HitsParquetParams,
    table: RowTable<HitRow>,
    /// Hits that wait.
    hits: Vec<HitRow>,
    file: Option<HitFile>,
    /// Bytes of the files before this one.
    bytes_before: u64,
    /// When the file ends because of its age.
    end_ns: Option<u64>,
    /// When writing is tried again.
    retry_ns: Option<u64>,
}

impl Node for HitsParquet {
    type Params = HitsParquetParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "hits_parquet",
        kind: NodeKind::Sink,
        summary: "Writes hits to Parquet files.",
        inputs: &[PortSpec::table("in")],
        outputs: &[],
        parallel: false,
    };

    fn new(params: HitsParquetParams) -> Result<HitsParquet, NodeError> {
        Ok(HitsParquet {
            params,
            table: RowTable::default(),
            hits: Vec::new(),
            file: None,
            bytes_before: 0,
            end_ns: None,
            retry_ns: None,
        })
    }

    fn params(&mut self) -> &mut HitsParquetParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.name().map(drop)?;
        if self.params.capture { self.folder() } else { Ok(()) }
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let table = self.table.table(frame)?;
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let now_ns = ctx.now_ns();
        if self.retry_ns.is_some_and(|retry_ns| now_ns < retry_ns) {
            self.params.hits_lost += table.layout().rows() as u64;
            return Err(NodeError::new(&self.params.write_message));
        }
        HitRow::get(table, &mut self.hits)?;
        let written = self.begin(ctx).and_then(|()| self.write_groups());
        self.settle(written, now_ns)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let ended = self.end();
        self.settle(ended, ctx.now_ns())
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "capture" if !self.params.capture => {
                let ended = self.end();
                self.settle(ended, ctx.now_ns())
            }
            "capture" | "path" | "create_directory" => self.folder(),
            "template" | "file_name" | "file_number" => self.name().map(drop),
            _ => Ok(()),
        }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let ended = self.end();
        self.settle(ended, ctx.now_ns())
    }

    fn stop(&mut self) {
        let ended = self.end();
        // What went wrong is in the readbacks.
        let _ = self.settle(ended, 0);
    }
}

impl HitsParquet {
    fn folder(&self) -> Result<(), NodeError> {
        ensure_folder(&self.params.path, self.params.create_directory).map_err(NodeError::new)
    }

    fn name(&self) -> Result<String, NodeError> {
        let p = &self.params;
        file_name(&p.template, &p.path, &p.file_name, p.file_number).map_err(NodeError::new)
    }

    /// Creates a file, if there is none.
    fn begin(&mut self, ctx: &mut Context) -> Result<(), String> {
        if self.file.is_some() || self.hits.is_empty() {
            return Ok(());
        }
        let p = &mut self.params;
        ensure_folder(&p.path, p.create_directory)?;
        let path = next_file(&p.template, &p.path, &p.file_name, &mut p.file_number)?;
        let about = About { run: p.run, clock_hz: p.clock_hz, level: p.level };
        let file = HitFile::create(path.as_ref(), &about)?;
        p.full_file_name = file.written_path().display().to_string();
        self.file = Some(file);
        self.end_ns = (p.max_seconds > 0.0).then(|| ctx.now_ns() + (p.max_seconds * 1e9) as u64);
        ctx.set_timer(self.end_ns);
        Ok(())
    }

    /// Writes all whole row groups, and ends the file when it is full.
    fn write_groups(&mut self) -> Result<(), String> {
        let size = self.params.row_group;
        while self.hits.len() >= size {
            let Some(file) = &mut self.file else { return Ok(()) };
            file.write(&self.hits[..size])?;
            self.hits.drain(..size);
        }
        let p = &self.params;
        let is_full =
            |file: &HitFile| file.bytes() >= p.max_bytes || file.rows + self.hits.len() as u64 >= p.max_rows;
        if self.file.as_ref().is_some_and(is_full) { self.end() } else { Ok(()) }
    }

    /// Writes what waits and ends the file, if there is one.
    fn end(&mut self) -> Result<(), String> {
        self.end_ns = None;
        let Some(file) = &mut self.file else { return Ok(()) };
        if !self.hits.is_empty() {
            file.write(&self.hits)?;
            self.hits.clear();
        }
        let rows = file.rows;
        let Some(file) = self.file.take() else { return Ok(()) };
        let p = &mut self.params;
        p.file_number += 1;
        match file.finish() {
            Ok((name, bytes)) => {
                p.full_file_name = name;
                p.num_captured += 1;
                p.hits_written += rows;
                self.bytes_before += bytes;
                Ok(())
            }
            Err(why) => {
                p.hits_lost += rows;
                Err(why)
            }
        }
    }

    fn settle(&mut self, written: Result<(), String>, now_ns: u64) -> Result<(), NodeError> {
        let p = &mut self.params;
        let Err(why) = written else {
            p.hits_waiting = self.hits.len() as u64 + self.file.as_ref().map_or(0, |file| file.rows);
            p.bytes_written = self.bytes_before + self.file.as_ref().map_or(0, HitFile::bytes);
            (p.write_status, self.retry_ns) = (WriteStatus::Ok, None);
            p.write_message.clear();
            return Ok(());
        };
        // What a broken file holds cannot be read.
        let in_file = self.file.take().map_or(0, |file| file.rows);
        p.hits_lost += in_file + self.hits.len() as u64;
        self.hits.clear();
        p.hits_waiting = 0;
        (p.write_status, self.retry_ns) = (WriteStatus::Error, Some(now_ns + RETRY_NS));
        p.write_message.clone_from(&why);
        Err(NodeError::new(why))
    }
}
