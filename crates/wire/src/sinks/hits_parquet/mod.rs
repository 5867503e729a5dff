//! `hits_parquet`: hits become Parquet files, for analysis with any tool that reads them.
//!
//! In: tables of hits ([`HitRow`]), best merged, because they compress best in the order of time. Out: nothing. A file
//! has the columns of [`HitRow`], all unsigned, compressed with zstd; times as differences. Its metadata have the run
//! (`run`) and the clock (`clock_hz`): `time_start` is in ticks of the clock since 1970; every column has its unit
//! there (`docs/formats/hits-parquet.md`). Hits wait in memory for `row_group` of them, for `flush_seconds`, or for the
//! end of the file, which comes after `max_rows`, `max_bytes` or `max_seconds`.
//!
//! A file is called `NAME.inprogress` until it is complete, and none is ever replaced. While the file grows, an index
//! is written behind its row groups repeatedly, at the latest `flush_seconds` after the arrival of a hit: a program
//! that is killed loses at most the hits of that time, and `livetime recover` saves all others. A frame counts as
//! completed when all of its hits can be read, not before. When the disk is full the file ends with its last index and
//! gets its name, the hits behind the index are lost (`hits_lost`, their frames in the ledger), and once a second the
//! node tries to begin another file.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::sinks::hits_parquet::HitsParquet;
//! use livetime_wire::{HitRow, Row};
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

mod error;
mod file;
mod recover;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt::Display;
use std::path::PathBuf;

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, UnderWay};
use livetime_filing::{Destination, Writing};
use livetime_frame::Frame;

use crate::{HitRow, Row, RowTable};
use error::HitsError;
use file::{About, HitFile};
pub use recover::{RecoverError, Saved, recover};

/// Parameters of `hits_parquet`.
#[derive(Params)]
pub struct HitsParquetParams {
    /// Number of the next file; it grows with each file, and past those that are there already.
    #[param(default = 1, min = 0, pv = "FileNumber")]
    pub file_number: u64,
    /// Whether hits are written; a file is begun with the next hits, and ended when this becomes false.
    #[param(default = true, pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
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
    /// Hits are safe from a crash of the program at the latest this long after they came. Shorter makes files larger: each time costs about 1 kB, and as much again for each
    /// time before in the same file.
    #[param(default = 5.0, min = 0.1, max = 3600, unit = "s")]
    pub flush_seconds: f64,
    /// Level of zstd.
    #[param(default = 1, min = 1, max = 22)]
    pub level: u32,
    /// Hits after which the next file is begun.
    #[param(default = 100000000, min = 1)]
    pub max_rows: u64,
    /// Size of a file after which the next one is begun.
    #[param(default = 1000000000, min = 1, unit = "B")]
    pub max_bytes: u64,
    /// Time after which the next file is begun; 0 means no limit.
    #[param(default = 600.0, min = 0.0, max = 86400, unit = "s")]
    pub max_seconds: f64,
    /// Hits written so that they can be read whatever happens to the program.
    #[param(readback)]
    pub hits_written: u64,
    /// Hits that a crash of the program would cost.
    #[param(readback)]
    pub hits_waiting: u64,
    /// Hits that could not be written.
    #[param(readback)]
    pub hits_lost: u64,
    /// Bytes written.
    #[param(readback, unit = "B")]
    pub bytes_written: u64,
    /// Files written.
    #[param(readback, pv = "NumCaptured", role = Captured)]
    pub num_captured: u64,
    /// Tables that came while nothing was written.
    #[param(readback)]
    pub ignored: u64,
    /// Where they are written.
    #[param(flatten, default = Destination::new("hits", "%s%s_%4.4d.parquet"))]
    pub files: Destination,
}

/// Writes hits to Parquet files.
pub struct HitsParquet {
    params: HitsParquetParams,
    table: RowTable<HitRow>,
    /// Hits that wait.
    hits: Vec<HitRow>,
    file: Option<HitFile>,
    /// Frames with hits that are not safe yet, each with the number of hits of the file up to its last.
    under_way: VecDeque<(u64, UnderWay)>,
    /// Bytes and hits of the files before this one.
    before: (u64, u64),
    /// When the file ends because of its age.
    end_ns: Option<u64>,
    /// When the hits that are not safe yet have to be.
    flush_ns: Option<u64>,
    writing: Writing,
}

