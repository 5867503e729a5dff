//! Pixels, lines and letters.

use image::{Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

const LETTER: RasterHeight = RasterHeight::Size16;
/// Height of a line of text.
pub(super) const TEXT: i32 = 16;
pub(super) const BLACK: Rgb<u8> = Rgb([0, 0, 0]);
pub(super) const GREY: Rgb<u8> = Rgb([220, 220, 220]);
pub(super) const WHITE: Rgb<u8> = Rgb([255, 255, 255]);

pub(super) struct Canvas {
    pub(super) image: RgbImage,
}

impl Canvas {
    pub(super) fn new(width: i32, height: i32) -> Canvas {
        Canvas { image: RgbImage::from_pixel(width.max(0) as u32, height.max(0) as u32, WHITE) }
    }

    /// Mixes a colour into a pixel; 255 replaces it. Pixels outside do not exist.
    fn put(&mut self, x: i32, y: i32, colour: Rgb<u8>, share: u8) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if let Some(pixel) = self.image.get_pixel_mut_checked(x, y) {
            let mix = |old: u8, new: u8| {
                ((u16::from(old) * u16::from(255 - share) + u16::from(new) * u16::from(share)) / 255) as u8
            };
            *pixel = Rgb([0, 1, 2].map(|i| mix(pixel.0[i], colour.0[i])));
        }
    }

    pub(super) fn rectangle(&mut self, left: i32, top: i32, width: i32, height: i32, colour: Rgb<u8>) {
        for (y, x) in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x))) {
            self.put(x, y, colour, 255);
        }
    }

    /// Pixels of one row of the picture, three bytes each; those outside do not exist.
    pub(super) fn line_of_pixels(&mut self, left: i32, y: i32, pixels: &[u8]) {
        let width = self.image.width() as usize;
        let (Ok(left), Ok(y)) = (usize::try_from(left), usize::try_from(y)) else { return };
        let count = (pixels.len() / 3).min(width.saturating_sub(left));
        let start = 3 * (y * width + left);
        if let Some(row) = self.image.get_mut(start..start + 3 * count) {
            row.copy_from_slice(&pixels[..3 * count]);
        }
    }

    /// A line two pixels wide.
    pub(super) fn line(&mut self, from: (i32, i32), to: (i32, i32), colour: Rgb<u8>) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for i in 0..=steps {
            let (x, y) = (from.0 + (to.0 - from.0) * i / steps, from.1 + (to.1 - from.1) * i / steps);
            self.rectangle(x, y, 2, 2, colour);
        }
    }

    pub(super) fn text(&mut self, left: i32, top: i32, text: &str, colour: Rgb<u8>) {
        let advance = get_raster_width(FontWeight::Regular, LETTER) as i32;
        for (letter, x) in text.chars().zip((left..).step_by(advance as usize)) {
            let Some(raster) = get_raster(letter, FontWeight::Regular, LETTER) else { continue };
            for (row, y) in raster.rows().zip(top..) {
                row.iter().zip(x..).for_each(|(share, x)| self.put(x, y, colour, *share));
            }
        }
    }

    /// Text that is read from below to above; `bottom` is where it begins.
    pub(super) fn text_upwards(&mut self, left: i32, bottom: i32, text: &str, colour: Rgb<u8>) {
        let advance = get_raster_width(FontWeight::Regular, LETTER) as i32;
        for (letter, start) in text.chars().zip((0..).step_by(advance as usize)) {
            let Some(raster) = get_raster(letter, FontWeight::Regular, LETTER) else { continue };
            for (row, x) in raster.rows().zip(left..) {
                for (share, along) in row.iter().zip(start..) {
                    self.put(x, bottom - along, colour, *share);
                }
            }
        }
    }
}

/// How wide a text is.
pub(super) fn width(text: &str) -> i32 {
    (text.chars().count() * get_raster_width(FontWeight::Regular, LETTER)) as i32
}
