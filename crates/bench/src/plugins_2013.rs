//! `livetime-bench plugins-2013`: areaDetector's study of 2013.
//!
//! A simulated detector of 1024 x 1024 8-bit pixels feeds eleven plugins on their own threads. The sweep shortens the
//! period step by step and counts the frames that each plugin drops; then the highest rate is searched at which no
//! frame is dropped. `--large` is the study's second table: 2048 x 2048 pixels, quadrants of 1024 x 1024, no exposure.
//!
//! Unlike areaDetector in the study, nothing is served: there are no PVs and no clients.

use crate::Failed;
use std::collections::BTreeMap;

use livetime_engine::Graph;
use serde_json::{Value, json};

use livetime_measure::{Ran, Search, run_for, search};

use super::{Progress, Record, Settings, merge, tenths};
use livetime_control::config;
use livetime_control::report::table::{Style, Table};

/// Periods of the study, in s; 0 is as fast as possible.
const PERIODS: [f64; 8] = [0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0];

/// The search begins here.
const FIRST_HZ: f64 = 200.0;

/// One of the study's two tables.
#[derive(Clone, Copy)]
struct Setting {
    /// Pixels of the detector each way; a quadrant has half.
    side: u32,
    /// The detector exposes for so long, or for a period if that is shorter. (The study's 1 ms would limit the rate.)
    exposure_s: f64,
    seconds: f64,
}

/// The result of one run.
struct Row {
    period_s: f64,
    ran: Ran,
}

pub(super) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let graph = study()?;
    let (side, exposure_s) = if settings.large { (2048, 0.0) } else { (1024, 0.001) };
    let setting = Setting { side, exposure_s, seconds: if settings.quick { 0.2 } else { settings.seconds } };
    let graph = sized(graph, side)?;
    let mut rows = Vec::new();
    for period_s in PERIODS {
        let ran = measure(&graph, period_s, setting)?;
        progress.log(format_args!("period {period_s:.6} s: {}", ran.line()));
        rows.push(Row { period_s, ran });
    }
    let search = search(FIRST_HZ, settings.repeats(), &mut |hz| {
        let ran = measure(&graph, 1.0 / hz, setting)?;
        progress.log(format_args!("wanted {hz:.0} frames/s: {}", ran.line()));
        Ok::<Ran, Failed>(ran)
    })?;
    Ok(record(&rows, setting, &search))
}

/// The study's graph.
fn study() -> Result<Graph, Failed> {
    const TEXT: &str = include_str!("plugins-2013.yaml");
    let pipeline =
        config::parse("plugins-2013.yaml", TEXT, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]);
    pipeline.map(|pipeline| pipeline.graph).map_err(Failed::from)
}

/// The study's graph for a detector of this size, each ROI a quadrant.
fn sized(mut graph: Graph, side: u32) -> Result<Graph, Failed> {
    let half = side / 2;
    let quadrants = [("ROI1", 0, 0), ("ROI2", half, 0), ("ROI3", 0, half), ("ROI4", half, half)];
    let mut all = vec![("detector", "max_size_x", side), ("detector", "max_size_y", side)];
    for (name, x, y) in quadrants {
        all.extend([(name, "min_x", x), (name, "min_y", y), (name, "size_x", half), (name, "size_y", half)]);
    }
    for (name, param, value) in all {
        let node = graph.node(name)?;
        graph.set(node, param, &i64::from(value).into())?;
    }
    Ok(graph)
}

/// One run of the study's graph.
fn measure(graph: &Graph, period_s: f64, setting: Setting) -> Result<Ran, Failed> {
    let mut graph = graph.clone();
    // Node 0 is the detector.
    let set =
        |graph: &mut Graph, name: &str, value: f64| graph.set(0, name, &value.into()).map_err(Failed::from);
    set(&mut graph, "acquire_time", period_s.min(setting.exposure_s))?;
    set(&mut graph, "acquire_period", period_s)?;
    Ok(run_for(&graph, setting.seconds)?)
}

