//! Numbers as bytes, so that a partial result can leave its process: little-endian, each list with its length.

use bytemuck::Pod;
use livetime_frame::Element;

use crate::ReduceError;

/// Takes the numbers of a partial result.
#[derive(Default, Debug)]
pub struct Saver {
    pub(crate) bytes: Vec<u8>,
}

impl Saver {
    /// One number.
    pub fn number(&mut self, number: u64) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    /// One float; every bit of it comes back.
    pub fn float(&mut self, float: f64) {
        self.number(float.to_bits());
    }

    /// A list of numbers, with how many there are.
    pub fn list<T: Element>(&mut self, list: &[T]) {
        self.number(list.len() as u64);
        self.all(list);
    }

    /// Saves a list of numbers of 128 bits, with its length.
    pub fn list_u128(&mut self, list: &[u128]) {
        self.number(list.len() as u64);
        self.all(list);
    }

    /// Text, in UTF-8.
    pub fn text(&mut self, text: &str) {
        self.list(text.as_bytes());
    }

    /// Saves the bytes of `save`, with their number in front.
    pub(crate) fn sized<E>(&mut self, save: impl FnOnce(&mut Saver) -> Result<(), E>) -> Result<(), E> {
        let start = self.bytes.len();
        // The length is known only afterwards, so its place is filled with zero first.
        self.number(0);
        save(self)?;
        let length = (self.bytes.len() - start - 8) as u64;
        self.bytes[start..start + 8].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    fn all<T: Pod>(&mut self, list: &[T]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::cast_slice(list));
        swap_on_big_endian(size_of::<T>(), &mut self.bytes[start..]);
    }
}

/// Gives the numbers back that a [`Saver`] took, in the same order. Every length is checked against the bytes that are there before
/// memory is taken for it.
#[derive(Clone, Debug)]
pub struct Loader<'a> {
    bytes: &'a [u8],
    events: u64,
    longest: &'a [usize],
}

