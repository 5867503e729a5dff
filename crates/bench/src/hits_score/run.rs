//! All cores at work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use livetime_kernels::hits::HitBuffer;
use livetime_nodes::Level;
use livetime_sim::wires::{Simulation, TruePulse};

use super::data::{AMPLITUDES, DataSet, Job};
use super::finder::{FinderOptions, Found};
use super::matching::{Matches, matches};
use super::score::Score;

/// How much is simulated, and how it is compared.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    /// Channel-seconds without pulses.
    pub(super) quiet_s: f64,
    /// Test pulses for each height.
    pub(super) pulses: f64,
    /// Ticks from pulse to hit.
    pub(super) tolerance: f64,
    pub(super) seed: u64,
    pub(super) workers: usize,
}

/// Why a data set has no score.
pub(super) type ScoreError = Box<dyn std::error::Error + Send + Sync>;

/// Rows that are searched at once: with their samples they stay in the cache.
const ROWS: usize = 256;

/// Simulates, finds, compares. Of test pulses one score, of the detector's one for collection and one for induction wires.
///
/// # Errors
/// The data that could not be simulated.
pub(super) fn run(set: &DataSet, finder: &FinderOptions, amount: &Amount) -> Result<Vec<Score>, ScoreError> {
    let jobs = set.jobs(finder.settle(), amount.quiet_s, amount.pulses, amount.seed);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((i, job)) = take(&jobs, &next) {
            done.push((i, score(set, job, finder, amount)?));
        }
        Ok(done)
    };
    let results: Vec<Result<_, ScoreError>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..amount.workers.min(jobs.len())).map(|_| scope.spawn(work)).collect();
        let panicked = |_| Err("a thread has panicked".into());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    });
    let mut done = Vec::new();
    for result in results {
        done.extend(result?);
    }
    // In the order of the jobs, so that sums do not depend on the speed of threads.
    done.sort_by_key(|(i, _)| *i);
    let mut scores = scores(set);
    for (_, parts) in &done {
        scores.iter_mut().zip(parts).for_each(|(score, part)| score.merge(part));
    }
    Ok(scores)
}

fn take<'a>(jobs: &'a [Job], next: &AtomicUsize) -> Option<(usize, &'a Job)> {
    // Relaxed: each number is given once, and guards no memory.
    let i = next.fetch_add(1, Ordering::Relaxed);
    Some((i, jobs.get(i)?))
}

fn scores(set: &DataSet) -> Vec<Score> {
    let new = |name: String| Score::new(name, &AMPLITUDES);
    match set.is_test() {
        true => vec![new(set.name.into())],
        false => ["collection", "induction"].map(|plane| new(format!("{}, {plane}", set.name))).into(),
    }
}

fn score(
    set: &DataSet,
    job: &Job,
    options: &FinderOptions,
    amount: &Amount,
) -> Result<Vec<Score>, ScoreError> {
    let settle = options.settle();
    let simulation = Simulation::new(job.setup.clone())?;
    let (hits, lost) = find(set, &simulation, job, options)?;
    let wires = &simulation.links()[job.link].wires;
    let mut pulses = vec![Vec::new(); wires.len()];
    // Before the finder has settled no pulse counts, and no hit.
    let mine = |p: &&TruePulse| usize::from(p.link) == job.link && p.time_peak() >= settle as f64;
    simulation.truth().iter().filter(mine).for_each(|p| pulses[usize::from(p.channel)].push(*p));
    let mut scores = scores(set);
    let channel_s = (job.setup.ticks - settle) as f64 * job.setup.tick_seconds();
    for ((pulses, hits), wire) in pulses.iter().zip(&hits).zip(wires) {
        let class = if set.is_test() { 0 } else { usize::from(wire.plane.number() < 2) };
        let matches = matches(pulses, hits, amount.tolerance);
        add(&mut scores[class], job.is_quiet || !set.is_test(), pulses, hits, &matches, channel_s);
    }
    scores[0].lost = lost;
    Ok(scores)
}

/// False hits count where the data have the pulses that they have anyway; test pulses are far more than there ever are.
fn add(
    score: &mut Score,
    count_fakes: bool,
    pulses: &[TruePulse],
    hits: &[Found],
    matches: &Matches,
    seconds: f64,
) {
    if count_fakes {
        score.fakes += matches.fakes as u64;
        score.channel_seconds += seconds;
    }
    if !pulses.is_empty() || !count_fakes {
        score.add(pulses, hits, matches);
    }
}

/// The hits of each channel, in the order of time, and how many found no room.
fn find(
    set: &DataSet,
    simulation: &Simulation,
    job: &Job,
    options: &FinderOptions,
) -> Result<(Vec<Vec<Found>>, u64), ScoreError> {
    let wires = &simulation.links()[job.link].wires;
    let planes: Vec<u8> = wires.iter().map(|w| if set.is_test() { 2 } else { w.plane.number() }).collect();
    let mut finder = options.finder(&planes)?;
    let mut reader = simulation.samples(job.link)?;
    let mut buffer = HitBuffer::with_capacity(planes.len() * ROWS);
    let (mut hits, mut samples) = (vec![Vec::new(); planes.len()], vec![0; ROWS * planes.len()]);
    let settle = options.settle() as f64;
    for first in (0..job.setup.ticks).step_by(ROWS) {
        let rows = ROWS.min(job.setup.ticks - first);
        let samples = &mut samples[..rows * planes.len()];
        reader.read(Level::best(), samples)?;
        // Emptied, so that its memory is taken once.
        buffer.clear();
        finder.find(samples, first as i64, &mut buffer)?;
        let found = buffer.hits().iter().map(|hit| finder.found(hit));
        found.filter(|hit| hit.peak_time >= settle).for_each(|hit| hits[usize::from(hit.channel)].push(hit));
    }
    Ok((hits, buffer.lost()))
}
