//! The common part of detectors: the number of frames of an acquisition, and its readbacks.

use livetime_engine::ParamEnum;

/// How many frames an acquisition has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum ImageMode {
    /// One.
    Single,
    /// As many as `num_images`.
    Multiple,
    /// No end.
    #[default]
    Continuous,
}

/// The state of the detector; the choices of areaDetector's DetectorState.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum DetectorState {
    /// Not acquiring.
    #[default]
    Idle,
    /// Exposing.
    Acquire,
    /// Reading out.
    Readout,
    /// Correcting.
    Correct,
    /// Saving.
    Saving,
    /// About to abort.
    Aborting,
    /// In error.
    Error,
    /// Waiting for the next exposure.
    Waiting,
    /// Starting.
    Initializing,
    /// Not connected.
    Disconnected,
    /// Stopped before all frames were taken.
    Aborted,
}

impl ImageMode {
    /// Whether an acquisition is over after `taken` frames, if [`ImageMode::Multiple`] has `wanted`.
    pub fn is_done(self, taken: u64, wanted: u64) -> bool {
        match self {
            ImageMode::Single => taken >= 1,
            ImageMode::Multiple => taken >= wanted.max(1),
            ImageMode::Continuous => false,
        }
    }

    /// The state after an acquisition that was stopped before its end.
    pub fn when_stopped(self) -> DetectorState {
        match self {
            ImageMode::Continuous => DetectorState::Idle,
            _ => DetectorState::Aborted,
        }
    }
}

/// The status message of an acquisition.
pub const ACQUIRING: &str = "Acquiring data";
/// The status message of an acquisition whose frames are all taken.
pub const COMPLETE: &str = "Waiting for acquisition";
/// The status message of an acquisition that was stopped before its end.
pub const STOPPED: &str = "Acquisition stopped";
