//! Numbers over time, kept by the server so that a page that opens has them at once.
//!
//! Of each moment of the last ten minutes, and once in ten seconds of the last twelve hours, one number of 4 bytes for each series: at
//! most 45 kB. A graph of 13 nodes has some 500 series. Of a graph with more numbers than fit the budget each node has its first
//! ones, as many as every other node, and the number of series left out is reported.

use std::collections::{BTreeMap, VecDeque};

use livetime_control::model::{Moment, NodeTimes, Spans, Window};
use livetime_engine::{Graph, NodeDecl, ParamKind, Value};
use serde_json::json;

use crate::show::lost_by;
use crate::wrong::Wrong;

/// How long every moment is kept.
const FINE_MS: f64 = 600_000.0;
/// The most moments that are kept so: alarms and changes make more than ten a second.
const FINE_ROWS: usize = 7_000;
/// How long, and how often, one moment is kept.
const COARSE_MS: f64 = 12.0 * 3_600_000.0;
const COARSE_STEP_MS: f64 = 10_000.0;
const COARSE_ROWS: usize = (COARSE_MS / COARSE_STEP_MS) as usize + 1;
/// Bytes for all numbers, when both steps are full.
const BUDGET: usize = 64 << 20;
/// Bytes that a series takes then.
const EACH: usize = (FINE_ROWS + COARSE_ROWS) * size_of::<f32>();
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
    /// The count of numbers that are not kept, by node, because there are too many.
    left_out: Vec<(String, usize)>,
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
    ("run.unintended", "", |moment| moment.losses.sums.unintended as f64),
    ("run.pool_used", "B", |moment| moment.report.pool.used_bytes as f64),
];

const NODE: [Of<OfNode>; 10] = [
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
    ("latency_p99_1s_ms", "ms", |moment, node| p99_ms(moment, node, Window::Second, |times| &times.latency)),
    ("latency_p99_10s_ms", "ms", |moment, node| p99_ms(moment, node, Window::Ten, |times| &times.latency)),
    ("waiting_p99_1s_ms", "ms", |moment, node| p99_ms(moment, node, Window::Second, |times| &times.waiting)),
    ("waiting_p99_10s_ms", "ms", |moment, node| p99_ms(moment, node, Window::Ten, |times| &times.waiting)),
];

/// NaN for a window without frames.
fn p99_ms(moment: &Moment, node: usize, window: Window, of: fn(&NodeTimes) -> &Spans) -> f64 {
    let found = moment.nodes.get(node).map(|node| of(&node.times).over(window));
    // The percentile of no frames is no number.
    found.filter(|found| found.count > 0).map_or(f64::NAN, |found| found.p99_ns as f64 / 1e6)
}

/// All numbers of a node: ours, then its readbacks, then its settings.
fn series_of(number: usize, decl: &NodeDecl) -> Vec<Series> {
    let named = |series: &str, unit, origin| Series { name: format!("{}.{series}", decl.name), unit, origin };
    let mut found: Vec<Series> =
        NODE.iter().map(|(series, unit, of)| named(series, unit, Origin::Node(number, *of))).collect();
    let params = decl.node_type.param_specs().iter().enumerate();
    let (said, set): (Vec<_>, Vec<_>) = params
        // Only numbers have curves.
        .filter(|(_, spec)| matches!(spec.kind, ParamKind::Int | ParamKind::Float))
        .partition(|(_, spec)| spec.readback);
    let values = said.into_iter().chain(set);
    found.extend(
        values.map(|(place, spec)| named(spec.name, spec.unit.unwrap_or(""), Origin::Value(number, place))),
    );
    found
}

/// How many series of each node are kept of so many, so that all have room: one more of each in turn.
fn shares(wanted: &[usize], mut room: usize) -> Vec<usize> {
    let mut shares = vec![0; wanted.len()];
    while room > 0 && shares != wanted {
        let is_open = |node: &usize| shares[*node] < wanted[*node];
        let open: Vec<usize> = (0..wanted.len()).filter(is_open).take(room).collect();
        room -= open.len();
        open.into_iter().for_each(|node| shares[node] += 1);
    }
    shares
}

