//! `livetime-bench apa`: links of wire readout from raw frames to ordered hits and triggers, at the rate of the detector.
//!
//! A simulated anode plane sends superchunks of ProtoDUNE-SP in batches of 192 us, each when its last tick has
//! happened: white and coloured noise, argon-39, cosmic tracks, and enough pulses to give a link about 100,000 hits per
//! second, as at the surface. The samples of 49 ms lie in memory and are repeated; only the times in the headers are
//! written. Hit finders on all planes, one for each core but at most one for each link, the merger, the adjacency
//! trigger and the trigger's decision follow, each on its own thread. A number of links is sustained when no data were
//! lost or missed anywhere in every repeat.

use crate::Failed;
use livetime_engine::{NodeReport, NodeType, Value as Param};
use serde_json::{Value, json};

use livetime_measure::{Ran, run_for};

use super::{Progress, Record, Settings, Spread, tenths};
use delays::ActivityDelays;
use livetime_control::config;
use livetime_control::report::table::{Style, Table};

mod delays;

/// Bytes that a link sends per second.
const LINK_BYTES: f64 = 464.0 * 2e6;

/// Seconds of data that are prepared for each link: as long may one part of the graph be held up before data are lost.
const LOOP_SECONDS: f64 = 0.049_152;

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let links = settings.links.clone();
    let seconds = if settings.quick { 0.3 } else { settings.seconds };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rows = Vec::new();
    for links in links {
        let mut row = Row { links, finders: cores.min(links), repeats: Vec::new() };
        for _ in 0..settings.repeats() {
            let done = measure(links, row.finders, seconds)?;
            progress.log(format!("{links} links: {}", done.line()));
            row.repeats.push(done);
        }
        rows.push(row);
    }
    Ok(record(&rows, cores, seconds))
}

struct Row {
    links: usize,
    finders: usize,
    repeats: Vec<Repeat>,
}

/// The result of one run.
struct Repeat {
    /// Batches lost, at the source or on an edge, and places where a finder missed some.
    lost: u64,
    seconds: f64,
    cores: f64,
    hits_hz: f64,
    hit_ms: [f64; 2],
    trigger_ms: [f64; 2],
    activities: u64,
}

impl Repeat {
    fn line(&self) -> String {
        format!(
            "{} lost, {:.2} cores, hits after {:.2} ms (99 %), triggers after {:.2} ms (99 %)",
            self.lost, self.cores, self.hit_ms[1], self.trigger_ms[1]
        )
    }
}

fn measure(links: usize, finders: usize, seconds: f64) -> Result<Repeat, Failed> {
    let pipeline = config::parse("apa", &graph(links, finders, seconds), &nodes(), &[])?;
    // The run ends by itself. The limit includes the time in which the source prepares its data.
    Ok(repeat(&run_for(&pipeline.graph, seconds + 600.0)?, links))
}

fn nodes() -> Vec<NodeType> {
    [livetime_wire::ALL, livetime_sim::ALL, &[NodeType::of::<ActivityDelays>()]].concat()
}

fn graph(links: usize, finders: usize, seconds: f64) -> String {
    // Each batch lies in memory once.
    let memory = (links as f64 * LOOP_SECONDS * LINK_BYTES * 1.2 / (1 << 20) as f64) as usize + 256;
    let mut text = format!(
        "memory: {memory} MiB\nnodes:\n  apa: {{type: wib_simulator, params: {{links: {links}, loop_time: {LOOP_SECONDS}, duration: {seconds}, test_pulse_rate: 400, track_rate: 200}}}}\n"
    );
    for i in 0..finders {
        let (from, to) = (i * links / finders, (i + 1) * links / finders - 1);
        text += &format!(
            "  hits{i}: {{type: hit_finder, from: apa, queue: 4000, params: {{links: \"{from}-{to}\"}}}}\n"
        );
    }
    let from: Vec<String> = (0..finders).map(|i| format!("hits{i}")).collect();
    let last = links - 1;
    text + &format!(
        "  merged: {{type: hit_merger, from: [{}], queue: 20000, params: {{links: \"0-{last}\"}}}}
  adjacency: {{type: trigger_adjacency, from: merged, queue: 20000}}
  decisions: {{type: trigger_candidate, from: adjacency, queue: 20000}}
  delays: {{type: activity_delays, from: adjacency, queue: 20000}}
",
        from.join(", ")
    )
}

