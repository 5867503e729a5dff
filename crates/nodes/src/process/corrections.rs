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
//! With `gain_bits` (`14:2=0,1,3`, or `jungfrau`) pixels are `u16` and tell their gain stage in these bits. Pedestals and gains have a first
//! With `gain_bits` (`14:2=0,1,3`, or `jungfrau`) pixels are `u16` and have their gain stage in these bits. Pedestals
//! and gains then have a first axis of the stages; pixels with the code of no stage become 0; common modes are computed
//! from the pixels in stage 0.
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
use livetime_kernels::calibrate::{self, CommonMode, GainBits, Scratch, Staged, calibrate_staged};
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
    /// Where the gain stage is in pixels of 16 bits: `14:2` (the first bit, and how many), `14:2=0,1,3` (with the codes of stages 0, 1 and
    /// 2) or `jungfrau`, which is the same; the files have a first axis of the stages then. Empty if there is one stage.
    pub gain_bits: String,
    /// File in which bad pixels are 0; empty if all are good.
    #[param(pv = "MaskFile")]
    pub mask: String,
    /// Common modes with blanks between them, in their order: `row`, `column`, `panel`, `bank=8`, `bank-row=8`, with limits as
    /// `row,most=50,least=10`; empty for none.
    pub common_mode: String,
    /// Pixels that the mask says are bad.
    #[param(readback)]
    pub bad_pixels: u64,
    /// Good pixels of all frames whose gain code is that of no stage.
    #[param(readback, count)]
    pub unknown_gain_codes: u64,
}

/// Corrects the pictures of a detector.
pub struct Corrections {
    params: CorrectionsParams,
    pedestal: Vec<f32>,
    gain: Vec<f32>,
    /// 1 for a good pixel, 0 for a bad one.
    good: Vec<f32>,
    modes: Vec<CommonMode>,
    bits: Option<GainBits>,
    scratch: Scratch,
    gathered: Vec<u8>,
}

impl Corrections {
    fn read(&mut self) -> Result<(), NodeError> {
        let params = &self.params;
        let bits = Some(params.gain_bits.trim()).filter(|text| !text.is_empty()).map(str::parse::<GainBits>);
        let bits = bits.transpose().map_err(|why| NodeError::new(why).of_param("gain_bits"))?;
        let stages = bits.as_ref().map(GainBits::stages);
        let pedestal = read(&params.pedestal, stages).map_err(|e| e.of_param("pedestal"))?;
        let gain = read(&params.gain, stages).map_err(|e| e.of_param("gain"))?;
        // A mask is the same for all gain stages.
        let mask = read(&params.mask, None).map_err(|e| e.of_param("mask"))?;
        let modes =
            params.common_mode.split_whitespace().map(str::parse::<CommonMode>).collect::<Result<_, _>>();
        let modes = modes.map_err(|why| NodeError::new(why).of_param("common_mode"))?;
        // The kernel multiplies, so good pixels are 1.
        let good: Vec<f32> = mask.iter().map(|value| f32::from(u8::from(*value != 0.0))).collect();
        self.params.bad_pixels = good.iter().filter(|good| **good == 0.0).count() as u64;
        // All values are set at once: an error in one file leaves the earlier constants together.
        (self.pedestal, self.gain, self.good, self.modes, self.bits) = (pedestal, gain, good, modes, bits);
        Ok(())
    }

    fn output(&self, layout: &Layout) -> Result<Layout, NodeError> {
        refuse_compressed(layout)?;
        // Gain bits are the upper bits of 16-bit words of these detectors.
        if self.bits.is_some() && layout.dtype() != DType::U16 {
            return Err(NodeError::new(format_args!(
                "wanted u16 pixels, whose gain bits are known, found {layout}"
            )));
        }
        // Constants are given for each pixel, not for each of its colours.
        if layout.color() != ColorMode::Mono {
            return Err(NodeError::new(format_args!("wanted mono pictures, found {layout}")));
        }
        packed_like(layout, DType::F32)
    }
}

/// The values of a file, which has a first axis of gain stages if `stages` is given; empty for an empty name.
fn read(path: &str, stages: Option<usize>) -> Result<Vec<f32>, NodeError> {
    if path.is_empty() {
        return Ok(Vec::new());
    }
    let constants = Constants::read(Path::new(path)).map_err(NodeError::new)?;
    // The number of gain stages is checked when the file is read: a run with wrong constants would only be seen in its
    // results.
    let checked = stages.map_or(Ok(()), |stages| constants.check_stages(stages));
    checked.map_err(|e| NodeError::new(e.in_file(path)))?;
    Ok(constants.values)
}

