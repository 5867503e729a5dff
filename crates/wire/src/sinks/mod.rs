//! Sinks: nodes that write raw data, records, hits and ledgers.

#[cfg(feature = "parquet")]
pub mod hits_parquet;
pub mod link_ledger;
pub mod trigger_records;
pub mod wib_dump;
