//! Which results the options ask for.

use super::args::{AnalyzeArgs, What};
use crate::analyze::{Corrected, Histogram, Hits, NoiseMask, PixelStatistics, Reducers};
use crate::output::{Exit, Failure};

/// The requested results.
///
/// # Errors
/// If one is of no use without another: the user would take the results for something that they are not.
pub(super) fn reducers(args: &AnalyzeArgs) -> Result<Reducers, Failure> {
    let with = args.what();
    let has = |what: What| with.contains(&what);
    let useless = [
        (args.threshold.is_some() && !has(What::Hits), "--threshold", "hits"),
        (args.peaks.is_some() && !has(What::Peaks), "--peaks", "peaks"),
        (args.noise.is_some() && !has(What::Mask), "--noise", "mask"),
        (args.bins.is_some() && !has(What::Histogram), "--bins", "histogram"),
        (args.range.is_some() && !has(What::Histogram), "--range", "histogram"),
    ];
    if let Some((_, option, what)) = useless.iter().find(|(is_useless, ..)| *is_useless) {
        let why = format!("`{option}` is for `--with {what}`, which is not among what is wanted");
        return Err(Failure::new(Exit::Usage, why));
    }
    let pixels = PixelStatistics {
        mean: has(What::Mean),
        std: has(What::Std),
        min: has(What::Min),
        max: has(What::Max),
        sum: has(What::Sum),
        projection: has(What::Projection),
    };
    let mut reducers = Reducers::default();
    if pixels.is_any() {
        reducers = reducers.with(pixels);
    }
    if has(What::Histogram) {
        reducers = reducers.with(Histogram { bins: args.bins, range: args.range });
    }
    if has(What::Hits) {
        let Some(threshold) = args.threshold else {
            return Err(Failure::new(
                Exit::Usage,
                "`--with hits` wants `--threshold`, the least value of a hit",
            ));
        };
        reducers = reducers.with(Hits { threshold });
    }
    if has(What::Mask) {
        let wanted = "`--with mask` wants `--noise`, the deviations of good pixels as 0.5..20";
        let (least, most) = args.noise.ok_or_else(|| Failure::new(Exit::Usage, wanted))?;
        reducers = reducers.with(NoiseMask { least, most });
    }
    if has(What::Peaks) {
        let wanted = "`--with peaks` wants `--peaks`, what makes a peak, as high=50";
        reducers = reducers.with(args.peaks.ok_or_else(|| Failure::new(Exit::Usage, wanted))?);
    }
    let corrections = args.correct.corrections()?;
    if corrections.is_empty() {
        return Ok(reducers);
    }
    Ok(Reducers::default().with(Corrected::new(corrections, reducers)))
}
