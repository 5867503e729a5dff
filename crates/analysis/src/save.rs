//! Numbers as bytes, so that a partial result can leave its process: little-endian, each list with its length.

use std::fmt;
use std::io::Read;

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
///
/// The numbers go from the file into the partial result, without a copy of the file in memory: a merge then holds two partial results,
/// and nothing else of their size.
pub struct Loader<'a> {
    from: &'a mut (dyn Read + 'a),
    left: usize,
    events: u64,
    longest: &'a [usize],
}

/// Leaves the bytes out, which cannot be looked at without taking them.
impl fmt::Debug for Loader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader").field("left", &self.left).finish_non_exhaustive()
    }
}

impl<'a> Loader<'a> {
    /// Loads from a reader that has at least `left` bytes, and takes no more than these.
    pub(crate) fn new(from: &'a mut (dyn Read + 'a), left: usize) -> Loader<'a> {
        Loader { from, left, events: 0, longest: &[] }
    }

    /// The bytes of the next [`Saver::sized`], read as a partial result of at most `events` events, whose panels have
    /// at most `longest` pixels. The caller loads all of them, or loads nothing else.
    ///
    /// # Errors
    /// If fewer bytes are left than there should be.
    pub(crate) fn sized<'b>(
        &'b mut self,
        events: u64,
        longest: &'b [usize],
    ) -> Result<Loader<'b>, ReduceError> {
        let count = self.number()?;
        let left = self.take(count, 1)?;
        Ok(Loader { from: &mut *self.from, left, events, longest })
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
        let mut bytes = [0; 8];
        self.take(1, bytes.len())?;
        self.from.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
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
        if count <= self.left { Ok(()) } else { Err(self.too_short(count as u64)) }
    }

    /// # Errors
    /// If there are bytes left.
    pub(crate) fn end(&self) -> Result<(), ReduceError> {
        match self.left {
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
        self.take(count, size_of::<T>())?;
        self.copy(list)
    }

    fn all<T: Pod>(&mut self) -> Result<Vec<T>, ReduceError> {
        let count = self.number()?;
        let mut list = vec![T::zeroed(); self.take(count, size_of::<T>())? / size_of::<T>()];
        self.copy(&mut list)?;
        Ok(list)
    }

    /// Takes room for `count` numbers of `size` bytes from the bytes that are left, and returns how many bytes these are.
    fn take(&mut self, count: u64, size: usize) -> Result<usize, ReduceError> {
        // The count comes from a file, so the product is checked before any memory is taken.
        let wanted = usize::try_from(count).ok().and_then(|count| count.checked_mul(size));
        let rest = wanted.and_then(|wanted| Some((wanted, self.left.checked_sub(wanted)?)));
        let (wanted, left) = rest.ok_or_else(|| self.too_short(count.saturating_mul(size as u64)))?;
        self.left = left;
        Ok(wanted)
    }

    /// Numbers out of as many bytes as they have.
    fn copy<T: Pod>(&mut self, list: &mut [T]) -> Result<(), ReduceError> {
        let target: &mut [u8] = bytemuck::cast_slice_mut(list);
        self.from.read_exact(target)?;
        swap_on_big_endian(size_of::<T>(), target);
        Ok(())
    }

    fn too_short(&self, wanted: u64) -> ReduceError {
        format!("wanted {wanted} more bytes, found {}", self.left).into()
    }
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
        let mut bytes = &out.bytes[..];
        let mut from = Loader::new(&mut bytes, out.bytes.len());
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
            let error = Loader::new(&mut &bytes[..], bytes.len()).list::<u64>().unwrap_err().to_string();
            assert!(error.ends_with("more bytes, found 9"), "{error}");
            let error =
                Loader::new(&mut &bytes[..], bytes.len()).fill(&mut [0u64; 2]).unwrap_err().to_string();
            let wanted = if count == 2 { "more bytes, found 9" } else { "wanted a list of 2 numbers" };
            assert!(error.contains(wanted), "{error}");
        }
        assert!(Loader::new(&mut &9u64.to_le_bytes()[..], 8).at_most(8).is_err());
    }
}
