//! Which metrics there are, and their values in a report.

use livetime_control::model::{Moment, NodeTimes, Percentiles, Spans, Standing, Window};
use livetime_control::report::losses::Sums;
use livetime_engine::{EdgeAccount, NodeReport, Report, Times};

use super::readbacks;
use super::text::{Exposition, Family, Format, Labels, MetricKind, counter, gauge, histogram};

/// Upper edges of the buckets, powers of two in ns from 256 ns to 17 s, at which the engine's histograms have edges too: so
/// the counts are exact. (A time of exactly an edge counts above it.)
const EDGES_NS: std::ops::RangeInclusive<u32> = 8..=34;

/// A family, and its number in a part of a report, if there is one.
pub(super) type Number<Part> = (Family, fn(&Part) -> Option<f64>);
/// A family, and its histogram in a part of a report.
pub(super) type Histogram<Part> = (Family, fn(&Part) -> &Times);
/// A value with its labels.
pub(super) type Labelled<'a, Value> = (Vec<(&'a str, &'a str)>, Value);

const BUILD: Family = Family {
    name: "livetime_build_info",
    kind: MetricKind::Info,
    help: "Version and commit of the program.",
};

/// One number for each node.
const NODES: &[Number<NodeReport>] = &[
    (counter("livetime_frames_received_total", "Frames handed to the node."), |n| Some(n.received as f64)),
    (counter("livetime_frames_completed_total", "Frames whose handler came to a good end."), |n| {
        Some(n.completed as f64)
    }),
    (counter("livetime_frames_sent_total", "Frames that the node sent."), |n| Some(n.emitted as f64)),
    (
        counter("livetime_node_cpu_seconds_total", "CPU time of nodes that have threads for themselves."),
        |n| n.cpu_ns.map(seconds),
    ),
    (counter("livetime_node_restarts_total", "How often the node was built anew after a failure."), |n| {
        Some(n.restarts as f64)
    }),
    (counter("livetime_source_jumps_total", "Sequence numbers that jumped ahead."), |n| {
        Some(n.source.jumps as f64)
    }),
    (counter("livetime_source_repeats_total", "Sequence numbers that came again or went back."), |n| {
        Some(n.source.repeats as f64)
    }),
    (counter("livetime_source_stalls_total", "Silences of the source."), |n| Some(n.source.stalls as f64)),
];

/// One histogram for each node.
const NODE_TIMES: &[Histogram<NodeReport>] = &[
    (histogram("livetime_process_duration_seconds", "Time in the node's handler."), |n| &n.service),
    (
        histogram("livetime_frame_age_seconds", "From the source's stamp to the end of the node's handler."),
        |n| &n.latency,
    ),
];

/// One number for each edge.
const EDGES: &[Number<EdgeAccount>] = &[
    (counter("livetime_frames_offered_total", "Frames offered to the edge."), |e| Some(e.offered as f64)),
    (counter("livetime_frames_delivered_total", "Frames that left the edge for its node."), |e| {
        Some(e.delivered as f64)
    }),
    (gauge("livetime_queue_frames", "Frames that wait in the edge."), |e| Some(e.queued as f64)),
    (gauge("livetime_queue_capacity_frames", "Frames that may wait in the edge."), |e| {
        Some(e.capacity as f64)
    }),
];

const WAITING: Family = histogram("livetime_wait_duration_seconds", "Time that frames waited in the edge.");
const DISCARDED: Family = counter(
    "livetime_frames_discarded_total",
    "Frames lost on an edge or, without one, in a node; intentional if the pipeline asks for it.",
);

