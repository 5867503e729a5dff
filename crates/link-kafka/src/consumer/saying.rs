//! The half of a reading end that hears the receiver.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use livetime_frame::Frame;
use livetime_link::carrier::{CarrierError, Outgoing};
use livetime_link::{Body, Hello, Message};

use super::committer::commit;
use super::found::Client;
use super::place::Place;
use super::state::Shared;

/// The last commit may take so long. A broker that is stopped never answers it, and the receiver must learn that the
/// connection is gone.
const LAST_COMMIT: Duration = Duration::from_secs(3);

/// Takes what the receiver says to its sender.
pub(super) struct Saying {
    pub(super) shared: Arc<Shared>,
    pub(super) client: Arc<Client>,
    pub(super) topic: String,
    pub(super) window: u64,
}

impl Outgoing for Saying {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        match &message.body {
            Body::Hello(hello) => self.hello(message.from, hello),
            Body::Ack(ack) => self.shared.with(|state| state.advance(&ack.standing, ack.credit)),
            Body::Finished(standing) => {
                self.shared.with(|state| {
                    let credit = state.credit;
                    state.advance(standing, credit);
                    // Nothing is left of this sender; with an abort, what is left is for the next process.
                    let is_whole = state.marks.iter().all(|mark| mark.begin >= standing.completed);
                    if is_whole && state.marks.iter().all(|mark| mark.end == u64::MAX) {
                        state.marks.clear();
                    }
                    state.has_finished = true;
                });
                self.commit();
            }
            // The final standing follows it.
            Body::Abort(_) => {}
            other => {
                return Err(CarrierError::refused(format!("wanted an answer, found {}", other.name())));
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        let was_broken = self.shared.with(|state| std::mem::replace(&mut state.is_broken, true));
        if !was_broken {
            self.commit();
        }
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

    /// The last word of this process: the next one goes on there.
    fn commit(&self) {
        let place = {
            let state = self.shared.lock();
            let place = state.place(self.window).map(|(offset, place)| {
                // No frame is given any more.
                (offset, Place { limit: state.next().clamp(place.position, place.limit), ..place })
            });
            place.filter(|place| state.committed != Some(*place))
        };
        let Some(place) = place else { return };
        let (client, topic, (done, answer)) = (self.client.clone(), self.topic.clone(), mpsc::channel());
        let work = move || done.send(commit(&client, &topic, place).is_ok());
        // Without it the next process gets frames again, and says so.
        if thread::Builder::new().name("kafka last commit".into()).spawn(work).is_ok() {
            _ = answer.recv_timeout(LAST_COMMIT);
        }
    }
}
