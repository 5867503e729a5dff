//! Writing: a tree that is known when the file is made, data sets that grow while others read them.

mod grid;
mod hand;
mod header;
mod heap;
mod index;
mod plan;
mod space;
mod stream;
mod tree;

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::Arc;

pub use hand::{Hand, Written};
pub use tree::{Attribute, Grid, GridId, Growing, LateId, Mapping, NodeId, Part, Rows, StreamId, Tree};

use super::checksum::set_bytes;
use super::superblock::{Mark, Superblock};
use crate::{Error, Result};
use plan::{Fixed, Late, LateHead, Plan, plan};
use space::{Out, Space};
use stream::Stream;

/// A file that is being written, in the order of SWMR (single writer, multiple readers): a reader that opens it with
/// `swmr=True` sees at every moment the data that the last [`Writer::flush`] has finished, and so it is after a kill.
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
/// file.write_row(pictures, &[7; 12])?;
/// file.flush()?;
/// file.close()?;
/// # Ok::<(), livetime_formats::Error>(())
/// ```
pub struct Writer {
    out: Arc<Out>,
    space: Space,
    streams: Vec<Stream>,
    grids: Vec<grid::Grid>,
    fixed: Vec<Fixed>,
    late: Vec<Late>,
    heads: Vec<(u64, Vec<u8>)>,
    root: u64,
    /// The end that the superblock says.
    told: u64,
    is_open: bool,
}

impl Writer {
    /// Creates the file `path` for `tree`.
    ///
    /// # Errors
    /// If there is one and it must not be replaced, the system refuses, or a name or an attribute is longer than HDF5 allows.
    pub fn create(path: &Path, tree: Tree, replace: bool) -> Result<Writer> {
        let mut options = OpenOptions::new();
        let file = match replace {
            true => options.read(true).write(true).create(true).truncate(true).open(path),
            // A name that is taken is refused by the system itself, so that no other program can come
            // between.
            false => options.read(true).write(true).create_new(true).open(path),
        };
        let file = file.map_err(|e| Error::io("to create the file", e).in_file(path))?;
        Writer::begin(file, path, &tree)
    }

