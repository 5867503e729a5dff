//! The frames of a link with their faults.

use std::ops::Range;

use livetime_engine::NodeError;
use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
use livetime_kernels::Level;
use livetime_kernels::random::Counter;
use livetime_kernels::wib::{WIB_CHANNELS, pack_wib1, unpack_wib1};

use super::{Fault, FaultKind};
use crate::wires::restamp;
use livetime_wire::RawFormat;

/// The faults of one link.
pub(in super::super) struct LinkFaults {
    format: RawFormat,
    /// In the order of their first frame, those to come.
    faults: Vec<Fault>,
    chance: Option<Chance>,
    /// A frame that comes after the next one, and its number.
    held: Option<(u64, Vec<u8>)>,
    /// The bytes of a frame while it is changed.
    frame: Vec<u8>,
}

/// Faults by chance.
struct Chance {
    numbers: Counter,
    /// Frames from one to the next, on average.
    gap: f64,
    /// How many have been made, and the frame of the next one.
    made: usize,
    next: f64,
}

/// Frames that a long loss by chance costs.
const LONG_LOSS: u64 = 20;

impl LinkFaults {
    /// The faults among `all` of link `link`.
    pub(in super::super) fn new(format: RawFormat, link: u16, seed: u64, all: &[Fault]) -> LinkFaults {
        let mine = || all.iter().filter(|fault| fault.is_of(link));
        let rate = |fault: &Fault| if let FaultKind::Random { hz } = fault.kind { hz } else { 0.0 };
        let hz: f64 = mine().map(rate).sum();
        let frame_s = (format.step() * format.tick_ns()) as f64 * 1e-9;
        let is_of_frames = |f: &&Fault| {
            !matches!(f.kind, FaultKind::Stall { .. } | FaultKind::Skew { .. } | FaultKind::Random { .. })
        };
        let mut faults: Vec<Fault> = mine().filter(is_of_frames).copied().collect();
        faults.sort_by_key(|fault| fault.first);
        let chance =
            (hz > 0.0).then(|| Chance::new(Counter::new(seed, [0xFA17, link.into()]), 1.0 / (hz * frame_s)));
        LinkFaults { format, faults, chance, held: None, frame: vec![0; format.bytes()] }
    }

    /// Passes the frames on with their faults: `frames` begin with number `first`. Faultless frames are
    /// passed on many at once.
    ///
    /// # Errors
    /// The first error of `give`; all frames are passed on nevertheless.
    pub(in super::super) fn pass(
        &mut self,
        frames: &[u8],
        first: u64,
        mut give: impl FnMut(&[u8]) -> Result<(), NodeError>,
    ) -> Result<(), NodeError> {
        let size = self.format.bytes();
        let numbers = first..first + (frames.len() / size) as u64;
        self.by_chance(numbers.end);
        if !self.touches(&numbers) {
            return give(frames);
        }
        let mut result = Ok(());
        for (frame, number) in frames.chunks_exact(size).zip(numbers.clone()) {
            let given = self.pass_one(frame, number, &mut give);
            result = result.and(given);
        }
        self.faults.retain(|fault| fault.end() > numbers.end);
        result
    }

    fn touches(&self, numbers: &Range<u64>) -> bool {
        let overlaps = |fault: &Fault| fault.first < numbers.end && fault.end() > numbers.start;
        self.held.is_some() || self.faults.iter().any(overlaps)
    }

    fn pass_one(
        &mut self,
        frame: &[u8],
        number: u64,
        give: &mut impl FnMut(&[u8]) -> Result<(), NodeError>,
    ) -> Result<(), NodeError> {
        self.frame.copy_from_slice(frame);
        let (mut times, mut is_held) = (1, false);
        for fault in self.faults.iter().filter(|f| (f.first..f.end()).contains(&number)) {
            match fault.kind {
                FaultKind::Drop => times = 0,
                FaultKind::Repeat => times *= 2,
                FaultKind::Swap => is_held = true,
                kind => change(self.format, &mut self.frame, kind, number - fault.first),
            }
        }
        if is_held && times > 0 {
            let before = self.held.replace((number, self.frame.clone()));
            return before.map_or(Ok(()), |(_, frame)| give(&frame));
        }
        let mut result = Ok(());
        for _ in 0..times {
            result = result.and(give(&self.frame));
        }
        if let Some((_, frame)) = self.held.take() {
            result = result.and(give(&frame));
        }
        result
    }

