//! `livetime-bench actors`: the cost of messages between agents, in the patterns by which actor engines are compared.
//!
//! `bench/actors_peer` has the same patterns for SObjectizer; `--peer PROGRAM` runs it in turn with ours.

mod flood;
mod many;
mod peer;
mod refused;
mod sample;
mod throws;
mod waiting;

use crate::Failed;
use livetime_actors::AgentError;
use serde_json::{Value, json};

use super::{CountAllocations, Progress, Record, Settings, Spread};
use livetime_control::report::table::{Style, Table};
use sample::{Sample, Setting};

/// A pattern: its name, and how one sample is taken.
struct Pattern {
    name: &'static str,
    measure: fn(&Setting) -> Result<Sample, AgentError>,
}

const PATTERNS: [Pattern; 19] = [
    Pattern { name: "hop on one thread", measure: throws::hop },
    Pattern { name: "round trip between two threads", measure: throws::round_trip },
    Pattern { name: "ring of agents, per hop", measure: throws::ring },
    Pattern { name: "one to one", measure: |s| flood::agents(1, 1, 2_000_000 / s.scale) },
    Pattern { name: "one to eight", measure: |s| flood::agents(1, 8, 400_000 / s.scale) },
    Pattern { name: "four to one", measure: |s| flood::agents(4, 1, 500_000 / s.scale) },
    Pattern { name: "one to one, from a plain thread", measure: |s| flood::threads(1, 2_000_000 / s.scale) },
    Pattern { name: "four to one, from plain threads", measure: |s| flood::threads(4, 500_000 / s.scale) },
    Pattern {
        name: "one to one, frames from the pool",
        measure: |s| flood::pooled(1, 1, 2_000_000 / s.scale),
    },
    Pattern {
        name: "one to eight, frames from the pool",
        measure: |s| flood::pooled(1, 8, 400_000 / s.scale),
    },
    Pattern {
        name: "four to one, frames from the pool",
        measure: |s| flood::pooled(4, 1, 500_000 / s.scale),
    },
    Pattern { name: "waiting at 2 kHz", measure: waiting::adaptive },
    Pattern { name: "waiting at 2 kHz, predicting", measure: waiting::predicting },
    Pattern { name: "waiting at 2 kHz, parked", measure: waiting::parked },
    Pattern { name: "time limit per frame", measure: throws::time_limit },
    Pattern { name: "refused at a limit", measure: refused::refused },
    Pattern { name: "start an agent", measure: many::start },
    Pattern { name: "start a group, from a plain thread", measure: many::start_groups },
    Pattern { name: "skynet", measure: many::skynet },
];

/// Some samples of one pattern.
struct Row {
    name: &'static str,
    ns: Spread,
    p50_ns: f64,
    p99_ns: f64,
    cores: f64,
    bytes: f64,
    /// The peer's time, and its quotient by our time, pair by pair.
    peer: Option<(Spread, Spread)>,
}

pub(super) fn run(
    settings: &Settings,
    allocated: CountAllocations,
    progress: &mut Progress,
) -> Result<Record, Failed> {
    let setting = Setting { scale: if settings.quick { 20 } else { 1 }, allocated };
    let wanted: Vec<&Pattern> = PATTERNS.iter().filter(|p| p.name.contains(&settings.filter)).collect();
    let mut samples: Vec<Vec<Sample>> = wanted.iter().map(|_| Vec::new()).collect();
    let mut peers = Vec::new();
    let mut engine = None;
    for round in 0..settings.repeats() {
        progress.log(format!("round {} of {}", round + 1, settings.repeats()));
        // The peer runs in turn with our patterns, so that a change of the machine's speed meets both.
        if let Some(program) = &settings.peer {
            let (name, rows) = peer::run(program, settings.quick)?;
            engine = Some(name);
            peers.push(rows);
        }
        for (pattern, samples) in wanted.iter().zip(&mut samples) {
            let sample = (pattern.measure)(&setting).map_err(|e| format!("{}: {e}", pattern.name))?;
            samples.push(sample);
        }
    }
    let rows: Vec<Row> = wanted.iter().zip(&samples).map(|(p, s)| row(p.name, s, &peers)).collect();
    Ok(Record {
        json: json!({ "rows": rows.iter().map(Row::json).collect::<Vec<_>>(), "peer": engine }),
        table: table(&rows),
    })
}

