//! Corrections of pictures before they are reduced: pedestal, gain, bad pixels, common mode.

mod corrections;
mod described;
mod panel;
mod partial;

use std::sync::Mutex;

use livetime_frame::DType;
use livetime_kernels::calibrate::Scratch;
use livetime_runtime::lock;

use crate::error::{Error, Result};
use crate::{Block, EventPictures, Layout, Loader, Named, Panel, ReduceError, Reducer, Reducers, Saver};

pub use corrections::{ConstantsFile, Corrections};
pub use partial::CorrectedPartial;

/// The result that tells how many good pixels of all pictures had the gain code of no stage.
pub const UNKNOWN_GAIN: &str = "unknown-gain-codes";

/// Bytes of corrected pictures that are reduced at once. Reducers that go through memory of their own for each call do it for
/// several pictures then, and these are still in the cache of the last level of most machines.
const BATCH_BYTES: usize = 8 << 20;

impl Corrections {
    /// A corrected picture or several, and how many pixels have the gain code of no stage: little-endian elements in the order of the
    /// constants.
    ///
    /// # Errors
    /// If the constants do not fit them.
    pub fn apply(&self, dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<(Vec<f32>, u64)> {
        let panels = [Panel { number: 0, dtype, shape: shape.to_vec() }];
        self.check_panels(&panels).map_err(|(wanted, found)| Error::refused(wanted, found))?;
        // The size is the panel's, checked above, and not the caller's.
        let mut out = vec![0.0; panels[0].pixels()];
        if bytes.len() != panels[0].bytes() {
            return Err(Error::refused(format!("{} bytes", panels[0].bytes()), bytes.len().to_string()));
        }
        let corrected = Corrected::new(self.clone(), Reducers::default());
        let pictures = [Some(bytes)];
        let event = EventPictures::new(0, 0, &panels, &pictures);
        let done = corrected.correct(&event, &mut out, &mut Scratch::default());
        let unknown = done.map_err(|e| Error::refused("pictures that fit the constants", e.to_string()))?;
        Ok((out, unknown))
    }
}

/// Corrects the pictures of each event and gives them, as `f32`, to other reducers.
///
/// It is a [`Reducer`]: an analysis with it has the same bits for any number of workers, parts and machines.
///
/// ```no_run
/// use livetime_analysis::{Corrected, Corrections, ConstantsFile, GoOn, Options, PixelStatistics, Recording, Reducers};
///
/// let recording = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
/// let detector = livetime_analysis::detector(&recording, None)?;
/// let corrections = Corrections {
///     pedestal: Some(ConstantsFile::read("dark/mean.npy")?),
///     common_modes: vec!["bank=2".parse()?],
///     ..Corrections::default()
/// };
/// let reducers = Reducers::default().with(PixelStatistics::all());
/// let reducers = Reducers::default().with(Corrected::new(corrections, reducers));
/// let found = livetime_analysis::analyze(&recording, &detector, &Options::default(), &reducers, &mut |_| GoOn::Yes)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Corrected {
    corrections: Corrections,
    /// 1 and 0, of the mask.
    good: Vec<f32>,
    inner: Reducers,
    idle: Mutex<Vec<Memory>>,
}

/// The state of a worker.
#[derive(Default)]
struct Memory {
    scratch: Scratch,
    pixels: Vec<f32>,
}

impl Corrected {
    /// Gives corrected pictures to `inner`.
    pub fn new(corrections: Corrections, inner: Reducers) -> Corrected {
        let mask = corrections.mask.iter().flat_map(|mask| &mask.constants.values);
        let good = mask.map(|value| f32::from(u8::from(*value != 0.0))).collect();
        Corrected { corrections, good, inner, idle: Mutex::default() }
    }

    /// Whether a reducer that describes itself so is one of these.
    pub fn is_described(line: &str) -> bool {
        described::is_described(line)
    }

    /// Makes it again from its description: its files are read, and must not have changed.
    ///
    /// # Errors
    /// If it is no such description, its reducers are not of this crate, or a file has changed.
    pub fn described(line: &str) -> Result<Corrected> {
        let (corrections, inner) = described::parse(line)?;
        Ok(Corrected::new(corrections, inner))
    }

    fn memory(&self) -> Memory {
        // The memory of any block serves; a new one is made when all are in use.
        lock(&self.idle).pop().unwrap_or_default()
    }