impl<'a> Loader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Loader<'a> {
        Loader { bytes, events: 0, longest: &[] }
    }

    /// Sets the bounds: a partial result of at most `events` events, whose panels have at most `longest` pixels.
    pub(crate) fn with_bounds(self, events: u64, longest: &'a [usize]) -> Loader<'a> {
        Loader { events, longest, ..self }
    }

    /// How many events the partial result can hold: larger counts are wrong.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many pixels the panel at `position` has in the longest event of the partial result, at most.
    pub fn longest(&self, position: usize) -> usize {
        self.longest.get(position).copied().unwrap_or(0)
    }

    /// The next number.
    ///
    /// # Errors
    /// If there is none.
    pub fn number(&mut self) -> Result<u64, ReduceError> {
        let (bytes, rest) = self.bytes.split_first_chunk().ok_or_else(|| self.too_short(8))?;
        self.bytes = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// The next number, which must not be above `most`.
    ///
    /// # Errors
    /// If there is none, or it is above.
    pub fn at_most(&mut self, most: u64) -> Result<u64, ReduceError> {
        let number = self.number()?;
        if number > most {
            return Err(format!("wanted a number up to {most}, found {number}").into());
        }
        Ok(number)
    }

    /// The next number as a size, which must not be above `most`.
    ///
    /// # Errors
    /// If there is none, or it is above.
    pub fn size_at_most(&mut self, most: usize) -> Result<usize, ReduceError> {
        Ok(usize::try_from(self.at_most(most as u64)?)?)
    }

    /// The next float.
    ///
    /// # Errors
    /// If there is none.
    pub fn float(&mut self) -> Result<f64, ReduceError> {
        self.number().map(f64::from_bits)
    }

    /// The next list.
    ///
    /// # Errors
    /// If fewer bytes are left than it should have.
    pub fn list<T: Element>(&mut self) -> Result<Vec<T>, ReduceError> {
        self.all()
    }

    /// The next list of numbers of 128 bits.
    ///
    /// # Errors
    /// As [`Loader::list`].
    pub fn list_u128(&mut self) -> Result<Vec<u128>, ReduceError> {
        self.all()
    }

    /// The next text.
    ///
    /// # Errors
    /// If fewer bytes are left than it should have, or they are no UTF-8.
    pub fn text(&mut self) -> Result<String, ReduceError> {
        Ok(String::from_utf8(self.list::<u8>()?)?)
    }

    /// # Errors
    /// If the remaining bytes are too few for `count` numbers of even one byte each.
    pub(crate) fn has_numbers(&self, count: usize) -> Result<(), ReduceError> {
        // Each number takes at least a byte, so a false count is refused before memory is taken for that many numbers.
        if count <= self.bytes.len() { Ok(()) } else { Err(self.too_short(count as u64)) }
    }

    /// The next list of bytes, where they lie.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], ReduceError> {
        let count = self.number()?;
        self.take(count, 1)
    }

    /// The bytes that have not been loaded yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// # Errors
    /// If there are bytes left.
    pub(crate) fn end(&self) -> Result<(), ReduceError> {
        match self.bytes.len() {
            0 => Ok(()),
            left => Err(format!("wanted the end, found {left} more bytes").into()),
        }
    }

    /// The next list, which must be as long as `list`, into it.
    pub(crate) fn fill<T: Pod>(&mut self, list: &mut [T]) -> Result<(), ReduceError> {
        let count = self.number()?;
        // A list of another length belongs to another layout of panels.
        if count != list.len() as u64 {
            return Err(format!("wanted a list of {} numbers, found {count}", list.len()).into());
        }
        let bytes = self.take(count, size_of::<T>())?;
        copy(bytes, list);
        Ok(())
    }

    fn all<T: Pod>(&mut self) -> Result<Vec<T>, ReduceError> {
        let count = self.number()?;
        let bytes = self.take(count, size_of::<T>())?;
        let mut list = vec![T::zeroed(); bytes.len() / size_of::<T>()];
        copy(bytes, &mut list);
        Ok(list)
    }

    fn take(&mut self, count: u64, size: usize) -> Result<&'a [u8], ReduceError> {
        // The count comes from a file, so the product is checked before any memory is taken.
        let wanted = usize::try_from(count).ok().and_then(|count| count.checked_mul(size));
        let taken = wanted.and_then(|wanted| self.bytes.split_at_checked(wanted));
        let (bytes, rest) = taken.ok_or_else(|| self.too_short(count.saturating_mul(size as u64)))?;
        self.bytes = rest;
        Ok(bytes)
    }

    fn too_short(&self, wanted: u64) -> ReduceError {
        format!("wanted {wanted} more bytes, found {}", self.bytes.len()).into()
    }
}

/// Numbers out of as many bytes as they have.
fn copy<T: Pod>(bytes: &[u8], list: &mut [T]) {
    let target: &mut [u8] = bytemuck::cast_slice_mut(list);
    target.copy_from_slice(bytes);
    swap_on_big_endian(size_of::<T>(), target);
}

fn swap_on_big_endian(size: usize, bytes: &mut [u8]) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_comes_back() {
        let mut out = Saver::default();
        out.number(7);
        out.float(-0.0);
        out.list(&[1i16, -2]);
        out.list_u128(&[u128::MAX]);
        out.text("µ");
        let mut from = Loader::new(&out.bytes);
        assert_eq!((from.number().unwrap(), from.float().unwrap().to_bits()), (7, (-0.0f64).to_bits()));
        assert_eq!(from.list::<i16>().unwrap(), [1, -2]);
        assert_eq!(from.list_u128().unwrap(), [u128::MAX]);
        assert_eq!(from.text().unwrap(), "µ");
        assert!(from.end().is_ok() && from.number().is_err());
    }

    #[test]
    fn lengths_that_are_not_there_are_refused() {
        for count in [2, u64::MAX, 1 << 61] {
            let bytes = [&count.to_le_bytes()[..], &[0; 9]].concat();
            let error = Loader::new(&bytes).list::<u64>().unwrap_err().to_string();
            assert!(error.ends_with("more bytes, found 9"), "{error}");
            let error = Loader::new(&bytes).fill(&mut [0u64; 2]).unwrap_err().to_string();
            let wanted = if count == 2 { "more bytes, found 9" } else { "wanted a list of 2 numbers" };
            assert!(error.contains(wanted), "{error}");
        }
        assert!(Loader::new(&9u64.to_le_bytes()).at_most(8).is_err());
    }
}
