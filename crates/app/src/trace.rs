//! The sampled trace as a file that Perfetto (<https://ui.perfetto.dev>) and Chrome open.
//!
//! The format is Chrome's trace event format as a JSON object. Each thread is a track with a slice per frame and node, the time
//! in the handler; the time in a queue is an asynchronous slice, because many frames wait at once; an arrow leads from
//! where a frame was sent to where it was handled.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use livetime_engine::{Report, Span, Tracer};
use livetime_formats::file::GrowingFile;
use serde_json::{Value, json};

/// Spans of one node between two looks.
const NODE_SPANS: usize = 4096;
/// Spans in the file; the newest are kept.
const FILE_SPANS: usize = 200_000;

/// A trace on its way to a file, which is there when all of it is written: no program opens half a trace.
pub(crate) struct TraceFile {
    file: GrowingFile,
    every: u64,
    tracer: Option<Tracer>,
    spans: VecDeque<Span>,
    /// Spans that were left out because there are too many.
    left_out: u64,
}

impl TraceFile {
    /// A file that is empty for now, beside its place.
    ///
    /// # Errors
    /// Why it cannot be written.
    pub(crate) fn create(path: &Path, every: u64) -> Result<TraceFile, TraceError> {
        let file = GrowingFile::replace(path).map_err(TraceError::file(path))?;
        Ok(TraceFile { file, every, tracer: None, spans: VecDeque::new(), left_out: 0 })
    }

    /// From now on frames are followed.
    pub(crate) fn start(&mut self, tracer: Tracer) {
        tracer.start(self.every, NODE_SPANS);
        self.tracer = Some(tracer);
    }

    /// Takes the recorded spans; to be called often enough that the nodes have room.
    pub(crate) fn collect(&mut self) {
        self.spans.extend(self.tracer.iter().flat_map(Tracer::take));
        let excess = self.spans.len().saturating_sub(FILE_SPANS);
        self.spans.drain(..excess);
        self.left_out += excess as u64;
    }

    /// Writes the file. Returns the sentence about it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(mut self, report: &Report) -> Result<String, TraceError> {
        self.collect();
        let lost = self.tracer.as_ref().map_or(0, Tracer::lost);
        let other = json!({
            "every": self.every, "spans": self.spans.len(), "lost_spans": lost, "left_out_spans": self.left_out,
        });
        let events = events(self.spans.make_contiguous(), report);
        let path = self.file.path().to_owned();
        let out = self.file.file().map_err(TraceError::file(&path))?;
        write_to(out, &events, &other).map_err(|error| TraceError::System(path.clone(), error))?;
        self.file.finish().map_err(TraceError::file(&path))?;
        let (path, frames) = (path.display(), self.spans.len());
        let mut text = format!("trace: {path} has {frames} spans of 1 frame in {}", self.every);
        if lost + self.left_out > 0 {
            text += &format!("; {lost} were lost and {} older ones left out", self.left_out);
        }
        Ok(text)
    }
}

/// Why a trace is not written to the file of this name.
#[derive(Debug)]
pub(crate) enum TraceError {
    /// The file cannot be created, opened, or given its name.
    File(PathBuf, livetime_formats::Error),
    /// The system refuses to write.
    System(PathBuf, io::Error),
}

impl TraceError {
    fn file(path: &Path) -> impl FnOnce(livetime_formats::Error) -> TraceError {
        |error| TraceError::File(path.to_owned(), error)
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::File(path, error) => {
                write!(f, "cannot write the trace {}: {}", path.display(), error.cause())
            }
            TraceError::System(path, error) => {
                write!(f, "cannot write the trace {}: {error}", path.display())
            }
        }
    }
}

fn write_to(file: File, events: &[Value], other: &Value) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    write!(out, "{{\"displayTimeUnit\": \"ns\", \"otherData\": {other}, \"traceEvents\": [")?;
    for (number, event) in events.iter().enumerate() {
        let separator = if number == 0 { "" } else { "," };
        write!(out, "{separator}\n{event}")?;
    }
    writeln!(out, "\n]}}")?;
    out.flush()
}

/// Chrome wants some number of a process.
const PROCESS: u64 = 1;

/// Names first, then slices in order, then waiting and arrows.
fn events(spans: &mut [Span], report: &Report) -> Vec<Value> {
    // A slice that contains others comes before them.
    spans.sort_by_key(|s| (s.thread, s.start_ns, std::cmp::Reverse(s.end_ns)));
    let mut events = vec![json!({
        "ph": "M", "pid": PROCESS, "name": "process_name", "args": { "name": "livetime" },
    })];
    events.extend(report.threads.iter().enumerate().map(|(number, thread)| {
        let args = json!({ "name": thread.name });
        json!({ "ph": "M", "pid": PROCESS, "tid": number + 1, "name": "thread_name", "args": args })
    }));
    events.extend(spans.iter().map(|span| slice(span, report)));
    events.extend(spans.iter().filter(|s| s.start_ns > s.queued_ns).flat_map(|span| waiting(span, report)));
    let senders = Senders::new(spans);
    let arrows = spans.iter().filter_map(|span| Some((senders.of(span)?, span)));
    events.extend(arrows.enumerate().flat_map(|(id, (sender, span))| arrow(id, sender, span)));
    events
}

