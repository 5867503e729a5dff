//! Pictures as files: the common part of all formats with samples side by side.

use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;

use image::ExtendedColorType;
use livetime_engine::{Context, Counterpart, NodeError, NodeSpec, Params};
use livetime_frame::{ArrayRef, ColorMode, DType, Frame};

use super::nd_file::{FileWriter, Fit, NdFileParams, NewFile, WriteError};
use crate::codec::jpeg::guarded;
use crate::error::Mismatch;
use crate::packed::packed;

/// A format of pictures, one in a file.
pub trait Encoder: Send + 'static {
    /// Parameters of the format, with [`NdFileParams`] behind them.
    type Params: Params + Default;

    /// The declaration of the node.
    const SPEC: NodeSpec;
    /// The node's name in areaDetector.
    const COUNTERPART: Counterpart;
    /// FileTemplate when none is given.
    const TEMPLATE: &'static str;
    /// Whether it has pixels of 16 bits.
    const WITH_U16: bool;
    /// Most pixels of a side.
    const MOST_SIDE: u32;

    /// The common parameters.
    fn common(params: &Self::Params) -> &NdFileParams;

    /// The common parameters, to be written.
    fn common_mut(params: &mut Self::Params) -> &mut NdFileParams;

    /// Adds the file of a picture to `out`.
    ///
    /// # Errors
    /// For a picture that the format cannot hold.
    fn encode(
        params: &Self::Params,
        pixels: &[u8],
        picture: Picture,
        out: &mut Vec<u8>,
    ) -> image::ImageResult<()>;
}

/// Writes a frame as a file in the format `E`.
pub struct PictureWriter<E> {
    file: Option<File>,
    /// The pixels of an array with gaps.
    gathered: Vec<u8>,
    /// The file before it is written, so that a picture that cannot be encoded leaves none.
    encoded: Vec<u8>,
    format: PhantomData<E>,
}

impl<E: Encoder> FileWriter for PictureWriter<E> {
    type Params = E::Params;

    const SPEC: NodeSpec = E::SPEC;
    const COUNTERPART: Counterpart = E::COUNTERPART;
    const TEMPLATE: &'static str = E::TEMPLATE;
    const HOLDS_MANY: bool = false;

    fn common(params: &E::Params) -> &NdFileParams {
        E::common(params)
    }

    fn common_mut(params: &mut E::Params) -> &mut NdFileParams {
        E::common_mut(params)
    }

    fn new(_params: &E::Params) -> Result<PictureWriter<E>, NodeError> {
        let (gathered, encoded) = (Vec::new(), Vec::new());
        Ok(PictureWriter { file: None, gathered, encoded, format: PhantomData })
    }

    fn takes(&mut self, frame: &Frame, _params: &E::Params) -> Result<Fit, WriteError> {
        // The picture is checked before a file is created, so that a refused frame leaves no empty file.
        let Picture { width, height, .. } = Picture::of(&frame.array()?, E::WITH_U16)?;
        let most = E::MOST_SIDE;
        match width.max(height) <= most {
            true => Ok(Fit::Yes),
            false => {
                let wanted = format!("at most {most} x {most} pixels");
                Err(Mismatch::new(wanted, format!("{width} x {height}")).into())
            }
        }
    }

    fn open(
        &mut self,
        file: &NewFile,
        _first: &Frame,
        _params: &mut E::Params,
        _ctx: &mut Context,
    ) -> Result<(), WriteError> {
        self.file = Some(file.file()?);
        Ok(())
    }

    fn write(&mut self, frame: &Frame, params: &mut E::Params, _ctx: &mut Context) -> Result<(), WriteError> {
        let array = frame.array()?;
        let picture = Picture::of(&array, E::WITH_U16)?;
        let pixels = packed(&array, &mut self.gathered);
        // The memory is taken out: a panic of the encoder loses it, and the next frame begins with new
        // memory.
        let mut out = std::mem::take(&mut self.encoded);
        out.clear();
        guarded(|| E::encode(params, pixels, picture, &mut out).map_err(WriteError::Picture))?;
        self.encoded = out;
        // The file is encoded in memory first, so that an encoder's error leaves no half picture.
        let file = self.file.as_mut().ok_or(WriteError::NotOpen)?;
        Ok(file.write_all(&self.encoded)?)
    }

    fn close(&mut self, _params: &mut E::Params) -> Result<(), WriteError> {
        self.file = None;
        Ok(())
    }
}

/// A picture: width, height and the type of a pixel.
#[derive(Clone, Copy, Debug)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Type of a pixel.
    pub color: ExtendedColorType,
}

