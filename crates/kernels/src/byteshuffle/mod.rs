//! Byte shuffle: the first bytes of all elements, then the second ones … as Blosc and the HDF5 library do it. Bytes that hardly
//! change then lie together.

#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use crate::{LengthError, Level};

/// Elements of a step.
pub(crate) const STEP: usize = 64;

/// Elements with more bytes have no planes that [`unshuffle_planes`] takes.
pub const MOST_PLANES: usize = 16;

/// Sorts the bytes of elements of `size` bytes: byte `b` of element `i` goes to byte `b · n + i`, `n` being the number of elements.
/// Elements of 2, 4, 8 and 16 bytes are quickest.
///
/// # Errors
/// [`LengthError`] if `size` is 0, `input` is no whole number of elements, or `output` is not as long as `input`.
///
/// ```
/// use livetime_kernels::{Level, byteshuffle};
/// let mut out = [0; 6];
/// byteshuffle::shuffle(Level::best(), 2, &[1, 9, 2, 9, 3, 9], &mut out)?;
/// assert_eq!(out, [1, 2, 3, 9, 9, 9]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn shuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    match size {
        1 => output.copy_from_slice(input),
        2 => shuffle_level(level, PhantomData::<u16>, input, output),
        4 => shuffle_level(level, PhantomData::<u32>, input, output),
        8 => shuffle_level(level, PhantomData::<u64>, input, output),
        16 => shuffle_level(level, PhantomData::<u128>, input, output),
        _ => turn(size, input.len() / size, input, output),
    }
    Ok(())
}

/// The inverse of [`shuffle`], with its errors.
pub fn unshuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    if size > MOST_PLANES {
        turn(input.len() / size, size, input, output);
        return Ok(());
    }
    let (mut planes, count) = ([&[][..]; MOST_PLANES], input.len() / size);
    // Chunks of 0 bytes are not allowed; without elements there is nothing to cut.
    for (plane, bytes) in planes.iter_mut().zip(input.chunks_exact(count.max(1))) {
        *plane = bytes;
    }
    unshuffle_planes(level, &planes[..size], output)
}

/// The inverse of [`shuffle`] of planes that lie anywhere: the first bytes of all elements, then the second ones …
///
/// # Errors
/// [`LengthError`] if there are no planes or more than [`MOST_PLANES`], or one is not as long as `output` has elements.
///
/// ```
/// use livetime_kernels::{Level, byteshuffle};
/// let mut out = [0; 6];
/// byteshuffle::unshuffle_planes(Level::best(), &[&[1, 2, 3], &[9; 3]], &mut out)?;
/// assert_eq!(out, [1, 9, 2, 9, 3, 9]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn unshuffle_planes(level: Level, planes: &[&[u8]], output: &mut [u8]) -> Result<(), LengthError> {
    let size = planes.len();
    LengthError::check("planes", size, size.clamp(1, MOST_PLANES))?;
    let count = output.len() / size;
    LengthError::check("output", output.len(), count * size)?;
    planes.iter().try_for_each(|plane| LengthError::check("plane", plane.len(), count))?;
    match size {
        1 => output.copy_from_slice(planes[0]),
        2 => unshuffle_level(level, PhantomData::<u16>, planes, output),
        4 => unshuffle_level(level, PhantomData::<u32>, planes, output),
        8 => unshuffle_level(level, PhantomData::<u64>, planes, output),
        16 => unshuffle_level(level, PhantomData::<u128>, planes, output),
        _ => put_planes(planes, 0, output),
    }
    Ok(())
}

fn check(size: usize, input: usize, output: usize) -> Result<(), LengthError> {
    if size == 0 {
        return Err(LengthError { what: "size of an element", len: size, expected: 1 });
    }
    LengthError::check("input", input, input / size * size)?;
    LengthError::check("output", output, input)
}

per_level! {
    fn shuffle_level<E: Element>(element: PhantomData<E>, input: &[u8], output: &mut [u8]) = shuffle_body;
}

per_level! {
    fn unshuffle_level<E: Element>(element: PhantomData<E>, planes: &[&[u8]], output: &mut [u8]) = unshuffle_body;
}

/// Elements whose bytes are taken apart in halves: pairs of bytes by one vector instruction, as a number is cut into two of half its
/// size. Byte by byte, with steps as long as an element, is several times slower.
pub(crate) trait Element: Copy {
    /// The planes of a step.
    type Planes: Default + AsRef<[[u8; STEP]]> + AsMut<[[u8; STEP]]>;

    /// The bytes of a step of elements to their planes.
    fn take_apart(elements: &[u8], planes: &mut Self::Planes);
    /// The inverse of it.
    fn put_together(planes: &Self::Planes, elements: &mut [u8]);
}

