//! `wib_simulator`: the links of an anode plane of ProtoDUNE, simulated, with the truth about every pulse.
//!
//! Out `raw`: batches of raw frames ([`RawBatch`](livetime_wire::RawBatch)) of all links in turn, each sent when its last tick has happened. Out `ledger`:
//! what became of the time of each link. Out `truth`: tables of [`TruthRow`], the true pulses in the order of time, before the data
//! they are in. Event time is the time of the first frame: with the default `first_timestamp` and rate 1 the time of day at which it happened.
//!
//! Samples of [`loop_time`](WibSimulatorParams::loop_time) are simulated at the start with all cores ([`Simulation`](crate::wires::Simulation) says how), and then
//! sent repeatedly: nothing is copied, only the times in the frames are written again, and the truth comes again. So the memory of a
//! batch must be free again when its turn comes; if not, the batch is lost (state `dropped`), or with `lossless` or rate 0 the source waits. A graph that
//! keeps data longer than the loop needs a longer loop. A source that is more than 50 ms behind loses older batches.
//!
//! The parameter `faults` lists the faults on the way, separated by `;`, where A is a frame counted from the begin, or frames as 200+10:
//!
//! | fault | effect |
//! |---|---|
//! | `drop A`, `repeat A`, `swap A` | the frames do not come; come twice; A comes after A + 1 |
//! | `back A TICKS`, `stuck A` | the timestamp is TICKS of the clock too early; stays at the first one's |
//! | `mm A`, `oos A`, `wib_errors A BITS`, `fiber A` | the header of WIB1 says so; the fiber is the other one |
//! | `checksum A BLOCK`, `capture A BLOCK BITS` | a bit of the checksum is turned; capture errors |
//! | `constant A CHIP VALUE` | the eight channels of a chip (0 to 31) have one value; only who looks at the samples can see it |
//! | `stall A TIME` | nothing comes for TIME, then all at once |
//! | `skew TIME` | everything comes TIME later |
//! | `random RATE` | faults of frames at random times, RATE per second on average |
//!
//! With `link N` before it a fault is of one link, else of each. With faults the frames go one by one through the account that all sources of raw
//! frames have ([`LinkIngest`](livetime_wire::LinkIngest)), so the ledger names them; and they are copied.
//!
//! A change of a parameter of the detector simulates again, which takes its time.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_sim::WibSimulator;
//! use livetime_wire::RawBatch;
//!
//! let params = [("links", 2.into()), ("loop_time", 0.001.into()), ("first_timestamp", 1000.into()), ("batch", 8.into())];
//! let frames = Harness::new::<WibSimulator>(&params)?.run_source(3)?;
//! // First the truth of the loop, then the batches: 96 frames of each link.
//! let batch = RawBatch::of(&frames[2])?;
//! assert_eq!((batch.link, batch.first, batch.len(), batch.faults), (1, 1000, 96, 0));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod clock;
mod direct;
mod faults;
mod faulty;
mod feed;
mod params;
mod prepare;
mod raw;
#[cfg(test)]
mod tests;
mod truth;

use livetime_engine::{
    Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream, time_of_day_ns,
};
use livetime_frame::PayloadKind;

use crate::wires::SimulationSetup;
use clock::Clock;
use direct::{Batch, Sent};
use faults::Fault;
use feed::Feed;
use livetime_wire::{RawFormat, RowTable, TruthRow};
pub use params::{SimulatedFormat, TestPulseShape, WibSimulatorParams};
use prepare::prepare;
pub use raw::SimulatedLinks;

/// The output of the truth.
const TRUTH: usize = 2;
/// Batches sent in one call: receivers are notified when the call returns.
const AT_ONCE: usize = 16;
/// How long memory that is still in use is waited for before looking again.
const LOOK_AGAIN_NS: u64 = 50_000;

/// The simulator.
pub struct WibSimulator {
    params: WibSimulatorParams,
    running: Option<Running>,
}

