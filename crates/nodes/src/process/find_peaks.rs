//! `find_peaks`: spots of light in pictures as tables.
//!
//! In: uncompressed mono arrays of any dtype and shape. Out: for each of them a table under its header, with a row for
//! each peak; the table is empty where there is none. Each picture of the last two dimensions is searched alone. The
//! method, the text that defines a peak, and the peaks are the same as of `livetime analyze --with peaks --peaks …`
//! ([`Peaks`]).
//!
//! Columns: `frame` (sequence number of the frame), `time_ns` (when its event happened), `segment` (which picture of
//! the array), `row` and `column` of the top, `pixels`, all `u64`; `row_mean` and `column_mean` (centre of the signal
//! above the background), `max` and `sum` (both above the background), `background` and `noise`, all `f64`. Peaks
//! beyond 4096 in a frame are counted (`left_out`) and not sent.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::find_peaks::FindPeaks;
//!
//! let mut node = Harness::new::<FindPeaks>(&[("peaks", "high=5,rank=1".into())])?;
//! let picture = node.image::<u16>(&[3, 3], &[0, 0, 0, 0, 9, 6, 0, 0, 0])?;
//! let table = node.feed(&picture)?.remove(0);
//! assert_eq!(table.table()?.column::<u64>(4)?, [1]); // `column`
//! assert_eq!(table.table()?.column::<u64>(5)?, [2]); // `pixels`
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_frame::{ColorMode, DType, Frame, Schema, TableLayout, with_dtype};
use livetime_kernels::peaks::{MOST_PEAKS, Peak, Peaks, values};

use crate::convert::refuse_compressed;
use crate::packed::packed;

const WHOLE: [&str; 6] = ["frame", "time_ns", "segment", "row", "column", "pixels"];
const FLOATS: [&str; 6] = ["row_mean", "column_mean", "max", "sum", "background", "noise"];

/// Parameters of `find_peaks`.
#[derive(Params)]
pub struct FindPeaksParams {
    /// What a peak is: `high=50`, or `low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5`, in the units of the pixels.
    #[param(default = "high=50")]
    pub peaks: String,
    /// Peaks of the last frame.
    #[param(readback)]
    pub found: u64,
    /// Peaks of all frames.
    #[param(readback)]
    pub total_peaks: u64,
    /// Peaks that were not sent, because their frame had too many.
    #[param(readback)]
    pub left_out: u64,
}

/// Finds spots of light.
pub struct FindPeaks {
    params: FindPeaksParams,
    wanted: Peaks,
    schema: Schema,
    gathered: Vec<u8>,
    /// Of the frame: which picture, and the peak.
    peaks: Vec<(usize, Peak)>,
}

fn parse(text: &str) -> Result<Peaks, NodeError> {
    text.parse::<Peaks>().map_err(|why| NodeError::new(why).of_param("peaks"))
}

impl Node for FindPeaks {
    type Params = FindPeaksParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "find_peaks",
        "Finds spots of light above their surroundings, and sends a table of them for each frame.",
        &[PortSpec::array("in")],
        &[PortSpec::table("peaks")],
    );

    fn new(params: FindPeaksParams) -> Result<FindPeaks, NodeError> {
        let wanted = parse(&params.peaks)?;
        let columns = WHOLE.map(|name| (name, DType::U64)).into_iter();
        let schema = Schema::new(columns.chain(FLOATS.map(|name| (name, DType::F64))));
        Ok(FindPeaks { params, wanted, schema, gathered: Vec::new(), peaks: Vec::new() })
    }

    fn params(&mut self) -> &mut FindPeaksParams {
        &mut self.params
    }

    fn changed(&mut self, _index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        self.wanted = parse(&self.params.peaks)?;
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.find(frame)?;
        let header = frame.header();
        let layout = TableLayout::new(self.schema.clone(), self.peaks.len());
        let layout = layout.ok_or_else(|| NodeError::new("wanted a table that fits in memory"))?;
        let mut table = ctx.table(&layout)?;
        let whole = |(segment, peak): &(usize, Peak)| {
            let time_ns = u64::try_from(header.event_time_ns).unwrap_or(0);
            let [segment, row, column, pixels] =
                [*segment, peak.row, peak.column, peak.pixels].map(|n| n as u64);
            [header.sequence, time_ns, segment, row, column, pixels]
        };
        for at in 0..WHOLE.len() {
            let cells = table.column_mut::<u64>(at)?.iter_mut().zip(&self.peaks);
            cells.for_each(|(cell, peak)| *cell = whole(peak)[at]);
        }
        for at in 0..FLOATS.len() {
            let cells = table.column_mut::<f64>(WHOLE.len() + at)?.iter_mut().zip(&self.peaks);
            cells.for_each(|(cell, (_, peak))| *cell = peak.numbers()[at]);
        }
        table.inherit(frame);
        ctx.emit(table)
    }
}

