//! Where the chunks of a growing data set are: HDF5's extensible array, written front to back.
//!
//! The first 4 places are in the index block, the next 240 in six data blocks that it names. All others are in data blocks named by
//! super blocks; number `u` of all super blocks names `2^(u/2)` data blocks of `16 * 2^((u+1)/2)` places. A data block of more than
//! one page is written whole when its first place is taken, and page by page from then on. What is rewritten is thus at most
//! [`PAGE`] places long.

use super::super::bytes::{Bytes, NOWHERE};
use super::space::{Out, Space};
use crate::Result;

/// Bits of the number of a chunk.
const BITS: u8 = 32;
const DIRECT: usize = 4;
const MIN_POINTERS: u8 = 4;
const MIN_PLACES: u64 = 16;
const PAGE_BITS: u8 = 7;
/// Places of a page. A page of ours is shorter than one of memory, so that a killed program has written all of it or nothing.
const PAGE: u64 = 1 << PAGE_BITS;
/// Data blocks that the index block names, and the super blocks that they stand for.
const NAMED: usize = 6;
const NAMED_SUPER: u32 = 4;
const SUPER: usize = 25;
/// Bytes of head and checksum of a data block.
const BLOCK_HEAD: u64 = 18;

/// As the layout message of a data set has them.
pub(super) const PARAMETERS: [u8; 5] = [BITS, DIRECT as u8, MIN_POINTERS, MIN_PLACES as u8, PAGE_BITS];

/// Where a chunk is, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) at: u64,
    pub(super) bytes: u64,
}

const NO_CHUNK: Chunk = Chunk { at: NOWHERE, bytes: 0 };

/// How many bytes the length of a compressed chunk takes that has `chunk_bytes` before.
pub(super) fn length_bytes(chunk_bytes: u64) -> usize {
    let bits = chunk_bytes.max(1).ilog2() as usize;
    (1 + (bits + 8) / 8).min(8)
}

/// The place of a chunk; `length_bytes` for compressed ones.
pub(super) fn put_chunk(out: &mut Bytes, chunk: &Chunk, length_bytes: Option<usize>) {
    out.u64(chunk.at);
    if let Some(bytes) = length_bytes {
        out.uint(chunk.bytes, bytes);
        // All filters were applied.
        out.u32(0);
    }
}

/// The index of one data set.
pub(super) struct Index {
    /// For compressed chunks: how many bytes their length takes.
    length_bytes: Option<usize>,
    head_at: u64,
    block_at: u64,
    direct: [Chunk; DIRECT],
    named: [u64; NAMED],
    supers: [u64; SUPER],
    count: u64,
    super_block: Option<SuperBlock>,
    block: Option<Block>,
    made: Made,
    dirty: Dirty,
}

/// What the head counts.
#[derive(Default)]
struct Made {
    supers: u64,
    super_bytes: u64,
    blocks: u64,
    block_bytes: u64,
    places: u64,
}

#[derive(Default)]
struct Dirty {
    head: bool,
    index_block: bool,
    super_block: bool,
    page: bool,
}

struct SuperBlock {
    at: u64,
    number: u32,
    blocks: Vec<u64>,
}

/// The data block that is being filled.
struct Block {
    at: u64,
    /// Number of its first place, counted behind the direct ones.
    first: u64,
    places: u64,
    /// First place of the page in memory, within the block.
    page: u64,
    chunks: Vec<Chunk>,
}

impl Block {
    fn is_paged(&self) -> bool {
        self.places > PAGE
    }
}

impl Index {
    /// For chunks of `chunk_bytes` before compression; `is_filtered`: they are compressed.
    pub(super) fn new(chunk_bytes: u64, is_filtered: bool, space: &Space) -> Index {
        let mut index = Index {
            length_bytes: is_filtered.then(|| length_bytes(chunk_bytes)),
            head_at: 0,
            block_at: 0,
            direct: [NO_CHUNK; DIRECT],
            named: [NOWHERE; NAMED],
            supers: [NOWHERE; SUPER],
            count: 0,
            super_block: None,
            block: None,
            made: Made { places: DIRECT as u64, ..Made::default() },
            dirty: Dirty { head: true, index_block: true, ..Dirty::default() },
        };
        index.head_at = space.take_whole(index.head().len() as u64);
        index.block_at = space.take_whole(index.index_block().len() as u64);
        index
    }

