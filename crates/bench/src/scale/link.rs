//! What a link over ZeroMQ costs: two graphs in this process with a link between them, and libzmq in turn.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use livetime_engine::{
    Context, EdgeOptions, Graph, Next, Node, NodeError, NodeSpec, NodeType, Params, Placement, PortSpec, Run,
    RunOptions, Value, WhenFull,
};
use livetime_frame::Frame;
use livetime_measure::process_cpu;
use livetime_nodes::sinks::link_out::LinkOut;
use livetime_nodes::sources::link_in::LinkIn;
use livetime_runtime::lock;
use serde_json::json;

use super::reference;
use super::row::{Row, spread};
use crate::{Failed, Settings, Spread, in_one_line};

pub(super) const CPU_CASE: &str = "link over ZeroMQ, 1 MiB frames, CPU per GB both sides";
pub(super) const LATENCY_CASE: &str = "one hit batch, direct, p50 latency";

const FRAME_BYTES: u64 = 1 << 20;
/// 32 hits of 200 bytes.
pub(super) const BATCH_BYTES: u64 = 6_400;
/// Between two batches, so that each one finds the link empty.
const PERIOD_US: u64 = 500;
const LIMIT: Duration = Duration::from_secs(120);

/// Parameters of `batches`.
#[derive(Params)]
pub(super) struct BatchesParams {
    /// Bytes of a frame.
    #[param(default = 8, min = 8)]
    bytes: u64,
    /// Time between two frames; 0: as fast as they go.
    #[param(default = 0, unit = "us")]
    period_us: u64,
}

/// Sends frames whose first bytes are the time.
pub(super) struct Batches {
    params: BatchesParams,
    sequence: u64,
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

impl Node for Batches {
    type Params = BatchesParams;

    const SPEC: NodeSpec =
        NodeSpec::source("batches", "Sends frames whose first bytes are the time.", &[PortSpec::any("out")]);

    fn new(params: BatchesParams) -> Result<Batches, NodeError> {
        Ok(Batches { params, sequence: 0 })
    }

    fn params(&mut self) -> &mut BatchesParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let mut frame = ctx.bytes(self.params.bytes as usize)?;
        // As a detector writes its pixels; the reference writes its bytes, too.
        frame.bytes_mut().fill(0);
        self.sequence += 1;
        frame.header_mut().sequence = self.sequence;
        if let Some(first) = frame.bytes_mut().first_chunk_mut() {
            *first = now_ns().to_le_bytes();
        }
        ctx.emit(frame)?;
        let period_ns = self.params.period_us * 1_000;
        Ok(if period_ns == 0 { Next::Now } else { Next::At(ctx.now_ns() + period_ns) })
    }
}

/// Ages of the frames that arrived, in us; they outlive the node.
#[derive(Clone, Default)]
pub(super) struct Ages(Arc<Mutex<Vec<f64>>>);

impl Ages {
    pub(super) fn take(&self) -> Vec<f64> {
        std::mem::take(&mut lock(&self.0))
    }
}

/// Notes how old each frame is.
pub(super) struct Arrivals {
    params: (),
    ages: Ages,
}

impl Node for Arrivals {
    type Params = ();

    const SPEC: NodeSpec = NodeSpec::sink("arrivals", "Notes how old each frame is.", &[PortSpec::any("in")]);

    fn new(params: ()) -> Result<Arrivals, NodeError> {
        Ok(Arrivals { params, ages: Ages::default() })
    }

    fn params(&mut self) -> &mut () {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.ages = ctx.service::<Ages>();
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        let sent = frame.bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        lock(&self.ages.0).push(now_ns().saturating_sub(sent) as f64 / 1e3);
        Ok(())
    }
}

/// CPU seconds per GB of both ends, beside libzmq.
pub(super) fn measure_cpu(settings: &Settings, row: &mut Row) -> Result<(), Failed> {
    let frames = if settings.quick { 50 } else { 3_000 };
    let gb = (frames * FRAME_BYTES) as f64 / 1e9;
    let mut rates = Vec::new();
    for _ in 0..settings.repeats() {
        let (before, begun) = (process_cpu(), Instant::now());
        carry(FRAME_BYTES, 0, frames)?;
        row.values.push((process_cpu() - before).as_secs_f64() / gb);
        rates.push(gb / begun.elapsed().as_secs_f64());
        row.reference.extend(reference::cpu_per_gb(FRAME_BYTES as usize, frames)?);
    }
    row.more = json!({ "frames": frames, "gb_per_s": spread(rates) });
    Ok(())
}

/// The median age of a batch behind the link in us, beside half a round trip of libzmq.
pub(super) fn measure_latency(settings: &Settings, row: &mut Row) -> Result<(), Failed> {
    let batches = if settings.quick { 50 } else { 4_000 };
    for _ in 0..settings.repeats() {
        // The first ones wait for the connection.
        let ages = carry(BATCH_BYTES, PERIOD_US, batches)?.split_off(batches as usize / 2);
        row.values.push(Spread::of(ages).median);
        row.reference.extend(reference::half_round_trip_us(BATCH_BYTES as usize, batches)?);
    }
    row.more = json!({ "batches": batches, "batch_bytes": BATCH_BYTES });
    Ok(())
}

/// Carries frames over a link, and returns the age of each.
fn carry(bytes: u64, period_us: u64, frames: u64) -> Result<Vec<f64>, Failed> {
    let options = || RunOptions { max_frames: Some(frames), ..RunOptions::default() };
    let start = |graph: &Graph| Run::start(graph, options()).map_err(|e| in_one_line(&e));
    let receiver = start(&graph(
        ("link", NodeType::of::<LinkIn>(), &[("listen", "zmq://127.0.0.1:0".into())]),
        ("sink", NodeType::of::<Arrivals>(), &[]),
    )?)?;
    let listening = receiver.params("link")?.into_iter().find(|(spec, _)| spec.name == "listening");
    let (_, to) = listening.ok_or("wanted the address of a link, found none")?;
    let sender = start(&graph(
        (
            "source",
            NodeType::of::<Batches>(),
            &[("bytes", (bytes as i64).into()), ("period_us", (period_us as i64).into())],
        ),
        ("link", NodeType::of::<LinkOut>(), &[("to", to)]),
    )?)?;
    sender.finish(LIMIT);
    let ages = receiver.service::<Ages>();
    receiver.finish(LIMIT);
    let ages = ages.take();
    if ages.len() as u64 != frames {
        return Err(format!("wanted {frames} frames over the link, found {}", ages.len()).into());
    }
    Ok(ages)
}

type Described<'a> = (&'a str, NodeType, &'a [(&'a str, Value)]);

/// Two nodes, one behind the other, on one thread.
fn graph(first: Described<'_>, second: Described<'_>) -> Result<Graph, Failed> {
    let mut graph = Graph::default();
    for (name, node_type, params) in [&first, &second] {
        let node = graph.add(name, node_type.clone())?;
        for (param, value) in *params {
            graph.set(node, param, value)?;
        }
        if let Some(options) = graph.options_mut(node) {
            options.wait_for_memory = true;
            if *name == second.0 {
                options.placement = Placement::Inline;
            }
        }
    }
    graph.connect(
        first.0,
        second.0,
        EdgeOptions { when_full: WhenFull::Block, queue: 16, ..EdgeOptions::default() },
    )?;
    Ok(graph)
}
