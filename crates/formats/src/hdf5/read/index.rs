//! Where the chunks of a data set are.

use super::input::{Fields, Input};
use super::layout::Index;
use super::space::Space;
use super::tree2;
use crate::{Error, Result};

/// A chunk in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chunk {
    /// Its number, counted over all chunks of the present shape, the last axis fastest.
    pub(super) number: u64,
    pub(super) at: u64,
    pub(super) bytes: u64,
    /// Filters that were left out.
    pub(super) mask: u32,
}

/// Levels of a B-tree.
const MOST_DEEP: u8 = 32;

/// How the chunks of a data set are counted.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) chunk: Vec<u64>,
    /// Chunks along each axis.
    pub(super) counts: Vec<u64>,
}

impl Grid {
    pub(super) fn new(shape: &[u64], chunk: &[u64]) -> Grid {
        let counts = shape.iter().zip(chunk).map(|(size, chunk)| size.div_ceil((*chunk).max(1))).collect();
        Grid { chunk: chunk.to_vec(), counts }
    }

    /// The number of the chunk at a place; `None` if there is none.
    pub(super) fn number(&self, place: &[u64]) -> Option<u64> {
        place.iter().zip(&self.counts).try_fold(0u64, |number, (place, count)| {
            if place >= count { None } else { number.checked_mul(*count)?.checked_add(*place) }
        })
    }
}

/// All that is needed to read an index.
struct Loader<'a> {
    input: &'a Input<'a>,
    space: &'a Space,
    grid: Grid,
    /// Bytes of a chunk before compression.
    whole: u64,
    found: Vec<Chunk>,
}

/// The chunks of a data set that were written, by their numbers.
pub(super) fn chunks(
    input: &Input<'_>,
    space: &Space,
    chunk: &[u64],
    (index, at): (Index, Option<u64>),
    whole: u64,
) -> Result<(Grid, Vec<Chunk>)> {
    let grid = Grid::new(&space.shape, chunk);
    // The product is checked once, so that numbers of chunks never overflow.
    if grid.counts.iter().try_fold(1u64, |all, count| all.checked_mul(*count)).is_none() {
        return Err(Error::new("fewer than 2^64 chunks", format!("{:?} along the axes", grid.counts)));
    }
    let mut loader = Loader { input, space, grid, whole, found: Vec::new() };
    // A data set that was never written has no index.
    if let Some(at) = at {
        loader.load(index, at)?;
    }
    let Loader { grid, mut found, .. } = loader;
    // Reads search the chunks by their numbers.
    found.sort_by_key(|chunk| chunk.number);
    // A damaged index may name a chunk twice: the first one counts.
    found.dedup_by_key(|chunk| chunk.number);
    Ok((grid, found))
}

