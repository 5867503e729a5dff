//! Where the cells of an allocator wait, and how they come back.

use std::ptr::{NonNull, null, null_mut};
use std::sync::Arc;

use super::budget::Budget;
use super::cell::{Cell, Frame};
use super::prefetch::prefetch_to_write;
use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// Cells of a shelf: one bit is left for [`CLOSED`].
const CELLS: usize = 63;
/// Set when the allocator is gone: a thread that returns a cell then frees it.
const CLOSED: u64 = 1 << CELLS;
/// How many cells ahead memory is prefetched. Cells return from other cores, whose caches answer within about
/// 100 ns, while a small frame is made in about 20 ns.
const AHEAD: usize = 6;

/// The side of a shelf that every thread sees: a bit for each cell that has come back.
///
/// On cache lines of its own, because the threads that return cells write it all the time.
#[repr(align(128))]
pub(super) struct Shelf {
    returned: AtomicU64,
    budget: Arc<Budget>,
    /// Null where there is none. Written by the allocator only.
    cells: [AtomicPtr<Cell>; CELLS],
}

impl Shelf {
    /// # Safety
    /// The caller held the last handle of `cell` and does not use it any more.
    #[inline]
    pub(super) unsafe fn give_back(cell: NonNull<Cell>) {
        // SAFETY: the caller's promise; the cell keeps its shelf alive.
        unsafe { Shelf::give_back_all(Arc::as_ptr(&cell.as_ref().shelf), cell.as_ref().mark) };
    }

    /// # Safety
    /// The caller held the last handles of the cells in `marks`, at least one, and does not use them any more.
    #[inline]
    unsafe fn give_back_all(shelf: *const Shelf, marks: u64) {
        // Each bit is clear, because only the holder of the last handle sets it: adding is the same as setting,
        // and needs no loop on processors that cannot set bits and return the former value.
        // Release: publishes the emptied cells to `collect`. From here on they and their shelf may be gone,
        // unless the allocator is, so that no other thread will ever look.
        // Acquire: pairs with the swap that closed the shelf, after which the cells are ours to free.
        // SAFETY: a cell that was not given back keeps its shelf alive.
        let before = unsafe { &*shelf }.returned.fetch_add(marks, Ordering::AcqRel);
        if before & CLOSED != 0 {
            // SAFETY: rule 3: the cells are ours to free, and keep their shelf alive until then.
            unsafe { free_all(shelf, marks) };
        }
    }
}

/// Returns the last references of frames in batches: one atomic operation for consecutive frames of a shelf,
/// instead of one each. For a receiver that handles many small frames in a row.
///
/// ```
/// use livetime_frame::{FramePool, Returns};
/// let pool = FramePool::new(1 << 20);
/// let mut allocator = pool.allocator();
/// let mut returns = Returns::default();
/// for _ in 0..10 {
///     returns.give(allocator.bytes(8)?.freeze());
/// }
/// drop(returns); // now they are back
/// # Ok::<(), livetime_frame::PoolExhausted>(())
/// ```
pub struct Returns {
    /// The shelf of the cells in `marks`, which keep it alive.
    shelf: *const Shelf,
    marks: u64,
}

impl Default for Returns {
    fn default() -> Returns {
        Returns { shelf: null(), marks: 0 }
    }
}

impl Returns {
    /// Releases a reference. If it was the last one, the memory is free again when the batch is returned:
    /// when a frame of another shelf follows, or when this value is dropped.
    #[inline]
    pub fn give(&mut self, frame: Frame) {
        let Some(cell) = frame.into_last() else { return };
        // SAFETY: the cell was ours alone, and is not given back yet.
        let (shelf, mark) = unsafe { (Arc::as_ptr(&cell.as_ref().shelf), cell.as_ref().mark) };
        if self.shelf != shelf {
            self.bring_back();
            self.shelf = shelf;
        }
        self.marks |= mark;
    }

    fn bring_back(&mut self) {
        if self.marks != 0 {
            // SAFETY: the cells in `marks` were the last references, and no handle to them is left.
            unsafe { Shelf::give_back_all(self.shelf, std::mem::take(&mut self.marks)) };
        }
    }
}

impl Drop for Returns {
    fn drop(&mut self) {
        self.bring_back();
    }
}

/// # Safety
/// The shelf is closed, and the cells in `marks` were given back by the caller.
#[cold]
unsafe fn free_all(shelf: *const Shelf, mut marks: u64) {
    // SAFETY: the cells keep their shelf alive until they are freed; ours keeps it alive until we return.
    let shelf = unsafe {
        Arc::increment_strong_count(shelf);
        Arc::from_raw(shelf)
    };
    while marks != 0 {
        let place = marks.trailing_zeros() as usize;
        marks &= marks - 1;
        // SAFETY: rule 3: the cell is ours to free.
        unsafe { free(shelf.cells[place].load(Ordering::Relaxed)) };
    }
}

/// # Safety
/// No other reference leads to `cell`, which came from `Box::into_raw`.
unsafe fn free(cell: *mut Cell) {
    // SAFETY: the caller's promise.
    let mut cell = unsafe { Box::from_raw(cell) };
    let cost = cell.cost();
    cell.shelf.budget.release(cost);
}

