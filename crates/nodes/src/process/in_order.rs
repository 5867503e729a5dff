//! `in_order`: puts the results of a pool of workers back into the order of their source, each once.
//!
//! In: frames of any kind, from any number of senders (`from: [A, B, C]`), in any order. Out: the same frames, not copied,
//! with rising numbers.
//!
//! A frame whose number does not follow on the last sent one waits for the numbers between, at most for `wait`; at most
//! `most_waiting` frames wait. Then the lowest number is sent, and the numbers before it are `missing`: each is a loss of
//! this node (`late`), whether its frame comes later or never. A frame that comes after its number was given up is left
//! out (`tardy`), and the second frame of a number too (`repeated`): after the death of a worker a frame may be handled twice.
//!
//! With `pool`, the name of the `link_pool` of this graph, the node knows which numbers went to workers: it waits for no
//! other, counts no other as missing, and refuses frames with other numbers. Without it the first frames wait for `wait`,
//! because a lower number may follow. The pool takes no new frame while `most_waiting` have not passed this node;
//! `most_waiting` should be at least the windows of all workers together, and the windows of the links from the workers as
//! much.
//!
//! In a replay `wait` is time of the data.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::in_order::InOrder;
//!
//! let mut node = Harness::new::<InOrder>(&[("most_waiting", 2.into())])?;
//! let frames = (0..6).map(|_| node.image::<u8>(&[1], &[0])).collect::<Result<Vec<_>, _>>()?;
//! let mut sent = Vec::new();
//! for number in [1, 0, 2, 2, 5, 4] {
//!     sent.extend(node.feed(&frames[number])?.iter().map(|f| f.header().sequence));
//! }
//! sent.extend(node.drain()?.iter().map(|f| f.header().sequence));
//! assert_eq!(sent, [0, 1, 2, 4, 5]);
//! assert_eq!((node.number_of("missing"), node.number_of("repeated")), (1.0, 1.0));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::Frame;

use crate::link::{Pools, Progress};

/// Parameters of `in_order`.
#[derive(Params)]
pub struct InOrderParams {
    /// How long a frame waits for those before it. Longer than a worker is waited for (`retake_after` of `link_pool`).
    #[param(default = 10.0, min = 0.0, max = 3600.0, unit = "s")]
    pub wait: f64,
    /// Most frames that wait.
    #[param(default = 1000, min = 1, max = 1_000_000)]
    pub most_waiting: usize,
    /// Name of the `link_pool` of this graph whose results come here; empty: of none.
    pub pool: String,
    /// Numbers whose frames did not come in time.
    #[param(readback, count)]
    pub missing: u64,
    /// Frames that were left out because one with their number was there before.
    #[param(readback, count)]
    pub repeated: u64,
    /// Frames that were left out because they came after their number was given up.
    #[param(readback, count)]
    pub tardy: u64,
    /// Frames that wait.
    #[param(readback)]
    pub waiting: usize,
    /// The number that is sent next.
    #[param(readback)]
    pub next: u64,
}

/// Puts frames into the order of their numbers.
pub struct InOrder {
    params: InOrderParams,
    /// Frames by number, with the end of their wait.
    waiting: BTreeMap<u64, (Frame, u64)>,
    /// The number that follows on the last sent one; `None` before the first.
    next: Option<u64>,
    /// Numbers that were given up, the newest ones.
    given_up: BTreeSet<u64>,
    /// With the name of this node.
    pool: Option<(Arc<Progress>, String)>,
}

/// Given up numbers that are remembered, to tell tardy frames from repeated ones.
const REMEMBERED: usize = 10_000;
/// A number so far ahead is no number of this source.
const FARTHEST: u64 = 1 << 40;

impl InOrder {
    /// The number that must be sent next; `None` while any may be the first.
    fn wanted(&self) -> Option<u64> {
        match &self.pool {
            Some((pool, _)) => pool.next(self.next.unwrap_or(0)),
            None => self.next,
        }
    }

    /// The pool waits for this node no more.
    fn leave(&mut self) {
        if let Some((pool, name)) = self.pool.take() {
            pool.end_order(&name);
        }
    }

