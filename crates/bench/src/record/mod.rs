//! `livetime-bench record`: the rate at which `hdf5_files` writes, into a file system in memory where there is one.
//!
//! Frames lie ready in memory, and the node is called for each of them: the measured time is the node's with all its
//! system calls. Eight pictures of 1024 x 1024 u16 take turns: a background with noise of four bits, and a peak; each
//! has 10 attributes.
//!
//! Two rows are of whole runs: an event of Bluesky, and a while at 4 kHz.
//!
//! For comparison the same pictures are written by threads that only write them into a new file, and as the same chunks
//! by h5py. All take turns, because the memory of a virtual machine is not equally fast at all times.

mod count;
mod lasting;
mod peer;
mod plain;
mod served;
mod shared;

use crate::Failed;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use livetime_control::report::table::{Style, Table};
use livetime_engine::testing::Harness;
use livetime_engine::{NodeError, Value as Param};
use livetime_frame::{AttributeValue, ColorMode, DType, Frame, FramePool, Layout};
use serde_json::{Value, json};

use super::{Progress, Record, Settings, Spread};
use shared::folder;

/// Pictures that take turns.
const PICTURES: u64 = 8;

/// The frames that are recorded, and how.
struct Case {
    name: &'static str,
    size: usize,
    dtype: DType,
    attributes: usize,
    frames: usize,
    params: &'static [(&'static str, &'static str)],
    /// The codec that compresses the frames before they come.
    comes: Option<&'static str>,
    /// Frames between two writes to `flush_now`, whose time is then measured.
    flush_every: usize,
    by: By,
}

/// The writer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// `hdf5_files`.
    Node,
    /// This number of threads that only write.
    Plain(usize),
    /// h5py.
    Peer,
}

const LARGE: Case = Case {
    name: "",
    size: 1024,
    dtype: DType::U16,
    attributes: 10,
    frames: 1000,
    params: &[],
    comes: None,
    flush_every: 0,
    by: By::Node,
};
const SMALL: Case = Case { size: 64, dtype: DType::U8, attributes: 20, frames: 40_000, ..LARGE };

const CASES: [Case; 21] = [
    Case { name: "plain writes, 1 thread", by: By::Plain(1), ..LARGE },
    Case { name: "plain writes, 2 threads", by: By::Plain(2), ..LARGE },
    Case { name: "uncompressed", ..LARGE },
    Case { name: "uncompressed, 1 worker", params: &[("workers", "1")], ..LARGE },
    Case { name: "uncompressed, 2 workers", params: &[("workers", "2")], ..LARGE },
    Case { name: "uncompressed, flush per frame", params: &[("flush_frames", "1")], ..LARGE },
    Case {
        name: "uncompressed, flush per frame, 2 workers",
        params: &[("flush_frames", "1"), ("workers", "2")],
        ..LARGE
    },
    Case { name: "uncompressed, h5py", by: By::Peer, ..LARGE },
    Case { name: "bslz4 here", params: &[("compression", "BSLZ4")], ..LARGE },
    Case { name: "bslz4 here, 1 worker", params: &[("compression", "BSLZ4"), ("workers", "1")], ..LARGE },
    Case { name: "bslz4 here, 2 workers", params: &[("compression", "BSLZ4"), ("workers", "2")], ..LARGE },
    Case {
        name: "blosc lz4 here",
        params: &[("compression", "Blosc"), ("blosc_compressor", "lz4"), ("blosc_shuffle", "bit")],
        ..LARGE
    },
    Case { name: "zlib here", params: &[("compression", "zlib")], frames: 100, ..LARGE },
    Case { name: "comes as bslz4", comes: Some("bslz4"), frames: 4000, ..LARGE },
    Case {
        name: "comes as bslz4, flush per frame",
        comes: Some("bslz4"),
        frames: 4000,
        params: &[("flush_frames", "1")],
        ..LARGE
    },
    Case {
        name: "comes as bslz4, plain writes",
        comes: Some("bslz4"),
        by: By::Plain(1),
        frames: 4000,
        ..LARGE
    },
    Case { name: "comes as bslz4, h5py", comes: Some("bslz4"), by: By::Peer, frames: 4000, ..LARGE },
    Case { name: "flush_now", comes: Some("bslz4"), frames: 4000, flush_every: 20, ..LARGE },
    Case {
        name: "flush_now, 2 workers",
        comes: Some("bslz4"),
        frames: 4000,
        flush_every: 20,
        params: &[("workers", "2")],
        ..LARGE
    },
    Case { name: "small, 20 attributes", ..SMALL },
    Case { name: "small, 20 attributes, flush per frame", params: &[("flush_frames", "1")], ..SMALL },
];

