//! Nodes for tests: a source that counts, a process that passes on and misbehaves on request, a sink that
//! checks and counts.
#![allow(
    unreachable_pub,
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use livetime_engine::{
    Context, EdgeOptions, Graph, Next, Node, NodeError, NodeKind, NodeSpec, NodeType, Params, PortSpec,
    Report, Value, WhenFull,
};
use livetime_frame::Frame;

/// Parameters of the counting source.
#[derive(Params)]
pub struct CounterParams {
    /// Frames to send; 0 means no end.
    #[param(default = 100)]
    pub frames: u64,
    /// Time between frames.
    #[param(default = 0.0, unit = "s")]
    pub period: f64,
    /// Skips a number before every n-th frame.
    pub jump_every: u64,
    /// Sends every n-th number twice.
    pub repeat_every: u64,
    /// Sleeps this long before frame 3.
    #[param(default = 0.0, unit = "s")]
    pub stall: f64,
    /// Payload size.
    #[param(default = 8, unit = "B")]
    pub bytes: usize,
    /// Returns an error instead of every n-th frame.
    pub fail_every: u64,
    /// Finds two frames that it cannot read before every n-th frame.
    pub unreadable_every: u64,
    /// Frames sent in one call.
    #[param(default = 1, min = 1)]
    pub burst: u64,
}

pub struct Counter {
    params: CounterParams,
    calls: u64,
    sent: u64,
    sequence: u64,
    next_ns: u64,
}

impl Node for Counter {
    type Params = CounterParams;
    const SPEC: NodeSpec = NodeSpec::source("counter", "Counts.", &[PortSpec::any("out")]);

    fn new(params: CounterParams) -> Result<Self, NodeError> {
        Ok(Counter { params, calls: 0, sent: 0, sequence: 1, next_ns: 0 })
    }

    fn params(&mut self) -> &mut CounterParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        for _ in 1..self.params.burst {
            let next = self.one(ctx)?;
            if next != Next::Now {
                return Ok(next);
            }
        }
        self.one(ctx)
    }
}

impl Counter {
    fn one(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let hit = |every: u64, n: u64| every > 0 && n % every == every - 1;
        self.calls += 1;
        if hit(self.params.fail_every, self.calls) {
            return Err(NodeError::new("wanted a frame, found trouble"));
        }
        if self.sent == 3 && self.params.stall > 0.0 {
            let ns = (self.params.stall * 1e9) as u64;
            if self.next_ns == 0 {
                self.next_ns = ctx.now_ns() + ns;
                return Ok(Next::At(self.next_ns));
            }
        }
        if hit(self.params.unreadable_every, self.sent) {
            ctx.unreadable(
                2,
                format_args!("wanted two frames before frame {}, found noise", self.sent).to_string(),
            );
        }
        if hit(self.params.jump_every, self.sent) {
            self.sequence += 1;
        }
        let mut frame = ctx.bytes(self.params.bytes)?;
        frame.header_mut().sequence = self.sequence;
        if self.params.bytes >= 8 {
            frame.bytes_mut()[..8].copy_from_slice(&self.sequence.to_le_bytes());
        }
        ctx.emit(frame)?;
        if !hit(self.params.repeat_every, self.sent) {
            self.sequence += 1;
        }
        self.sent += 1;
        if self.params.frames > 0 && self.sent >= self.params.frames {
            return Ok(Next::Finished);
        }
        if self.params.period > 0.0 {
            return Ok(Next::At(ctx.now_ns() + (self.params.period * 1e9) as u64));
        }
        Ok(Next::Now)
    }
}

/// Parameters of the process.
#[derive(Params)]
pub struct PassParams {
    /// Sleeps for each frame.
    #[param(default = 0.0, unit = "s")]
    pub sleep: f64,
    /// Returns an error on every n-th frame.
    pub fail_every: u64,
    /// Panics on every n-th frame.
    pub panic_every: u64,
    /// Finds three parts of every n-th frame too late.
    pub late_every: u64,
    /// How many waiting frames it wants at once.
    #[param(default = 1, min = 1)]
    pub together: usize,
    /// Panics when it is asked after its tenth frame.
    pub panic_when_asked: bool,
    /// Refused, whenever it is true.
    pub impossible: bool,
    /// Frames since the node was built.
    #[param(readback)]
    pub seen: u64,
    /// The most frames in one call.
    #[param(readback)]
    pub most: usize,
}

pub struct Pass(PassParams);

