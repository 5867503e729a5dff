//! `livetime-bench served`: the cost of serving a run over pvAccess.
//!
//! The same graph runs alone, served, and served while another program watches all of its PVs. One graph takes 10,000
//! small frames per second; the other is the graph of the areaDetector study (a picture of 1 MB and eleven plugins, as
//! `plugins-2013` runs it), whose images are then sent, too. The three alternate; each is compared with the run alone
//! beside it. Then graphs of a thousand to a hundred thousand PVs give the cost of one PV.

mod scale;

use livetime_measure::MeasureError;

use crate::Failed;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_engine::{Run, RunOptions};
use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::server::ServerConfig;
use serde_json::{Value, json};

use super::pva::{cpu_seconds, rounded};
use super::{CountAllocations, Progress, Record, Settings, Spread};
use livetime_control::config::{self, Pipeline};
use livetime_control::report::table::{Style, Table};
use livetime_epics::{Bell, Options, Served};

/// 10,000 small frames per second through four nodes.
pub(super) const GRAPH: &str = "\
memory: 64 MiB
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 64, acquire_time: 0, acquire_period: 100 us}
  STATS1: {type: statistics, from: detector, queue: 1000}
  ROI1: {type: roi, from: detector, queue: 1000, params: {size_x: 32, size_y: 32}}
  STATS2: {type: statistics, from: ROI1, queue: 1000}
  Image1: {type: image, from: detector, queue: 1000}
";

/// The graphs, and the node whose latency is reported.
const GRAPHS: [(&str, &str, &str); 2] =
    [("small frames", GRAPH, "STATS2"), ("areaDetector study", config::DEFAULT.1, "STATS4")];

/// The observer of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Alone,
    Served,
    Watched,
}

const MODES: [(Mode, &str); 3] =
    [(Mode::Alone, "not served"), (Mode::Served, "served"), (Mode::Watched, "served, every PV watched")];

/// The result of one run.
struct Repeat {
    hz: f64,
    /// CPU time of this program, all threads together.
    cpu_us: f64,
    p50_us: f64,
    p99_us: f64,
    lost: u64,
}

pub(super) fn run(
    settings: &Settings,
    count: CountAllocations,
    progress: &mut Progress,
) -> Result<Record, Failed> {
    let seconds = if settings.quick { 0.3 } else { settings.seconds };
    let mut rows = Vec::new();
    for (graph, text, last) in GRAPHS.into_iter().filter(|(name, ..)| name.contains(&settings.filter)) {
        let mut done: [Vec<Repeat>; 3] = Default::default();
        for repeat in 0..settings.repeats() {
            progress.log(format!("{graph}, repeat {}", repeat + 1));
            // Every other time the other way round.
            let mut order = [0, 1, 2];
            if repeat % 2 == 1 {
                order.reverse();
            }
            for n in order {
                done[n].push(measure(
                    (text, last),
                    MODES[n].0,
                    Duration::from_secs_f64(seconds),
                    &settings.livetime,
                )?);
            }
        }
        let named = MODES.iter().zip(&done);
        rows.extend(named.map(|((_, name), repeats)| row(&format!("{graph}, {name}"), repeats, &done[0])));
    }
    Ok(record(rows, scale::rows(settings, count, progress)?, seconds))
}

