//! The report of a run for people: nodes, ledger, memory, events, verdict.

use comfy_table::Cell;
use livetime_engine::{
    Bottleneck, CutAccount, Event, Limit, LossReason, NodeReport, ParamSpec, Placement, Report, Value,
};

use super::Ending;
use super::losses::{self, Losses};
use super::numbers::{bytes, percent, rate, time};
use super::rates::{Rates, RunRates, since_start};
use super::table::{Style, Table, cell};
use super::times::{NodeTimes, Spans, Window};

/// Events shown; the JSON report has all that were kept.
const SHOWN_EVENTS: usize = 20;
/// A longer list is no reading for people.
const MOST_LISTED: usize = 12;
/// Characters of a line of readbacks.
const LINE: usize = 120;

/// The report of a run that is over.
pub fn summary(ending: &Ending, style: Style) -> String {
    let report = ending.report;
    let (rates, run) = since_start(report);
    let times: Vec<NodeTimes> = report.nodes.iter().map(NodeTimes::since_start).collect();
    let parts = [
        headline(ending, run),
        nodes(report, &rates, &times, Window::Run, Columns::All).render(style),
        ledger(report).render(style),
        cuts(report),
        readbacks(report),
        limit(report),
        memory(report),
        events(report),
        verdict(ending),
    ];
    // Parts without a content leave no empty line.
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn headline(ending: &Ending, rates: RunRates) -> String {
    let report = ending.report;
    let mut text = format!(
        "{}: {} after {:.2} s; CPU {} %\n",
        ending.pipeline,
        ending.ended_by.describe(),
        report.elapsed_ns as f64 / 1e9,
        percent(rates.cpu_percent),
    );
    if let Some(failure) = &report.failure {
        text += &format!("failed: {failure}\n");
    }
    text
}

/// Which columns the table of nodes has: losses matter more than a median.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Columns {
    /// The columns that fit a terminal of 80 characters.
    Few,
    /// These and the 99th percentile of the service time.
    More,
    /// Medians, too.
    All,
}

/// Headings, and from which choice of columns on they are shown.
const COLUMNS: [(&str, Columns); 11] = [
    ("node", Columns::Few),
    ("in/s", Columns::Few),
    ("out/s", Columns::Few),
    ("queue", Columns::Few),
    ("wait p50", Columns::All),
    ("wait p99", Columns::Few),
    ("service p50", Columns::All),
    ("service p99", Columns::More),
    ("latency p99", Columns::Few),
    ("CPU %", Columns::Few),
    ("lost (intended)", Columns::Few),
];

/// One row for each node; also what is shown while a run is going on. Percentiles are those over `window`, and say so.
pub fn nodes(
    report: &Report,
    rates: &[Rates],
    times: &[NodeTimes],
    window: Window,
    columns: Columns,
) -> Table {
    let mut table = headed(window, columns);
    let is_shown = |(_, from): &(&str, Columns)| *from <= columns;
    let all = report.nodes.iter().zip(rates).zip(times).zip(Losses::of_nodes(report));
    for (((node, rates), times), losses) in all {
        let cells = node_cells(node, rates, times, &losses, window).into_iter().zip(COLUMNS);
        table.row(cells.filter(|(_, column)| is_shown(column)).map(|(cell, _)| cell));
    }
    table
}

/// The same without rows.
pub fn headed(window: Window, columns: Columns) -> Table {
    let of = |heading: &str| match heading.contains(" p") {
        true => format!("{heading}\n{}", window.name()),
        false => heading.to_owned(),
    };
    let shown = COLUMNS.iter().filter(|(_, from)| *from <= columns);
    let headings: Vec<String> = shown.map(|(heading, _)| of(heading)).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    Table::new(&headings).right(1..headings.len() - 1)
}