    /// Where the head is.
    pub(super) fn at(&self) -> u64 {
        self.head_at
    }

    /// Enters a chunk as the next one, or instead of the last one.
    pub(super) fn set(&mut self, number: u64, chunk: Chunk, space: &Space, out: &Out) -> Result<()> {
        if let Some(direct) = self.direct.get_mut(number as usize) {
            *direct = chunk;
            self.dirty.index_block = true;
        } else {
            self.set_in_block(number - DIRECT as u64, chunk, space, out)?;
        }
        self.count = self.count.max(number + 1);
        self.dirty.head = true;
        Ok(())
    }

    fn set_in_block(&mut self, place: u64, chunk: Chunk, space: &Space, out: &Out) -> Result<()> {
        let is_here = |b: &Block| (b.first..b.first + b.places).contains(&place);
        if !self.block.as_ref().is_some_and(is_here) {
            self.new_block(place, space, out)?;
        }
        let Some(block) = &mut self.block else { return Ok(()) };
        let within = place - block.first;
        if block.is_paged() && within / PAGE != block.page / PAGE {
            self.write_page(out)?;
            self.turn_page(within / PAGE * PAGE);
        }
        if let Some(block) = &mut self.block {
            block.chunks[(within - block.page) as usize] = chunk;
            self.dirty.page = true;
        }
        Ok(())
    }

    fn turn_page(&mut self, page: u64) {
        if let Some(block) = &mut self.block {
            block.page = page;
            block.chunks.fill(NO_CHUNK);
        }
    }

    fn new_block(&mut self, place: u64, space: &Space, out: &Out) -> Result<()> {
        self.write_page(out)?;
        let number = (place / MIN_PLACES + 1).ilog2();
        let start = MIN_PLACES * ((1 << number) - 1);
        let places = MIN_PLACES << number.div_ceil(2);
        let within = ((place - start) / places) as usize;
        let chunks = vec![NO_CHUNK; places.min(PAGE) as usize];
        let first = start + within as u64 * places;
        let mut block = Block { at: 0, first, places, page: 0, chunks };
        let bytes = self.write_new(&mut block, space, out)?;
        self.made.blocks += 1;
        self.made.block_bytes += bytes;
        self.made.places += places;
        if number < NAMED_SUPER {
            // One, one, two and two blocks.
            self.named[[0, 1, 2, 4][number as usize] + within] = block.at;
            self.dirty.index_block = true;
        } else {
            self.name_in_super(number, within, block.at, space, out)?;
        }
        self.block = Some(block);
        Ok(())
    }

    fn name_in_super(&mut self, number: u32, within: usize, at: u64, space: &Space, out: &Out) -> Result<()> {
        if self.super_block.as_ref().is_none_or(|s| s.number != number) {
            self.write_super(out)?;
            let mut block = SuperBlock { at: 0, number, blocks: vec![NOWHERE; 1 << (number / 2)] };
            let bytes = self.super_bytes(&block).len() as u64;
            block.at = space.take_whole(bytes);
            self.made.supers += 1;
            self.made.super_bytes += bytes;
            self.supers[(number - NAMED_SUPER) as usize] = block.at;
            self.dirty.index_block = true;
            self.super_block = Some(block);
        }
        if let Some(block) = &mut self.super_block {
            block.blocks[within] = at;
            self.dirty.super_block = true;
        }
        Ok(())
    }

    /// Writes what has changed, from the leaves to the head, so that a reader never comes to a place that is not written.
    pub(super) fn write(&mut self, out: &Out) -> Result<()> {
        self.write_page(out)?;
        self.write_super(out)?;
        if self.dirty.index_block {
            out.write(&self.index_block(), self.block_at)?;
            self.dirty.index_block = false;
        }
        if self.dirty.head {
            out.write(&self.head(), self.head_at)?;
            self.dirty.head = false;
        }
        Ok(())
    }

