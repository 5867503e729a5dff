//! Simulated frames of a CSPad, the detector of LCLS from 2009 to 2016, for measuring its compression.
//!
//! No recorded frames of it are published. These follow its published numbers: a pixel is
//!
//! ```text
//! pedestal   ASIC N(1200, a) + pixel N(0, p) + row N(0, 4) + column N(0, 4), or for a bad pixel uniform in 0 .. 16383
//! + noise    N(0, 4) in each event, and N(0, 3) for all pixels of an ASIC together (common mode)
//! + photons  Poisson(λ) × 22
//! ```
//!
//! rounded and limited to 14 bits. With [`Preset::Deck`] the codecs of XTC files reach the sizes that the study of 2013
//! reported for recorded runs.
//!
//! Every number is a function of seed, event and pixel (SplitMix64 as a counter-based generator), so
//! frames can be made in any order and by any number of threads.

mod photons;
#[cfg(test)]
mod tests;

use crate::random::{Counter, Normal};
use crate::{LengthError, Level};
use photons::Photons;

/// Columns of a section, which is two ASICs side by side.
pub const COLUMNS: usize = 388;
/// Rows of a section.
pub const ROWS: usize = 185;
/// Sections of a quadrant.
pub const SECTIONS: usize = 8;
/// Quadrants of the detector.
pub const QUADS: usize = 4;
/// Pixels of a quadrant, section by section, row by row.
pub const QUAD_PIXELS: usize = SECTIONS * ROWS * COLUMNS;

const ASIC_COLUMNS: usize = COLUMNS / 2;
const ASICS: usize = 2 * SECTIONS;
const NOISE_ADU: f32 = 4.0;
const COMMON_MODE_ADU: f32 = 3.0;
const PHOTON_ADU: f32 = 22.0;
const HIGHEST: f32 = 16383.0;

/// The light on the simulated detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// As the runs of the study of 2013: narrow pedestals, few photons, 1.4 % bad pixels.
    Deck,
    /// As the run of the public tutorial: wider pedestals, more photons.
    Tutorial,
    /// No photons.
    Dark,
    /// Wide differences between ASICs.
    Wide,
    /// Scattering rings of up to two photons per pixel.
    Rings,
}

impl Preset {
    /// All of them.
    pub const ALL: [Preset; 5] = [Preset::Deck, Preset::Tutorial, Preset::Dark, Preset::Wide, Preset::Rings];

    /// `"deck"`, `"tutorial"`, `"dark"`, `"wide"` or `"rings"`.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Deck => "deck",
            Preset::Tutorial => "tutorial",
            Preset::Dark => "dark",
            Preset::Wide => "wide",
            Preset::Rings => "rings",
        }
    }

    /// Deviation of the ASICs, of the pixels, photons per pixel, fraction of bad pixels.
    fn numbers(self) -> (f32, f32, f64, f64) {
        match self {
            Preset::Deck => (10.0, 14.0, 0.02, 0.014),
            Preset::Tutorial => (44.0, 29.0, 0.05, 0.002),
            Preset::Dark => (12.0, 16.0, 0.0, 0.002),
            Preset::Wide => (60.0, 20.0, 0.1, 0.01),
            Preset::Rings => (20.0, 12.0, 0.0, 0.003),
        }
    }

    /// Mean number of photons at a distance from the corner of a quadrant, in pixels.
    fn photons(self, distance: f64) -> f64 {
        if self != Preset::Rings {
            return self.numbers().2;
        }
        let from_ring = (distance % 320.0 - 160.0) / 45.0;
        0.02 + 2.0 * (-0.5 * from_ring * from_ring).exp() * (-distance / 1200.0).exp()
    }
}

/// A simulated detector with its fixed pattern.
///
/// ```
/// use livetime_kernels::{Level, cspad};
/// let detector = cspad::Cspad::new(cspad::Preset::Deck, 1);
/// let mut quad = vec![0; cspad::QUAD_PIXELS];
/// detector.quad(Level::best(), 17, 0, &mut quad)?;
/// let mean = quad.iter().map(|v| f64::from(*v)).sum::<f64>() / quad.len() as f64;
/// assert!((1200.0..1400.0).contains(&mean));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cspad {
    seed: u64,
    normal: Normal,
    photons: Photons,
    /// Per pixel of all quadrants.
    pedestals: Vec<f32>,
    /// Per pixel: which of the tables of `photons`.
    classes: Vec<u8>,
}

