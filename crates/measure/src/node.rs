//! `livetime bench node`: the throughput of a node or a chain of nodes, fed with frames from the pipeline's own sources.
//!
//! First the nodes before it run until some frames have come to it, as they would come in a run. Then it is fed with these
//! frames, repeatedly: once as fast as it takes them, and once at half that rate. For n frames there are n - 1
//! intervals between the first and the last time that a frame is done.

use std::time::{Duration, Instant};

use livetime_engine::{
    EdgeOptions, Graph, NodeKind, NodeType, Placement, Run, RunOptions, Span, Times, WhenFull,
};
use livetime_frame::Frame;
use serde_json::{Value, json};

use crate::pace::paces;
use crate::replay::{Collect, Replay};
use crate::{MeasureError, Measured, Origin, Progress, Record, Spread, repeats, tenths};
use livetime_control::report::numbers::{rate, time};
use livetime_control::report::table::{Style, Table};

/// Number of different frames that are fed in turn.
const DIFFERENT: usize = 64;
/// Frames before the counted ones: first-time costs, such as new memory, are not the node's.
const WARM_UP: u64 = 16;
/// Longest wait for the frames, and longest time of a measurement.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest time of the measurement at half the rate.
const HALF_LOAD_S: f64 = 5.0;

/// The nodes of a user's graph that are measured: one, or a chain.
pub struct Chain {
    /// As they were asked for.
    text: String,
    first: usize,
    last: usize,
    /// All nodes on the ways from the first to the last.
    nodes: Vec<usize>,
}

/// Frames for one edge to the first node.
struct Feed {
    /// The name of the port that it leads to, and how many may wait there.
    port: &'static str,
    queue: usize,
    frames: Vec<Frame>,
}

/// One measurement.
struct Pass {
    throughput_hz: f64,
    /// For each node of the chain: frames, waiting, service.
    nodes: Vec<(u64, Times, Times)>,
    lost: u64,
}

