//! The curves as pictures.

use std::path::Path;

use super::score::{Bin, Score};
use crate::plot::{Panel, Series, draw};

/// Series in one pair of axes: more cannot be told apart.
const MOST: usize = 4;
/// Higher pulses are all found; they would only press the curves together.
const HIGHEST: f64 = 100.0;

/// File, title, and what is plotted of each bin.
type Plot = (&'static str, &'static str, fn(&Bin) -> f64);

/// Writes `efficiency.png`, `charge.png` and `time.png` into `folder`, which is made if it does not exist.
///
/// # Errors
/// What could not be written.
pub(super) fn write(folder: &Path, scores: &[Score]) -> Result<(), String> {
    let cannot = |what: &Path, e: &dyn std::fmt::Display| format!("cannot write {}: {e}", what.display());
    std::fs::create_dir_all(folder).map_err(|e| cannot(folder, &e))?;
    let plots: [Plot; 3] = [
        ("efficiency.png", "found, %", |bin| 100.0 * bin.efficiency()),
        ("charge.png", "sum of the hit / charge, %", |bin| 100.0 * bin.charge.mean()),
        ("time.png", "spread of the peak's time, ticks", |bin| bin.peak_time.deviation()),
    ];
    for (file, title, value) in plots {
        let path = folder.join(file);
        let picture = draw("height of the pulse, counts", &panels(scores, title, value));
        picture.save(&path).map_err(|e| cannot(&path, &e))?;
    }
    Ok(())
}

fn panels(scores: &[Score], title: &str, value: fn(&Bin) -> f64) -> Vec<Panel> {
    let series = |score: &Score| Series {
        name: score.name.clone(),
        points: score
            .by_peak
            .iter()
            .filter(|bin| bin.pulses > 0 && bin.at <= HIGHEST)
            .map(|bin| (bin.at, value(bin)))
            .collect(),
    };
    let panel = |scores: &[&Score]| Panel {
        title: title.to_owned(),
        series: scores.iter().map(|score| series(score)).collect(),
    };
    let shown: Vec<&Score> = scores.iter().filter(|s| s.pulses() > 0).collect();
    shown.chunks(MOST).map(panel).collect()
}
