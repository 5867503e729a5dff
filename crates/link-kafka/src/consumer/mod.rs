//! The end of a link that reads a topic.

mod assembly;
mod committer;
mod found;
mod group;
mod place;
mod reading;
mod saying;
mod state;

use std::sync::Arc;
use std::time::Duration;

use livetime_link::carrier::{Carrier, CarrierError, Connected};
use livetime_runtime::Random;
use rdkafka::consumer::Consumer;
use rdkafka::{Offset, TopicPartitionList};

use crate::client::{self, ANSWER, PARTITION, check_partitions, config, partitions, wrong};
use crate::{Address, Ends};
use found::{Client, Found};
use group::Group;
use reading::Reading;
use saying::Saying;
use state::Shared;

/// The last commit may take so long: a broker that is stopped never answers it.
const LAST_COMMIT: Duration = Duration::from_secs(3);

/// The carrier of a receiver: the broker is its sender.
pub struct Consuming {
    address: Address,
    ends: Ends,
    sessions: Random,
    shared: Arc<Shared>,
    client: Option<Arc<Client>>,
    is_subscribed: bool,
    /// The refusal was told.
    is_told: bool,
    /// What the group had committed when this process began to read.
    found: Option<Found>,
}

impl Consuming {
    /// A carrier for one receiver. Neither broker nor topic need be there yet. `epoch` is the receiver's.
    pub fn new(address: Address, ends: Ends, epoch: u64) -> Consuming {
        Consuming {
            address,
            ends,
            sessions: Random::new(epoch),
            shared: Arc::default(),
            client: None,
            is_subscribed: false,
            is_told: false,
            found: None,
        }
    }

    fn client(&mut self) -> Result<Arc<Client>, CarrierError> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let mut config = config(&self.address);
        let group = format!("{}.{}", self.address.topic, self.ends.cut.name);
        config.set("group.id", self.address.group.as_deref().unwrap_or(&group));
        config.set("enable.auto.commit", "false").set("enable.auto.offset.store", "false");
        // What retention has removed is seen by the positions of frames.
        config.set("auto.offset.reset", "earliest");
        // A process that waits for the partition must not take it away, and a killed one frees it soon.
        config.set("partition.assignment.strategy", "cooperative-sticky");
        config.set("session.timeout.ms", "6000").set("heartbeat.interval.ms", "1000");
        // A graph may be paused for long.
        config.set("max.poll.interval.ms", "86400000");
        config.set("fetch.wait.max.ms", "100");
        let client = config.create_with_context(Group(self.shared.clone()));
        let client: Arc<Client> = Arc::new(client.map_err(|e| wrong(&e))?);
        self.client = Some(client.clone());
        Ok(client)
    }

    /// Waits at most `wait` until the group has given the partition to this process.
    fn joins(&mut self, client: &Client, wait: Duration) -> Result<bool, CarrierError> {
        if !self.is_subscribed {
            let Some(found) = partitions(client.client(), &self.address.topic) else {
                // A poll hears the reason of the broker's silence, such as a wrong password.
                drop(client.poll(Duration::ZERO));
                return Ok(false);
            };
            check_partitions(&self.address.topic, found)?;
            if found == 0 {
                return Ok(false);
            }
            client.subscribe(&[&self.address.topic]).map_err(|e| wrong(&e))?;
            self.is_subscribed = true;
        }
        if !self.shared.lock().is_assigned {
            // A record that comes here is read again: each connection says from which offset on it reads.
            drop(client.poll(wait));
        }
        Ok(self.shared.lock().is_assigned)
    }

    /// Whether there is something to read, or the broker will tell when there is.
    fn is_ready(&mut self, client: &Client) -> Result<bool, CarrierError> {
        let Ok((low, high)) = client.fetch_watermarks(&self.address.topic, PARTITION, ANSWER) else {
            return Ok(false);
        };
        let Some(committed) = committed(client, &self.address.topic) else { return Ok(false) };
        let state = self.shared.lock();
        if let (Some(current), Some(place)) = (state.current, committed.place)
            && place.epoch == current.epoch
            && place.position > current.standing.received
        {
            let why = "another process of the group has read on since this one lost its connection";
            return Err(client::refused(&self.address.topic, why));
        }
        if state.current.is_some() {
            return Ok(true);
        }
        if !state.past.is_empty() {
            return Ok(high > state.next_offset);
        }
        let offset = committed.offset.max(low);
        self.found = Some(Found { offset, has_gap: low > committed.offset, ..committed });
        Ok(high > offset)
    }

    fn try_connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError> {
        let client = self.client()?;
        if self.shared.lock().has_finished {
            return Ok(None);
        }
        if !self.joins(&client, wait)? || !self.is_ready(&client)? {
            return Ok(None);
        }
        let connection = self.shared.with(|state| {
            state.connection += 1;
            (state.is_broken, state.wants_last, state.peer) = (false, false, 0);
            state.connection
        });
        let session = self.sessions.next_u64().max(1);
        let window = self.ends.window_frames;
        let topic = self.address.topic.clone();
        committer::start(self.shared.clone(), Arc::downgrade(&client), topic, (connection, window))?;
        let reading =
            Reading::new(self.shared.clone(), client, (&self.address, &self.ends), session, self.found);
        let saying = Saying { shared: self.shared.clone() };
        Ok(Some((Box::new(saying), Box::new(reading))))
    }
}

impl Carrier for Consuming {
    fn connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError> {
        if self.is_told {
            std::thread::sleep(wait);
            return Ok(None);
        }
        let refused = self.shared.lock().refused.clone();
        let connected = match refused {
            Some(why) => Err(CarrierError::refused(why)),
            None => self.try_connect(wait),
        };
        self.is_told = connected.is_err();
        if let Ok(None) = connected {
            std::thread::sleep(wait);
        }
        connected
    }

    fn address(&self) -> Option<String> {
        Some(format!("kafka://{}/{}", self.address.brokers, self.address.topic))
    }
}

impl Drop for Consuming {
    /// The next process of the group goes on behind the last commit.
    fn drop(&mut self) {
        self.shared.await_commits(LAST_COMMIT);
    }
}

/// What the group has committed; `None` when the broker does not answer.
fn committed(client: &Client, topic: &str) -> Option<Found> {
    let mut wanted = TopicPartitionList::new();
    wanted.add_partition(topic, PARTITION);
    let found = client.committed_offsets(wanted, ANSWER).ok()?;
    let element = found.find_partition(topic, PARTITION)?;
    element.error().ok()?;
    let place = element.metadata().parse().ok();
    Some(match element.offset() {
        Offset::Offset(offset) => Found { offset, place, is_known: true, has_gap: false },
        _ => Found { offset: 0, place: None, is_known: false, has_gap: false },
    })
}