impl Chain {
    /// The node called `text`, or all nodes on the ways between those called `FIRST..LAST`.
    ///
    /// # Errors
    /// [`MeasureError`], when there is no such node or no way, or it is a source.
    pub fn find(graph: &Graph, text: &str) -> Result<Chain, MeasureError> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let node = |name| graph.node(name).map_err(MeasureError::NoNode);
        let (first, last) = (node(first)?, node(last)?);
        if graph.nodes()[first].node_type.spec.kind == NodeKind::Source {
            return Err(MeasureError::NoInput(graph.nodes()[first].name.clone()));
        }
        // The chain is every node between the two: reached from the first, and leading to the last.
        let (behind, before) = (reached(graph, first, false), reached(graph, last, true));
        let nodes: Vec<usize> = behind.into_iter().filter(|n| before.contains(n)).collect();
        if nodes.is_empty() {
            return Err(MeasureError::NoWay(text.into()));
        }
        Ok(Chain { text: text.into(), first, last, nodes })
    }

    /// Feeds `frames` frames to the chain, in several passes.
    ///
    /// # Errors
    /// [`MeasureError`], when the graph cannot run, or too few frames come to the chain or to its end.
    pub fn measure(
        &self,
        graph: &Graph,
        origin: &Origin,
        frames: u64,
        quick: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Measured, MeasureError> {
        let progress = &mut Progress(progress);
        let feeds = self.collect(graph, progress)?;
        let mut passes = Vec::new();
        for repeat in 1..=repeats(quick) {
            let pass = self.feed(graph, &feeds, frames, 0.0)?;
            progress.log(format_args!("pass {repeat}: {:.1} frames/s", pass.throughput_hz));
            passes.push(pass);
        }
        let spread = Spread::of(passes.iter().map(|p| p.throughput_hz).collect());
        let half_hz = spread.median / 2.0;
        // At half the rate the queue is nearly empty, so the latency is the node's own.
        let few = ((HALF_LOAD_S * half_hz) as u64).clamp(2, frames);
        let half = self.feed(graph, &feeds, few, 1.0 / half_hz)?;
        progress.log(format_args!("at half the rate: {:.1} frames/s", half.throughput_hz));
        let lost = passes.iter().chain([&half]).map(|p| p.lost).sum::<u64>();
        let found = Found { chain: self, graph, feeds: &feeds, passes: &passes, half: &half, spread, lost };
        Ok(Measured { record: found.record(origin, frames), has_losses: lost > 0 })
    }

    /// Runs the nodes before the chain until each of its inputs has frames.
    fn collect(&self, graph: &Graph, progress: &mut Progress) -> Result<Vec<Feed>, MeasureError> {
        let before: Vec<usize> =
            reached(graph, self.first, true).into_iter().filter(|n| *n != self.first).collect();
        let mut part = graph.part(&before);
        // The sources' own rates would only delay the collection.
        hurry(&mut part)?;
        // Holds the run open when the sources have ended, so that the frames can be fetched.
        part.add("replay", NodeType::of::<Replay>())?;
        let mut feeds = Vec::new();
        for edge in graph.edges().iter().filter(|e| e.to.0 == self.first) {
            let name = format!("collect {}", feeds.len());
            let number = part.add(&name, NodeType::of::<Collect>())?;
            // Half of the memory for the held frames; the other half stays for the graph's own.
            let bytes = i64::try_from(graph.memory_bytes / 2).unwrap_or(i64::MAX);
            part.set(number, "frames", &(DIFFERENT as i64).into())?;
            part.set(number, "bytes", &bytes.into())?;
            part.connect(&from(graph, edge.from), &format!("{name}.in"), waiting(20))?;
            part.connect("replay", &format!("{name}.open"), waiting(1))?;
            let port = graph.nodes()[self.first].node_type.spec.inputs[edge.to.1].name;
            feeds.push(Feed { port, queue: edge.options.queue, frames: vec![] });
        }
        // The held frames come on top of the memory that the graph was declared with.
        part.memory_bytes = part.memory_bytes.saturating_mul(2);
        let run = Run::start(&part, RunOptions::default())?;
        let until = Instant::now() + PATIENCE;
        for (number, feed) in feeds.iter_mut().enumerate() {
            feed.frames = fetch(&run, &format!("collect {number}"), until)?;
            progress.log(format_args!("{} frames for input `{}`", feed.frames.len(), feed.port));
        }
        // Aborted, because the rest of the sources' data is of no use.
        run.abort();
        run.finish(Duration::from_secs(5));
        Ok(feeds)
    }

    /// Feeds `frames` frames to each input, one every `period_s`.
    fn feed(&self, graph: &Graph, feeds: &[Feed], frames: u64, period_s: f64) -> Result<Pass, MeasureError> {
        let mut part = graph.part(&self.nodes);
        for edge in 0..part.edges().len() {
            if let Some(options) = part.edge_options_mut(edge) {
                // Every edge waits: a loss would shorten the measured work.
                *options = waiting(options.queue);
            }
        }
        let first = self.place(self.first);
        // The replay's thread must not do the node's work.
        if let Some(options) = part.options_mut(first).filter(|o| o.placement == Placement::Inline) {
            options.placement = Placement::Own;
        }
        for (number, feed) in feeds.iter().enumerate() {
            let name = format!("replay {number}");
            let source = part.add(&name, NodeType::of::<Replay>())?;
            part.set(source, "period", &period_s.into())?;
            if let Some(options) = part.options_mut(source) {
                options.wait_for_memory = true;
            }
            let to = format!("{}.{}", graph.nodes()[self.first].name, feed.port);
            part.connect(&name, &to, waiting(feed.queue))?;
        }
        let run = Run::start(&part, RunOptions::default())?;
        let tracer = run.tracer();
        let total = (frames + WARM_UP) * feeds.len() as u64;
        tracer.start(1, total.min(1 << 20) as usize);
        for (number, feed) in feeds.iter().enumerate() {
            let (name, held) = (format!("replay {number}"), feed.frames.clone());
            run.visit(&name, |replay: &mut Replay| replay.frames = held)?;
            let count = i64::try_from(frames + WARM_UP).unwrap_or(i64::MAX);
            run.set(&name, "frames", &count.into())?;
        }
        let mut spans = Vec::new();
        let until = Instant::now() + PATIENCE.max(Duration::from_secs_f64(4.0 * period_s * frames as f64));
        while !run.wait(Duration::from_millis(20)) {
            spans.extend(tracer.take());
            if Instant::now() > until {
                return Err(MeasureError::TooSlow(PATIENCE));
            }
        }
        let report = run.finish(Duration::ZERO);
        spans.extend(tracer.take());
        if let Some(failure) = report.failure {
            return Err(MeasureError::Failed(failure));
        }
        let lost = report.nodes.iter().map(|n| n.lost_inside()).sum::<u64>() + tracer.lost();
        spans.retain(|s| s.sequence >= WARM_UP && s.from.is_some());
        self.pass(&spans, lost)
    }

    /// Number of a node of the chain in a graph of the chain alone.
    fn place(&self, node: usize) -> usize {
        self.nodes.iter().position(|n| *n == node).unwrap_or(0)
    }

    fn pass(&self, spans: &[Span], lost: u64) -> Result<Pass, MeasureError> {
        let of = |node: usize| spans.iter().filter(|s| s.node == node).copied().collect::<Vec<Span>>();
        let nodes: Vec<_> = (0..self.nodes.len()).map(|n| times(&mut of(n))).collect();
        let throughput_hz = frequency(of(self.place(self.last)).iter().map(|s| s.end_ns));
        let last = self.nodes[self.place(self.last)];
        let throughput_hz = throughput_hz.ok_or(MeasureError::NothingAtEnd(last))?;
        Ok(Pass { throughput_hz, nodes, lost })
    }
}

