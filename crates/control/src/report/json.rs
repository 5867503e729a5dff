//! The report of a run as JSON. Keys are stable: new ones may be added, none changes its meaning.

use std::collections::BTreeMap;

use livetime_engine::{
    Bottleneck, CutAccount, EdgeAccount, Event, Limit, LossReason, NodeReport, Report, ThreadReport, Times,
};
use serde_json::{Map, Value, json};

use super::Ending;
use super::losses::{Sums, utc};
use super::summary::placement;
use super::times::Window;
use crate::describe::value_json;

/// The report of a run that is over.
pub fn ending_json(ending: &Ending) -> Value {
    let (exit, reason) = ending.exit();
    let mut value = report_json(ending.report);
    value["pipeline"] = json!(ending.pipeline);
    value["ended_by"] = json!(ending.ended_by.name());
    value["exit_code"] = json!(exit as u8);
    value["exit_reason"] = json!(reason);
    value
}

/// Everything in a report. Times are in ns; the buckets of a histogram are `[from, below, count]`, with the edges of
/// [`Times`].
pub fn report_json(report: &Report) -> Value {
    let imbalances = report.imbalances();
    let sums = Sums::of(report);
    json!({
        "elapsed_ns": report.elapsed_ns,
        "finished": report.finished,
        "failure": report.failure,
        "unfinished": report.unfinished,
        "ledger_closed": imbalances.is_empty(),
        "imbalances": imbalances,
        "unintended_losses": sums.unintended,
        "intended_losses": sums.intended,
        "cpu_ns": report.cpu_ns,
        "cores": report.cores,
        "bottleneck": report.bottleneck().map(|found| bottleneck(report, &found)),
        "nodes": report.nodes.iter().map(|n| node(report, n)).collect::<Vec<_>>(),
        "edges": report.edges.iter().map(edge).collect::<Vec<_>>(),
        "cuts": report.cuts.iter().map(cut).collect::<Vec<_>>(),
        "threads": report.threads.iter().map(|t| thread(report, t)).collect::<Vec<_>>(),
        "pool": {
            "limit_bytes": report.pool.limit_bytes,
            "used_bytes": report.pool.used_bytes,
            "peak_bytes": report.pool.peak_bytes,
            "buffers": report.pool.buffers,
            "exhausted": report.pool.exhausted,
        },
        "events": report.events.iter().map(event).collect::<Vec<_>>(),
        "events_dropped": report.events_dropped,
        "events_repeated": report.events_repeated,
    })
}

fn node(report: &Report, node: &NodeReport) -> Value {
    let per_second = |count: u64| count as f64 * 1e9 / report.elapsed_ns.max(1) as f64;
    let is_source = node.arrived() == 0 && node.emitted > 0;
    json!({
        "name": node.name,
        "type": node.type_name,
        "threads": node.threads,
        "arrival_hz": (!is_source).then(|| per_second(node.arrived())),
        "throughput_hz": per_second(if is_source { node.emitted } else { node.completed }),
        "own_latency_mean_ns": node.own_latency_ns(),
        "arrived": node.arrived(),
        "received": node.received,
        "completed": node.completed,
        "emitted": node.emitted,
        "lost": lost(&node.lost),
        "unknown_since": node.unknown_since_ns.map(utc),
        "queued": node.queued,
        "capacity": node.capacity,
        "lost_before": node.lost_before,
        "skipped_before": node.skipped_before,
        "waiting": times(&node.waiting),
        "service": times(&node.service),
        "latency": times(&node.latency),
        "cpu_ns": node.cpu_ns,
        "restarts": node.restarts,
        "source": is_source.then(|| json!({
            "jumps": node.source.jumps,
            "repeats": node.source.repeats,
            "stalls": node.source.stalls,
            "longest_gap_ns": node.source.longest_gap_ns,
        })),
        "readbacks": readbacks(node),
    })
}

/// The node's readbacks at its end, by the names of its parameters; empty while it runs.
fn readbacks(node: &NodeReport) -> Map<String, Value> {
    node.readbacks().map(|(spec, value)| (spec.name.to_owned(), value_json(value))).collect()
}

