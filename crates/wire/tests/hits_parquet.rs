//! `hits_parquet` when the program is killed and when the disk is full, each in a process of its own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(feature = "parquet")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use livetime_engine::testing::{Harness, Random};
use livetime_engine::{
    Context, EdgeOptions, Graph, LossReason, Next, Node, NodeError, NodeSpec, NodeType, Params, PortSpec,
    Run, RunOptions, Value, WhenFull,
};
use livetime_frame::{Frame, TableLayout};
use livetime_wire::sinks::hits_parquet::{HitsParquet, recover};
use livetime_wire::{HitRow, Row, RowTable};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Names the folder in which a child writes.
const FOLDER: &str = "LIVETIME_TEST_HITS";
/// Hits of a table.
const TABLE: u64 = 500;

/// The test `name` of this program in a process of its own, in which large files fail instead of ending it.
fn child(name: &str, folder: &Path) -> Child {
    livetime_testkit::test_process(module_path!(), name).unwrap().env(FOLDER, folder).spawn().unwrap()
}

fn limit_files(bytes: Option<u64>) {
    setrlimit(Resource::Fsize, Rlimit { current: bytes, ..getrlimit(Resource::Fsize) }).unwrap();
}

/// Hit `number` of a stream without end; numbers can be told from the time alone.
fn hit(number: u64) -> HitRow {
    let mix = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    HitRow {
        time_start: 1_000_000 + 25 * number,
        channel: (mix >> 40) as u32 % 2560,
        adc_integral: (mix >> 20) as u32 & 0xFFF,
        adc_peak: (mix >> 32) as u16 & 0x7F,
        ..HitRow::default()
    }
}

fn table(harness: &Harness, first: u64) -> Frame {
    let rows: Vec<HitRow> = (first..first + TABLE).map(hit).collect();
    let mut table =
        harness.pool().allocator().table(TableLayout::new(HitRow::schema(), rows.len()).unwrap()).unwrap();
    HitRow::put(&rows, &mut table).unwrap();
    table.freeze()
}

/// How many hits the file has: those from number `first` on, each as it was made.
fn hits_in(file: &Path, first: u64) -> u64 {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let mut number = first;
    for row in reader.get_row_iter(None).unwrap() {
        let (row, wanted) = (row.unwrap(), hit(number));
        let found = (
            row.get_ulong(0).unwrap(),
            row.get_uint(1).unwrap(),
            row.get_uint(2).unwrap(),
            row.get_ushort(3).unwrap(),
        );
        assert_eq!(found, (wanted.time_start, wanted.channel, wanted.adc_integral, wanted.adc_peak));
        number += 1;
    }
    number - first
}

#[test]
#[ignore = "run by `of_a_killed_program_all_safe_hits_can_be_read`"]
fn writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = PathBuf::from(folder);
    let path: Value = folder.to_str().unwrap().into();
    let mut harness = Harness::new::<HitsParquet>(&[("path", path), ("row_group", 3000.into())]).unwrap();
    let mut told = File::create(folder.join("safe")).unwrap();
    for number in 0.. {
        let table = table(&harness, number * TABLE);
        harness.feed(&table).unwrap();
        // The number of hits that the node calls written, told after they are written.
        told.write_all(&(harness.number_of("hits_written") as u64).to_le_bytes()).unwrap();
    }
}

/// How many hits the child has last said to be safe.
fn told_safe(folder: &Path) -> u64 {
    let told = fs::read(folder.join("safe")).unwrap_or_default();
    told.chunks_exact(8).next_back().map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
}

