//! `trigger_michel`: a track that stops, and the electron of the decay of the stopped particle.
//!
//! In: merged hits; choose `planes: collection`, for the channels of other planes do not follow each other along a
//! track. Out: activities of the hits of the track; see [`super`]. The track is the longest run of channels in a
//! window, where it is long enough. Its charge is highest at its end (the Bragg peak); beyond, the track continues in
//! another direction (the kink):
//!
//! - the charge of each channel, averaged with its two neighbours, is highest in the outer `outer` of the track's channels at one of its ends, and
//!   there at least `bragg` times the mean of the track;
//! - the straight lines through the channels on both sides of that peak, at least three on each, differ by at least `kink`.
//!
//! Ideas and numbers are the ones of DUNE's Michel electron algorithm. The activity's time is the time of the highest
//! charge.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::michel::TriggerMichel;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerMichel>(&[])?;
//! // Thirty channels along the track, and six that turn away from where it stops.
//! let hit = |i: u64| HitRow {
//!     time_start: 1000 + 40 * i + 200 * i.saturating_sub(29),
//!     channel: 1700 + i as u32,
//!     adc_integral: if (28..31).contains(&i) { 900 } else { 300 },
//!     ..HitRow::default()
//! };
//! let (rows, mut out) = ((0..36).map(hit).collect::<Vec<_>>(), Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 100_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out.len(), out[0].hits, out[0].time_activity), (1, 36, 1000 + 40 * 29));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::runs::{ChannelRun, Rule, Runs};
use super::window::{Condition, Window, window_params};
use super::{Trigger, trigger_params};
use crate::HitRow;

/// `trigger_michel`.
pub type TriggerMichel = Trigger<Window<Michel>>;

trigger_params! {
    /// Parameters of `trigger_michel`.
    MichelParams {
        /// Length of the window.
        #[param(default = 50_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// A run of more channels than this is a track.
        #[param(default = 15, min = 1)]
        adjacency: u32,
        /// Largest step from one channel of a run to the next.
        #[param(default = 5, min = 1, max = 64)]
        gap: u32,
        /// A step of more than one channel belongs to a run while the sum of those before is below this.
        #[param(default = 3, min = 0)]
        tolerance: u32,
        /// Least charge of the Bragg peak, by the mean of the track.
        #[param(default = 1.3, min = 1, max = 1000)]
        bragg: f64,
        /// Part of the track's channels, from either end, in which the Bragg peak must lie.
        #[param(default = 0.25, min = 0, max = 1)]
        outer: f64,
        /// Least angle between both sides of the Bragg peak.
        #[param(default = 10.0, min = 0, max = 180, unit = "degrees")]
        kink: f64,
        /// Time in which charge drifts as far as from one wire to the next: 150 ticks of 20 ns for 4.79 mm at 1.6 mm/us.
        #[param(default = 150.0, min = 1, max = 1_000_000, unit = "ticks")]
        pitch: f64,
    }
}
window_params!(MichelParams);

/// The track of a window.
#[derive(Default)]
pub struct Michel {
    runs: Runs,
    run: Option<ChannelRun>,
    /// Time of the Bragg peak.
    moment: u64,
    track: Vec<Point>,
    /// The track that did not fulfil the condition, and the condition: nothing needs to be tested again while no hit of it comes or goes.
    failed: Option<(ChannelRun, Wanted)>,
}

/// The conditions for a track: its parameters.
#[derive(Clone, Copy, PartialEq)]
struct Wanted {
    bragg: f64,
    outer: f64,
    kink: f64,
    pitch: f64,
}

/// A channel of the track.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    channel: u32,
    hits: u32,
    charge: u64,
    /// Start of its hit of most charge, and that charge.
    time: u64,
    most: u32,
}

/// Least channels of a straight line: through two the line would fit exactly, and noise would make its direction.
const FEWEST: usize = 3;

impl Condition for Michel {
    type Params = MichelParams;
    const NAME: &'static str = "trigger_michel";
    const SUMMARY: &'static str = "Finds tracks that end with much charge and a kink.";
    const NUMBER: u16 = 5;
    const KIND: u16 = 8;

    fn add(&mut self, hit: &HitRow, params: &MichelParams) {
        self.runs.set_rule(Rule { gap: params.gap, tolerance: params.tolerance });
        self.runs.add(hit.channel);
        self.touch(hit);
    }

    fn remove(&mut self, hit: &HitRow) {
        self.runs.remove(hit.channel);
        self.touch(hit);
    }

    fn clear(&mut self) {
        self.runs.clear();
        self.failed = None;
    }

    fn holds(&mut self, hits: &VecDeque<HitRow>, params: &MichelParams) -> bool {
        if self.runs.longest() <= params.adjacency {
            return false;
        }
        let Some(run) = self.runs.longest_run() else { return false };
        let tested = (run, Wanted::of(params));
        if self.failed == Some(tested) {
            return false;
        }
        gather(hits, run, &mut self.track);
        let peak = bragg_peak(&self.track, &tested.1).filter(|peak| has_kink(&self.track, *peak, &tested.1));
        let Some(peak) = peak else {
            self.failed = Some(tested);
            return false;
        };
        (self.run, self.moment) = (Some(run), self.track[peak].time);
        true
    }

    fn keeps(&self, hit: &HitRow) -> bool {
        self.run.is_some_and(|run| (run.first..=run.last).contains(&hit.channel))
    }

