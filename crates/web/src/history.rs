//! Numbers over time, kept by the server so that a page that opens has them at once.
//!
//! Of each moment of the last ten minutes, and once in ten seconds of the last twelve hours, one number of 4 bytes for each series. A
//! graph of 13 nodes has some 470 series: 12 MiB in ten minutes at ten moments a second, and 8 MiB for the twelve hours.

use std::collections::{BTreeMap, VecDeque};

use livetime_control::model::Moment;
use livetime_engine::{Graph, ParamKind, Value};
use serde_json::json;

use crate::show::lost_by;

/// How long every moment is kept.
const FINE_MS: f64 = 600_000.0;
/// The most moments that are kept so: alarms and changes make more than ten a second.
const FINE_ROWS: usize = 7_000;
/// How long, and how often, one moment is kept.
const COARSE_MS: f64 = 12.0 * 3_600_000.0;
const COARSE_STEP_MS: f64 = 10_000.0;
/// The most series: of a graph with more numbers the last nodes have none of their own values.
const MOST: usize = 1024;
/// The most series of one answer.
pub(crate) const MOST_ASKED: usize = 32;

/// Where the number of a series comes from.
#[derive(Clone, Copy)]
enum Origin {
    Run(OfRun),
    Node(usize, OfNode),
    /// Node, place of the parameter.
    Value(usize, usize),
}

struct Series {
    name: String,
    unit: &'static str,
    origin: Origin,
}

/// The rows of one step.
#[derive(Default)]
struct Rows {
    rows: VecDeque<(f64, Box<[f32]>)>,
}

/// Which rows are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Fine,
    Coarse,
}

/// All series.
pub(crate) struct History {
    series: Vec<Series>,
    by_name: BTreeMap<String, usize>,
    fine: Rows,
    coarse: Rows,
}

/// Name, unit, and where the number comes from.
type Of<F> = (&'static str, &'static str, F);
type OfRun = fn(&Moment) -> f64;
type OfNode = fn(&Moment, usize) -> f64;

const RUN: [Of<OfRun>; 5] = [
    ("run.hz", "Hz", |moment| moment.rates.hz),
    ("run.cpu", "%", |moment| moment.rates.cpu_percent.unwrap_or(f64::NAN)),
    ("run.live", "", |moment| moment.live),
    ("run.unintended", "", |moment| moment.report.unintended_losses() as f64),
    ("run.pool_used", "B", |moment| moment.report.pool.used_bytes as f64),
];

const NODE: [Of<OfNode>; 8] = [
    ("hz", "Hz", |moment, node| moment.nodes.get(node).map_or(f64::NAN, |node| node.rates.hz)),
    ("cpu", "%", |moment, node| {
        moment.nodes.get(node).and_then(|node| node.rates.cpu_percent).unwrap_or(f64::NAN)
    }),
    ("queued", "", |moment, node| moment.report.nodes.get(node).map_or(f64::NAN, |node| node.queued as f64)),
    ("lost", "", |moment, node| lost_by(moment, node, false) as f64),
    ("left_out", "", |moment, node| lost_by(moment, node, true) as f64),
    ("service_ms", "ms", |moment, node| {
        moment.nodes.get(node).map_or(f64::NAN, |node| node.rates.service_ms)
    }),
    ("latency_p99_ms", "ms", |moment, node| {
        moment.report.nodes.get(node).map_or(f64::NAN, |node| node.latency.p99_ns() as f64 / 1e6)
    }),
    ("waiting_p99_ms", "ms", |moment, node| {
        moment.report.nodes.get(node).map_or(f64::NAN, |node| node.waiting.p99_ns() as f64 / 1e6)
    }),
];

