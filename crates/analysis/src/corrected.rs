//! Corrections of pictures before they are reduced: pedestal, gain, bad pixels, common mode.

mod described;
mod partial;
mod staged;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use livetime_frame::{DType, with_dtype};
use livetime_kernels::calibrate::{self, CommonMode, GainBits, Scratch};
use livetime_kernels::{LengthError, Level};
use livetime_recording::Constants;

use crate::error::{Error, Result};
use crate::{
    Block, EventPictures, Layout, Loader, Named, Panel, Picture, ReduceError, Reducer, Reducers, Saver,
};

pub use partial::CorrectedPartial;
pub use staged::UNKNOWN_GAIN;

/// Bytes of corrected pictures that are reduced at once. Reducers that go through memory of their own for each call do it for
/// several pictures then, and these are still in the cache of the last level of most machines.
const BATCH_BYTES: usize = 8 << 20;

/// What is known of the pixels of a detector, and how its pictures are corrected.
///
/// Constants have an element for each pixel of all panels together, in the order of the panels.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Corrections {
    /// What is subtracted.
    pub pedestal: Option<ConstantsFile>,
    /// What the difference is multiplied by.
    pub gain: Option<ConstantsFile>,
    /// 0 for a bad pixel, which becomes 0; anything else for a good one.
    pub mask: Option<ConstantsFile>,
    /// Common modes, in the order in which they are subtracted: behind the pedestal and before the gain.
    pub common_modes: Vec<CommonMode>,
    /// Where the gain stage is in pixels of 16 bits; pedestals and gains have a first axis of the stages then. A pixel whose code is that
    /// of no stage becomes 0, and is counted in the result [`UNKNOWN_GAIN`]. Common modes are those of pixels in stage 0, and are
    /// subtracted from them.
    pub gain_bits: Option<GainBits>,
}

/// Constants, and the file that they are from.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstantsFile {
    /// Its absolute path.
    pub path: PathBuf,
    /// What it says.
    pub constants: Arc<Constants>,
}

impl ConstantsFile {
    /// Reads it.
    ///
    /// # Errors
    /// As [`Constants::read`], or if its path is no UTF-8.
    pub fn read(path: impl Into<PathBuf>) -> Result<ConstantsFile> {
        let path: PathBuf = path.into();
        let path = std::path::absolute(&path).unwrap_or(path);
        if path.to_str().is_none() {
            return Err(Error::refused("a path in UTF-8", path.display().to_string()));
        }
        let constants = Constants::read(&path)?;
        Ok(ConstantsFile { path, constants: Arc::new(constants) })
    }
}

impl Corrections {
    /// Whether nothing is corrected.
    pub fn is_empty(&self) -> bool {
        *self == Corrections::default()
    }

    /// The files, with the names of what they hold.
    fn files(&self) -> impl Iterator<Item = (&'static str, &ConstantsFile)> {
        let all = [("pedestal", &self.pedestal), ("gain", &self.gain), ("mask", &self.mask)];
        all.into_iter().filter_map(|(name, file)| file.as_ref().map(|file| (name, file)))
    }

    /// Whether the constants fit a detector.
    ///
    /// # Errors
    /// If there are not as many as it has pixels, or its panels are no pictures.
    pub fn check(&self, layout: &Layout) -> Result<()> {
        self.check_panels(&layout.panels).map_err(|(wanted, found)| Error::refused(wanted, found))
    }

    fn check_panels(&self, panels: &[Panel]) -> Result<(), (String, String)> {
        if let Some(panel) = panels.iter().find(|panel| panel.has_any_length()) {
            return Err(("pictures to correct".into(), format!("arrays of the shape {:?}", panel.shape)));
        }
        self.check_types(panels)?;
        let pixels: usize = panels.iter().map(Panel::pixels).sum();
        for (name, file) in self.files() {
            let found = file.constants.values.len();
            let (count, each) = self.wanted(name, pixels);
            if found != count {
                let wanted = format!("{count} values of `{name}`, one for each {each}");
                return Err((
                    wanted,
                    format!("{found} in {}{}", file.path.display(), self.hint(found, pixels)),
                ));
            }
        }
        Ok(())
    }