struct Row {
    case: &'static Case,
    frames_per_s: Spread,
    stored_bytes: u64,
    flush_us: Vec<f64>,
}

/// A case while it is measured.
struct Measured {
    case: &'static Case,
    frames: Vec<Frame>,
    count: usize,
    rates: Vec<f64>,
    flush_us: Vec<f64>,
    stored_bytes: u64,
}

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let is_wanted = |case: &&Case| {
        case.name.contains(&settings.filter) && (case.by != By::Peer || settings.peer.is_some())
    };
    let cases = CASES.iter().filter(is_wanted).map(|case| Measured::new(case, settings.quick));
    let mut cases = cases.collect::<Result<Vec<_>, _>>()?;
    // The first turn warms up.
    for repeat in 0..=settings.repeats() {
        progress.log(format!("turn {repeat} of {}", settings.repeats()));
        for case in &mut cases {
            let measured = case.measure(settings, repeat > 0);
            measured.map_err(|e| format!("{}: {e}", case.case.name))?;
        }
    }
    let mut found = record(&cases.into_iter().map(Measured::row).collect::<Vec<_>>());
    let is_wanted = |name: &str| name.contains(&settings.filter);
    if is_wanted(lasting::NAME) {
        let row = lasting::measure(settings, progress)?;
        found.table += &lasting::table(&row);
        super::merge(&mut found.json, json!({ "lasting": row }));
    }
    if let Some(python) = settings.peer.as_ref().filter(|_| is_wanted(count::NAME))
        && let Some(row) = count::measure(settings, python, progress)?
    {
        found.table += &count::table(&row);
        super::merge(&mut found.json, json!({ "count": row }));
    }
    Ok(found)
}

impl Measured {
    fn new(case: &'static Case, is_quick: bool) -> Result<Measured, NodeError> {
        let (frames, count) = (pictures(case)?, if is_quick { 20 } else { case.frames });
        Ok(Measured { case, frames, count, rates: vec![], flush_us: vec![], stored_bytes: 0 })
    }

