//! The parameters of `circular_buffer`, and the readbacks of its state.

use livetime_engine::{ParamEnum, Params};

/// When a trigger by a client sends the kept frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum FlushOn {
    /// With the next frame.
    #[default]
    #[pv("OnNewImage")]
    NewImage,
    /// At once.
    Immediately,
}

/// Parameters of `circular_buffer`.
#[derive(Params)]
pub struct CircularBufferParams {
    /// Whether frames are kept; the node ends it after `preset_trigger_count` triggers.
    #[param(pv = "Capture", role = Capture, words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
    pub capture: bool,
    /// Attribute whose value is `A` in `trigger_calc`.
    #[param(pv = "TriggerA")]
    pub trigger_a: String,
    /// Attribute whose value is `B` in `trigger_calc`.
    #[param(pv = "TriggerB")]
    pub trigger_b: String,
    /// Expression that is a trigger when it is not 0; an empty one is 0.
    #[param(default = "0", pv = "TriggerCalc")]
    pub trigger_calc: String,
    /// Frames that are kept before a trigger; to be changed only while `capture` is off.
    #[param(default = 100, max = 1_000_000, pv = "PreCount")]
    pub pre_count: usize,
    /// Frames that are sent from the trigger on; at least the one of the trigger is.
    #[param(default = 100, pv = "PostCount")]
    pub post_count: usize,
    /// A trigger by hand; off again when its last frame was sent.
    #[param(pv = "Trigger", role = Work, words = ["Done", "Trigger"], shown = ["Done", "Triggered"])]
    pub trigger: bool,
    /// Number of triggers after which the capture ends; 0: never.
    #[param(default = 1, pv = "PresetTriggerCount")]
    pub preset_trigger_count: usize,
    /// When a trigger by hand sends what is kept.
    #[param(pv = "FlushOnSoftTrg")]
    pub flush_on_soft_trg: FlushOn,
    /// Most of the run's frame memory that is kept, as a part of 1; beyond it the oldest frames are released early.
    #[param(default = 0.5, min = 0.0, max = 1.0)]
    pub pool_share: f64,
    /// What the node does, in areaDetector's words.
    #[param(readback, default = "Idle", pv = "StatusMessage", form = Plain)]
    pub status_message: String,
    /// Value of `A` for the latest frame that was no trigger by hand.
    #[param(readback, default = f64::NAN, pv = "TriggerAVal", form = Plain)]
    pub trigger_a_val: f64,
    /// Value of `B` for the same frame.
    #[param(readback, default = f64::NAN, pv = "TriggerBVal", form = Plain)]
    pub trigger_b_val: f64,
    /// Value of `trigger_calc` for the same frame.
    #[param(readback, pv = "TriggerCalcVal", form = Plain)]
    pub trigger_calc_val: f64,
    /// Frames that are kept.
    #[param(readback, pv = "CurrentQty")]
    pub current_qty: usize,
    /// Frames that were sent since the trigger, with that of the trigger.
    #[param(readback, pv = "PostTriggerQty")]
    pub post_trigger_qty: usize,
    /// Whether there was a trigger whose frames are being sent.
    #[param(readback, pv = "Trigger", words = ["Done", "Triggered"])]
    pub triggered: bool,
    /// Triggers since `capture` was switched on whose frames were all sent.
    #[param(readback, pv = "ActualTriggerCount")]
    pub actual_trigger_count: usize,
    /// Memory of the frames that are kept.
    #[param(readback, unit = "B")]
    pub held_bytes: usize,
    /// Frames that were released early since `capture` was switched on.
    #[param(readback)]
    pub released_early: usize,
}

impl CircularBufferParams {
    pub(super) fn say(&mut self, status: &str) {
        if self.status_message != status {
            self.status_message.clear();
            self.status_message.push_str(status);
        }
    }

    pub(super) fn begin(&mut self) {
        self.rearm();
        (self.actual_trigger_count, self.current_qty) = (0, 0);
        (self.held_bytes, self.released_early) = (0, 0);
    }

    pub(super) fn end(&mut self) {
        (self.trigger, self.triggered) = (false, false);
        (self.current_qty, self.held_bytes) = (0, 0);
        self.say("Acquisition Stopped");
    }

    fn rearm(&mut self) {
        (self.trigger, self.triggered, self.post_trigger_qty) = (false, false, 0);
        self.say(if self.pre_count == 0 { "Dropping frames" } else { "Buffer filling" });
    }

    /// One more frame was sent after a trigger.
    pub(super) fn count_post(&mut self) {
        self.post_trigger_qty += 1;
        if self.post_trigger_qty < self.post_count {
            return;
        }
        self.actual_trigger_count += 1;
        if self.preset_trigger_count == 0 || self.actual_trigger_count < self.preset_trigger_count {
            return self.rearm();
        }
        (self.trigger, self.triggered, self.capture) = (false, false, false);
        self.say("Acquisition Completed");
    }
}