    /// A corrected picture or several, and how many pixels have the gain code of no stage: little-endian elements in the order of the
    /// constants.
    ///
    /// # Errors
    /// If the constants do not fit them.
    pub fn apply(&self, dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<(Vec<f32>, u64)> {
        let panels = [Panel { number: 0, dtype, shape: shape.to_vec() }];
        self.check_panels(&panels).map_err(|(wanted, found)| Error::refused(wanted, found))?;
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

    /// The layout of corrected pictures.
    pub fn corrected(&self, layout: &Layout) -> Layout {
        let panel = |panel: &Panel| Panel { dtype: DType::F32, ..panel.clone() };
        Layout {
            panels: layout.panels.iter().map(panel).collect(),
            first_values: self.corrected_range(layout.first_values),
        }
    }

    /// Between what values those of a picture may be: for a histogram without a range.
    fn corrected_range(&self, (low, high): (f64, f64)) -> (f64, f64) {
        if low > high {
            return (low, high);
        }
        let extremes = |file: &Option<ConstantsFile>, otherwise: f64| {
            let values = file.iter().flat_map(|file| &file.constants.values).filter(|v| v.is_finite());
            let range = values.fold(None, |range: Option<(f32, f32)>, v| {
                Some(range.map_or((*v, *v), |(low, high)| (low.min(*v), high.max(*v))))
            });
            range.map_or((otherwise, otherwise), |(low, high)| (f64::from(low), f64::from(high)))
        };
        let ((least, most), (weakest, strongest)) =
            (extremes(&self.pedestal, 0.0), extremes(&self.gain, 1.0));
        // The bits of the gain are no part of the value.
        let most_value = self.gain_bits.as_ref().map(|bits| f64::from(bits.value(u16::MAX)));
        let (low, high) = most_value.filter(|most| high > *most).map_or((low, high), |most| (0.0, most));
        let (low, high) = ((low - most).min(0.0), (high - least).max(0.0));
        let all = [low * weakest, low * strongest, high * weakest, high * strongest];
        (all.into_iter().fold(0.0, f64::min), all.into_iter().fold(0.0, f64::max))
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

/// What a worker needs.
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

    fn memory(&self) -> Memory {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn reduce(
        &self,
        partial: &mut CorrectedPartial,
        events: &[EventPictures<'_>],
        block: &Block<'_>,
        memory: &mut Memory,
    ) -> Result<(), ReduceError> {
        let Some(first) = events.first() else { return Ok(()) };
        let layout = Layout { panels: first.panels.to_vec(), first_values: (0.0, 0.0) };
        let panels = self.corrections.corrected(&layout).panels;
        let pixels: usize = panels.iter().map(Panel::pixels).sum();
        memory.pixels.resize(pixels * events.len(), 0.0);
        for (event, out) in events.iter().zip(memory.pixels.chunks_mut(pixels.max(1))) {
            partial.unknown += self.correct(event, out, &mut memory.scratch)?;
        }
        let bytes: &[u8] = bytemuck::cast_slice(&memory.pixels);
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
            let Some(picture) = event.picture(position) else { continue };
            let Some(out) = out.get_mut(range.clone()) else { continue };
            unknown += match &self.corrections.gain_bits {
                Some(bits) => self.correct_staged(bits, &picture, range, out, scratch)?,
                None => self.correct_plain(&picture, range, out, scratch)?,
            };
        }
        Ok(unknown)
    }

    /// A panel whose pixels are in `range` of the constants.
    fn correct_plain(
        &self,
        picture: &Picture<'_>,
        range: Range<usize>,
        out: &mut [f32],
        scratch: &mut Scratch,
    ) -> Result<u64, LengthError> {
        let constants = calibrate::Constants {
            pedestal: slice(&self.corrections.pedestal, &range),
            gain: slice(&self.corrections.gain, &range),
            good: self.good.get(range).unwrap_or_default(),
        };
        let modes = &self.corrections.common_modes;
        with_dtype!(picture.panel.dtype, T => calibrate::calibrate::<T>(
            Level::best(), picture.bytes, plane(&picture.panel.shape), &constants, modes, scratch, out,
        ))?;
        Ok(0)
    }
}

fn slice<'a>(file: &'a Option<ConstantsFile>, range: &Range<usize>) -> &'a [f32] {
    file.as_ref().and_then(|file| file.constants.values.get(range.clone())).unwrap_or_default()
}

/// Rows and columns of the pictures of a panel.
fn plane(shape: &[usize]) -> (usize, usize) {
    match shape {
        [.., rows, columns] => (*rows, *columns),
        [columns] => (1, *columns),
        [] => (1, 1),
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
        let events = [*event];
        let is_stopped = std::sync::atomic::AtomicBool::new(false);
        self.map_block(partial, &Block::new(&events, &is_stopped))
    }

    fn map_block(&self, partial: &mut Self::Partial, block: &Block<'_>) -> Result<(), ReduceError> {
        let Some(first) = block.all().first() else { return Ok(()) };
        let refuse = |(wanted, found): (String, String)| format!("wanted {wanted}, found {found}");
        self.corrections.check_panels(first.panels).map_err(refuse)?;
        let pixels: usize = first.panels.iter().map(Panel::pixels).sum();
        let batch = (BATCH_BYTES / (pixels * size_of::<f32>()).max(1)).max(1);
        let mut memory = self.memory();
        for events in block.all().chunks(batch) {
            self.reduce(partial, events, block, &mut memory)?;
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        Ok(())
    }

    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial) -> Result<(), ReduceError> {
        partial.unknown += std::mem::take(&mut next.unknown);
        Reducer::merge(&self.inner, &mut partial.inner, &mut next.inner)
    }

    fn finish(&self, layout: &Layout, partial: Self::Partial) -> Result<Vec<Named>, ReduceError> {
        let mut found = Reducer::finish(&self.inner, &self.corrections.corrected(layout), partial.inner)?;
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
