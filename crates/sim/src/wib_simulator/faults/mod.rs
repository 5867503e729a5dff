//! Faults between the detector and the computer: the parameter `faults`.

mod apply;
mod text;

pub(super) use apply::LinkFaults;
pub(super) use text::parse;

/// Something that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fault {
    /// Which link; `None`: each.
    pub(super) link: Option<u16>,
    /// First frame, counted from the begin.
    pub(super) first: u64,
    /// Frames.
    pub(super) count: u64,
    pub(super) kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FaultKind {
    /// The frames do not come.
    Drop,
    /// They come twice.
    Repeat,
    /// The frame comes after the next one.
    Swap,
    /// The timestamp is this many ticks of the clock too early.
    Back(u64),
    /// All have the timestamp of the first.
    Stuck,
    Mm,
    Oos,
    WibErrors(u16),
    /// A bit of the checksum of a block is wrong.
    Checksum(usize),
    /// Capture errors of a block.
    Capture {
        block: usize,
        bits: u8,
    },
    /// The frame says that it comes from another fiber.
    Fiber,
    /// All samples of a chip are the same.
    Constant {
        chip: usize,
        value: i16,
    },
    /// From the first frame on nothing comes for this time; then everything at once.
    Stall {
        ns: u64,
    },
    /// Everything comes later than on other links by this time.
    Skew {
        ns: u64,
    },
    /// One of the faults of frames at random times, at this mean rate.
    Random {
        hz: f64,
    },
}

impl Fault {
    /// Whether this is of link `link`.
    pub(super) fn is_of(&self, link: u16) -> bool {
        self.link.is_none_or(|only| only == link)
    }

    pub(super) fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }

    /// Whether it changes the bytes of a header or samples as only WIB1 has them.
    pub(super) fn is_for_wib1(&self) -> bool {
        use FaultKind::*;
        !matches!(
            self.kind,
            Drop | Repeat | Swap | Back(_) | Stuck | Stall { .. } | Skew { .. } | Random { .. }
        )
    }
}
