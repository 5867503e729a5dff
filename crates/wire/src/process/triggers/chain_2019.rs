//! `trigger_2019`: long runs on two anode planes within 50 us, the software trigger of ProtoDUNE-SP in 2019.
//!
//! In: merged hits with offline channels (2560 to an anode plane); only hits of the collection planes count. Out:
//! activities; see [`super`]. Time is cut into windows; in each, the longest run of neighbouring channels of every
//! anode plane is found. Two anode planes trigger when their runs are in windows that begin at most one window apart,
//! and
//!
//! - both have `coincidence` channels, or
//! - both have `stitch` channels, and the planes are neighbours on one side of the detector: a track goes from one to the other.
//!
//! With `planes_needed: 1` a run of `coincidence` channels is enough. The activity holds the runs, and its time is the
//! beginning of the later window; for `hold_off` after it no other activity is made. (Software trigger talks of 2019.
//! DUNE's list has no number for this algorithm, so its activities carry 0, and the kind of a horizontal muon.)
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::chain_2019::Trigger2019;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<Trigger2019>(&[])?;
//! let hit = |i: u32| HitRow { time_start: 5000, channel: 1600 + i % 110 + 5120 * (i / 110), plane: 2, ..HitRow::default() };
//! let (rows, mut out) = ((0..220).map(hit).collect::<Vec<_>>(), Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 10_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out.len(), out[0].hits, out[0].time_activity), (1, 220, 5000));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use super::runs::{ChannelRun, Rule, Runs};
use super::{Algorithm, Found, Trigger, trigger_params};
use crate::{ActivityRow, HitRow};

/// `trigger_2019`.
pub type Trigger2019 = Trigger<Chain2019>;

trigger_params! {
    /// Parameters of `trigger_2019`.
    Chain2019Params {
        /// Length of the windows that time is cut into.
        #[param(default = 2_500, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        window: u64,
        /// Largest step from one channel of a run to the next: 5 leaves out up to 4 channels.
        #[param(default = 5, min = 1, max = 64)]
        gap: u32,
        /// Channels of runs on neighbouring anode planes.
        #[param(default = 100, min = 1)]
        stitch: u32,
        /// Channels of runs on any anode planes.
        #[param(default = 300, min = 1)]
        coincidence: u32,
        /// Anode planes whose numbers differ by this are neighbours.
        #[param(default = 2, min = 1)]
        neighbour: u32,
        /// Anode planes that must have a run.
        #[param(default = 2, min = 1, max = 2)]
        planes_needed: u32,
        /// Time after an activity in which there is no other.
        #[param(default = 25_000_000, min = 0, max = 10_000_000_000.0, unit = "ticks")]
        hold_off: u64,
    }
}

/// The hits of the present window, and the long runs of it and the one before.
#[derive(Default)]
pub struct Chain2019 {
    /// Begin of the present window.
    begin: u64,
    hits: Vec<HitRow>,
    runs: Runs,
    long: Vec<LongRun>,
    /// No activity before this.
    held_until: u64,
}

/// A run that may belong to a track: the longest of its anode plane in its window.
#[derive(Clone, Copy)]
struct LongRun {
    begin: u64,
    plane: u32,
    channels: u32,
    row: ActivityRow,
}

/// Channels of an anode plane.
const APA: u32 = 2560;
const COLLECTION: u8 = 2;

impl Chain2019 {
    /// The present window is over.
    fn close(&mut self, params: &Chain2019Params, found: &mut Found) {
        let oldest = self.begin.saturating_sub(params.window);
        self.long.retain(|run| run.begin >= oldest);
        let before = self.long.len();
        self.find_long_runs(params);
        self.hits.clear();
        self.runs.clear();
        let is_free = self.begin >= self.held_until;
        if let Some(row) = self.coincidence(before, params).filter(|_| is_free) {
            found.give(ActivityRow { time_activity: self.begin, ..row });
            self.held_until = self.begin.saturating_add(params.hold_off);
            self.long.clear();
        }
    }

    /// Adds the longest run of every anode plane in the present window, if it is long enough for anything.
    fn find_long_runs(&mut self, params: &Chain2019Params) {
        let least = params.stitch.min(params.coincidence);
        let runs: Vec<ChannelRun> = self.runs.of_at_least(least).collect();
        for runs in runs.chunk_by(|a, b| a.first / APA == b.first / APA) {
            let longer = |a: ChannelRun, b: ChannelRun| if b.channels > a.channels { b } else { a };
            let longest = runs.iter().copied().reduce(longer);
            self.long.extend(longest.and_then(|run| self.long_run(run, params.sample_step)));
        }
    }

    fn long_run(&self, run: ChannelRun, sample_step: u64) -> Option<LongRun> {
        let hits = self.hits.iter().filter(|hit| (run.first..=run.last).contains(&hit.channel));
        let row = hits.map(|hit| ActivityRow::of(hit, sample_step)).reduce(joined)?;
        Some(LongRun { begin: self.begin, plane: run.first / APA, channels: run.channels, row })
    }

    /// The first of the present window's runs that triggers, with the first one it does so with. Runs from `before` on are of this window.
    fn coincidence(&self, before: usize, params: &Chain2019Params) -> Option<ActivityRow> {
        let new = &self.long[before..];
        if params.planes_needed == 1 {
            return new.iter().find(|run| run.channels >= params.coincidence).map(|run| run.row);
        }
        new.iter().find_map(|a| {
            let other = self.long.iter().find(|b| do_coincide(a, b, params));
            other.map(|b| joined(a.row, b.row))
        })
    }
}

fn do_coincide(a: &LongRun, b: &LongRun, params: &Chain2019Params) -> bool {
    let channels = a.channels.min(b.channels);
    let are_neighbours = a.plane.abs_diff(b.plane) == params.neighbour;
    a.plane != b.plane && (channels >= params.coincidence || are_neighbours && channels >= params.stitch)
}

fn joined(mut a: ActivityRow, b: ActivityRow) -> ActivityRow {
    a.join(&b);
    a
}

impl Algorithm for Chain2019 {
    type Params = Chain2019Params;
    const NAME: &'static str = "trigger_2019";
    const SUMMARY: &'static str = "Finds long runs on two anode planes at once, as in ProtoDUNE-SP in 2019.";
    const NUMBER: u16 = 0;
    const KIND: u16 = 7;

    fn until(&mut self, time: u64, params: &Chain2019Params, found: &mut Found) {
        if !self.hits.is_empty() && self.begin.saturating_add(params.window) <= time {
            self.close(params, found);
        }
        // Runs that no later window can coincide with must not hold the watermark.
        self.long.retain(|run| run.begin.saturating_add(2 * params.window) > time);
    }

    fn hit(&mut self, hit: &HitRow, params: &Chain2019Params, _found: &mut Found) {
        if hit.plane != COLLECTION {
            return;
        }
        if self.hits.is_empty() {
            self.begin = hit.time_start - hit.time_start % params.window;
            self.runs.set_rule(Rule { gap: params.gap, tolerance: u32::MAX });
        }
        self.hits.push(*hit);
        self.runs.add(hit.channel);
    }

    fn earliest(&self) -> Option<u64> {
        let present = self.hits.first().map(|hit| hit.time_start);
        self.long.iter().map(|run| run.row.time_start).chain(present).min()
    }

    fn held(&self) -> usize {
        self.hits.len()
    }
}