    fn reduce(
        &self,
        partial: &mut CorrectedPartial,
        events: &[EventPictures<'_>],
        block: &Block<'_>,
        memory: &mut Memory,
    ) -> Result<(), ReduceError> {
        let Some(first) = events.first() else { return Ok(()) };
        // Reducers see corrected pictures only, so the layout they get has the corrected type of pixels.
        let layout = Layout { panels: first.panels.to_vec(), first_values: (0.0, 0.0) };
        let panels = self.corrections.corrected(&layout).panels;
        let pixels: usize = panels.iter().map(Panel::pixels).sum();
        // The memory stays as large as the largest batch.
        memory.pixels.resize(pixels * events.len(), 0.0);
        // All pictures of a batch are corrected before the first reducer runs, so that each reducer sees a block of
        // events.
        for (event, out) in events.iter().zip(memory.pixels.chunks_mut(pixels.max(1))) {
            partial.unknown += self.correct(event, out, &mut memory.scratch)?;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&memory.pixels);
        // A panel without pixels makes chunks of 0, which panic; hence at least 1 here and above.
        let pictures: Vec<Vec<Option<&[u8]>>> = events
            .iter()
            .zip(bytes.chunks((pixels * size_of::<f32>()).max(1)))
            .map(|(event, bytes)| split(event, bytes))
            .collect();
        let mut corrected = Vec::with_capacity(events.len());
        for (event, pictures) in events.iter().zip(&pictures) {
            corrected.push(EventPictures::new(event.event, event.time_ns, &panels, pictures));
        }
        Reducer::map_block(&self.inner, &mut partial.inner, &block.with(&corrected))
    }

    /// Writes the corrected panels of an event behind each other. Returns how many pixels have the gain code of no stage.
    fn correct(
        &self,
        event: &EventPictures<'_>,
        out: &mut [f32],
        scratch: &mut Scratch,
    ) -> Result<u64, ReduceError> {
        let (mut start, mut unknown) = (0, 0);
        for (position, panel) in event.panels.iter().enumerate() {
            let range = start..start + panel.pixels();
            start = range.end;
            // Missing panels keep no pixels, and the reducers see them as missing, too.
            let Some(picture) = event.picture(position) else { continue };
            // A panel beyond the memory is left out without a panic.
            let Some(out) = out.get_mut(range.clone()) else { continue };
            unknown += panel::correct(&self.corrections, &self.good, &picture, range, out, scratch)?;
        }
        Ok(unknown)
    }
}

/// The bytes of the panels that an event has.
fn split<'b>(event: &EventPictures<'_>, bytes: &'b [u8]) -> Vec<Option<&'b [u8]>> {
    let mut start = 0;
    let panels = event.panels.iter().zip(event.pictures);
    let one = |(panel, picture): (&Panel, &Option<&[u8]>)| {
        let range = start..start + panel.pixels() * size_of::<f32>();
        start = range.end;
        picture.and_then(|_| bytes.get(range))
    };
    panels.map(one).collect()
}

impl Reducer for Corrected {
    type Partial = CorrectedPartial;

    fn partial(&self, layout: &Layout) -> Self::Partial {
        let inner = Reducer::partial(&self.inner, &self.corrections.corrected(layout));
        CorrectedPartial { inner, unknown: 0 }
    }

    fn map(&self, partial: &mut Self::Partial, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        self.map_block(partial, &Block::of(&[*event]))
    }

    fn map_block(&self, partial: &mut Self::Partial, block: &Block<'_>) -> Result<(), ReduceError> {
        let Some(first) = block.all().first() else { return Ok(()) };
        let refuse = |(wanted, found): (String, String)| format!("wanted {wanted}, found {found}");
        self.corrections.check_panels(first.panels).map_err(refuse)?;
        let pixels: usize = first.panels.iter().map(Panel::pixels).sum();
        // At least one picture, however large it is.
        let batch = (BATCH_BYTES / (pixels * size_of::<f32>()).max(1)).max(1);
        let mut memory = self.memory();
        for events in block.all().chunks(batch) {
            self.reduce(partial, events, block, &mut memory)?;
        }
        // Memory goes back for the next block of any thread; after an error the memory is dropped.
        lock(&self.idle).push(memory);
        Ok(())
    }

    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial) -> Result<(), ReduceError> {
        partial.unknown += std::mem::take(&mut next.unknown);
        Reducer::merge(&self.inner, &mut partial.inner, &mut next.inner)
    }

    fn finish(&self, layout: &Layout, partial: Self::Partial) -> Result<Vec<Named>, ReduceError> {
        let mut found = Reducer::finish(&self.inner, &self.corrections.corrected(layout), partial.inner)?;
        // Without gain bits no pixel has a code.
        if self.corrections.gain_bits.is_some() {
            found.push(Named::number(UNKNOWN_GAIN, partial.unknown as f64));
        }
        Ok(found)
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        Reducer::takes_any_order(&self.inner, &self.corrections.corrected(layout))
    }

    /// The memory of the inner reducers, and of the corrected pictures.
    fn memory(&self, layout: &Layout) -> u64 {
        let corrected = self.corrections.corrected(layout);
        Reducer::memory(&self.inner, &corrected).saturating_add(corrected.bytes() as u64)
    }

    fn describe(&self) -> String {
        described::describe(&self.corrections, &self.inner)
    }

    fn name(&self) -> String {
        format!("corrections of {}", self.inner.describe().join("; "))
    }

    fn save(&self, partial: &Self::Partial, out: &mut Saver) -> Result<(), ReduceError> {
        out.number(partial.unknown);
        Reducer::save(&self.inner, &partial.inner, out)
    }

    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<Self::Partial, ReduceError> {
        let unknown = from.number()?;
        let inner = Reducer::load(&self.inner, &self.corrections.corrected(layout), from)?;
        Ok(CorrectedPartial { inner, unknown })
    }
}
