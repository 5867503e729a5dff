//! Reading and writing numbers at the start of a slice that becomes shorter.

use crate::{Codec, CodecError};

/// Fails unless `output` has as many bytes as the codec may need.
pub(crate) fn check_room(codec: &dyn Codec, input: usize, output: usize) -> Result<(), CodecError> {
    let wanted = codec.bound(input);
    if output >= wanted {
        return Ok(());
    }
    Err(CodecError::Room { codec: codec.name(), wanted, found: output })
}

/// Fails unless the codec takes the type.
pub(crate) fn check_dtype(codec: &dyn Codec, dtype: crate::DType) -> Result<(), CodecError> {
    if codec.supports(dtype) { Ok(()) } else { Err(CodecError::DType { codec: codec.name(), dtype }) }
}

/// A stream that is read from start to end.
pub(crate) struct Reader<'a> {
    codec: &'static str,
    stream: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(codec: &'static str, stream: &'a [u8]) -> Reader<'a> {
        Reader { codec, stream, at: 0 }
    }

    /// The same stream from byte `at` on.
    pub(crate) fn from(&self, at: usize, what: &'static str) -> Result<Reader<'a>, CodecError> {
        if at > self.stream.len() {
            return Err(self.damaged(what, self.stream.len() as u64, at as u64));
        }
        Ok(Reader { at, ..*self })
    }

    /// The byte that is read next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn left(&self) -> usize {
        self.stream.len() - self.at
    }

    pub(crate) fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], CodecError> {
        let found = self.stream.get(self.at..).and_then(|rest| rest.get(..count));
        let found = found.ok_or_else(|| self.damaged(what, count as u64, self.left() as u64))?;
        self.at += count;
        Ok(found)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], CodecError> {
        // `take` gives exactly this many bytes, so the zeros never occur.
        Ok(self.take(N, what)?.first_chunk().copied().unwrap_or([0; N]))
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, CodecError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, CodecError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, CodecError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, CodecError> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// Fails unless two numbers are equal.
    pub(crate) fn expect(&self, what: &'static str, wanted: u64, found: u64) -> Result<(), CodecError> {
        if wanted == found { Ok(()) } else { Err(self.damaged(what, wanted, found)) }
    }

    /// The error that something before here is wrong.
    pub(crate) fn damaged(&self, what: &'static str, wanted: u64, found: u64) -> CodecError {
        CodecError::Damaged { codec: self.codec, what, wanted, found, at: self.at }
    }
}

/// A stream that is written from start to end into memory that is large enough, which the codec has checked.
pub(crate) struct Writer<'a> {
    output: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(output: &'a mut [u8]) -> Writer<'a> {
        Writer { output, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.output[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Writes at a place that was left out.
    pub(crate) fn put_at(&mut self, at: usize, bytes: &[u8]) {
        self.output[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// The first bytes of the stream.
    pub(crate) fn before(&self, at: usize) -> &[u8] {
        &self.output[..at]
    }

    /// The part that has not been written.
    pub(crate) fn rest(&mut self) -> &mut [u8] {
        &mut self.output[self.at..]
    }

    /// Goes over bytes that have been written by way of [`Writer::rest`], or are written later.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at += count;
    }
}
