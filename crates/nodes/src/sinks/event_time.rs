//! The time that a frame is recorded with.

use livetime_engine::{Context, time_of_day_ns};
use livetime_frame::{Flags, Header};

/// When a frame's event happened, as it is written to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventTime {
    /// ns since 1970 (UTC).
    pub ns: i64,
    /// The frame has no event time of its own: `ns` is its time of arrival in the graph.
    pub is_arrival: bool,
}

impl EventTime {
    /// The detector's time, or, for a frame without one, its time of arrival; 1970 would mislead readers.
    pub fn of(header: &Header, ctx: &Context) -> EventTime {
        if header.event_time_ns > 0 {
            let is_arrival = header.flags.contains(Flags::ARRIVAL_TIME);
            return EventTime { ns: header.event_time_ns, is_arrival };
        }
        // A frame that is traced has its time of entry, and may have waited since then.
        let waited_ns = if header.entry_ns == 0 { 0 } else { ctx.now_ns().saturating_sub(header.entry_ns) };
        EventTime { ns: time_of_day_ns() - waited_ns as i64, is_arrival: true }
    }

    /// Conditions of the frame, with a flag for a time of arrival.
    pub(super) fn flags(self, header: &Header) -> Flags {
        if self.is_arrival { header.flags.with(Flags::ARRIVAL_TIME) } else { header.flags }
    }
}
