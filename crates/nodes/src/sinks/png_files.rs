//! `png_files`: each frame as a PNG file (areaDetector's NDFileMagick with that format).
//!
//! In: arrays of u8 or u16, mono (one- or two-dimensional, other dimensions of size 1) or RGB1. Loses nothing; fast
//! compression. Out: nothing. Modes, folders, names and counts are the same as in every writer, see
//! [`nd_file`](super::nd_file).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::png_files::PngFiles;
//!
//! let folder = std::env::temp_dir().join(format!("livetime-png-{}", std::process::id()));
//! let path = folder.to_str().unwrap_or_default();
//! let params = [("path", path.into()), ("file_name", "run".into()), ("create_directory", (-1).into())];
//! let mut png = Harness::new::<PngFiles>(&params)?;
//! let image = png.image::<u8>(&[1, 2], &[50, 60])?;
//! png.feed(&image)?;
//! assert!(folder.join("run_001.png").is_file());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use image::ImageEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use livetime_engine::{Counterpart, FixedSetting, NodeSpec, ParamEnum, Params, PortSpec};

use super::nd_file::{FileNode, NdFileParams};
use super::picture::{Encoder, Picture, PictureWriter};

/// Format of the files; the choices of FileFormat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum PngFormat {
    /// PNG.
    #[default]
    #[pv("PNG")]
    Png,
}

/// Parameters of `png_files`.
#[derive(Params)]
pub struct PngFilesParams {
    /// Format of the files.
    #[param(pv = "FileFormat")]
    pub file_format: PngFormat,
    /// Folders, names, modes.
    #[param(flatten)]
    pub common: NdFileParams,
}

/// Writes frames as PNG files.
pub type PngFiles = FileNode<PictureWriter<Png>>;

/// The format.
pub struct Png;

impl Encoder for Png {
    type Params = PngFilesParams;

    const SPEC: NodeSpec =
        NodeSpec::sink("png_files", "Writes each frame as a PNG file.", &[PortSpec::array("in")]);
    const COUNTERPART: Counterpart = Counterpart::new("NDFileMagick", "Magick").with_settings(&[
        FixedSetting {
            pv: "Quality",
            choices: &[],
            value: 0,
            refused: "wanted none: PNG loses nothing",
            doc: "Always 0: PNG loses nothing.",
        },
        FixedSetting {
            pv: "BitDepth",
            choices: &["1", "8", "16", "32", "As the frame"],
            value: 4,
            refused: "wanted `As the frame`: a file has the 8 or 16 bits of its frame",
            doc: "As the frame has: 8 or 16.",
        },
        FixedSetting {
            pv: "CompressType",
            choices: &["None", "BZip", "FAX", "Group 4", "JPEG", "LZW", "RLE", "Zip"],
            value: 7,
            refused: "wanted Zip, the only one of PNG",
            doc: "Zip, the only one of PNG.",
        },
    ]);
    const TEMPLATE: &'static str = "%s%s_%3.3d.png";
    const WITH_U16: bool = true;
    const MOST_SIDE: u32 = i32::MAX as u32;

    fn common(params: &PngFilesParams) -> &NdFileParams {
        &params.common
    }

    fn common_mut(params: &mut PngFilesParams) -> &mut NdFileParams {
        &mut params.common
    }

    fn encode(
        _params: &PngFilesParams,
        pixels: &[u8],
        picture: Picture,
        out: &mut Vec<u8>,
    ) -> image::ImageResult<()> {
        let encoder = PngEncoder::new_with_quality(out, CompressionType::Fast, FilterType::Sub);
        encoder.write_image(pixels, picture.width, picture.height, picture.color)
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
        pictures_are_read_back::<PngFiles>("png", 0);
        others_are_refused_and_leave_no_file::<PngFiles>();
        keeps_the_contract::<PngFiles>();
    }

    #[test]
    fn sixteen_bits_are_exact() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut harness = sink::<PngFiles>(&folder);
        let pixels: Vec<u16> = (0..600).map(|i| i * 109).collect();
        let image = harness.image::<u16>(&[20, 30], &pixels).unwrap();
        harness.feed(&image).unwrap();
        let read = image::open(folder.path().join("run_001.png")).unwrap();
        assert_eq!(read.color(), image::ColorType::L16);
        assert_eq!(read.to_luma16().into_raw(), pixels);
    }
}
