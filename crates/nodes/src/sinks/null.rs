//! `null`: takes frames and does nothing with them, to measure the nodes before it.
//!
//! In: any frame. Out: nothing. The readback `bytes` counts payload bytes.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::null::Null;
//!
//! let mut null = Harness::new::<Null>(&[])?;
//! let image = null.image::<u8>(&[2, 3], &[0; 6])?;
//! null.feed(&image)?;
//! assert_eq!(null.number_of("bytes"), 6.0);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

/// Parameters of `null`.
#[derive(Params)]
pub struct NullParams {
    /// Payload bytes of all frames so far.
    #[param(readback, count, unit = "B")]
    pub bytes: u64,
}

/// Takes frames and does nothing with them.
pub struct Null {
    params: NullParams,
}

impl Node for Null {
    type Params = NullParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "null",
        kind: NodeKind::Sink,
        summary: "Takes frames and does nothing with them.",
        inputs: &[PortSpec::any("in")],
        outputs: &[],
        parallel: true,
    };

    fn new(params: NullParams) -> Result<Null, NodeError> {
        Ok(Null { params })
    }

    fn params(&mut self) -> &mut NullParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        self.params.bytes += frame.bytes().len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::assert_compliant;

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<super::Null>(&[]);
    }
}