fn repeat(ran: &Ran, links: usize) -> Repeat {
    let node = |name: &str| ran.report.nodes.iter().find(|node| node.name == name);
    let of = |name: &str, param: &str| node(name).map_or(0.0, |node| number(node, param));
    let ms = |name: &str| ["delay_p50", "delay_p99"].map(|param| of(name, param) * 1e3);
    let gaps: f64 = ran.report.nodes.iter().map(|node| number(node, "gaps")).sum();
    let source = of("apa", "lost_in_use") + of("apa", "lost_behind");
    // The source begins when its data are prepared.
    let seconds = of("apa", "batches") * 192e-6 / links as f64;
    let cpu = ran.report.nodes.iter().map(cpu_ns).sum::<u64>() as f64 / 1e9;
    Repeat {
        lost: ran.total_dropped() + (gaps + source) as u64,
        seconds,
        // A run without batches has no seconds to divide by.
        cores: cpu / seconds.max(1e-9),
        hits_hz: of("merged", "hits") / seconds.max(1e-9),
        hit_ms: ms("merged"),
        trigger_ms: ms("delays"),
        activities: of("delays", "activities") as u64,
    }
}

/// CPU time of a node; of the source without the time that it prepared data.
fn cpu_ns(node: &NodeReport) -> u64 {
    match node.type_name {
        "wib_simulator" => node.service.sum_ns,
        _ => node.cpu_ns.unwrap_or(node.service.sum_ns),
    }
}

fn number(node: &NodeReport, param: &str) -> f64 {
    let value = node.last_values.iter().find(|(spec, _)| spec.name == param).map(|(_, value)| value);
    match value {
        Some(Param::Float(value)) => *value,
        Some(Param::Int(value)) => *value as f64,
        _ => 0.0,
    }
}

fn record(rows: &[Row], cores: usize, seconds: f64) -> Record {
    let sustained = rows.iter().filter(|row| row.repeats.iter().all(|r| r.lost == 0)).map(|row| row.links);
    let sustained = sustained.max().unwrap_or(0);
    let header =
        ["links", "finders", "lost", "cores", "hits/s", "hit p50 ms", "p99", "trigger p50 ms", "p99"];
    let mut table = Table::new(&header).right(0..header.len());
    let mut json = Vec::new();
    for row in rows {
        let spread = |of: fn(&Repeat) -> f64| Spread::of(row.repeats.iter().map(of).collect());
        let lost: u64 = row.repeats.iter().map(|r| r.lost).sum();
        let (used, hits) = (spread(|r| r.cores), spread(|r| r.hits_hz));
        let (p50, p99) = (spread(|r| r.hit_ms[0]), spread(|r| r.hit_ms[1]));
        let trigger = [spread(|r| r.trigger_ms[0]), spread(|r| r.trigger_ms[1])];
        let is_sustained = lost == 0;
        json.push(json!({
            "links": row.links, "finders": row.finders, "sustained": is_sustained, "lost": lost,
            "cores": hundredths(used), "hits_per_second": hits.json(),
            "hit_ms_p50": hundredths(p50), "hit_ms_p99": hundredths(p99),
            "trigger_ms_p50": hundredths(trigger[0]), "trigger_ms_p99": hundredths(trigger[1]),
            "activities": row.repeats.iter().map(|r| r.activities).sum::<u64>(),
            "seconds_of_data": tenths(row.repeats.iter().map(|r| r.seconds).sum::<f64>()),
        }));
        table.row([
            row.links.to_string(),
            row.finders.to_string(),
            lost.to_string(),
            format!("{:.2}", used.median),
            format!("{:.0}", hits.median),
            format!("{:.2}", p50.median),
            format!("{:.2}", p99.median),
            format!("{:.2}", trigger[0].median),
            format!("{:.2}", trigger[1].median),
        ]);
    }
    let text = format!(
        "{}\n{sustained} links at the rate of the detector without loss, on {cores} cores",
        table.render(Style::default())
    );
    Record {
        json: json!({ "cores": cores, "seconds": seconds, "links_sustained": sustained, "rows": json }),
        table: text,
    }
}

fn hundredths(spread: Spread) -> Value {
    let round = |value: f64| (value * 100.0).round() / 100.0;
    json!({ "median": round(spread.median), "min": round(spread.min), "max": round(spread.max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_of_all_numbers_of_links_are_pipelines() {
        for (links, finders) in [(1, 1), (10, 1), (10, 3)] {
            config::parse("apa", &graph(links, finders, 1.0), &nodes(), &[]).unwrap();
        }
    }
}
