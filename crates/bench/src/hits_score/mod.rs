//! `livetime-bench hits-score`: how well hits are found, in simulated data with known truth.
//!
//! `data.rs` describes the simulated data, `finder.rs` chooses the algorithm, `matching.rs` assigns hits to
//! pulses, `score.rs` counts, `run.rs` does all that on all cores, `report.rs` and `plots.rs` present the
//! result.

mod data;
mod finder;
mod matching;
mod plots;
mod report;
mod run;
mod score;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::Args;
use livetime_control::report::Exit;
use livetime_control::report::pretty::pretty;

use crate::Failed;
use data::data_sets;
use finder::{Algorithm, FinderOptions};
use run::{Amount, run};

const HELP: &str = "\
Examples:
  livetime-bench hits-score
  livetime-bench hits-score --algorithm seed --data white4 --data white4-bipolar
  livetime-bench hits-score --threshold 5 --quick --json
  livetime-bench hits-score --data white4 --curves
  livetime-bench hits-score -o score

The command simulates noise, test pulses, decays of argon-39 and cosmic tracks, finds hits, and compares hits with the truth: a hit belongs
to the pulse of its channel whose peak is nearest, at most --tolerance ticks away. Efficiencies are for the pulse's true height at its peak.";

/// Arguments of `hits-score`.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct HitsScoreArgs {
    /// Which hit finder: default (of this program), seed (ProtoDUNE-SP 2019) or tpg (tpglibs).
    #[arg(long, default_value = "default", value_parser = finder::algorithm)]
    algorithm: Algorithm,
    /// Threshold: of default in standard deviations of the filtered noise, of tpg in counts; seed has none.
    #[arg(long, value_name = "NUMBER")]
    threshold: Option<f32>,
    /// Algorithm default: search both sides of the signal.
    #[arg(long)]
    bipolar: bool,
    /// Only these data sets; may be repeated.
    #[arg(long, value_name = "NAME")]
    data: Vec<String>,
    /// Time without pulses in which false hits are counted, in channel-seconds for each data set.
    #[arg(long, alias = "quiet", value_name = "SECONDS", default_value_t = 100.0)]
    without_pulses: f64,
    /// Test pulses for each height.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..10_000_000))]
    pulses: u64,
    /// A hit belongs to a pulse at most this many ticks away.
    #[arg(long, value_name = "TICKS", default_value_t = 10.0)]
    tolerance: f64,
    /// Another seed is another detector with other noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; without it, all cores. The result does not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// A thirtieth of the data: to see that the command works.
    #[arg(long)]
    quick: bool,
    /// Print the efficiency for each height and charge, too.
    #[arg(long)]
    curves: bool,
    /// Print JSON on stdout instead of text.
    #[arg(long)]
    pub json: bool,
    /// Draw the curves into this folder.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

impl HitsScoreArgs {
    fn finder(&self) -> Result<FinderOptions, Refusal> {
        let wrong = |text: &str| Err(Refusal::usage(text));
        match (self.algorithm, self.threshold) {
            (Algorithm::Seed, Some(_)) => return wrong("seed has no threshold to be set"),
            (Algorithm::Default, Some(t)) if !(0.5..=10.0).contains(&t) => {
                return wrong("wanted a threshold of 0.5 to 10 standard deviations");
            }
            (Algorithm::Tpg, Some(t)) if !(0.0..=16383.0).contains(&t) => {
                return wrong("wanted a threshold of 0 to 16383 counts");
            }
            _ => {}
        }
        Ok(FinderOptions { algorithm: self.algorithm, threshold: self.threshold, bipolar: self.bipolar })
    }

    fn amount(&self) -> Amount {
        let part = if self.quick { 1.0 / 30.0 } else { 1.0 };
        Amount {
            quiet_s: (self.without_pulses * part).clamp(0.0, 1e9),
            pulses: (self.pulses as f64 * part).ceil(),
            tolerance: self.tolerance,
            seed: self.seed,
            workers: self.workers.map_or_else(all_cores, usize::from),
        }
    }
}

/// A command that came to no result: how the program ends, and why.
#[derive(Debug)]
pub struct Refusal {
    /// Usage when the command line is wrong, else failed.
    pub exit: Exit,
    /// For people.
    pub why: Failed,
}

impl Refusal {
    fn usage(why: impl ToString) -> Refusal {
        Refusal { exit: Exit::Usage, why: why.to_string().into() }
    }
}

impl<E: Into<Failed>> From<E> for Refusal {
    fn from(why: E) -> Refusal {
        Refusal { exit: Exit::Failed, why: why.into() }
    }
}

/// Simulates, finds hits and compares. Returns the scores as text or JSON, and draws the plots that `args` want; `log`
/// gets lines for people.
///
/// # Errors
/// [`Refusal`] for a wrong command line, a simulation that cannot be had, or a plot that cannot be written.
pub fn hits_score(args: &HitsScoreArgs, log: &mut dyn FnMut(&str)) -> Result<String, Refusal> {
    let finder = args.finder()?;
    let sets = data_sets(&args.data).map_err(Refusal::usage)?;
    let mut scores = Vec::new();
    for set in &sets {
        log(&format!("{}: {}", set.name, set.what));
        scores.extend(run(set, &finder, &args.amount())?);
    }
    if let Some(folder) = &args.output {
        plots::write(folder, &scores).map_err(|error| error.to_string())?;
        log(&format!("curves: {}", folder.display()));
    }
    Ok(match args.json {
        true => pretty(&report::json(&finder, &scores)) + "\n",
        false => report::text(&finder, &scores, args.curves),
    })
}

fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
