//! `jpeg_files`: each frame as a JPEG file (areaDetector's NDFileJPEG).
//!
//! In: arrays of u8, mono (one- or two-dimensional, other dimensions of size 1) or RGB1. Loses detail, as `quality`
//! sets. Out: nothing. Modes, folders, names and counts are the same as in every writer, see
//! [`nd_file`](super::nd_file).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::jpeg_files::JpegFiles;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-jpeg-{}", std::process::id()));
//! let path = folder.to_str().unwrap_or_default();
//! let params = [("path", path.into()), ("file_name", "run".into()), ("create_directory", (-1).into())];
//! let mut jpeg = Harness::new::<JpegFiles>(&params)?;
//! let image = jpeg.image::<u8>(&[1, 2], &[50, 60])?;
//! jpeg.feed(&image)?;
//! assert!(folder.join("run_001.jpg").is_file());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use image::codecs::jpeg::JpegEncoder;
use livetime_engine::{Counterpart, NodeSpec, ParamEnum, Params, PortSpec};

use super::nd_file::{FileNode, NdFileParams};
use super::picture::{Encoder, Picture, PictureWriter};

/// Format of the files; the choices of FileFormat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum JpegFormat {
    /// JPEG.
    #[default]
    #[pv("JPEG")]
    Jpeg,
}

/// Parameters of `jpeg_files`.
#[derive(Params)]
pub struct JpegFilesParams {
    /// Format of the files.
    #[param(pv = "FileFormat")]
    pub file_format: JpegFormat,
    /// Quality: more is larger and closer to the picture.
    #[param(default = 50, min = 1, max = 100, pv = "JPEGQuality")]
    pub quality: u32,
    /// Folders, names, modes.
    #[param(flatten)]
    pub common: NdFileParams,
}

/// Writes frames as JPEG files.
pub type JpegFiles = FileNode<PictureWriter<Jpeg>>;

/// The format.
pub struct Jpeg;

impl Encoder for Jpeg {
    type Params = JpegFilesParams;

    const SPEC: NodeSpec =
        NodeSpec::sink("jpeg_files", "Writes each frame as a JPEG file.", &[PortSpec::array("in")]);
    const COUNTERPART: Counterpart = Counterpart::new("NDFileJPEG", "JPEG");
    const TEMPLATE: &'static str = "%s%s_%3.3d.jpg";
    const WITH_U16: bool = false;
    const MOST_SIDE: u32 = u16::MAX as u32;

    fn common(params: &JpegFilesParams) -> &NdFileParams {
        &params.common
    }

    fn common_mut(params: &mut JpegFilesParams) -> &mut NdFileParams {
        &mut params.common
    }

    fn encode(
        params: &JpegFilesParams,
        pixels: &[u8],
        picture: Picture,
        out: &mut Vec<u8>,
    ) -> image::ImageResult<()> {
        let mut encoder = JpegEncoder::new_with_quality(out, params.quality.clamp(1, 100) as u8);
        encoder.encode(pixels, picture.width, picture.height, picture.color)
    }
}

#[cfg(test)]
mod tests {
    use super::super::picture::tests::{
        keeps_the_contract, others_are_refused_and_leave_no_file, pictures_are_read_back, sink,
    };
    use super::*;

    #[test]
    fn pictures_are_files_and_what_is_none_is_refused() {
        pictures_are_read_back::<JpegFiles>("jpg", 7);
        others_are_refused_and_leave_no_file::<JpegFiles>();
        keeps_the_contract::<JpegFiles>();
    }

    #[test]
    fn a_better_quality_is_larger() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut harness = sink::<JpegFiles>(&folder);
        let pixels: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let noise = harness.image::<u8>(&[64, 64], &pixels).unwrap();
        for quality in [10, 95] {
            harness.set("quality", quality).unwrap();
            harness.feed(&noise).unwrap();
        }
        let size = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert!(size("run_002.jpg") > 2 * size("run_001.jpg"));
    }
}
