//! `trigger_dbscan`: dense clusters of hits in time and channel.
//!
//! In: merged hits. Out: activities; see [`super`]. The distance of two hits is the distance of the points (time ·
//! `time_scale`, channel). A hit with at least `least_points` hits (itself among them) within `eps` is a core. Cores
//! within `eps` of each other are of one cluster. A hit that is no core belongs to the cluster of the first core, in
//! the order of the hits, within `eps`; else it is noise. A cluster is sent when no later hit can join it. (Ester,
//! Kriegel, Sander and Xu 1996; numbers as in DUNE.)
//!
//! Each hit is compared with held hits that are near in time, so a burst of n hits within `eps` costs n² comparisons; `most_hits`
//! bounds n. Cores do not join clusters that would then be longer than `longest`, which bounds the memory.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::triggers::dbscan::TriggerDbscan;
//! use livetime_wire::{ActivityRow, HitRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerDbscan>(&[])?;
//! let hit = |time_start, channel| HitRow { time_start, channel, ..HitRow::default() };
//! let (rows, mut out) = ([hit(0, 1), hit(500, 9), hit(700, 5), hit(800, 50)], Vec::new());
//! let hits = RowTable::with(node.pool(), &rows, None, 20_000)?;
//! RowTable::<ActivityRow>::default().read(&node.feed(&hits)?[0], &mut out)?;
//! assert_eq!((out.len(), out[0].hits, out[0].channel_end), (1, 3, 9));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;

use super::{Algorithm, Found, Trigger, trigger_params};
use crate::{ActivityRow, HitRow};

/// `trigger_dbscan`.
pub type TriggerDbscan = Trigger<Dbscan>;

trigger_params! {
    /// Parameters of `trigger_dbscan`.
    DbscanParams {
        /// Largest distance of neighbours, in channels.
        #[param(default = 10.0, min = 0, max = 1_000_000)]
        eps: f64,
        /// Hits within `eps` that make a core.
        #[param(default = 3, min = 1)]
        least_points: u32,
        /// Channels that a tick counts as.
        #[param(default = 0.01, min = 0.000001, max = 1_000_000, unit = "1/ticks")]
        time_scale: f64,
        /// Longest cluster, first to last core.
        #[param(default = 100_000, min = 1, max = 10_000_000_000.0, unit = "ticks")]
        longest: u64,
    }
}

/// Hits with neighbours still to come, and clusters that may still grow.
pub struct Dbscan {
    points: VecDeque<Point>,
    /// Number of settled hits, counted from the oldest: such a hit is known as a core, as the border of a cluster or as
    /// noise.
    settled: usize,
    /// By number.
    clusters: Vec<Cluster>,
    clusters_so_far: u64,
    /// No cluster is complete before this.
    complete: u64,
    /// Hits that the latest one has made cores.
    new_cores: Vec<usize>,
}

struct Point {
    hit: HitRow,
    neighbours: u32,
    /// Of a core.
    cluster: Option<u64>,
}

struct Cluster {
    number: u64,
    first_core: u64,
    last_core: u64,
    row: ActivityRow,
}

/// Whether two hits are neighbours.
fn are_near(a: &HitRow, b: &HitRow, params: &DbscanParams) -> bool {
    let time = a.time_start.abs_diff(b.time_start) as f64 * params.time_scale;
    let channels = f64::from(a.channel.abs_diff(b.channel));
    time * time + channels * channels <= params.eps * params.eps
}

/// Ticks within which neighbours are.
fn reach(params: &DbscanParams) -> u64 {
    ((params.eps / params.time_scale) as u64).saturating_add(1).min(u64::MAX / 4)
}

/// When all hits of a cluster are settled: a border hit may come one `reach` after the last core, the next core one
/// `reach` after that, and the neighbours that make it a core one more.
fn complete_at(last_core: u64, params: &DbscanParams) -> u64 {
    last_core.saturating_add(3 * reach(params))
}

impl Dbscan {
    /// Indices of the hits near in time to that at `at`, which are all held.
    fn around(&self, at: usize, params: &DbscanParams) -> std::ops::Range<usize> {
        let (time, reach) = (self.points[at].hit.time_start, reach(params));
        let far = |p: &&Point| p.hit.time_start.abs_diff(time) > reach;
        // Points are in the order of time, so the search ends at the first point out of reach.
        let before = self.points.range(..at).rev().take_while(|p| !far(p)).count();
        let after = self.points.range(at..).take_while(|p| !far(p)).count();
        at - before..at + after
    }

    /// Makes a core of the hit at `at`: it begins a cluster, or joins all clusters of cores near it.
    fn make_core(&mut self, at: usize, params: &DbscanParams) {
        let hit = self.points[at].hit;
        let mut own = self.clusters_so_far;
        self.clusters_so_far += 1;
        let row = ActivityRow::of(&hit, params.sample_step);
        let (first_core, last_core) = (hit.time_start, hit.time_start);
        self.clusters.push(Cluster { number: own, first_core, last_core, row });
        self.points[at].cluster = Some(own);
        // The earliest time at which a cluster is complete is kept, so that most calls need not look at the clusters.
        self.complete = self.complete.min(complete_at(last_core, params));
        for other in self.around(at, params) {
            let point = &self.points[other];
            if let Some(number) = point.cluster.filter(|n| *n != own && are_near(&hit, &point.hit, params)) {
                own = self.merge(number, own, params.longest);
            }
        }
    }

