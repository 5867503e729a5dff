//! Frames of one source, each with the one before as its reference, and key frames without.

use super::{Blockpack, Header, Reference};
use crate::{Array, Codec, CodecError, DType};

/// Encodes frames as differences to the frame before.
///
/// ```
/// use livetime_codecs::{Array, Blockpack, Codec, DType, SequenceDecoder, SequenceEncoder};
/// let mut encoder = SequenceEncoder::new(Blockpack::new(), 64);
/// let mut decoder = SequenceDecoder::new(Blockpack::new());
/// let (mut packed, mut back) = (vec![0; 1000], vec![0; 500]);
/// for number in 0..3u8 {
///     let frame = vec![number; 500];
///     let size = encoder.encode(Array::new(&frame, DType::U8, &[500])?, &mut packed)?;
///     decoder.decode(&packed[..size], DType::U8, &mut back)?;
///     assert_eq!(back, frame);
/// }
/// # Ok::<(), livetime_codecs::CodecError>(())
/// ```
#[derive(Debug)]
pub struct SequenceEncoder {
    codec: Blockpack,
    key_every: u64,
    /// Frames since the last key frame, that one included.
    since_key: u64,
    previous: Vec<u8>,
}

impl SequenceEncoder {
    /// Every `key_every`-th frame can be decoded alone; 0 counts as 1.
    pub fn new(codec: Blockpack, key_every: u64) -> SequenceEncoder {
        SequenceEncoder { codec, key_every: key_every.max(1), since_key: 0, previous: Vec::new() }
    }

    /// Bytes of output that are always enough.
    pub fn bound(&self, input_bytes: usize) -> usize {
        self.codec.bound(input_bytes)
    }

    /// Encodes the next frame. One of another size than the one before becomes a key frame.
    ///
    /// # Errors
    /// The errors of [`Codec::encode`].
    pub fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        let alike = self.previous.len() == input.data().len();
        let key = self.since_key == 0 || self.since_key >= self.key_every || !alike;
        let reference = (!key).then(|| Reference::by_content(&self.previous));
        let size = self.codec.encode_with(input, reference, output)?;
        self.since_key = if key { 1 } else { self.since_key + 1 };
        remember(&mut self.previous, input.data());
        Ok(size)
    }
}

/// Decodes the streams of a [`SequenceEncoder`], from any key frame on.
#[derive(Debug)]
pub struct SequenceDecoder {
    codec: Blockpack,
    previous: Option<Vec<u8>>,
}

impl SequenceDecoder {
    /// A decoder that waits for a key frame.
    pub fn new(codec: Blockpack) -> SequenceDecoder {
        SequenceDecoder { codec, previous: None }
    }

    /// Decodes the next frame.
    ///
    /// # Errors
    /// The errors of [`Codec::decode`]; [`CodecError::Reference`] if the frame before is missing. The next key frame is
    /// decoded again.
    pub fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        let needs = Header::read(stream)?.reference().is_some();
        let previous = self.previous.as_deref().filter(|_| needs);
        self.codec.decode_with(stream, dtype, previous.map(Reference::by_content), output)?;
        remember(self.previous.get_or_insert_default(), output);
        Ok(())
    }
}

fn remember(previous: &mut Vec<u8>, frame: &[u8]) {
    previous.clear();
    previous.extend_from_slice(frame);
}