    fn moment(&mut self, _hits: &VecDeque<HitRow>, _params: &MichelParams) -> u64 {
        self.moment
    }
}

impl Michel {
    /// A hit comes or goes: the track is tested again if it is one of its hits.
    fn touch(&mut self, hit: &HitRow) {
        self.failed = self.failed.filter(|(run, _)| !(run.first..=run.last).contains(&hit.channel));
    }
}

impl Wanted {
    fn of(params: &MichelParams) -> Wanted {
        Wanted { bragg: params.bragg, outer: params.outer, kink: params.kink, pitch: params.pitch }
    }
}

/// The channels of `run`, in order.
fn gather(hits: &VecDeque<HitRow>, run: ChannelRun, track: &mut Vec<Point>) {
    track.clear();
    let none = |channel| Point { channel, hits: 0, charge: 0, time: 0, most: 0 };
    track.extend((run.first..=run.last).map(none));
    for hit in hits.iter().filter(|hit| (run.first..=run.last).contains(&hit.channel)) {
        let point = &mut track[(hit.channel - run.first) as usize];
        if point.hits == 0 || hit.adc_integral > point.most {
            (point.time, point.most) = (hit.time_start, hit.adc_integral);
        }
        point.hits += 1;
        point.charge += u64::from(hit.adc_integral);
    }
    track.retain(|point| point.hits > 0);
}

/// The channel of the highest mean charge of three, if it is high enough and near an end.
fn bragg_peak(track: &[Point], wanted: &Wanted) -> Option<usize> {
    let mean = |points: &[Point]| points.iter().map(|p| p.charge as f64).sum::<f64>() / points.len() as f64;
    let three = |at: usize| mean(&track[at.saturating_sub(1)..(at + 2).min(track.len())]);
    let highest = |best: usize, at: usize| if three(at) > three(best) { at } else { best };
    let peak = (0..track.len()).reduce(highest)?;
    let outer = wanted.outer * track.len() as f64;
    let is_near_end = peak.min(track.len() - 1 - peak) as f64 <= outer;
    (is_near_end && three(peak) >= wanted.bragg * mean(track)).then_some(peak)
}

/// Whether the directions on both sides of `peak` differ enough.
fn has_kink(track: &[Point], peak: usize, wanted: &Wanted) -> bool {
    let (before, after) = (&track[..=peak], &track[peak..]);
    let angle = |side: &[Point]| slope(side, wanted.pitch).atan().to_degrees();
    let enough = before.len() >= FEWEST && after.len() >= FEWEST;
    enough && (angle(before) - angle(after)).abs() >= wanted.kink
}

/// Drift by channels, both in units of the pitch, of the straight line with the least squares.
fn slope(points: &[Point], pitch: f64) -> f64 {
    let first = points[0];
    let x = |p: &Point| f64::from(p.channel - first.channel);
    let y = |p: &Point| (p.time as f64 - first.time as f64) / pitch;
    let count = points.len() as f64;
    let (mean_x, mean_y) =
        (points.iter().map(x).sum::<f64>() / count, points.iter().map(y).sum::<f64>() / count);
    let both: f64 = points.iter().map(|p| (x(p) - mean_x) * (y(p) - mean_y)).sum();
    let square: f64 = points.iter().map(|p| (x(p) - mean_x).powi(2)).sum();
    both / square
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A track of straight pieces: for each channels, ticks per channel and charge.
    fn track(pieces: &[(u32, u64, u32)]) -> VecDeque<HitRow> {
        let (mut time_start, mut channel, mut hits) = (1000, 100, VecDeque::new());
        for (channels, ticks, adc_integral) in pieces {
            for _ in 0..*channels {
                hits.push_back(HitRow {
                    time_start,
                    channel,
                    adc_integral: *adc_integral,
                    ..HitRow::default()
                });
                (time_start, channel) = (time_start + ticks, channel + 1);
            }
        }
        hits
    }

    fn is_michel(pieces: &[(u32, u64, u32)], params: &MichelParams) -> bool {
        let mut michel = Michel::default();
        let hits = track(pieces);
        hits.iter().for_each(|hit| michel.add(hit, params));
        michel.holds(&hits, params)
    }

    #[test]
    fn needs_length_peak_and_kink() {
        let params = MichelParams::default();
        let turn = [(27, 20, 300), (3, 20, 900), (6, 300, 300)];
        assert!(is_michel(&turn, &params));
        assert!(!is_michel(&[(27, 20, 300), (3, 20, 900), (6, 20, 300)], &params), "straight");
        assert!(!is_michel(&[(27, 20, 300), (3, 20, 310), (6, 300, 300)], &params), "no peak");
        assert!(!is_michel(&[(15, 20, 300), (3, 20, 900), (16, 300, 300)], &params), "peak in the middle");
        assert!(!is_michel(&[(9, 20, 300), (3, 20, 900), (3, 300, 300)], &params), "short");
        assert!(!is_michel(&[(27, 20, 300), (3, 20, 900)], &params), "nothing beyond the peak");
        assert!(!is_michel(&turn, &MichelParams { kink: 70.0, ..MichelParams::default() }), "angle");
    }

    #[test]
    fn a_slope_in_units_of_the_pitch() {
        let hits = track(&[(5, 75, 1)]);
        let mut points = Vec::new();
        gather(&hits, ChannelRun { first: 100, last: 104, channels: 5 }, &mut points);
        assert!((slope(&points, 150.0) - 0.5).abs() < 1e-12);
    }
}
