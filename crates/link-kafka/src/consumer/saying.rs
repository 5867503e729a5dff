//! The half of a reading end that hears the receiver.

use std::sync::Arc;

use livetime_frame::Frame;
use livetime_link::carrier::{CarrierError, Outgoing};
use livetime_link::{Body, Hello, Message};

use super::state::Shared;

/// Takes what the receiver says to its sender.
pub(super) struct Saying {
    pub(super) shared: Arc<Shared>,
}

impl Outgoing for Saying {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        match &message.body {
            Body::Hello(hello) => self.hello(message.from, hello),
            Body::Ack(ack) => self.shared.with(|state| state.advance(&ack.standing, ack.credit)),
            Body::Finished(standing) => self.shared.with(|state| {
                let credit = state.credit;
                state.advance(standing, credit);
                // Nothing is left of this sender; with an abort, what is left is for the next process.
                let is_whole = state.marks.iter().all(|mark| mark.begin >= standing.completed);
                if is_whole && state.marks.iter().all(|mark| mark.end == u64::MAX) {
                    state.marks.clear();
                }
                state.has_finished = true;
            }),
            // The final standing follows it.
            Body::Abort(_) => {}
            other => {
                return Err(CarrierError::refused(format!("wanted an answer, found {}", other.name())));
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        // After the group has taken the partition away, another process says where the group is.
        self.shared.with(|state| state.wants_last |= !std::mem::replace(&mut state.is_broken, true));
    }
}

impl Saying {
    fn hello(&self, session: u64, hello: &Hello) {
        self.shared.with(|state| {
            state.peer = session;
            state.credit = hello.credit;
            let known = state.current.as_mut().zip(hello.standing);
            if let Some((current, (epoch, standing))) = known
                && epoch == current.epoch
            {
                current.standing = standing;
            }
            state.given.clear();
            state.given_bytes = 0;
        });
    }
}