impl Loader<'_> {
    fn load(&mut self, index: Index, at: u64) -> Result<()> {
        match index {
            Index::Single(packed) => {
                let (bytes, mask) = packed.unwrap_or((self.whole, 0));
                self.found.push(Chunk { number: 0, at, bytes, mask });
                Ok(())
            }
            Index::Implicit => self.implicit(at),
            Index::FixedArray => self.fixed_array(at),
            Index::ExtensibleArray => self.extensible_array(at),
            Index::Tree1 => self.tree1(at, None),
            Index::Tree2 => self.tree2(at),
        }
    }

    /// Enters a chunk at a place, if it is within the present shape.
    fn add(&mut self, place: &[u64], at: u64, bytes: u64, mask: u32) {
        // The data set may have been made smaller since the chunk was written.
        if let Some(number) = self.grid.number(place) {
            self.found.push(Chunk { number, at, bytes, mask });
        }
    }

    fn implicit(&mut self, at: u64) -> Result<()> {
        let order = Order::new(self.space, &self.grid, None)?;
        // The file cannot hold more chunks than fit its size.
        let all = self.input.size / self.whole.max(1);
        for index in 0..order.most().min(all) {
            if let Some(place) = order.place(index) {
                self.add(&place, at.saturating_add(index * self.whole), self.whole, 0);
            }
        }
        Ok(())
    }

    fn tree1(&mut self, at: u64, wanted: Option<u8>) -> Result<()> {
        let rank = self.grid.chunk.len();
        let head = self.input.read(at, 8)?;
        if !head.starts_with(b"TREE\x01") {
            return Err(Error::new("a B-tree of chunks", "something else").at(at));
        }
        let (level, count) = (head[5], Fields::new(&head[6..], at + 6).uint(2)?);
        // Each level must lie below its parent: a tree cannot lead in a circle.
        if level > MOST_DEEP || wanted.is_some_and(|wanted| wanted != level) {
            return Err(Error::new("a level below that of the node above", level.to_string()).at(at));
        }
        let key = 8 + 8 * (rank as u64 + 1);
        let body = self.input.read(at + 24, count * (key + 8))?;
        let mut fields = Fields::new(&body, at + 24);
        for _ in 0..count {
            let (bytes, mask) = (fields.uint(4)?, fields.uint(4)? as u32);
            // The size is at least 1, which the layout has checked.
            let place = (0..rank).map(|axis| Ok(fields.uint(8)? / self.grid.chunk[axis]));
            let place = place.collect::<Result<Vec<u64>>>()?;
            fields.skip(8)?;
            let child = fields.uint(8)?;
            if level == 0 {
                self.add(&place, child, bytes, mask);
            } else {
                self.tree1(child, Some(level - 1))?;
            }
        }
        Ok(())
    }

    fn tree2(&mut self, at: u64) -> Result<()> {
        let rank = self.grid.chunk.len();
        let is_packed = self.input.read(at, 6)?[5] == 11;
        let records = tree2::records(self.input, at)?;
        let length = records.bytes.checked_sub(8 + 8 * rank + if is_packed { 4 } else { 0 });
        // The length of a compressed chunk has at most 8 bytes; without a filter there is none.
        let length = length.filter(|length| *length <= 8 && (is_packed || *length == 0));
        let length = length.ok_or_else(|| Error::new("records of chunks", "others").at(at))?;
        for record in records.iter() {
            let mut fields = Fields::new(record, at);
            let child = fields.uint(8)?;
            let bytes = if is_packed { fields.uint(length)? } else { self.whole };
            let mask = if is_packed { fields.uint(4)? as u32 } else { 0 };
            let place = (0..rank).map(|_| fields.uint(8)).collect::<Result<Vec<u64>>>()?;
            self.add(&place, child, bytes, mask);
        }
        Ok(())
    }

    fn fixed_array(&mut self, at: u64) -> Result<()> {
        let order = Order::new(self.space, &self.grid, None)?;
        let head = self.input.checked(at, 28, b"FAHD")?;
        let mut fields = Fields::new(&head[5..], at + 5);
        let places = Places::new(fields.u8()?, fields.u8()?, self.whole, at)?;
        let (bits, count) = (fields.u8()?, fields.uint(8)?);
        // A file that was just made has an index without a block.
        let Some(block) = fields.address()? else { return Ok(()) };
        // More bits would make pages of more chunks than a file can hold.
        if bits > 32 {
            return Err(fields.refused("pages of at most 2^32 chunks", format!("2^{bits}")));
        }
        let page = 1u64 << bits;
        if count <= page {
            let bytes = count.saturating_mul(places.bytes).saturating_add(18);
            let body = self.input.checked(block, bytes, b"FADB")?;
            return self.enter(&places, &body[14..], 0, &order);
        }
        let pages = count.div_ceil(page);
        let head = self.input.checked(block, 14 + pages.div_ceil(8) + 4, b"FADB")?;
        let mut at = block + head.len() as u64 + 4;
        for number in 0..pages {
            let bytes = page.min(count - number * page) * places.bytes + 4;
            // Pages that were never written have no checksum to compare.
            if is_set(&head[14..], number) {
                self.enter(&places, &self.input.checked(at, bytes, b"")?, number * page, &order)?;
            }
            at = at.saturating_add(bytes);
        }
        Ok(())
    }

    /// Enters the chunks at some places of an array; the first place has the number `first`.
    fn enter(&mut self, places: &Places, bytes: &[u8], first: u64, order: &Order) -> Result<()> {
        let mut fields = Fields::new(bytes, 0);
        for index in first.. {
            if (fields.left() as u64) < places.bytes {
                break;
            }
            let Some((at, bytes, mask)) = places.read(&mut fields)? else { continue };
            if let Some(place) = order.place(index) {
                self.add(&place, at, bytes, mask);
            }
        }
        Ok(())
    }

    fn extensible_array(&mut self, at: u64) -> Result<()> {
        let order = Order::new(self.space, &self.grid, self.space.most.iter().position(Option::is_none))?;
        let array = Array::open(self.input, at, self.whole)?;
        let (body, places) = (array.index_block()?, &array.places);
        let direct = array.direct * places.bytes;
        self.enter(places, &body[..direct as usize], 0, &order)?;
        let mut addresses = Fields::new(&body[direct as usize..], array.block + 14 + direct);
        let mut first = array.direct;
        for number in 0..array.supers() {
            let count = 1u64 << (number / 2);
            let sizes = array.least << number.div_ceil(2);
            // Super blocks behind the last chunk do not exist.
            if first >= array.count {
                break;
            }
            let blocks = if number < array.named() {
                (0..count)
                    .map(|_| addresses.address().map(|at| at.map(|at| (at, None))))
                    .collect::<Result<_>>()?
            } else {
                match addresses.address()? {
                    Some(at) => array.super_block(at, count, sizes)?,
                    // No chunk of this super block was written.
                    None => vec![None; 0],
                }
            };
            for (position, block) in blocks.into_iter().enumerate() {
                if let Some((at, pages)) = block {
                    self.data_block(&array, at, pages, (first + position as u64 * sizes, sizes), &order)?;
                }
            }
            first += count * sizes;
        }
        Ok(())
    }

    fn data_block(
        &mut self,
        array: &Array<'_>,
        at: u64,
        pages: Option<Vec<u8>>,
        (first, count): (u64, u64),
        order: &Order,
    ) -> Result<()> {
        let (head, bytes) = (14 + array.offset_bytes, array.places.bytes);
        // The block may lie behind the last chunk of a growing file.
        if first >= array.count {
            return Ok(());
        }
        if count <= array.page {
            let body = self.input.checked(at, head + count * bytes + 4, b"EADB")?;
            return self.enter(&array.places, &body[head as usize..], first, order);
        }
        for page in 0..count / array.page {
            let is_there = pages.as_ref().is_none_or(|pages| is_set(pages, page));
            let begin = first + page * array.page;
            if is_there && begin < array.count {
                let place = at.saturating_add(head + 4 + page * (array.page * bytes + 4));
                let body = self.input.checked(place, array.page * bytes + 4, b"")?;
                self.enter(&array.places, &body, begin, order)?;
            }
        }
        Ok(())
    }
}

