//! `rate_monitor`: frames per second of up to eight streams, and whether they flow.
//!
//! In: any frames, at `in`, `in2` … `in8`; leave the rest unconnected. Out: the same frames, in the order of
//! arrival; usually connected to nothing. Its messages appear in the log and the report: every `interval` the
//! rate of each flowing stream, and a message whenever a stream begins or ceases to flow. There are no
//! messages about a stream that does not flow. (The behaviour of SObjectizer's frame rate estimator.)
//!
//! A frame costs one addition. The clock is read only when a timer fires, twice in `down_after`; a stream
//! that ceases is therefore found between `down_after` and one and a half times that after its last frame. At
//! the end of the run the rate is reported once more, over the latest interval and the begun one.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::rate_monitor::RateMonitor;
//!
//! let mut node = Harness::new::<RateMonitor>(&[("interval", 1.0.into()), ("names", "camera".into())])?;
//! let frame = node.bytes(b"x")?;
//! for tick in 1..=4 {
//!     (0..5).try_for_each(|_| node.feed(&frame).map(drop))?;
//!     node.advance(tick * 250_000_000)?;
//! }
//! assert_eq!(node.number_of("rate_hz"), 20.0);
//! let told: Vec<String> = node.events().into_iter().map(|e| e.message).collect();
//! assert_eq!(told, ["camera: frames arrive", "camera: 20.0 frames/s"]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

// The ports of the node are named one by one, so their number is fixed.
const INPUTS: usize = 8;

/// Parameters of `rate_monitor`.
#[derive(Params)]
pub struct RateMonitorParams {
    /// Time over which rates are measured, and after which they are told.
    #[param(default = 5.0, min = 0.01, max = 86400, unit = "s")]
    pub interval: f64,
    /// A stream without a frame for this long has ceased.
    #[param(default = 0.5, min = 0.001, max = 86400, unit = "s")]
    pub down_after: f64,
    /// Names of the streams, separated by commas; those without a name are called by their port.
    pub names: String,
    /// Rate of the first stream over the latest interval; 0 when it does not flow.
    #[param(readback, unit = "Hz", pv = "ArrayRate")]
    pub rate_hz: f64,
    /// Rate of every stream over the latest interval; 0 for those that do not flow.
    #[param(readback, unit = "Hz")]
    pub rates: Vec<f64>,
    /// Streams that flow.
    #[param(readback)]
    pub up: usize,
    /// Frames of all streams so far.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub frames: u64,
}

/// Tells frames per second.
pub struct RateMonitor {
    params: RateMonitorParams,
    streams: [Watch; INPUTS],
    /// When the interval ends.
    end_ns: u64,
    /// The latest tick.
    ticked_ns: u64,
}

/// State of one stream.
#[derive(Clone, Copy, Default)]
struct Watch {
    /// Frames so far.
    count: u64,
    /// Frames at the latest tick.
    seen: u64,
    /// The latest tick that saw a new frame.
    seen_ns: u64,
    is_up: bool,
    /// Frames before the time that the rate is measured over, and when that began.
    since: (u64, u64),
    /// Frames and time of the measurement before this one.
    before: (u64, u64),
    rate_hz: f64,
}

/// The result of a tick.
#[derive(PartialEq)]
enum Change {
    Came,
    Ceased,
    Nothing,
}

impl Watch {
    /// Compares the counter with its value at the latest tick.
    fn look(&mut self, ticked_ns: u64, now_ns: u64, down_ns: u64) -> Change {
        if self.count > self.seen {
            let came = !self.is_up;
            if came {
                // The stream began somewhere in this tick, so the tick before counts as its begin.
                (self.is_up, self.since) = (true, (self.seen, ticked_ns));
                // The measurement begins with the stream, so that its first rate has no idle time in it.
                self.before = self.since;
            }
            // The time of the tick stands for the frames: no clock is read for each frame.
            (self.seen, self.seen_ns) = (self.count, now_ns);
            return if came { Change::Came } else { Change::Nothing };
        }
        // Between `down_after` and one and a half times that: ticks are half of it apart.
        if self.is_up && now_ns.saturating_sub(self.seen_ns) >= down_ns {
            // A stream that ceased shows no rate; the last one would look as if it still flowed.
            (self.is_up, self.rate_hz) = (false, 0.0);
            return Change::Ceased;
        }
        Change::Nothing
    }

    /// Frames per second since the measurement began, which begins again.
    fn measure(&mut self, now_ns: u64) {
        self.before = std::mem::replace(&mut self.since, (self.seen, now_ns));
        let (count, began_ns) = self.before;
        // At least 1 ns, because two measurements may share one time.
        let elapsed = now_ns.saturating_sub(began_ns).max(1) as f64 / 1e9;
        self.rate_hz = (self.seen - count) as f64 / elapsed;
    }

