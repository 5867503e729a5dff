//! The reducers that come with the program, made again from how they describe themselves.

use std::str::FromStr;

use super::{Histogram, Hits, NoiseMask, Peaks, PixelStatistics};
use crate::error::{Error, Result};
use crate::{Corrected, Reducers};

/// Most bins: 512 MiB of counts for each partial result.
const MOST_BINS: usize = 1 << 26;

impl Reducers {
    /// The reducers of this crate with these descriptions: `pixels mean,std`, `histogram bins=100 range=0..5`, `hits
    /// threshold=3000`.
    ///
    /// ```
    /// use livetime_analysis::{Hits, Reducers};
    ///
    /// let known = Reducers::default().with(Hits { threshold: 0.1 }).describe();
    /// assert_eq!(known, ["hits threshold=0.1"]);
    /// assert_eq!(Reducers::described(&known)?.describe(), known);
    /// assert!(Reducers::described(&["hits".to_owned()]).is_err());
    /// # Ok::<(), livetime_analysis::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a description fits no reducer.
    pub fn described(all: &[String]) -> Result<Reducers> {
        all.iter().try_fold(Reducers::default(), |reducers, text| reducers.with_described(text))
    }

    /// With one more of this crate, that describes itself so.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn with_described(self, text: &str) -> Result<Reducers> {
        if Corrected::is_described(text) {
            return Ok(self.with(Corrected::described(text)?));
        }
        let with = with(self, text);
        with.filter(|with| with.describe().last().is_some_and(|last| last == text))
            .ok_or_else(|| Error::refused("a reducer as `hits threshold=3000`", format!("`{text}`")))
    }
}

fn with(reducers: Reducers, text: &str) -> Option<Reducers> {
    let (kind, parameters) = text.split_once(' ').unwrap_or((text, ""));
    match kind {
        "pixels" => Some(reducers.with(pixels(parameters)?)),
        "histogram" => Some(reducers.with(histogram(parameters)?)),
        "mask" => {
            let (least, most) = parameters.strip_prefix("noise=")?.split_once("..")?;
            Some(reducers.with(NoiseMask { least: number(least)?, most: number(most)? }))
        }
        "peaks" => Some(reducers.with(parameters.parse::<Peaks>().ok()?)),
        "hits" => Some(reducers.with(Hits { threshold: number(parameters.strip_prefix("threshold=")?)? })),
        _ => None,
    }
}

fn pixels(wanted: &str) -> Option<PixelStatistics> {
    let mut pixels = PixelStatistics::default();
    for name in wanted.split(',') {
        *pixels.names_mut().into_iter().find(|(_, known)| *known == name)?.0 = true;
    }
    Some(pixels)
}

fn histogram(parameters: &str) -> Option<Histogram> {
    let mut histogram = Histogram::default();
    for parameter in parameters.split_whitespace() {
        match parameter.split_once('=')? {
            ("bins", bins) => {
                histogram.bins = Some(bins.parse().ok().filter(|n| (1..=MOST_BINS).contains(n))?)
            }
            ("range", range) => {
                let (low, high) = range.split_once("..")?;
                histogram.range = Some((number(low)?, number(high)?));
            }
            _ => return None,
        }
    }
    Some(histogram)
}

fn number(text: &str) -> Option<f64> {
    f64::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describes_itself_is_made_again() {
        let known = Reducers::default()
            .with(PixelStatistics::all())
            .with(PixelStatistics { max: true, ..PixelStatistics::default() })
            .with(Histogram::default())
            .with(Histogram { bins: Some(7), range: Some((-0.1, 1e300)) })
            .with(Hits { threshold: -3.5 })
            .with(NoiseMask { least: 0.5, most: 20.0 })
            .with("high=50,low=0.1".parse::<Peaks>().unwrap())
            .describe();
        assert_eq!(known[0], "pixels mean,std,min,max,sum,projection");
        assert_eq!(Reducers::described(&known).unwrap().describe(), known);
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "pixels",
            "pixels nothing",
            "hits",
            "hits threshold=",
            "histogram bins=0",
            "histogram bins=1 x",
            "hits  threshold=3",
        ] {
            assert!(Reducers::described(&[text.to_owned()]).is_err(), "{text}");
        }
    }
}
