//! Whether times of events come from a clock: a recorder whose clock was never set counts from the begin of its epoch,
//! or from any number.

/// Where clocks of recorders begin, s since 1970: LCLS-I in 1970, LCLS-II and EPICS in 1990.
const EPOCHS_S: [u64; 2] = [0, 631_152_000];
const DAY_S: u64 = 86_400;
/// More events in a second than any of the recorders makes: the accelerator of LCLS-II has 929,000.
const MOST_HZ: f64 = 1e7;

/// Whether a clock was set when it gave this time, in ns since 1970: it is not of the first day of an epoch.
///
/// ```
/// use livetime_formats::clock::is_set;
///
/// assert!(is_set(1_743_188_891_582_257_000));
/// // Number 40 of a generated file of LCLS-II.
/// assert!(!is_set(631_152_000_000_000_040) && !is_set(0));
/// ```
pub fn is_set(time_ns: u64) -> bool {
    let seconds = time_ns / 1_000_000_000;
    EPOCHS_S.iter().all(|epoch| !(*epoch..epoch + DAY_S).contains(&seconds))
}

/// Events in a second, from their number and the first and last of their times; `None` for fewer than two, and where
/// the times are plain numbers and no clock's.
///
/// ```
/// use livetime_formats::clock::rate_hz;
///
/// assert_eq!(rate_hz(121, 5_000_000_000, 6_000_000_000), Some(120.0));
/// assert_eq!(rate_hz(8, 40, 48), None);
/// ```
pub fn rate_hz(events: u64, first_ns: u64, last_ns: u64) -> Option<f64> {
    if events < 2 || last_ns <= first_ns {
        return None;
    }
    Some((events - 1) as f64 * 1e9 / (last_ns - first_ns) as f64).filter(|hz| *hz <= MOST_HZ)
}