/// One number for the run.
const RUN: &[Number<Report>] = &[
    (gauge("livetime_run_duration_seconds", "Time since the start of the run."), |r| {
        Some(seconds(r.elapsed_ns))
    }),
    (gauge("livetime_ledger_closed", "1 if every frame is accounted for."), |r| {
        Some(f64::from(u8::from(r.imbalances().is_empty())))
    }),
    (gauge("livetime_pool_limit_bytes", "Bound of the frame pool."), |r| Some(r.pool.limit_bytes as f64)),
    (gauge("livetime_pool_used_bytes", "Memory of the frame pool."), |r| Some(r.pool.used_bytes as f64)),
    (gauge("livetime_pool_peak_bytes", "The most memory that the frame pool had."), |r| {
        Some(r.pool.peak_bytes as f64)
    }),
    (gauge("livetime_pool_buffers", "Buffers of the frame pool, in use or free."), |r| {
        Some(r.pool.buffers as f64)
    }),
    (counter("livetime_pool_exhausted_total", "Frames refused because the pool was exhausted."), |r| {
        Some(r.pool.exhausted as f64)
    }),
    (counter("livetime_cpu_seconds_total", "CPU time of the threads of the run."), |r| r.cpu_ns.map(seconds)),
    (gauge("livetime_cores", "Cores that the program may use."), |r| Some(r.cores as f64)),
    (gauge("livetime_sustainable_rate_hertz", "Estimated frames per second without losses."), |r| {
        r.bottleneck().map(|b| b.sustainable_hz)
    }),
    (counter("process_cpu_seconds_total", "CPU time of the program."), |_| process_cpu_seconds()),
    (gauge("process_resident_memory_bytes", "Memory of the program."), |_| process_memory_bytes()),
];

type SpansOf = fn(&NodeTimes) -> &Spans;
type Quantile = fn(&Percentiles) -> u64;

/// Percentiles over the last second, ten seconds and minute, and over the whole run.
const RECENT: [(Family, SpansOf); 3] = [
    (gauge("livetime_wait_quantile_seconds", "Time that frames waited for the node, over a window."), |t| {
        &t.waiting
    }),
    (gauge("livetime_process_quantile_seconds", "Time in the node's handler, over a window."), |t| {
        &t.service
    }),
    (
        gauge(
            "livetime_frame_age_quantile_seconds",
            "From the source's stamp to the end of the node's handler, over a window.",
        ),
        |t| &t.latency,
    ),
];

const QUANTILES: [(&str, Quantile); 2] = [("0.5", |found| found.p50_ns), ("0.99", |found| found.p99_ns)];

const LOSSES: Family = counter(
    "livetime_losses_total",
    "All losses on edges and in nodes; intentional if the pipeline or a person asks for it.",
);
const LOSING: Family =
    gauge("livetime_losing", "1 if frames were lost unintentionally in the last ten seconds.");
const NEWEST: Family = gauge(
    "livetime_newest_loss_age_seconds",
    "Time since the newest unintended loss; the edge or the node at which, and the reason.",
);

/// The report as text, with the other numbers of the model.
pub(super) fn exposition(report: &Report, moment: Option<&Moment>, format: Format, commit: &str) -> String {
    let mut text = Exposition::new(format);
    build(&mut text, commit);
    for (family, of) in RUN {
        numbers(&mut text, family, [of(report).map(|value| (vec![], value))]);
    }
    for (family, of) in NODES {
        let value = |n| of(n).map(|value| (vec![("node", &*n.name)], value));
        numbers(&mut text, family, report.nodes.iter().map(value));
    }
    for (family, of) in NODE_TIMES {
        let times = report.nodes.iter().map(|n| (vec![("node", &*n.name)], of(n)));
        histograms(&mut text, family, times);
    }
    // The name of an edge is made once for all of its families.
    let names: Vec<String> = report.edges.iter().map(|e| format!("{} -> {}", e.from, e.to)).collect();
    let labelled = || {
        report.edges.iter().zip(&names).map(|(e, name)| {
            // An empty label is left out of the text.
            let node = e.nodes.1.map_or("", |node| &report.nodes[node].name);
            let labels = vec![("edge", &**name), ("node", node)];
            (labels, e)
        })
    };
    for (family, of) in EDGES {
        numbers(&mut text, family, labelled().map(|(labels, e)| of(e).map(|value| (labels, value))));
    }
    let waiting = labelled().map(|(mut labels, e)| {
        labels.push(("for", "input"));
        (labels, &e.waiting)
    });
    histograms(&mut text, &WAITING, waiting);
    numbers(&mut text, &DISCARDED, discarded(report, labelled()));
    let sums = Sums::of(report);
    let by_intent = [("true", sums.intended), ("false", sums.unintended)];
    numbers(&mut text, &LOSSES, by_intent.map(|(is, count)| Some((vec![("intentional", is)], count as f64))));
    // Without a model there are only the counts of the report.
    if let Some(moment) = moment {
        losing(&mut text, moment);
        recent(&mut text, moment);
        readbacks::expose(&moment.nodes, &report.nodes, &mut text);
    }
    text.finish()
}

