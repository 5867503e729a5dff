//! What both ends ask a broker, and what they want of a topic.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use livetime_link::carrier::CarrierError;
use rdkafka::ClientConfig;
use rdkafka::ClientContext;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::{Client, DefaultClientContext};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::types::RDKafkaErrorCode;

use crate::Address;

/// A broker that does not answer for so long is not there. Shorter than the death of a silent peer.
pub(crate) const ANSWER: Duration = Duration::from_secs(1);

/// The only partition of a topic of a link.
pub(crate) const PARTITION: i32 = 0;

pub(crate) fn refused(topic: &str, what: impl std::fmt::Display) -> CarrierError {
    CarrierError::refused(format!("topic `{topic}`: {what}"))
}

/// An error of a configuration, which no later try mends.
pub(crate) fn wrong(error: &KafkaError) -> CarrierError {
    CarrierError::refused(format!("kafka: {error}"))
}

/// The configuration of a client of either end.
pub(crate) fn config(address: &Address) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &address.brokers);
    config.set("client.id", "livetime");
    // A killed broker is back at once, or at any time.
    config.set("reconnect.backoff.ms", "100").set("reconnect.backoff.max.ms", "1000");
    // A broker that is stopped looks alive to the system; requests of its clients go to a new connection after this time.
    config.set("socket.timeout.ms", "10000");
    address.properties.iter().for_each(|(name, value)| _ = config.set(name, value));
    config
}

/// Whether an error says that the broker does not take us for who we are, or has nothing for us: no later try mends it.
pub(crate) fn is_denied(error: &KafkaError) -> bool {
    use RDKafkaErrorCode::{
        Authentication, ClusterAuthorizationFailed, GroupAuthorizationFailed, SaslAuthenticationFailed,
        TopicAuthorizationFailed, UnsupportedSASLMechanism,
    };
    matches!(
        error.rdkafka_error_code(),
        Some(
            Authentication
                | ClusterAuthorizationFailed
                | GroupAuthorizationFailed
                | SaslAuthenticationFailed
                | TopicAuthorizationFailed
                | UnsupportedSASLMechanism
        )
    )
}

/// Whether the broker answers for the topic: what a heartbeat of a peer would tell.
pub(crate) fn answers<C: ClientContext>(client: &Client<C>, topic: &str) -> bool {
    client.fetch_watermarks(topic, PARTITION, ANSWER).is_ok()
}

/// Partitions of the topic; 0 for one that is not there, `None` when the broker does not answer.
pub(crate) fn partitions<C: ClientContext>(client: &Client<C>, topic: &str) -> Option<usize> {
    let metadata = client.fetch_metadata(Some(topic), ANSWER).ok()?;
    let topic = metadata.topics().iter().find(|found| found.name() == topic)?;
    match topic.error().map(RDKafkaErrorCode::from) {
        None => Some(topic.partitions().len()),
        Some(RDKafkaErrorCode::UnknownTopicOrPartition | RDKafkaErrorCode::UnknownTopic) => Some(0),
        Some(_) => None,
    }
}

/// Order is what a partition keeps, so that a link has one.
pub(crate) fn check_partitions(topic: &str, found: usize) -> Result<(), CarrierError> {
    if found <= 1 {
        return Ok(());
    }
    Err(refused(topic, format_args!("wanted one partition, found {found}")))
}

/// Makes the topic with one partition, and as many replicas as the broker's default says. One that another process has
/// made meanwhile is no error.
pub(crate) fn create_topic(address: &Address) -> KafkaResult<()> {
    let admin: AdminClient<DefaultClientContext> = config(address).create()?;
    let topic = NewTopic::new(&address.topic, 1, TopicReplication::Fixed(-1));
    let options = AdminOptions::new().operation_timeout(Some(ANSWER)).request_timeout(Some(ANSWER));
    match block_on(admin.create_topics([&topic], &options))?.pop() {
        Some(Err((_, code))) if code != RDKafkaErrorCode::TopicAlreadyExists => {
            Err(KafkaError::AdminOp(code))
        }
        _ => Ok(()),
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for the answer to a request, which has a time limit of its own.
fn block_on<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
            return result;
        }
        thread::park();
    }
}