    /// The rate at the end, also when the latest measurement has just begun; none if no time has passed.
    fn measure_last(&mut self, now_ns: u64) {
        // The interval that has just begun is too short to measure alone, so the one before joins it.
        if now_ns > self.before.1 {
            self.since = self.before;
            self.measure(now_ns);
        }
    }
}

impl RateMonitor {
    fn set_timer(&self, now_ns: u64, ctx: &mut Context) {
        // Half of `down_after` bounds how late an end is seen.
        let tick_ns = now_ns.saturating_add(nanoseconds(self.params.down_after / 2.0));
        // The end of the interval is never missed by a tick.
        ctx.set_timer(Some(self.end_ns.min(tick_ns)));
    }

    fn name(&self, number: usize) -> &str {
        let name = self.params.names.split(',').nth(number).map_or("", str::trim);
        let port = Self::SPEC.inputs.get(number).map_or("", |port| port.name);
        if name.is_empty() { port } else { name }
    }

    fn look(&mut self, now_ns: u64, ctx: &Context) {
        let down_ns = nanoseconds(self.params.down_after);
        for number in 0..INPUTS {
            match self.streams[number].look(self.ticked_ns, now_ns, down_ns) {
                Change::Came => ctx.tell(format!("{}: frames arrive", self.name(number))),
                Change::Ceased => ctx.tell(format!("{}: no more frames", self.name(number))),
                Change::Nothing => {}
            }
        }
        self.ticked_ns = now_ns;
    }

    fn report(&mut self, measure: fn(&mut Watch, u64), now_ns: u64, ctx: &Context) {
        for number in 0..INPUTS {
            // A stream that ceased was told already and has no rate.
            if self.streams[number].is_up {
                measure(&mut self.streams[number], now_ns);
                ctx.tell(format!("{}: {:.1} frames/s", self.name(number), self.streams[number].rate_hz));
            }
        }
        self.end_ns = now_ns.saturating_add(nanoseconds(self.params.interval));
    }

    fn publish(&mut self) {
        // Streams behind the last one with frames are probably not connected, so the list leaves them out.
        let used = self.streams.iter().rposition(|s| s.count > 0).map_or(0, |last| last + 1);
        self.params.rates.clear();
        self.params.rates.extend(self.streams[..used].iter().map(|s| s.rate_hz));
        self.params.rate_hz = self.streams[0].rate_hz;
        self.params.up = self.streams.iter().filter(|s| s.is_up).count();
        self.params.frames = self.streams.iter().map(|s| s.count).sum();
    }
}

impl Node for RateMonitor {
    type Params = RateMonitorParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "rate_monitor",
        "Tells frames per second of up to eight streams, and whether they flow.",
        &[
            PortSpec::any("in"),
            PortSpec::any("in2"),
            PortSpec::any("in3"),
            PortSpec::any("in4"),
            PortSpec::any("in5"),
            PortSpec::any("in6"),
            PortSpec::any("in7"),
            PortSpec::any("in8"),
        ],
        &[PortSpec::any("out")],
    );

    fn new(params: RateMonitorParams) -> Result<RateMonitor, NodeError> {
        Ok(RateMonitor { params, streams: Default::default(), end_ns: 0, ticked_ns: 0 })
    }

    fn params(&mut self) -> &mut RateMonitorParams {
        &mut self.params
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let now_ns = ctx.now_ns();
        (self.streams, self.ticked_ns) = (Default::default(), now_ns);
        self.end_ns = now_ns.saturating_add(nanoseconds(self.params.interval));
        self.set_timer(now_ns, ctx);
        Ok(())
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        // A frame costs only this count; the rates are made from time to time.
        if let Some(stream) = self.streams.get_mut(input) {
            stream.count += 1;
        }
        ctx.forward(0, frame)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let now_ns = ctx.now_ns();
        self.look(now_ns, ctx);
        if now_ns >= self.end_ns {
            self.report(Watch::measure, now_ns, ctx);
        }
        self.publish();
        self.set_timer(now_ns, ctx);
        Ok(())
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let now_ns = ctx.now_ns();
        self.look(now_ns, ctx);
        self.report(Watch::measure_last, now_ns, ctx);
        self.publish();
        Ok(())
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    // The cast saturates: a very long time becomes an end that never comes.
    (seconds * 1e9) as u64
}

#[cfg(test)]
mod tests {
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    const MS: u64 = 1_000_000;

