//! Which spots are peaks, and that as a text.

use std::fmt;
use std::str::FromStr;

/// Peaks: connected pixels around a local maximum.
///
/// A pixel at or above `high` that is the largest within `rank` rows and columns (among equal ones the first) is the
/// top of a peak. To the peak belong the pixels at or above `low` that are connected with it, side by side, within that
/// distance. Its background is the mean of the pixels at a distance within `ring` that do not belong to it, and its
/// noise their standard deviation. The method follows psana's `peakFinderV4r3` (droplets), whose documentation is the
/// source.
///
/// As text `low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5`; only `high` is needed.
///
/// ```
/// use livetime_kernels::peaks::Peaks;
///
/// let peaks: Peaks = "high=50,rank=2".parse()?;
/// assert_eq!((peaks.low, peaks.rank, peaks.ring), (25.0, 2, (3.0, 5.0)));
/// # Ok::<(), livetime_kernels::peaks::PeaksError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peaks {
    /// The least value of a pixel of a peak; by default half of `high`.
    pub low: f64,
    /// The least value of its top.
    pub high: f64,
    /// How far a peak reaches from its top, in rows and columns; by default 3.
    pub rank: usize,
    /// From and to which distance from the top its background is, in pixels; by default 2 wide from `rank + 1` on.
    pub ring: (f64, f64),
    /// How many pixels a peak has, at least and at most.
    pub pixels: (usize, usize),
    /// The least ratio of `sum` to `noise * sqrt(pixels)`.
    pub snr: f64,
}

/// A larger neighbourhood is no peak.
const MOST_RANK: usize = 64;

/// A text that says no peaks. It holds the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeaksError(pub String);

impl fmt::Display for PeaksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PeaksError(text) = self;
        write!(
            f,
            "wanted peaks as high=50 or low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5, found `{text}`"
        )
    }
}

impl std::error::Error for PeaksError {}

impl FromStr for Peaks {
    type Err = PeaksError;

    fn from_str(text: &str) -> Result<Peaks, PeaksError> {
        let refuse = || PeaksError(text.into());
        let (mut high, mut low, mut rank, mut ring) = (None, None, 3, None);
        let (mut pixels, mut snr) = ((1, usize::MAX), 0.0);
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| !n.is_nan()).ok_or_else(refuse);
        for part in text.split(',') {
            let (name, value) = part.trim().split_once('=').ok_or_else(refuse)?;
            let range = || value.split_once("..").ok_or_else(refuse);
            match name {
                "high" => high = Some(number(value)?),
                "low" => low = Some(number(value)?),
                "snr" => snr = number(value)?,
                "rank" => {
                    rank = value.parse().ok().filter(|n| (1..=MOST_RANK).contains(n)).ok_or_else(refuse)?
                }
                "ring" => ring = Some((number(range()?.0)?, number(range()?.1)?)),
                "pixels" => {
                    let (least, most) = range()?;
                    let most = if most.is_empty() { Ok(usize::MAX) } else { most.parse() };
                    pixels = (least.parse().map_err(|_| refuse())?, most.map_err(|_| refuse())?);
                }
                _ => return Err(refuse()),
            }
        }
        let high = high.ok_or_else(refuse)?;
        let (low, ring) = (low.unwrap_or(high / 2.0), ring.unwrap_or((rank as f64 + 1.0, rank as f64 + 3.0)));
        // The ring has an end, because its pixels are read for every top.
        let is_ring = 0.0 <= ring.0 && ring.0 < ring.1 && ring.1 <= (4 * MOST_RANK) as f64;
        if low > high || !is_ring || pixels.0 > pixels.1 {
            return Err(refuse());
        }
        Ok(Peaks { low, high, rank, ring, pixels, snr })
    }
}

/// As it is parsed.
impl fmt::Display for Peaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Peaks { low, high, rank, ring, pixels, snr } = self;
        write!(f, "low={low},high={high},rank={rank},ring={}..{}", ring.0, ring.1)?;
        match pixels.1 {
            usize::MAX => write!(f, ",pixels={}..,snr={snr}", pixels.0),
            most => write!(f, ",pixels={}..{most},snr={snr}", pixels.0),
        }
    }
}
