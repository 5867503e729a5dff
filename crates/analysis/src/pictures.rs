//! The pictures of an event, as reducers see them.

use livetime_frame::{DType, with_dtype};
use livetime_kernels::accumulate::Element;

use crate::Panel;

/// The pictures of one detector at one event.
#[derive(Clone, Copy, Debug)]
pub struct EventPictures<'a> {
    /// Number of the event in the run, from 0 on.
    pub event: usize,
    /// When it happened, ns since 1970.
    pub time_ns: u64,
    /// The event as the run has it; `None` where a reducer made the pictures.
    pub recorded: Option<Recorded<'a>>,
    pub(crate) panels: &'a [Panel],
    pub(crate) pictures: &'a [Option<&'a [u8]>],
}

/// An event as the run has it, for a reducer that makes a frame of it.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// All that the detector recorded, with attributes and damage.
    pub picture: &'a livetime_recording::Picture,
    /// The number of the event among the analysed events, from 1 on; also the number of its frame where all events before it have a
    /// picture.
    pub number: u64,
}

/// The data of one panel.
#[derive(Clone, Copy, Debug)]
pub struct Picture<'a> {
    /// Position of the panel in the [`Layout`](crate::Layout).
    pub position: usize,
    /// Number, type and shape of the panel; an array with one axis may have another length, given by `bytes`.
    pub panel: &'a Panel,
    /// The pixels, row after row, little-endian, at any alignment.
    pub bytes: &'a [u8],
}

impl<'a> EventPictures<'a> {
    /// The pictures of `panels` at an event, one or none for each, for a reducer that shows them to others.
    pub fn new(
        event: usize,
        time_ns: u64,
        panels: &'a [Panel],
        pictures: &'a [Option<&'a [u8]>],
    ) -> EventPictures<'a> {
        EventPictures { event, time_ns, recorded: None, panels, pictures }
    }

    /// All panels, in the order of the layout: number, type and shape.
    pub fn panels(&self) -> &'a [Panel] {
        self.panels
    }

    /// The pictures, by panel. A panel that was not read has none.
    pub fn pictures(&self) -> impl Iterator<Item = Picture<'a>> + use<'a> {
        let all = self.panels.iter().zip(self.pictures).enumerate();
        all.filter_map(|(position, (panel, bytes))| (*bytes).map(|bytes| Picture { position, panel, bytes }))
    }

    /// The picture of the panel at `position` of the layout, if it was read.
    pub fn picture(&self, position: usize) -> Option<Picture<'a>> {
        let (panel, bytes) = (self.panels.get(position)?, (*self.pictures.get(position)?)?);
        Some(Picture { position, panel, bytes })
    }
}

impl Picture<'_> {
    /// The pixels as `f64`, row after row.
    pub fn values(&self) -> Vec<f64> {
        values(self.panel.dtype, self.bytes)
    }
}

/// Little-endian elements as `f64`.
pub(crate) fn values(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    fn all<T: Element>(bytes: &[u8]) -> Vec<f64> {
        (0..bytes.len() / size_of::<T>()).map(|i| T::load::<1>(bytes, i)[0].to_f64()).collect()
    }
    with_dtype!(dtype, T => all::<T>(bytes))
}