    /// Leaves a frame out, or lets it wait.
    fn take(&mut self, frame: &Frame, ctx: &Context) -> Result<(), NodeError> {
        let number = frame.header().sequence;
        if self.next.is_some_and(|next| number < next) {
            let count = if self.given_up.remove(&number) {
                &mut self.params.tardy
            } else {
                &mut self.params.repeated
            };
            *count += 1;
            return Ok(());
        }
        self.check(number)?;
        let wait_ns = (self.params.wait * 1e9) as u64;
        let end_ns = ctx.data_ns().saturating_add(wait_ns);
        match self.waiting.entry(number) {
            std::collections::btree_map::Entry::Occupied(_) => self.params.repeated += 1,
            std::collections::btree_map::Entry::Vacant(place) => _ = place.insert((frame.clone(), end_ns)),
        }
        Ok(())
    }

    fn check(&self, number: u64) -> Result<(), NodeError> {
        let next = self.next.unwrap_or(0);
        let is_known = match &self.pool {
            Some((pool, _)) => pool.count(number..number.saturating_add(1)) == 1,
            None => self.next.is_none() || number - next < FARTHEST,
        };
        if is_known {
            return Ok(());
        }
        let whose = if self.pool.is_some() { "that the pool took" } else { "near it" };
        Err(NodeError::new(format_args!("wanted the number {next} or a later one {whose}, found {number}")))
    }

    /// Sends frames that no longer wait.
    fn send_due(&mut self, ctx: &mut Context, everything: bool) -> Result<(), NodeError> {
        // From the lowest number on: only its fate decides about the others.
        while let Some((number, (_, end_ns))) = self.waiting.first_key_value() {
            let is_next = self.wanted().is_some_and(|wanted| *number <= wanted);
            let is_too_much = self.waiting.len() > self.params.most_waiting;
            if !(everything || is_next || is_too_much || *end_ns <= ctx.data_ns()) {
                break;
            }
            let Some((number, (frame, _))) = self.waiting.pop_first() else { break };
            self.pass(number, ctx);
            self.next = Some(number.saturating_add(1));
            ctx.forward(0, &frame)?;
        }
        ctx.set_data_timer(self.waiting.values().map(|(_, end_ns)| *end_ns).min());
        self.params.waiting = self.waiting.len();
        self.params.next = self.next.unwrap_or(0);
        if let Some((pool, name)) = &self.pool {
            pool.pass(name, self.params.next);
        }
        Ok(())
    }

    /// Gives up all numbers from the next one to `number`.
    fn pass(&mut self, number: u64, ctx: &Context) {
        let missing = match (&self.pool, self.next) {
            (Some((pool, _)), next) => pool.count(next.unwrap_or(0)..number),
            (None, Some(next)) if next < number => number - next - ctx.left_out(next..=number - 1),
            (None, _) => 0,
        };
        if missing == 0 {
            return;
        }
        // The latest ones: a frame that is not very late is told from a repeated one.
        let first = self.next.unwrap_or(0).max(number.saturating_sub(REMEMBERED as u64));
        self.given_up.extend(first..number);
        while self.given_up.len() > REMEMBERED {
            self.given_up.pop_first();
        }
        self.params.missing = self.params.missing.saturating_add(missing);
        ctx.late(missing);
        ctx.tell_error(format!("{missing} frames before number {number} did not come in time"));
    }
}

