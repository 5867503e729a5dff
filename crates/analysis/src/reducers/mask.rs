//! The good pixels of a dark run: pixels whose standard deviation is in a range.

use super::PixelStatistics;
use crate::{Array, Block, EventPictures, Layout, Loader, Named, ReduceError, Reducer, Saver, Value};

/// Good pixels by their noise, of a run without light.
///
/// - `mask`: `u8`, 1 where the standard deviation of the pixel over all events is from `least` to `most`, else 0; so a dead pixel, a noisy
///   one and one without an event are 0. Of arrays with two axes or more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseMask {
    /// The least deviation of a good pixel, in the units of the pixels.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

const DEVIATIONS: PixelStatistics =
    PixelStatistics { mean: false, std: true, min: false, max: false, sum: false, projection: false };

impl NoiseMask {
    /// The mask of deviations.
    fn of(&self, named: Named) -> Option<Named> {
        let Value::Array(deviations) = named.value else { return None };
        let is_good = |deviation: &f64| u8::from((self.least..=self.most).contains(deviation));
        let good: Vec<u8> = deviations.values().iter().map(is_good).collect();
        let name = format!("mask{}", named.name.strip_prefix("std")?);
        Some(Named { name, value: Value::Array(Array::new(deviations.shape(), good)) })
    }
}

impl Reducer for NoiseMask {
    type Partial = <PixelStatistics as Reducer>::Partial;

    fn partial(&self, layout: &Layout) -> Self::Partial {
        Reducer::partial(&DEVIATIONS, layout)
    }

    fn map(&self, partial: &mut Self::Partial, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        Reducer::map(&DEVIATIONS, partial, event)
    }

    fn map_block(&self, partial: &mut Self::Partial, block: &Block<'_>) -> Result<(), ReduceError> {
        Reducer::map_block(&DEVIATIONS, partial, block)
    }

    fn memory(&self, layout: &Layout) -> u64 {
        Reducer::memory(&DEVIATIONS, layout)
    }

    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial) -> Result<(), ReduceError> {
        Reducer::merge(&DEVIATIONS, partial, next)
    }

    fn finish(&self, layout: &Layout, partial: Self::Partial) -> Result<Vec<Named>, ReduceError> {
        let found = Reducer::finish(&DEVIATIONS, layout, partial)?;
        Ok(found.into_iter().filter_map(|named| self.of(named)).collect())
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        Reducer::takes_any_order(&DEVIATIONS, layout)
    }

    fn describe(&self) -> String {
        format!("mask noise={}..{}", self.least, self.most)
    }

    fn save(&self, partial: &Self::Partial, out: &mut Saver) -> Result<(), ReduceError> {
        Reducer::save(&DEVIATIONS, partial, out)
    }

    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<Self::Partial, ReduceError> {
        Reducer::load(&DEVIATIONS, layout, from)
    }
}