    fn write_page(&mut self, out: &Out) -> Result<()> {
        let Some(block) = self.block.as_ref().filter(|_| self.dirty.page) else { return Ok(()) };
        if block.is_paged() {
            let at = block.at + BLOCK_HEAD + 4 + block.page / PAGE * self.page_bytes();
            out.write(&self.page(&block.chunks), at)?;
        } else {
            out.write(&self.whole_block(block), block.at)?;
        }
        self.dirty.page = false;
        Ok(())
    }

    fn write_super(&mut self, out: &Out) -> Result<()> {
        let Some(block) = self.super_block.as_ref().filter(|_| self.dirty.super_block) else { return Ok(()) };
        out.write(&self.super_bytes(block), block.at)?;
        self.dirty.super_block = false;
        Ok(())
    }

    /// Takes space for a block and writes it with places that lead nowhere; its length.
    fn write_new(&self, block: &mut Block, space: &Space, out: &Out) -> Result<u64> {
        let bytes = match block.is_paged() {
            false => self.whole_block(block),
            true => {
                let mut bytes = self.block_head(block).checked();
                let page = self.page(&vec![NO_CHUNK; PAGE as usize]);
                (0..block.places / PAGE).for_each(|_| bytes.extend_from_slice(&page));
                bytes
            }
        };
        block.at = space.take_whole(bytes.len() as u64);
        out.write(&bytes, block.at)?;
        Ok(bytes.len() as u64)
    }

    fn place_bytes(&self) -> usize {
        8 + self.length_bytes.map_or(0, |bytes| bytes + 4)
    }

    fn page_bytes(&self) -> u64 {
        PAGE * self.place_bytes() as u64 + 4
    }

    fn put_chunk(&self, out: &mut Bytes, chunk: &Chunk) {
        put_chunk(out, chunk, self.length_bytes);
    }

    fn begin(&self, signature: &[u8; 4]) -> Bytes {
        let mut out = Bytes::default();
        out.put(signature);
        out.put(&[0, u8::from(self.length_bytes.is_some())]);
        out
    }

    fn head(&self) -> Vec<u8> {
        let mut out = self.begin(b"EAHD");
        out.u8(self.place_bytes() as u8);
        // The head has them in another order than the layout message.
        out.put(&[BITS, DIRECT as u8, MIN_PLACES as u8, MIN_POINTERS, PAGE_BITS]);
        let made = &self.made;
        for number in [made.supers, made.super_bytes, made.blocks, made.block_bytes, self.count, made.places]
        {
            out.u64(number);
        }
        out.u64(self.block_at);
        out.checked()
    }

    fn index_block(&self) -> Vec<u8> {
        let mut out = self.begin(b"EAIB");
        out.u64(self.head_at);
        self.direct.iter().for_each(|chunk| self.put_chunk(&mut out, chunk));
        self.named.iter().chain(&self.supers).for_each(|at| out.u64(*at));
        out.checked()
    }

    fn super_bytes(&self, block: &SuperBlock) -> Vec<u8> {
        let mut out = self.begin(b"EASB");
        out.u64(self.head_at);
        out.u32((MIN_PLACES * ((1 << block.number) - 1)) as u32);
        let places = MIN_PLACES << block.number.div_ceil(2);
        if places > PAGE {
            // Every page is written together with its block.
            let pages = (places / PAGE) as usize;
            out.put(&vec![0xff; block.blocks.len() * pages.div_ceil(8)]);
        }
        block.blocks.iter().for_each(|at| out.u64(*at));
        out.checked()
    }

    fn block_head(&self, block: &Block) -> Bytes {
        let mut out = self.begin(b"EADB");
        out.u64(self.head_at);
        out.u32(block.first as u32);
        out
    }

    fn whole_block(&self, block: &Block) -> Vec<u8> {
        let mut out = self.block_head(block);
        block.chunks.iter().for_each(|chunk| self.put_chunk(&mut out, chunk));
        out.checked()
    }

    fn page(&self, chunks: &[Chunk]) -> Vec<u8> {
        let mut out = Bytes::default();
        chunks.iter().for_each(|chunk| self.put_chunk(&mut out, chunk));
        out.checked()
    }
}
