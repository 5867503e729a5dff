//! Chunks that other threads write.

use std::sync::Arc;

use super::index::Chunk;
use super::space::{Out, Space};
use crate::Result;

/// Writes chunks of one row into the file of a [`Writer`](super::Writer), on any thread. No reader sees them before the writer
/// has [entered](super::Writer::enter) them and has flushed, so that it alone decides about their order.
///
/// ```
/// use livetime_formats::hdf5::{Element, Growing, Tree, Writer};
/// use livetime_frame::DType;
///
/// let folder = tempfile::tempdir().unwrap();
/// let mut tree = Tree::default();
/// let pictures = Growing { element: Element::Number(DType::U16), row: &[2, 3], chunk: 1, part: &[], filter: None };
/// let (_, pictures) = tree.growing(Tree::ROOT, "data", pictures, vec![]);
/// let mut file = Writer::create(&folder.path().join("run.h5"), tree, false)?;
/// let hands = [file.hand(), file.hand()];
/// let threads = hands.map(|hand| std::thread::spawn(move || hand.write(&[&[7; 12]])));
/// for thread in threads {
///     file.enter(pictures, thread.join().unwrap()?)?;
/// }
/// file.close()?;
/// assert_eq!(file.rows(pictures), 2);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone)]
pub struct Hand {
    space: Space,
    out: Arc<Out>,
}

/// A chunk that is in the file, and that no index names yet.
#[derive(Debug)]
#[must_use = "no reader finds a chunk that is not entered"]
pub struct Written(pub(super) Chunk);

impl Hand {
    pub(super) fn new(space: Space, out: Arc<Out>) -> Hand {
        Hand { space, out }
    }

    /// Takes room behind everything else and writes `parts` there, behind one another.
    ///
    /// # Errors
    /// If the system refuses; the room is free again then.
    pub fn write(&self, parts: &[&[u8]]) -> Result<Written> {
        let bytes = parts.iter().map(|part| part.len() as u64).sum();
        let taken = self.space.take(bytes);
        let written = self.out.write_parts(parts, taken.at);
        written.inspect_err(|_| self.space.give_back(taken, &self.out))?;
        Ok(Written(Chunk { at: taken.at, bytes }))
    }
}