/// Events per second: n events have n - 1 intervals between them.
fn frequency(times_ns: impl Iterator<Item = u64> + Clone) -> Option<f64> {
    let (first, last, count) = (times_ns.clone().min()?, times_ns.clone().max()?, times_ns.count());
    (count > 1 && last > first).then(|| (count - 1) as f64 * 1e9 / (last - first) as f64)
}

/// How many, and the times in the queue and in the handler; frames that were handled in one call share its time.
fn times(spans: &mut [Span]) -> (u64, Times, Times) {
    spans.sort_by_key(|s| (s.thread, s.end_ns, s.start_ns));
    let calls = spans.chunk_by(|a, b| (a.thread, a.end_ns) == (b.thread, b.end_ns));
    let service = calls.flat_map(|call| {
        let each = (call[0].end_ns - call[0].start_ns) / call.len() as u64;
        std::iter::repeat_n(each, call.len())
    });
    let service = Times::of(service.collect::<Vec<_>>());
    (spans.len() as u64, Times::of(spans.iter().map(|s| s.start_ns - s.queued_ns)), service)
}

/// The node and all that lead to it, or all that it leads to.
fn reached(graph: &Graph, node: usize, upstream: bool) -> Vec<usize> {
    let mut found = vec![node];
    let mut next = 0;
    while let Some(&node) = found.get(next) {
        for edge in graph.edges() {
            let (here, there) = if upstream { (edge.to.0, edge.from.0) } else { (edge.from.0, edge.to.0) };
            if here == node && !found.contains(&there) {
                found.push(there);
            }
        }
        next += 1;
    }
    found.sort_unstable();
    found
}