/// The constants for some pixels with these gain bits.
fn staged<'a>(
    bits: &'a GainBits,
    pixels: usize,
    [pedestal, gain, good]: [&'a [f32]; 3],
) -> Result<Staged<'a>, NodeError> {
    let (stages, wanted) = (bits.stages(), bits.stages() * pixels);
    for (name, list) in [("pedestal", pedestal), ("gain", gain)] {
        // Without a file the stage has no constant, which the kernel takes as 0 or 1.
        if !list.is_empty() && list.len() != wanted {
            return Err(NodeError::new(format_args!(
                "wanted {wanted} values of `{name}`, one for each of {stages} gain stages of {pixels} pixels, found {}",
                list.len()
            )));
        }
    }
    Ok(Staged { bits, pedestal, gain, stride: pixels, good })
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
            bits: None,
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
        Ok(vec![Stream::Array(self.output(layout)?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let from = *array.layout();
        let mut output = ctx.array(self.output(&from)?)?;
        // An array of one dimension is one row.
        let size = (from.height().max(1), from.width());
        let bytes = packed(&array, &mut self.gathered);
        let out = output.elements_mut::<f32>()?;
        let done = match &self.bits {
            Some(bits) => {
                let constants = staged(bits, out.len(), [&self.pedestal, &self.gain, &self.good])?;
                calibrate_staged(Level::best(), bytes, size, &constants, &self.modes, &mut self.scratch, out)
            }
            None => {
                let constants =
                    calibrate::Constants { pedestal: &self.pedestal, gain: &self.gain, good: &self.good };
                with_dtype!(from.dtype(), T => calibrate::calibrate::<T>(
                    Level::best(), bytes, size, &constants, &self.modes, &mut self.scratch, out,
                ))
                // Pixels without gain bits have no unknown codes.
                .map(|()| 0)
            }
        };
        let unknown = done
            .map_err(|e| NodeError::new(format_args!("wanted constants for {from}, found that the {e}")))?;
        // The count grows only when the whole frame was corrected.
        self.params.unknown_gain_codes += unknown;
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
    fn pixels_are_corrected_by_their_gain_stage() {
        let folder = tempfile::tempdir().unwrap();
        let parameters = [
            ("pedestal", file(&folder, "pedestal", "10 10 10 10\n20 20 20 20\n40 40 40 40\n")),
            ("gain", file(&folder, "gain", "1 1 1 1\n-2 -2 -2 -2\n3 3 3 3\n")),
            ("gain_bits", "jungfrau".into()),
        ];
        let mut node = Harness::new::<Corrections>(&parameters).unwrap();
        let words = [13, 1 << 14 | 25, 2 << 14 | 99, 3 << 14 | 47];
        let picture = node.image::<u16>(&[2, 2], &words).unwrap();
        for frames in 1..=2 {
            let out = node.feed(&picture).unwrap();
            assert_eq!(out[0].array().unwrap().elements::<f32>().unwrap(), [3.0, -10.0, 0.0, 21.0]);
            assert_eq!(node.number_of("unknown_gain_codes"), f64::from(frames));
        }
        let other = node.image::<i32>(&[2, 2], &[1; 4]).unwrap();
        let error = node.feed(&other).unwrap_err().to_string();
        assert!(error.contains("wanted u16 pixels"), "{error}");
    }

    #[test]
    fn constants_of_other_gain_stages_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let bits = |bits: &str| ("gain_bits", Value::from(bits));
        for (name, text, wanted) in [
            ("pedestal", "1 2\n3 4\n", "a first axis of 3 gain stages"),
            ("gain", "1 2\n3 4\n5 inf\n", "found inf at pixel 1 of stage 2"),
        ] {
            let made = Harness::new::<Corrections>(&[bits("jungfrau"), (name, file(&folder, name, text))]);
            let error = made.err().unwrap().to_string();
            assert!(error.contains(wanted) && error.contains(name), "{error}");
        }
        assert!(Harness::new::<Corrections>(&[bits("15:2")]).is_err());
        let large = file(&folder, "large", "1 2 3\n4 5 6\n");
        let mut node = Harness::new::<Corrections>(&[bits("14:1"), ("pedestal", large)]).unwrap();
        let picture = node.image::<u16>(&[1, 2], &[1, 2]).unwrap();
        let error = node.feed(&picture).unwrap_err().to_string();
        assert!(
            error.contains(
                "wanted 4 values of `pedestal`, one for each of 2 gain stages of 2 pixels, found 6"
            ),
            "{error}"
        );
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
