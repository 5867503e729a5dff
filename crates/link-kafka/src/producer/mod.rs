//! The end of a link that writes to a topic.

mod client;
mod fault;
mod state;
mod tail;
mod writer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_frame::Frame;
use livetime_link::carrier::{Carrier, CarrierError, Connected, Incoming, Memory, Outgoing};
use livetime_link::{Ack, Body, Credit, Data, Hello, Message};
use livetime_runtime::Random;
use rdkafka::producer::Producer;

use crate::client::{answers, check_partitions, config, create_topic, partitions, refused, wrong};
use crate::{Address, Ends};
use client::{Client, broken};
use state::{Deliveries, Shared, State};
use writer::Writer;

/// With nothing to acknowledge, the broker is asked so often whether it is there.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// The carrier of a sender: the broker is its receiver. Frames count as completed when the broker has stored them.
pub struct Producing {
    address: Address,
    ends: Ends,
    /// The receiver's epoch: of this client, whose queue belongs to it.
    epoch: u64,
    sessions: Random,
    shared: Arc<Shared>,
    client: Option<Arc<Client>>,
    /// The topic was looked at, and fits.
    is_checked: bool,
    /// The topic does not fit, and was told.
    is_refused: bool,
}

impl Producing {
    /// A carrier for one sender. The broker need not be there yet; a topic that is missing is made.
    pub fn new(address: Address, ends: Ends, epoch: u64) -> Producing {
        let sessions = Random::new(epoch);
        let shared = Arc::default();
        Producing {
            address,
            ends,
            epoch,
            sessions,
            shared,
            client: None,
            is_checked: false,
            is_refused: false,
        }
    }

    fn client(&mut self) -> Result<Arc<Client>, CarrierError> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let mut config = config(&self.address);
        config.set("enable.idempotence", "true").set("acks", "all");
        // The link's window bounds what waits, and the link decides how long: nothing is given up here.
        config.set("message.timeout.ms", "0").set("queue.buffering.max.messages", "0");
        config.set("queue.buffering.max.kbytes", "2147483647");
        // With more requests under way the client's thread spins while all of them wait for answers: five times the CPU,
        // and no more records a second.
        config.set("max.in.flight", "1").set("linger.ms", "1");
        let most = self.address.record_bytes + (1 << 20);
        config.set("message.max.bytes", most.max(1 << 20).to_string());
        let client = config.create_with_context(Deliveries(self.shared.clone()));
        let client: Arc<Client> = Arc::new(client.map_err(|e| wrong(&e))?);
        self.client = Some(client.clone());
        Ok(client)
    }

    /// Whether the broker is there, with a topic that fits.
    fn is_ready(&mut self) -> Result<bool, CarrierError> {
        let client = self.client()?;
        if self.is_checked {
            return Ok(answers(client.client(), &self.address.topic));
        }
        let Some(found) = partitions(client.client(), &self.address.topic) else { return Ok(false) };
        check_partitions(&self.address.topic, found)?;
        if found == 0 {
            // It is looked at again, so an error is one of the next try.
            _ = create_topic(&self.address);
            return Ok(false);
        }
        self.is_checked = tail::check(&client, &self.address, &self.ends.cut.name)?;
        Ok(self.is_checked)
    }
}

impl Carrier for Producing {
    fn connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError> {
        let fault = self.shared.lock().fault.clone();
        if self.is_refused {
            std::thread::sleep(wait);
            return Ok(None);
        }
        let is_ready = match fault {
            Some(fault) => Err(refused(&self.address.topic, fault)),
            None => self.is_ready(),
        };
        self.is_refused = is_ready.is_err();
        if !is_ready? {
            std::thread::sleep(wait);
            return Ok(None);
        }
        let (client, session) = (self.client()?, self.sessions.next_u64().max(1));
        self.shared.with(|state| {
            (state.is_broken, state.peer, state.hello_due, state.ack_due) = (false, 0, true, false);
        });
        let writer = Writer::new(client.clone(), self.address.clone(), self.ends.cut.name.clone());
        let outgoing = Writing { shared: self.shared.clone(), writer };
        let incoming = Answers {
            shared: self.shared.clone(),
            client,
            address: self.address.clone(),
            ends: self.ends.clone(),
            epoch: self.epoch,
            session,
            said: Instant::now(),
        };
        Ok(Some((Box::new(outgoing), Box::new(incoming))))
    }
}

/// The half that writes what the sender says.
struct Writing {
    shared: Arc<Shared>,
    writer: Writer,
}

impl Outgoing for Writing {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        match &message.body {
            Body::Welcome(welcome) => self.welcome(message, welcome.epoch),
            Body::Data(data) => self.data(message, data),
            Body::Heartbeat(beat) => {
                // The log of a topic has no use for a heartbeat that tells nothing.
                let is_news = self.shared.lock().told != beat.told;
                if is_news {
                    self.write(message, state::Ends::Nothing)?;
                    self.shared.lock().told = beat.told;
                }
                Ok(())
            }
            Body::Finish(_) | Body::Abort(_) => {
                let is_news = !std::mem::replace(&mut self.shared.lock().end_written, true);
                if is_news {
                    self.write(message, state::Ends::Run)?;
                }
                Ok(())
            }
            other => Err(CarrierError::refused(format!("wanted data, found {}", other.name()))),
        }
    }

    fn close(&mut self) {
        self.shared.with(|state| state.is_broken = true);
    }
}