/// Sources go as fast as they can, and no edge loses anything.
fn hurry(graph: &mut Graph) -> Result<(), MeasureError> {
    for pace in paces(graph).0 {
        pace.set(graph, 10_000.0)?;
    }
    for edge in 0..graph.edges().len() {
        if let Some(options) = graph.edge_options_mut(edge) {
            options.when_full = WhenFull::Block;
        }
    }
    Ok(())
}

fn waiting(queue: usize) -> EdgeOptions {
    EdgeOptions { when_full: WhenFull::Block, queue, ..EdgeOptions::default() }
}

fn from(graph: &Graph, (node, port): (usize, usize)) -> String {
    let decl = &graph.nodes()[node];
    format!("{}.{}", decl.name, decl.node_type.spec.outputs[port].name)
}

/// The frames that came, once there are enough or no more come.
fn fetch(run: &Run, name: &str, until: Instant) -> Result<Vec<Frame>, MeasureError> {
    let mut seen = (0, Instant::now());
    loop {
        let look = |c: &mut Collect| (c.taken.len(), c.is_full());
        let (count, is_full) = run.visit(name, look)?;
        if count != seen.0 {
            seen = (count, Instant::now());
        }
        let is_silent = count > 0 && seen.1.elapsed() > Duration::from_secs(1);
        if is_full || is_silent || Instant::now() > until {
            let frames = run.visit(name, |c: &mut Collect| std::mem::take(&mut c.taken))?;
            return match frames.is_empty() {
                true => Err(MeasureError::NoFrame(PATIENCE)),
                false => Ok(frames),
            };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The content of the report.
struct Found<'a> {
    chain: &'a Chain,
    graph: &'a Graph,
    feeds: &'a [Feed],
    passes: &'a [Pass],
    half: &'a Pass,
    spread: Spread,
    lost: u64,
}

impl Found<'_> {
    fn name(&self, place: usize) -> &str {
        &self.graph.nodes()[self.chain.nodes[place]].name
    }

    /// Waiting and service of a node in all passes together.
    fn merged(&self, place: usize) -> (Times, Times) {
        let mut sum = (Times::default(), Times::default());
        for pass in self.passes {
            sum.0.merge(&pass.nodes[place].1);
            sum.1.merge(&pass.nodes[place].2);
        }
        sum
    }

    fn record(&self, origin: &Origin, frames: u64) -> Record {
        let us = |ns: u64| tenths(ns as f64 / 1e3);
        let of = |times: &Times| {
            let (mean, p50, p99) = (us(times.mean_ns()), us(times.p50_ns()), us(times.p99_ns()));
            json!({ "mean": mean, "p50": p50, "p99": p99, "max": us(times.max_ns) })
        };
        let row = |place: usize| {
            let (waiting, service) = self.merged(place);
            let (count, waiting_half, service_half) = &self.half.nodes[place];
            json!({
                "node": self.name(place),
                "flood": { "waiting_us": of(&waiting), "service_us": of(&service), "frames": waiting.count },
                "half_load": { "waiting_us": of(waiting_half), "service_us": of(service_half), "frames": count },
            })
        };
        let feeds = self.feeds.iter().map(|f| {
            json!({ "input": f.port, "queue": f.queue, "different_frames": f.frames.len(), "frame_bytes": f.frames[0].bytes().len() })
        });
        let json = json!({
            "settings": {
                "file": origin.file,
                "set": origin.settings,
                "node": self.chain.text, "frames": frames, "warm_up_frames": WARM_UP,
                "inputs": feeds.collect::<Vec<_>>(),
            },
            "throughput_hz": self.spread.json(),
            "lost": self.lost,
            "rows": (0..self.chain.nodes.len()).map(row).collect::<Vec<Value>>(),
        });
        Record { json, table: self.table() }
    }

    fn table(&self) -> String {
        let headings = ["node", "service mean", "p50", "p99", "wait p50 at half rate", "p99"];
        let mut table = Table::new(&headings).right(1..6);
        for place in 0..self.chain.nodes.len() {
            let (_, service) = self.merged(place);
            let (_, waiting, _) = &self.half.nodes[place];
            let ns =
                [service.mean_ns(), service.p50_ns(), service.p99_ns(), waiting.p50_ns(), waiting.p99_ns()];
            table.row([self.name(place).to_owned()].into_iter().chain(ns.map(time)));
        }
        let Spread { median, min, max } = self.spread;
        let lost = if self.lost > 0 { format!("\n{} frames were lost", self.lost) } else { String::new() };
        format!(
            "{}\nthroughput: {} frames/s ({min:.1} to {max:.1}){lost}",
            table.render(Style::default()),
            rate(Some(median))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use livetime_control::config;

    #[test]
    fn a_hundred_events_have_99_intervals() {
        assert_eq!(frequency((0..100).map(|i| 5_000 + i * 10_000_000)), Some(100.0));
        assert_eq!(frequency([7].into_iter()), None);
        assert_eq!(frequency([].into_iter()), None);
    }

    #[test]
    fn frames_of_one_call_share_its_time() {
        let span = |sequence, start_ns, end_ns| Span {
            node: 0,
            thread: 0,
            from: Some(1),
            source: 0,
            sequence,
            queued_ns: 0,
            start_ns,
            end_ns,
        };
        let mut spans = [span(0, 10, 20), span(1, 20, 50), span(2, 20, 50), span(3, 20, 50)];
        let (count, waiting, service) = times(&mut spans);
        assert_eq!((count, waiting.sum_ns, service.sum_ns, service.max_ns), (4, 70, 40, 10));
    }

    const FILE: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 64, acquire_period: 1 s, acquire_time: 1 s}}
  roi: {type: roi, from: cam, every: 10, params: {size_x: 32}}
  side: {type: 'null', from: roi}
  stats: {type: statistics, from: roi, placement: {pool: 2}}
  nap: {type: slow, from: roi, params: {takes: 3 ms}}
";

    fn graph() -> Graph {
        let text = FILE.replace(", placement: {pool: 2}", "");
        config::parse("f", &text, &crate::test_nodes::all(), &[]).unwrap().graph
    }

    #[test]
    fn chains_are_found_and_what_is_none_is_refused() {
        let graph = graph();
        let found = |text: &str| Chain::find(&graph, text).map(|c| c.nodes).map_err(|e| e.to_string());
        assert_eq!((found("roi"), found("roi..stats")), (Ok(vec![1]), Ok(vec![1, 3])));
        assert!(found("cam").unwrap_err().contains("found the source `cam`"));
        assert!(found("stats..roi").unwrap_err().contains("found none for `stats..roi`"));
        assert!(found("statz").unwrap_err().contains("did you mean `stats`"));
    }

    #[test]
    fn a_node_is_fed_and_every_frame_is_timed() {
        let graph = graph();
        let mut quiet = |_: &str| {};
        let chain = Chain::find(&graph, "roi..nap").unwrap();
        let feeds = chain.collect(&graph, &mut Progress(&mut quiet)).unwrap();
        assert_eq!((feeds.len(), feeds[0].frames.len()), (1, DIFFERENT));
        let pass = chain.feed(&graph, &feeds, 50, 0.0).unwrap();
        assert_eq!(pass.nodes.iter().map(|n| n.0).collect::<Vec<_>>(), [50, 50]);
        assert!(pass.throughput_hz > 0.0 && pass.lost == 0, "{}", pass.throughput_hz);
        let (_, _, service) = &pass.nodes[1];
        // A node that sleeps 3 ms for each frame cannot be quicker.
        assert!(service.sum_ns >= 50 * 3_000_000);
        let half = chain.feed(&graph, &feeds, 10, 0.02).unwrap();
        assert_eq!((half.nodes.iter().map(|n| n.0).collect::<Vec<_>>(), half.lost), (vec![10, 10], 0));
    }
}
