//! Messages as records.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use livetime_frame::Frame;
use livetime_link::carrier::CarrierError;
use livetime_link::wire::{encode, payload};
use livetime_link::{Body, Message};
use rdkafka::error::KafkaError;
use rdkafka::producer::BaseRecord;
use rdkafka::types::RDKafkaErrorCode;

use super::client::{Client, broken};
use super::state::Ends;
use crate::Address;
use crate::client::{PARTITION, refused};
use crate::record::{Key, MAX_HEAD_IN_KEY};

/// Writes messages; keeps the memory of heads, keys and small payloads.
pub(super) struct Writer {
    client: Arc<Client>,
    address: Address,
    cut: String,
    /// Number of the next message. A message that was cut off has used its number up.
    message: u64,
    head: Vec<u8>,
    key: Vec<u8>,
    joined: Vec<u8>,
}

impl Writer {
    pub(super) fn new(client: Arc<Client>, address: Address, cut: String) -> Writer {
        let (head, key, joined) = (Vec::new(), Vec::new(), Vec::new());
        // Messages of one epoch over several connections must not share numbers.
        let message = livetime_runtime::Clock::real().now_ns();
        Writer { client, address, cut, message, head, key, joined }
    }

    /// Gives the message to the client, which keeps a copy until the broker has it.
    pub(super) fn write(
        &mut self,
        epoch: u64,
        message: &Message<Frame>,
        ends: Ends,
        is_broken: &dyn Fn() -> bool,
    ) -> Result<(), CarrierError> {
        self.head.clear();
        encode(message, &mut self.head)?;
        let frames: &[Frame] = if let Body::Data(data) = &message.body { &data.frames } else { &[] };
        let mut payloads: Vec<Cow<'_, [u8]>> = frames.iter().map(payload).collect();
        let is_in_key = self.head.len() <= MAX_HEAD_IN_KEY;
        let value = match payloads.pop() {
            Some(only) if payloads.is_empty() && is_in_key => only,
            last => {
                let mut joined = std::mem::take(&mut self.joined);
                joined.clear();
                joined.extend(if is_in_key { &[] } else { &self.head[..] });
                payloads.iter().chain(&last).for_each(|payload| joined.extend(&payload[..]));
                Cow::Owned(joined)
            }
        };
        self.message += 1;
        let begin = if is_in_key { std::mem::take(&mut self.head) } else { Vec::new() };
        let result = self.write_parts(epoch, &begin, &value, ends, is_broken);
        if is_in_key {
            self.head = begin;
        }
        if let Cow::Owned(joined) = value {
            self.joined = joined;
        }
        result
    }

    fn write_parts(
        &mut self,
        epoch: u64,
        begin: &[u8],
        value: &[u8],
        ends: Ends,
        is_broken: &dyn Fn() -> bool,
    ) -> Result<(), CarrierError> {
        let parts = value.len().div_ceil(self.address.record_bytes).max(1) as u32;
        let mut key = std::mem::take(&mut self.key);
        for part in 0..parts {
            let from = part as usize * self.address.record_bytes;
            let piece = &value[from..value.len().min(from + self.address.record_bytes)];
            let (begin, ends) =
                (if part == 0 { begin } else { &[] }, if part + 1 == parts { ends } else { Ends::Nothing });
            key.clear();
            let head = Key { cut: &self.cut, epoch, message: self.message, part, parts, begin };
            head.put(&mut key);
            self.put(&key, piece, ends, is_broken)?;
        }
        self.key = key;
        Ok(())
    }

    fn put(
        &self,
        key: &[u8],
        value: &[u8],
        ends: Ends,
        is_broken: &dyn Fn() -> bool,
    ) -> Result<(), CarrierError> {
        let topic = &self.address.topic;
        let record = BaseRecord::with_opaque_to(topic, Box::new(ends));
        let mut record = record.partition(PARTITION).key(key).payload(value);
        loop {
            match self.client.send(record) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), back)) => {
                    if is_broken() {
                        return Err(broken("the connection is closed"));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                    record = back;
                }
                Err((error, _)) => return Err(refused(topic, error)),
            }
        }
    }
}
