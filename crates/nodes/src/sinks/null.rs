//! `null`: takes frames and writes nothing, to measure the nodes before it, or in the place of a writer.
//!
//! In: any frame. Out: nothing. The readback `bytes` counts payload bytes.
//!
//! The node has the names of areaDetector's NDFile ([`nd_file`](super::nd_file)), counts the same as a writer of one
//! file for each capture, and removes the detector's own files (`delete_driver_file`), as NDFileNull does. Memory is
//! kept for no frame. In a pool each copy counts for itself.
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

use livetime_engine::{
    Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, ParamEnum, Params, PortSpec,
};
use livetime_frame::Frame;

use super::nd_file::{FileMode, NdFileParams, delete_driver_file};

/// Format of the files; there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum NullFormat {
    /// Nothing is written.
    #[default]
    Null,
}

/// Parameters of `null`.
#[derive(Params)]
pub struct NullParams {
    /// Payload bytes of all frames so far.
    #[param(readback, count, unit = "B")]
    pub bytes: u64,
    /// Format of the files.
    #[param(pv = "FileFormat")]
    pub file_format: NullFormat,
    /// Modes and counts; folders and names have no effect.
    #[param(flatten)]
    pub common: NdFileParams,
}

/// Takes frames and writes nothing.
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

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDFileNull", "Null"));

    fn new(params: NullParams) -> Result<Null, NodeError> {
        Ok(Null { params })
    }

    fn params(&mut self) -> &mut NullParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.common.capture { self.begin() } else { Ok(()) }
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.params.bytes += frame.bytes().len() as u64;
        let common = &mut self.params.common;
        let is_wanted = if common.mode == FileMode::Single { common.auto_save } else { common.capture };
        if !is_wanted {
            common.ignored += 1;
            return Ok(());
        }
        if common.mode != FileMode::Single {
            common.num_captured += 1;
            common.capture = common.num_captured != common.num_capture;
        }
        delete_driver_file(common, frame, ctx);
        Ok(())
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.name(index);
        let common = &mut self.params.common;
        match name {
            "capture" if common.capture => self.begin(),
            "mode" => {
                common.capture = false;
                Ok(())
            }
            "path" => {
                common.end_path();
                common.look_for_folder();
                Ok(())
            }
            "write_file" => {
                common.write_file = false;
                Ok(())
            }
            "free_capture" => {
                common.free_capture = false;
                Ok(())
            }
            "read_file" if std::mem::take(&mut common.read_file) => {
                Err(NodeError::new("wanted a node that reads files, found one that has none"))
            }
            _ => Ok(()),
        }
    }
}

impl Null {
    fn begin(&mut self) -> Result<(), NodeError> {
        let common = &mut self.params.common;
        if common.mode == FileMode::Single {
            common.capture = false;
            return Err(NodeError::new("wanted mode stream or capture for a capture, found single"));
        }
        common.num_captured = 0;
        common.report.succeeded();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::Null;

    #[test]
    fn a_capture_counts_and_ends() {
        let mut null = Harness::new::<Null>(&[("mode", "stream".into()), ("num_capture", 3.into())]).unwrap();
        let image = null.image::<u8>(&[2, 3], &[0; 6]).unwrap();
        null.feed(&image).unwrap();
        assert_eq!((null.number_of("num_captured"), null.number_of("ignored")), (0.0, 1.0));
        null.set("capture", true).unwrap();
        (0..5).for_each(|_| drop(null.feed(&image).unwrap()));
        assert_eq!((null.number_of("num_captured"), null.number_of("ignored")), (3.0, 3.0));
        assert_eq!((null.get("capture"), null.number_of("bytes")), (Some(false.into()), 36.0));
        null.set("mode", "single").unwrap();
        assert!(null.set("capture", true).unwrap_err().to_string().contains("found single"));
        assert_eq!(null.get("capture"), Some(false.into()));
        assert!(null.set("read_file", true).is_err());
        null.set("path", "/no/such/folder").unwrap();
        assert_eq!(null.get("path"), Some("/no/such/folder/".into()));
        assert_eq!(null.get("file_path_exists"), Some(false.into()));
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Null>(&[]);
    }
}
