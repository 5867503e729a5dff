//! The pvAccess benchmarks: a server in a process of its own, a client in this one, loopback between them, and
//! plain TCP through sockets with the same options beside it, as something to compare with.

mod get;
mod monitor;
mod peer;
mod raw;
mod stages;

use crate::Failed;
use std::time::Duration;

pub(super) use get::run as get;
pub(super) use monitor::run as monitor;
pub use peer::serve;
pub(super) use stages::run as stages;

/// Long enough for the slowest row; reached only when something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// The sorted times of rounds, in us.
struct Rounds(Vec<f64>);

impl Rounds {
    /// Repeats `round` for `time`, at least once.
    fn of(time: Duration, mut round: impl FnMut() -> Result<(), Failed>) -> Result<Rounds, Failed> {
        let begin = std::time::Instant::now();
        let mut times = Vec::new();
        let mut last = begin;
        while last.duration_since(begin) < time || times.is_empty() {
            round()?;
            let now = std::time::Instant::now();
            // One clock reading serves as an end and as a begin, so that no time falls between the rounds.
            times.push(now.duration_since(last).as_secs_f64() * 1e6);
            last = now;
        }
        times.sort_by(f64::total_cmp);
        Ok(Rounds(times))
    }

    fn quantile(&self, part: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last as f64 * part).round() as usize).copied().unwrap_or(f64::NAN)
    }

    fn per_second(&self) -> f64 {
        self.0.len() as f64 * 1e6 / self.0.iter().sum::<f64>()
    }
}

/// CPU seconds that a process has used so far.
pub(super) fn cpu_seconds(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in brackets may hold blanks; user and system time are fields 14 and 15, in hundredths of a second.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Rounded for a record.
pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}