fn node_cells(
    node: &NodeReport,
    rates: &Rates,
    times: &NodeTimes,
    losses: &Losses,
    window: Window,
) -> [Cell; COLUMNS.len()] {
    let queue = match node.capacity {
        // An inline node has no queue.
        0 if node.queued == 0 => "-".into(),
        capacity => format!("{}/{capacity}", node.queued),
    };
    let percentiles = |spans: &Spans| {
        let found = spans.over(window);
        [time(found.p50_ns), time(found.p99_ns)]
    };
    let [wait_p50, wait_p99] = percentiles(&times.waiting);
    let [service_p50, service_p99] = percentiles(&times.service);
    let [_, latency_p99] = percentiles(&times.latency);
    [
        Cell::new(&node.name),
        Cell::new(rate(rates.in_hz)),
        Cell::new(rate(rates.out_hz)),
        Cell::new(queue),
        Cell::new(wait_p50),
        Cell::new(wait_p99),
        Cell::new(service_p50),
        Cell::new(service_p99),
        Cell::new(latency_p99),
        Cell::new(percent(rates.cpu_percent)),
        cell(losses.describe(), losses.unintended() > 0),
    ]
}

fn ledger(report: &Report) -> Table {
    let headings = ["from", "to", "when full", "offered", "delivered", "queued", "lost (intended)"];
    let mut table = Table::new(&headings).right(3..6);
    for (edge, losses) in report.edges.iter().zip(Losses::of_edges(report)) {
        let texts = [edge.from.clone(), edge.to.clone(), edge.when_full.name().to_owned()];
        let counts = [edge.offered, edge.delivered, edge.queued].map(|n| n.to_string());
        let lost = cell(losses.describe(), losses.unintended() > 0);
        table.row(texts.into_iter().chain(counts).map(|t| cell(t, false)).chain([lost]));
    }
    table
}

/// The ends of edges to other hosts.
fn cuts(report: &Report) -> String {
    let line = |cut: &CutAccount| {
        let lost: String = cut.lost.iter().map(|(reason, count)| format!(" + {count} {reason}")).collect();
        let CutAccount { cut: name, side, offered, delivered, queued, in_doubt, retaken, .. } = cut;
        let retaken = if *retaken > 0 { format!(" + {retaken} retaken") } else { String::new() };
        let side = side.name();
        format!(
            "link {name}, {side}: {offered} offered = {delivered} delivered{lost} + {queued} queued + {in_doubt} in doubt{retaken}\n"
        )
    };
    report.cuts.iter().map(line).collect()
}

/// The readbacks of each node at its end: one paragraph for each node that has something to say. Zeros, empty texts and
/// long lists are left out; `--json` has all.
fn readbacks(report: &Report) -> String {
    let paragraph = |node: &NodeReport| {
        let parts = node.readbacks().filter_map(|(spec, value)| Some(readback(spec, readable(value)?)));
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| wrap(&format!("{}:", node.name), &parts))
    };
    report.nodes.iter().filter_map(paragraph).collect()
}

fn readback(spec: &ParamSpec, value: String) -> String {
    let unit = spec.unit.map_or_else(String::new, |unit| format!(" {unit}"));
    format!("{} {value}{unit}", spec.name)
}

/// A value as people read it; `None` if it says nothing.
fn readable(value: &Value) -> Option<String> {
    match value {
        Value::Bool(false) | Value::Int(0) => None,
        // A zero says that nothing happened.
        Value::Float(number) if *number == 0.0 || number.is_nan() => None,
        Value::Float(number) => Some(short(*number)),
        // A text of several lines would break the paragraph.
        Value::Text(text) if text.is_empty() || text.contains('\n') => None,
        // Long lists are for machines, which read the JSON report.
        Value::List(numbers) if numbers.is_empty() || numbers.len() > MOST_LISTED => None,
        Value::List(numbers) => Some(numbers.iter().map(|n| short(*n)).collect::<Vec<_>>().join(" ")),
        other => Some(other.to_string()),
    }
}

