//! Where the chunks of a growing data set are: HDF5's extensible array, written front to back. One page of it is in memory; an
//! earlier one is read again when rows are taken back.
//!
//! The first 4 places are in the index block, the next 240 in six data blocks that it names. All others are in data
//! blocks named by super blocks; number `u` of all super blocks names `2^(u/2)` data blocks of `16 * 2^((u+1)/2)`
//! places. A data block of more than one page is written whole when its first place is taken, and page by page from
//! then on. So at most [`PAGE`] places are rewritten at once.

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
/// The first of these blocks for each of the super blocks: one, one, two and two.
const NAMED_FIRST: [usize; NAMED_SUPER as usize] = [0, 1, 2, 4];
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
    // HDF5 stores a length with one byte more than the size of a plain chunk needs, because compression may
    // enlarge it.
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
    /// Chunks that there have ever been.
    count: u64,
    /// Behind the last one that there may be.
    used: u64,
    super_block: Option<SuperBlock>,
    block: Option<Block>,
    made: Made,
    dirty: Dirty,
}

/// The numbers that the head counts.
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

/// To which data block a place belongs.
struct Home {
    /// The number of its super block.
    number: u32,
    /// Which one of its data blocks.
    within: usize,
    places: u64,
    first: u64,
}

impl Home {
    fn of(place: u64) -> Home {
        let number = (place / MIN_PLACES + 1).ilog2();
        let start = MIN_PLACES * ((1 << number) - 1);
        let places = MIN_PLACES << number.div_ceil(2);
        let within = (place - start) / places;
        Home { number, within: within as usize, places, first: start + within * places }
    }
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
            used: 0,
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

    /// The chunk that was entered with this number; of one that is not compressed, only where it is.
    pub(super) fn get(&mut self, number: u64, out: &Out) -> Result<Chunk> {
        if let Some(direct) = self.direct.get(number as usize) {
            return Ok(*direct);
        }
        let place = number - DIRECT as u64;
        self.turn_to(place, out)?;
        let chunk = |b: &Block| b.chunks.get((place - b.first - b.page) as usize).copied();
        Ok(self.block.as_ref().and_then(chunk).unwrap_or(NO_CHUNK))
    }

    /// Takes all chunks from this number on out of the index.
    pub(super) fn cut(&mut self, from: u64, out: &Out) -> Result<()> {
        for number in from..self.count {
            match self.direct.get_mut(number as usize) {
                Some(direct) => {
                    *direct = NO_CHUNK;
                    self.dirty.index_block = true;
                }
                None => {
                    self.turn_to(number - DIRECT as u64, out)?;
                    self.put(number - DIRECT as u64, NO_CHUNK);
                }
            }
        }
        // The number of entered chunks stays: HDF5's index never becomes shorter.
        self.used = self.used.min(from);
        Ok(())
    }

    /// Enters a chunk as the next one, or instead of one that is there.
    pub(super) fn set(&mut self, number: u64, chunk: Chunk, space: &Space, out: &Out) -> Result<()> {
        if let Some(direct) = self.direct.get_mut(number as usize) {
            *direct = chunk;
            self.dirty.index_block = true;
        } else {
            self.set_in_block(number - DIRECT as u64, chunk, space, out)?;
        }
        self.count = self.count.max(number + 1);
        self.used = self.used.max(number + 1);
        self.dirty.head = true;
        Ok(())
    }