/// At random moments, often enough that some are in the middle of a write.
#[test]
fn of_a_killed_program_all_safe_hits_can_be_read() {
    let mut random = Random::new(11);
    let mut saved = 0;
    for _ in 0..8 {
        let folder = tempfile::tempdir().unwrap();
        let mut child = child("writes_until_it_is_killed", folder.path());
        let file = folder.path().join("hits_0001.parquet.inprogress");
        while told_safe(folder.path()) == 0 {
            assert!(child.try_wait().unwrap().is_none(), "it has ended by itself");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_micros(random.next_u64() % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let safe = told_safe(folder.path());
        let output = folder.path().join("saved.parquet");
        let found = recover(&file, &output).unwrap().unwrap();
        assert!(found.rows >= safe, "{} of {safe}", found.rows);
        assert_eq!(hits_in(&output, 0), found.rows);
        saved += found.rows;
    }
    assert!(saved >= 8 * 3000);
}

/// A source of tables of hits.
struct Hits {
    params: HitsParams,
    table: RowTable<HitRow>,
    sent: u64,
}

/// How many.
#[derive(Params)]
struct HitsParams {
    /// Tables.
    #[param(default = 100)]
    tables: u64,
}

impl Node for Hits {
    type Params = HitsParams;
    const SPEC: NodeSpec = NodeSpec::source("hits", "Sends tables of hits.", &[PortSpec::table("out")]);

    fn new(params: HitsParams) -> Result<Hits, NodeError> {
        Ok(Hits { params, table: RowTable::default(), sent: 0 })
    }

    fn params(&mut self) -> &mut HitsParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let rows: Vec<HitRow> = (self.sent * TABLE..(self.sent + 1) * TABLE).map(hit).collect();
        let mut frame = self.table.frame(&rows, ctx)?;
        frame.header_mut().sequence = self.sent;
        self.sent += 1;
        ctx.emit(frame)?;
        Ok(if self.sent < self.params.tables { Next::Now } else { Next::Finished })
    }
}

/// Hits that the ledger calls completed are in the files, and no others; and they are there although the disk is full.
#[test]
#[ignore = "run by `on_a_full_disk_what_is_completed_can_be_read`"]
fn a_graph_writes_onto_a_full_disk() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    for (number, limit) in [30_000, 45_000, 61_234, 100, 3_000].into_iter().enumerate() {
        let folder = Path::new(&folder).join(number.to_string());
        fs::create_dir(&folder).unwrap();
        let mut graph = Graph::default();
        graph.add("hits", NodeType::of::<Hits>()).unwrap();
        graph.add("file", NodeType::of::<HitsParquet>()).unwrap();
        let options = EdgeOptions { when_full: WhenFull::Block, queue: 8, ..EdgeOptions::default() };
        graph.connect("hits", "file", options).unwrap();
        graph.set(1, "path", &folder.to_str().unwrap().into()).unwrap();
        graph.set(1, "row_group", &1000.into()).unwrap();
        limit_files(Some(limit));
        let run = Run::start(&graph, RunOptions::default()).unwrap();
        assert!(run.wait(livetime_testkit::HANG));
        let report = run.finish(Duration::ZERO);
        limit_files(None);
        assert_eq!(report.imbalances(), Vec::<String>::new());
        let sink = &report.nodes[1];
        assert_eq!((sink.received, sink.completed + sink.lost_inside()), (100, 100));
        assert_eq!(sink.lost.get(&LossReason::NodeError), Some(&sink.lost_inside()));
        let count = |name: &str| match sink.readbacks().find(|(spec, _)| spec.name == name).unwrap().1 {
            Value::Int(count) => *count as u64,
            other => panic!("{other:?}"),
        };
        let files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(files.iter().all(|file| file.extension().is_some_and(|e| e == "parquet")), "{files:?}");
        // Writing is tried again once a second, and this takes less: all is in the first file.
        let hits = files.iter().map(|file| hits_in(file, 0)).sum::<u64>();
        assert_eq!((hits, count("hits_lost")), (count("hits_written"), 100 * TABLE - hits), "limit {limit}");
        // A frame is completed when its last hit is safe.
        assert_eq!(sink.completed, hits / TABLE, "limit {limit}");
        assert_eq!(sink.completed > 0, limit > 10_000);
    }
}

#[test]
fn on_a_full_disk_what_is_completed_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    assert!(child("a_graph_writes_onto_a_full_disk", folder.path()).wait().unwrap().success());
}