impl Node for Pass {
    type Params = PassParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "pass",
        kind: NodeKind::Process,
        summary: "Passes frames on.",
        inputs: &[PortSpec::any("in"), PortSpec::any("in2")],
        outputs: &[PortSpec::any("out")],
        parallel: true,
    };

    fn new(params: PassParams) -> Result<Self, NodeError> {
        if params.impossible { Err(NodeError::new("that cannot be")) } else { Ok(Pass(params)) }
    }

    fn changed(&mut self, _: usize, _: &mut Context) -> Result<(), NodeError> {
        if std::mem::take(&mut self.0.impossible) { Err(NodeError::new("that cannot be")) } else { Ok(()) }
    }

    fn params(&mut self) -> &mut PassParams {
        &mut self.0
    }

    const MOST_AT_ONCE: usize = 4;

    fn together(&mut self, _waiting: &[Frame]) -> usize {
        assert!(!self.0.panic_when_asked || self.0.seen != 10, "asked at the wrong time");
        self.0.together
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.frames(input, std::slice::from_ref(frame), ctx)
    }

    fn frames(&mut self, _: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError> {
        let hit = |every: u64| move |frame: &Frame| every > 0 && frame.header().sequence % every == every - 1;
        self.0.seen += frames.len() as u64;
        self.0.most = self.0.most.max(frames.len());
        if self.0.sleep > 0.0 {
            std::thread::sleep(Duration::from_secs_f64(self.0.sleep));
        }
        if frames.iter().any(hit(self.0.fail_every)) {
            return Err(NodeError::new("wanted another number, found this one"));
        }
        assert!(!frames.iter().any(hit(self.0.panic_every)), "a number to panic at");
        let late = frames.iter().filter(|frame| hit(self.0.late_every)(frame)).count();
        ctx.late(3 * late as u64);
        frames.iter().try_for_each(|frame| ctx.forward(0, frame))
    }
}

/// Parameters of the sink.
#[derive(Params)]
pub struct TallyParams {
    /// Sleeps for each frame.
    #[param(default = 0.0, unit = "s")]
    pub sleep: f64,
    /// Frames so far.
    #[param(readback)]
    pub frames: u64,
    /// Frames that came with a smaller number than the one before.
    #[param(readback)]
    pub disordered: u64,
    /// Last number.
    #[param(readback)]
    pub last: u64,
}

pub struct Tally(pub TallyParams);

/// Frames that all tallies together have seen, for tests that outlive the node.
pub static SEEN: AtomicU64 = AtomicU64::new(0);

impl Node for Tally {
    type Params = TallyParams;
    const SPEC: NodeSpec = NodeSpec::sink("tally", "Counts frames.", &[PortSpec::any("in")]);

    fn new(params: TallyParams) -> Result<Self, NodeError> {
        Ok(Tally(params))
    }

    fn params(&mut self) -> &mut TallyParams {
        &mut self.0
    }

    fn frame(&mut self, _: usize, frame: &Frame, _: &mut Context) -> Result<(), NodeError> {
        if self.0.sleep > 0.0 {
            std::thread::sleep(Duration::from_secs_f64(self.0.sleep));
        }
        let number = frame.header().sequence;
        if let Some(written) = frame.bytes().first_chunk() {
            assert_eq!(u64::from_le_bytes(*written), number, "the payload belongs to the header");
        }
        self.0.disordered += u64::from(number < self.0.last);
        self.0.last = number;
        self.0.frames += 1;
        SEEN.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

pub const COUNTER: NodeType = NodeType::of::<Counter>();
pub const PASS: NodeType = NodeType::of::<Pass>();
pub const TALLY: NodeType = NodeType::of::<Tally>();

pub fn options(when_full: WhenFull, queue: usize) -> EdgeOptions {
    EdgeOptions { when_full, queue, ..EdgeOptions::default() }
}

/// counter -> pass -> tally
pub fn chain(when_full: WhenFull, queue: usize) -> Graph {
    let mut graph = Graph::default();
    graph.add("counter", COUNTER).unwrap();
    graph.add("pass", PASS).unwrap();
    graph.add("tally", TALLY).unwrap();
    graph.connect("counter", "pass", options(when_full, queue)).unwrap();
    graph.connect("pass", "tally", options(when_full, queue)).unwrap();
    graph
}

pub fn set(graph: &mut Graph, node: &str, param: &str, value: impl Into<Value>) {
    let number = graph.node(node).unwrap();
    graph.set(number, param, &value.into()).unwrap();
}

pub fn lost(report: &Report, node: &str) -> Vec<(String, u64)> {
    let node = report.nodes.iter().find(|n| n.name == node).unwrap();
    node.lost.iter().map(|(reason, n)| (reason.to_string(), *n)).collect()
}

pub fn assert_balanced(report: &Report) {
    assert_eq!(report.imbalances(), Vec::<String>::new());
}

/// How often something was told of a node, each time by itself or counted.
pub fn times_told(report: &Report, node: &str, text: &str) -> usize {
    let count = |message: &str| match message.strip_prefix(text) {
        Some("") => 1,
        Some(rest) => {
            let count = rest.strip_prefix(" (").and_then(|rest| rest.split_once(" times in "));
            count.and_then(|(count, _)| count.parse().ok()).unwrap_or(0)
        }
        None => 0,
    };
    report.events.iter().filter(|e| e.node == node).map(|e| count(&e.message)).sum()
}
