//! `roi_statistics`: minimum, maximum, mean, total and net of up to eight regions of every frame, and these over time
//! (areaDetector's NDPluginROIStat).
//!
//! In: mono arrays of one or two dimensions, any dtype. Out: the same frame, not copied; the results are readbacks.
//! Regions may overlap; each is read in the frame's memory, so this is cheaper than a `roi` with a `statistics` behind
//! it.
//!
//! `net` is the total less the mean of the region's border (`bgd_width` pixels, each once) times its number of pixels.
//! A region that reaches beyond the frame is cut for this frame: the readbacks have the region in use, and the
//! requested region acts again when frames are larger. The time series take a point for each frame while they are
//! switched on (`ts_control`), for all regions in use, and stop when they are full.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::roi_statistics::RoiStatistics;
//!
//! let mut node = Harness::new::<RoiStatistics>(&[
//!     ("region2_enable", true.into()),
//!     ("region2_min_x", 1.into()),
//!     ("region2_size_x", 2.into()),
//!     ("region2_size_y", 2.into()),
//! ])?;
//! let picture = node.image::<u8>(&[2, 3], &[9, 1, 2, 9, 3, 4])?;
//! node.feed(&picture)?;
//! assert_eq!((node.number_of("region2_total"), node.number_of("region2_max_value")), (10.0, 4.0));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
#[cfg(test)]
mod tests;

pub use params::{Control, REGIONS, Region, RoiStatisticsParams};

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{ArrayRef, Element, Frame, Layout, with_dtype};
use livetime_kernels::Level;
use livetime_kernels::statistics::{Basic, Measure, Scratch, Wanted, statistics};

use crate::attribute;
use crate::convert::refuse_compressed;
use crate::planes::Planes;
use crate::series::{Pace, Series, copy};

/// Rows of the series of a region: five results and the time.
const EACH: usize = 6;

/// Makes statistics of regions.
pub struct RoiStatistics {
    params: RoiStatisticsParams,
    scratch: Scratch,
    series: Series,
    pace: Pace,
}

impl RoiStatistics {
    fn measure<T: Measure + Element>(&mut self, array: &ArrayRef) -> Result<(), NodeError> {
        let elements = array.elements::<T>()?;
        for region in self.params.regions.iter_mut().filter(|region| region.enable) {
            let found = look_at::<T>(region, array.layout(), elements, &mut self.scratch)?;
            region.publish(&found);
        }
        Ok(())
    }

    fn add_point(&mut self, time_s: f64, ctx: &mut Context) {
        for (number, region) in self.params.regions.iter().enumerate().filter(|(_, region)| region.enable) {
            for (row, value) in region.results().into_iter().chain([time_s]).enumerate() {
                self.series.set(EACH * number + row, value);
            }
        }
        self.series.advance();
        self.params.ts_current_point = self.series.next();
        if self.series.is_full() {
            // A full series stops like areaDetector's, so that its points stay until they are read.
            self.params.ts_acquiring = false;
            self.show();
        } else {
            self.pace.news(ctx, self.params.read_period);
        }
    }

    /// Shows the series so far.
    fn show(&mut self) {
        self.pace.taken();
        for (number, region) in self.params.regions.iter_mut().enumerate().filter(|(_, region)| region.enable)
        {
            for (row, list) in region.lists().into_iter().enumerate() {
                copy(list, &[self.series.filled(EACH * number + row)]);
            }
        }
    }

    fn erase(&mut self) {
        let wanted = (EACH * REGIONS, self.params.ts_num_points);
        // Memory of the right size is kept: the series may be large.
        if self.series.size() == wanted {
            self.series.clear()
        } else {
            self.series.resize(wanted.0, wanted.1)
        }
        self.params.ts_current_point = 0;
    }

    fn control(&mut self) {
        match self.params.ts_control {
            Control::EraseStart => {
                self.erase();
                self.params.ts_acquiring = true;
            }
            Control::Start => {
                // A changed length is applied here, because a series cannot grow while it is filled.
                if self.series.size().1 != self.params.ts_num_points {
                    self.erase();
                }
                // A series that is full already must not be started: it has no place for a point.
                self.params.ts_acquiring = !self.series.is_full();
            }
            Control::Stop => {
                self.params.ts_acquiring = false;
                self.show();
            }
            Control::Read => self.show(),
            Control::Erase => {
                self.erase();
                self.show();
            }
        }
    }
}