/// A simulation that is being sent.
struct Running {
    setup: SimulationSetup,
    format: RawFormat,
    batch_frames: usize,
    /// Batches of a loop.
    batches: u64,
    /// Time of the first frame.
    first: u64,
    clock: Clock,
    faults: Vec<Fault>,
    feed: Feed,
    /// The truth of a loop, and how many loops it was sent for.
    truth: Vec<TruthRow>,
    truth_table: RowTable<TruthRow>,
    loops_told: u64,
}

impl Node for WibSimulator {
    type Params = WibSimulatorParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "wib_simulator",
        kind: NodeKind::Source,
        summary: "The links of an anode plane of ProtoDUNE, simulated, with the truth about every pulse.",
        inputs: &[],
        outputs: &[PortSpec::bytes("raw"), PortSpec::table("ledger"), PortSpec::table("truth")],
        parallel: false,
    };

    fn new(params: WibSimulatorParams) -> Result<WibSimulator, NodeError> {
        Ok(WibSimulator { params, running: None })
    }

    fn params(&mut self) -> &mut WibSimulatorParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok([PayloadKind::Bytes, PayloadKind::Table, PayloadKind::Table].map(Stream::Other).to_vec())
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.prepare(ctx)
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let Some(running) = &mut self.running else { return Ok(Next::Finished) };
        let result = running.produce(&mut self.params, ctx);
        self.params.array_counter = running.feed.sequence();
        result
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.specs().get(index).map_or("", |spec| spec.name);
        let Some(running) = &mut self.running else { return Ok(()) };
        match name {
            "rate" => running.clock.set_rate(self.params.rate, ctx.now_ns()),
            "lossless" | "duration" => {}
            // Only other data need another simulation.
            _ if self.params.setup()? != running.setup
                || self.params.faults()? != running.faults
                || self.params.batch_frames() != running.batch_frames
                || name == "first_timestamp" && self.params.first_timestamp != 0 =>
            {
                return self.prepare(ctx);
            }
            _ => {}
        }
        Ok(())
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        match &mut self.running {
            Some(running) => {
                // Losses are told also when the last tables cannot be sent.
                let finished = running.feed.finish(ctx);
                running.feed.tell_losses(ctx);
                finished
            }
            None => Ok(()),
        }
    }

    fn stop(&mut self) {
        self.running = None;
    }
}

impl WibSimulator {
    /// Simulates the loop, and starts the detector's time.
    fn prepare(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        // The numbers of frames go on over a change.
        let sequence = self.running.take().map_or(0, |running| running.feed.sequence());
        let p = &mut self.params;
        let (setup, batch_frames, faults) = (p.setup()?, p.batch_frames(), p.faults()?);
        let format = setup.format;
        let (simulation, rings) = prepare(setup.clone(), batch_frames, ctx)?;
        let batches = rings.first().map_or(1, |ring| ring.len().max(1)) as u64;
        p.loop_bytes = (rings.len() * batch_frames * format.bytes()) as u64 * batches;
        let now = time_of_day_ns().unsigned_abs() / format.tick_ns();
        let links = 0..rings.len() as u16;
        self.running = Some(Running {
            format,
            batch_frames,
            batches,
            first: if p.first_timestamp == 0 { now } else { p.first_timestamp },
            clock: Clock {
                begin_ns: ctx.now_ns(),
                begin_batch: 0,
                batch_ns: batch_frames as u64 * format.step() * format.tick_ns(),
                rate: p.rate,
                links: links.map(|link| faulty::link_clock(&faults, link, batch_frames)).collect(),
            },
            truth: truth::rows(&simulation),
            truth_table: RowTable::default(),
            loops_told: 0,
            feed: Feed::new(&setup, batch_frames, rings, &faults, sequence),
            faults,
            setup,
        });
        Ok(())
    }
}