/// Six digits that count.
fn short(number: f64) -> String {
    let digits = match number.abs() {
        0.0 => return "0".into(),
        // Numbers far from 1 would be rows of zeros.
        size if !(1e-4..1e15).contains(&size) => return format!("{number:.5e}"),
        size => (5 - size.log10().floor() as i32).clamp(0, 9) as usize,
    };
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Parts behind a head, separated by commas, in lines of at most [`LINE`] characters where that is possible.
fn wrap(head: &str, parts: &[String]) -> String {
    let (mut text, mut line) = (String::new(), head.to_owned());
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            // A part that alone is longer than a line stays whole.
            line.push(',');
            if line.chars().count() + 1 + part.chars().count() > LINE {
                text += &(std::mem::replace(&mut line, "   ".into()) + "\n");
            }
        }
        line.push(' ');
        line += part;
    }
    text + &line + "\n"
}

/// The bottleneck of the graph, the rate that it could sustain, and the rate with one more thread.
fn limit(report: &Report) -> String {
    let Some(found) = report.bottleneck() else { return String::new() };
    let busiest = &report.nodes[found.node].name;
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut text = match found.limit {
        Limit::Node(_) => format!("limit: {busiest}, {} busy", percent(found.utilisation)),
        Limit::Cpu => format!("limit: CPU time, {} used", percent(found.cpu_utilisation)),
    };
    let (now, most) = (rate(Some(found.rate_hz)), rate(Some(found.sustainable_hz)));
    text += &format!(" at {now} frames/s; could sustain about {most} frames/s\n");
    text += &busy(&found);
    if found.limit == Limit::Cpu {
        text += &format!("busiest node: {busiest}, {} busy\n", percent(found.utilisation));
    }
    match &found.one_more {
        // With all cores in use a thread would only share them.
        _ if found.limit == Limit::Cpu => text + "one more thread would give nothing without more cores\n",
        None => {
            text + &format!("{busiest} cannot have one more thread: it keeps state from frame to frame\n")
        }
        Some(more) => {
            let then = match more.limit {
                Limit::Node(node) => &report.nodes[node].name,
                Limit::Cpu => "CPU time",
            };
            let name = &report.nodes[more.node].name;
            let how = placement(&more.placement);
            let hz = rate(Some(more.sustainable_hz));
            text + &format!("one more thread ({name} {how}): about {hz} frames/s, then limited by {then}\n")
        }
    }
}

/// From this share of the time on, waiting for a core is worth a word.
const BUSY: f64 = 0.05;

/// Says that the machine was too busy: the numbers do not come from the graph alone.
pub fn busy(found: &Bottleneck) -> String {
    if found.delayed < BUSY {
        return String::new();
    }
    let (share, idle) = (100.0 * found.delayed, rate(Some(found.undisturbed_hz)));
    format!(
        "the cores were busy: a thread that was ready waited for one {share:.0} % of the time; \
         with cores free it would be about {idle} frames/s\n"
    )
}

/// In words, as in `placement` of a pipeline file.
pub fn placement(placement: &Placement) -> String {
    match placement {
        Placement::Own => "on a thread of its own".into(),
        Placement::Group(name) => format!("in group {name}"),
        Placement::Inline => "inline".into(),
        Placement::Pool(threads) => format!("in a pool of {threads}"),
    }
}

fn memory(report: &Report) -> String {
    let pool = &report.pool;
    format!(
        "memory for frames: at most {} of {}, refused {} times\n",
        bytes(pool.peak_bytes as u64),
        bytes(pool.limit_bytes as u64),
        pool.exhausted,
    )
}

fn events(report: &Report) -> String {
    let shown = report.events.iter().take(SHOWN_EVENTS).map(|e| event(e) + "\n");
    let mut text: String = shown.collect();
    // Events that were not kept count too, so that the sum holds for the whole run.
    let more = report.events.len().saturating_sub(SHOWN_EVENTS) + report.events_dropped;
    if more > 0 {
        text += &format!("and {more} more events\n");
    }
    text
}

/// One line for an event.
pub fn event(event: &Event) -> String {
    let kind = if event.is_error { "error" } else { "note" };
    let node = if event.node.is_empty() { "run" } else { &event.node };
    format!("{:.3} s {kind} {node}: {}", event.at_ns as f64 / 1e9, event.message)
}