    fn measure(&mut self, settings: &Settings, counts: bool) -> Result<(), NodeError> {
        let folder = folder().join(format!("livetime-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(NodeError::new)?;
        let path = folder.join("frame_001.h5");
        let written = match (self.case.by, &settings.peer) {
            (By::Plain(threads), _) => plain::write(&self.frames, self.count, threads, &path),
            (By::Peer, Some(python)) => peer::write(python, &self.frames, self.count, &path),
            _ => write(self.case, &self.frames, self.count, &folder),
        };
        self.stored_bytes = std::fs::metadata(&path).map_or(0, |m| m.len()) / self.count as u64;
        // Removed before an error is returned, because the next turn makes the folder anew.
        std::fs::remove_dir_all(&folder).map_err(NodeError::new)?;
        let (rate, flushes) = written?;
        if counts {
            self.rates.push(rate);
            self.flush_us.extend(flushes);
        }
        Ok(())
    }

    fn row(mut self) -> Row {
        self.flush_us.sort_by(f64::total_cmp);
        let (case, stored_bytes, flush_us) = (self.case, self.stored_bytes, self.flush_us);
        Row { case, frames_per_s: Spread::of(self.rates), stored_bytes, flush_us }
    }
}

/// Frames per second, and how long each `flush_now` took in us.
fn write(case: &Case, frames: &[Frame], count: usize, folder: &Path) -> Result<(f64, Vec<f64>), NodeError> {
    let node = livetime_nodes::find("hdf5_files").map_err(NodeError::new)?;
    let path = folder.to_str().unwrap_or_default();
    let mut params: Vec<(&str, Param)> =
        vec![("path", path.into()), ("mode", "stream".into()), ("capture", true.into())];
    params.extend(case.params.iter().map(|(name, value)| (*name, Param::from(*value))));
    let mut harness = Harness::of(node, &params)?;
    let mut flush_us = Vec::new();
    let begin = Instant::now();
    for (number, frame) in (0..count).zip(frames.iter().cycle()) {
        harness.feed(frame)?;
        if case.flush_every != 0 && number % case.flush_every == 0 {
            let begin = Instant::now();
            harness.set("flush_now", true)?;
            flush_us.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }
    harness.set("capture", false)?;
    let rate = count as f64 / begin.elapsed().as_secs_f64();
    let captured = harness.number_of("num_captured");
    // A frame that is not in the file would make the rate look good.
    if captured != count as f64 {
        return Err(NodeError::new(format!("wanted {count} frames in the file, found {captured}")));
    }
    Ok((rate, flush_us))
}

fn pictures(case: &Case) -> Result<Vec<Frame>, NodeError> {
    let mut frames = (0..PICTURES).map(|number| picture(case, number)).collect::<Result<Vec<_>, _>>()?;
    if let Some(codec) = case.comes {
        let node = livetime_nodes::find("compress").map_err(NodeError::new)?;
        let mut compress = Harness::of(node, &[("compressor", codec.into())])?;
        for frame in &mut frames {
            let packed = compress.feed(frame)?;
            *frame = packed.into_iter().next().ok_or_else(|| NodeError::new("wanted a frame, found none"))?;
        }
    }
    Ok(frames)
}

fn picture(case: &Case, number: u64) -> Result<Frame, NodeError> {
    let layout = Layout::packed(case.dtype, ColorMode::Mono, &[case.size, case.size])?;
    let mut frame = FramePool::new(64 << 20).allocator().array(layout).map_err(NodeError::new)?;
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for (place, pixel) in frame.bytes_mut().chunks_exact_mut(case.dtype.bytes()).enumerate() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Noise of four bits: the upper ones, which are the most random of such a generator.
        let value = 100 + (state >> 60) as u16 + peak(place % case.size, place / case.size, case.size);
        pixel.copy_from_slice(&value.to_le_bytes()[..case.dtype.bytes()]);
    }
    let header = frame.header_mut();
    (header.sequence, header.event_time_ns) = (number, 1_700_000_000_000_000_000);
    for attribute in 0..case.attributes {
        let name = Arc::from(format!("Attribute{attribute}"));
        header.attributes.set(&name, AttributeValue::Float(number as f64));
    }
    Ok(frame.freeze())
}

/// A bright spot in the middle.
fn peak(x: usize, y: usize, size: usize) -> u16 {
    let distance = x.abs_diff(size / 2) + y.abs_diff(size / 2);
    // Further out the spot is 0, and a longer shift would overflow.
    (1000 >> distance.min(10)) as u16
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

impl Row {
    fn pixel_bytes(&self) -> f64 {
        (self.case.size * self.case.size * self.case.dtype.bytes()) as f64
    }

    fn stored_mb_per_s(&self) -> f64 {
        self.frames_per_s.median * self.stored_bytes as f64 / 1e6
    }
}

fn record(rows: &[Row]) -> Record {
    let json: Vec<Value> = rows.iter().map(row_json).collect();
    let mut table =
        Table::new(&["what", "frames/s", "min", "max", "stored MB/s", "pixels GB/s", "flush p99 us"])
            .right(1..7);
    for row in rows {
        let flush = if row.flush_us.is_empty() {
            "-".into()
        } else {
            format!("{:.0}", quantile(&row.flush_us, 0.99))
        };
        table.row([
            row.case.name.to_owned(),
            format!("{:.0}", row.frames_per_s.median),
            format!("{:.0}", row.frames_per_s.min),
            format!("{:.0}", row.frames_per_s.max),
            format!("{:.0}", row.stored_mb_per_s()),
            format!("{:.2}", row.frames_per_s.median * row.pixel_bytes() / 1e9),
            flush,
        ]);
    }
    let in_memory = folder().starts_with("/dev/shm");
    let table = if rows.is_empty() { String::new() } else { table.render(Style::default()) };
    Record { json: json!({ "in_memory": in_memory, "rows": json }), table }
}

fn row_json(row: &Row) -> Value {
    let mut json = json!({
        "what": row.case.name,
        "shape": [row.case.size, row.case.size],
        "dtype": row.case.dtype.name(),
        "attributes": row.case.attributes,
        "frames": row.case.frames,
        "frames_per_s": row.frames_per_s.json(),
        "stored_bytes_per_frame": row.stored_bytes,
        "stored_mb_per_s": row.stored_mb_per_s().round(),
        "pixels_gb_per_s": (row.frames_per_s.median * row.pixel_bytes() / 1e7).round() / 100.0,
    });
    if !row.flush_us.is_empty() {
        let at = |share| (quantile(&row.flush_us, share) * 10.0).round() / 10.0;
        let flushes =
            json!({ "count": row.flush_us.len(), "median": at(0.5), "p99": at(0.99), "max": at(1.0) });
        super::merge(&mut json, json!({ "flush_us": flushes }));
    }
    json
}
