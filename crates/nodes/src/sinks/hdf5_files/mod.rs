//! `hdf5_files`: frames as HDF5 files (areaDetector's NDFileHDF5) that other programs may read meanwhile.
//!
//! In: arrays of any dtype and shape, with gaps or without, uncompressed or compressed (`bslz4`, `blosc`, `lz4`,
//! `lz4hdf5`, `zlib`, `zstd`). Out: nothing. The files are described in `docs/hdf5.md`; in short:
//!
//! | place in the file | content |
//! |---|---|
//! | `/entry/data/data` | frames x the shape of a frame, in chunks of `frames_per_chunk` frames; compressed arrays are
//! stored unchanged |
//! | `/entry/instrument/NDAttributes/NAME` | an attribute of the frames, one value for each |
//! | `…/NDArrayUniqueId` | the numbers of the frames; written last, so that its length is the number of complete frames
//! |
//! | `…/NDArrayTimeStamp`, `NDArrayEpicsTSSec`, `NDArrayEpicsTSnSec` | event time since 1990 |
//! | `…/NDArrayEventTime` | event time, ns since 1970 |
//! | `/entry/instrument/loss` | how many frames are missing before each frame, and in all |
//! | `/entry/livetime` | the node, its parameters, the pipeline file |
//!
//! Attributes have the names and types of the first frame's. A value that a later frame lacks is NaN, 0 or an empty
//! text; an attribute that the first frame lacks is counted in `attributes_left_out`.
//!
//! After a flush readers see all frames (SWMR), and if the program is killed, the file holds them: after `flush_frames` frames, after
//! `flush_period`, and when `flush_now` is set. A flush costs some ten small writes, whatever the size of the file, and waits for no
//! disk; only a machine that fails may lose more.
//!
//! Modes, names and captures are as in all such sinks ([`nd_file`](super::nd_file)).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::hdf5_files::Hdf5Files;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-hdf5-{}", std::process::id()));
//! let path = folder.to_str().unwrap_or_default();
//! let params = [("path", path.into()), ("create_directory", (-1).into()), ("mode", "stream".into()), ("capture", true.into())];
//! let mut hdf5 = Harness::new::<Hdf5Files>(&params)?;
//! let image = hdf5.image::<u16>(&[1, 2], &[500, 600])?;
//! hdf5.feed(&image)?;
//! hdf5.set("capture", false)?;
//! assert!(folder.join("frame_001.h5").is_file());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod columns;
mod crew;
mod grid;
mod grid_params;
mod layout;
mod open;
mod packing;
mod params;
mod part_params;
mod parts;
mod rewind;
mod series;
mod take_back;
#[cfg(test)]
mod tests;
mod tree;
mod writer;

pub use grid_params::GridParams;
pub use params::{Following, Hdf5Compression, Hdf5FilesParams, Hdf5Format, OnChange, Supported};
pub use part_params::PartParams;
pub use writer::Hdf5Writer;

use super::nd_file::FileNode;

/// Writes frames into HDF5 files.
pub type Hdf5Files = FileNode<Hdf5Writer>;
