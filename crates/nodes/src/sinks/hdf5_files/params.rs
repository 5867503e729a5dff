//! The names of NDFileHDF5, as far as clients use them.

use livetime_engine::{ParamEnum, Params};

use super::super::nd_file::NdFileParams;
use super::grid_params::GridParams;
use super::part_params::PartParams;
use crate::codec::{BloscCompressor, BloscShuffle};

/// Format of the files; there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Hdf5Format {
    /// HDF5, in NeXus' order.
    #[default]
    #[pv("HDF5")]
    Hdf5,
}

/// How the node compresses; the choices and their order are areaDetector's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Hdf5Compression {
    /// Not at all; frames that come compressed are written as they are.
    #[default]
    None,
    /// Refused.
    #[pv("N-bit")]
    NBit,
    /// Refused.
    #[pv("szip")]
    Szip,
    /// Deflate at `zlib_level`.
    #[pv("zlib")]
    Zlib,
    /// Blosc.
    Blosc,
    /// Bitshuffle and LZ4: the best for detectors.
    #[pv("BSLZ4")]
    Bslz4,
    /// LZ4.
    #[pv("LZ4")]
    Lz4,
    /// Refused.
    #[pv("JPEG")]
    Jpeg,
}

/// The fate of a frame that does not fit into the open file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum OnChange {
    /// It is lost, with an error.
    #[default]
    Refuse,
    /// It begins the next file.
    NewFile,
}

/// No or yes, as areaDetector calls it for SWMR.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Supported {
    /// It is not there.
    #[pv("Not Supported")]
    No,
    /// It is there.
    #[default]
    #[pv("Supported")]
    Yes,
}

/// Whether readers may follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Following {
    /// No file is open.
    #[default]
    Off,
    /// A file is open, and readers may follow.
    Active,
}