impl History {
    pub(crate) fn new(graph: &Graph) -> History {
        let mut series: Vec<Series> = Vec::new();
        let mut add = |name: String, unit, origin| series.push(Series { name, unit, origin });
        RUN.iter().for_each(|(name, unit, of)| add((*name).to_owned(), *unit, Origin::Run(*of)));
        for (number, decl) in graph.nodes().iter().enumerate() {
            let name = |series: &str| format!("{}.{series}", decl.name);
            NODE.iter().for_each(|(series, unit, of)| add(name(series), *unit, Origin::Node(number, *of)));
        }
        for (number, decl) in graph.nodes().iter().enumerate() {
            for (place, spec) in decl.node_type.param_specs().iter().enumerate() {
                if matches!(spec.kind, ParamKind::Int | ParamKind::Float) {
                    add(
                        format!("{}.{}", decl.name, spec.name),
                        spec.unit.unwrap_or(""),
                        Origin::Value(number, place),
                    );
                }
            }
        }
        series.truncate(MOST);
        // A parameter may be called as one of ours: the first one counts.
        let mut by_name = BTreeMap::new();
        for (index, series) in series.iter().enumerate() {
            by_name.entry(series.name.clone()).or_insert(index);
        }
        History { series, by_name, fine: Rows::default(), coarse: Rows::default() }
    }

    /// Keeps a moment.
    pub(crate) fn add(&mut self, moment: &Moment, at_ms: f64) {
        let row: Box<[f32]> = self.series.iter().map(|series| number(moment, series.origin) as f32).collect();
        if self.coarse.rows.back().is_none_or(|(last, _)| at_ms - last >= COARSE_STEP_MS) {
            self.coarse.add(at_ms, row.clone(), COARSE_MS, usize::MAX);
        }
        self.fine.add(at_ms, row, FINE_MS, FINE_ROWS);
    }

    /// Names and units.
    pub(crate) fn names(&self) -> serde_json::Value {
        let of = |series: &Series| json!({ "name": series.name, "unit": series.unit });
        json!({ "series": self.series.iter().map(of).collect::<Vec<_>>() })
    }

    /// The series called `names` after `since_ms`, as bytes.
    ///
    /// # Errors
    /// When there is no such series, or too many are wanted.
    pub(crate) fn read(&self, names: &[&str], since_ms: f64, step: Step) -> Result<Vec<u8>, String> {
        if names.len() > MOST_ASKED {
            return Err(format!("wanted at most {MOST_ASKED} series, found {}", names.len()));
        }
        let index = |name: &&str| {
            let found = self.by_name.get(*name).copied();
            found.ok_or_else(|| {
                format!("`of`: wanted names of series as `/api/v1/history` lists them, found `{name}`")
            })
        };
        let columns = names.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        let rows = if step == Step::Fine { &self.fine.rows } else { &self.coarse.rows };
        let first = rows.partition_point(|(at, _)| *at <= since_ms);
        let rows = || rows.range(first..);
        let head = [1, columns.len() as u32, rows().len() as u32, u32::from(step == Step::Coarse)];
        let mut bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(rows().flat_map(|(at, _)| at.to_le_bytes()));
        for column in columns {
            bytes.extend(rows().flat_map(|(_, row)| row[column].to_le_bytes()));
        }
        Ok(bytes)
    }
}

impl Rows {
    fn add(&mut self, at_ms: f64, row: Box<[f32]>, kept_ms: f64, most: usize) {
        // The time of day may be set back: rows stay in the order of time.
        while self.rows.back().is_some_and(|(last, _)| *last >= at_ms) {
            self.rows.pop_back();
        }
        self.rows.push_back((at_ms, row));
        while self.rows.len() > most || self.rows.front().is_some_and(|(first, _)| at_ms - first > kept_ms) {
            self.rows.pop_front();
        }
    }
}

fn number(moment: &Moment, origin: Origin) -> f64 {
    match origin {
        Origin::Run(of) => of(moment),
        Origin::Node(node, of) => of(moment, node),
        Origin::Value(node, place) => match moment.nodes.get(node).and_then(|node| node.values.get(place)) {
            Some(Value::Int(value)) => *value as f64,
            Some(Value::Float(value)) => *value,
            _ => f64::NAN,
        },
    }
}