/// A bit of a map; bit 0 is the highest bit of the first byte.
fn is_set(bits: &[u8], number: u64) -> bool {
    bits.get((number / 8) as usize).is_some_and(|byte| byte & (0x80 >> (number % 8)) != 0)
}

/// How a place of an array of chunks is written.
struct Places {
    bytes: u64,
    /// For compressed chunks: bytes of their length.
    length: Option<usize>,
    whole: u64,
}

impl Places {
    fn new(client: u8, bytes: u8, whole: u64, at: u64) -> Result<Places> {
        let length = if client == 1 { bytes.checked_sub(12).map(usize::from) } else { None };
        let is_known = if client == 1 { length.is_some_and(|l| (1..=8).contains(&l)) } else { bytes == 8 };
        if !is_known || client > 1 {
            return Err(Error::new("an array of chunks", format!("kind {client} of {bytes} bytes")).at(at));
        }
        Ok(Places { bytes: bytes.into(), length, whole })
    }

    fn read(&self, fields: &mut Fields<'_>) -> Result<Option<(u64, u64, u32)>> {
        let at = fields.address()?;
        let (bytes, mask) = match self.length {
            Some(length) => (fields.uint(length)?, fields.uint(4)? as u32),
            None => (self.whole, 0),
        };
        Ok(at.map(|at| (at, bytes, mask)))
    }
}

/// In which order an array counts chunks: over the largest shape, an axis without bound first.
struct Order {
    /// Axes with their numbers of chunks, the slowest first.
    axes: Vec<(usize, u64)>,
}

impl Order {
    fn new(space: &Space, grid: &Grid, first: Option<usize>) -> Result<Order> {
        // An axis without a bound can only be the slowest, or numbers would change when it grows.
        let count = |axis: usize| match space.most[axis] {
            Some(most) => Ok(most.div_ceil(grid.chunk[axis])),
            None if first == Some(axis) => Ok(u64::MAX),
            None => Err(Error::new("at most one axis without bound", "several")),
        };
        let rest = (0..space.most.len()).filter(|axis| Some(*axis) != first);
        let axes = first.into_iter().chain(rest).map(|axis| Ok((axis, count(axis)?)));
        Ok(Order { axes: axes.collect::<Result<_>>()? })
    }

