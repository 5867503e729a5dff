//! Fast arithmetic on plain slices: the loops of Livetime's nodes over pixels and samples.
//!
//! A kernel knows slices, sizes and strides and nothing else: no frames, no engine, no I/O.
//!
//! Three types come first. A [`Plane`] is a slice with a width, a height and a row stride, so that a region of a
//! larger image is read where it lies. A [`Level`] is an instruction set; [`Level::best`] is the highest one of the
//! machine. A [`Pixel`] is a type of number that an image may have.
//!
//! ```
//! use livetime_kernels::{Level, Plane, statistics::{Scratch, Wanted, statistics}};
//!
//! // The left half of a picture of 4 x 2 pixels, without a copy.
//! let pixels = [1u16, 3, 99, 99, 5, 7, 99, 99];
//! let left = Plane::new(&pixels, 2, 2, 4)?;
//! let wanted = Wanted { basic: true, ..Wanted::default() };
//! let found = statistics(Level::best(), left, &wanted, &mut Scratch::default());
//! let basic = found.basic.unwrap_or_default();
//! assert_eq!((basic.max, basic.total), (7.0, 16.0));
//! # Ok::<(), livetime_kernels::PlaneError>(())
//! ```
//!
//! Every kernel is one readable loop over lanes, compiled once per instruction-set level
//! and chosen at run time. The portable compilation is the judge: the tests run every level the
//! machine has against a plain definition, over all tails, strides and extreme values.
//!
//! | kernel | result |
//! |---|---|
//! | [`statistics`] | minimum, maximum, mean, sigma, net, centroid, profiles, histogram in one pass |
//! | [`convert()`], [`convert_slice`] | crop, bin, reverse, scale and change of type |
//! | [`process()`], [`reset`] | background, flat field, scale, clips and recursive filter in one pass |
//! | [`add_constant`], [`ramp_row`], [`noise()`], [`peak_stamp`], [`add_stamp`], [`add_sine`] … | pictures of the simulated detector |
//! | [`resize()`] | enlarging and reducing: nearest, bilinear, cubic, area |
//! | [`transform()`] | rotations by 90° and mirror images |
//! | [`accumulate`] | sums, sums of squares and extremes over many frames, element by element |
//! | [`mod@calibrate`] | pedestal, bad pixels, common mode and gain of a detector |
//! | [`peaks`] | spots of light above their surroundings |
//! | [`color`] | layouts of colours, grey, mosaics of a colour camera, false colours |
//! | [`cspad`] | simulated frames of a CSPad |
//! | [`random`] | random numbers that are functions of a counter |
//! | [`waveform`] | simulated samples of wires: pedestal, noise, pulses |
//! | [`bitshuffle`] | the bits of elements sorted by their value |
//! | [`byteshuffle`] | the bytes of elements sorted by their value |
//! | [`lz4`] | runs of equal bytes as LZ4 blocks |
//! | [`blockpack`] | differences from a reference and a centre, packed bit by bit |
//! | [`hist`] | the loops of the XTC codecs Hist16 and HistN |
//! | [`wib`] | samples of the wire readout, 12 and 14 bits packed, as 16-bit integers |
//! | [`hits`] | pulses in the samples of hundreds of wires, with pedestals and noise followed |

#![deny(missing_docs)]

#[macro_use]
mod level;
#[cfg(test)]
#[macro_use]
mod test_data;
pub mod accumulate;
mod bits;
pub mod bitshuffle;
pub mod blockpack;
mod bytes;
pub mod byteshuffle;
pub mod calibrate;
mod cast;
pub mod color;
mod convert;
pub mod cspad;
mod fastest;
pub mod hist;
pub mod hits;
mod lanes;
mod length;
pub mod lz4;
mod mix;
mod pattern;
pub mod peaks;
mod pixel;
mod plane;
mod process;
pub mod random;
mod resize;
pub mod statistics;
mod transform;
#[cfg(target_arch = "x86_64")]
mod vector;
pub mod waveform;
pub mod wib;

pub use convert::{Conversion, ConvertError, Overflow, Summed, convert, convert_slice};
pub use length::LengthError;
pub use level::Level;
pub use pattern::{
    Canvas, CanvasError, Noise, add_circular, add_constant, add_constant_circular, add_constant_rgb,
    add_sine, add_stamp, fill_circular, noise, peak_size, peak_stamp, ramp_row,
};
pub use pixel::Pixel;
pub use plane::{Plane, PlaneError};
pub use process::{
    Clip, Coefficients, Corrections, Filter, FilterSetup, Filtered, FlatField, OffsetScale, Real,
    ResetCoefficients, min_max, process, reset,
};
pub use resize::{Resize, ResizeError, ResizeMethod, ResizeScratch, resize};
pub use transform::{Transform, transform};
