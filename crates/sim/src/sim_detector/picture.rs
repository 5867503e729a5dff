//! The next picture, in the element type of the frames.

use livetime_engine::NodeError;
use livetime_frame::{ColorMode, Element, FrameMut, with_dtype};
use livetime_kernels::{Conversion, Level, Pixel, Plane, Summed, convert, fill_circular};

use super::background::{Dice, background};
use super::params::{SimDetectorParams, SimMode};
use super::peaks::Peaks;
use super::ramp::Ramp;
use super::shape::{Shape, zeros};
use super::sine::Sine;

/// Paints one picture after the other.
pub(super) trait Painter: Send {
    /// Paints the next picture into `frame`, all of it or the part that `region` describes.
    fn paint(&mut self, region: Option<&Conversion>, frame: &mut FrameMut) -> Result<(), NodeError>;
}

/// A painter for these parameters, at its first picture.
pub(super) fn painter(params: &SimDetectorParams, shape: Shape) -> Result<Box<dyn Painter>, NodeError> {
    Ok(with_dtype!(params.data_type.dtype(), T => Box::new(Picture::<T>::new(params, shape)?)))
}

struct Picture<T> {
    shape: Shape,
    dice: Dice,
    background: Option<Vec<T>>,
    content: Content<T>,
    /// The whole picture when only a part is sent, else empty.
    whole: Vec<T>,
    /// One colour of the part, for RGB2.
    plane: Vec<T>,
}

/// The content of a picture on its background.
enum Content<T> {
    Nothing,
    /// The same in every picture.
    Still(Vec<T>),
    Ramp(Ramp<T>),
    Peaks(Peaks<T>),
    Sine(Box<Sine>),
}

impl<T: Summed + Element> Picture<T> {
    fn new(params: &SimDetectorParams, shape: Shape) -> Result<Picture<T>, NodeError> {
        let gains = match shape.color {
            ColorMode::Mono => [1.0; 3],
            _ => [params.gain_red, params.gain_green, params.gain_blue],
        };
        let mut dice = Dice::new(params.seed);
        let background = background(params, shape.len(), &mut dice)?;
        let content = match params.sim_mode {
            SimMode::LinearRamp => Content::Ramp(Ramp::new(params, shape, gains)?),
            SimMode::Peaks => still(Peaks::new(params, shape, gains)?, shape, &mut dice)?,
            SimMode::Sine => Content::Sine(Box::new(Sine::new(params, shape, gains)?)),
            SimMode::OffsetNoise => Content::Nothing,
        };
        Ok(Picture { shape, dice, background, content, whole: Vec::new(), plane: Vec::new() })
    }

    fn draw(&mut self, out: &mut [T]) -> Result<(), NodeError> {
        let Picture { dice, background, content, .. } = self;
        let background = background.as_deref().map(|b| (b, dice.below(b.len())));
        match content {
            Content::Ramp(ramp) => return ramp.draw(background, out),
            Content::Still(picture) => return on_background(picture, background, out),
            _ => {}
        }
        match background {
            Some((background, start)) => fill_circular(background, start, out).map_err(NodeError::new)?,
            None => out.fill(T::default()),
        }
        match content {
            Content::Peaks(peaks) => peaks.draw(dice, out),
            Content::Sine(sine) => sine.draw(out),
            _ => Ok(()),
        }
    }

    /// RGB2 goes colour by colour, because a kernel writes rows that follow each other.
    fn cut(&mut self, region: &Conversion, out: &mut [T]) -> Result<(), NodeError> {
        let (columns, rows) = region.output_size();
        let Shape { width, height, color } = self.shape;
        if color != ColorMode::Rgb2 {
            let planes = if color == ColorMode::Rgb3 { 3 } else { 1 };
            let width = width * region.samples_per_pixel;
            let parts = out.chunks_exact_mut((out.len() / planes).max(1));
            return self.whole.chunks_exact(width * height).zip(parts).try_for_each(|(whole, part)| {
                let plane = Plane::packed(whole, width, height).map_err(NodeError::new)?;
                convert(Level::best(), plane, region, part).map_err(NodeError::new)
            });
        }
        self.plane.resize(columns * rows, T::default());
        for color in 0..3 {
            // Between two rows of a colour lie rows of the two others.
            let plane = Plane::new(&self.whole[color * width..], width, height, 3 * width);
            convert(Level::best(), plane.map_err(NodeError::new)?, region, &mut self.plane)
                .map_err(NodeError::new)?;
            let from = self.plane.chunks_exact(columns);
            let to = out.chunks_exact_mut(columns).skip(color).step_by(3);
            to.zip(from).for_each(|(to, from)| to.copy_from_slice(from));
        }
        Ok(())
    }
}

impl<T: Summed + Element> Painter for Picture<T> {
    fn paint(&mut self, region: Option<&Conversion>, frame: &mut FrameMut) -> Result<(), NodeError> {
        let out = frame.elements_mut::<T>()?;
        let Some(region) = region else { return self.draw(out) };
        // Taken out, because drawing borrows the painter; put back before an error is returned.
        let mut whole = std::mem::take(&mut self.whole);
        if whole.is_empty() {
            whole = zeros(self.shape.len())?;
        }
        let drawn = self.draw(&mut whole);
        self.whole = whole;
        drawn?;
        self.cut(region, out)
    }
}

/// Peaks that never change are drawn once.
fn still<T: Pixel>(peaks: Peaks<T>, shape: Shape, dice: &mut Dice) -> Result<Content<T>, NodeError> {
    if !peaks.is_still() {
        return Ok(Content::Peaks(peaks));
    }
    let mut picture = zeros(shape.len())?;
    peaks.draw(dice, &mut picture)?;
    Ok(Content::Still(picture))
}

fn on_background<T: Pixel>(
    picture: &[T],
    background: Option<(&[T], usize)>,
    out: &mut [T],
) -> Result<(), NodeError> {
    out.copy_from_slice(picture);
    let Some((background, start)) = background else { return Ok(()) };
    livetime_kernels::add_circular(Level::best(), background, start, out).map_err(NodeError::new)
}
