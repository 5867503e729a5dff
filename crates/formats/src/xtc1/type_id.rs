//! The type of a container or leaf.

use std::fmt;

use super::names::TYPES;

/// Numbers of the types that are looked into.
pub mod id {
    #![allow(missing_docs, reason = "the names are those of the format")]

    pub const ANY: u16 = 0;
    pub const XTC: u16 = 1;
    pub const FRAME: u16 = 2;
    pub const CONTROL_CONFIG: u16 = 10;
    pub const PNCCD_FRAME: u16 = 11;
    pub const PNCCD_CONFIG: u16 = 12;
    pub const EPICS: u16 = 13;
    pub const GAS_DETECTOR_ENERGY: u16 = 14;
    pub const EBEAM: u16 = 15;
    pub const PHASE_CAVITY: u16 = 16;
    pub const EVR_DATA: u16 = 19;
    pub const IPIMB_DATA: u16 = 22;
    pub const CSPAD_ELEMENT: u16 = 28;
    pub const CSPAD_CONFIG: u16 = 29;
    pub const IPM_FEX: u16 = 31;
    pub const DIODE_FEX: u16 = 33;
    pub const SHARED_IPIMB: u16 = 35;
    pub const INDEX: u16 = 38;
    pub const CSPAD2X2_ELEMENT: u16 = 41;
    pub const TIMEPIX_DATA: u16 = 50;
    pub const GMD: u16 = 64;
    pub const ALIAS_CONFIG: u16 = 69;
    pub const SMALL_DATA_CONFIG: u16 = 89;
    pub const ORIGINAL_DATAGRAM: u16 = 90;
    pub const SMALL_DATA_PROXY: u16 = 91;
    pub const ANALOG_INPUT: u16 = 94;
    pub const BEAM_MONITOR: u16 = 98;
    pub const EORBITS: u16 = 103;
    /// Our own: a frame that others were compressed against (`docs/formats/xtc.md`).
    pub const REFERENCE_FRAME: u16 = 0x4C56;
    /// Ours: an array that is no picture of a camera ([`crate::xtc1::data::ArrayLeaf`]).
    pub const ARRAY: u16 = 0x4C57;
    /// Ours: number and attributes of a recorded frame ([`crate::xtc1::data::Recorded`]).
    pub const RECORDED: u16 = 0x4C58;
}

/// Type, version, and whether the data are compressed, in one word.
///
/// ```
/// use livetime_formats::xtc1::{TypeId, id};
///
/// let packed = TypeId::new(id::CSPAD_ELEMENT, 2).compressed();
/// assert_eq!(packed.to_string(), "CspadElement_v2 compressed");
/// assert_eq!((packed.number(), packed.version()), (28, 2));
/// assert_eq!(packed.plain(), TypeId::new(28, 2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

impl TypeId {
    /// The type of containers.
    pub const CONTAINER: TypeId = TypeId::new(id::XTC, 1);

    const COMPRESSED: u32 = 1 << 31;

    /// The type of data that are not compressed; versions go up to 32767.
    pub const fn new(number: u16, version: u16) -> TypeId {
        TypeId(number as u32 | (version as u32 & 0x7FFF) << 16)
    }

    /// The type.
    pub fn number(self) -> u16 {
        self.0 as u16
    }

    /// The version of the type.
    pub fn version(self) -> u16 {
        (self.0 >> 16) as u16 & 0x7FFF
    }

    /// Whether the data are compressed.
    pub fn is_compressed(self) -> bool {
        self.0 & TypeId::COMPRESSED != 0
    }

    /// The same type and version, compressed.
    pub const fn compressed(self) -> TypeId {
        TypeId(self.0 | TypeId::COMPRESSED)
    }

    /// The same type and version, not compressed.
    pub const fn plain(self) -> TypeId {
        TypeId(self.0 & !TypeId::COMPRESSED)
    }

    /// Whether it holds containers and leaves. The version does not matter.
    pub fn is_container(self) -> bool {
        self.number() == id::XTC && !self.is_compressed()
    }

    /// Name of the type; `None` if it is not known here.
    pub fn name(self) -> Option<&'static str> {
        match self.number() {
            id::REFERENCE_FRAME => Some("ReferenceFrame"),
            id::ARRAY => Some("LivetimeArray"),
            id::RECORDED => Some("LivetimeRecorded"),
            number => TYPES.get(usize::from(number)).copied(),
        }
    }
}

impl fmt::Display for TypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name}_v{}", self.version())?,
            None => write!(f, "Type{}_v{}", self.number(), self.version())?,
        }
        f.write_str(if self.is_compressed() { " compressed" } else { "" })
    }
}