    /// Makes the faults that chance wants before frame `end`.
    fn by_chance(&mut self, end: u64) {
        let Some(chance) = &mut self.chance else { return };
        while chance.next < end as f64 {
            self.faults.push(chance.fault(self.format));
            chance.step();
        }
    }
}

impl Chance {
    fn new(numbers: Counter, gap: f64) -> Chance {
        let mut chance = Chance { numbers, gap, made: 0, next: 0.0 };
        chance.step();
        chance
    }

    fn step(&mut self) {
        // Gaps between independent events are exponential; 1 − u is never 0.
        self.next += -(1.0 - self.numbers.uniform(2 * self.made)).ln() * self.gap;
        self.made += 1;
    }

    fn fault(&self, format: RawFormat) -> Fault {
        // WIBEth has no fields for the other faults.
        let kinds = if format == RawFormat::Wib1 { 9 } else { 4 };
        // Odd positions, because the even ones give the times.
        let random = self.numbers.at(2 * self.made + 1);
        let block = (random >> 32) as usize % 4;
        let (count, kind) = match random % kinds {
            0 => (1, FaultKind::Drop),
            1 => (LONG_LOSS, FaultKind::Drop),
            2 => (1, FaultKind::Repeat),
            3 => (1, FaultKind::Swap),
            4 => (1, FaultKind::Mm),
            5 => (1, FaultKind::Oos),
            6 => (1, FaultKind::WibErrors(1 << (random >> 40 & 15))),
            7 => (1, FaultKind::Checksum(block)),
            _ => (1, FaultKind::Capture { block, bits: 1 }),
        };
        Fault { link: None, first: self.next as u64, count, kind }
    }
}

/// Changes the bytes of a frame, the `since`th of the fault.
fn change(format: RawFormat, bytes: &mut [u8], kind: FaultKind, since: u64) {
    let back = match kind {
        FaultKind::Back(ticks) => ticks,
        FaultKind::Stuck => since * format.step(),
        _ => return change_wib1(bytes, kind),
    };
    let Some(stamp) = bytes[8..].first_chunk().copied().map(u64::from_le_bytes) else { return };
    let number = livetime_formats::wib::WibEthFrame::parse(bytes).map_or(0, |frame| frame.sequence());
    restamp(format, bytes, number.into(), stamp.wrapping_sub(back));
}

fn change_wib1(bytes: &mut [u8], kind: FaultKind) {
    let mut samples = [0; WIB_CHANNELS];
    if let FaultKind::Constant { chip, value } = kind
        && unpack_wib1(Level::best(), bytes, &mut samples).is_ok()
    {
        samples[8 * chip..][..8].fill(value);
        // Both lengths have just been unpacked.
        let _ = pack_wib1(&samples, bytes);
    }
    let Ok(now) = Wib1Frame::parse(bytes) else { return };
    let (mm, oos, errors, fiber) = (now.mm(), now.oos(), now.wib_errors(), now.fiber());
    let (crate_number, slot) = (now.crate_number(), now.slot());
    let Ok(mut frame) = Wib1FrameMut::new(bytes) else { return };
    match kind {
        FaultKind::Mm => frame.set_errors(true, oos, errors),
        FaultKind::Oos => frame.set_errors(mm, true, errors),
        FaultKind::WibErrors(bits) => frame.set_errors(mm, oos, errors | bits),
        FaultKind::Checksum(block) => frame.break_checksum(block),
        FaultKind::Capture { block, bits } => frame.set_capture_errors(block, [bits, 0]),
        // Fibers are 1 and 2.
        FaultKind::Fiber => frame.set_identity(crate_number, slot, 3 - fiber.min(2)),
        // The chip is at fault, not the way: the checksum is right.
        FaultKind::Constant { .. } => frame.set_checksums(),
        _ => {}
    }
}
