//! Something encoded once and sent many times.

use std::sync::Arc;

use bytes::Bytes;

/// Encoded bytes in pieces: large arrays are the caller's own memory, everything between is gathered.
///
/// A clone costs one or two reference counts. So one update goes to any number of subscribers, each with a head
/// of its own.
#[derive(Clone, Debug, Default)]
pub struct Encoded {
    first: Bytes,
    rest: Option<Arc<[Bytes]>>,
    len: usize,
}

impl Encoded {
    /// The non-empty ones of `chunks`, in order.
    pub(super) fn from_chunks(chunks: Vec<Bytes>) -> Encoded {
        let len = chunks.iter().map(Bytes::len).sum();
        let mut chunks = chunks.into_iter().filter(|chunk| !chunk.is_empty());
        let first = chunks.next().unwrap_or_default();
        let rest: Vec<Bytes> = chunks.collect();
        Encoded { first, rest: (!rest.is_empty()).then(|| rest.into()), len }
    }

    /// The pieces in order.
    pub fn chunks(&self) -> impl Iterator<Item = &Bytes> {
        let first = (!self.first.is_empty()).then_some(&self.first);
        first.into_iter().chain(self.rest.iter().flat_map(|rest| rest.iter()))
    }

    /// How many pieces there are.
    pub fn pieces(&self) -> usize {
        usize::from(!self.first.is_empty()) + self.rest.as_ref().map_or(0, |rest| rest.len())
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Everything in one piece; copied if there are several.
    pub fn to_bytes(&self) -> Bytes {
        if self.rest.is_none() {
            return self.first.clone();
        }
        self.chunks().flatten().copied().collect()
    }
}

impl From<Bytes> for Encoded {
    fn from(first: Bytes) -> Encoded {
        Encoded { len: first.len(), first, rest: None }
    }
}