fn verdict(ending: &Ending) -> String {
    // Nothing else counts while the ledger is not closed.
    if !ending.imbalances.is_empty() {
        return format!("LEDGER NOT CLOSED:\n{}\n", ending.imbalances.join("\n"));
    }
    if !ending.report.finished {
        let left: u64 = ending.report.nodes.iter().map(|n| n.queued + n.under_way()).sum();
        return format!(
            "NOT FINISHED: {left} frames are in front of and inside of nodes that do not return\n"
        );
    }
    let unfinished: String =
        ending.report.unfinished.iter().map(|what| format!("NOT FINISHED: {what}\n")).collect();
    let sum = |reason| ending.report.nodes.iter().filter_map(|n| n.lost.get(&reason)).sum::<u64>();
    // Late parts are no frames, so they have a number of their own; a break is no number of frames at all.
    let (late, unknown) = (sum(LossReason::Late), sum(LossReason::Unknown));
    let ledger = match (ending.report.unintended_losses() - late - unknown, late) {
        // A report that does not know all does not say that nothing was lost.
        (0, 0) if unknown > 0 || ending.report.in_doubt() > 0 => String::new(),
        (0, 0) => "ledger closed; nothing was lost that should not be\n".into(),
        (lost, 0) => format!("ledger closed; {lost} frames were lost unintendedly\n"),
        (lost, late) => {
            format!("ledger closed; {lost} frames and {late} late parts of frames were lost unintendedly\n")
        }
    };
    let in_doubt = match ending.report.in_doubt() {
        0 => String::new(),
        frames => format!("{frames} frames are in doubt: a host died that had them\n"),
    };
    unfinished + &ledger + &in_doubt + &unknown_since(ending.report)
}