impl History {
    pub(crate) fn new(graph: &Graph) -> History {
        History::within(graph, BUDGET)
    }

    /// At most so many bytes.
    fn within(graph: &Graph, budget: usize) -> History {
        let of_run = |(name, unit, of): &Of<OfRun>| Series {
            name: (*name).to_owned(),
            unit,
            origin: Origin::Run(*of),
        };
        let mut series: Vec<Series> = RUN.iter().map(of_run).collect();
        let decls = graph.nodes();
        let nodes: Vec<Vec<Series>> =
            decls.iter().enumerate().map(|(number, decl)| series_of(number, decl)).collect();
        let wanted: Vec<usize> = nodes.iter().map(Vec::len).collect();
        // Numbers of the run always have room.
        let shares = shares(&wanted, (budget / EACH).saturating_sub(series.len()));
        let left = wanted.iter().zip(&shares).map(|(wanted, share)| wanted - share);
        let left_out =
            decls.iter().map(|decl| decl.name.clone()).zip(left).filter(|(_, count)| *count > 0).collect();
        series.extend(nodes.into_iter().zip(shares).flat_map(|(node, share)| node.into_iter().take(share)));
        // A parameter may be called as one of ours: the first one counts.
        let mut by_name = BTreeMap::new();
        for (index, series) in series.iter().enumerate() {
            // The first one wins, because it comes before the parameters of the node.
            by_name.entry(series.name.clone()).or_insert(index);
        }
        History { series, left_out, by_name, fine: Rows::default(), coarse: Rows::default() }
    }

    /// The series that are not kept, in a sentence, if there are any.
    pub(crate) fn shortage(&self) -> Option<String> {
        let all: usize = self.left_out.iter().map(|(_, count)| count).sum();
        let listed: Vec<String> =
            self.left_out.iter().take(8).map(|(node, count)| format!("{node} {count}")).collect();
        let more = if self.left_out.len() > 8 { ", ..." } else { "" };
        (all > 0).then(|| {
            format!(
                "the history keeps {} numbers over time in {} MiB, and none of {all} more: {}{more}",
                self.series.len(),
                BUDGET >> 20,
                listed.join(", ")
            )
        })
    }

    /// Keeps a moment.
    pub(crate) fn add(&mut self, moment: &Moment, at_ms: f64) {
        let row: Box<[f32]> = self.series.iter().map(|series| number(moment, series.origin) as f32).collect();
        if is_due(self.coarse.rows.back().map(|(last, _)| *last), at_ms) {
            self.coarse.add(at_ms, row.clone(), COARSE_MS, usize::MAX);
        }
        // Every moment is kept here, as far as there is room.
        self.fine.add(at_ms, row, FINE_MS, FINE_ROWS);
    }

    /// Names and units.
    pub(crate) fn names(&self) -> serde_json::Value {
        let of = |series: &Series| json!({ "name": series.name, "unit": series.unit });
        let left_out: serde_json::Map<_, _> =
            self.left_out.iter().map(|(node, count)| (node.clone(), json!(count))).collect();
        json!({
            "series": self.series.iter().map(of).collect::<Vec<_>>(),
            "left_out": left_out,
            "problem": self.shortage(),
        })
    }

