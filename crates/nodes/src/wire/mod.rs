//! What the nodes of wire readout send each other.
//!
//! | stream | payload | attributes |
//! |---|---|---|
//! | raw frames | bytes: a [`RawBatch`], frames of one link that follow each other without a gap | `format`, `link`, `timestamp`, `faults` |
//! | hits | table of [`HitRow`] | `watermark`, and `link` before they are merged |
//! | ledger | table of [`LedgerRow`]: what became of the time of each link | |
//! | activities | table of [`ActivityRow`] | `watermark` |
//! | decisions | table of [`DecisionRow`] | `watermark` |
//! | truth | table of [`TruthRow`]: what a simulation put into the samples | `watermark` |
//!
//! All times are ticks of the experiment's clock (50 MHz for WIB1, 62.5 MHz for WIB2 and WIBEth), counted from 1970, so that
//! a time of day belongs to each. A *watermark* promises that no row with an earlier `time_start` will come any more.
//! A table without rows carries a watermark alone.

mod delay;
mod ingest;
mod ledger;
mod links;
mod raw;
mod rows;
mod sender;
mod simulation;
mod table;

pub use delay::Delays;
pub use ingest::{IngestCounts, IngestOptions, LinkIngest, Step};
pub use ledger::{Interval, LinkLedger, State};
pub use links::LinkSet;
pub use raw::{RawBatch, RawFormat, RawLabels};
pub use rows::{ActivityRow, DecisionRow, HitRow, LedgerRow, TruthRow};
pub use sender::{LEDGER, RAW, RawSender};
pub use simulation::{
    FrameWriter, LinkSamples, Origin, PulseShape, SimulatedLink, Simulation, SimulationSetup, TestPulses,
    TruePulse, restamp,
};
pub use table::{Row, RowTable, inherit_times, link_of, watermark_of};