/// A line for each node with a break after which frames may be missing.
fn unknown_since(report: &Report) -> String {
    let lines = losses::all(report).filter(|loss| loss.reason == LossReason::Unknown).map(|loss| {
        let times = if loss.count == 1 { String::new() } else { format!(" ({} breaks)", loss.count) };
        format!("UNKNOWN what is missing: {}{times}\n", loss.describe(report))
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use livetime_engine::Params;

    use super::*;
    use crate::report::{EndedBy, Exit, fixture};

    #[test]
    fn the_summary_tells_all() {
        let report = fixture::report(2);
        let ending = Ending::new("p.yaml", &report, EndedBy::Duration);
        let text = summary(&ending, Style::default());
        let expected = "\
p.yaml: its time is over after 2.00 s; CPU 80 %

node  in/s  out/s  queue  wait p50  wait p99  service p50  service p99  latency p99  CPU %  lost (intended)
                               run       run          run          run          run
cam      -    200      -         -         -      50.2 us       100 us            -     50  0
end    150      -   0/20   81.8 ms    164 ms      6.42 ms      12.8 ms       180 ms      -  80 queue_full (20 decimated)

from     to      when full    offered  delivered  queued  lost (intended)
cam.out  end.in  drop_newest      400        300       0  80 queue_full (20 decimated)

limit: end, 126 % busy at 200 frames/s; could sustain about 158 frames/s
end cannot have one more thread: it keeps state from frame to frame

memory for frames: at most 3.00 MiB of 64.0 MiB, refused 0 times

0.500 s error end: asked to fail

ledger closed; 80 frames were lost unintendedly
";
        assert_eq!(text, expected);
        assert_eq!(ending.exit(), (Exit::Loss, "unintended_losses"));
        let coloured = summary(&ending, Style { width: None, is_coloured: true });
        assert!(coloured.contains("\x1b[38;5;9m80 queue_full"), "{coloured}");
    }

    #[test]
    fn readbacks_are_told_and_wrapped() {
        #[derive(Params)]
        struct Readings {
            /// Written by users: not a readback.
            gain: u64,
            /// A count.
            #[param(readback)]
            missing: u64,
            /// Nothing.
            #[param(readback)]
            dropped: u64,
            /// A number.
            #[param(readback, unit = "counts")]
            mean: f64,
            /// A text.
            #[param(readback)]
            faults: String,
            /// Numbers.
            #[param(readback)]
            centroid: Vec<f64>,
        }
        let readings = Readings {
            gain: 7,
            missing: 12,
            dropped: 0,
            mean: 1_234.567_89,
            faults: "mm: 3".into(),
            centroid: vec![0.5, 1e-7],
        };
        let mut report = fixture::report(2);
        report.nodes[1].last_values =
            readings.specs().iter().enumerate().map(|(i, spec)| (spec, readings.get(i).unwrap())).collect();
        let text = summary(&Ending::new("p.yaml", &report, EndedBy::Duration), Style::default());
        assert!(
            text.contains("\nend: missing 12, mean 1234.57 counts, faults mm: 3, centroid 0.5 1.00000e-7\n"),
            "{text}"
        );
        let json = crate::report::json::report_json(&report);
        assert_eq!(
            json["nodes"][1]["readbacks"],
            serde_json::json!({"missing": 12, "dropped": 0, "mean": 1_234.567_89, "faults": "mm: 3", "centroid": [0.5, 1e-7]})
        );
        assert_eq!(json["nodes"][0]["readbacks"], serde_json::json!({}));
        let parts: Vec<String> = (0..30).map(|i| format!("number_{i} {i}")).collect();
        let wrapped = wrap("node:", &parts);
        assert!(wrapped.lines().count() > 2 && wrapped.lines().all(|l| l.len() <= LINE), "{wrapped}");
        assert_eq!(
            [0.0, 20480.0, -1.5, 1e20, 123_456.7].map(short),
            ["0", "20480", "-1.5", "1.00000e20", "123457"]
        );
    }

    #[test]
    fn late_parts_of_frames_are_not_called_frames() {
        let mut report = fixture::report(2);
        report.nodes[1].lost.insert(LossReason::Late, 7);
        let ending = Ending::new("p.yaml", &report, EndedBy::Duration);
        let verdict = "ledger closed; 80 frames and 7 late parts of frames were lost unintendedly\n";
        assert!(summary(&ending, Style::default()).ends_with(verdict));
        assert_eq!(ending.exit(), (Exit::Loss, "unintended_losses"));
    }

    #[test]
    fn a_break_is_not_called_a_frame() {
        let mut report = fixture::report(1);
        report.edges[0].lost.remove(&LossReason::QueueFull);
        report.edges[0].offered -= 40;
        report.nodes[0].lost.insert(LossReason::Unknown, 2);
        report.nodes[0].unknown_since_ns = Some(0);
        let ending = Ending::new("p.yaml", &report, EndedBy::Duration);
        let verdict =
            "\n\nUNKNOWN what is missing: unknown in cam since 1970-01-01T00:00:00.000Z (2 breaks)\n";
        assert!(
            summary(&ending, Style::default()).ends_with(verdict),
            "{}",
            summary(&ending, Style::default())
        );
        assert_eq!(ending.exit(), (Exit::Loss, "unintended_losses"));
    }

    #[test]
    fn an_open_ledger_and_a_failure_are_failures() {
        let mut report = fixture::report(2);
        report.edges[0].delivered -= 1;
        let ending = Ending::new("p.yaml", &report, EndedBy::Sources);
        assert_eq!(ending.exit(), (Exit::Failed, "ledger_open"));
        assert!(summary(&ending, Style::default()).contains("LEDGER NOT CLOSED:\ncam.out -> end.in"));
        report.failure = Some("no disk".into());
        let ending = Ending::new("p.yaml", &report, EndedBy::Sources);
        assert_eq!((ending.exit(), ending.ended_by), ((Exit::Failed, "failed"), EndedBy::Failure));
        assert!(summary(&ending, Style::default()).contains("failed: no disk\n"));
    }
}