impl Node for HitsParquet {
    type Params = HitsParquetParams;

    const SPEC: NodeSpec =
        NodeSpec::sink("hits_parquet", "Writes hits to Parquet files.", &[PortSpec::table("in")]);

    fn new(params: HitsParquetParams) -> Result<HitsParquet, NodeError> {
        Ok(HitsParquet {
            params,
            table: RowTable::default(),
            hits: Vec::new(),
            file: None,
            under_way: VecDeque::new(),
            before: (0, 0),
            end_ns: None,
            flush_ns: None,
            writing: Writing::default(),
        })
    }

    fn params(&mut self) -> &mut HitsParquetParams {
        &mut self.params
    }

    fn writes(&self) -> Vec<PathBuf> {
        self.params.files.first()
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.writing.start(ctx);
        let p = &mut self.params;
        p.files.start(p.file_number, p.capture, ctx)
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let table = self.table.table(frame)?;
        if !self.params.capture {
            self.params.ignored += 1;
            return Ok(());
        }
        let now_ns = ctx.now_ns();
        self.look_for_file(now_ns);
        if let Err(why) = self.writing.may_write(&self.params.files.report, now_ns) {
            self.params.hits_lost += table.layout().rows() as u64;
            return Err(NodeError::new(why));
        }
        HitRow::get(table, &mut self.hits)?;
        if let Err(why) = self.begin(now_ns) {
            self.fail(&why, now_ns);
            return Err(NodeError::new(why));
        }
        // A frame is completed when all hits up to its last one are safe.
        if let Some(file) = &self.file {
            self.under_way.push_back((file.rows + self.hits.len() as u64, ctx.under_way()));
        }
        if let Err(why) = self.write_groups() {
            // Which frames are lost by it, they say themselves.
            self.fail(&why, now_ns);
        }
        // Also after a failure: the readbacks must show it.
        self.settle(ctx);
        Ok(())
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let now_ns = ctx.now_ns();
        let is_over = |at: Option<u64>| at.is_some_and(|at| now_ns >= at);
        // The end includes a flush.
        let done = match (is_over(self.end_ns), is_over(self.flush_ns)) {
            (true, _) => self.end(),
            (false, true) => self.flush(),
            (false, false) => Ok(()),
        };
        self.conclude(done, ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "capture" if !self.params.capture => {
                let ended = self.end();
                self.conclude(ended, ctx)
            }
            name => self.params.files.changed(name, self.params.file_number, ctx),
        }
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let ended = self.end();
        self.conclude(ended, ctx)
    }

    fn stop(&mut self) {
        // The failure is in the readbacks, and with the lost frames.
        if let Err(why) = self.end() {
            self.fail(&why, 0);
        }
        self.settle_frames();
    }
}

impl HitsParquet {
    /// Looks whether another program has removed the file: later bytes in it could never be read.
    fn look_for_file(&mut self, now_ns: u64) {
        let Some(file) = &self.file else { return };
        if self.writing.is_time_to_check(now_ns) && !file.is_in_place() {
            // `end` logs a file that could not be finished; only hits that could not even be written are left to
            // handle.
            let ended = self.end();
            if let (Err(why), true) = (ended, self.file.is_some()) {
                self.fail(&why, now_ns);
            }
        }
    }

    /// Creates a file, if there is none and there are hits.
    fn begin(&mut self, now_ns: u64) -> Result<(), HitsError> {
        // A table without hits creates no file.
        if self.hits.is_empty() && self.file.is_none() {
            return Ok(());
        }
        if self.file.is_none() {
            self.create(now_ns)?;
        }
        let flush_seconds = self.params.flush_seconds;
        // The time limit runs from the oldest unsafe hit.
        self.flush_ns = self.flush_ns.or(Some(now_ns + (flush_seconds * 1e9) as u64));
        Ok(())
    }

    fn create(&mut self, now_ns: u64) -> Result<(), HitsError> {
        let p = &mut self.params;
        let file = p.files.create_next(&mut p.file_number)?;
        let about = About { run: p.run, clock_hz: p.clock_hz, level: p.level };
        self.file = Some(HitFile::begin(file, &about)?);
        self.end_ns = (p.max_seconds > 0.0).then(|| now_ns + (p.max_seconds * 1e9) as u64);
        Ok(())
    }

