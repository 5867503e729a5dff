//! Several copies of a node on several threads, with the order of their outputs restored.
//!
//! Copies take frames from one queue. The position of a frame in that queue is its ticket. Frames that a copy
//! emits are held until all earlier tickets are done, and are then sent by the copy that completes the
//! earliest one.

use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex};

use livetime_frame::Frame;
use livetime_runtime::ordered::Places;
use livetime_runtime::{Doorbell, lock};

use crate::edge::Output;
use crate::node::{Context, NodeError};

/// How far the copies may run ahead of the slowest ticket, per copy. It bounds the memory that is held back; more would
/// help only if one frame takes longer than this many others.
const AHEAD: u64 = 16;

pub(crate) struct Reorder {
    window: u64,
    /// The earliest ticket that is not done.
    next: AtomicU64,
    state: Mutex<Held>,
    bells: Box<[Arc<Doorbell>]>,
}

struct Held {
    /// The frames that tickets from `next` on emitted, with their places in the order of the data.
    done: Places<(u64, Vec<(usize, Frame)>)>,
    outputs: Vec<Output>,
    /// Frames that copies emitted at their very end.
    last: Vec<(usize, Frame)>,
    copies_running: usize,
    /// Emptied lists, to be used again.
    spare: Vec<Vec<(usize, Frame)>>,
}

impl Reorder {
    pub(crate) fn new(outputs: Vec<Output>, bells: &[Arc<Doorbell>]) -> Reorder {
        let copies = bells.len();
        let window = AHEAD * copies as u64;
        let slots = window as usize + copies;
        let state = Held {
            done: Places::with_capacity(slots),
            outputs,
            last: Vec::new(),
            copies_running: copies,
            spare: (0..slots + copies).map(|_| Vec::with_capacity(4)).collect(),
        };
        Reorder { window, next: AtomicU64::new(0), state: Mutex::new(state), bells: bells.into() }
    }

    /// True when the frame with this ticket may be taken now and its outputs sent without waiting.
    pub(crate) fn is_ready(&self, ticket: u64) -> bool {
        ticket < self.next.load(Ordering::Acquire) + self.window
            && lock(&self.state).outputs.iter().all(Output::is_ready)
    }

    /// Ticket is done and emitted `held` at `place`; sends these frames and the ones that waited behind them, if the
    /// turn of the ticket has come.
    pub(crate) fn complete(
        &self,
        ticket: u64,
        place: u64,
        held: &mut Vec<(usize, Frame)>,
        ctx: &Context,
    ) -> Result<(), NodeError> {
        let mut state = lock(&self.state);
        let mut list = state.spare.pop().unwrap_or_default();
        std::mem::swap(&mut list, held);
        state.done.fill(ticket, (place, list));
        let result = self.send_done(&mut state, ctx);
        drop(state);
        // Copies that ran too far ahead may continue. The fence orders the store of `next` before the reads of the bells.
        fence(Ordering::SeqCst);
        self.bells.iter().for_each(|bell| _ = bell.ring_if_seen_parked());
        result
    }

    fn send_done(&self, state: &mut Held, ctx: &Context) -> Result<(), NodeError> {
        let mut result = Ok(());
        while let Some((place, mut list)) = state.done.take_next() {
            result = result.and(send(&mut state.outputs, place, &mut list, ctx));
            state.spare.push(list);
            self.next.fetch_add(1, Ordering::Release);
        }
        result
    }

    /// A copy has ended, after emitting `held` at the very end. The last one closes the outputs and gets `true`.
    pub(crate) fn leave(&self, held: &mut Vec<(usize, Frame)>, ctx: &Context) -> bool {
        let mut state = lock(&self.state);
        state.last.append(held);
        state.copies_running -= 1;
        if state.copies_running > 0 {
            return false;
        }
        // Tickets that were never completed belong to a copy that failed; the rest goes out in order.
        let Held { done, outputs, last, .. } = &mut *state;
        for (place, mut list) in done.drain().chain([(ctx.order.place, std::mem::take(last))]) {
            if let Err(error) = send(outputs, place, &mut list, ctx) {
                ctx.tell_error(error.to_string());
            }
        }
        outputs.iter_mut().for_each(|output| output.close(ctx.order.place));
        true
    }

    /// Tickets that are done, with all before them.
    pub(crate) fn done(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    /// Runs `change` on the outputs, between frames.
    pub(crate) fn with_outputs<R>(&self, change: impl FnOnce(&mut Vec<Output>) -> R) -> R {
        change(&mut lock(&self.state).outputs)
    }
}

fn send(
    outputs: &mut [Output],
    place: u64,
    list: &mut Vec<(usize, Frame)>,
    ctx: &Context,
) -> Result<(), NodeError> {
    // A traced frame may be sent by another copy than the copy that handled it.
    let is_traced = |(_, frame): &(usize, Frame)| ctx.control.is_traced(frame.header().sequence);
    let timed = ctx.timed || ctx.statistics && list.iter().any(is_traced);
    let stamp_ns = if timed { ctx.clock.now_ns() } else { 0 };
    if ctx.order.is_on {
        outputs.iter_mut().for_each(|output| output.go_to(place));
    }
    let mut result = Ok(());
    for (output, frame) in list.drain(..) {
        if let Some(output) = outputs.get_mut(output) {
            let sent = output.send(frame, stamp_ns, &ctx.clock, &ctx.control, &ctx.bell);
            result = result.and(sent.map_err(NodeError::new));
        }
    }
    outputs.iter_mut().for_each(Output::tell);
    result
}
