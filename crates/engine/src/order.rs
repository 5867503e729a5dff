//! The order of the data, which makes a replay the same at every run, whatever the threads do.
//!
//! If all sources upstream of a node send stored data ([`Node::IS_STORED`](crate::Node::IS_STORED)) and no edge on the
//! way loses a frame, every frame has a *place*: a source gives ever larger ones, by the time of its events, and a
//! frame that a node sends has the place of the frame that the node handles. A node with several inputs takes the frame
//! with the smallest place, and among equal places the frame of the first edge. It waits until every other input has a
//! later frame, or a promise that no frame of that place will come any more: each node passes on the promises of its
//! own inputs, also when it sends nothing. So such a node sees the same frames in the same order at every run.
//!
//! Which frames a node holds to be late must not depend on how busy the machine is. [`Context::data_ns`](crate::Context::data_ns) is therefore
//! the time of the data there, which goes on with the places.

/// The most by which one frame moves the time of the data on: a time that is wrong, or a pause between two runs, makes nothing late.
const MOST_STEP_NS: u64 = 1_000_000_000;

/// Where a node is in the order of the data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Order {
    /// Whether its frames have places.
    pub(crate) is_on: bool,
    /// Whether it, or a node behind it, has several inputs: only there do places matter.
    pub(crate) is_joined: bool,
    /// The place of the frame that is handled, or was sent last by a source.
    pub(crate) place: u64,
    /// The promise to the nodes behind.
    pub(crate) promised: u64,
    /// Time of the data, from 0 on.
    pub(crate) time_ns: u64,
    /// When the node wants to be called by the time of the data.
    pub(crate) timer: Option<u64>,
    has_begun: bool,
}

impl Order {
    pub(crate) fn new(is_on: bool, is_joined: bool) -> Order {
        Order { is_on, is_joined: is_on && is_joined, ..Order::default() }
    }

    /// The place of a source's next frame, whose event has this time, ns since 1970; 0 if it has none.
    pub(crate) fn next_place(&self, event_time_ns: i64) -> u64 {
        // Larger than the last place, also where a clock stands still or goes back. The two largest numbers are left for
        // the end of a source and for closed edges.
        u64::try_from(event_time_ns).unwrap_or(0).max(self.place.saturating_add(1)).min(u64::MAX - 2)
    }

    /// The time of the data at `place`.
    pub(crate) fn time_at(&self, place: u64) -> u64 {
        // The first frame makes no step: places count from 1970, the time of the data from 0.
        let step = if self.has_begun { place.saturating_sub(self.place).min(MOST_STEP_NS) } else { 0 };
        self.time_ns.saturating_add(step)
    }

    /// Goes on to `place`.
    pub(crate) fn go_to(&mut self, place: u64) {
        if self.is_on {
            self.time_ns = self.time_at(place);
            (self.place, self.has_begun) = (self.place.max(place), true);
        }
    }

    /// Takes the timer that is due at `time_ns`.
    pub(crate) fn take_due(&mut self, time_ns: u64) -> Option<u64> {
        self.timer.take_if(|at_ns| *at_ns <= time_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_grow_and_no_jump_makes_more_than_a_second() {
        let mut order = Order::new(true, true);
        let mut times = Vec::new();
        for event_time_ns in [5_000_000_000, 5_000_000_010, 5_000_000_010, 4, 0, -7, 1 << 60] {
            let place = order.next_place(event_time_ns);
            assert!(place > order.place);
            order.go_to(place);
            times.push(order.time_ns);
        }
        assert_eq!(times, [0, 10, 11, 12, 13, 14, 1_000_000_014]);
        order.timer = Some(20);
        assert_eq!((order.take_due(19), order.take_due(20), order.take_due(20)), (None, Some(20), None));
    }
}