/// The allocator's side of a shelf.
struct OwnShelf {
    shared: Arc<Shelf>,
    /// Cells that exist.
    made: u64,
    /// Cells that lie here, ready to be taken.
    free: u64,
}

impl OwnShelf {
    fn new(budget: &Arc<Budget>) -> OwnShelf {
        let cells = std::array::from_fn(|_| AtomicPtr::new(null_mut()));
        let shared = Arc::new(Shelf { returned: AtomicU64::new(0), budget: budget.clone(), cells });
        OwnShelf { shared, made: 0, free: 0 }
    }

    /// Takes in the returned cells.
    #[inline]
    fn collect(&mut self) {
        // Reading first leaves the cache line with its writers as long as there is nothing to collect.
        if self.shared.returned.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Acquire: pairs with the release in `give_back_all`.
        self.free |= self.shared.returned.swap(0, Ordering::Acquire);
        let first = self.free.trailing_zeros() as usize;
        (first..first + AHEAD).for_each(|place| self.prefetch(place));
    }

    #[inline]
    fn take(&mut self) -> Option<NonNull<Cell>> {
        let place = self.free.trailing_zeros() as usize;
        let cell = NonNull::new(self.shared.cells.get(place)?.load(Ordering::Relaxed))?;
        self.free &= self.free - 1;
        self.prefetch(place + AHEAD);
        Some(cell)
    }

    #[inline]
    fn prefetch(&self, place: usize) {
        if let Some(cell) = self.shared.cells.get(place) {
            prefetch_to_write(cell.load(Ordering::Relaxed));
        }
    }

    fn add(&mut self, bytes: usize) -> Option<NonNull<Cell>> {
        let place = (!self.made).trailing_zeros() as usize;
        let entry = self.shared.cells.get(place)?;
        let cell = Box::into_raw(Cell::new(self.shared.clone(), 1 << place, bytes));
        entry.store(cell, Ordering::Relaxed);
        self.made |= 1 << place;
        NonNull::new(cell)
    }

    /// Frees a cell that lies here.
    fn remove(&mut self) -> bool {
        let Some(cell) = self.take() else { return false };
        // SAFETY: it lay on the shelf, so it is ours alone (rule 1).
        let mark = unsafe { cell.as_ref() }.mark;
        self.shared.cells[mark.trailing_zeros() as usize].store(null_mut(), Ordering::Relaxed);
        self.made &= !mark;
        // SAFETY: it lay on the shelf, so it is ours alone (rule 1), and now no list leads to it.
        unsafe { free(cell.as_ptr()) };
        true
    }
}

impl Drop for OwnShelf {
    fn drop(&mut self) {
        // Acquire: as in `collect`. Release: cells that come back later see the mark and all writes before it.
        self.free |= self.shared.returned.swap(CLOSED, Ordering::AcqRel);
        while let Some(cell) = self.take() {
            // SAFETY: it lay on the shelf, so it is ours alone (rule 1).
            unsafe { free(cell.as_ptr()) };
        }
    }
}

/// All cells of one size class that an allocator made.
#[derive(Default)]
pub(super) struct Rack {
    shelves: Vec<OwnShelf>,
    /// The shelf that cells are taken from.
    current: usize,
}

impl Rack {
    /// A free cell, the shelves one after the other. Cells come back in about the order they were taken, so
    /// going round leaves the shelf that is being filled alone.
    #[inline]
    pub(super) fn take_in_turn(&mut self) -> Option<NonNull<Cell>> {
        match self.shelves.get_mut(self.current)?.take() {
            Some(cell) => Some(cell),
            None => self.take_from_next(),
        }
    }

    fn take_from_next(&mut self) -> Option<NonNull<Cell>> {
        let count = self.shelves.len();
        for step in 1..=count {
            let number = (self.current + step) % count;
            let shelf = &mut self.shelves[number];
            shelf.collect();
            if let Some(cell) = shelf.take() {
                self.current = number;
                return Some(cell);
            }
        }
        None
    }

    /// The first free cell, which keeps the memory in use small and in the caches.
    pub(super) fn take_first(&mut self) -> Option<NonNull<Cell>> {
        self.shelves.iter_mut().find_map(|shelf| {
            shelf.collect();
            shelf.take()
        })
    }

    /// A new cell, in use; the caller has reserved its cost.
    pub(super) fn add(&mut self, bytes: usize, budget: &Arc<Budget>) -> Option<NonNull<Cell>> {
        let known = self.shelves.iter_mut().rev().find_map(|shelf| shelf.add(bytes));
        known.or_else(|| {
            self.shelves.push(OwnShelf::new(budget));
            self.shelves.last_mut().and_then(|shelf| shelf.add(bytes))
        })
    }

    /// How many cells are not in use.
    pub(super) fn count_free(&mut self) -> usize {
        let count = |shelf: &mut OwnShelf| {
            shelf.collect();
            shelf.free.count_ones() as usize
        };
        self.shelves.iter_mut().map(count).sum()
    }

    /// Frees one cell that is not in use.
    pub(super) fn remove(&mut self) -> bool {
        self.shelves.iter_mut().any(|shelf| {
            shelf.collect();
            shelf.remove()
        })
    }
}
