//! `xtc`: a recorded run of LCLS-I (XTC) as frames. The older name of [`recording`](super::recording) for runs of LCLS-I, with the same
//! parameters but for those that only LCLS-II has.
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

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_recording::{RunFormat, Wanted};

use super::recording::{Choice, Playback, Source};

/// Parameters of `xtc`.
#[derive(Params)]
pub struct XtcParams {
    /// Which detector, as `CxiDs1-0|Cspad-0`, `Cspad-0` or `*|Opal1000-*`; empty means the only one.
    pub detector: String,
    /// What is played, and how.
    #[param(flatten)]
    pub playback: Playback,
}

impl Choice for XtcParams {
    fn wanted(&self) -> Wanted {
        Wanted::from(&*self.detector)
    }

    fn playback(&mut self) -> &mut Playback {
        &mut self.playback
    }
}

/// A recorded run as a detector.
pub struct Xtc(Source<XtcParams>);

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
        Ok(Xtc(Source::new(params, Some(RunFormat::Xtc1))))
    }

    fn params(&mut self) -> &mut XtcParams {
        &mut self.0.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Unknown])
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.0.open(ctx)
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        self.0.produce(ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        self.0.changed(index, ctx)
    }

    fn stop(&mut self) {
        self.0.stop();
    }
}