fn row(name: &'static str, samples: &[Sample], peers: &[peer::Rows]) -> Row {
    let median =
        |value: fn(&Sample) -> Option<f64>| Spread::of(samples.iter().filter_map(value).collect()).median;
    // Ratios are taken within each round, where both ran under like conditions.
    let pairs = || samples.iter().zip(peers).filter_map(|(ours, theirs)| Some((ours.ns, *theirs.get(name)?)));
    let peer = (pairs().count() > 0).then(|| {
        let theirs = Spread::of(pairs().map(|(_, theirs)| theirs).collect());
        (theirs, Spread::of(pairs().map(|(ours, theirs)| theirs / ours).collect()))
    });
    Row {
        name,
        ns: Spread::of(samples.iter().map(|s| s.ns).collect()),
        p50_ns: median(|s| s.p50_ns),
        p99_ns: median(|s| s.p99_ns),
        cores: median(|s| s.cores),
        bytes: median(|s| s.bytes),
        peer,
    }
}

impl Row {
    fn json(&self) -> Value {
        let mut value = json!({
            "pattern": self.name,
            "ns": tenths(self.ns.median),
            "min": tenths(self.ns.min),
            "max": tenths(self.ns.max),
        });
        // A difference that is not to be seen is no rate.
        if self.ns.median > 0.0 {
            value["messages_per_s"] = (1e9 / self.ns.median).round().into();
        }
        for (key, number) in
            [("p50_ns", self.p50_ns), ("p99_ns", self.p99_ns), ("cores", self.cores), ("bytes", self.bytes)]
        {
            if number.is_finite() {
                value[key] = ((number * 1000.0).round() / 1000.0).into();
            }
        }
        if let Some((ns, ratio)) = self.peer {
            value["peer_ns"] = tenths(ns.median).into();
            // A pattern without a measurable time has no ratio.
            if self.ns.min <= 0.0 {
                return value;
            }
            value["peer_by_ours"] = json!({ "median": hundredths(ratio.median), "min": hundredths(ratio.min),
                "max": hundredths(ratio.max) });
        }
        value
    }
}

fn table(rows: &[Row]) -> String {
    let header =
        ["pattern", "ns", "min", "max", "waiting p50", "p99", "cores", "bytes", "peer ns", "peer/ours"];
    let mut table = Table::new(&header).right(1..10);
    let text = |number: f64, digits: usize| match number.is_finite() {
        true => format!("{number:.digits$}"),
        false => String::new(),
    };
    for row in rows {
        let (theirs, ratio) = row.peer.map_or((f64::NAN, f64::NAN), |(ns, ratio)| (ns.median, ratio.median));
        table.row([
            row.name.to_owned(),
            text(row.ns.median, 1),
            text(row.ns.min, 1),
            text(row.ns.max, 1),
            text(row.p50_ns, 0),
            text(row.p99_ns, 0),
            text(row.cores, 2),
            text(row.bytes, 0),
            text(theirs, 1),
            text(ratio, 2),
        ]);
    }
    table.render(Style::default())
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_measured() {
        let setting = Setting { scale: 1_000, allocated: Default::default };
        for pattern in &PATTERNS {
            let sample = (pattern.measure)(&setting).unwrap_or_else(|e| panic!("{}: {e}", pattern.name));
            // A difference of two small measurements may be below nothing.
            assert!(sample.ns > 0.0 || pattern.name == "time limit per frame", "{}", pattern.name);
        }
    }

    #[test]
    fn rows_are_paired_with_those_of_the_peer() {
        let samples = [Sample::of(10.0), Sample::of(20.0), Sample::of(30.0)];
        let peers = [100.0, 400.0, 300.0].map(|ns| peer::Rows::from([("hop".to_owned(), ns)]));
        let (theirs, ratio) = row("hop", &samples, &peers).peer.unwrap();
        assert_eq!((theirs.median, ratio.median, ratio.min), (300.0, 10.0, 10.0));
        assert!(row("other", &samples, &peers).peer.is_none());
    }
}