    /// The members of `names` that are no series.
    pub(crate) fn unknown<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        names.iter().copied().filter(|name| !self.by_name.contains_key(*name)).collect()
    }

    /// The series called `names` after `since_ms`, as bytes. One that is not kept has no number at any time.
    ///
    /// # Errors
    /// When none of them is kept, or too many are wanted.
    pub(crate) fn read(&self, names: &[&str], since_ms: f64, step: Step) -> Result<Vec<u8>, Wrong> {
        if names.len() > MOST_ASKED {
            return Err(Wrong::new(format!("at most {MOST_ASKED} series")).found(names.len()));
        }
        let columns: Vec<Option<usize>> = names.iter().map(|name| self.by_name.get(*name).copied()).collect();
        // Some unknown names leave gaps; only unknown names are a mistake.
        if columns.iter().all(Option::is_none) {
            let wanted = Wrong::new("names of series as `/api/v1/history` lists them").at("of");
            return Err(wanted.found(format_args!("`{}`", names.join(","))));
        }
        let rows = if step == Step::Fine { &self.fine.rows } else { &self.coarse.rows };
        // Rows are in the order of time.
        let first = rows.partition_point(|(at, _)| *at <= since_ms);
        let rows = || rows.range(first..);
        let head = [1, columns.len() as u32, rows().len() as u32, u32::from(step == Step::Coarse)];
        let mut bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(rows().flat_map(|(at, _)| at.to_le_bytes()));
        for column in columns {
            let number = |row: &[f32]| column.map_or(f32::NAN, |column| row[column]);
            bytes.extend(rows().flat_map(|(_, row)| number(row).to_le_bytes()));
        }
        Ok(bytes)
    }
}

/// Whether the next coarse row is due behind the one at `last_ms`. After a clock that was set back it is due at once: rows of
/// the time before would keep new ones out for as long.
fn is_due(last_ms: Option<f64>, at_ms: f64) -> bool {
    last_ms.is_none_or(|last_ms| at_ms < last_ms || at_ms - last_ms >= COARSE_STEP_MS)
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

#[cfg(test)]
mod tests {
    use livetime_control::config;

    use super::*;

    fn graph(cameras: usize) -> Graph {
        let nodes: String = (0..cameras).map(|n| format!("  cam{n}: {{type: sim_detector}}\n")).collect();
        config::parse(
            "p.yaml",
            &format!("nodes:\n{nodes}"),
            &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
            &[],
        )
        .unwrap()
        .graph
    }

    #[test]
    fn a_graph_with_too_many_numbers_keeps_as_many_of_each_node_and_says_so() {
        let small = History::new(&graph(3));
        assert_eq!((small.shortage(), small.left_out.len()), (None, 0));
        let history = History::within(&graph(100), 1000 * EACH);
        assert_eq!(history.series.len(), 1000);
        let of = |node: usize| {
            let start = format!("cam{node}.");
            history.series.iter().filter(|series| series.name.starts_with(&start)).count()
        };
        assert!((0..100).all(|node| of(node) == 9 || of(node) == 10), "{:?}", (of(0), of(99)));
        assert!(history.by_name.contains_key("cam99.hz") && history.by_name.contains_key("cam99.lost"));
        let told = history.shortage().unwrap();
        assert!(told.contains("keeps 1000 numbers") && told.contains("cam0 "), "{told}");
        assert_eq!(history.names()["left_out"].as_object().unwrap().len(), 100);
    }

    #[test]
    fn one_unknown_series_refuses_no_other() {
        let history = History::new(&graph(1));
        let names = ["cam0.hz", "cam0.nothing", "run.hz"];
        assert_eq!(history.read(&names, 0.0, Step::Fine).unwrap()[4], 3);
        assert_eq!(history.unknown(&names), ["cam0.nothing"]);
        assert!(history.read(&["a", "b"], 0.0, Step::Fine).unwrap_err().to_string().contains("`a,b`"));
    }

    #[test]
    fn a_clock_that_is_set_back_leaves_no_gap() {
        let due = |rows: &[f64], at_ms| is_due(rows.last().copied(), at_ms);
        assert!(due(&[], 5.0) && due(&[0.0], COARSE_STEP_MS) && !due(&[0.0], COARSE_STEP_MS - 1.0));
        assert!(due(&[3_600_000.0], 5.0));
    }
}