/// Parameters of `hdf5_files`.
#[derive(Params)]
pub struct Hdf5FilesParams {
    /// Format of the files.
    #[param(pv = "FileFormat")]
    pub file_format: Hdf5Format,
    /// How frames that come uncompressed are compressed; latched by the first frame of a file.
    #[param(pv = "Compression")]
    pub compression: Hdf5Compression,
    /// Level of zlib: more is denser and slower.
    #[param(default = 1, max = 9, pv = "ZLevel")]
    pub zlib_level: u32,
    /// What compresses in Blosc: blosclz, lz4, zlib or zstd; the others can only be named.
    #[param(pv = "BloscCompressor")]
    pub blosc_compressor: BloscCompressor,
    /// Level of Blosc.
    #[param(default = 3, max = 9, pv = "BloscLevel")]
    pub blosc_level: u32,
    /// How Blosc sorts a frame before it compresses it.
    #[param(pv = "BloscShuffle")]
    pub blosc_shuffle: BloscShuffle,
    /// Threads that compress and write; 0: that of the node. For chunks of one frame in mode stream.
    #[param(max = 256)]
    pub workers: u32,
    /// Kept for clients; JPEG is refused.
    #[param(default = 90, min = 1, max = 100, pv = "JPEGQuality")]
    pub jpeg_quality: u32,
    /// Kept for clients; N-bit is refused.
    #[param(default = 8, pv = "NumDataBits")]
    pub num_data_bits: u32,
    /// Kept for clients; N-bit is refused.
    #[param(pv = "DataBitsOffset")]
    pub data_bits_offset: u32,
    /// Kept for clients; szip is refused.
    #[param(default = 16, pv = "SZipNumPixels")]
    pub szip_pixels: u32,
    /// Frames of a chunk; 0 is 1. More than 1 makes small frames cheaper to read; compressed frames need 1.
    #[param(default = 1, max = 65536, pv = "NumFramesChunks")]
    pub frames_per_chunk: u32,
    /// Whether chunks hold whole frames; else parts of them, as `chunk_columns`, `chunk_rows` and `chunk_size_2` … say.
    #[param(default = true, pv = "ChunkSizeAuto")]
    pub chunk_size_auto: bool,
    /// How much of a frame is in a chunk.
    #[param(flatten)]
    pub parts: PartParams,
    /// Rows of a chunk of the attributes; 0 is the number of frames that the file will have, at most 16384.
    #[param(max = 1_048_576, pv = "NDAttributeChunk")]
    pub attribute_chunk: u32,
    /// Whether attributes are written.
    #[param(default = true, pv = "StoreAttr")]
    pub store_attributes: bool,
    /// Whether the times of writing are written.
    #[param(default = true, pv = "StorePerform")]
    pub store_performance: bool,
    /// Frames after which readers see them; 0: `flush_period` alone decides.
    #[param(pv = "NumFramesFlush")]
    pub flush_frames: u32,
    /// Time after which readers see a frame, and a killed program has it in its file; 0: `flush_frames` alone decides.
    #[param(default = 0.1, min = 0, max = 3600, unit = "s")]
    pub flush_period: f64,
    /// Shows readers everything that was written; false again when that is done.
    #[param(pv = "FlushNow", role = Work, form = Setpoint, words = ["Done", "Flush"])]
    pub flush_now: bool,
    /// What becomes of a frame of another shape, type or compression than the file.
    pub on_change: OnChange,
    /// Frames of a file, after which the next one begins; a further file shows all of a capture as one. 0: no limit.
    pub frames_per_file: u64,
    /// Axes of a scan, and where frames go in them.
    #[param(flatten)]
    pub grid: GridParams,
    /// What files hold: a layout of ADCore's as XML, or the name of a file with one. Empty: the layout of the node.
    #[param(pv = "XMLFileName")]
    pub xml_file_name: String,
    /// Whether `xml_file_name` can be used.
    #[param(readback, default = true, pv = "XMLValid")]
    pub xml_valid: bool,
    /// Why it cannot.
    #[param(readback, pv = "XMLErrorMsg")]
    pub xml_error: String,
    /// Kept for clients: readers can always follow.
    #[param(default = true, pv = "SWMRMode", words = ["Off", "On"])]
    pub swmr_mode: bool,
    /// Whether readers can follow.
    #[param(readback, pv = "SWMRSupported")]
    pub swmr_supported: Supported,
    /// Whether there is a file that readers can follow.
    #[param(readback, pv = "SWMRActive")]
    pub swmr_active: Following,
    /// Flushes of the file.
    #[param(readback, pv = "SWMRCbCounter")]
    pub flushes: u64,
    /// Seconds from the first frame of the last file to the last one that was written.
    #[param(readback, unit = "s", pv = "RunTime", form = Plain)]
    pub run_time: f64,
    /// What the file got in that time.
    #[param(readback, unit = "Mbit/s", pv = "IOSpeed", form = Plain)]
    pub io_speed: f64,
    /// Frames of the capture that are in no file: numbers that are missing between those that came and were not left
    /// out on purpose, and what could not be written.
    #[param(readback, pv = "NumLost")]
    pub num_lost: u64,
    /// Takes frames of the capture back: this number of them stays in the file, and the next one takes the place behind
    /// them. Frames that were under way to the node are left out. -1 again when that is done; -1 takes nothing back.
    #[param(default = -1, min = -1, pv = "Rewind")]
    pub rewind: i64,
    /// Whether, after that, frames are left out, too, of which the event time says that they are from before. Off for detectors
    /// with times that do not go on.
    #[param(default = true)]
    pub rewind_by_event_time: bool,
    /// Frames of the capture that were taken back, and that were left out because of it.
    #[param(readback, pv = "NumRewound")]
    pub num_rewound: u64,
    /// Attributes that came after the first frame of the file, which has no place for them.
    #[param(readback)]
    pub attributes_left_out: u64,
    /// Folders, names, modes.
    #[param(flatten)]
    pub common: NdFileParams,
}
