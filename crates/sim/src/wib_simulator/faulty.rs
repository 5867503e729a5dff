//! Prepared batches as they come with faults: frame by frame through the account of each link.

use std::collections::VecDeque;

use livetime_engine::{Context, NodeError};
use livetime_formats::wib::Faults;

use super::clock::LinkClock;
use super::direct::Batch;
use super::faults::{Fault, FaultKind, LinkFaults};
use super::prepare::Ring;
use crate::wires::{SimulationSetup, restamp};
use livetime_wire::{IngestOptions, LinkIngest, RawFormat, RawSender};

/// Convert counts are 16 bits long.
const CONVERT_COUNTS: usize = 1 << 16;

/// Sends frames with faults among them, and the ledger that names these.
pub(super) struct Faulty {
    format: RawFormat,
    rings: Vec<Ring>,
    links: Vec<LinkFaults>,
    pub(super) sender: RawSender,
    /// The bytes of a batch, with the times that are now.
    bytes: Vec<u8>,
}

impl Faulty {
    /// `sequence` is the number of the first frame or table sent.
    pub(super) fn new(
        setup: &SimulationSetup,
        batch_frames: usize,
        rings: Vec<Ring>,
        faults: &[Fault],
        sequence: u64,
    ) -> Faulty {
        let (format, seed) = (setup.format, setup.seed);
        let links = (0..rings.len() as u16).map(|link| LinkFaults::new(format, link, seed, faults)).collect();
        let mut sender = RawSender::numbered_from(sequence);
        for (ring, link) in rings.iter().zip(0..) {
            let first = ring.first().and_then(Option::as_ref);
            let options = IngestOptions {
                identity: first.map(|frame| format.identity(frame.bytes())),
                checksums: true,
                // Else they break off at the end of the loop.
                convert_counts: (ring.len() * batch_frames).is_multiple_of(CONVERT_COUNTS),
            };
            sender.add(LinkIngest::new(format, link, options), batch_frames);
        }
        Faulty { format, rings, links, sender, bytes: vec![0; batch_frames * format.bytes()] }
    }

    /// Sends the frames that become of a batch.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory, or an edge refuses; everything is accounted for nevertheless.
    pub(super) fn send(&mut self, batch: Batch, ctx: &mut Context) -> Result<(), NodeError> {
        let place = self.rings.get(batch.link).and_then(|ring| ring.get(batch.position));
        let (Some(Some(prepared)), Some(link)) = (place, self.links.get_mut(batch.link)) else {
            return Ok(());
        };
        // A copy, because the prepared batch comes again in the next loop, perhaps without faults.
        self.bytes.copy_from_slice(prepared.bytes());
        restamp(self.format, &mut self.bytes, batch.number, batch.stamp);
        let sender = &mut self.sender;
        let sent =
            link.pass(&self.bytes, batch.number, |frames| sender.put(batch.link, frames, Faults::NONE, ctx));
        // Frames in a begun batch need not wait for the next one.
        sent.and(self.sender.flush(ctx))
    }
}

/// The times of a link with the delays among `faults`.
pub(super) fn link_clock(faults: &[Fault], link: u16, batch_frames: usize) -> LinkClock {
    let mine = || faults.iter().filter(|fault| fault.is_of(link));
    let skew = |fault: &Fault| if let FaultKind::Skew { ns } = fault.kind { ns } else { 0 };
    let stall = |fault: &Fault| match fault.kind {
        FaultKind::Stall { ns } => Some((fault.first / batch_frames as u64, ns)),
        _ => None,
    };
    let mut stalls: Vec<(u64, u64)> = mine().filter_map(stall).collect();
    stalls.sort_unstable();
    LinkClock { skew_ns: mine().map(skew).sum(), stalls: VecDeque::from(stalls), ..LinkClock::default() }
}
