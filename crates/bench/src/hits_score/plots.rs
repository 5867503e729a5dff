//! The curves as pictures.

use std::path::Path;

use livetime_plot::{Axis, Panel, PlotError, Point, Series, draw, save};

use super::score::{Bin, Score};

/// Series in one pair of axes: more cannot be told apart.
const MOST: usize = 4;
/// Higher pulses are all found; they would only press the curves together.
const HIGHEST: f64 = 100.0;
/// Hits of which a mean or a deviation is plotted: fewer say little, not even how large its error is, and one that is far away would stretch the axis for all.
const LEAST: u64 = 10;

/// A file, the label of its axis, and the plotted quantity of each bin.
struct Plot {
    file: &'static str,
    title: &'static str,
    y: fn() -> Axis,
    /// Hits in a bin that is plotted.
    least: u64,
    point: fn(&Bin) -> Point,
}

/// Efficiencies have the asymmetric errors of a part of a number of pulses, which stay within 0 and 100 %; means and deviations their standard errors.
const PLOTS: [Plot; 3] = [
    Plot {
        file: "efficiency.png",
        title: "efficiency",
        y: || Axis::new("pulses found", "%").from(0.0).to(100.0),
        least: 0,
        point: |bin| {
            let (below, above) = bin.efficiency_error();
            Point { x: bin.at, y: 100.0 * bin.efficiency(), error: (100.0 * below, 100.0 * above) }
        },
    },
    Plot {
        file: "charge.png",
        title: "charge",
        y: || Axis::new("sum of the hit / charge of the pulse", "%").from(0.0),
        least: LEAST,
        point: |bin| {
            Point::new(bin.at, 100.0 * bin.charge.mean()).with_error(100.0 * bin.charge.mean_error())
        },
    },
    Plot {
        file: "time.png",
        title: "time of the peak",
        y: || Axis::new("standard deviation against the truth", "ticks").from(0.0),
        least: LEAST,
        point: |bin| {
            Point::new(bin.at, bin.peak_time.deviation()).with_error(bin.peak_time.deviation_error())
        },
    },
];

/// Writes `efficiency.png`, `charge.png` and `time.png` into `folder`, which is made if it does not exist.
///
/// # Errors
/// The file that could not be written, with the reason.
pub(super) fn write(folder: &Path, scores: &[Score]) -> Result<(), PlotError> {
    std::fs::create_dir_all(folder).map_err(|error| PlotError::Folder(folder.to_owned(), error))?;
    for plot in &PLOTS {
        save(&draw(&panels(scores, plot)), &folder.join(plot.file))?;
    }
    Ok(())
}

fn panels(scores: &[Score], plot: &Plot) -> Vec<Panel> {
    let series = |score: &Score| {
        let bins =
            score.by_peak.iter().filter(|bin| bin.pulses > 0 && bin.found >= plot.least && bin.at <= HIGHEST);
        Series::new(&score.name, bins.map(plot.point).collect())
    };
    let panel = |scores: &[&Score]| Panel {
        title: plot.title.to_owned(),
        x: Axis::new("height of the pulse", "counts"),
        y: (plot.y)(),
        series: scores.iter().map(|score| series(score)).collect(),
    };
    let shown: Vec<&Score> = scores.iter().filter(|s| s.pulses() > 0).collect();
    shown.chunks(MOST).map(panel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing above 100 %, neither a point nor the end of its error, and every point with pulses has one.
    #[test]
    fn efficiencies_stay_within_their_axis() {
        for (pulses, found) in [(1, 1), (7, 7), (10_000, 10_000), (10_000, 9_999), (5, 0), (100, 37)] {
            let point = (PLOTS[0].point)(&Bin { at: 30.0, pulses, found, ..Bin::default() });
            assert!(point.y + point.error.1 <= 100.0 + 1e-9 && point.y - point.error.0 >= -1e-9, "{point:?}");
            assert!(point.error.0 + point.error.1 > 0.0);
        }
    }

    /// A single hit says nothing of a mean: it is not plotted, whatever it is. That there were pulses is.
    #[test]
    fn means_of_few_hits_are_not_plotted() {
        let bin = |at, found| Bin { at, pulses: 20, found, ..Bin::default() };
        let score =
            Score { name: "few".into(), by_peak: vec![bin(4.0, 1), bin(10.0, 10)], ..Score::default() };
        let shown =
            PLOTS.each_ref().map(|plot| panels(std::slice::from_ref(&score), plot)[0].series[0].points.len());
        assert_eq!(shown, [2, 1, 1]);
    }
}
