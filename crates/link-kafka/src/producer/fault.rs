//! Why a topic takes no more records of a sender.

use std::fmt;

use rdkafka::error::KafkaError;

use crate::record::NotOurs;

/// Why a topic takes no more records of a sender.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Fault {
    /// The record at this offset is none of a link.
    Record(i64, NotOurs),
    /// The topic has records of another link than the wanted one.
    OtherLink {
        /// The name of our link.
        wanted: String,
        /// The name in the topic.
        found: String,
    },
    /// A newer sender has written the record at this offset.
    NewerSender(i64),
    /// The broker does not store a record.
    NotStored(KafkaError),
    /// No client that reads the topic can be made.
    Client(KafkaError),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Record(offset, fault) => write!(f, "offset {offset}: {fault}"),
            Fault::OtherLink { wanted, found } => {
                write!(f, "wanted records of the link `{wanted}`, found records of `{found}`")
            }
            Fault::NewerSender(offset) => write!(f, "offset {offset}: a newer sender of the link has begun"),
            Fault::NotStored(error) => write!(f, "a record is not stored: {error}"),
            Fault::Client(error) => write!(f, "kafka: {error}"),
        }
    }
}

impl std::error::Error for Fault {}
