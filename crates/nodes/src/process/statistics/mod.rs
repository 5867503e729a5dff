//! `statistics`: extremes, sums, centroid, profiles and histogram of every frame (areaDetector's
//! NDPluginStats).
//!
//! In: arrays of any dtype. Out: the same frame, not copied; the results are readbacks. Output `values` gives the 23
//! numbers of each frame as an array of f64, for a `time_series` behind it: minimum with column and row, maximum with
//! column and row, mean, sigma, total, net, centroid (total, x, y, sigma x, y and xy, skew x and y, kurtosis x and y,
//! eccentricity, orientation) and the time of the event in s since 1990; a number that was not measured is NaN. A group
//! of results
//! is computed only when it is switched on. The pixels are read from memory once, for any choice of groups.
//!
//! Centroid and profiles are made of arrays of one or two dimensions. RGB pictures and stacks get basic statistics and
//! histogram over all their planes; positions are then columns and rows of the plane (areaDetector counts samples
//! there), and the background of `net` is the mean over the borders of all planes. Where areaDetector's result is known
//! to be wrong this node's is right, and `corners_twice`, `eccentricity_minus` and `axis_of_edges` bring the old
//! numbers back; see [`livetime_kernels::statistics`] for definitions.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::statistics::Statistics;
//!
//! let mut node = Harness::new::<Statistics>(&[("compute_centroid", true.into())])?;
//! let picture = node.image::<u16>(&[2, 3], &[0, 0, 0, 0, 3, 1])?;
//! node.feed(&picture)?;
//! assert_eq!((node.number_of("max_value"), node.number_of("max_x"), node.number_of("max_y")), (3.0, 1.0, 1.0));
//! assert_eq!((node.number_of("total"), node.number_of("centroid_x")), (4.0, 1.25));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
mod planes;
mod publish;
#[cfg(test)]
mod tests;
mod values;

pub use params::StatisticsParams;

use livetime_engine::{
    Acts, Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Record, Stream,
};
use livetime_frame::{ArrayRef, Element, Frame, with_dtype};
use livetime_kernels::Level;
use livetime_kernels::statistics::{Measure, Scratch, Wanted, statistics};

use crate::convert::refuse_compressed;
use crate::planes::Planes;
use planes::Joined;
use values::Found;

/// Makes statistics of every frame.
pub struct Statistics {
    params: StatisticsParams,
    scratch: Scratch,
    found: Found,
}

impl Statistics {
    fn measure<T: Measure + Element>(&mut self, array: &ArrayRef) -> Result<(), NodeError> {
        let planes = Planes::<T>::of(array)?;
        let is_plane = array.layout().dims().len() <= 2;
        let wanted = self.params.wanted(array.layout().dims().len());
        if is_plane { self.measure_plane(&planes, &wanted) } else { self.measure_planes(&planes, &wanted) }
    }

    fn measure_plane<T: Measure + Element>(
        &mut self,
        planes: &Planes<T>,
        wanted: &Wanted,
    ) -> Result<(), NodeError> {
        let found = statistics(Level::best(), planes.plane(0)?, wanted, &mut self.scratch);
        let p = &mut self.params;
        self.found = Found { basic: found.basic, centroid: found.centroid };
        found.basic.iter().for_each(|basic| p.publish_basic(basic));
        found.centroid.iter().for_each(|centroid| p.publish_centroid(centroid));
        found.cursor_value.iter().for_each(|value| p.publish_profiles(*value, &self.scratch));
        found.histogram.iter().for_each(|histogram| p.publish_histogram(histogram, &self.scratch, true));
        Ok(())
    }

    fn measure_planes<T: Measure + Element>(
        &mut self,
        planes: &Planes<T>,
        wanted: &Wanted,
    ) -> Result<(), NodeError> {
        let (mut joined, mut elements) = (Joined::default(), 0);
        let border = usize::try_from(self.params.bgd_width).unwrap_or(0);
        for (number, plane) in planes.iter().enumerate() {
            let plane = plane?;
            elements += plane.len();
            let found = statistics(Level::best(), plane, wanted, &mut self.scratch);
            if let Some(basic) = found.basic {
                joined.add(basic, plane, planes.samples_per_pixel, border);
            }
            if let Some(histogram) = found.histogram {
                self.params.publish_histogram(&histogram, &self.scratch, number == 0);
            }
        }
        self.found = Found { basic: joined.finish(), centroid: None };
        self.found.basic.iter().for_each(|basic| self.params.publish_basic(basic));
        if planes.len() > 1 && wanted.histogram.is_some() {
            self.params.publish_entropy(elements);
        }
        Ok(())
    }
}

impl Node for Statistics {
    type Params = StatisticsParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "statistics",
        kind: NodeKind::Process,
        summary: "Makes extremes, sums, centroid, profiles and histogram of every frame.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out"), PortSpec::array("values")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> = Some(
        Counterpart::new("NDPluginStats", "Stats")
            .with_series(&[
                "TSMinValue",
                "TSMinX",
                "TSMinY",
                "TSMaxValue",
                "TSMaxX",
                "TSMaxY",
                "TSMeanValue",
                "TSSigma",
                "TSTotal",
                "TSNet",
                "TSCentroidTotal",
                "TSCentroidX",
                "TSCentroidY",
                "TSSigmaX",
                "TSSigmaY",
                "TSSigmaXY",
                "TSSkewX",
                "TSSkewY",
                "TSKurtosisX",
                "TSKurtosisY",
                "TSEccentricity",
                "TSOrientation",
                "TSTimestamp",
            ])
            .with_records(&[
                Record::new("MaxSizeX", Acts::As("ProfileSizeX_RBV")),
                Record::new("MaxSizeY", Acts::As("ProfileSizeY_RBV")),
                Record::new("SetXHOPR", Acts::Joins),
                Record::new("SetYHOPR", Acts::Joins),
                Record::new("Reset1", Acts::Joins),
                Record::new("Reset2", Acts::Joins),
            ]),
    );

    fn new(params: StatisticsParams) -> Result<Statistics, NodeError> {
        Ok(Statistics { params, scratch: Scratch::default(), found: Found::default() })
    }

    fn params(&mut self) -> &mut StatisticsParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        inputs.first().and_then(Stream::layout).map_or(Ok(()), refuse_compressed)?;
        let out = inputs.first().cloned().unwrap_or(Stream::Unknown);
        Ok(vec![out, Stream::Array(values::layout()?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        refuse_compressed(array.layout())?;
        with_dtype!(array.layout().dtype(), T => self.measure::<T>(&array))?;
        ctx.forward(0, frame)?;
        self.found.send(frame, ctx)
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.name(index) == "reset" {
            self.params.reset();
        }
        Ok(())
    }
}
