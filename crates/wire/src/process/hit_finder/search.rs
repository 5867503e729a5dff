//! One hit finder over some of a link's channels.

use livetime_engine::NodeError;
use livetime_kernels::Level;
use livetime_kernels::hits::{FinderSetup, HitBuffer, HitFinder, SampleBits, SeedHits, TpgHits, TpgSetup};

use super::params::{Algorithm, HitFinderParams};
use crate::Channel;
use crate::RawFormat;

/// An algorithm and its state.
#[derive(Debug)]
enum Finder {
    Default(HitFinder),
    Seed(SeedHits),
    Tpg(TpgHits),
}

/// Channels that follow each other in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    from: usize,
    len: usize,
}

/// A finder and the channels that it sees.
#[derive(Debug)]
pub(super) struct Search {
    finder: Finder,
    /// Channels of the frame, in the order of the finder. Beyond them come channels that are always 0, up to a multiple of 32.
    pub(super) channels: Vec<u16>,
    /// How the channels of the search are gathered; `None` when the finder searches whole rows.
    stretches: Option<Vec<Stretch>>,
    gathered: Vec<i16>,
    /// Channels of a row of the finder.
    width: usize,
    /// First tick since the last interruption.
    begun: Option<i64>,
}

impl Search {
    /// For the channels of a link that `wanted` chooses by plane.
    pub(super) fn new(
        params: &HitFinderParams,
        format: RawFormat,
        link: &[Channel],
        wanted: impl Fn(u8) -> bool,
    ) -> Result<Option<Search>, NodeError> {
        let chosen: Vec<u16> = (0..link.len()).filter(|c| wanted(link[*c].plane)).map(|c| c as u16).collect();
        if chosen.is_empty() {
            return Ok(None);
        }
        // Kernels work on 32 channels at a time, so the row is filled up with channels that have no samples.
        let width = chosen.len().next_multiple_of(32);
        let mut planes: Vec<u8> = chosen.iter().map(|c| link[usize::from(*c)].plane).collect();
        // The channels that fill up the row count as collection channels; their samples are all zero and give no hits.
        planes.resize(width, 2);
        let is_all = chosen.len() == link.len() && width == link.len();
        Ok(Some(Search {
            finder: finder(params, format, &planes)?,
            // Samples of a whole link are read where they lie, without a copy.
            stretches: (!is_all).then(|| stretches(&chosen)),
            channels: chosen,
            gathered: Vec::new(),
            width,
            begun: None,
        }))
    }

    /// Finds hits in rows of all channels of the link, `all` of them. `hits` gets channels of this finder.
    pub(super) fn find(
        &mut self,
        samples: &[i16],
        all: usize,
        first: i64,
        hits: &mut HitBuffer,
    ) -> Result<(), NodeError> {
        if let Some(stretches) = &self.stretches {
            gather(samples, all, stretches, self.width, &mut self.gathered);
        }
        let samples = if self.stretches.is_some() { &self.gathered } else { samples };
        // Hits of a new search begin with its first sample; earlier ticks belong to the search before.
        self.begun.get_or_insert(first);
        let level = Level::best();
        match &mut self.finder {
            Finder::Default(finder) => finder.find(level, samples, first, hits),
            Finder::Seed(finder) => finder.find(level, samples, first, hits),
            Finder::Tpg(finder) => finder.find(level, samples, first, hits),
        }
        .map_err(NodeError::new)
    }

    /// Rows are missing from `tick` on.
    pub(super) fn interrupt(&mut self, tick: i64, hits: &mut HitBuffer) {
        match &mut self.finder {
            Finder::Default(finder) => finder.interrupt(tick, hits),
            Finder::Seed(finder) => finder.interrupt(tick, hits),
            Finder::Tpg(finder) => finder.interrupt(tick, hits),
        }
    }

    /// The first tick since the last interruption: there was nothing before it that a hit could begin in.
    pub(super) fn begun(&self) -> i64 {
        self.begun.unwrap_or(i64::MIN)
    }

    /// Prepares the search for the first row after an interruption; the hits before it have been given out.
    pub(super) fn begin_anew(&mut self) {
        self.begun = None;
    }