    /// The number of chunks.
    fn most(&self) -> u64 {
        self.axes.iter().fold(1, |all, (_, count)| all.saturating_mul(*count))
    }

    fn place(&self, mut index: u64) -> Option<Vec<u64>> {
        let mut place = vec![0; self.axes.len()];
        for (axis, count) in self.axes.iter().rev() {
            place[*axis] = index.checked_rem(*count)?;
            index /= count;
        }
        // A place beyond all axes is no chunk of the data set.
        (index == 0).then_some(place)
    }
}

/// Where a data block is, and which of its pages were written, if it has pages that are not all written.
type DataBlock = (u64, Option<Vec<u8>>);

/// An extensible array.
struct Array<'a> {
    input: &'a Input<'a>,
    places: Places,
    /// Bits of the number of a place.
    bits: u32,
    /// Places in the index block.
    direct: u64,
    /// Places of the smallest data block.
    least: u64,
    pointers: u64,
    /// Places of a page.
    page: u64,
    /// Behind the last place that was set.
    count: u64,
    block: u64,
    offset_bytes: u64,
}

impl<'a> Array<'a> {
    fn open(input: &'a Input<'a>, at: u64, whole: u64) -> Result<Array<'a>> {
        let head = input.checked(at, 72, b"EAHD")?;
        let mut fields = Fields::new(&head[5..], at + 5);
        let places = Places::new(fields.u8()?, fields.u8()?, whole, at)?;
        let [bits, direct, least, pointers, page] =
            [fields.u8()?, fields.u8()?, fields.u8()?, fields.u8()?, fields.u8()?];
        fields.skip(4 * 8)?;
        let count = fields.uint(8)?;
        fields.skip(8)?;
        let block = fields.uint(8)?;
        let are_powers = least.is_power_of_two() && pointers.is_power_of_two() && pointers > 1;
        let (bits, page) = (u32::from(bits), u32::from(page));
        // Shifts by these numbers must stay within 64 bits.
        if !are_powers || bits > 48 || bits < u32::from(least).ilog2() || page > 20 {
            let found = format!("{bits} bits, {least} places, {pointers} pointers, pages of {page} bits");
            return Err(Error::new("an array with blocks of powers of 2", found).at(at));
        }
        Ok(Array {
            input,
            places,
            bits,
            direct: direct.into(),
            least: least.into(),
            pointers: pointers.into(),
            page: 1 << page,
            count,
            block,
            offset_bytes: u64::from(bits.div_ceil(8)),
        })
    }

    /// How many super blocks there may be.
    fn supers(&self) -> u32 {
        1 + self.bits - self.least.ilog2()
    }

    /// How many of these are not there, because the index block names their data blocks.
    fn named(&self) -> u32 {
        2 * self.pointers.ilog2()
    }

    /// The bytes of the index block behind its head.
    fn index_block(&self) -> Result<Vec<u8>> {
        let addresses = 2 * (self.pointers - 1) + u64::from(self.supers().saturating_sub(self.named()));
        let bytes = 14 + self.direct * self.places.bytes + 8 * addresses + 4;
        Ok(self.input.checked(self.block, bytes, b"EAIB")?.split_off(14))
    }

    /// The data blocks of a super block, with the pages that were written.
    fn super_block(&self, at: u64, count: u64, places: u64) -> Result<Vec<Option<DataBlock>>> {
        let map = if places > self.page { (places / self.page).div_ceil(8) } else { 0 };
        let head = 14 + self.offset_bytes;
        let body = self.input.checked(at, head + count * (map + 8) + 4, b"EASB")?;
        let mut fields = Fields::new(&body[head as usize..], at + head);
        let maps = fields.take((count * map) as usize)?;
        let pages = |number: u64| {
            let from = (number * map) as usize;
            (map > 0).then(|| maps[from..from + map as usize].to_vec())
        };
        (0..count).map(|number| Ok(fields.address()?.map(|at| (at, pages(number))))).collect()
    }
}
