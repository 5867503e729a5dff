//! Running a graph for a while, and the search for the highest rate at which it loses nothing.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use livetime_engine::{Graph, Report, Run, RunOptions};
use serde_json::{Value, json};

use crate::{MeasureError, Spread, tenths};

/// Quotient of the rates above and below the limit at which the search ends.
const PRECISION: f64 = 1.03;
/// Factor between two rates while the limit is not yet enclosed.
const STEP: f64 = 1.5;
/// The search is abandoned beyond this factor from the first rate: then the rate has no effect on losses.
const RANGE: f64 = 10_000.0;

/// One run of a graph.
pub struct Ran {
    /// The account of the run.
    pub report: Report,
    /// The time in which the sources were running, without the drain.
    pub seconds: f64,
    /// The sources came to their end before the time was over.
    pub ended_early: bool,
}

/// Runs a graph for `seconds` seconds, or until it ends by itself.
///
/// # Errors
/// [`MeasureError`], when the graph cannot start, a node fails, or the ledger does not close.
pub fn run_for(graph: &Graph, seconds: f64) -> Result<Ran, MeasureError> {
    let run = Run::start(graph, RunOptions::default())?;
    // The time begins behind the start, whose allocations belong to no frame.
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let ended_early = run.wait(until.saturating_duration_since(Instant::now()));
    // The drain is not part of the measured time, but its frames are part of the ledger.
    let elapsed = run.report().elapsed_ns as f64 / 1e9;
    run.stop();
    let report = run.finish(Duration::from_secs(10));
    let imbalances = report.imbalances();
    if let Some(failure) = &report.failure {
        return Err(MeasureError::Failed(failure.clone()));
    }
    if !imbalances.is_empty() {
        return Err(MeasureError::NotClosed(imbalances));
    }
    Ok(Ran { report, seconds: elapsed, ended_early })
}

impl Ran {
    /// Frames that the sources sent.
    pub fn frames(&self) -> u64 {
        let is_source = |n: &usize| self.report.edges.iter().all(|e| e.nodes.1 != Some(*n));
        (0..self.report.nodes.len()).filter(is_source).map(|n| self.report.nodes[n].emitted).sum()
    }

    /// Frames that the sources sent per second.
    pub fn hz(&self) -> f64 {
        self.frames() as f64 / self.seconds
    }

    /// CPU time of all threads; 100 is one core.
    pub fn cpu_percent(&self) -> f64 {
        let cpu_ns = self.report.cpu_ns.unwrap_or(0) as f64;
        100.0 * cpu_ns / self.report.elapsed_ns as f64
    }

    /// Frames that each node behind the first was offered and did not come to a good end with.
    pub fn dropped(&self) -> BTreeMap<&str, u64> {
        self.report.nodes[1..].iter().map(|n| (&*n.name, n.lost_before + n.lost_inside())).collect()
    }

    /// Frames that were lost and not left out on purpose, at all places.
    pub fn total_dropped(&self) -> u64 {
        self.report.unintended_losses()
    }

    /// One line for people.
    pub fn line(&self) -> String {
        let (hz, cpu, lost) = (self.hz(), self.cpu_percent(), self.total_dropped());
        format!("{hz:.0} frames/s, {cpu:.0} % CPU, {lost} dropped")
    }
}

/// The highest rate at which nothing is dropped, and the runs that confirm it.
pub struct Search {
    /// The slowest of the runs that confirm it; 0 if there is no such rate.
    pub hz: f64,
    /// The rates of the runs that confirm it.
    pub confirmed_hz: Vec<f64>,
    /// All rates that were tried, with the frames that were lost.
    pub tried: Vec<(f64, u64)>,
    /// The last run without a loss.
    pub clean: Option<Ran>,
    /// The slowest run with losses.
    pub lossy: Option<(f64, Ran)>,
}