/// The planes of elements of `$wide`: the planes of their low halves, then of their high halves.
macro_rules! halves {
    ($wide:ident, $half:ident, $bytes:literal, $half_bytes:literal) => {
        impl Element for $wide {
            type Planes = Planes<$bytes>;

            #[inline(always)]
            fn take_apart(elements: &[u8], planes: &mut Planes<$bytes>) {
                let mut halves = [[[0; $half_bytes]; STEP]; 2];
                // `take` shows the compiler that no index is out of bounds.
                for (i, element) in elements.as_chunks::<$bytes>().0.iter().enumerate().take(STEP) {
                    let element = $wide::from_le_bytes(*element);
                    halves[0][i] = (element as $half).to_le_bytes();
                    halves[1][i] = ((element >> (8 * $half_bytes)) as $half).to_le_bytes();
                }
                for (half, planes) in halves.iter().zip(planes.0.as_chunks_mut::<$half_bytes>().0) {
                    let mut of_half = Planes::default();
                    $half::take_apart(half.as_flattened(), &mut of_half);
                    *planes = of_half.0;
                }
            }

            #[inline(always)]
            fn put_together(planes: &Planes<$bytes>, elements: &mut [u8]) {
                let mut halves = [[[0; $half_bytes]; STEP]; 2];
                for (half, planes) in halves.iter_mut().zip(planes.0.as_chunks::<$half_bytes>().0) {
                    $half::put_together(&Planes(*planes), half.as_flattened_mut());
                }
                for (i, element) in elements.as_chunks_mut::<$bytes>().0.iter_mut().enumerate().take(STEP) {
                    element[..$half_bytes].copy_from_slice(&halves[0][i]);
                    element[$half_bytes..].copy_from_slice(&halves[1][i]);
                }
            }
        }
    };
}

halves!(u16, u8, 2, 1);
halves!(u32, u16, 4, 2);
halves!(u64, u32, 8, 4);
halves!(u128, u64, 16, 8);

impl Element for u8 {
    type Planes = Planes<1>;

    #[inline(always)]
    fn take_apart(elements: &[u8], planes: &mut Planes<1>) {
        planes.0.as_flattened_mut().copy_from_slice(elements);
    }

    #[inline(always)]
    fn put_together(planes: &Planes<1>, elements: &mut [u8]) {
        elements.copy_from_slice(planes.0.as_flattened());
    }
}

/// The bytes of the elements of a step, the first bytes of all, then the second ones …
#[derive(Clone, Copy)]
pub(crate) struct Planes<const N: usize>([[u8; STEP]; N]);

impl<const N: usize> Default for Planes<N> {
    #[inline(always)]
    fn default() -> Planes<N> {
        Planes([[0; STEP]; N])
    }
}

impl<const N: usize> AsRef<[[u8; STEP]]> for Planes<N> {
    #[inline(always)]
    fn as_ref(&self) -> &[[u8; STEP]] {
        &self.0
    }
}

impl<const N: usize> AsMut<[[u8; STEP]]> for Planes<N> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [[u8; STEP]] {
        &mut self.0
    }
}

#[inline(always)]
fn shuffle_body<E: Element>(_: PhantomData<E>, input: &[u8], output: &mut [u8]) {
    let (size, count) = (size_of::<E>(), input.len() / size_of::<E>());
    let mut planes = E::Planes::default();
    let mut steps = input.chunks_exact(STEP * size);
    for (step, elements) in steps.by_ref().enumerate() {
        E::take_apart(elements, &mut planes);
        // There is a step, so `count` is not 0.
        for (plane, to) in planes.as_ref().iter().zip(output.chunks_exact_mut(count)) {
            if let Some(to) = to[STEP * step..].first_chunk_mut() {
                *to = *plane;
            }
        }
    }
    let rest = steps.remainder().len() / size;
    for (byte, to) in output.chunks_exact_mut(count.max(1)).enumerate() {
        let bytes = steps.remainder().iter().skip(byte).step_by(size);
        to[count - rest..].iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    }
}

#[inline(always)]
fn unshuffle_body<E: Element>(_: PhantomData<E>, sources: &[&[u8]], output: &mut [u8]) {
    let mut planes = E::Planes::default();
    let mut steps = output.chunks_exact_mut(STEP * size_of::<E>());
    let mut at = 0;
    for elements in steps.by_ref() {
        for (plane, from) in planes.as_mut().iter_mut().zip(sources) {
            if let Some(from) = from[at..].first_chunk() {
                *plane = *from;
            }
        }
        E::put_together(&planes, elements);
        at += STEP;
    }
    put_planes(sources, at, steps.into_remainder());
}

/// Elements of any size from the bytes of their planes that start at `at`.
fn put_planes(planes: &[&[u8]], at: usize, elements: &mut [u8]) {
    for (i, element) in elements.chunks_exact_mut(planes.len()).enumerate() {
        for (to, plane) in element.iter_mut().zip(planes) {
            *to = plane[at + i];
        }
    }
}

/// `rows` rows of `columns` bytes become columns.
fn turn(columns: usize, rows: usize, input: &[u8], output: &mut [u8]) {
    // As above: no chunks of 0 bytes.
    for (column, to) in output.chunks_exact_mut(rows.max(1)).enumerate() {
        for (to, from) in to.iter_mut().zip(input[column..].iter().step_by(columns)) {
            *to = *from;
        }
    }
}
