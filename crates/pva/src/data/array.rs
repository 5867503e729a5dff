//! Arrays of numbers, shared by reference.

use std::borrow::Cow;
use std::fmt;

use bytemuck::NoUninit;
use bytes::Bytes;

use super::ScalarType;
use crate::{Error, Result};

/// A Rust type that is an element of an [`Array`].
pub trait Element: bytemuck::Pod + PartialEq + fmt::Display + Send + Sync + private::Sealed {
    /// The type's form on the wire.
    const KIND: ScalarType;
}

mod private {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($rust:ty = $kind:ident),*) => {$(
        impl private::Sealed for $rust {}
        impl Element for $rust {
            const KIND: ScalarType = ScalarType::$kind;
        }
    )*};
}

elements!(
    i8 = I8,
    i16 = I16,
    i32 = I32,
    i64 = I64,
    u8 = U8,
    u16 = U16,
    u32 = U32,
    u64 = U64,
    f32 = F32,
    f64 = F64
);

/// Many numbers or truth values of one kind, in the byte order of this machine. A clone shares them.
///
/// ```
/// use livetime_pva::data::Array;
/// let array = Array::from(vec![1.0, 2.5]);
/// assert_eq!(array.as_slice::<f64>(), Some(&[1.0, 2.5][..]));
/// assert_eq!(array.as_slice::<u16>(), None);
/// ```
#[derive(Clone)]
pub struct Array {
    data: Bytes,
    kind: ScalarType,
}

impl Array {
    /// Elements of `kind` that lie in `data` in the byte order of this machine. Takes memory of any owner without
    /// a copy ([`Bytes::from_owner`]). Fails for texts, and if the last element is not whole.
    pub fn new(kind: ScalarType, data: Bytes) -> Result<Array> {
        if kind == ScalarType::Str || !data.len().is_multiple_of(kind.bytes()) {
            let found = format!("{} bytes of {}", data.len(), kind.name());
            return Err(Error::new("whole numbers of an array", found));
        }
        Ok(Array { data, kind })
    }

    /// No elements.
    pub fn empty(kind: ScalarType) -> Array {
        Array { data: Bytes::new(), kind }
    }

    /// A copy of `elements`.
    pub fn from_slice<T: Element>(elements: &[T]) -> Array {
        elements.to_vec().into()
    }

    /// A copy of `elements`.
    pub fn from_bools(elements: &[bool]) -> Array {
        let data = elements.iter().map(|&element| u8::from(element)).collect::<Vec<u8>>();
        Array { data: data.into(), kind: ScalarType::Bool }
    }

    /// The type of the elements.
    pub fn kind(&self) -> ScalarType {
        self.kind
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len() / self.kind.bytes()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The memory they lie in.
    pub fn data(&self) -> &Bytes {
        &self.data
    }

    /// The elements in place. `None` if they are not `T`, or if received elements lie at an address at which this
    /// machine cannot read `T`; [`Array::elements`] then copies.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if self.kind != T::KIND {
            return None;
        }
        if self.data.is_empty() {
            return Some(&[]);
        }
        bytemuck::try_cast_slice(&self.data).ok()
    }

    /// The elements, copied only if they lie at an odd address. `None` if they are not `T`.
    pub fn elements<T: Element>(&self) -> Option<Cow<'_, [T]>> {
        match self.as_slice() {
            Some(slice) => Some(Cow::Borrowed(slice)),
            // Bytes of a message may lie at an odd address, so numbers are copied where they are not aligned.
            None if self.kind == T::KIND => Some(Cow::Owned(bytemuck::pod_collect_to_vec(&self.data))),
            None => None,
        }
    }

    /// A copy of the elements. `None` if they are not `T`.
    pub fn to_vec<T: Element>(&self) -> Option<Vec<T>> {
        self.elements().map(Cow::into_owned)
    }

    /// Element `index` as a number; integers of more than 53 bits are rounded.
    pub fn f64(&self, index: usize) -> Option<f64> {
        let size = self.kind.bytes();
        // One number may lie unaligned in a message, so it is read from its bytes.
        let bytes = self.data.get(index.checked_mul(size)?..)?.get(..size)?;
        macro_rules! number {
            ($t:ty) => {
                <$t>::from_ne_bytes(bytes.try_into().ok()?) as f64
            };
        }
        Some(match self.kind {
            ScalarType::Bool => f64::from(bytes[0] != 0),
            ScalarType::I8 => number!(i8),
            ScalarType::I16 => number!(i16),
            ScalarType::I32 => number!(i32),
            ScalarType::I64 => number!(i64),
            ScalarType::U8 => number!(u8),
            ScalarType::U16 => number!(u16),
            ScalarType::U32 => number!(u32),
            ScalarType::U64 => number!(u64),
            ScalarType::F32 => number!(f32),
            ScalarType::F64 => number!(f64),
            ScalarType::Str => return None,
        })
    }

    /// All elements as numbers.
    pub fn iter_f64(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).filter_map(|index| self.f64(index))
    }
}

// `Bytes` takes owners of bytes; this owner keeps the `Vec` of other elements, so that its memory stays aligned and is
// freed with the right layout.
struct ArrayOwner<T>(Vec<T>);

impl<T: NoUninit> AsRef<[u8]> for ArrayOwner<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

impl<T: Element> From<Vec<T>> for Array {
    fn from(elements: Vec<T>) -> Array {
        Array { data: Bytes::from_owner(ArrayOwner(elements)), kind: T::KIND }
    }
}

impl PartialEq for Array {
    // Floating point compares by its bits: a value is equal to its copy, also if it is not a number.
    fn eq(&self, other: &Array) -> bool {
        self.kind == other.kind && self.data == other.data
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.kind.name(), self.len())
    }
}
