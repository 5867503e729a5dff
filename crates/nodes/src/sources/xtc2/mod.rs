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

use super::recording::{Playback, Player, files, range, tell};
use recording::{Detector, Wanted};

/// Parameters of `xtc2`.
#[derive(Params)]
pub struct Xtc2Params {
    /// Which detector, as `jungfrau`; empty means the only one.
    pub detector: String,
    /// Which algorithm made the values, as `raw`; empty means the only one.
    pub algorithm: String,
    /// Which field, as `raw`; empty means the only one.
    pub field: String,
    /// What is played, and how.
    #[param(flatten)]
    pub playback: Playback,
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
        self.params.playback.produce(&mut self.player, ctx)
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
        let events = range(&self.params.playback.events).map_err(NodeError::new)?;
        let files = files(&self.params.playback.file, Run::files_of).map_err(NodeError::new)?;
        let run = Run::open(&files).map_err(NodeError::new)?;
        self.params.playback.problems = run.problems().len();
        tell(ctx, run.problems(), run.is_growing(), self.params.playback.follow);
        let recording = Detector::of(run, self.wanted()).map_err(NodeError::new)?;
        self.player = Some(Player::new(recording, events));
        Ok(())
    }

    fn wanted(&self) -> Wanted {
        let p = &self.params;
        Wanted { detector: p.detector.clone(), algorithm: p.algorithm.clone(), field: p.field.clone() }
    }
}