impl Cspad {
    /// A detector; another `seed` is another one. Makes the pedestals: 11 MB, some 50 ms.
    pub fn new(preset: Preset, seed: u64) -> Cspad {
        let normal = Normal::new();
        let photons = Photons::new(preset.photons(0.0), (0..1600).map(|r| preset.photons(f64::from(r))));
        let mut detector = Cspad { seed, normal, photons, pedestals: Vec::new(), classes: Vec::new() };
        for quad in 0..QUADS {
            detector.add_pedestals(preset, quad);
        }
        for pixel in 0..QUAD_PIXELS {
            let (row, column) = (pixel / COLUMNS, pixel % COLUMNS);
            // Not `hypot`, for which glibc 2.35 has a new version: no program would start with an older one.
            let distance = ((row * row + column * column) as f64).sqrt();
            detector.classes.push(detector.photons.class(preset.photons(distance)));
        }
        detector
    }

    fn add_pedestals(&mut self, preset: Preset, quad: usize) {
        let (asic_sigma, pixel_sigma, _, bad) = preset.numbers();
        // Each purpose has random numbers of its own, so that none depends on how many another takes.
        let numbers = |what: u64| Counter::new(self.seed, [what, quad as u64]);
        let (asics, rows, columns, pixels) = (numbers(1), numbers(2), numbers(3), numbers(4));
        let (bad_pixels, bad_values) = (numbers(5), numbers(6));
        let normal = |numbers: &Counter, at: usize| self.normal.of(numbers.at(at));
        let mut pedestals = Vec::with_capacity(QUAD_PIXELS);
        for pixel in 0..QUAD_PIXELS {
            let (row, column) = (pixel / COLUMNS, pixel % COLUMNS);
            let asic = asic_of(row, column);
            let good = 1200.0
                + asic_sigma * normal(&asics, asic)
                + pixel_sigma * normal(&pixels, pixel)
                + 4.0 * normal(&rows, asic * ROWS + row % ROWS)
                + 4.0 * normal(&columns, asic * ASIC_COLUMNS + column % ASIC_COLUMNS);
            let is_bad = bad_pixels.uniform(pixel) < bad;
            pedestals.push(if is_bad { HIGHEST * bad_values.uniform(pixel) as f32 } else { good });
        }
        self.pedestals.extend(pedestals);
    }

    /// Makes the pixels of quadrant `quad % 4` in an event: [`SECTIONS`] × [`ROWS`] × [`COLUMNS`].
    ///
    /// # Errors
    /// [`LengthError`] if `out` is not [`QUAD_PIXELS`] long.
    pub fn quad(&self, level: Level, event: u64, quad: usize, out: &mut [u16]) -> Result<(), LengthError> {
        LengthError::check("out", out.len(), QUAD_PIXELS)?;
        let quad = quad % QUADS;
        let common = Counter::new(self.seed, [7, event]);
        let noise = Counter::new(self.seed, [8, event]);
        let pedestals = &self.pedestals[quad * QUAD_PIXELS..][..QUAD_PIXELS];
        // Half a row belongs to one ASIC, whose common mode is its own.
        for (half, out) in out.chunks_exact_mut(ASIC_COLUMNS).enumerate() {
            let (row, column) = (half / 2, half % 2 * ASIC_COLUMNS);
            let asic = quad * ASICS + asic_of(row, column);
            let offset = COMMON_MODE_ADU * self.normal.of(common.at(asic));
            let first = half * ASIC_COLUMNS;
            let part = Part {
                pedestals: &pedestals[first..][..ASIC_COLUMNS],
                classes: &self.classes[first..][..ASIC_COLUMNS],
                noise: noise.from(quad * QUAD_PIXELS + first),
                offset,
            };
            fill(level, self, &part, out);
        }
        Ok(())
    }
}

/// Which ASIC of its quadrant a pixel belongs to; rows of all sections are counted on.
fn asic_of(row: usize, column: usize) -> usize {
    row / ROWS * 2 + column / ASIC_COLUMNS
}

/// A row of an ASIC in an event.
struct Part<'a> {
    pedestals: &'a [f32],
    classes: &'a [u8],
    noise: Counter,
    offset: f32,
}

per_level! {
    fn fill(detector: &Cspad, part: &Part<'_>, out: &mut [u16]) = fill_body;
}

#[inline(always)]
fn fill_body(detector: &Cspad, part: &Part<'_>, out: &mut [u16]) {
    for (i, out) in out.iter_mut().enumerate() {
        // One random number for both: photons take the upper 32 bits, noise the lower 24.
        let random = part.noise.at(i);
        let photons = detector.photons.of(part.classes[i], (random >> 32) as u32);
        let noise = NOISE_ADU * detector.normal.of(random);
        let value = part.pedestals[i] + part.offset + noise + PHOTON_ADU * photons;
        // Half a count, and the fraction cut off: rounded.
        *out = (value.clamp(0.0, HIGHEST) + 0.5) as u16;
    }
}
