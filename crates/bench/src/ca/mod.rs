//! `livetime-bench ca`: Channel Access of ours beside rsrv of EPICS base, in turns, with one client through libca.
//!
//! Rows of rsrv need `--peer`, a Python with epicscorelibs, which has libca, too; a program in C is built with it. Our server shows
//! a run, with all of its PVs; rsrv has a database of as many records, without a detector behind them.

mod client;
mod load;
mod servers;

use std::path::Path;

use serde_json::{Value, json};

use client::Client;
pub use servers::serve_picture;
use servers::{PICTURE, Served};

use super::pva::rounded;
use super::{Progress, Record, Settings, Spread};
use crate::Failed;
use livetime_control::report::table::{Style, Table};

/// Channels of the rows of gets.
const CHANNELS: [usize; 3] = [1, 1_000, 10_000];

/// Numbers among the PVs of a statistics node, at least.
const NUMBERS_PER_NODE: usize = 60;

/// The parts of a benchmark of this page.
struct Bench<'a> {
    settings: &'a Settings,
    python: &'a Path,
    client: Client,
    seconds: f64,
}

/// One row: numbers of ours and of rsrv, one for each repeat.
pub(super) struct Row {
    pub(super) case: String,
    pub(super) unit: &'static str,
    /// Whether less is better.
    pub(super) is_cost: bool,
    pub(super) ours: Vec<f64>,
    pub(super) rsrv: Vec<f64>,
    /// More about the last repeat.
    pub(super) more: Value,
}

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let hint = "wanted --peer, a Python with epicscorelibs (`bash tools/peers.sh ioc` prints one)";
    let python = settings.peer.as_deref().ok_or(hint)?;
    let seconds = if settings.quick { 0.2 } else { settings.seconds };
    let bench = Bench { settings, python, client: Client::build(python, settings.apart)?, seconds };
    let mut rows = Vec::new();
    let channels = CHANNELS.into_iter().filter(|count| !settings.quick || *count <= 1_000);
    for count in channels {
        bench.add(&mut rows, progress, &format!("get of {count} channels"), |bench, case| {
            bench.get(case, count)
        })?;
    }
    bench.add(&mut rows, progress, "put of Acquire that waits for 1 frame", Bench::put)?;
    bench.add(&mut rows, progress, "image", Bench::image)?;
    bench.add(&mut rows, progress, "memory of a channel", Bench::memory)?;
    bench.add(&mut rows, progress, "get during 100,000 searches/s", Bench::flood)?;
    bench.add(&mut rows, progress, "start", Bench::start)?;
    bench.add(&mut rows, progress, "run at 10 kHz with 10 clients", Bench::clients)?;
    Ok(record(&rows, seconds, settings.apart))
}

/// A graph with numbers enough for so many channels, at rest.
pub(super) fn graph(numbers: usize) -> String {
    let nodes = numbers.div_ceil(NUMBERS_PER_NODE).max(1);
    let node = |n| format!("  s{n}: {{type: statistics, from: cam, queue: 4, placement: {{group: s}}}}\n");
    let nodes: String = (1..=nodes).map(node).collect();
    let camera = "{acquire: false, max_size_x: 16, max_size_y: 16, acquire_time: 0, acquire_period: 0, \
                  image_mode: single}";
    let served = "{prefix: 'B:', port: 0, search_port: 0, interfaces: 127.0.0.1}";
    format!(
        "memory: 1 GiB\npvaccess: {served}\nnodes:\n  cam: {{type: sim_detector, params: {camera}}}\n{nodes}"
    )
}

/// A database with so many numbers.
pub(super) fn database(numbers: usize) -> String {
    (0..numbers).map(|n| format!("record(ai, \"n{n}\") {{field(VAL, \"1.5\")}}\n")).collect()
}

/// Their names.
pub(super) fn names(numbers: usize) -> Vec<String> {
    (0..numbers).map(|n| format!("n{n}")).collect()
}

/// A number of a result.
pub(super) fn number(found: &Value, key: &str) -> f64 {
    found[key].as_f64().unwrap_or(f64::NAN)
}

