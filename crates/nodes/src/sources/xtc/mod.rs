//! `xtc`: a recorded run of LCLS-I (XTC) as frames.
//!
//! Out: arrays of one detector, packed, numbered from 1: a picture as it is; the quadrants of a CSPad or the links of a pnCCD in the order of
//! their numbers with an axis before their own; what `xtc_recorder` wrote as it was, with its attributes. Compressed data are
//! decompressed. Event time is that of the event. Attributes: `Fiducial` where it is valid, `Damage` where there is any,
//! `RecordedSequence` of what `xtc_recorder` wrote.
//!
//! `file` is one file of the run, and all its streams and chunks beside it belong to it, or a pattern with `*` and `?`, or one file in each of several lines. Events come in the
//! order of time. One without the detector gives no frame and is counted (`missing`); one that cannot be read, or is damaged and without the
//! detector, is an error that names it (`failures`); one with damage is sent and says so (`damaged`). What is wrong with the files themselves is told at the start.
//!
//! Events are read and decompressed ahead by threads of the node's own, straight into the memory of the frames. They may be sent
//! as fast as possible, or as they were recorded. A run that is still being written can be followed: up to EndRun or Unconfigure, when its
//! last file has its final name. A writer that died is waited for until the run is stopped.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_formats::xtc1::{Builder, DatagramHeader, Src, TypeId, XtcHeader, id};
//! use livetime_nodes::sources::xtc::Xtc;
//!
//! let path = std::env::temp_dir().join(format!("e1-r{:04}-s00-c00.xtc", std::process::id()));
//! let words = [3u32, 2, 8, 0].map(u32::to_le_bytes).concat();
//! let mut bytes = Vec::new();
//! let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
//! let leaf = XtcHeader::new(Src::named("CxiEndstation-0|Opal1000-1")?, TypeId::new(id::FRAME, 1));
//! builder.leaf(leaf, &[&words, &[1, 2, 3, 4, 5, 6]])?;
//! builder.finish()?;
//! std::fs::write(&path, bytes)?;
//!
//! let mut source = Harness::new::<Xtc>(&[("file", path.to_str().unwrap_or_default().into())])?;
//! let frame = source.run_source(1)?.remove(0);
//! assert_eq!(frame.array()?.rows::<u8>()?.last(), Some(&[4, 5, 6][..]));
//! assert_eq!(frame.header().event_time_ns, 1_000_000_000);
//! # std::fs::remove_file(path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod recording;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::xtc1::run::Run;

use super::recording::{Playback, Player, files, range, tell};
use recording::Detector;

/// Parameters of `xtc`.
#[derive(Params)]
pub struct XtcParams {
    /// Which detector, as `CxiDs1-0|Cspad-0`, `Cspad-0` or `*|Opal1000-*`; empty means the only one.
    pub detector: String,
    /// What is played, and how.
    #[param(flatten)]
    pub playback: Playback,
}

/// A recorded run as a detector.
pub struct Xtc {
    params: XtcParams,
    player: Option<Player<Detector>>,
}

impl Node for Xtc {
    type Params = XtcParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "xtc",
        kind: NodeKind::Source,
        summary: "A recorded run of LCLS-I (XTC) as frames of one detector.",
        inputs: &[],
        outputs: &[PortSpec::array("out")],
        parallel: false,
    };

    fn new(params: XtcParams) -> Result<Xtc, NodeError> {
        Ok(Xtc { params, player: None })
    }

    fn params(&mut self) -> &mut XtcParams {
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
            "file" | "detector" | "events" => self.open(ctx),
            _ => Ok(()),
        }
    }

    fn stop(&mut self) {
        self.player = None;
    }
}

impl Xtc {
    /// Looks for the files and starts at the first event.
    fn open(&mut self, ctx: &Context) -> Result<(), NodeError> {
        self.player = None;
        let events = range(&self.params.playback.events).map_err(NodeError::new)?;
        let files = files(&self.params.playback.file, Run::files_of).map_err(NodeError::new)?;
        let run = Run::open(&files).map_err(NodeError::new)?;
        self.params.playback.problems = run.problems().len();
        tell(ctx, run.problems(), run.is_growing(), self.params.playback.follow);
        let recording = Detector::of(run, &self.params.detector).map_err(NodeError::new)?;
        self.player = Some(Player::new(recording, events));
        Ok(())
    }
}
