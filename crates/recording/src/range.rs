//! Ranges of events as text.

use std::fmt;
use std::ops::Range;

/// Why a range of events is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RangeError {
    /// A text that is no range.
    Text(String),
    /// A range that begins behind the events of the run.
    Behind {
        /// How many events the run has.
        count: usize,
        /// The number of the first of them.
        first: usize,
        /// Where the range begins.
        start: usize,
    },
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RangeError::Text(text) => {
                write!(f, "wanted events as `100..200`, `100..` or `..200`, found `{text}`")
            }
            RangeError::Behind { count, first, start } => {
                let noun = if *count == 1 { "event" } else { "events" };
                write!(
                    f,
                    "wanted numbers of the run's {count} {noun}, which begin with {first}, found {start}.."
                )
            }
        }
    }
}

impl std::error::Error for RangeError {}

/// The events `A..B` of `text`: from number A on up to B, which is not among them; either may be missing. An empty text means all.
///
/// ```
/// use livetime_recording::parse_range;
///
/// assert_eq!(parse_range("100..200"), Ok(100..200));
/// assert_eq!(parse_range("..5"), Ok(0..5));
/// assert!(parse_range("5..3").is_err());
/// ```
///
/// # Errors
/// [`RangeError::Text`] if it is none of these.
pub fn parse_range(text: &str) -> Result<Range<usize>, RangeError> {
    let refuse = || RangeError::Text(text.to_owned());
    if text.is_empty() {
        return Ok(0..usize::MAX);
    }
    let (first, end) = text.split_once("..").ok_or_else(refuse)?;
    let number = |text: &str, missing| if text.is_empty() { Some(missing) } else { text.trim().parse().ok() };
    let range = number(first, 0).zip(number(end, usize::MAX));
    range.filter(|(first, end)| first < end).map(|(first, end)| first..end).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (text, wanted) in [("", 0..usize::MAX), ("3..5", 3..5), ("3..", 3..usize::MAX), ("..5", 0..5)] {
            assert_eq!(parse_range(text), Ok(wanted), "{text}");
        }
        for text in ["3", "5..3", "3..3", "a..b", "-1..2", "1..2..3"] {
            assert!(parse_range(text).is_err(), "{text}");
        }
    }
}
