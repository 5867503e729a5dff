//! The conversion, row by row, so that values between two steps stay in the first-level cache.

use livetime_engine::{Context, NodeError};
use livetime_frame::{ArrayRef, ColorMode, Element, FrameMut, Layout};
use livetime_kernels::color::{Edges, Mosaic, Palette, grey, interleave, paint, paint_interleaved, separate};
use livetime_kernels::{LengthError, Level, Pixel, Plane};

use crate::planes::Planes;

/// How pictures are converted.
pub(super) struct Work {
    /// The colours that the values of a mono picture get.
    pub(super) palette: Option<&'static Palette>,
    /// Column and row of a red pixel.
    pub(super) red_x: usize,
    pub(super) red_y: usize,
    pub(super) edges: Edges,
}

/// The picture that is converted.
enum Source<'a, T> {
    Mono(Plane<'a, T>),
    Mosaic(Mosaic<'a, T>),
    /// RGB1.
    Interleaved(Plane<'a, T>),
    /// RGB2 and RGB3.
    Colors([Plane<'a, T>; 3]),
}

impl Work {
    /// Fills `output`; its layout has the wanted colour mode.
    pub(super) fn convert<T: Pixel + Element>(
        &self,
        array: &ArrayRef<'_>,
        output: &mut FrameMut,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let planes = Planes::<T>::of(array)?;
        let (width, height) = (planes.width, planes.height);
        if width == 0 || height == 0 {
            return Ok(());
        }
        let source = self.source(array.layout().color(), &planes)?;
        let to = output_color(output)?;
        let output = output.elements_mut::<T>()?;
        // Room for one row of three colours: rows of mosaics and palettes become separate colours first.
        let mut beside = ctx.array(Layout::packed(T::DTYPE, ColorMode::Mono, &[3 * width])?)?;
        let beside = beside.elements_mut::<T>()?;
        (0..height)
            .try_for_each(|y| match to {
                ColorMode::Mono => self.to_grey(&source, y, row(output, y, width), beside),
                ColorMode::Rgb1 => self.to_interleaved(&source, y, row(output, y, 3 * width), beside),
                ColorMode::Rgb2 => self.to_colors(&source, y, thirds(row(output, y, 3 * width))),
                _ => self.to_colors(&source, y, thirds(output).map(|plane| row(plane, y, width))),
            })
            .map_err(NodeError::new)
    }

    fn source<'a, T: Pixel + Element>(
        &self,
        color: ColorMode,
        planes: &Planes<'a, T>,
    ) -> Result<Source<'a, T>, NodeError> {
        let plane = planes.plane(0)?;
        Ok(match color {
            ColorMode::Rgb1 => Source::Interleaved(plane),
            ColorMode::Rgb2 | ColorMode::Rgb3 => Source::Colors([plane, planes.plane(1)?, planes.plane(2)?]),
            ColorMode::Bayer => {
                let Work { red_x, red_y, edges, .. } = *self;
                Source::Mosaic(Mosaic { plane, red_x, red_y, edges })
            }
            _ => Source::Mono(plane),
        })
    }

    /// The three colours of row `y`, each in a row of its own.
    fn to_colors<T: Pixel>(
        &self,
        source: &Source<'_, T>,
        y: usize,
        outputs: [&mut [T]; 3],
    ) -> Result<(), LengthError> {
        match (source, self.palette) {
            (Source::Mono(plane), Some(palette)) => paint(Level::best(), plane.row(y), palette, outputs),
            (Source::Mono(plane), None) => {
                outputs.into_iter().for_each(|output| output.copy_from_slice(plane.row(y)));
                Ok(())
            }
            (Source::Mosaic(mosaic), _) => mosaic.row(Level::best(), y, outputs),
            (Source::Interleaved(plane), _) => separate(Level::best(), plane.row(y), outputs),
            (Source::Colors(planes), _) => {
                let rows = planes.iter().map(|plane| plane.row(y));
                outputs.into_iter().zip(rows).for_each(|(output, row)| output.copy_from_slice(row));
                Ok(())
            }
        }
    }

    /// The three colours of each pixel of row `y` side by side.
    fn to_interleaved<T: Pixel>(
        &self,
        source: &Source<'_, T>,
        y: usize,
        output: &mut [T],
        beside: &mut [T],
    ) -> Result<(), LengthError> {
        match (source, self.palette) {
            (Source::Mono(plane), Some(palette)) => {
                paint_interleaved(Level::best(), plane.row(y), palette, output)
            }
            (Source::Mono(plane), None) => interleave(Level::best(), [plane.row(y); 3], output),
            (Source::Colors(planes), _) => {
                interleave(Level::best(), planes.map(|plane| plane.row(y)), output)
            }
            _ => {
                // Kernels for mosaics write separate colours, so the colours of a row are interleaved in a second step
                // that stays in the cache.
                self.to_colors(source, y, thirds(beside))?;
                interleave(Level::best(), thirds(beside).map(|part| &*part), output)
            }
        }
    }

    /// The means of row `y`.
    fn to_grey<T: Pixel>(
        &self,
        source: &Source<'_, T>,
        y: usize,
        output: &mut [T],
        beside: &mut [T],
    ) -> Result<(), LengthError> {
        if let Source::Colors(planes) = source {
            return grey(Level::best(), planes.map(|plane| plane.row(y)), output);
        }
        self.to_colors(source, y, thirds(beside))?;
        grey(Level::best(), thirds(beside).map(|part| &*part), output)
    }
}

fn output_color(output: &FrameMut) -> Result<ColorMode, NodeError> {
    match output.payload() {
        livetime_frame::Payload::Array(layout) => Ok(layout.color()),
        other => Err(NodeError::new(format_args!("wanted an array to write to, found {other}"))),
    }
}

fn row<T>(all: &mut [T], y: usize, width: usize) -> &mut [T] {
    &mut all[y * width..][..width]
}

fn thirds<T>(all: &mut [T]) -> [&mut [T]; 3] {
    let third = all.len() / 3;
    let (first, rest) = all.split_at_mut(third);
    let (second, rest) = rest.split_at_mut(third);
    [first, second, rest]
}
