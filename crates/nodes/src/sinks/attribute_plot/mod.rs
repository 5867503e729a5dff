//! `attribute_plot`: the attributes of the latest frames, to be plotted against each other (areaDetector's NDAttrPlot).
//!
//! In: frames of any kind. The node keeps the numbers of up to 16 attributes of the latest `points` frames, and shows
//! five of them: one for a horizontal axis, four for curves. Axis and curves are chosen by the number of the attribute
//! in the list of names, which is in alphabetical order; -1 is the number of the frame, -2 nothing.
//!
//! The first frame defines the attributes. A frame whose number is not above the one before begins anew, and so does
//! `reset`; choices are kept by name.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_frame::AttributeValue;
//! use livetime_nodes::sinks::attribute_plot::AttributePlot;
//!
//! let mut node = Harness::new::<AttributePlot>(&[("y1_select", 0.into())])?;
//! let energy = "Energy".into();
//! for value in [1.5, 2.5] {
//!     let frame = node.bytes_with(&[0], |h| h.attributes.set(&energy, AttributeValue::Float(value)))?;
//!     node.feed(&frame)?;
//! }
//! node.drain()?;
//! assert_eq!(node.get("y1_label"), Some("Energy".into()));
//! assert_eq!(node.get("y1_data"), Some(livetime_engine::Value::List(vec![1.5, 2.5])));
//! assert_eq!(node.get("x1_data"), Some(livetime_engine::Value::List(vec![0.0, 1.0])));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
#[cfg(test)]
mod tests;

pub use params::{ATTRIBUTES, AlongX, AlongY, AttributePlotParams, CURVES, Name};

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_frame::{AttributeValue, Frame, Header};

use crate::attribute;
use crate::series::{Pace, Series, copy};

/// Keeps attributes of the latest frames.
pub struct AttributePlot {
    params: AttributePlotParams,
    /// The number of the frame, then the attributes.
    series: Series,
    has_wrapped: bool,
    pace: Pace,
    last: Option<u64>,
}

impl AttributePlot {
    fn begin(&mut self, header: &Header) {
        // Texts cannot be plotted.
        let numbers = header.attributes.iter().filter(|a| !matches!(a.value, AttributeValue::Text(_)));
        let mut names: Vec<&str> = numbers.map(|a| &*a.name).take(ATTRIBUTES).collect();
        // The order of names is areaDetector's, so that a number chosen once means the same attribute in
        // every run.
        names.sort_unstable();
        let chosen: Vec<String> = self.params.blocks().map(|block| block.label.clone()).collect();
        for (number, attribute) in self.params.attributes.iter_mut().enumerate() {
            attribute.name = names.get(number).copied().unwrap_or("").to_owned();
        }
        // A curve keeps its attribute, although its number may have changed with the set of attributes.
        for (block, label) in self.params.blocks().zip(chosen) {
            if let Some(number) = names.iter().position(|name| *name == label) {
                *block.select = number as i64;
            }
        }
        // One more row is for the number of the frame.
        self.series.resize(ATTRIBUTES + 1, self.params.points);
        self.has_wrapped = false;
    }

    fn add(&mut self, header: &Header) {
        // A full series drops its oldest point: the latest frames are of interest.
        if self.series.is_full() {
            self.series.wrap();
            self.has_wrapped = true;
        }
        self.series.set(0, header.sequence as f64);
        for (row, attribute) in self.params.attributes.iter().enumerate() {
            // NaN leaves a gap in the curve; a missing attribute has no value.
            self.series.set(row + 1, attribute::number(header, &attribute.name).unwrap_or(f64::NAN));
        }
        self.series.advance();
        self.params.kept = if self.has_wrapped { self.params.points } else { self.series.next() };
    }

    fn forget(&mut self) {
        (self.last, self.params.reset, self.params.kept) = (None, false, 0);
        // No latest number makes the next frame begin again, with the attributes that it has.
        self.series.resize(0, 0);
        self.has_wrapped = false;
        self.show();
    }

    fn show(&mut self) {
        self.pace.taken();
        let names: [String; ATTRIBUTES] = std::array::from_fn(|i| self.params.attributes[i].name.clone());
        for block in self.params.blocks() {
            let name = usize::try_from(*block.select).ok().and_then(|number| names.get(number));
            let (label, row) = match name {
                Some(name) if !name.is_empty() => (&**name, Some(*block.select as usize + 1)),
                // -1 is areaDetector's number for the frame's own.
                None if *block.select == -1 => ("UID", Some(0)),
                _ => ("None", None),
            };
            block.label.clear();
            block.label.push_str(label);
            match row {
                None => block.data.clear(),
                Some(row) if self.has_wrapped => copy(block.data, &self.series.wrapped(row)),
                Some(row) => copy(block.data, &[self.series.filled(row)]),
            }
        }
    }
}

impl Node for AttributePlot {
    type Params = AttributePlotParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "attribute_plot",
        "Keeps the attributes of the latest frames, to be plotted against each other.",
        &[PortSpec::any("in")],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDAttrPlot", "AttrPlot"));

    fn new(params: AttributePlotParams) -> Result<AttributePlot, NodeError> {
        let (series, pace) = (Series::default(), Pace::default());
        let mut node = AttributePlot { params, series, has_wrapped: false, pace, last: None };
        node.show();
        Ok(node)
    }

    fn params(&mut self) -> &mut AttributePlotParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let header = frame.header();
        // A number that does not grow shows a new run of the source, whose attributes may differ.
        if self.last.is_none_or(|last| header.sequence <= last) {
            self.begin(header);
        }
        self.last = Some(header.sequence);
        self.add(header);
        self.pace.news(ctx, self.params.read_period);
        Ok(())
    }

    fn timer(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.show();
        Ok(())
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "reset" => self.forget(),
            "points" if self.series.size().1 != self.params.points => self.forget(),
            name if name.ends_with("_select") => self.show(),
            _ => {}
        }
        Ok(())
    }

    fn drain(&mut self, _ctx: &mut Context) -> Result<(), NodeError> {
        self.show();
        Ok(())
    }
}
