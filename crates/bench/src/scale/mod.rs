//! `livetime-bench scale`: what must not grow with a run of 100 TB, each number beside its reference.

mod dask;
#[cfg(feature = "kafka")]
mod kafka;
mod link;
mod links;
mod merge;
mod merger;
mod plan;
mod reference;
mod row;
mod run;
mod s3;

use livetime_control::report::table::{Style, Table};
use serde_json::{Value, json};

pub use links::send_over_links;
pub use merger::merge_parts;

use super::{Progress, Record, Settings, Spread};
use crate::Failed;
use merge::Case;
use row::Row;

/// Ten thousand small results, and as many results of a CSPad's size as fit on a disk for temporary files. The memory is judged by the large
/// ones: a small one may lie in memory that a process has free since it read a plan of ten thousand parts.
const MERGES: [Case; 2] = [
    Case { name: "merge of 10,000 partials by a tree", parts: 10_000, picture: [128, 160] },
    Case { name: "merge of 64 partials of 37 MB by a tree", parts: 64, picture: [1200, 1285] },
];
const QUICK_MERGES: [Case; 1] =
    [Case { name: "merge of 300 partials by a tree", parts: 300, picture: [64, 80] }];

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let mut rows = Vec::new();
    let merges: &[Case] = if settings.quick { &QUICK_MERGES } else { &MERGES };
    for case in merges.iter().filter(|case| case.name.contains(&settings.filter)) {
        progress.log(case.name);
        let mut row = Row::new(case.name, "partials of memory", 2.0, "one merge of all files");
        merge::measure(settings, case, &mut row)?;
        rows.push(row);
    }
    let size = if settings.quick { plan::QUICK } else { plan::FULL };
    let cases = size.cases();
    if cases.iter().any(|(case, _)| case.contains(&settings.filter)) {
        progress.log("plans");
        let [mut cold, mut indexed] = cases.map(|(case, must)| {
            Row::new(&case, "s", must, "the heads of all datagrams, read one by one, in memory")
        });
        plan::measure(settings, &size, [&mut cold, &mut indexed])?;
        rows.extend([cold, indexed]);
    }
    if link::CPU_CASE.contains(&settings.filter) {
        progress.log(link::CPU_CASE);
        // The limit is a factor of the reference.
        let mut row = Row::new(link::CPU_CASE, "s per GB, times 1.15", 1.15, "libzmq, PUSH to PULL");
        link::measure_cpu(settings, &mut row)?;
        rows.push(row);
    }
    if link::LATENCY_CASE.contains(&settings.filter) {
        progress.log(link::LATENCY_CASE);
        let mut row =
            Row::new(link::LATENCY_CASE, "us, and 20 more", 20.0, "libzmq, half a round trip of PAIR");
        link::measure_latency(settings, &mut row)?;
        rows.push(row);
    }
    if links::CASE.contains(&settings.filter) {
        progress.log(links::CASE);
        let mut row = Row::new(links::CASE, "% of a core", 10.0, "none");
        links::measure(settings, &mut row)?;
        rows.push(row);
    }
    // Only a Python with livetime can be measured.
    if let Some(python) = settings.peer.as_ref().filter(|_| dask::CASE.contains(&settings.filter)) {
        progress.log(dask::CASE);
        let mut row = Row::new(dask::CASE, "times as fast, at least", 5.0, "dask.array: mean(axis=0)");
        dask::measure(settings, python, &mut row)?;
        rows.push(row);
    }
    // Only a Python with moto can be a server.
    if let Some(python) = settings.peer.as_ref().filter(|_| s3::CASE.contains(&settings.filter))
        && s3::is_there(python)
    {
        progress.log(s3::CASE);
        let mut row = Row::new(s3::CASE, "times the reference", 1.2, "plain object_store, the same ranges");
        s3::measure(settings, python, &mut row)?;
        rows.push(row);
    }
    #[cfg(feature = "kafka")]
    rows.extend(over_kafka(settings, progress)?);
    Ok(record(&rows))
}

/// A broker is a program of its own.
#[cfg(feature = "kafka")]
fn over_kafka(settings: &Settings, progress: &mut Progress) -> Result<Option<Row>, Failed> {
    if !kafka::CASE.contains(&settings.filter) {
        return Ok(None);
    }
    let Some(broker) = &settings.kafka else {
        progress.log(format!("{}: left out, because no --kafka names a broker", kafka::CASE));
        return Ok(None);
    };
    progress.log(kafka::CASE);
    let unit = "times the CPU of both ends, at most";
    let mut row = Row::new(kafka::CASE, unit, 1.15, "plain rdkafka, acks=all, idempotent");
    kafka::measure(settings, broker, &mut row)?;
    Ok(Some(row))
}

fn record(rows: &[Row]) -> Record {
    let heads = ["case", "unit", "must", "measured", "reference", "which is"];
    let mut table = Table::new(&heads).right(2..5);
    for row in rows {
        let [value, reference] = [&row.values, &row.reference].map(|all| Spread::of(all.clone()).median);
        table.row([
            row.case.clone(),
            row.unit.to_owned(),
            format!("{}", row.must),
            format!("{value:.3}"),
            format!("{reference:.3}"),
            row.reference_is.to_owned(),
        ]);
    }
    let json: Vec<Value> = rows.iter().map(Row::json).collect();
    Record { json: json!({ "rows": json }), table: table.render(Style::default()) }
}