fn edge(edge: &EdgeAccount) -> Value {
    json!({
        "from": edge.from,
        "to": edge.to,
        "when_full": edge.when_full.name(),
        "offered": edge.offered,
        "delivered": edge.delivered,
        "queued": edge.queued,
        "capacity": edge.capacity,
        "waiting": times(&edge.waiting),
        "lost": lost(&edge.lost),
        "unintended": edge.unintended(),
        "intended": edge.intended(),
        "closed": edge.is_closed(),
    })
}

/// The end of a cut as `livetime ledger` reads it. The epoch is a text: it has more digits than numbers of JSON keep.
pub(crate) fn cut(cut: &CutAccount) -> Value {
    json!({
        "cut": cut.cut,
        "node": cut.node,
        "epoch": format!("{:016x}", cut.epoch),
        "side": cut.side.name(),
        "start": cut.start,
        "offered": cut.offered,
        "delivered": cut.delivered,
        "lost": lost(&cut.lost),
        "queued": cut.queued,
        "in_doubt": cut.in_doubt,
        "retaken": cut.retaken,
        "sent_again": cut.sent_again,
        "closed": cut.is_closed(),
    })
}

fn lost(lost: &BTreeMap<LossReason, u64>) -> Map<String, Value> {
    lost.iter().map(|(reason, count)| (reason.name().to_owned(), json!(count))).collect()
}

fn times(times: &Times) -> Value {
    json!({
        "window": Window::Run.name(),
        "count": times.count,
        "sum_ns": times.sum_ns,
        "mean_ns": times.mean_ns(),
        "p50_ns": times.p50_ns(),
        "p99_ns": times.p99_ns(),
        "max_ns": times.max_ns,
        "buckets": times.buckets().map(|b| json!([b.from_ns, b.to_ns, b.count])).collect::<Vec<_>>(),
    })
}

fn thread(report: &Report, thread: &ThreadReport) -> Value {
    json!({
        "name": thread.name,
        "nodes": thread.nodes.iter().map(|n| &report.nodes[*n].name).collect::<Vec<_>>(),
        "cpu_ns": thread.cpu_ns,
        "delayed_ns": thread.delayed_ns,
    })
}

/// The limit of a graph, with the names of its nodes.
pub fn bottleneck(report: &Report, found: &Bottleneck) -> Value {
    let name = |node: usize| report.nodes[node].name.clone();
    let limit = |limit: Limit| match limit {
        Limit::Node(node) => json!({ "by": "node", "node": name(node) }),
        Limit::Cpu => json!({ "by": "cpu", "node": null }),
    };
    json!({
        "limit": limit(found.limit),
        "busiest_node": name(found.node),
        "utilisation": found.utilisation,
        "cpu_utilisation": found.cpu_utilisation,
        "rate_hz": found.rate_hz,
        "sustainable_hz": found.sustainable_hz,
        "undisturbed_hz": found.undisturbed_hz,
        "delayed": found.delayed,
        "one_more_thread": found.one_more.as_ref().map(|more| json!({
            "node": name(more.node),
            "placement": placement(&more.placement),
            "sustainable_hz": more.sustainable_hz,
            "limit": limit(more.limit),
        })),
    })
}

fn event(event: &Event) -> Value {
    json!({ "at_ns": event.at_ns, "node": event.node, "is_error": event.is_error, "message": event.message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{EndedBy, fixture};

    #[test]
    fn machines_find_the_verdict() {
        let report = fixture::report(2);
        let value = ending_json(&Ending::new("p.yaml", &report, EndedBy::Duration));
        assert_eq!((&value["ledger_closed"], &value["unintended_losses"]), (&json!(true), &json!(80)));
        assert_eq!((&value["exit_code"], &value["exit_reason"]), (&json!(3), &json!("unintended_losses")));
        assert_eq!(value["ended_by"], "duration");
        assert_eq!(value["edges"][0]["lost"], json!({ "queue_full": 80, "decimated": 20 }));
        assert_eq!(value["nodes"][1]["latency"]["p99_ns"], 180_355_072);
        assert_eq!(value["nodes"][0]["source"]["longest_gap_ns"], 6_000_000);
        assert_eq!(value["pool"]["limit_bytes"], 64 << 20);
        assert_eq!(value["events"][0]["node"], "end");
    }
}
