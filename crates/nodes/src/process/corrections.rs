//! `corrections`: pedestal, bad pixels, common mode and gain of a detector, with constants from files.
//!
//! In: uncompressed mono arrays of any dtype and shape. Out: the same shape as `f32`: `(v - pedestal - common mode) * gain`, and 0 where
//! the mask is 0. Each picture of the last two dimensions has common modes of its own.
//!
//! Constants are arrays of NumPy (`.npy`) or psana's text files, with an element for each pixel of a frame. A common mode is the median of
//! the good pixels of each `row`, `column`, `panel`, `bank=8` (8 banks side by side) or `bank-row=8`; limits follow it
//! (`row,most=50,least=10`, psana's `cormax` and `npix_min`). Several, with blanks between them, are subtracted one after the other. The
//! same steps come before reducers with `livetime analyze --pedestal …`.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::corrections::Corrections;
//!
//! let folder = tempfile::tempdir()?;
//! let pedestal = folder.path().join("pedestal.txt");
//! std::fs::write(&pedestal, "10 10 20\n")?;
//! let parameters = [("pedestal", pedestal.to_str().unwrap_or_default().into()), ("common_mode", "row".into())];
//! let mut node = Harness::new::<Corrections>(&parameters)?;
//! let picture = node.image::<u16>(&[1, 3], &[11, 12, 29])?;
//! assert_eq!(node.feed(&picture)?[0].array()?.elements::<f32>()?, [-1.0, 0.0, 7.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::Path;

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{ColorMode, DType, Frame, Layout, with_dtype};
use livetime_kernels::Level;
use livetime_kernels::calibrate::{self, CommonMode, Scratch};
use livetime_recording::Constants;

use crate::convert::{packed_like, refuse_compressed};
use crate::packed::packed;

/// Parameters of `corrections`.
#[derive(Params)]
pub struct CorrectionsParams {
    /// File of what is subtracted from each pixel; empty for nothing. Writing it reads the file again.
    #[param(pv = "PedestalFile")]
    pub pedestal: String,
    /// File of what each pixel is multiplied by, behind pedestal and common mode; empty for 1.
    #[param(pv = "GainFile")]
    pub gain: String,
    /// File in which bad pixels are 0; empty if all are good.
    #[param(pv = "MaskFile")]
    pub mask: String,
    /// Common modes with blanks between them, in their order: `row`, `column`, `panel`, `bank=8`, `bank-row=8`, with limits as
    /// `row,most=50,least=10`; empty for none.
    pub common_mode: String,
    /// Pixels that the mask says are bad.
    #[param(readback)]
    pub bad_pixels: u64,
}

/// Corrects the pictures of a detector.
pub struct Corrections {
    params: CorrectionsParams,
    pedestal: Vec<f32>,
    gain: Vec<f32>,
    /// 1 for a good pixel, 0 for a bad one.
    good: Vec<f32>,
    modes: Vec<CommonMode>,
    scratch: Scratch,
    gathered: Vec<u8>,
}

impl Corrections {
    fn read(&mut self) -> Result<(), NodeError> {
        let params = &self.params;
        let pedestal = read(&params.pedestal).map_err(|e| e.of_param("pedestal"))?;
        let gain = read(&params.gain).map_err(|e| e.of_param("gain"))?;
        let mask = read(&params.mask).map_err(|e| e.of_param("mask"))?;
        let modes = params.common_mode.split_whitespace().map(str::parse).collect::<Result<_, String>>();
        let modes = modes.map_err(|why| NodeError::new(why).of_param("common_mode"))?;
        let good: Vec<f32> = mask.iter().map(|value| f32::from(u8::from(*value != 0.0))).collect();
        self.params.bad_pixels = good.iter().filter(|good| **good == 0.0).count() as u64;
        (self.pedestal, self.gain, self.good, self.modes) = (pedestal, gain, good, modes);
        Ok(())
    }

    fn output(layout: &Layout) -> Result<Layout, NodeError> {
        refuse_compressed(layout)?;
        if layout.color() != ColorMode::Mono {
            return Err(NodeError::new(format_args!("wanted mono pictures, found {layout}")));
        }
        packed_like(layout, DType::F32)
    }
}

/// The values of a file; none of an empty name.
fn read(path: &str) -> Result<Vec<f32>, NodeError> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    Constants::read(Path::new(path)).map(|constants| constants.values).map_err(NodeError::new)
}

impl Node for Corrections {
    type Params = CorrectionsParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "corrections",
        kind: NodeKind::Process,
        summary: "Subtracts pedestals and common modes, blanks bad pixels, applies gains.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    fn new(params: CorrectionsParams) -> Result<Corrections, NodeError> {
        Ok(Corrections {
            params,
            pedestal: Vec::new(),
            gain: Vec::new(),
            good: Vec::new(),
            modes: Vec::new(),
            scratch: Scratch::default(),
            gathered: Vec::new(),
        })
    }

    fn params(&mut self) -> &mut CorrectionsParams {
        &mut self.params
    }

    fn start(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.read()
    }

    fn changed(&mut self, _index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        self.read()
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        Ok(vec![Stream::Array(Corrections::output(layout)?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let from = *array.layout();
        let mut output = ctx.array(Corrections::output(&from)?)?;
        let constants = calibrate::Constants { pedestal: &self.pedestal, gain: &self.gain, good: &self.good };
        let size = (from.height().max(1), from.width());
        let bytes = packed(&array, &mut self.gathered);
        let out = output.elements_mut::<f32>()?;
        let done = with_dtype!(from.dtype(), T => calibrate::calibrate::<T>(
            Level::best(), bytes, size, &constants, &self.modes, &mut self.scratch, out,
        ));
        done.map_err(|e| NodeError::new(format_args!("wanted constants for {from}, found that the {e}")))?;
        output.inherit(frame);
        ctx.emit(output)
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> Value {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().into()
    }

    #[test]
    fn is_compliant() {
        assert_compliant::<Corrections>(&[]);
    }

    #[test]
    fn values_by_hand_and_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let parameters = [
            ("pedestal", file(&folder, "pedestal", "10 10\n10 10\n")),
            ("gain", file(&folder, "gain", "2 2\n2 2\n")),
            ("mask", file(&folder, "mask", "1 1\n1 0\n")),
            ("common_mode", "column,least=1".into()),
        ];
        let mut node = Harness::new::<Corrections>(&parameters).unwrap();
        let picture = node.image::<u16>(&[2, 2], &[11, 12, 15, 65535]).unwrap();
        let out = node.feed(&picture).unwrap();
        assert_eq!(out[0].array().unwrap().elements::<f32>().unwrap(), [-4.0, 0.0, 4.0, 0.0]);
        node.set("common_mode", "").unwrap();
        let out = node.feed(&picture).unwrap();
        assert_eq!(out[0].array().unwrap().elements::<f32>().unwrap(), [2.0, 4.0, 10.0, 0.0]);
        assert_eq!(node.number_of("bad_pixels"), 1.0);
    }

    #[test]
    fn constants_of_another_size_and_files_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut node = Harness::new::<Corrections>(&[("gain", file(&folder, "gain", "1 2 3"))]).unwrap();
        let picture = node.image::<u8>(&[1, 2], &[1, 2]).unwrap();
        let error = node.feed(&picture).unwrap_err().to_string();
        assert!(error.contains("gain has 3 elements instead of 2"), "{error}");
        assert!(Harness::new::<Corrections>(&[("mask", file(&folder, "mask", "1 x"))]).is_err());
        assert!(Harness::new::<Corrections>(&[("common_mode", "rows".into())]).is_err());
    }
}
