//! The panels of a detector, which are the same in all events but for the length of lists.

use livetime_frame::{DType, with_dtype};
use livetime_kernels::Level;
use livetime_kernels::accumulate::{self, Element};
use livetime_recording::{Detector, Error, Picture, Reader, Recording, Result};

use crate::fault::{Fault, FaultKind, Outcome};

/// Most events that are searched for panels, which bounds the time before the analysis begins.
const LOOK: usize = 1000;
/// Consecutive events without a new panel after which all panels count as known.
const SETTLED: usize = 2;

/// The panels of a detector.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// In the order of their numbers.
    pub panels: Vec<Panel>,
    /// The lowest and the highest value of the first event that has values.
    pub first_values: (f64, f64),
}

/// A quadrant of a CSPad, a link of a pnCCD, a segment of a detector of LCLS-II, or all of a camera.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panel {
    /// Number of the panel; 0 if there is only one.
    pub number: u32,
    /// Type of a pixel.
    pub dtype: DType,
    /// Shape, slowest axis first. The length of a single axis may differ between events: a reducer begins with the
    /// length in the first event, and finishes with the longest one that was used.
    pub shape: Vec<usize>,
}

impl Panel {
    /// Whether its length may differ from event to event, as with a waveform.
    pub fn has_any_length(&self) -> bool {
        self.shape.len() == 1
    }

    /// How many pixels it has.
    pub fn pixels(&self) -> usize {
        self.shape.iter().product()
    }

    /// How many bytes its pixels have.
    pub fn bytes(&self) -> usize {
        self.pixels() * self.dtype.bytes()
    }
}

impl Layout {
    /// How many bytes the pictures of an event have.
    pub fn bytes(&self) -> usize {
        self.panels.iter().map(Panel::bytes).sum()
    }

    /// Position of the panel with that number, if it has that type and shape.
    pub(crate) fn position(&self, number: u32, dtype: DType, shape: &[usize]) -> Outcome<usize> {
        let changed = |wanted: String, found: String| {
            Fault::new(FaultKind::Changed, format!("wanted {wanted}, found {found}"))
        };
        let Ok(position) = self.panels.binary_search_by_key(&number, |p| p.number) else {
            let known: Vec<u32> = self.panels.iter().map(|p| p.number).collect();
            return Err(changed(
                format!("panels {known:?} as in the first events"),
                format!("panel {number}"),
            ));
        };
        let panel = &self.panels[position];
        // A waveform may have another length in every event; its type must stay.
        let fits = panel.shape == shape || panel.has_any_length() && shape.len() == 1;
        if fits && panel.dtype == dtype {
            return Ok(position);
        }
        let wanted = format!("{} {:?} in panel {number} as in the first event", panel.dtype, panel.shape);
        Err(changed(wanted, format!("{dtype} {shape:?}")))
    }

    /// Finds it in the first events that can be read.
    pub(crate) fn find(
        recording: &Recording,
        detector: &Detector,
        events: &mut dyn Iterator<Item = usize>,
    ) -> Result<Layout> {
        let mut layout = Layout { panels: Vec::new(), first_values: (f64::INFINITY, f64::NEG_INFINITY) };
        let (mut reader, mut picture) = (Reader::default(), Picture::default());
        let (mut settled, mut fault) = (0, None);
        // Events without the detector are read too, so the number is bounded and not the number of pictures.
        for event in events.take(LOOK) {
            let read = recording.read(detector, event, &mut reader, &mut picture).map_err(Fault::from);
            match read.and_then(|()| layout.look_at(&picture)) {
                Ok(has_new) => settled = if has_new { 0 } else { settled + 1 },
                // The first fault explains best why nothing was found.
                Err(found) => fault = fault.or(Some((event, found))),
            }
            // A first picture of NaN only gives no range, so the search goes on.
            if settled >= SETTLED && layout.has_values() {
                break;
            }
        }
        // A detector without a panel would make empty results that look like an answer.
        if layout.panels.is_empty() {
            let found = fault.map_or_else(|| "no event".into(), |(e, f)| format!("in event {e}: {}", f.why));
            return Err(Error::new(format!("pictures of {detector}"), found));
        }
        Ok(layout)
    }

    /// Whether an event had any value that is a number.
    fn has_values(&self) -> bool {
        self.first_values.0 <= self.first_values.1
    }

    /// With the lengths of the longest arrays that were used, which `longest` has by the position of a panel.
    pub(crate) fn finished(&self, longest: impl Fn(usize) -> Option<usize>) -> Layout {
        let mut finished = self.clone();
        for (position, panel) in finished.panels.iter_mut().enumerate().filter(|(_, p)| p.has_any_length()) {
            panel.shape = longest(position).map_or_else(|| panel.shape.clone(), |length| vec![length]);
        }
        finished
    }

    /// Returns whether the event has panels that were not known.
    fn look_at(&mut self, picture: &Picture) -> Outcome<bool> {
        let (mut found, mut extremes, has_values) = (Vec::new(), self.first_values, self.has_values());
        for panel in picture.good_panels()? {
            found.push(Panel { number: panel.number, dtype: panel.dtype, shape: panel.shape.to_vec() });
            // One picture with values is enough; widening by each would make the range depend on how long
            // panels stay new.
            if !has_values {
                extremes = widened(extremes, panel.dtype, panel.bytes);
            }
        }
        self.first_values = extremes;
        let known = self.panels.len();
        for panel in found {
            // Of two shapes of a panel the first one counts, and later events are checked against it.
            if let Err(place) = self.panels.binary_search_by_key(&panel.number, |p| p.number) {
                self.panels.insert(place, panel);
            }
        }
        Ok(self.panels.len() > known)
    }
}

/// A range, widened to the finite values of a picture.
fn widened(range: (f64, f64), dtype: DType, bytes: &[u8]) -> (f64, f64) {
    /// The picture as many short frames, so that the kernel for many frames finds the extremes.
    const LANES: usize = 64;
    fn all<T: Element>((low, high): (f64, f64), bytes: &[u8]) -> (f64, f64) {
        let (frames, rest) = bytes.split_at(bytes.len() / (LANES * size_of::<T>()) * LANES * size_of::<T>());
        let frames: Vec<&[u8]> = frames.chunks_exact(LANES * size_of::<T>()).collect();
        let rest: Vec<&[u8]> = rest.chunks_exact(size_of::<T>()).collect();
        let (mut lowest, mut highest) = ([T::HIGHEST; LANES], [T::LOWEST; LANES]);
        // The lengths are right by construction.
        let _ = accumulate::extremes(Level::best(), &frames, &mut lowest, &mut highest);
        // The rest is shorter than a group, so its values are frames of one pixel each.
        let _ = accumulate::extremes(Level::best(), &rest, &mut lowest[..1], &mut highest[..1]);
        let finite = |values: [T; LANES]| values.into_iter().map(T::to_f64).filter(|v| v.is_finite());
        (finite(lowest).fold(low, f64::min), finite(highest).fold(high, f64::max))
    }
    with_dtype!(dtype, T => all::<T>(range, bytes))
}
