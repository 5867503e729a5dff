//! Which detector is wanted, in the words of the command line.

use livetime_recording::{Detector, Error, FaultKind, Picture, Reader, Recording, Result, Wanted};

/// First events that are searched for a detector that the run may describe without having its data.
const LOOK: usize = 8;

/// The detectors that the first events have anything of, good or bad.
///
/// # Errors
/// If the system refuses.
pub fn detectors(recording: &Recording) -> Result<Vec<Detector>> {
    let mut all = recording.detectors()?;
    all.retain(|detector| is_recorded(recording, detector));
    Ok(all)
}

/// The detector that `wanted` means: a pattern as psana takes it, or the first parts of detector.algorithm.array. Without it, the only one
/// that there is.
///
/// A run may describe more arrays than it records. Of several that are meant, those count that are in the first events.
///
/// # Errors
/// If there is none, or more than one; the error lists them.
pub fn detector(recording: &Recording, wanted: Option<&str>) -> Result<Detector> {
    let wants = Wanted::from(wanted);
    let all = recording.detectors_for(&wants)?;
    let meant = wants.meant(&all)?;
    if let [one] = meant[..] {
        return Ok(one.clone());
    }
    if meant.is_empty() {
        return Err(none(wanted, &all));
    }
    let recorded: Vec<Detector> = meant.into_iter().filter(|d| is_recorded(recording, d)).cloned().collect();
    match (&wants.meant(&recorded)?[..], &recorded[..]) {
        ([one], _) => Ok((*one).clone()),
        (_, []) => Err(none(wanted, &[])),
        _ => Err(Error::new("one detector (--detector)", list(&recorded))),
    }
}

fn is_recorded(recording: &Recording, detector: &Detector) -> bool {
    let (mut reader, mut picture) = (Reader::default(), Picture::default());
    let mut events = 0..recording.events().min(LOOK);
    events.any(|event| match recording.read(detector, event, &mut reader, &mut picture) {
        Ok(()) => true,
        Err(fault) => !matches!(fault.kind, FaultKind::Missing | FaultKind::Lost),
    })
}

fn none(wanted: Option<&str>, all: &[Detector]) -> Error {
    let wanted = wanted.map_or_else(|| "a detector with pictures".into(), |w| format!("a detector `{w}`"));
    let found = if all.is_empty() { "none in the first events".into() } else { list(all) };
    Error::new(wanted, found)
}

fn list(detectors: &[Detector]) -> String {
    detectors.iter().map(Detector::to_string).collect::<Vec<_>>().join(", ")
}