    /// Writes all whole row groups, and ends the file when it is full.
    fn write_groups(&mut self) -> Result<(), HitsError> {
        let size = self.params.row_group;
        while self.hits.len() >= size && self.file.is_some() {
            self.write_group(size)?;
        }
        let p = &self.params;
        let is_full =
            |file: &HitFile| file.bytes() >= p.max_bytes || file.rows + self.hits.len() as u64 >= p.max_rows;
        if self.file.as_ref().is_some_and(is_full) { self.end() } else { Ok(()) }
    }

    /// Writes the first `count` hits that wait.
    fn write_group(&mut self, count: usize) -> Result<(), HitsError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let before = file.rows;
        let written = file.write(&self.hits[..count]);
        // If only the index behind them could not be written, the file has counted them already.
        if file.rows > before {
            self.hits.drain(..count);
        }
        written
    }

    /// Writes the waiting hits, so that all hits are safe.
    fn flush(&mut self) -> Result<(), HitsError> {
        if !self.hits.is_empty() {
            self.write_group(self.hits.len())?;
        }
        self.file.as_mut().map_or(Ok(()), HitFile::secure)
    }

    /// Writes the waiting hits and ends the file, if there is one.
    fn end(&mut self) -> Result<(), HitsError> {
        self.end_ns = None;
        self.flush()?;
        self.settle_frames();
        let Some(file) = self.file.take() else { return Ok(()) };
        // The number counts files, and not attempts.
        self.params.file_number += 1;
        self.before.1 += file.safe_rows;
        // Safe hits can be read under the old name, too.
        let (name, bytes) = file.finish().inspect_err(|why| self.writing.tell_unfinished(why))?;
        self.params.files.full_file_name = name;
        self.params.num_captured += 1;
        self.before.0 += bytes;
        Ok(())
    }

    /// After a failure: ends the file with the hits that are safe; all others are lost, and frames that have some of them.
    fn fail(&mut self, why: &dyn Display, now_ns: u64) {
        self.settle_frames();
        let p = &mut self.params;
        let (mut lost, mut why) = (self.hits.len() as u64, why.to_string());
        if let Some(file) = self.file.take() {
            p.file_number += 1;
            // Hits behind the last index are in no readable file.
            lost += file.rows - file.safe_rows;
            self.before.1 += file.safe_rows;
            match file.give_up() {
                // A file without any safe hit was removed.
                Ok(None) => {}
                Ok(Some((name, bytes))) => {
                    p.files.full_file_name = name;
                    p.num_captured += 1;
                    self.before.0 += bytes;
                }
                Err(more) => why += &format!("; {more}"),
            }
        }
        self.hits.clear();
        p.hits_lost += lost;
        // Their frames are lost in the ledger, with the reason.
        self.under_way.drain(..).for_each(|(_, frame)| frame.lost(why.as_str()));
        (self.end_ns, self.flush_ns) = (None, None);
        p.files.report.failed(why);
        self.writing.wait(now_ns);
    }

    /// For events beside frames.
    fn conclude(&mut self, done: Result<(), HitsError>, ctx: &mut Context) -> Result<(), NodeError> {
        let done = done.map_err(|why| {
            self.fail(&why, ctx.now_ns());
            NodeError::new(why)
        });
        self.settle(ctx);
        done
    }

    /// Completes frames whose hits are all safe.
    fn settle_frames(&mut self) {
        let safe_rows = self.file.as_ref().map_or(0, |file| file.safe_rows);
        while self.under_way.front().is_some_and(|(rows, _)| *rows <= safe_rows) {
            let Some((_, frame)) = self.under_way.pop_front() else { break };
            frame.completed();
        }
    }

    /// Brings frames, readbacks and the timer up to date.
    fn settle(&mut self, ctx: &mut Context) {
        self.settle_frames();
        let (bytes, rows, safe_rows) =
            self.file.as_ref().map_or((0, 0, 0), |file| (file.bytes(), file.rows, file.safe_rows));
        let p = &mut self.params;
        p.hits_waiting = rows - safe_rows + self.hits.len() as u64;
        (p.bytes_written, p.hits_written) = (self.before.0 + bytes, self.before.1 + safe_rows);
        if p.hits_waiting == 0 {
            self.flush_ns = None;
        }
        if self.file.is_some() && self.writing.resume() {
            p.files.report.succeeded();
        }
        ctx.set_timer(self.end_ns.into_iter().chain(self.flush_ns).min());
    }
}
