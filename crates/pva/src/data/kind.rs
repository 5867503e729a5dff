//! The kinds of scalars, and how many of them an array may hold.

/// What a scalar or an element of an array is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// True or false.
    Bool,
    /// Signed 8-bit integer, "byte".
    I8,
    /// Signed 16-bit integer, "short".
    I16,
    /// Signed 32-bit integer, "int".
    I32,
    /// Signed 64-bit integer, "long".
    I64,
    /// Unsigned 8-bit integer.
    U8,
    /// Unsigned 16-bit integer.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
    /// Text.
    Str,
}

impl Kind {
    /// All of them, in the order of pvData's own numbers (0 boolean … 10 double, 11 string), which
    /// `codec.parameters` of an NTNDArray uses.
    pub const ALL: [Kind; 12] = [
        Kind::Bool,
        Kind::I8,
        Kind::I16,
        Kind::I32,
        Kind::I64,
        Kind::U8,
        Kind::U16,
        Kind::U32,
        Kind::U64,
        Kind::F32,
        Kind::F64,
        Kind::Str,
    ];

    /// The size of one element in bytes; of a text the smallest.
    pub const fn bytes(self) -> usize {
        match self {
            Kind::Bool | Kind::I8 | Kind::U8 | Kind::Str => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// The name that the EPICS tools print.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::I8 => "int8_t",
            Kind::I16 => "int16_t",
            Kind::I32 => "int32_t",
            Kind::I64 => "int64_t",
            Kind::U8 => "uint8_t",
            Kind::U16 => "uint16_t",
            Kind::U32 => "uint32_t",
            Kind::U64 => "uint64_t",
            Kind::F32 => "float",
            Kind::F64 => "double",
            Kind::Str => "string",
        }
    }

    /// The byte of the wire for a scalar.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Kind::Bool => 0x00,
            Kind::I8 => 0x20,
            Kind::I16 => 0x21,
            Kind::I32 => 0x22,
            Kind::I64 => 0x23,
            Kind::U8 => 0x24,
            Kind::U16 => 0x25,
            Kind::U32 => 0x26,
            Kind::U64 => 0x27,
            Kind::F32 => 0x42,
            Kind::F64 => 0x43,
            Kind::Str => 0x60,
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// How many elements an array may hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extent {
    /// Any number.
    #[default]
    Variable,
    /// At most so many. Some peers cannot decode this.
    Bounded(u32),
    /// Exactly so many. Some peers cannot decode this.
    Fixed(u32),
}

impl Extent {
    /// Whether an array of `count` elements fits.
    pub fn allows(self, count: usize) -> bool {
        match self {
            Extent::Variable => true,
            Extent::Bounded(bound) => count <= bound as usize,
            Extent::Fixed(exact) => count == exact as usize,
        }
    }
}
