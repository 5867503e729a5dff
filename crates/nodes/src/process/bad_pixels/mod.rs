//! `bad_pixels`: gives the bad pixels of a detector other values (areaDetector's NDPluginBadPixel).
//!
//! In: uncompressed arrays of any dtype, strides and colour mode. Out: the same arrays, packed, with other values where
//! the detector has bad pixels. Every plane of the last two dimensions and every colour is treated alike. Frames
//! without a change are sent on without a copy; the pixels of all others are copied once.
//!
//! The list of bad pixels is JSON, in a file or as text (`file_name`), in the form that areaDetector reads:
//!
//! ```json
//! {"Bad pixels": [
//!     {"Pixel": [200, 100], "Set": 0},
//!     {"Pixel": [200, 200], "Replace": [1, 0]},
//!     {"Pixel": [200, 300], "Median": [2, 2]},
//!     {"Pixel": [10, 20], "Size": [30, 40], "Set": 0}
//! ]}
//! ```
//!
//! | what | new value |
//! |---|---|
//! | `Set: v` | `v`, limited to the range of the dtype |
//! | `Replace: [dx, dy]` | the value of the pixel `dx` columns to the right and `dy` rows below, on the detector |
//! | `Median: [hx, hy]` | the median of the `(2 hx + 1)` x `(2 hy + 1)` pixels around it; of an even number of values the mean of the middle two |
//!
//! `Size: [w, h]`, which areaDetector does not have, makes the entry one of all pixels of a rectangle, whose first one is `Pixel`. A list
//! has at most 2^20 bad pixels.
//!
//! Coordinates `[x, y]` are coordinates of the whole detector, unbinned: the node finds the pixels in regions, in
//! binned and in reversed pictures. Distances count pixels of the picture. A value is never taken from another bad
//! pixel or from outside the picture; a pixel without any usable value keeps its own (`not_repaired`). NaN takes no
//! part in a median.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::bad_pixels::BadPixels;
//!
//! let list = r#"{"Bad pixels": [{"Pixel": [1, 0], "Median": [1, 0]}]}"#;
//! let mut node = Harness::new::<BadPixels>(&[("file_name", list.into())])?;
//! let picture = node.image::<u16>(&[1, 3], &[10, 65535, 20])?;
//! assert_eq!(node.feed(&picture)?[0].array()?.elements::<u16>()?, [10, 15, 20]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod list;
mod repair;
#[cfg(test)]
mod tests;

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{Frame, Layout, with_dtype};

use crate::convert::{packed_like, refuse_compressed};
use crate::packed::copy;
use list::BadPixel;
use repair::Repairs;

/// Parameters of `bad_pixels`.
#[derive(Params)]
pub struct BadPixelsParams {
    /// Path of the JSON file with the list of bad pixels, or the JSON text itself, which begins with a brace; empty for no bad
    /// pixels. Writing it reads the file again.
    #[param(pv = "FileName")]
    pub file_name: String,
    /// Bad pixels in the list.
    #[param(readback)]
    pub listed: u64,
    /// Bad pixels of the last picture that got another value.
    #[param(readback)]
    pub repaired: u64,
    /// Bad pixels of the last picture that kept theirs, because no good neighbour was found in the picture.
    #[param(readback)]
    pub not_repaired: u64,
}

/// Gives bad pixels other values.
pub struct BadPixels {
    params: BadPixelsParams,
    list: Vec<BadPixel>,
    /// The repairs that the list gives for pictures with the layout of the last one.
    repairs: Option<(Layout, Repairs)>,
    /// The elements of an array with gaps.
    gathered: Vec<u8>,
    /// Places of the values of a median.
    places: Vec<u32>,
}

impl BadPixels {
    fn read(&mut self) -> Result<(), NodeError> {
        let list = list::read(&self.params.file_name).map_err(|e| e.of_param("file_name"))?;
        self.params.listed = list.len() as u64;
        (self.list, self.repairs) = (list, None);
        Ok(())
    }

    /// Derives the repairs from the list for pictures of this layout. Consecutive pictures of one layout share the
    /// result.
    fn prepare(&mut self, layout: &Layout) -> Result<(), NodeError> {
        if self.repairs.as_ref().is_none_or(|(known, _)| known != layout) {
            self.repairs = None;
            let repairs = Repairs::of(&self.list, layout, &packed_like(layout, layout.dtype())?)?;
            self.repairs = Some((*layout, repairs));
        }
        Ok(())
    }
}

impl Node for BadPixels {
    type Params = BadPixelsParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "bad_pixels",
        kind: NodeKind::Process,
        summary: "Gives the bad pixels of a detector other values.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginBadPixel", "BadPix"));

    fn new(params: BadPixelsParams) -> Result<BadPixels, NodeError> {
        let (gathered, places) = (Vec::new(), Vec::new());
        Ok(BadPixels { params, list: Vec::new(), repairs: None, gathered, places })
    }

    fn params(&mut self) -> &mut BadPixelsParams {
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
        refuse_compressed(layout)?;
        Ok(vec![Stream::Array(packed_like(layout, layout.dtype())?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        refuse_compressed(array.layout())?;
        self.prepare(array.layout())?;
        let Some((_, repairs)) = self.repairs.as_ref().filter(|(_, repairs)| !repairs.is_empty()) else {
            (self.params.repaired, self.params.not_repaired) = (0, 0);
            return ctx.forward(0, frame);
        };
        let layout = packed_like(array.layout(), array.layout().dtype())?;
        let mut output = ctx.array(layout)?;
        copy(&array, &mut output, &mut self.gathered)?;
        let places = &mut self.places;
        let repaired = with_dtype!(layout.dtype(), T => repairs.apply(output.elements_mut::<T>()?, places));
        self.params.repaired = repaired;
        self.params.not_repaired = repairs.len() - repaired;
        output.inherit(frame);
        ctx.emit(output)
    }
}