fn measure((text, last): (&str, &str), mode: Mode, time: Duration, program: &Path) -> Result<Repeat, Failed> {
    let pipeline = config::parse("served", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
    let options = RunOptions { remember_frames: mode != Mode::Alone, ..RunOptions::default() };
    let run = Arc::new(Run::start(&pipeline.graph, options).map_err(MeasureError::from)?);
    let served = if mode == Mode::Alone { None } else { Some(serve(&run, &pipeline)?) };
    let address = served.as_ref().and_then(Served::address);
    let watcher = address
        .filter(|_| mode == Mode::Watched)
        .map(|address| Watcher::start(program, address))
        .transpose()?;
    // Queues, caches and the watcher's connections settle first.
    std::thread::sleep(Duration::from_millis(300));
    let used = || cpu_seconds(std::process::id());
    let (begin, frames, cpu) = (Instant::now(), emitted(&run), used());
    std::thread::sleep(time);
    let (cpu, frames) = (used() - cpu, emitted(&run) - frames);
    let elapsed = begin.elapsed().as_secs_f64();
    // A watcher that has ended costs nothing: the numbers would be too good.
    if watcher.is_some_and(|mut watcher| watcher.has_ended()) {
        return Err("the program that watches has ended".into());
    }
    drop(served);
    run.stop();
    let run = Arc::into_inner(run).ok_or("somebody still holds the run")?;
    let report = run.finish(Duration::from_secs(10));
    let imbalances = report.imbalances();
    // A ledger that does not close would make the counted losses worthless.
    if !imbalances.is_empty() {
        return Err(format!("the ledger does not close: {}", imbalances.join("; ")).into());
    }
    let latency = report.nodes.iter().find(|n| n.name == last).map(|n| &n.latency);
    let us = |ns: Option<u64>| ns.unwrap_or(0) as f64 / 1e3;
    Ok(Repeat {
        hz: frames as f64 / elapsed,
        cpu_us: cpu * 1e6 / frames.max(1) as f64,
        p50_us: us(latency.map(|l| l.p50_ns())),
        p99_us: us(latency.map(|l| l.p99_ns())),
        lost: report.unintended_losses(),
    })
}

fn emitted(run: &Run) -> u64 {
    // The first node is the detector.
    run.report().nodes.first().map_or(0, |n| n.emitted)
}

fn serve(run: &Arc<Run>, pipeline: &Pipeline) -> Result<Served, Failed> {
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    Ok(Served::start(run, &pipeline.plan, &options, &Bell::default())?)
}

/// `livetime pv monitor` of every PV, in a process of its own.
struct Watcher(Child);

impl Watcher {
    fn start(program: &Path, address: SocketAddr) -> Result<Watcher, Failed> {
        let client = Client::new(ClientConfig::name_servers(&[address]))?;
        let names = client.names(address).and_then(|names| names.wait(Duration::from_secs(10)));
        let mut command = Command::new(program);
        command.args(["pv", "monitor", "--json"]).args(names?);
        // No other server in the network is asked.
        command.env("EPICS_PVA_NAME_SERVERS", address.to_string());
        command.env("EPICS_PVA_ADDR_LIST", "").env("EPICS_PVA_AUTO_ADDR_LIST", "NO");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        child.map(Watcher).map_err(|e| format!("cannot start the program that watches: {e}").into())
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn row(name: &str, repeats: &[Repeat], alone: &[Repeat]) -> Value {
    let spread = |of: &dyn Fn(&Repeat) -> f64| Spread::of(repeats.iter().map(of).collect());
    let (hz, cpu) = (spread(&|r| r.hz), spread(&|r| r.cpu_us));
    let (p50, p99) = (spread(&|r| r.p50_us), spread(&|r| r.p99_us));
    let ratio = Spread::of(repeats.iter().zip(alone).map(|(a, b)| a.cpu_us / b.cpu_us).collect());
    let three = |s: Spread, digits| [s.median, s.min, s.max].map(|v| rounded(v, digits));
    json!({
        "run": name,
        "frames_per_s": three(hz, 0),
        "cpu_us_per_frame": three(cpu, 2),
        "cpu_of_alone": three(ratio, 3),
        "latency_p50_us": three(p50, 1),
        "latency_p99_us": three(p99, 1),
        "lost": repeats.iter().map(|r| r.lost).sum::<u64>(),
    })
}

fn record(rows: Vec<Value>, scale: Vec<Value>, seconds: f64) -> Record {
    let columns = [
        ("run", "run"),
        ("frames/s", "frames_per_s"),
        ("CPU us/frame", "cpu_us_per_frame"),
        ("of not served", "cpu_of_alone"),
        ("latency p50 us", "latency_p50_us"),
        ("latency p99 us", "latency_p99_us"),
        ("lost", "lost"),
    ];
    let mut table = Table::new(&columns.map(|(title, _)| title)).right(1..columns.len());
    for row in &rows {
        table.row(columns.map(|(_, key)| scale::cell(&row[key])));
    }
    let note = "\nCPU time is that of the run's own program. Latency is that of the last statistics, two\n\
                nodes behind the detector.\n\n";
    let json = json!({
        "rows": rows, "scale": scale, "seconds_per_run": seconds,
        "images": { "small frames": "64 x 64 u8 mono", "areaDetector study": "1024 x 1024 u8 mono" },
    });
    Record { table: table.render(Style::default()) + note + &scale::table(&scale), json }
}
