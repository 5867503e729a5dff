//! The time that a frame is recorded with.

use livetime_engine::{Context, time_of_day_ns};
use livetime_frame::{Flags, Header};

/// When a frame's event happened, as it is written to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventTime {
    /// ns since 1970 (UTC).
    pub ns: i64,
    /// The frame has no time of its own: this is when it came into the graph.
    pub is_arrival: bool,
}

impl EventTime {
    /// The detector's time, or, for a frame without one, its time of arrival; 1970 would mislead readers.
    pub fn of(header: &Header, ctx: &Context) -> EventTime {
        if header.event_time_ns > 0 {
            let is_arrival = header.flags.contains(Flags::ARRIVAL_TIME);
            return EventTime { ns: header.event_time_ns, is_arrival };
        }
        // Frames of which the way is timed may have waited.
        let waited_ns = if header.entry_ns == 0 { 0 } else { ctx.now_ns().saturating_sub(header.entry_ns) };
        EventTime { ns: time_of_day_ns() - waited_ns as i64, is_arrival: true }
    }

    /// Conditions of the frame, with what is to be said of its time.
    pub(super) fn flags(self, header: &Header) -> Flags {
        if self.is_arrival { header.flags.with(Flags::ARRIVAL_TIME) } else { header.flags }
    }
}