    /// Up to which number it may lead somewhere.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    fn set_in_block(&mut self, place: u64, chunk: Chunk, space: &Space, out: &Out) -> Result<()> {
        // A place behind the made blocks needs the next block.
        match place + DIRECT as u64 {
            number if number < self.made.places => self.turn_to(place, out)?,
            _ => self.new_block(place, space, out)?,
        }
        self.put(place, chunk);
        Ok(())
    }

    /// Enters a chunk into the page that is in memory.
    fn put(&mut self, place: u64, chunk: Chunk) {
        // `turn_to` or `new_block` has put the page into memory.
        let Some(block) = &mut self.block else { return };
        if let Some(known) = block.chunks.get_mut((place - block.first - block.page) as usize) {
            *known = chunk;
            self.dirty.page = true;
        }
    }

    /// Sees to it that the page with a place of a block that there is already is in memory.
    fn turn_to(&mut self, place: u64, out: &Out) -> Result<()> {
        let within = |b: &Block| place.checked_sub(b.first + b.page);
        if self.block.as_ref().is_some_and(|b| within(b).is_some_and(|n| n < b.chunks.len() as u64)) {
            return Ok(());
        }
        // Only one page is in memory, so the old one is written first.
        self.write_page(out)?;
        let Home { first, places, .. } = Home::of(place);
        let at = match &self.block {
            Some(block) if block.first == first => block.at,
            _ => self.block_of(place, out)?,
        };
        let count = places.min(PAGE);
        let page = (place - first) / count * count;
        let mut block = Block { at, first, places, page, chunks: vec![NO_CHUNK; count as usize] };
        // Behind the last chunk there is nothing to be read.
        if first + page + (DIRECT as u64) < self.count {
            self.read_page(&mut block, out)?;
        }
        self.block = Some(block);
        Ok(())
    }

    /// Where the block with a place is, which there is already.
    fn block_of(&self, place: u64, out: &Out) -> Result<u64> {
        let Home { number, within, places, .. } = Home::of(place);
        if number < NAMED_SUPER {
            return Ok(self.named[NAMED_FIRST[number as usize] + within]);
        }
        match &self.super_block {
            Some(block) if block.number == number => Ok(block.blocks[within]),
            _ => {
                let bits = pages_bytes(places) << (number / 2);
                let at = self.supers[(number - NAMED_SUPER) as usize] + BLOCK_HEAD + bits + 8 * within as u64;
                Ok(number_at(&out.read(at, 8)?, 0, 8))
            }
        }
    }

    fn read_page(&self, block: &mut Block, out: &Out) -> Result<()> {
        let bytes = self.place_bytes();
        let page = out.read(self.page_at(block), block.chunks.len() * bytes)?;
        for (chunk, place) in block.chunks.iter_mut().zip(page.chunks_exact(bytes)) {
            let length = self.length_bytes.map_or(0, |length| number_at(place, 8, length));
            *chunk = Chunk { at: number_at(place, 0, 8), bytes: length };
        }
        Ok(())
    }

    /// Where the page of a block that is in memory begins in the file.
    fn page_at(&self, block: &Block) -> u64 {
        match block.is_paged() {
            true => block.at + BLOCK_HEAD + 4 + block.page / PAGE * self.page_bytes(),
            false => block.at + BLOCK_HEAD,
        }
    }

    fn new_block(&mut self, place: u64, space: &Space, out: &Out) -> Result<()> {
        self.write_page(out)?;
        let Home { number, within, places, first } = Home::of(place);
        let chunks = vec![NO_CHUNK; places.min(PAGE) as usize];
        let mut block = Block { at: 0, first, places, page: 0, chunks };
        let bytes = self.write_new(&mut block, space, out)?;
        if number < NAMED_SUPER {
            self.named[NAMED_FIRST[number as usize] + within] = block.at;
            self.dirty.index_block = true;
        } else {
            // The block is written already, so that the name leads to something.
            self.name_in_super(number, within, block.at, space, out)?;
        }
        // A block counts only when it is named: before, no reader finds it.
        self.made.blocks += 1;
        self.made.block_bytes += bytes;
        self.made.places += places;
        self.block = Some(block);
        Ok(())
    }

    fn name_in_super(&mut self, number: u32, within: usize, at: u64, space: &Space, out: &Out) -> Result<()> {
        // Only one super block is in memory, so the old one is written first.
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

    /// Writes the changed parts, from the leaves to the head, so that a reader never comes to a place that is not
    /// written.
    pub(super) fn write(&mut self, out: &Out) -> Result<()> {
        self.write_page(out)?;
        self.write_super(out)?;
        // The index block changes only when a block is added.
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
            out.write(&self.page(&block.chunks), self.page_at(block))?;
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
        // Every page is written together with its block.
        out.put(&vec![0xff; block.blocks.len() * pages_bytes(places) as usize]);
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

/// Length in bytes of the bitmap of pages that a data block with this number of places has.
fn pages_bytes(places: u64) -> u64 {
    if places > PAGE { (places / PAGE).div_ceil(8) } else { 0 }
}

/// The whole number in `count` bytes from `at` on.
fn number_at(bytes: &[u8], at: usize, count: usize) -> u64 {
    bytes[at..at + count].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
