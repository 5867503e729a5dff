//! `xtc2`: a recorded run of LCLS-II (XTC2) as frames.
//!
//! Out: arrays of one field of one detector, packed, numbered from 1; of a detector in several segments these in the order of
//! their numbers with an axis before their own. Event time is that of the event. Attribute `Damage` where there is any.
//!
//! `file` is one file of the run, and all its streams and chunks beside it belong to it, or a pattern with `*` and `?`, or one file in each of several lines. `detector`, `algorithm`
//! and `field` choose what is sent; what is left out may be anything, and of several fields a picture is preferred to
//! lists of numbers. What is left to choose from is said if that does not name one. Events, threads, times, losses and runs that are still
//! being written are handled as by `xtc`; a frame with fewer segments than the detector has says that it is damaged.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sources::xtc2::Xtc2;
//!
//! let error = Harness::new::<Xtc2>(&[("file", "no-r0001-s000-c000.xtc2".into())]).err().unwrap();
//! assert!(error.to_string().ends_with("wanted a recorded file, found none"));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod recording;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::xtc2::run::Run;

use super::recording::{Player, Settings, Timing, files, range, tell};
use recording::{Detector, Wanted};

/// Parameters of `xtc2`.
#[derive(Params)]
pub struct Xtc2Params {
    /// A file of the run, or a pattern with `*` and `?` for its files, or lines with a file in each.
    #[param(pv = "FilePath")]
    pub file: String,
    /// Which detector, as `jungfrau`; empty means the only one.
    pub detector: String,
    /// Which algorithm made the values, as `raw`; empty means the only one.
    pub algorithm: String,
    /// Which field, as `raw`; empty means the only one.
    pub field: String,
    /// Which events are sent, as `100..200`, `100..` or `..200`, counted from 0; empty means all.
    pub events: String,
    /// When events are sent.
    pub timing: Timing,
    /// How many times faster than recorded, with timing `recorded`.
    #[param(default = 1.0, min = 1e-6, max = 1e6)]
    pub speed: f64,
    /// How often the events are sent; 0 means without end.
    #[param(default = 1)]
    pub loops: u64,
    /// Whether files that are still being written are followed until their run has ended.
    pub follow: bool,
    /// Threads that read ahead; 0 means that the node's own thread reads when a frame is due.
    #[param(default = 1, max = 64)]
    pub threads: usize,
    /// Events found.
    #[param(readback)]
    pub num_events: usize,
    /// Frames since the start of the run; the sequence number of the last one.
    #[param(readback, pv = "ArrayCounter")]
    pub array_counter: u64,
    /// Events without the detector.
    #[param(readback)]
    pub missing: u64,
    /// Events that could not be read.
    #[param(readback)]
    pub failures: u64,
    /// Frames that say that data are missing or wrong.
    #[param(readback)]
    pub damaged: u64,
    /// Places in the files that are not as they should be.
    #[param(readback)]
    pub problems: usize,
}

/// A recorded run as a detector.
pub struct Xtc2 {
    params: Xtc2Params,
    player: Option<Player<Detector>>,
}

impl Node for Xtc2 {
    type Params = Xtc2Params;

    const SPEC: NodeSpec = NodeSpec {
        name: "xtc2",
        kind: NodeKind::Source,
        summary: "A recorded run of LCLS-II (XTC2) as frames of one detector.",
        inputs: &[],
        outputs: &[PortSpec::array("out")],
        parallel: false,
    };

    fn new(params: Xtc2Params) -> Result<Xtc2, NodeError> {
        Ok(Xtc2 { params, player: None })
    }

    fn params(&mut self) -> &mut Xtc2Params {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Unknown])
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.open(ctx)
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let settings = self.settings();
        let Some(player) = &mut self.player else { return Ok(Next::Finished) };
        let next = player.produce(&settings, ctx);
        let (account, p) = (player.account(), &mut self.params);
        (p.array_counter, p.missing) = (account.frames, account.missing);
        (p.failures, p.damaged) = (account.failures, account.damaged);
        p.num_events = player.events();
        next
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "file" | "detector" | "algorithm" | "field" | "events" => self.open(ctx),
            _ => Ok(()),
        }
    }

    fn stop(&mut self) {
        self.player = None;
    }
}

impl Xtc2 {
    /// Looks for the files and starts at the first event.
    fn open(&mut self, ctx: &Context) -> Result<(), NodeError> {
        self.player = None;
        let events = range(&self.params.events).map_err(NodeError::new)?;
        let files = files(&self.params.file, Run::files_of).map_err(NodeError::new)?;
        let run = Run::open(&files).map_err(NodeError::new)?;
        self.params.problems = run.problems().len();
        tell(ctx, run.problems(), run.is_growing(), self.params.follow);
        let recording = Detector::of(run, self.wanted()).map_err(NodeError::new)?;
        self.player = Some(Player::new(recording, events));
        Ok(())
    }

    fn wanted(&self) -> Wanted {
        let p = &self.params;
        Wanted { detector: p.detector.clone(), algorithm: p.algorithm.clone(), field: p.field.clone() }
    }

    fn settings(&self) -> Settings {
        let p = &self.params;
        let (timing, speed, loops) = (p.timing, p.speed, p.loops);
        Settings { timing, speed, loops, follow: p.follow, threads: p.threads }
    }
}