fn name(report: &Report, node: usize) -> &str {
    report.nodes.get(node).map_or("", |n| &n.name)
}

fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

fn slice(span: &Span, report: &Report) -> Value {
    json!({
        "ph": "X", "pid": PROCESS, "tid": span.thread + 1, "cat": "service", "name": name(report, span.node),
        "ts": us(span.start_ns), "dur": us(span.end_ns - span.start_ns),
        "args": {
            "sequence": span.sequence,
            "source": name(report, usize::from(span.source)),
            "waited_us": us(span.start_ns - span.queued_ns),
        },
    })
}

fn waiting(span: &Span, report: &Report) -> [Value; 2] {
    let from = span.from.map_or("", |from| name(report, from));
    let id = format!("{}:{}:{}:{}", span.source, span.sequence, span.node, span.queued_ns);
    let title = format!("{from} to {}", name(report, span.node));
    let event = |phase: &str, ns: u64| {
        json!({
            "ph": phase, "pid": PROCESS, "tid": span.thread + 1, "cat": "waiting", "name": title, "id": id,
            "ts": us(ns), "args": { "sequence": span.sequence },
        })
    };
    [event("b", span.queued_ns), event("e", span.start_ns)]
}

/// From inside the sender's slice to the start of the receiver's.
fn arrow(id: usize, sender: &Span, receiver: &Span) -> [Value; 2] {
    let last = sender.end_ns.saturating_sub(1).max(sender.start_ns);
    let event = |phase: &str, thread: usize, ns: u64| {
        json!({
            "ph": phase, "pid": PROCESS, "tid": thread + 1, "cat": "frame", "name": "frame", "id": id,
            "ts": us(ns), "bp": "e",
        })
    };
    [
        event("s", sender.thread, receiver.queued_ns.clamp(sender.start_ns, last)),
        event("f", receiver.thread, receiver.start_ns),
    ]
}

/// Finds the slice in which a frame was sent.
struct Senders<'a>(BTreeMap<(u16, u64, usize), Vec<&'a Span>>);

impl<'a> Senders<'a> {
    fn new(spans: &'a [Span]) -> Senders<'a> {
        let mut found: BTreeMap<_, Vec<&Span>> = BTreeMap::new();
        for span in spans {
            found.entry((span.source, span.sequence, span.node)).or_default().push(span);
        }
        Senders(found)
    }

    /// `None` if it was not kept.
    fn of(&self, receiver: &Span) -> Option<&'a Span> {
        let candidates = self.0.get(&(receiver.source, receiver.sequence, receiver.from?))?;
        let begun = candidates.iter().filter(|s| s.start_ns <= receiver.queued_ns);
        begun.max_by_key(|s| s.start_ns).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    fn span(node: usize, from: Option<usize>, sequence: u64, times: [u64; 3]) -> Span {
        let [queued_ns, start_ns, end_ns] = times;
        Span { node, thread: node, from, source: 0, sequence, queued_ns, start_ns, end_ns }
    }

    fn of_phase<'a>(events: &'a [Value], phase: &str) -> Vec<&'a Value> {
        events.iter().filter(|e| e["ph"] == phase).collect()
    }

    #[test]
    fn a_hop_is_two_slices_a_wait_and_an_arrow() {
        let mut spans = [
            span(0, None, 7, [1_000, 1_000, 3_000]),
            span(1, Some(0), 7, [3_000, 10_500, 20_000]),
            // Its sender was not kept.
            span(1, Some(0), 8, [5_000, 21_000, 22_000]),
        ];
        let events = events(&mut spans, &fixture::report(1));
        let slices = of_phase(&events, "X");
        assert_eq!(slices.len(), 3);
        assert_eq!((&slices[1]["name"], &slices[1]["tid"]), (&json!("end"), &json!(2)));
        assert_eq!((&slices[1]["ts"], &slices[1]["dur"]), (&json!(10.5), &json!(9.5)));
        assert_eq!(slices[1]["args"], json!({ "sequence": 7, "source": "cam", "waited_us": 7.5 }));
        let [begin, end] = ["b", "e"].map(|phase| of_phase(&events, phase));
        assert_eq!((begin.len(), &begin[0]["ts"], &end[0]["ts"]), (2, &json!(3.0), &json!(10.5)));
        let [from, to] = ["s", "f"].map(|phase| of_phase(&events, phase));
        assert_eq!((from.len(), to.len(), &from[0]["id"]), (1, 1, &to[0]["id"]));
        assert_eq!((&from[0]["tid"], &from[0]["ts"]), (&json!(1), &json!(2.999)));
        assert_eq!((&to[0]["tid"], &to[0]["ts"]), (&json!(2), &json!(10.5)));
    }
}
