//! `xtc2`: a recorded run of LCLS-II (XTC2) as frames. The older name of [`recording`](super::recording) for runs of LCLS-II, with the same
//! parameters.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sources::xtc2::Xtc2;
//!
//! let error = Harness::new::<Xtc2>(&[("file", "no-r0001-s000-c000.xtc2".into())]).err().unwrap();
//! assert!(error.to_string().ends_with("wanted a recorded file, found none"));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_recording::{RunFormat, Wanted};

use super::recording::{Choice, Playback, Source};

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

impl Choice for Xtc2Params {
    fn wanted(&self) -> Wanted {
        let Xtc2Params { detector, algorithm, field, .. } = self;
        Wanted { detector: detector.clone(), algorithm: algorithm.clone(), field: field.clone() }
    }

    fn playback(&mut self) -> &mut Playback {
        &mut self.playback
    }
}

/// A recorded run as a detector.
pub struct Xtc2(Source<Xtc2Params>);

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
        Ok(Xtc2(Source::new(params, Some(RunFormat::Xtc2))))
    }

    fn params(&mut self) -> &mut Xtc2Params {
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
