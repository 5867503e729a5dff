//! What others have written to a topic.

use std::time::Instant;

use livetime_link::carrier::CarrierError;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::message::BorrowedMessage;
use rdkafka::producer::Producer;
use rdkafka::{Message, Offset, TopicPartitionList};

use super::client::Client;
use super::fault::Fault;
use crate::Address;
use crate::client::{ANSWER, PARTITION, config, refused};
use crate::record::{Key, is_welcome};

/// True when the topic is empty, or its last record is one of this link; false when the broker does not answer.
///
/// # Errors
/// [`CarrierError::Refused`] for other content.
pub(super) fn check(client: &Client, address: &Address, cut: &str) -> Result<bool, CarrierError> {
    let Ok((low, high)) = client.client().fetch_watermarks(&address.topic, PARTITION, ANSWER) else {
        return Ok(false);
    };
    if low >= high {
        return Ok(true);
    }
    read(address, high - 1, |record| {
        let found = Key::read(record.key().unwrap_or_default());
        let found = found.map_err(|fault| Fault::Record(record.offset(), fault))?;
        if found.cut != cut {
            return Err(Fault::OtherLink { wanted: cut.to_owned(), found: found.cut.to_owned() });
        }
        Ok(false)
    })
    .map_err(|fault| refused(&address.topic, fault))
}

/// Looks at the records at these offsets, which others have written between those of `epoch`. False when the broker does
/// not answer.
///
/// # Errors
/// For other content, and when a newer sender has begun.
pub(super) fn check_gap(address: &Address, (from, to): (i64, i64), epoch: u64) -> Result<bool, Fault> {
    read(address, from, |record| {
        let offset = record.offset();
        if offset >= to {
            return Ok(false);
        }
        let key =
            Key::read(record.key().unwrap_or_default()).map_err(|fault| Fault::Record(offset, fault))?;
        if key.epoch != epoch && is_welcome(key.begin) {
            return Err(Fault::NewerSender(offset));
        }
        Ok(offset + 1 < to)
    })
}

/// Gives the records from an offset on to `look` while it returns true; false when they do not come.
fn read(
    address: &Address,
    from: i64,
    mut look: impl FnMut(&BorrowedMessage<'_>) -> Result<bool, Fault>,
) -> Result<bool, Fault> {
    let reader = reader(address, from).map_err(Fault::Client)?;
    let begun = Instant::now();
    while let Some(left) = ANSWER.checked_sub(begun.elapsed()) {
        let Some(Ok(record)) = reader.poll(left) else { continue };
        if !look(&record)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn reader(address: &Address, from: i64) -> KafkaResult<BaseConsumer> {
    let mut config = config(address);
    // The client wants the name of a group, though none is joined.
    config.set("group.id", "livetime-look").set("enable.auto.commit", "false");
    let reader: BaseConsumer = config.create()?;
    let mut place = TopicPartitionList::new();
    place.add_partition_offset(&address.topic, PARTITION, Offset::Offset(from))?;
    reader.assign(&place)?;
    Ok(reader)
}
