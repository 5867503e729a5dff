//! The steps on a block of pixels, in the type that is calculated in.

use super::corrections::{Clip, Corrections, FlatField, OffsetScale};
use super::real::Real;
use super::setup::Coefficients;
use crate::Pixel;

per_level! {
    pub(super) fn correct<S: Real>(corrections: &Corrections<'_, S>, start: usize, block: &mut [S])
        = correct_body;
}

per_level! {
    pub(super) fn filter<I: Pixel, S: Real>(
        c: &Coefficients<S>, pixels: &[I], state: &mut [S], output: &mut [S],
    ) = filter_body;
}

per_level! {
    pub(super) fn filter_in_kind<I: Pixel, S: Real>(
        c: &Coefficients<S>, pixels: &[I], state: &mut [S], output: &mut [I],
    ) = filter_in_kind_body;
}

per_level! {
    pub(super) fn follow<I: Pixel, S: Real>(c: &Coefficients<S>, pixels: &[I], state: &mut [S])
        = follow_body;
}

/// All corrections on the pixels from number `start` on.
#[inline(always)]
fn correct_body<S: Real>(corrections: &Corrections<'_, S>, start: usize, block: &mut [S]) {
    if let Some(background) = corrections.background {
        let background = &background[start..][..block.len()];
        for (v, &b) in block.iter_mut().zip(background) {
            *v = *v - b;
        }
    }
    if let Some(FlatField { flat, scale }) = corrections.flat_field {
        let flat = &flat[start..][..block.len()];
        let even = |v: S, f: S| if f == S::default() { v } else { v * scale / f };
        for (v, &f) in block.iter_mut().zip(flat) {
            *v = even(*v, f);
        }
    }
    if let Some(OffsetScale { offset, scale }) = corrections.offset_scale {
        for v in block.iter_mut() {
            *v = (*v + offset) * scale;
        }
    }
    if let Some(Clip { threshold, value }) = corrections.high_clip {
        for v in block.iter_mut() {
            *v = if *v > threshold { value } else { *v };
        }
    }
    if let Some(Clip { threshold, value }) = corrections.low_clip {
        for v in block.iter_mut() {
            *v = if *v < threshold { value } else { *v };
        }
    }
}

/// Brings the state forward and makes the output.
#[inline(always)]
fn filter_body<I: Pixel, S: Real>(c: &Coefficients<S>, pixels: &[I], state: &mut [S], output: &mut [S]) {
    let (new_output, new_state) = (sum(c.o_offset, c.o1, c.o2), sum(c.f_offset, c.f1, c.f2));
    for ((o, f), &i) in output.iter_mut().zip(state).zip(pixels) {
        let i = i.cast::<S>();
        *o = new_output(*f, i);
        *f = new_state(*f, i);
    }
}

/// As [`filter_body`] with an output of the input's type: the values never leave the registers, so that the
/// conversion is hidden behind the memory traffic of the state.
#[inline(always)]
fn filter_in_kind_body<I: Pixel, S: Real>(
    c: &Coefficients<S>,
    pixels: &[I],
    state: &mut [S],
    output: &mut [I],
) {
    let (new_output, new_state) = (sum(c.o_offset, c.o1, c.o2), sum(c.f_offset, c.f1, c.f2));
    for ((o, f), &i) in output.iter_mut().zip(state).zip(pixels) {
        let i = i.cast::<S>();
        *o = new_output(*f, i).cast::<I>();
        *f = new_state(*f, i);
    }
}

/// Only brings the state forward.
#[inline(always)]
fn follow_body<I: Pixel, S: Real>(c: &Coefficients<S>, pixels: &[I], state: &mut [S]) {
    let new_state = sum(c.f_offset, c.f1, c.f2);
    for (f, &i) in state.iter_mut().zip(pixels) {
        *f = new_state(*f, i.cast::<S>());
    }
}

/// `offset + a * f + b * i` without the terms whose coefficient is 0.
#[inline(always)]
fn sum<S: Real>(offset: S, a: S, b: S) -> impl Fn(S, S) -> S {
    // Masks and not factors, because 0 times NaN is NaN.
    let (keep_f, keep_i) = (S::mask(a != S::default()), S::mask(b != S::default()));
    move |f, i| offset + a * f.masked(keep_f) + b * i.masked(keep_i)
}