    /// The earliest start of a hit still to come, when `tick` is the next row.
    pub(super) fn open_since(&self, tick: i64) -> i64 {
        match &self.finder {
            Finder::Default(finder) => finder.open_since(tick),
            Finder::Seed(finder) => finder.open_since(tick),
            Finder::Tpg(finder) => finder.open_since(tick),
        }
    }

    /// Pedestal of the finder's channel `channel`, counts; `None` before it is known.
    pub(super) fn pedestal(&self, channel: usize) -> Option<i16> {
        match &self.finder {
            Finder::Default(finder) => finder.pedestal(channel).filter(|_| finder.has_started()),
            Finder::Seed(finder) => {
                finder.quartiles(channel).map(|[median, ..]| median).filter(|_| self.begun.is_some())
            }
            Finder::Tpg(finder) => finder.pedestal(channel),
        }
    }

    /// Standard deviation of the noise of the finder's channel `channel`, counts: behind the filter (default), or of the samples from
    /// the range between the quartiles (seed). 0 when the algorithm does not measure it.
    pub(super) fn noise(&self, channel: usize) -> f64 {
        match &self.finder {
            Finder::Default(finder) => finder.noise(channel).map_or(0.0, f64::from),
            Finder::Seed(finder) => {
                finder.quartiles(channel).map_or(0.0, |[_, low, high]| f64::from(high - low) / IQR_OF_FRUGAL)
            }
            Finder::Tpg(_) => 0.0,
        }
    }
}

/// The range between frugal quartiles of normal noise, in standard deviations; 1.35 between true ones.
const IQR_OF_FRUGAL: f64 = 1.53;

fn finder(params: &HitFinderParams, format: RawFormat, planes: &[u8]) -> Result<Finder, NodeError> {
    let thresholds = [params.threshold_u, params.threshold_v, params.threshold_collection];
    let induction = params.bipolar_induction;
    Ok(match params.algorithm {
        Algorithm::Default => {
            // Frames tell their width only by the largest value of a sample.
            let bits = if format.most() == 4095 { SampleBits::Twelve } else { SampleBits::Fourteen };
            let preset = FinderSetup::new(bits);
            let mut setup = FinderSetup { bipolar: [induction, induction, false], ..preset };
            for (threshold, wanted) in setup.threshold.iter_mut().zip(thresholds) {
                // Zero stands for the preset of the width, which differs between electronics.
                *threshold = if wanted > 0.0 { wanted as f32 } else { *threshold };
            }
            Finder::Default(HitFinder::new(planes, setup).map_err(NodeError::new)?)
        }
        Algorithm::Seed => {
            Finder::Seed(SeedHits::new(planes.len(), params.seed_offset as i16).map_err(NodeError::new)?)
        }
        Algorithm::Tpg => {
            let (limit, from_first) = (params.tpg_limit as i16, params.tpg_from_first);
            let mut setup = TpgSetup { limit, from_first, ..TpgSetup::default() };
            for (threshold, wanted) in setup.threshold.iter_mut().zip(thresholds) {
                *threshold = if wanted > 0.0 { wanted as i16 } else { *threshold };
            }
            Finder::Tpg(TpgHits::new(planes, setup).map_err(NodeError::new)?)
        }
    })
}

fn stretches(channels: &[u16]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for channel in channels.iter().map(|c| usize::from(*c)) {
        match stretches.last_mut() {
            Some(last) if last.from + last.len == channel => last.len += 1,
            _ => stretches.push(Stretch { from: channel, len: 1 }),
        }
    }
    stretches
}

/// Rows of `width` channels from rows of `all`.
fn gather(samples: &[i16], all: usize, stretches: &[Stretch], width: usize, gathered: &mut Vec<i16>) {
    gathered.clear();
    gathered.resize(samples.len() / all.max(1) * width, 0);
    for (row, out) in samples.chunks_exact(all).zip(gathered.chunks_exact_mut(width)) {
        let mut at = 0;
        for Stretch { from, len } in stretches {
            out[at..at + len].copy_from_slice(&row[*from..from + len]);
            at += len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_channels_are_put_side_by_side() {
        let stretches = stretches(&[1, 2, 5]);
        assert_eq!(stretches, [Stretch { from: 1, len: 2 }, Stretch { from: 5, len: 1 }]);
        let mut out = Vec::new();
        gather(&[0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15], 6, &stretches, 4, &mut out);
        assert_eq!(out, [1, 2, 5, 0, 11, 12, 15, 0]);
    }
}