impl Writing {
    /// The sender is there: it is written once, so that a reader knows where an incarnation begins.
    fn welcome(&mut self, message: &Message<Frame>, epoch: u64) -> Result<(), CarrierError> {
        let known = self.shared.lock().sender;
        match known {
            None => self.write_as(epoch, message, state::Ends::Nothing)?,
            Some(known) if known != epoch => {
                return Err(CarrierError::refused(format!("wanted sender {known:x}, found {epoch:x}")));
            }
            Some(_) => {}
        }
        self.shared.with(|state| {
            (state.sender, state.peer, state.ack_due) = (Some(epoch), message.from, true);
        });
        Ok(())
    }

    /// Writes frames once, though the sender goes back over each new connection.
    fn data(&mut self, message: &Message<Frame>, data: &Data<Frame>) -> Result<(), CarrierError> {
        let written = self.shared.lock().written;
        let end = data.position + data.frames.len() as u64;
        if data.position > written {
            let why = format!("wanted the frame at position {written}, found {}", data.position);
            return Err(CarrierError::refused(why));
        }
        if data.position == written {
            self.write(message, state::Ends::Frames(end))?;
        } else if end > written {
            let frames = data.frames[(written - data.position) as usize..].to_vec();
            let rest = Data { position: written, frames, ..data.clone() };
            let rest = Message { from: message.from, to: message.to, body: Body::Data(rest) };
            self.write(&rest, state::Ends::Frames(end))?;
        }
        self.shared.with(|state| {
            (state.written, state.told, state.ack_due) = (written.max(end), data.told, true);
        });
        Ok(())
    }

    fn write(&mut self, message: &Message<Frame>, ends: state::Ends) -> Result<(), CarrierError> {
        let sender = self.shared.lock().sender;
        let Some(epoch) = sender else {
            return Err(CarrierError::refused("wanted welcome, found another message"));
        };
        self.write_as(epoch, message, ends)
    }

    fn write_as(
        &mut self,
        epoch: u64,
        message: &Message<Frame>,
        ends: state::Ends,
    ) -> Result<(), CarrierError> {
        let is_broken = || self.shared.lock().is_broken;
        self.writer.write(epoch, message, ends, &is_broken)
    }
}

/// The half that says what a receiver would.
struct Answers {
    shared: Arc<Shared>,
    client: Arc<Client>,
    address: Address,
    ends: Ends,
    epoch: u64,
    session: u64,
    /// When something was said, or the broker was asked, last.
    said: Instant,
}

impl Incoming for Answers {
    fn receive(&mut self, _memory: Memory<'_>) -> Result<Message<Frame>, CarrierError> {
        let shared = self.shared.clone();
        let mut state = shared.lock();
        loop {
            if state.is_broken {
                return Err(broken("the connection is closed"));
            }
            if let Some(fault) = &state.fault {
                return Err(refused(&self.address.topic, fault));
            }
            if let (Some(gap), Some(epoch)) = (state.gap, state.sender) {
                drop(state);
                self.look(gap, epoch)?;
                state = shared.lock();
                continue;
            }
            if let Some(body) = self.due(&mut state) {
                let to = state.peer;
                self.said = Instant::now();
                return Ok(Message { from: self.session, to, body });
            }
            let limit = HEARTBEAT.saturating_sub(self.said.elapsed());
            if !limit.is_zero() {
                state = self.shared.sleep(state, limit);
                continue;
            }
            drop(state);
            if !answers(self.client.client(), &self.address.topic) {
                return Err(broken("the broker does not answer"));
            }
            self.said = Instant::now();
            state = shared.lock();
            // Nothing to a sender that has not welcomed us.
            state.ack_due |= state.peer != 0;
        }
    }
}

impl Answers {
    /// Another producer has written between our records.
    fn look(&self, gap: (i64, i64), epoch: u64) -> Result<(), CarrierError> {
        let known = match tail::check_gap(&self.address, gap, epoch) {
            Ok(false) => return Err(broken("the broker does not answer")),
            Ok(true) => Ok(()),
            Err(fault) => Err(fault),
        };
        self.shared.lock().know_gap(known);
        Ok(())
    }

    fn due(&self, state: &mut State) -> Option<Body<Frame>> {
        if std::mem::take(&mut state.hello_due) {
            return Some(Body::Hello(self.hello(state)));
        }
        if state.peer == 0 {
            return None;
        }
        // Everything is stored, as the records are in order.
        if state.end_stored && std::mem::take(&mut state.ack_due) {
            return Some(Body::Finished(state.standing()));
        }
        std::mem::take(&mut state.ack_due).then(|| {
            let (standing, credit) = (state.standing(), self.credit());
            Body::Ack(Ack {
                standing,
                credit,
                gap: false,
                ending: false,
                clock_ns: 0,
                echo_ns: 0,
                held_ns: 0,
            })
        })
    }

    fn hello(&self, state: &State) -> Hello {
        Hello {
            epoch: self.epoch,
            cut: self.ends.cut.clone(),
            max_frame_bytes: self.ends.max_frame_bytes,
            credit: self.credit(),
            standing: state.sender.map(|sender| (sender, state.standing())),
            stored: None,
        }
    }

    /// The sender's own window is the bound: what the client has, the sender keeps until the broker has it.
    fn credit(&self) -> Credit {
        Credit { frames: self.ends.window_frames, bytes: u64::MAX }
    }
}
