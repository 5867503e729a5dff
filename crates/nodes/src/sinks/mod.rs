//! Nodes that take frames out of the graph.

pub mod attribute_plot;
mod event_time;
pub mod hdf5_files;
pub mod jpeg_files;
pub mod link_out;
pub mod link_pool;
pub mod nd_file;
pub mod netcdf_files;
pub mod npy_files;
pub mod null;
mod picture;
pub mod png_files;
pub mod publish;
pub mod pva_image;
pub mod table_csv;
pub mod tiff_files;
pub mod xtc_recorder;

pub use livetime_filing::WriteStatus;
