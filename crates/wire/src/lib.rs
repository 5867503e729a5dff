//! Wire readout: sources of raw frames, hit finding, triggers, readout of windows, records, and the ledger of links.
//!
//! The nodes are in [`sources`], [`process`] and [`sinks`], one file or folder each; [`ALL`] lists them. A
//! node is added with its file, its `mod` line in its folder, and its entry in [`ALL`].
//!
//! Three types come first. A [`RawBatch`] is a frame of the graph that holds raw frames of one link. A [`HitRow`] is a
//! pulse on one channel. A [`LinkLedger`] has the state of every tick of a link.
//!
//! ```
//! use livetime_wire::{Interval, LinkLedger, State};
//!
//! let mut ledger = LinkLedger::default();
//! ledger.tell(Interval { begin: 0, end: 300, state: State::Good, bits: 0 });
//! ledger.tell(Interval { begin: 120, end: 145, state: State::Corrupt, bits: 1 });
//! ledger.tell(Interval { begin: 300, end: 400, state: State::Absent, bits: 0 });
//! let ticks = [State::Good, State::Corrupt, State::Absent].map(|state| ledger.ticks_in(state));
//! assert_eq!((ticks, ledger.ticks()), ([275, 25, 100], 400));
//! ```
//!
//! The nodes send each other these data:
//!
//! | stream | payload | attributes |
//! |---|---|---|
//! | raw frames | bytes: a [`RawBatch`], frames of one link that follow each other without a gap | `format`, `link`, `timestamp`, `faults`, `epoch`, `after` |
//! | hits | table of [`HitRow`] | `watermark`, and before they are merged `link`, `finder`, `planes` |
//! | ledger | table of [`LedgerRow`]: the state of the time of each link | |
//! | activities | table of [`ActivityRow`] | `watermark` |
//! | decisions | table of [`DecisionRow`] | `watermark` |
//! | regions | table of [`RegionRow`], and an array \[n, 12, 16\] of their samples | `link` |
//! | records | a [`TriggerRecord`]: the data that were read out for a decision | |
//! | truth | table of [`TruthRow`]: the pulses that a simulation put into the samples | `watermark` |
//!
//! All times are ticks of the experiment's clock (50 MHz for WIB1, 62.5 MHz for WIB2 and WIBEth), counted from 1970, so that
//! a time of day belongs to each. A *watermark* promises that no row with an earlier `time_start` will come any more.
//! A table without rows carries a watermark alone. A watermark belongs to the stream that it came in: the hits of a link from one finder, or merged ones.
//! When it goes back, the clock was set back and a new *epoch* of time has begun. The data of the earlier epoch are complete, and are never
//! compared with data of the new one.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod channels;
mod delay;
mod encode;
mod ingest;
mod ledger;
mod links;
pub mod process;
mod raw;
mod record;
mod rows;
mod sender;
pub mod sinks;
mod slowest;
pub mod sources;
mod table;

use livetime_engine::NodeType;

pub use channels::{Channel, ChannelMap, channels};
pub use delay::Delays;
pub use ingest::{IngestCounts, IngestOptions, LinkIngest, Settled, Step};
pub use ledger::{Interval, LinkLedger, State};
pub use links::LinkSet;
pub use raw::{RawBatch, RawFormat, RawLabels, unpack};
pub use record::{Fragment, HitFragment, Piece, TriggerRecord};
pub use rows::{ActivityRow, DecisionRow, HitRow, LedgerRow, RegionRow, TruthRow};
pub use sender::{LEDGER, RAW, RawSender};
pub use table::{Row, RowTable, finder_of, inherit_times, link_of, planes_of, watermark_of};

/// All nodes of wire readout: sources, processes, sinks.
pub const ALL: &[NodeType] = &[
    // Sources.
    NodeType::of::<sources::felix_blocks::FelixBlocks>(),
    NodeType::of::<sources::wib_file::WibFile>(),
    NodeType::of::<sources::wibeth_udp::WibethUdp>(),
    // Processes.
    NodeType::of::<process::hit_finder::HitFinder>(),
    NodeType::of::<process::hit_merger::HitMerger>(),
    NodeType::of::<process::readout_buffer::ReadoutBuffer>(),
    NodeType::of::<process::record_builder::RecordBuilder>(),
    NodeType::of::<process::record_bytes::RecordBytes>(),
    NodeType::of::<process::roi_selector::RoiSelector>(),
    NodeType::of::<process::trigger_candidate::TriggerCandidate>(),
    NodeType::of::<process::triggers::chain_2019::Trigger2019>(),
    NodeType::of::<process::triggers::adc_window::TriggerAdcWindow>(),
    NodeType::of::<process::triggers::adjacency::TriggerAdjacency>(),
    NodeType::of::<process::triggers::bundle::TriggerBundle>(),
    NodeType::of::<process::triggers::channel_distance::TriggerChannelDistance>(),
    NodeType::of::<process::triggers::dbscan::TriggerDbscan>(),
    NodeType::of::<process::triggers::horizontal_muon::TriggerHorizontalMuon>(),
    NodeType::of::<process::triggers::michel::TriggerMichel>(),
    NodeType::of::<process::triggers::plane_coincidence::TriggerPlaneCoincidence>(),
    NodeType::of::<process::triggers::prescale::TriggerPrescale>(),
    NodeType::of::<process::triggers::supernova::TriggerSupernova>(),
    // Sinks.
    NodeType::of::<sinks::link_ledger::LinkLedgerFile>(),
    #[cfg(feature = "parquet")]
    NodeType::of::<sinks::hits_parquet::HitsParquet>(),
    NodeType::of::<sinks::trigger_records::TriggerRecords>(),
    NodeType::of::<sinks::wib_dump::WibDump>(),
];
