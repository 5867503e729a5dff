//! The hit finders that can be scored.

use livetime_kernels::hits::{
    FinderSetup, Hit, HitBuffer, HitFinder, SampleBits, SeedHits, TpgHits, TpgSetup,
};
use livetime_kernels::{LengthError, Level};

/// A hit finder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Default,
    Seed,
    Tpg,
}

impl Algorithm {
    pub(super) fn name(self) -> &'static str {
        match self {
            Algorithm::Default => "default",
            Algorithm::Seed => "seed",
            Algorithm::Tpg => "tpg",
        }
    }
}

/// The hit finder of this name.
pub(super) fn algorithm(text: &str) -> Result<Algorithm, String> {
    let all = [Algorithm::Default, Algorithm::Seed, Algorithm::Tpg];
    let found = all.into_iter().find(|a| a.name() == text);
    found.ok_or_else(|| format!("wanted default, seed or tpg, found `{text}`"))
}

/// Which hit finder, and how it is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinderOptions {
    pub(super) algorithm: Algorithm,
    pub(super) threshold: Option<f32>,
    pub(super) bipolar: bool,
}

/// A hit, with the time at which its pulse was highest as well as the algorithm knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) channel: u16,
    pub(super) begin: f64,
    pub(super) end: f64,
    pub(super) peak_time: f64,
    pub(super) sum: f64,
}

/// Ticks by which the seed's hits are late: filter and pipeline.
const SEED_DELAY: f64 = 5.0;
/// Net steps that move the pedestals of tpg.
const TPG_LIMIT: i16 = 1;

pub(super) enum Finder {
    Default(HitFinder),
    Seed(SeedHits),
    Tpg(TpgHits),
}

impl FinderOptions {
    /// Ticks until pedestals and noise are known: 3 ms, and the way that the pedestals of tpg come down from 16384.
    pub(super) fn settle(&self) -> usize {
        match self.algorithm {
            // For each count down `TPG_LIMIT` + 1 ticks.
            Algorithm::Tpg => 6000 + 16384 * (TPG_LIMIT as usize + 1),
            _ => 6000,
        }
    }

    /// For the channels of `planes`, 12 bits.
    pub(super) fn finder(&self, planes: &[u8]) -> Result<Finder, LengthError> {
        Ok(match self.algorithm {
            Algorithm::Default => {
                let mut setup = FinderSetup::new(SampleBits::Twelve);
                setup.threshold = self.threshold.map_or(setup.threshold, |t| [t; 3]);
                setup.bipolar = [self.bipolar; 3];
                Finder::Default(HitFinder::new(planes, setup)?)
            }
            Algorithm::Seed => Finder::Seed(SeedHits::new(planes.len(), 3)?),
            Algorithm::Tpg => {
                let standard = TpgSetup { limit: TPG_LIMIT, ..TpgSetup::default() };
                let threshold = self.threshold.map_or(standard.threshold, |t| [t as i16; 3]);
                Finder::Tpg(TpgHits::new(planes, TpgSetup { threshold, ..standard })?)
            }
        })
    }
}

impl Finder {
    pub(super) fn find(
        &mut self,
        samples: &[i16],
        first: i64,
        hits: &mut HitBuffer,
    ) -> Result<(), LengthError> {
        let level = Level::best();
        match self {
            Finder::Default(finder) => finder.find(level, samples, first, hits),
            Finder::Seed(finder) => finder.find(level, samples, first, hits),
            Finder::Tpg(finder) => finder.find(level, samples, first, hits),
        }
    }

    pub(super) fn found(&self, hit: &Hit) -> Found {
        let late = if matches!(self, Finder::Seed(_)) { SEED_DELAY } else { 0.0 };
        let (begin, end) = (hit.start as f64 - late, hit.end() as f64 - late);
        let peak_time = match self {
            // Not looked for: the middle.
            Finder::Seed(_) => 0.5 * (begin + end - 1.0),
            _ => begin + f64::from(hit.to_peak),
        };
        Found { channel: hit.channel, begin, end, peak_time, sum: hit.sum.into() }
    }
}
