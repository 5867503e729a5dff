//! `livetime-bench analyze`: mean and deviation of recorded runs, by codec and number of workers.

mod run;

use crate::Failed;
use livetime_analysis::{GoOn, Options, PixelStatistics, Recording, Reducers, analyze, detector};
use livetime_control::report::table::{Style, Table};
use livetime_formats::xtc1::compressed::Engine;
use serde_json::{Value, json};

use super::{Meter, Progress, Record, Settings, Spread, Usage};
pub(super) use run::SimulatedRun;

/// Events of a run: 0.9 GB of pictures.
const EVENTS: u64 = 200;
const QUICK_EVENTS: u64 = 8;

const CODECS: [Engine; 4] = [Engine::NONE, Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK];

struct Row {
    codec: String,
    ratio: f64,
    workers: usize,
    effective: Spread,
    /// Of the repeat in the middle.
    usage: Usage,
}

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rows = Vec::new();
    for engine in CODECS.into_iter().filter(|e| e.to_string().contains(&settings.filter)) {
        progress.log(format!("a run with codec {engine}"));
        let events = if settings.quick { QUICK_EVENTS } else { EVENTS };
        let run = SimulatedRun::write(engine, events)?;
        for workers in 1..=cores.max(2) {
            progress.log(format!("{engine}, {workers} workers"));
            rows.push(measure(&run, engine, workers, settings.repeats())?);
        }
    }
    Ok(record(&rows))
}

/// Analyses the run in repeats, after one that brings its file into memory.
fn measure(run: &SimulatedRun, engine: Engine, workers: usize, repeats: usize) -> Result<Row, Failed> {
    let reducers =
        || Reducers::default().with(PixelStatistics { mean: true, std: true, ..Default::default() });
    let once = || -> livetime_analysis::Result<Usage> {
        let meter = Meter::start();
        let recording = Recording::open(&[run.path()])?;
        let detector = detector(&recording, None)?;
        let options = Options { workers, ..Options::default() };
        let found = analyze(&recording, &detector, &options, &reducers(), &mut |_| GoOn::Yes)?;
        Ok(meter.stop(found.account.file_bytes, found.account.raw_bytes))
    };
    let all = (0..=repeats).map(|_| once()).collect::<livetime_analysis::Result<Vec<Usage>>>();
    let mut measured = all?.split_off(1);
    measured.sort_by_key(|usage| usage.wall);
    let usage = measured[measured.len() / 2];
    let ratio = usage.file_bytes as f64 / usage.raw_bytes as f64;
    let effective = Spread::of(measured.iter().map(Usage::effective_mb_s).collect());
    Ok(Row { codec: engine.to_string(), ratio, workers, effective, usage })
}

fn record(rows: &[Row]) -> Record {
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "codec": row.codec,
                "ratio": (row.ratio * 1000.0).round() / 1000.0,
                "workers": row.workers,
                "effective_mb_s": row.effective.median.round(),
                "effective_spread": row.effective.json(),
                "file_mb_s": row.usage.file_mb_s().round(),
                "disk_mb_s": row.usage.disk_mb_s().map(f64::round),
                "cpu_percent": row.usage.cpu_percent().round(),
                "cpu_s_per_100_mb": row.usage.cpu_s_per_100_mb(),
            })
        })
        .collect();
    let heads = ["codec", "ratio", "workers", "MB/s of data", "MB/s of files", "CPU %", "CPU s per 100 MB"];
    let mut table = Table::new(&heads).right(1..7);
    for row in rows {
        table.row([
            row.codec.clone(),
            format!("{:.3}", row.ratio),
            row.workers.to_string(),
            format!("{:.0}", row.effective.median),
            format!("{:.0}", row.usage.file_mb_s()),
            format!("{:.0}", row.usage.cpu_percent()),
            row.usage.cpu_s_per_100_mb().map_or_else(|| "-".into(), |cpu| format!("{cpu:.4}")),
        ]);
    }
    Record { json: json!({ "rows": json }), table: table.render(Style::default()) }
}