impl FindPeaks {
    /// The peaks of a frame, and how many there are.
    fn find(&mut self, frame: &Frame) -> Result<(), NodeError> {
        let array = frame.array()?;
        let layout = *array.layout();
        refuse_compressed(&layout)?;
        if layout.color() != ColorMode::Mono {
            return Err(NodeError::new(format_args!("wanted mono pictures, found {layout}")));
        }
        let bytes = packed(&array, &mut self.gathered);
        let values = with_dtype!(layout.dtype(), T => values::<T>(bytes));
        let (peaks, shape) = (&mut self.peaks, layout.shape().collect::<Vec<_>>());
        peaks.clear();
        let mut count = 0;
        self.wanted.find_all(&values, &shape, &mut |segment, peak| {
            count += 1;
            peaks.extend((count <= MOST_PEAKS as u64).then_some((segment, peak)));
        });
        let params = &mut self.params;
        params.found = count;
        params.total_peaks += count;
        params.left_out += count - peaks.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    #[test]
    fn is_compliant() {
        assert_compliant::<FindPeaks>(&[]);
    }

    /// A peak in each of two pictures, and after a change of the setting only the higher one.
    #[test]
    fn peaks_by_hand_and_a_change() {
        let mut node = Harness::new::<FindPeaks>(&[("peaks", "high=10,rank=1".into())]).unwrap();
        let mut pixels = vec![1u16; 2 * 5 * 6];
        (pixels[2 * 6 + 3], pixels[30 + 6 + 1], pixels[30 + 6 + 2]) = (21, 41, 11);
        let picture = node.image::<u16>(&[2, 5, 6], &pixels).unwrap();
        let table = node.feed(&picture).unwrap().remove(0);
        assert_eq!(table.header().sequence, picture.header().sequence);
        let table = table.table().unwrap();
        let whole = |at| table.column::<u64>(at).unwrap();
        assert_eq!([whole(2), whole(3), whole(4), whole(5)], [[0, 1], [2, 1], [3, 1], [1, 2]]);
        let max = table.column::<f64>(8).unwrap();
        assert_eq!(max, [20.0, 40.0]);
        node.set("peaks", "high=30,rank=1").unwrap();
        let table = node.feed(&picture).unwrap().remove(0);
        assert_eq!(table.table().unwrap().column::<u64>(2).unwrap(), [1]);
        assert_eq!(["found", "total_peaks", "left_out"].map(|name| node.number_of(name)), [1.0, 3.0, 0.0]);
    }

    #[test]
    fn too_many_are_counted_and_none_is_a_table_without_rows() {
        let mut node = Harness::new::<FindPeaks>(&[("peaks", "high=5,rank=1".into())]).unwrap();
        let pixels: Vec<u8> =
            (0..200 * 200).map(|at| if at % 2 == 0 && at / 200 % 2 == 0 { 9 } else { 0 }).collect();
        let picture = node.image::<u8>(&[200, 200], &pixels).unwrap();
        let table = node.feed(&picture).unwrap().remove(0);
        assert_eq!(table.table().unwrap().layout().rows(), MOST_PEAKS);
        assert_eq!(node.number_of("left_out"), 10_000.0 - MOST_PEAKS as f64);
        let dark = node.image::<u8>(&[3, 3], &[0; 9]).unwrap();
        assert_eq!(node.feed(&dark).unwrap()[0].table().unwrap().layout().rows(), 0);
    }

    #[test]
    fn wrong_settings_are_refused() {
        let error = Harness::new::<FindPeaks>(&[("peaks", "low=3".into())]).err().unwrap().to_string();
        assert!(error.contains("wanted peaks as high=50"), "{error}");
    }
}