    fn told(node: &Harness) -> Vec<(u64, String)> {
        node.events().into_iter().map(|e| (e.at_ns / MS, e.message)).collect()
    }

    /// Feeds input number `input` every `period_ms` from `from_ms` to `to_ms`, with all ticks between.
    fn stream(node: &mut Harness, input: usize, period_ms: u64, from_ms: u64, to_ms: u64) {
        let frame = node.bytes(b"x").unwrap();
        for ms in from_ms..to_ms {
            node.advance(ms * MS).unwrap();
            if (ms - from_ms).is_multiple_of(period_ms) {
                assert!(node.feed_to(input, &frame).unwrap()[0].is_same(&frame));
            }
        }
    }

    #[test]
    fn tells_rates_only_while_a_stream_flows() {
        let mut node =
            Harness::new::<RateMonitor>(&[("interval", 1.0.into()), ("names", ", roof".into())]).unwrap();
        stream(&mut node, 1, 10, 0, 1500);
        assert_eq!((node.number_of("up"), node.number_of("rate_hz")), (1.0, 0.0));
        stream(&mut node, 1, 1_000_000, 1500, 3600);
        stream(&mut node, 1, 20, 3600, 5600);
        let told = told(&node);
        let texts: Vec<&str> = told.iter().map(|(_, text)| &**text).collect();
        assert_eq!(
            texts,
            [
                "roof: frames arrive",
                "roof: 100.0 frames/s",
                "roof: 51.0 frames/s",
                "roof: no more frames",
                "roof: frames arrive",
                "roof: 40.0 frames/s",
                "roof: 50.0 frames/s"
            ]
        );
        assert!((2000..=2250).contains(&told[3].0), "last frame at 1500 ms, down at {} ms", told[3].0);
        assert_eq!(node.get("rates"), Some(Value::List(vec![0.0, 50.0])));
    }

    #[test]
    fn streams_are_watched_one_by_one() {
        let mut node =
            Harness::new::<RateMonitor>(&[("down_after", 0.1.into()), ("interval", 0.5.into())]).unwrap();
        let frame = node.bytes(b"x").unwrap();
        for ms in 0..2000 {
            node.advance(ms * MS).unwrap();
            if ms % 5 == 0 {
                node.feed_to(0, &frame).unwrap();
            }
            if ms % 50 == 0 && ms < 1000 {
                node.feed_to(7, &frame).unwrap();
            }
        }
        assert_eq!((node.number_of("up"), node.number_of("rate_hz")), (1.0, 200.0));
        let about_last: Vec<_> =
            told(&node).into_iter().filter(|(_, text)| text.starts_with("in8")).collect();
        assert_eq!(about_last.iter().filter(|(_, text)| text.ends_with("arrive")).count(), 1);
        let (down_ms, text) = about_last.last().unwrap();
        assert_eq!(text, "in8: no more frames");
        assert!((1050..=1100).contains(down_ms), "last frame at 950 ms, down at {down_ms} ms");
        let Some(Value::List(rates)) = node.get("rates") else { panic!() };
        assert_eq!((rates.len(), rates[7]), (8, 0.0));
    }

    #[test]
    fn the_end_is_told_too() {
        for (to_ms, rate_hz) in [(400, 101.0), (1_021, 100.0), (1_500, 100.0)] {
            let mut node = Harness::new::<RateMonitor>(&[("interval", 1.0.into())]).unwrap();
            stream(&mut node, 0, 10, 0, to_ms);
            node.drain().unwrap();
            assert_eq!(node.number_of("frames"), to_ms.div_ceil(10) as f64, "{to_ms}");
            assert!(
                (node.number_of("rate_hz") - rate_hz).abs() < 2.0,
                "{to_ms}: {}",
                node.number_of("rate_hz")
            );
        }
        // No time has passed.
        let mut node = Harness::new::<RateMonitor>(&[]).unwrap();
        let frame = node.bytes(b"x").unwrap();
        node.feed(&frame).unwrap();
        node.drain().unwrap();
        assert_eq!((node.number_of("frames"), node.number_of("rate_hz")), (1.0, 0.0));
    }

    #[test]
    fn parameters_act_from_the_next_tick() {
        let mut node = Harness::new::<RateMonitor>(&[]).unwrap();
        node.set("down_after", 2.0).unwrap();
        stream(&mut node, 0, 1000, 0, 6000);
        let told = told(&node);
        assert_eq!(
            told.iter().map(|(_, t)| &**t).collect::<Vec<_>>(),
            ["in: frames arrive", "in: 1.0 frames/s"]
        );
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<RateMonitor>(&[]);
    }
}