impl Picture {
    /// `array` as a picture; with 16 bits only if `with_u16`.
    ///
    /// # Errors
    /// The wanted and the found value.
    fn of(array: &ArrayRef<'_>, with_u16: bool) -> Result<Picture, Mismatch> {
        let layout = array.layout();
        // Axes of one element are left out, so that one picture of a stack is a picture too.
        let layout = if layout.color().is_rgb() { *layout } else { layout.collapsed() };
        let flat = matches!(layout.color(), ColorMode::Mono | ColorMode::Bayer) && layout.dims().len() <= 2;
        let is_rgb = layout.color() == ColorMode::Rgb1;
        let color = match (layout.dtype(), is_rgb) {
            (DType::U8, false) => Some(ExtendedColorType::L8),
            (DType::U8, true) => Some(ExtendedColorType::Rgb8),
            (DType::U16, false) if with_u16 => Some(ExtendedColorType::L16),
            (DType::U16, true) if with_u16 => Some(ExtendedColorType::Rgb16),
            _ => None,
        };
        // Encoders panic or write nothing readable for a side of 0.
        let side = |pixels: usize| u32::try_from(pixels).ok().filter(|side| *side > 0);
        let sides = side(layout.width()).zip(side(layout.height()));
        let fits = layout.codec().is_none() && (flat || is_rgb);
        match (sides, color) {
            (Some((width, height)), Some(color)) if fits => Ok(Picture { width, height, color }),
            _ => {
                let types = if with_u16 { "u8 or u16" } else { "u8" };
                let wanted = format!("an uncompressed picture of {types}, mono or RGB1, with pixels");
                Err(Mismatch::new(wanted, layout.to_string()))
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use image::GenericImageView;
    use livetime_engine::Node;
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::Layout;
    use tempfile::TempDir;

    use super::*;

    pub(in crate::sinks) fn sink<N: Node>(folder: &TempDir) -> Harness {
        let path = folder.path().to_str().unwrap();
        Harness::new::<N>(&[("path", path.into()), ("file_name", "run".into())]).unwrap()
    }

    /// Grey pictures, a part of one, and colours are read back with values that differ by at most `tolerance`.
    pub(in crate::sinks) fn pictures_are_read_back<N: Node>(ending: &str, tolerance: u8) {
        let folder = TempDir::new().unwrap();
        let mut harness = sink::<N>(&folder);
        let open = |number| image::open(folder.path().join(format!("run_{number:03}.{ending}"))).unwrap();
        let is_near = |found: &[u8], wanted: &[u8]| {
            found
                .iter()
                .zip(wanted.iter().cycle())
                .all(|(found, wanted)| found.abs_diff(*wanted) <= tolerance)
        };
        let flat = harness.image::<u8>(&[9, 16], &[77; 144]).unwrap();
        harness.feed(&flat).unwrap();
        assert_eq!((open(1).dimensions(), open(1).color()), ((16, 9), image::ColorType::L8));
        assert!(is_near(&open(1).to_luma8(), &[77]));
        let layout = Layout::packed(DType::U8, ColorMode::Mono, &[9, 16]).unwrap();
        let (rows, y) = layout.crop(0, 2, 4).unwrap();
        let (part, x) = rows.crop(1, 3, 5).unwrap();
        let view = harness.view(&flat, part, y + x).unwrap();
        harness.feed(&view).unwrap();
        assert_eq!(open(2).dimensions(), (5, 4));
        let colors = Layout::packed(DType::U8, ColorMode::Rgb1, &[8, 8, 3]).unwrap();
        let pixels: Vec<u8> = (0..64).flat_map(|_| [200, 100, 50]).collect();
        let colors = harness.array(colors, &pixels).unwrap();
        harness.feed(&colors).unwrap();
        assert!(is_near(&open(3).to_rgb8(), &[200, 100, 50]));
    }

    pub(in crate::sinks) fn others_are_refused_and_leave_no_file<N: Node>() {
        let folder = TempDir::new().unwrap();
        let mut harness = sink::<N>(&folder);
        let float = harness.image::<f32>(&[2, 2], &[0.0; 4]).unwrap();
        let error = harness.feed(&float).unwrap_err().to_string();
        assert!(error.contains("wanted an uncompressed picture") && error.contains("2x2 f32"), "{error}");
        let cube = harness.image::<u8>(&[2, 2, 2], &[0; 8]).unwrap();
        assert!(harness.feed(&cube).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(harness.number_of("write_errors"), 2.0);
    }

    pub(in crate::sinks) fn keeps_the_contract<N: Node>() {
        let folder = TempDir::new().unwrap();
        assert_compliant::<N>(&[("path", folder.path().to_str().unwrap().into())]);
    }
}