fn losing(text: &mut Exposition, moment: &Moment) {
    let is_losing = moment.losses.standing == Standing::Losing;
    numbers(text, &LOSING, [Some((vec![], f64::from(u8::from(is_losing))))]);
    let (report, newest) = (&moment.report, moment.losses.newest());
    let place = newest.map(|newest| newest.loss.describe(report)).unwrap_or_default();
    let age = newest.map(|newest| {
        let node = newest.loss.node(report).and_then(|node| report.nodes.get(node));
        let labels = vec![
            ("place", &*place),
            ("node", node.map_or("", |node| &node.name)),
            ("reason", newest.loss.reason.name()),
        ];
        (labels, seconds(report.elapsed_ns.saturating_sub(newest.seen_ns)))
    });
    numbers(text, &NEWEST, [age]);
}

fn recent(text: &mut Exposition, moment: &Moment) {
    for (family, of) in RECENT {
        text.family(&family);
        for (node, counts) in moment.nodes.iter().zip(&moment.report.nodes) {
            for window in Window::ALL {
                let found = of(&node.times).over(window);
                // A window without frames has no percentiles.
                for (quantile, ns) in QUANTILES.iter().filter(|_| found.count > 0) {
                    let labels =
                        [("node", &*counts.name), ("window", window.name()), ("quantile", *quantile)];
                    text.sample(family.name, &labels, seconds(ns(found)));
                }
            }
        }
    }
}

/// The program.
pub(super) fn build(text: &mut Exposition, commit: &str) {
    text.family(&BUILD);
    let build = [("version", env!("CARGO_PKG_VERSION")), ("commit", commit)];
    text.sample(BUILD.name, &build, 1);
}

/// Losses on edges and in nodes; only reasons with a count.
fn discarded<'a>(
    report: &'a Report,
    edges: impl Iterator<Item = Labelled<'a, &'a EdgeAccount>>,
) -> Vec<Option<Labelled<'a, f64>>> {
    let intentional = |is: bool| ("intentional", if is { "true" } else { "false" });
    let mut found = Vec::new();
    for (labels, edge) in edges {
        found.extend(edge.lost.iter().map(|(reason, count)| {
            let more = [("reason", reason.name()), intentional(edge.is_intended(*reason))];
            Some(([&labels[..], &more[..]].concat(), *count as f64))
        }));
    }
    for node in &report.nodes {
        found.extend(node.lost.iter().map(|(reason, count)| {
            let labels =
                vec![("node", &*node.name), ("reason", reason.name()), intentional(reason.is_intended())];
            Some((labels, *count as f64))
        }));
    }
    found
}

pub(super) fn numbers<'a>(
    text: &mut Exposition,
    family: &Family,
    values: impl IntoIterator<Item = Option<Labelled<'a, f64>>>,
) {
    text.family(family);
    for (labels, value) in values.into_iter().flatten() {
        text.sample(family.name, &labels, value);
    }
}

pub(super) fn histograms<'a>(
    text: &mut Exposition,
    family: &Family,
    all: impl IntoIterator<Item = Labelled<'a, &'a Times>>,
) {
    text.family(family);
    for (labels, times) in all {
        one_histogram(text, family.name, &labels, times);
    }
}

fn one_histogram(text: &mut Exposition, name: &str, labels: Labels, times: &Times) {
    let bucket = format!("{name}_bucket");
    for power in EDGES_NS {
        // A bucket counts all that is below its edge, as Prometheus wants it.
        let edge = seconds(1 << power).to_string();
        let count = times.count_below(1 << power);
        text.sample(&bucket, &[labels, &[("le", &*edge)]].concat(), count);
    }
    text.sample(&bucket, &[labels, &[("le", "+Inf")]].concat(), times.count);
    text.sample(&format!("{name}_sum"), labels, seconds(times.sum_ns));
    text.sample(&format!("{name}_count"), labels, times.count);
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn process_cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

/// `None` where the operating system does not provide it.
fn process_memory_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    // Other systems have no such line.
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0)
}

