//! The group of a reader: which process has the partition.

use std::sync::Arc;

use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, ConsumerContext, Rebalance};
use rdkafka::error::KafkaError;

use super::state::Shared;
use crate::client::is_denied;

/// Hears what the group's coordinator says. Called by the client's polls.
pub(super) struct Group(pub(super) Arc<Shared>);

impl ClientContext for Group {
    /// A broker that is away is a link that is down, which the link tells.
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, _reason: &str) {
        if is_denied(&error) {
            self.0.with(|state| _ = state.refused.get_or_insert_with(|| format!("kafka: {error}")));
        }
    }
}

impl ConsumerContext for Group {
    fn pre_rebalance(&self, _consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if !matches!(rebalance, Rebalance::Assign(_)) {
            self.0.with(|state| (state.is_assigned, state.is_broken) = (false, true));
        }
    }

    fn post_rebalance(&self, _consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Assign(partitions) = rebalance
            && partitions.count() > 0
        {
            self.0.with(|state| state.is_assigned = true);
        }
    }
}