/// The statistics of a region of a frame.
fn look_at<T: Measure + Element>(
    region: &mut Region,
    layout: &Layout,
    elements: &[T],
    scratch: &mut Scratch,
) -> Result<Basic, NodeError> {
    // An array without elements has no extremes; zeros are areaDetector's values then.
    if layout.is_empty() {
        return Ok(Basic::default());
    }
    let axes = layout.axes();
    // An array of one dimension has no height, but its region has one row.
    let ((x, size_x), (y, size_y)) = region.place(layout.width(), layout.height().max(1), axes.y.is_none());
    let (mut part, mut start) = (*layout, 0);
    for (axis, first, size) in [(axes.x, x, size_x), (axes.y, y, size_y)] {
        // The axis that an array of one dimension lacks is not cut.
        let Some(axis) = axis else { continue };
        let (cut, bytes) = part.crop(axis, first, size)?;
        (part, start) = (cut, start + bytes / size_of::<T>());
    }
    let planes = Planes::over(&part, elements.get(start..).unwrap_or(&[]))?;
    let wanted = Wanted {
        basic: true,
        background_width: usize::try_from(region.bgd_width).unwrap_or(0),
        is_line: axes.y.is_none(),
        ..Wanted::default()
    };
    Ok(statistics(Level::best(), planes.plane(0)?, &wanted, scratch).basic.unwrap_or_default())
}

fn check(layout: &Layout) -> Result<(), NodeError> {
    refuse_compressed(layout)?;
    if layout.dims().len() <= 2 {
        return Ok(());
    }
    Err(NodeError::new(format!(
        "wanted an array of one or two dimensions, found {:?} ({})",
        layout.shape().collect::<Vec<_>>(),
        layout.color()
    )))
}

impl Node for RoiStatistics {
    type Params = RoiStatisticsParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "roi_statistics",
        "Makes extremes and sums of up to eight regions of every frame, and keeps them over time.",
        &[PortSpec::array("in")],
        &[PortSpec::array("out")],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginROIStat", "ROIStat"));

    fn new(params: RoiStatisticsParams) -> Result<RoiStatistics, NodeError> {
        let (scratch, series, pace) = (Scratch::default(), Series::default(), Pace::default());
        let mut node = RoiStatistics { params, scratch, series, pace };
        node.control();
        Ok(node)
    }

    fn params(&mut self) -> &mut RoiStatisticsParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        inputs.first().and_then(Stream::layout).map_or(Ok(()), check)?;
        Ok(inputs.to_vec())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        check(array.layout())?;
        with_dtype!(array.layout().dtype(), T => self.measure::<T>(&array))?;
        if self.params.ts_acquiring {
            self.add_point(attribute::time_s(frame.header()), ctx);
        }
        ctx.forward(0, frame)
    }

    fn timer(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.show();
        Ok(())
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.name(index);
        match name {
            "reset_all" => {
                self.params.reset_all = false;
                self.params.regions.iter_mut().for_each(Region::reset);
            }
            "ts_control" => self.control(),
            "ts_read" => self.show(),
            "ts_num_points" if self.series.size().1 != self.params.ts_num_points => self.erase(),
            // The region is found by its flag, which spares taking the number out of the name.
            _ if name.ends_with("_reset") => {
                self.params.regions.iter_mut().filter(|region| region.reset).for_each(Region::reset);
            }
            _ => {
                let regions = self.params.regions.iter_mut().zip(1..);
                let leaf = |number: i32| name.strip_prefix(&format!("region{number}_"));
                let changed = regions.filter_map(|(region, number)| Some((region, leaf(number)?)));
                changed.for_each(|(region, leaf)| region.show_wish(leaf));
            }
        }
        Ok(())
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.show();
        Ok(())
    }
}