/// All names that a query may use.
#[cfg(test)]
fn names() -> Vec<String> {
    let run = RUN.iter().map(|(family, _)| family);
    let nodes = NODES.iter().map(|(family, _)| family).chain(NODE_TIMES.iter().map(|(family, _)| family));
    let edges = EDGES.iter().map(|(family, _)| family).chain([&WAITING, &DISCARDED, &BUILD]);
    let edges = edges.chain([&LOSSES, &LOSING, &NEWEST]).chain(RECENT.iter().map(|(family, _)| family));
    let of = |family: &Family| match family.kind {
        MetricKind::Histogram => {
            ["_bucket", "_sum", "_count"].map(|s| format!("{}{s}", family.name)).to_vec()
        }
        _ => vec![family.name.to_owned()],
    };
    run.chain(nodes).chain(edges).flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn numbers_are_those_of_the_report() {
        let text = exposition(&fixture::report(2), None, Format::Prometheus, "abc");
        let has = |line: &str| assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        has("livetime_frames_received_total{node=\"end\"} 300");
        has("livetime_frames_sent_total{node=\"cam\"} 400");
        has("livetime_node_cpu_seconds_total{node=\"cam\"} 1");
        has("livetime_queue_capacity_frames{edge=\"cam.out -> end.in\",node=\"end\"} 20");
        has("livetime_frames_discarded_total{edge=\"cam.out -> end.in\",node=\"end\",\
             reason=\"queue_full\",intentional=\"false\"} 80");
        has("livetime_frames_discarded_total{edge=\"cam.out -> end.in\",node=\"end\",\
             reason=\"decimated\",intentional=\"true\"} 20");
        has("livetime_pool_limit_bytes 67108864");
        has("livetime_ledger_closed 1");
    }

    #[test]
    fn histograms_are_cumulative_and_end_with_all() {
        let text = exposition(&fixture::report(2), None, Format::OpenMetrics, "abc");
        let start = "livetime_process_duration_seconds_bucket{node=\"end\",le=\"";
        let counts: Vec<u64> = text
            .lines()
            .filter_map(|line| line.strip_prefix(start))
            .map(|rest| rest.split_whitespace().last().unwrap().parse().unwrap())
            .collect();
        assert_eq!(counts.len(), EDGES_NS.count() + 1);
        assert!(counts.is_sorted() && counts.first() == Some(&0) && counts.last() == Some(&300));
        // 294 of 6.5 ms and 6 of 13 and 19.5 ms: the edges are at 4.19, 8.39, 16.8 and 33.6 ms.
        assert!(text.contains(&format!("{start}0.008388608\"}} 294\n")), "{text}");
        assert!(text.contains("livetime_process_duration_seconds_count{node=\"end\"} 300\n"));
        assert!(text.ends_with("# EOF\n"));
    }

    /// The board of docs/ asks only for existing metrics.
    #[test]
    fn the_board_knows_our_names() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grafana.json");
        let board: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut queries = Vec::new();
        collect_queries(&board, &mut queries);
        assert!(queries.len() >= 10);
        let names = names();
        for query in &queries {
            let words = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for word in words.filter(|w| w.starts_with("livetime_") || w.starts_with("process_")) {
                assert!(names.iter().any(|n| n == word), "`{word}` in `{query}`");
            }
        }
        let used = |name: &str| queries.iter().any(|q| q.contains(name));
        for wanted in [&WAITING, &DISCARDED, &NODES[0].0, &NODE_TIMES[0].0, &NODE_TIMES[1].0] {
            assert!(used(wanted.name), "{} is not on the board", wanted.name);
        }
    }

    fn collect_queries(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                found.extend(fields.get("expr").and_then(|e| e.as_str()).map(str::to_owned));
                fields.values().for_each(|v| collect_queries(v, found));
            }
            serde_json::Value::Array(list) => list.iter().for_each(|v| collect_queries(v, found)),
            _ => {}
        }
    }
}
