//! Recorded runs through a pipeline: a run takes the place of the source of a pipeline file.
//!
//! There are two ways, for two purposes. [`GraphAnalysis`] runs the whole graph once over all events in their order, with all that its nodes
//! do: files that they write, values that they tell. [`PipelineReducer`] wants the pictures that one output sends, and gives them to the
//! reducers of an analysis; it works event by event, in any order, on any number of workers, processes and machines, and so only where no
//! node on the way keeps anything from frame to frame.
//!
//! On both ways, and where the source `recording` plays a run, nodes get the same frames: [`Picture::fill`] writes pixels, time, flags and
//! attributes of all.

mod account;
#[cfg(test)]
#[path = "../../../analysis/tests/camera.rs"]
mod camera;
mod describe;
mod error;
mod graph;
#[cfg(test)]
mod graph_tests;
mod reducer;
#[cfg(test)]
mod reducer_tests;
#[cfg(test)]
mod roads_tests;

use std::ops::Range;

use livetime_frame::Layout;
use livetime_recording::{Detector, Picture, Reader, Recording};

pub use account::{LostEvent, MOST_NAMED, PipelineAccount};
pub use error::{PictureError, RecordedError};
pub use graph::{GraphAnalysis, GraphFound, GraphOptions};
pub use reducer::{Outcome, PipelineReducer, ReducedOptions};

/// The type of node that plays a run, whatever its format.
const SOURCE: &str = "recording";
/// Events that are looked at for the first picture.
const MOST_LOOKED_AT: usize = 1000;

/// Layout and number of the first picture of these events that is whole, or else that can be read at all: what a pipeline is made for. Without one, it
/// is the run that is of no use, not the pipeline.
///
/// # Errors
/// That none of the first events has one, and why the last one has not.
pub fn first_picture(
    recording: &Recording,
    detector: &Detector,
    events: &Range<usize>,
) -> Result<(Layout, usize), RecordedError> {
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let (mut first, mut last) = (None, None);
    let end = events.end.min(recording.events()).min(events.start.saturating_add(MOST_LOOKED_AT));
    for event in events.start..end {
        let read = recording.read(detector, event, &mut reader, &mut picture);
        match read.and_then(|()| picture.layout()) {
            Ok(layout) if !picture.condition().is_damaged() => return Ok((layout, event)),
            Ok(layout) => first = first.or(Some((layout, event))),
            Err(fault) => last = Some(fault.why),
        }
    }
    first.ok_or(RecordedError::NoPicture { last })
}