/// Raises the rate until something is dropped (or lowers it until nothing is), halves the interval, then asks for
/// `repeats` runs without a loss, a little slower each time that one fails.
///
/// # Errors
/// The error of a run.
pub fn search<E>(
    first_hz: f64,
    repeats: usize,
    run_at: &mut impl FnMut(f64) -> Result<Ran, E>,
) -> Result<Search, E> {
    let mut found = Search { hz: 0.0, confirmed_hz: vec![], tried: vec![], clean: None, lossy: None };
    // Upwards first, then downwards: the first rate is only an estimate.
    let (mut low, mut high) = (first_hz / STEP, first_hz);
    while high < first_hz * RANGE && found.is_clean(high, run_at)?.is_some() {
        (low, high) = (high, high * STEP);
    }
    while high <= first_hz && found.is_clean(low, run_at)?.is_none() {
        (low, high) = (low / STEP, low);
        if low < first_hz / RANGE {
            return Ok(found);
        }
    }
    while high / low > PRECISION {
        // The geometric middle, because rates matter by their quotient.
        let middle = (low * high).sqrt();
        match found.is_clean(middle, run_at)? {
            Some(_) => low = middle,
            None => high = middle,
        }
    }
    // One clean run may be luck; the rate must be clean several times in a row.
    while found.confirmed_hz.len() < repeats && low > first_hz / RANGE {
        match found.is_clean(low, run_at)? {
            Some(hz) => found.confirmed_hz.push(hz),
            None => {
                // A failure begins the count anew at a lower rate.
                found.confirmed_hz.clear();
                low /= PRECISION;
            }
        }
    }
    // The slowest confirmed run is claimed, not the mean.
    let hz = found.confirmed_hz.iter().copied().fold(f64::INFINITY, f64::min);
    found.hz = if hz.is_finite() { hz } else { 0.0 };
    Ok(found)
}

impl Search {
    /// Runs at a rate; the rate that was reached if nothing was lost.
    fn is_clean<E>(
        &mut self,
        hz: f64,
        run_at: &mut impl FnMut(f64) -> Result<Ran, E>,
    ) -> Result<Option<f64>, E> {
        let ran = run_at(hz)?;
        let (reached, dropped) = (ran.hz(), ran.total_dropped());
        self.tried.push((hz, dropped));
        if dropped > 0 {
            if self.lossy.as_ref().is_none_or(|(slowest, _)| hz < *slowest) {
                self.lossy = Some((hz, ran));
            }
            return Ok(None);
        }
        // A source that did not reach its rate was held up, and proves nothing about that rate.
        let is_clean = reached > 0.98 * hz;
        if is_clean {
            self.clean = Some(ran);
        }
        Ok(is_clean.then_some(reached))
    }

    /// Median and spread of the confirming runs.
    pub fn spread(&self) -> Spread {
        Spread::of(self.confirmed_hz.clone())
    }

    /// For records.
    pub fn json(&self) -> Value {
        json!({
            "loss_free_hz": tenths(self.hz),
            "loss_free_confirmed_hz": self.confirmed_hz.iter().map(|hz| tenths(*hz)).collect::<Vec<_>>(),
            "loss_free_tried": self.tried.iter().map(|(hz, lost)| json!([tenths(*hz), lost])).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
#[path = "../../control/src/report/fixture.rs"]
mod fixture;

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph that loses frames above `limit_hz`, with a source that makes at most `source_hz`.
    fn graph(limit_hz: f64, source_hz: f64) -> impl FnMut(f64) -> Result<Ran, MeasureError> {
        move |hz| {
            let mut report = fixture::report(1);
            let reached = hz.min(source_hz);
            let lost = if reached > limit_hz { 5 } else { 0 };
            report.nodes[0].emitted = (1000.0 * reached) as u64;
            report.edges[0].lost =
                std::iter::repeat_n((livetime_engine::LossReason::QueueFull, lost), 1).collect();
            Ok(Ran { report, seconds: 1000.0, ended_early: false })
        }
    }

    #[test]
    fn the_limit_is_found_from_below_and_from_above() {
        for first in [10.0, 950.0, 30_000.0] {
            let found = search(first, 3, &mut graph(1000.0, f64::MAX)).unwrap();
            assert!(found.hz <= 1000.0 && found.hz > 960.0, "{first}: {}", found.hz);
            assert_eq!(found.confirmed_hz.len(), 3);
            assert!(found.clean.is_some() && found.lossy.unwrap().0 > 1000.0);
        }
    }

    #[test]
    fn a_source_that_is_too_slow_is_a_limit_and_a_graph_that_always_loses_has_none() {
        let found = search(100.0, 3, &mut graph(f64::MAX, 500.0)).unwrap();
        assert!(found.hz <= 500.0 && found.hz > 450.0 && found.lossy.is_none(), "{}", found.hz);
        let found = search(100.0, 3, &mut graph(0.0, f64::MAX)).unwrap();
        assert!(found.hz == 0.0 && found.clean.is_none() && found.lossy.is_some());
    }
}
