//! The kinds of scalars, and how many of them an array may hold.

/// The type of a scalar or of an element of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarType {
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

impl ScalarType {
    /// All of them, in the order of pvData's own numbers (0 boolean … 10 double, 11 string), which
    /// `codec.parameters` of an NTNDArray uses.
    pub const ALL: [ScalarType; 12] = [
        ScalarType::Bool,
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
        ScalarType::U8,
        ScalarType::U16,
        ScalarType::U32,
        ScalarType::U64,
        ScalarType::F32,
        ScalarType::F64,
        ScalarType::Str,
    ];

    /// The size of one element in bytes; of a text the smallest.
    pub const fn bytes(self) -> usize {
        match self {
            // A text has at least the byte of its length.
            ScalarType::Bool | ScalarType::I8 | ScalarType::U8 | ScalarType::Str => 1,
            ScalarType::I16 | ScalarType::U16 => 2,
            ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 4,
            ScalarType::I64 | ScalarType::U64 | ScalarType::F64 => 8,
        }
    }

    /// The name that the EPICS tools print.
    pub const fn name(self) -> &'static str {
        match self {
            ScalarType::Bool => "bool",
            ScalarType::I8 => "int8_t",
            ScalarType::I16 => "int16_t",
            ScalarType::I32 => "int32_t",
            ScalarType::I64 => "int64_t",
            ScalarType::U8 => "uint8_t",
            ScalarType::U16 => "uint16_t",
            ScalarType::U32 => "uint32_t",
            ScalarType::U64 => "uint64_t",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
            ScalarType::Str => "string",
        }
    }

    /// The byte of the wire for a scalar.
    pub(crate) const fn code(self) -> u8 {
        // 0x20 are integers, with 0x04 unsigned ones; 0x40 floating point; 0x60 texts. The lowest two bits of
        // a number are the logarithm of its size.
        match self {
            ScalarType::Bool => 0x00,
            ScalarType::I8 => 0x20,
            ScalarType::I16 => 0x21,
            ScalarType::I32 => 0x22,
            ScalarType::I64 => 0x23,
            ScalarType::U8 => 0x24,
            ScalarType::U16 => 0x25,
            ScalarType::U32 => 0x26,
            ScalarType::U64 => 0x27,
            ScalarType::F32 => 0x42,
            ScalarType::F64 => 0x43,
            ScalarType::Str => 0x60,
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<ScalarType> {
        ScalarType::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// How many elements an array may hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extent {
    /// Any number.
    #[default]
    Variable,
    /// At most this many. Some peers cannot decode this.
    Bounded(u32),
    /// Exactly this many. Some peers cannot decode this.
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
