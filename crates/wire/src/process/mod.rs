//! Nodes that turn raw frames into hits, hits into decisions, and decisions into records.

pub mod hit_finder;
pub mod hit_merger;
pub mod readout_buffer;
pub mod record_builder;
pub mod record_bytes;
pub mod roi_selector;
pub mod trigger_candidate;
pub mod triggers;
