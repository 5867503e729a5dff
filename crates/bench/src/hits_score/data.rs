//! The simulated data.

use std::fmt;

use livetime_engine::nearest;
use livetime_sim::wires::{PulseShape, SimulationSetup, TestPulses};

/// Data of one kind.
pub(super) struct DataSet {
    pub(super) name: &'static str,
    /// In words.
    pub(super) what: &'static str,
    /// Noise, decays, tracks; without test pulses and for no time.
    setup: SimulationSetup,
    pulses: Pulses,
}

/// Which pulses are to be found.
#[derive(Clone, Copy, PartialEq)]
enum Pulses {
    /// Test pulses, on all channels alike; and time without any.
    Test(PulseShape),
    /// Pulses of the detector, by plane.
    Detector,
}

/// Heights of test pulses, counts.
pub(super) const AMPLITUDES: [f32; 32] = [
    4.0, 6.0, 8.0, 10.0, 12.0, 13.0, 14.0, 15.0, 16.0, 18.0, 20.0, 22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 35.0,
    37.0, 40.0, 42.0, 45.0, 48.0, 50.0, 55.0, 60.0, 70.0, 80.0, 100.0, 150.0, 200.0, 400.0,
];

/// Test pulses per channel and second: so few that quartiles and pedestals do not see them. (At 1000 the seed's threshold is 0.2 counts higher.)
const TEST_HZ: f64 = 100.0;

fn all() -> Vec<DataSet> {
    let noise =
        |noise_rms, correlation| SimulationSetup { noise_rms, correlation, ..SimulationSetup::default() };
    let test = |name, what, setup| DataSet { name, what, setup, pulses: Pulses::Test(PulseShape::Unipolar) };
    let detector = |name, what, setup| DataSet { name, what, setup, pulses: Pulses::Detector };
    vec![
        test("white3", "white noise of 3 counts", noise(3.0, 0.0)),
        test("white4", "white noise of 4 counts", noise(4.0, 0.0)),
        test("white5", "white noise of 5 counts", noise(5.0, 0.0)),
        DataSet {
            pulses: Pulses::Test(PulseShape::Bipolar),
            ..test("white4-bipolar", "white noise of 4 counts, pulses down then up", noise(4.0, 0.0))
        },
        test("correlated", "noise of 4 counts, correlation of neighbouring ticks 0.6", noise(4.0, 0.6)),
        test(
            "coherent",
            "white noise of 4 counts and 1.5 counts common to each board",
            SimulationSetup { coherent_rms: 1.5, ..noise(4.0, 0.0) },
        ),
        test(
            "sticky",
            "white noise of 4 counts, sticky codes on a tenth of the channels",
            SimulationSetup { sticky: 0.1, ..noise(4.0, 0.0) },
        ),
        detector(
            "argon",
            "decays of argon-39 in white noise of 4 counts",
            SimulationSetup { argon_hz: 70.0, ..noise(4.0, 0.0) },
        ),
        detector(
            "cosmics",
            "cosmic tracks in white noise of 4 counts",
            SimulationSetup { tracks_hz: 3000.0, ..noise(4.0, 0.0) },
        ),
    ]
}

/// The data sets of these names, all for none.
///
/// # Errors
/// A name that does not exist, with the nearest that does.
pub(super) fn data_sets(names: &[String]) -> Result<Vec<DataSet>, UnknownDataSet> {
    let known: Vec<&'static str> = all().iter().map(|set| set.name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let hint = nearest(name, known.iter().copied());
        return Err(UnknownDataSet { name: name.clone(), known, hint });
    }
    Ok(all().into_iter().filter(|set| names.is_empty() || names.iter().any(|n| n == set.name)).collect())
}

/// No data set has this name.
#[derive(Debug)]
pub(super) struct UnknownDataSet {
    name: String,
    known: Vec<&'static str>,
    hint: String,
}

impl fmt::Display for UnknownDataSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, known, hint) = (&self.name, self.known.join(", "), &self.hint);
        write!(f, "wanted a data set of {known}, found `{name}`{hint}")
    }
}

/// Samples of one link that one thread makes and searches.
pub(super) struct Job {
    pub(super) setup: SimulationSetup,
    pub(super) link: usize,
    /// Time without pulses: only false hits are counted.
    pub(super) is_quiet: bool,
}

/// Ticks of a job that count.
pub(super) const JOB_TICKS: usize = 200_000;

impl DataSet {
    /// Whether all channels have test pulses of one shape; else they are counted by plane.
    pub(super) fn is_test(&self) -> bool {
        self.pulses != Pulses::Detector
    }

    /// The jobs: `settle` ticks each until the hit finder knows pedestals and noise, then the ticks that count.
    pub(super) fn jobs(&self, settle: usize, quiet_s: f64, pulses: f64, seed: u64) -> Vec<Job> {
        let ticks = settle + JOB_TICKS;
        let base = SimulationSetup { ticks, links: 1, ..self.setup.clone() };
        let seconds = JOB_TICKS as f64 * base.tick_seconds();
        let channels = base.format.channels() as f64;
        let job = |setup: &SimulationSetup, i: u64, link, is_quiet| Job {
            // Neighbouring seeds share no job, with up to a million jobs.
            setup: SimulationSetup { seed: seed.wrapping_mul(1_000_003).wrapping_add(i), ..setup.clone() },
            link,
            is_quiet,
        };
        let Pulses::Test(shape) = self.pulses else {
            // Decays and tracks reach wires of all ten links.
            let setup = SimulationSetup { links: 10, ..base };
            let parts = (quiet_s / (10.0 * channels * seconds)).ceil().max(1.0) as u64;
            return (0..parts)
                .flat_map(|i| (0..10).map(move |link| (i, link)))
                .map(|(i, link)| job(&setup, i, link, false))
                .collect();
        };
        let test =
            TestPulses { rate_hz: TEST_HZ, amplitudes: AMPLITUDES.to_vec(), shape, ..TestPulses::default() };
        let with_pulses = SimulationSetup { test_pulses: Some(test), ..base.clone() };
        let quiet_jobs = (quiet_s / (channels * seconds)).ceil() as u64;
        let wanted = pulses * AMPLITUDES.len() as f64;
        let pulse_jobs = (wanted / (TEST_HZ * channels * seconds)).ceil().max(1.0) as u64;
        let quiet = (0..quiet_jobs).map(|i| job(&base, i, 0, true));
        // Seeds far from the seeds of quiet jobs.
        quiet.chain((0..pulse_jobs).map(|i| job(&with_pulses, 1 << 32 | i, 0, false))).collect()
    }
}
