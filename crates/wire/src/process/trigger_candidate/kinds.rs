//! Kinds of candidates and their names, and the parameters that are texts about them.

use livetime_engine::NodeError;

/// Kinds of candidates that trigger algorithms lead to, with their names in parameters.
pub(super) const KINDS: [(u16, &str); 12] = [
    (2, "low_energy"),
    (3, "supernova"),
    (4, "random"),
    (5, "prescale"),
    (6, "adc_window"),
    (7, "horizontal_muon"),
    (8, "michel"),
    (9, "plane_coincidence"),
    (10, "dbscan"),
    (11, "channel_distance"),
    (12, "bundle"),
    (24, "adjacency"),
];

/// The bit of a kind; `None` if no bit is left for it.
pub(super) fn bit(kind: u16) -> u64 {
    1u64.checked_shl(kind.into()).unwrap_or(0)
}

fn kind_of(name: &str) -> Result<u16, NodeError> {
    let known = KINDS.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
    let number = || name.parse().ok().filter(|kind| *kind < 64);
    known.or_else(number).ok_or_else(|| {
        let near = livetime_engine::nearest(name, KINDS.map(|(_, known)| known));
        NodeError::new(format_args!("wanted a kind of trigger or its number below 64, found `{name}`{near}"))
    })
}

fn parts(text: &str, separator: char) -> impl Iterator<Item = &str> {
    text.split(separator).map(str::trim).filter(|part| !part.is_empty())
}

/// The kinds in a list like `prescale, bundle`, as bits.
///
/// # Errors
/// A name that is none.
pub(super) fn parse_kinds(text: &str, separator: char) -> Result<u64, NodeError> {
    parts(text, separator).try_fold(0, |bits, name| Ok(bits | bit(kind_of(name)?)))
}

/// The coincidences in a list like `adjacency + plane_coincidence, supernova`, each as bits.
///
/// # Errors
/// A name that is none.
pub(super) fn parse_coincidences(text: &str) -> Result<Vec<u64>, NodeError> {
    parts(text, ',').map(|all| parse_kinds(all, '+')).collect()
}

/// How much is read out before and after the time of a candidate, ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Readout {
    /// Before.
    pub(super) before: u64,
    /// After.
    pub(super) after: u64,
}

/// The readout windows in a list like `supernova -500000000 +4500000000, prescale -1000 +1000`.
///
/// # Errors
/// The part that is no kind followed by two numbers with their signs.
pub(super) fn parse_windows(text: &str) -> Result<Vec<(u16, Readout)>, NodeError> {
    parts(text, ',').map(parse_window).collect()
}

fn parse_window(text: &str) -> Result<(u16, Readout), NodeError> {
    let wanted =
        || NodeError::new(format_args!("wanted a window like `supernova -500000 +4500000`, found `{text}`"));
    let mut words = text.split_whitespace();
    let (Some(name), Some(before), Some(after), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(wanted());
    };
    let ticks =
        |text: &str, sign| text.strip_prefix(sign).and_then(|ticks| ticks.parse().ok()).ok_or_else(wanted);
    let (before, after): (u64, u64) = (ticks(before, '-')?, ticks(after, '+')?);
    if before.max(after) > MOST_TICKS {
        return Err(wanted());
    }
    Ok((kind_of(name)?, Readout { before, after }))
}

/// Longest readout on one side: some minutes.
pub(super) const MOST_TICKS: u64 = 10_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_bits_and_windows() {
        assert_eq!(parse_kinds(" prescale,bundle ,", ',').unwrap(), 1 << 5 | 1 << 12);
        assert_eq!(parse_coincidences("adjacency + michel, 40").unwrap(), [1 << 24 | 1 << 8, 1 << 40]);
        assert_eq!(parse_coincidences("").unwrap(), []);
        let windows = parse_windows("supernova -500 +4500, 7 -1 +0").unwrap();
        assert_eq!(
            windows,
            [(3, Readout { before: 500, after: 4500 }), (7, Readout { before: 1, after: 0 })]
        );
    }

    #[test]
    fn what_is_meant_is_said() {
        let error = |text| parse_windows(text).unwrap_err().to_string();
        assert!(error("supernovae -1 +1").contains("did you mean `supernova`?"));
        for text in ["supernova 1 +1", "supernova -1", "supernova -1 +1 +1", "supernova -99999999999 +1"] {
            assert!(error(text).contains("wanted a window like"), "{text}");
        }
        assert!(parse_kinds("64", ',').is_err());
    }
}
