//! The threads of a link: one connects, tends the connection and writes what may have to wait; one reads.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::NodeError;
use livetime_frame::FramePool;
use livetime_link::Step;
use livetime_link::carrier::{Carrier, CarrierError, Connected, Incoming};
use livetime_link::wire::FrameHead;

use super::end::{End, LOOK, Link, sleep};

/// Pause after a peer that broke the protocol: one that connects again at once must not take a core.
const PAUSE: Duration = Duration::from_millis(100);

impl<E: End> Link<E> {
    /// Starts the thread, which connects over `carrier` again and again until the end is over. Frames that arrive lie in
    /// `pool`.
    pub(crate) fn start(
        self: &Arc<Self>,
        name: &str,
        carrier: Box<dyn Carrier>,
        pool: FramePool,
    ) -> Result<JoinHandle<()>, NodeError> {
        let link = self.clone();
        let thread = std::thread::Builder::new().name(format!("{name} link"));
        thread.spawn(move || link.lead(carrier, &pool)).map_err(NodeError::new)
    }

    fn is_over(&self) -> bool {
        let mut state = self.lock();
        state.is_closed || state.end.is_over(self.now_ns())
    }

    fn lead(&self, mut carrier: Box<dyn Carrier>, pool: &FramePool) {
        while !self.is_over() {
            let state = self.lock();
            if !state.end.wants_connection() && !state.is_closed {
                drop(sleep(&self.work, state, LOOK));
                continue;
            }
            drop(state);
            match carrier.connect(LOOK) {
                Ok(Some(connection)) => self.talk(connection, pool),
                Ok(None) => {}
                Err(error) => {
                    self.teller.tell_error(error.to_string());
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Leads one connection to its end.
    fn talk(&self, (mut outgoing, incoming): Connected, pool: &FramePool) {
        {
            let mut state = self.lock();
            if !state.end.wants_connection() {
                // Decided while the carrier waited. The peer has heard nothing, so its frames are in no doubt.
                outgoing.close();
                return;
            }
            state.open(outgoing, self.now_ns());
        }
        let is_refused = std::thread::scope(|scope| {
            let reader = scope.spawn(|| self.listen(incoming, pool));
            self.tend();
            // The reader may be in the middle of a frame.
            self.lock().shut();
            reader.join().unwrap_or(true)
        });
        let mut state = self.lock();
        state.end.disconnected(self.now_ns());
        self.tell_node(&state);
        drop(state);
        if is_refused {
            std::thread::sleep(PAUSE);
        }
    }

    /// Sends what no other thread has sent, until the connection ends.
    fn tend(&self) {
        let mut state = self.lock();
        loop {
            let now_ns = self.now_ns();
            if state.is_done(now_ns) {
                return;
            }
            let Some(mut pen) = state.take_pen() else {
                // The thread that writes steps again.
                state = sleep(&self.work, state, LOOK);
                continue;
            };
            let step = state.unsent.take().map_or_else(|| state.end.step(now_ns), Step::Send);
            match step {
                Step::Send(message) => {
                    drop(state);
                    let is_sent = pen.0.send(&message).is_ok();
                    state = self.lock();
                    state.is_broken |= !is_sent;
                    state.sent(now_ns);
                    state.put_back(pen);
                }
                Step::Reconnect => {
                    state.put_back(pen);
                    return;
                }
                Step::Wait(at_ns) => {
                    state.put_back(pen);
                    let due = Duration::from_nanos(at_ns.saturating_sub(now_ns)).min(state.end.look_again());
                    // A node that waits looks itself.
                    let limit = if state.is_tended() { LOOK } else { due.min(LOOK) };
                    state = sleep(&self.work, state, limit);
                }
            }
        }
    }

    /// Takes messages until the connection ends; true when the peer broke the protocol.
    fn listen(&self, mut incoming: Box<dyn Incoming>, pool: &FramePool) -> bool {
        let mut allocator = pool.allocator();
        let mut memory = |head: &FrameHead| {
            loop {
                match head.allocate(&mut allocator) {
                    Ok(frame) => return Some(frame),
                    // Frames that were settled return a moment later.
                    Err(_) if !self.lock().is_broken => std::thread::sleep(Duration::from_micros(200)),
                    Err(_) => return None,
                }
            }
        };
        loop {
            let result = incoming.receive(&mut memory);
            let mut state = self.lock();
            let fault = match result {
                _ if state.is_broken => return false,
                Ok(message) => {
                    let now_ns = self.now_ns();
                    state.end.receive(message, now_ns).err().map(|violation| violation.to_string())
                }
                Err(CarrierError::Broken(_)) => {
                    state.is_broken = true;
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            state.is_broken |= fault.is_some();
            self.tell_node(&state);
            let is_broken = self.drive(state).0.is_broken;
            if let Some(fault) = &fault {
                self.teller.tell_error(format!("the connection is closed: {fault}"));
            }
            if is_broken {
                return fault.is_some();
            }
        }
    }
}
