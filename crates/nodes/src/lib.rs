//! The standard nodes of Livetime, for pictures, arrays, curves and events: one file or folder each.
//!
//! [`ALL`] is the list of their types, and [`find`] gives one by name. Three nodes to read first are
//! [`ImageFiles`](sources::image_files::ImageFiles), [`Statistics`](process::statistics::Statistics) and
//! [`NpyFiles`](sinks::npy_files::NpyFiles): a source, a process and a sink.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::statistics::Statistics;
//!
//! let mut statistics = Harness::new::<Statistics>(&[])?;
//! let image = statistics.image::<u8>(&[2, 2], &[1, 2, 3, 6])?;
//! statistics.feed(&image)?;
//! assert_eq!(statistics.number_of("mean_value"), 3.0);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```
//!
//! A node is added with one file and two lines here: its `mod` line in its folder, and its entry in
//! [`ALL`]. `cargo xtask new-node` writes all three. Forgetting the entry is a dead-code warning, which the
//! checks deny.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod attribute;
mod calc;
pub mod codec;
pub mod convert;
mod error;
mod link;
pub mod ntndarray;
mod packed;
mod picture_file;
mod planes;
pub mod process;
mod series;
pub mod sinks;
pub mod sources;
#[cfg(test)]
mod test_data;
#[cfg(test)]
mod test_pictures;

pub use error::Mismatch;
use livetime_engine::{NodeType, UnknownNodeType};
pub use livetime_kernels::Level;
#[cfg(feature = "zmq")]
pub use livetime_link_zmq::{KeyError, create_keys};

/// All nodes, in the order in which `livetime nodes` shows them.
pub const ALL: &[NodeType] = &[
    // Sources.
    NodeType::of::<sources::array_source::ArraySource>(),
    NodeType::of::<sources::image_files::ImageFiles>(),
    NodeType::of::<sources::link_in::LinkIn>(),
    NodeType::of::<sources::pva_source::PvaSource>(),
    NodeType::of::<sources::recording::Recording>(),
    NodeType::of::<sources::subscribe::Subscribe>(),
    NodeType::alias::<sources::recording::Recording>("xtc", "The older name of recording (LCLS-I)."),
    NodeType::alias::<sources::recording::Recording>("xtc2", "The older name of recording (LCLS-II)."),
    // Processes.
    NodeType::of::<process::bad_pixels::BadPixels>(),
    NodeType::of::<process::color_convert::ColorConvert>(),
    NodeType::of::<process::attributes::Attributes>(),
    NodeType::of::<process::circular_buffer::CircularBuffer>(),
    NodeType::of::<process::compress::Compress>(),
    NodeType::of::<process::corrections::Corrections>(),
    NodeType::of::<process::decompress::Decompress>(),
    NodeType::of::<process::fft::Fft>(),
    NodeType::of::<process::find_peaks::FindPeaks>(),
    NodeType::of::<process::gather::Gather>(),
    NodeType::of::<process::image::Image>(),
    NodeType::of::<process::in_order::InOrder>(),
    NodeType::of::<process::overlay::Overlay>(),
    NodeType::of::<process::positions::Positions>(),
    NodeType::of::<process::process::Process>(),
    NodeType::of::<process::rate_monitor::RateMonitor>(),
    NodeType::of::<process::resize::Resize>(),
    NodeType::of::<process::roi::Roi>(),
    NodeType::of::<process::roi_statistics::RoiStatistics>(),
    NodeType::of::<process::scatter::Scatter>(),
    NodeType::of::<process::statistics::Statistics>(),
    NodeType::of::<process::time_series::TimeSeries>(),
    NodeType::of::<process::transform::Transform>(),
    // Sinks.
    NodeType::of::<sinks::attribute_plot::AttributePlot>(),
    NodeType::of::<sinks::jpeg_files::JpegFiles>(),
    NodeType::of::<sinks::link_out::LinkOut>(),
    NodeType::of::<sinks::link_pool::LinkPool>(),
    NodeType::of::<sinks::netcdf_files::NetcdfFiles>(),
    NodeType::of::<sinks::npy_files::NpyFiles>(),
    NodeType::of::<sinks::null::Null>(),
    NodeType::of::<sinks::png_files::PngFiles>(),
    NodeType::of::<sinks::publish::Publish>(),
    NodeType::of::<sinks::pva_image::PvaImage>(),
    NodeType::of::<sinks::table_csv::TableCsv>(),
    NodeType::of::<sinks::hdf5_files::Hdf5Files>(),
    NodeType::of::<sinks::tiff_files::TiffFiles>(),
    NodeType::of::<sinks::xtc_recorder::XtcRecorder>(),
];

/// The node called `name`.
///
/// # Errors
/// [`UnknownNodeType`] with the nearest right name.
pub fn find(name: &str) -> Result<NodeType, UnknownNodeType> {
    ALL.iter().find(|n| n.spec.name == name).cloned().ok_or_else(|| {
        let hint = livetime_engine::nearest(name, ALL.iter().map(|n| n.spec.name));
        UnknownNodeType { name: name.to_owned(), hint }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_found() {
        let names: BTreeSet<_> = super::ALL.iter().map(|n| n.spec.name).collect();
        assert_eq!(names.len(), super::ALL.len());
        assert!(names.iter().all(|n| super::find(n).is_ok()));
        assert!(super::find("nul").unwrap_err().to_string().contains("did you mean `null`?"));
    }
}
