//! Commits, on a thread of their own: each waits for the broker's answer, which the client tells in no other way.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rdkafka::consumer::CommitMode;
use rdkafka::consumer::Consumer;
use rdkafka::error::KafkaResult;
use rdkafka::{Offset, TopicPartitionList};

use super::found::Client;
use super::place::Place;
use super::state::Shared;
use crate::client::PARTITION;

/// Longest wait before it looks whether the time for a commit has come.
const LOOK: Duration = Duration::from_millis(50);

/// Starts the commits of a connection. The thread ends with it, behind the last commit, whose answer it waits for.
pub(super) fn start(
    shared: Arc<Shared>,
    // The carrier's end must close the client at once, so that the group does not wait for it.
    client: Weak<Client>,
    topic: String,
    (connection, window): (u64, u64),
) -> io::Result<()> {
    let committer = Committer::new(shared);
    let lead = move || {
        let shared = &committer.0;
        while let Some(due) = shared.due(connection, window, Instant::now(), LOOK) {
            let Some(place) = due else { continue };
            let is_done = client.upgrade().is_some_and(|client| commit(&client, &topic, place).is_ok());
            shared.with(|state| {
                state.committing = None;
                if is_done {
                    state.committed = Some(place);
                }
            });
        }
    };
    thread::Builder::new().name("kafka commits".into()).spawn(lead).map(drop)
}

/// A thread that commits is counted until it ends, or was not started.
struct Committer(Arc<Shared>);

impl Committer {
    fn new(shared: Arc<Shared>) -> Committer {
        shared.with(|state| state.committers += 1);
        Committer(shared)
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.0.with(|state| state.committers -= 1);
    }
}

/// Commits, and waits for the answer.
fn commit(client: &Client, topic: &str, (offset, place): (i64, Place)) -> KafkaResult<()> {
    let mut places = TopicPartitionList::new();
    places.add_partition_offset(topic, PARTITION, Offset::Offset(offset))?;
    if let Some(mut element) = places.find_partition(topic, PARTITION) {
        element.set_metadata(place.to_string());
    }
    client.commit(&places, CommitMode::Sync)
}