impl<'a> Bench<'a> {
    fn add(
        &self,
        rows: &mut Vec<Row>,
        progress: &mut Progress,
        case: &str,
        measure: impl FnOnce(&Bench<'a>, &str) -> Result<Row, Failed>,
    ) -> Result<(), Failed> {
        if case.contains(&self.settings.filter) {
            progress.log(case);
            rows.push(measure(self, case)?);
        }
        Ok(())
    }

    /// A run and a soft IOC with so many numbers, and their names.
    fn pair(&self, numbers: usize) -> Result<[(Served, String); 2], Failed> {
        let pipeline = self.client.file("run.yaml", &graph(numbers))?;
        let ours = Served::run(self.settings, &pipeline, true)?;
        let ours_names = self.client.file("ours", &ours.names()?.join("\n"))?;
        let database = self.client.file("records.db", &database(numbers))?;
        let rsrv = Served::ioc(self.settings, self.python, &database)?;
        let rsrv_names = self.client.names(&names(numbers))?;
        Ok([(ours, ours_names.to_string_lossy().into_owned()), (rsrv, rsrv_names)])
    }

    /// Repeats a client at both servers in turns. Returns what it found: of ours, of rsrv.
    fn turns(&self, servers: [(u16, &[&str]); 2]) -> Result<[Vec<Value>; 2], Failed> {
        let mut found = [Vec::new(), Vec::new()];
        for _ in 0..self.settings.repeats() {
            for (found, (port, args)) in found.iter_mut().zip(servers) {
                // In turn, so that a change of the machine's speed meets both servers.
                found.push(self.client.run(port, args)?);
            }
        }
        Ok(found)
    }

    fn get(&self, case: &str, count: usize) -> Result<Row, Failed> {
        let [(ours, our_names), (rsrv, their_names)] = self.pair(count)?;
        let (channels, seconds) = (count.to_string(), self.seconds.to_string());
        let args = [&our_names, &their_names].map(|names| ["get", names, &channels, &seconds, "0"]);
        let found = self.turns([(ours.port, &args[0]), (rsrv.port, &args[1])])?;
        let case = if count == 1 { "get of 1 channel" } else { case };
        Ok(row(case, "gets/s", &found, |found| number(found, "per_s") * count as f64))
    }

    fn put(&self, case: &str) -> Result<Row, Failed> {
        let pipeline = self.client.file("put.yaml", &graph(1))?;
        let ours = Served::run(self.settings, &pipeline, true)?;
        // A record whose put ends when another record has set it back, as a busy record does.
        let database = self.client.file("put.db", BUSY)?;
        let rsrv = Served::ioc(self.settings, self.python, &database)?;
        let seconds = self.seconds.to_string();
        let args = [["put", "B:cam1:Acquire", &seconds], ["put", "acquire", &seconds]];
        let found = self.turns([(ours.port, &args[0]), (rsrv.port, &args[1])])?;
        Ok(row(case, "puts/s", &found, |found| number(found, "per_s")))
    }

    fn image(&self, case: &str) -> Result<Row, Failed> {
        let bytes = self.settings.image_bytes;
        let ours = Served::picture(self.settings)?;
        let database = format!(
            "record(waveform, \"img\") {{field(FTVL, \"UCHAR\") field(NELM, \"{bytes}\") field(MPST, \"Always\")}}\n"
        );
        let rsrv = Served::ioc(self.settings, self.python, &self.client.file("image.db", &database)?)?;
        let (bytes, seconds) = (bytes.to_string(), self.seconds.to_string());
        let args = ["image", PICTURE.0, PICTURE.1, &bytes, &seconds];
        let found = self.turns([(ours.port, &args), (rsrv.port, &args)])?;
        Ok(row(&format!("{case} of {bytes} bytes, asked for one by one"), "images/s", &found, |found| {
            number(found, "per_s")
        }))
    }

    /// The memory that a server takes for a channel that a client holds.
    fn memory(&self, case: &str) -> Result<Row, Failed> {
        let count = if self.settings.quick { 1_000 } else { 10_000 };
        let mut found = [Vec::new(), Vec::new()];
        for _ in 0..self.settings.repeats() {
            for (found, (server, names)) in found.iter_mut().zip(self.pair(count)?) {
                // One channel comes first, so that memory of the connection is there.
                self.client.run(server.port, &["hold", &names, "1"])?;
                let before = server.memory()?;
                let mut client = self.client.begin(server.port, &["hold", &names, &count.to_string()])?;
                // The client says a line when it holds all channels.
                client.said()?;
                found.push((server.memory()? - before) / count as f64);
            }
        }
        let [ours, rsrv] = found;
        let case = format!("{case}, of {count}");
        Ok(Row { case, unit: "bytes", is_cost: true, ours, rsrv, more: Value::Null })
    }
}

/// `busy` is no record of EPICS base: this one starts a sequence that sets it back.
const BUSY: &str = "\
record(bo, \"acquire\") {field(FLNK, \"acquisition\")}
record(seq, \"acquisition\") {field(SELM, \"All\") field(DO1, \"0\") field(LNK1, \"acquire.VAL NPP\")}
";

fn row(case: &str, unit: &'static str, found: &[Vec<Value>; 2], of: impl Fn(&Value) -> f64) -> Row {
    let [ours, rsrv] = found.each_ref().map(|found| found.iter().map(&of).collect());
    let last = |found: &[Value]| found.last().cloned().unwrap_or_default();
    let more = json!({ "ours": last(&found[0]), "rsrv": last(&found[1]) });
    Row { case: case.into(), unit, is_cost: false, ours, rsrv, more }
}

impl Row {
    /// How many times better ours is.
    fn ratio(&self) -> f64 {
        let median = |values: &[f64]| Spread::of(values.to_vec()).median;
        let ratio = median(&self.ours) / median(&self.rsrv);
        // Greater is better in both cases.
        if self.is_cost { 1.0 / ratio } else { ratio }
    }

    fn json(&self) -> Value {
        let spread = |values: &[f64]| {
            let Spread { median, min, max } = Spread::of(values.to_vec());
            [median, min, max].map(|value| rounded(value, 1))
        };
        json!({
            "case": self.case,
            "unit": self.unit,
            "ours": spread(&self.ours),
            "rsrv": if self.rsrv.is_empty() { Value::Null } else { json!(spread(&self.rsrv)) },
            "times_better": if self.rsrv.is_empty() { Value::Null } else { json!(rounded(self.ratio(), 2)) },
            "last": self.more,
        })
    }
}

fn record(rows: &[Row], seconds: f64, is_apart: bool) -> Record {
    let columns = [
        ("case", "case"),
        ("unit", "unit"),
        ("ours", "ours"),
        ("rsrv", "rsrv"),
        ("times better", "times_better"),
    ];
    let mut table = Table::new(&columns.map(|(title, _)| title)).right(2..columns.len());
    let rows: Vec<Value> = rows.iter().map(Row::json).collect();
    for row in &rows {
        table.row(columns.map(|(_, key)| row[key].to_string().trim_matches('"').to_owned()));
    }
    let note = "\nNumbers are median, least and greatest of the repeats. `times better` is ours by rsrv, or rsrv by ours where less is\n\
                better.\n";
    Record {
        json: json!({ "rows": rows, "seconds_per_run": seconds, "clients_have_a_core": is_apart }),
        table: table.render(Style::default()) + note,
    }
}