    /// Makes one cluster of two, unless it would be too long; the number of the cluster of `b`.
    fn merge(&mut self, a: u64, b: u64, longest: u64) -> u64 {
        let (Some(low), Some(high)) = (self.index(a.min(b)), self.index(a.max(b))) else { return b };
        let first = self.clusters[low].first_core.min(self.clusters[high].first_core);
        let last = self.clusters[low].last_core.max(self.clusters[high].last_core);
        // A cluster of noise that never pauses would grow without an end, so clusters beyond the limit stay apart.
        if last - first > longest {
            return b;
        }
        let gone = self.clusters.remove(high);
        let kept = &mut self.clusters[low];
        (kept.first_core, kept.last_core) = (first, last);
        kept.row.join(&gone.row);
        let number = kept.number;
        self.points
            .iter_mut()
            .filter(|p| p.cluster == Some(gone.number))
            .for_each(|p| p.cluster = Some(number));
        number
    }

    fn index(&self, number: u64) -> Option<usize> {
        self.clusters.binary_search_by_key(&number, |cluster| cluster.number).ok()
    }

    /// Enters a hit that is no core, and whose neighbours are all known, in the cluster of the first core near it.
    fn settle(&mut self, at: usize, params: &DbscanParams) {
        let hit = self.points[at].hit;
        let cores = self.around(at, params).filter_map(|other| {
            let point = &self.points[other];
            point.cluster.filter(|_| are_near(&hit, &point.hit, params))
        });
        let cluster = { cores }.next().and_then(|number| self.index(number));
        if let Some(cluster) = cluster {
            self.clusters[cluster].row.join(&ActivityRow::of(&hit, params.sample_step));
        }
    }

    /// Sends the complete clusters, in the order in which they became complete.
    fn send_complete(&mut self, time: u64, params: &DbscanParams, found: &mut Found) {
        while self.complete <= time {
            let next = (0..self.clusters.len()).min_by_key(|i| self.clusters[*i].last_core);
            let Some(next) = next else {
                self.complete = u64::MAX;
                return;
            };
            self.complete = complete_at(self.clusters[next].last_core, params);
            if self.complete <= time {
                found.give(self.clusters.remove(next).row);
            }
        }
    }
}

impl Default for Dbscan {
    fn default() -> Dbscan {
        Dbscan {
            points: VecDeque::new(),
            settled: 0,
            clusters: Vec::new(),
            clusters_so_far: 0,
            complete: u64::MAX,
            new_cores: Vec::new(),
        }
    }
}

impl Algorithm for Dbscan {
    type Params = DbscanParams;
    const NAME: &'static str = "trigger_dbscan";
    const SUMMARY: &'static str = "Finds dense clusters of hits in time and channel.";
    const NUMBER: u16 = 6;
    const KIND: u16 = 10;

    fn until(&mut self, time: u64, params: &DbscanParams, found: &mut Found) {
        let reach = reach(params);
        let is_past = |p: &Point, reaches: u64| p.hit.time_start.saturating_add(reaches * reach) <= time;
        // A hit that may still become a core must not be given to a cluster yet, so a hit waits for two reaches.
        while self.points.get(self.settled).is_some_and(|p| is_past(p, 2)) {
            if self.points[self.settled].cluster.is_none() {
                self.settle(self.settled, params);
            }
            self.settled += 1;
        }
        self.send_complete(time, params, found);
        while self.points.pop_front_if(|p| is_past(p, 3)).is_some() {
            self.settled = self.settled.saturating_sub(1);
        }
    }

    fn hit(&mut self, hit: &HitRow, params: &DbscanParams, _found: &mut Found) {
        let at = self.points.len();
        self.points.push_back(Point { hit: *hit, neighbours: 1, cluster: None });
        let mut cores = std::mem::take(&mut self.new_cores);
        let mut neighbours = 1;
        for other in self.around(at, params).filter(|other| *other != at) {
            let point = &mut self.points[other];
            if are_near(hit, &point.hit, params) {
                neighbours += 1;
                point.neighbours += 1;
                // Only the moment of becoming a core counts: a core that gets another neighbour is known already.
                if point.neighbours == params.least_points {
                    cores.push(other);
                }
            }
        }
        self.points[at].neighbours = neighbours;
        if neighbours >= params.least_points {
            cores.push(at);
        }
        cores.drain(..).for_each(|core| self.make_core(core, params));
        self.new_cores = cores;
    }

    fn earliest(&self) -> Option<u64> {
        let unsettled = self.points.get(self.settled).map(|p| p.hit.time_start);
        self.clusters.iter().map(|c| c.row.time_start).chain(unsettled).min()
    }

    fn held(&self) -> usize {
        self.points.len()
    }
}
