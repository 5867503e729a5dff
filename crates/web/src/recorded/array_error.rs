//! Why an array of NumPy is not shown.

use std::{fmt, io};

use livetime_frame::{LayoutError, PoolExhausted, WrongPayload};

use crate::wrong::Wrong;

/// Why an array of NumPy is not shown.
#[derive(Debug)]
pub(crate) enum ArrayError {
    /// The file is not what it should be.
    File(Wrong),
    /// The system refuses.
    System(io::Error),
    /// There is no array of this shape.
    Layout(LayoutError),
    /// There is no memory for it.
    Memory(PoolExhausted),
    /// A column has another type.
    Column(WrongPayload),
}

impl fmt::Display for ArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayError::File(error) => error.fmt(f),
            ArrayError::System(error) => error.fmt(f),
            ArrayError::Layout(error) => error.fmt(f),
            ArrayError::Memory(error) => error.fmt(f),
            ArrayError::Column(error) => error.fmt(f),
        }
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),*) => {$(
        impl From<$source> for ArrayError {
            fn from(error: $source) -> ArrayError {
                ArrayError::$variant(error)
            }
        }
    )*};
}

from!(
    Wrong => File, io::Error => System, LayoutError => Layout, PoolExhausted => Memory,
    WrongPayload => Column
);