impl Node for InOrder {
    type Params = InOrderParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "in_order",
        "Puts the results of a pool back into the order of their source, each once; counts missing ones.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out")],
    );

    fn new(params: InOrderParams) -> Result<InOrder, NodeError> {
        let (waiting, given_up) = (BTreeMap::new(), BTreeSet::new());
        Ok(InOrder { params, waiting, next: None, given_up, pool: None })
    }

    fn params(&mut self) -> &mut InOrderParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.to_vec())
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let name = &self.params.pool;
        let pool = (!name.is_empty()).then(|| ctx.service::<Pools>().of(name));
        self.leave();
        self.pool = pool.map(|pool| {
            pool.begin_order(ctx.name(), self.next.unwrap_or(0), self.params.most_waiting as u64);
            (pool, ctx.name().to_owned())
        });
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.take(frame, ctx)?;
        self.send_due(ctx, false)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.send_due(ctx, false)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        if ["pool", "most_waiting"].contains(&self.params.name(index)) {
            self.start(ctx)?;
        }
        self.send_due(ctx, false)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.send_due(ctx, true)?;
        // Behind the last result only the pool knows of others.
        if self.pool.is_some() {
            self.pass(u64::MAX, ctx);
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.leave();
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    struct Bench {
        node: Harness,
        frames: Vec<Frame>,
    }

    impl Bench {
        fn new(params: &[(&'static str, livetime_engine::Value)]) -> Bench {
            let mut node = Harness::new::<InOrder>(params).unwrap();
            let frames = (0..20).map(|n| node.image::<u8>(&[1], &[n]).unwrap()).collect();
            Bench { node, frames }
        }

        fn feed(&mut self, numbers: &[usize]) -> Vec<u64> {
            let mut sent = Vec::new();
            for number in numbers {
                sent.extend(numbers_of(&self.node.feed(&self.frames[*number]).unwrap()));
            }
            sent
        }

        fn counts(&mut self) -> [f64; 4] {
            ["missing", "repeated", "tardy", "waiting"].map(|name| self.node.number_of(name))
        }
    }

    fn numbers_of(frames: &[Frame]) -> Vec<u64> {
        frames.iter().map(|frame| frame.header().sequence).collect()
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<InOrder>(&[]);
        assert_compliant::<InOrder>(&[("wait", 0.0.into())]);
    }

    #[test]
    fn a_missing_number_is_a_loss_after_its_time_and_its_frame_is_tardy() {
        let mut bench = Bench::new(&[("wait", 0.5.into())]);
        assert!(bench.feed(&[1, 0, 2, 5]).is_empty());
        // The order begins when no lower number can be expected any more.
        assert_eq!(numbers_of(&bench.node.advance(600_000_000).unwrap()), [0, 1, 2, 5]);
        assert_eq!(bench.counts(), [2.0, 0.0, 0.0, 0.0]);
        assert_eq!(bench.feed(&[4, 2, 6, 8]), [6]);
        assert_eq!(bench.counts(), [2.0, 1.0, 1.0, 1.0]);
        // The second frame of a number that waits, and the tardy frame once more.
        assert_eq!(bench.feed(&[8, 4, 7]), [7, 8]);
        assert_eq!(bench.counts(), [2.0, 3.0, 1.0, 0.0]);
        let told: Vec<String> = bench.node.events().into_iter().map(|event| event.message).collect();
        assert_eq!(told, ["2 frames before number 5 did not come in time"]);
    }

    #[test]
    fn too_many_waiting_frames_give_up_the_lowest_number() {
        let mut bench = Bench::new(&[("most_waiting", 2.into())]);
        assert_eq!(bench.feed(&[0, 2, 3]), [0]);
        assert_eq!(bench.feed(&[4]), [2, 3, 4]);
        assert_eq!(bench.counts(), [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_pool_says_which_numbers_are_to_come() {
        let mut bench = Bench::new(&[("pool", "pool".into())]);
        let pool = bench.node.service::<Pools>().of("pool");
        [2, 3, 7, 9, 10].into_iter().for_each(|number| pool.take(number));
        // Not from the first that comes on, and without a wait for numbers that no worker got.
        assert_eq!(bench.feed(&[3, 2, 9, 7]), [2, 3, 7, 9]);
        let refused = bench.node.feed(&bench.frames[8]).map(|_| ());
        assert!(refused.is_ok(), "before the next one: it is repeated");
        let refused = bench.node.feed(&bench.frames[12]).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("that the pool took, found 12"), "{refused}");
        // 10 never comes.
        bench.node.drain().unwrap();
        assert_eq!(bench.counts(), [1.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_number_of_another_source_is_refused() {
        let mut bench = Bench::new(&[("wait", 0.0.into())]);
        assert_eq!(bench.feed(&[0]), [0]);
        let mut memory = bench.node.pool().allocator();
        let mut far = memory.bytes(1).unwrap();
        far.header_mut().sequence = u64::MAX;
        let refused = bench.node.feed(&far.freeze()).map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains("wanted the number 1 or a later one near it"), "{refused}");
    }
}
