//! Threads that compress frames and write their pixels; the index names them in the order of arrival.

use std::collections::VecDeque;

use livetime_codecs::Settings;
use livetime_engine::UnderWay;
use livetime_formats::hdf5::{Hand, Written};
use livetime_frame::Frame;
use livetime_runtime::ordered::Crew;

use super::super::nd_file::{EventTime, WriteError};
use super::packing::{Packer, Packing};

/// The properties of a frame that are known before its pixels are written.
pub(super) struct Row {
    /// The data set of its pixels.
    pub(super) target: usize,
    /// Where it is in the axes of a scan.
    pub(super) place: Option<Vec<u64>>,
    pub(super) missing: u64,
    pub(super) time: EventTime,
    pub(super) begun_ns: u64,
}

/// A frame that threads are at.
struct Pending {
    frame: Frame,
    row: Row,
    under_way: UnderWay,
}

/// A frame that threads are done with, or why they failed.
pub(super) struct Done {
    pub(super) frame: Frame,
    pub(super) row: Row,
    pub(super) under_way: UnderWay,
    pub(super) packed: Result<Packed, WriteError>,
}

/// The pixels of a frame as the file has them.
pub(super) enum Packed {
    /// To be written.
    Bytes(Vec<u8>),
    /// Already in the file, with the number of its bytes.
    InFile(Written, u64),
}

struct Job {
    frame: Frame,
    settings: Settings,
    /// Memory for the result.
    out: Vec<u8>,
}

/// Threads, each with its own memory for codecs.
pub(super) struct Packers {
    crew: Crew<Job, Result<Packed, WriteError>>,
    pending: VecDeque<Pending>,
    spare: Vec<Vec<u8>>,
}

impl Packers {
    /// Starts threads. With `hand`, they also write the packed bytes; a frame has `bytes` bytes before packing.
    ///
    /// # Errors
    /// If the system has no thread left.
    pub(super) fn start(
        threads: u32,
        packing: &Packing,
        hand: Option<Hand>,
        bytes: u64,
    ) -> Result<Packers, WriteError> {
        let worker = |_| {
            let (mut packer, packing, hand) = (Packer::default(), packing.clone(), hand.clone());
            move |job: Job| match &hand {
                Some(hand) => write(&job, &mut packer, &packing, hand, bytes),
                None => packer.pack(&job.frame, &packing, job.settings, job.out).map(Packed::Bytes),
            }
        };
        let crew = Crew::start("hdf5", (0..threads).map(worker))?;
        Ok(Packers { crew, pending: VecDeque::new(), spare: Vec::new() })
    }

    /// Whether no frame should be given to them before one is taken.
    pub(super) fn are_busy(&self) -> bool {
        // Two frames per thread: one at work, and the next.
        self.pending.len() >= 2 * self.crew.threads()
    }

    pub(super) fn are_idle(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) fn put(&mut self, frame: &Frame, row: Row, settings: Settings, under_way: UnderWay) {
        let out = self.spare.pop().unwrap_or_default();
        self.crew.put(Job { frame: frame.clone(), settings, out });
        self.pending.push_back(Pending { frame: frame.clone(), row, under_way });
    }

    /// The oldest frame, if the threads are done with it; if `waits`, when they are.
    pub(super) fn take(&mut self, waits: bool) -> Option<Done> {
        let result = if waits { self.crew.take() } else { self.crew.try_take() };
        // Results come in the order of `put`, so the oldest pending frame is always the right one.
        let packed = result?.map_err(WriteError::Thread).and_then(|packed| packed);
        let Pending { frame, row, under_way } = self.pending.pop_front()?;
        Some(Done { frame, row, under_way, packed })
    }

    /// Gives memory back for the next frame.
    pub(super) fn give_back(&mut self, out: Vec<u8>) {
        self.spare.push(out);
    }
}

/// Packs a frame and writes it.
fn write(
    job: &Job,
    packer: &mut Packer,
    packing: &Packing,
    hand: &Hand,
    bytes: u64,
) -> Result<Packed, WriteError> {
    let array = job.frame.array()?;
    let packed = packer.stream(&array, packing, job.settings)?;
    let (head, head_bytes) = packing.head(bytes, packed.len());
    let parts: [&[u8]; 2] = [&head[..head_bytes], packed];
    // Without a header of the filter, its empty part is left out of the write.
    let first = usize::from(head_bytes == 0);
    let written = hand.write(&parts[first..])?;
    Ok(Packed::InFile(written, packed.len() as u64))
}