/// Tells of the first batch that was lost because its memory was in use, and then more and more rarely: nodes that hold frames for longer than a loop keep
/// all that follow from being sent.
fn tell_in_use(params: &WibSimulatorParams, ctx: &Context) {
    let (lost, seconds) = (params.lost_in_use, params.loop_time);
    if lost.is_power_of_two() {
        ctx.tell_error(format!(
            "wanted memory that is free again after `loop_time`, {seconds} s, found it in use: batches are lost, {lost} so far; \
             make that longer than nodes hold frames (as `seconds` of `readout_buffer`)"
        ));
    }
}

impl Running {
    fn produce(&mut self, params: &mut WibSimulatorParams, ctx: &mut Context) -> Result<Next, NodeError> {
        let end = if params.duration > 0.0 { params.batches_in(params.duration) } else { u64::MAX };
        let now_ns = ctx.now_ns();
        for _ in 0..AT_ONCE {
            let Some((link, due_ns)) = self.clock.next(end) else { return Ok(Next::Finished) };
            if due_ns > now_ns {
                self.feed.tell(ctx)?;
                return Ok(Next::At(due_ns));
            }
            self.tell_truth(link, ctx)?;
            if !self.send(link, due_ns, now_ns, params, ctx)? {
                return Ok(Next::At(now_ns + LOOK_AGAIN_NS));
            }
        }
        self.feed.tell(ctx)?;
        Ok(Next::Now)
    }

    /// Sends the next batch of a link, or loses it; false when it must be waited for.
    fn send(
        &mut self,
        link: usize,
        due_ns: u64,
        now_ns: u64,
        params: &mut WibSimulatorParams,
        ctx: &mut Context,
    ) -> Result<bool, NodeError> {
        let batch = self.batch(link);
        let may_wait = params.lossless || self.clock.rate == 0.0;
        if !may_wait && self.clock.is_lost(due_ns, now_ns) {
            params.lost_behind += 1;
            return Ok(self.lose(batch, due_ns, ctx));
        }
        match self.feed.send(batch, ctx) {
            Ok(Sent::Yes) => params.batches += 1,
            Ok(Sent::InUse) if may_wait => return Ok(false),
            Ok(Sent::InUse) => {
                params.lost_in_use += 1;
                tell_in_use(params, ctx);
                return Ok(self.lose(batch, due_ns, ctx));
            }
            Err(error) => {
                // The batch is over, sent or not: else the source would stay at it.
                self.clock.step(link, due_ns);
                return Err(error);
            }
        }
        self.clock.step(link, due_ns);
        Ok(true)
    }

    fn lose(&mut self, batch: Batch, due_ns: u64, ctx: &Context) -> bool {
        self.feed.lose(batch, ctx);
        self.clock.step(batch.link, due_ns);
        true
    }

    /// The next batch of a link.
    fn batch(&self, link: usize) -> Batch {
        let next = self.clock.links.get(link).map_or(0, |link| link.next);
        let number = next * self.batch_frames as u64;
        let stamp = self.first.wrapping_add(number.wrapping_mul(self.format.step()));
        Batch { link, position: (next % self.batches) as usize, number, stamp }
    }

    /// Sends the truth of a loop before the first batch of it.
    fn tell_truth(&mut self, link: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let next = self.clock.links.get(link).map_or(0, |link| link.next) / self.batches;
        if next < self.loops_told {
            return Ok(());
        }
        let ticks = self.batches * self.batch_frames as u64 * self.format.step();
        let begin = self.first.wrapping_add(next.wrapping_mul(ticks));
        let mut table = self.truth_table.frame(&self.truth, ctx)?;
        // The rows are of a loop that begins at 0; column 0 is their time.
        if let Ok(times) = table.column_mut::<u64>(0) {
            times.iter_mut().for_each(|time| *time = time.wrapping_add(begin));
        }
        self.truth_table.set_watermark(&mut table, begin.wrapping_add(ticks));
        table.header_mut().event_time_ns = begin.saturating_mul(self.format.tick_ns()) as i64;
        // Counted before it is sent, so that a refused table does not come again before each batch.
        self.loops_told = next + 1;
        self.feed.emit(TRUTH, table, ctx)
    }
}