fn record(rows: &[Row], setting: Setting, search: &Search) -> Record {
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "period_s": row.period_s,
                "frames": row.ran.frames(),
                "detector_hz": tenths(row.ran.hz()),
                "cpu_percent": tenths(row.ran.cpu_percent()),
                "dropped": row.ran.dropped(),
                "service_us": row.ran.report.nodes.iter()
                    .map(|n| (n.name.clone(), tenths(n.service.mean_ns() as f64 / 1000.0)))
                    .collect::<BTreeMap<_, _>>(),
            })
        })
        .collect();
    let mut json = json!({
        "settings": {
            "image": format!("{0} x {0} u8 mono", setting.side),
            "quadrants": format!("{0} x {0}", setting.side / 2),
            "acquire_time_s": setting.exposure_s, "acquire_time_at_most": "the period",
            "image_mode": "continuous", "served": "no PVs, no clients",
            "queue": 20, "when_full": "drop_newest", "threads": "own",
            "seconds_per_run": setting.seconds,
        },
        "rows": json,
    });
    merge(&mut json, search.json());
    Record { json, table: table(rows, search) }
}

/// The study's table: a row per period, a column per plugin.
fn table(rows: &[Row], search: &Search) -> String {
    let plugins: Vec<String> =
        rows.first().map(|r| r.ran.dropped().into_keys().map(str::to_owned).collect()).unwrap_or_default();
    let headings: Vec<&str> =
        ["period s", "frames/s", "CPU %"].into_iter().chain(plugins.iter().map(|p| &**p)).collect();
    let mut table = Table::new(&headings).right(0..headings.len());
    for row in rows {
        let dropped = row.ran.dropped();
        let first = [
            format!("{:.4}", row.period_s),
            format!("{:.0}", row.ran.hz()),
            format!("{:.0}", row.ran.cpu_percent()),
        ];
        table.row(first.into_iter().chain(plugins.iter().map(|p| dropped[&**p].to_string())));
    }
    let table = table.render(Style::default());
    format!(
        "{table}\nThe columns of the plugins count dropped frames.\nhighest rate without a loss: {:.0} frames/s",
        search.hz
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example that users run must stay the same as the measured graph.
    #[test]
    fn the_graph_is_the_example_without_the_node_that_shows_pictures() {
        let (name, text) = config::DEFAULT;
        let example =
            config::parse(name, text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap().graph;
        let study = study().unwrap();
        let nodes = |graph: &Graph| {
            let text = |node: &livetime_engine::NodeDecl| {
                let values = node.node_type.param_specs().iter().map(|s| (s.name, node.value(s.name)));
                format!("{} {} {:?}", node.name, node.node_type.spec.name, values.collect::<Vec<_>>())
            };
            graph.nodes().iter().map(text).collect::<Vec<_>>()
        };
        let edges = |graph: &Graph| {
            graph
                .edges()
                .iter()
                .map(|e| format!("{:?} {:?} {:?}", e.from, e.to, e.options))
                .collect::<Vec<_>>()
        };
        let (mut wanted_nodes, mut wanted_edges) = (nodes(&example), edges(&example));
        assert!(wanted_nodes.pop().unwrap().starts_with("PVA1 pva_image"));
        wanted_edges.pop();
        assert_eq!((nodes(&study), edges(&study)), (wanted_nodes, wanted_edges));
        assert_eq!((study.nodes().len(), study.memory_bytes), (1 + 11, example.memory_bytes));
    }

    #[test]
    fn both_tables_are_graphs_that_can_run() {
        for side in [1024, 2048] {
            let graph = sized(study().unwrap(), side).unwrap();
            assert!(graph.check().is_ok());
            let value = |name: &str, param: &str| graph.nodes()[graph.node(name).unwrap()].value(param);
            assert_eq!(value("detector", "max_size_y"), Some(i64::from(side).into()));
            assert_eq!(value("ROI4", "min_x"), Some(i64::from(side / 2).into()));
            assert_eq!(value("ROI1", "size_y"), Some(i64::from(side / 2).into()));
        }
    }
}
