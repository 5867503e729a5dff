//! Frames from before the last time that frames were taken back.

use livetime_engine::{Context, time_of_day_ns};
use livetime_frame::{Flags, Header};

use super::params::Hdf5FilesParams;

/// The latest taking back of frames in this capture, and the numbers and times that tell old frames from new ones.
#[derive(Default)]
pub(super) struct Rewound {
    at: Option<Moment>,
    /// The shortest time from the event time of a frame to now, when it came here.
    least_delay_ns: Option<i64>,
}

struct Moment {
    /// On the clock of the run.
    run_ns: u64,
    /// Since 1970.
    day_ns: i64,
}

impl Rewound {
    /// Frames are taken back now.
    pub(super) fn now(&mut self, ctx: &Context) {
        self.at = Some(Moment { run_ns: ctx.now_ns(), day_ns: time_of_day_ns() });
    }

    /// Looks at how late a frame is that is written.
    pub(super) fn see(&mut self, header: &Header) {
        if let Some(ns) = detectors_time(header) {
            let delay_ns = time_of_day_ns().saturating_sub(ns);
            self.least_delay_ns = Some(self.least_delay_ns.map_or(delay_ns, |least| least.min(delay_ns)));
        }
    }

    /// Whether a frame is from before the last time that frames were taken back: it was on its way in the graph then, or
    /// its event time is earlier. The clock of a detector may differ from ours, by no more than the frames were late that came
    /// from it.
    pub(super) fn leaves_out(&self, header: &Header, p: &Hdf5FilesParams, ctx: &Context) -> bool {
        let Some(Moment { run_ns, day_ns }) = self.at else { return false };
        let came_ns = if header.entry_ns == 0 { ctx.queued_ns() } else { header.entry_ns };
        if came_ns != 0 && came_ns < run_ns {
            return true;
        }
        // A detector without event times has only the way through the graph to tell old frames.
        let time = detectors_time(header).filter(|_| p.rewind_by_event_time);
        time.zip(self.least_delay_ns).is_some_and(|(ns, delay_ns)| ns < day_ns.saturating_sub(delay_ns))
    }
}

/// The time that a frame has from its detector.
fn detectors_time(header: &Header) -> Option<i64> {
    let is_known = header.event_time_ns > 0 && !header.flags.contains(Flags::ARRIVAL_TIME);
    is_known.then_some(header.event_time_ns)
}
