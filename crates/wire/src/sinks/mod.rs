//! Nodes that write what was read out and found.

#[cfg(feature = "parquet")]
pub mod hits_parquet;
pub mod link_ledger;
pub mod trigger_records;
pub mod wib_dump;