    /// Writes `tree` into an empty file, which must be open for reading, too.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn begin(file: File, path: &Path, tree: &Tree) -> Result<Writer> {
        let out = Arc::new(Out::new(file, path));
        let space = Space::behind(Superblock::BYTES);
        let plan = plan(tree, &space)?;
        for (at, bytes) in &plan.pieces {
            out.write(bytes, *at)?;
        }
        let Plan { streams, grids, fixed, late, heads, root, .. } = plan;
        let mut writer =
            Writer { out, space, streams, grids, fixed, late, heads, root, told: 0, is_open: true };
        // Even an empty file is whole from its begin on.
        writer.flush_all()?;
        Ok(writer)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.out.path()
    }

    /// Bytes that are taken in the file.
    pub fn bytes(&self) -> u64 {
        self.space.end()
    }

    /// Rows that were written, whether readers see them or not.
    pub fn rows(&self, stream: StreamId) -> u64 {
        self.streams[stream.0].rows()
    }

    /// Writes the next row of a data set without filter, from where it lies.
    ///
    /// # Errors
    /// If the system refuses, or the row has another size; nothing was added then.
    pub fn write_row(&mut self, stream: StreamId, row: &[u8]) -> Result<()> {
        self.streams[stream.0].write_row(row, &self.space, &self.out)
    }

    /// Writes a compressed chunk that holds `rows` rows from the begin of chunk number `chunk` on: the next chunk, or the last one again
    /// with more rows.
    ///
    /// # Errors
    /// If the system refuses, or it is another chunk; nothing was added then.
    pub fn write_chunk(&mut self, stream: StreamId, chunk: u64, rows: u64, parts: &[&[u8]]) -> Result<()> {
        self.streams[stream.0].write_chunk(chunk, rows, parts, &self.space, &self.out)
    }

    /// Writes the chunks of a data set whose chunks hold parts of rows: all chunks of layer number `layer`, which hold
    /// `rows` rows from its begin on. It is the next layer, or the last one again with more rows. `chunks` are their
    /// bytes in the order of the axes, and the end of each; bytes beyond the rows may be anything.
    ///
    /// # Errors
    /// If the system refuses, or it is another layer or number of chunks; nothing was added then.
    pub fn write_layer(
        &mut self,
        stream: StreamId,
        layer: u64,
        rows: u64,
        chunks: (&[u8], &[usize]),
    ) -> Result<()> {
        self.streams[stream.0].write_layer(layer, rows, chunks, &self.space, &self.out)
    }

    /// Takes rows back: cuts each of these data sets to the given number of rows; the next row takes the place behind
    /// them. Readers see it at once, first at the last data set of the tree. The room of the removed rows is not given
    /// back, because readers may still use it.
    ///
    /// # Errors
    /// If one has fewer rows, or the system refuses to read or write the necessary bytes; no row is removed then. If
    /// only the lengths cannot be written, the next flush does that.
    pub fn take_back(&mut self, lengths: &[(StreamId, u64)]) -> Result<()> {
        // All lengths are checked before one of them is changed.
        for (stream, rows) in lengths {
            let found = self.rows(*stream);
            if *rows > found {
                let wanted = format!("at most the {found} rows that there are");
                return Err(Error::new(wanted, format!("{rows}")).in_file(self.path()));
            }
        }
        // Rows in memory are written first, because the index must know the chunk of the last row.
        self.flush()?;
        let find = |(stream, rows): &(StreamId, u64)| self.streams[stream.0].last_chunk(*rows, &self.out);
        let chunks: Vec<Option<u64>> = lengths.iter().map(find).collect::<Result<_>>()?;
        for ((stream, rows), chunk) in lengths.iter().zip(chunks) {
            self.streams[stream.0].take_back(*rows, chunk);
        }
        // The next flush writes the headers again if this fails.
        let _ = stream::write_shorter_heads(&mut self.streams, &self.out);
        Ok(())
    }

    /// The hand with which other threads write chunks, which [`Writer::enter`] then makes part of a data set.
    pub fn hand(&self) -> Hand {
        Hand::new(self.space.clone(), self.out.clone())
    }

    /// Enters a row that another thread has written as the next row of a data set with chunks of one row.
    ///
    /// # Errors
    /// If the data set has other chunks, or the system refuses; nothing was added then.
    pub fn enter(&mut self, stream: StreamId, written: Written) -> Result<()> {
        self.streams[stream.0].enter(written.0, &self.space, &self.out)
    }

    /// Gives back the room on the disk of a row that another thread has written and that will not be entered.
    pub fn discard(&self, written: Written) {
        self.out.free(written.0.at, written.0.bytes);
    }

    /// Writes a row, or a compressed chunk of one row, at a place of a grid; whether there was one before.
    ///
    /// # Errors
    /// If the place is outside, the row has another size, or the system refuses; nothing was added then.
    pub fn write_at(&mut self, grid: GridId, place: &[u64], parts: &[&[u8]]) -> Result<bool> {
        let written = self.grids[grid.0].write(place, parts, &self.space, &self.out);
        written.map_err(|e| e.in_file(self.out.path()))
    }

    /// Adds a row of a data set without filter, which is written together with others by [`Writer::write_out`] or [`Writer::flush`].
    pub fn push(&mut self, stream: StreamId, row: &[u8]) {
        self.streams[stream.0].push(row);
    }

    /// Makes sure that the disk has room for a further row of the data sets to which rows are pushed, so that rows in
    /// memory can be written. To be called before a step that cannot be undone.
    ///
    /// # Errors
    /// If the disk is full, or the system refuses.
    pub fn reserve(&mut self, streams: &[StreamId]) -> Result<()> {
        let (space, out) = (&self.space, &self.out);
        streams.iter().try_for_each(|stream| self.streams[stream.0].reserve(space, out))
    }

    /// Bytes of rows that are kept in memory.
    pub fn pending_bytes(&self) -> usize {
        self.streams.iter().map(Stream::pending_bytes).sum()
    }

    /// Writes the data of rows that are kept in memory; readers do not see them before the next flush.
    ///
    /// # Errors
    /// If the system refuses; the rows stay in memory.
    pub fn write_out(&mut self) -> Result<()> {
        let (space, out) = (&self.space, &self.out);
        self.streams.iter_mut().try_for_each(|stream| stream.write_pending(space, out))
    }

    /// Writes the data of a data set that keeps its shape anew.
    ///
    /// # Errors
    /// If it has another size, or the system refuses.
    pub fn rewrite(&mut self, node: NodeId, data: &[u8]) -> Result<()> {
        match self.fixed.iter().find(|fixed| fixed.node == node.0) {
            Some(fixed) if fixed.bytes == data.len() as u64 => self.out.write(data, fixed.at),
            fixed => {
                let wanted =
                    fixed.map_or("no fixed data set".into(), |fixed| format!("{} bytes", fixed.bytes));
                Err(Error::new(wanted, format!("{}", data.len())).in_file(self.path()))
            }
        }
    }

    /// Writes the value of an attribute anew.
    ///
    /// # Errors
    /// If it has another size, or the system refuses.
    pub fn rewrite_attribute(&mut self, attribute: LateId, data: &[u8]) -> Result<()> {
        let Late { head, at, bytes } = &self.late[attribute.0];
        if *bytes != data.len() {
            let wanted = format!("a value of {bytes} bytes");
            return Err(Error::new(wanted, format!("{}", data.len())).in_file(self.path()));
        }
        match *head {
            LateHead::Stream(stream) => self.streams[stream].rewrite_head(*at, data, &self.out),
            LateHead::Grid(grid) => self.grids[grid].rewrite_head(*at, data, &self.out),
            LateHead::Other(number) => {
                let (place, header) = &mut self.heads[number];
                set_bytes(header, *at, data);
                self.out.write(header, *place)
            }
        }
    }

    /// Shows readers everything that was written. The parts that a reader meets first are written last: data, indices,
    /// the end of the file, lengths in the order of the tree. Nothing is forced to the disk: see [`Writer::sync`].
    ///
    /// # Errors
    /// If the system refuses; it can be tried again, and no row is lost.
    pub fn flush(&mut self) -> Result<()> {
        self.write_out()?;
        // Without new rows a flush costs nothing.
        if self.streams.iter().any(Stream::is_new) || self.grids.iter().any(grid::Grid::is_new) {
            self.flush_all()?;
        }
        Ok(())
    }

    fn flush_all(&mut self) -> Result<()> {
        self.streams.iter_mut().try_for_each(|stream| stream.write_index(&self.out))?;
        self.grids.iter_mut().try_for_each(|grid| grid.write_index(&self.out))?;
        // The end of the file is written before the headers: readers refuse places behind it.
        self.tell_end(Mark::Growing)?;
        self.grids.iter_mut().try_for_each(|grid| grid.write_head(&self.out))?;
        stream::write_heads(&mut self.streams, &self.out)
    }

    fn tell_end(&mut self, mark: Mark) -> Result<()> {
        let end = self.space.end();
        // The end is written only when it has moved.
        if end == self.told && mark == Mark::Growing {
            return Ok(());
        }
        self.out.reach(end)?;
        let block = Superblock { mark, end, root: self.root };
        self.out.write(&block.bytes(), 0)?;
        self.told = end;
        Ok(())
    }

    /// Returns when everything is on the disk.
    ///
    /// # Errors
    /// If the system reports that it is not.
    pub fn sync(&self) -> Result<()> {
        let synced = self.out.file().sync_data();
        synced.map_err(|e| Error::io("to write to the disk", e).in_file(self.path()))
    }

    /// Shows everything and takes the mark away that says that the file is being written.
    ///
    /// # Errors
    /// If the system refuses; it can be tried again.
    pub fn close(&mut self) -> Result<()> {
        // Closing twice does nothing.
        if !self.is_open {
            return Ok(());
        }
        let flushed = self.flush();
        let flushed = flushed.and_then(|()| self.streams.iter_mut().try_for_each(|s| s.trim(&self.out)));
        // The flushed part is whole, and shall open everywhere.
        self.tell_end(Mark::Closed)?;
        // After a failure it can be tried again.
        self.is_open = flushed.is_err();
        flushed
    }
}
