//! HDF5: files of arrays, columns and attributes, as detectors write them and every analysis program reads them.
//!
//! - [`Writer`] writes a file that others may read meanwhile (SWMR), and that is whole at every moment up to the last
//!   flush.
//! - [`Hdf5`] reads a file of ours, of areaDetector, of detectors' own writers or of h5py: names, attributes, rows of
//!   data sets.
//! - [`survey`] says what a file holds, [`recover`] makes one readable whose writer was killed.
//!
//! The format follows The HDF Group's specification 3.0 (superblock 3, object headers 2, extensible arrays).

mod bytes;
mod checksum;
mod element;
mod filter;
mod read;
mod superblock;
mod write;

pub use checksum::checksum;
pub use element::Element;
pub use filter::Filter;
pub use read::{
    Array, Content, DataSet, ElementKind, Filled, Found, Hdf5, Kind, Recovered, Scratch, Survey, recover,
    survey, survey_of,
};
pub use write::{
    Attribute, Grid, GridId, Growing, Hand, LateId, Mapping, NodeId, Part, Rows, StreamId, Tree, Writer,
    Written,
};
