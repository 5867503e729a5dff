//! The source of data.

use super::Bytes;

/// Where data come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceId {
    /// 1 detector readout, 2 hardware signals interface, 3 trigger, 4 record builder.
    pub subsystem: u16,
    /// Number within the subsystem.
    pub id: u32,
}

/// Version of the layout.
const VERSION: u16 = 2;

impl SourceId {
    pub(super) fn read<const N: usize>(bytes: &Bytes<N>, at: usize) -> SourceId {
        SourceId { subsystem: bytes.u16(at + 2), id: bytes.u32(at + 4) }
    }

    pub(super) fn bytes(self) -> [u8; 8] {
        Bytes::<8>::new()
            .put(0, VERSION.to_le_bytes())
            .put(2, self.subsystem.to_le_bytes())
            .put(4, self.id.to_le_bytes())
            .0
    }
}
