//! A timer wheel: hierarchical and hashed (Varghese and Lauck, 1987), without a thread or a clock of its own.
//!
//! Eight levels of 64 slots. A slot of the lowest level is one tick, about 66 us, one of the next level 64 ticks, and so
//! on. Setting and cancelling take the same few steps however many timers there are.

// A tick is 2^16 ns, about 66 us: shorter than the time a sleeping thread takes to wake up. Eight levels of 64 slots
// then reach further than the clock.
const TICK_BITS: u32 = 16;
const LEVELS: usize = 8;
const SLOTS: usize = 64;
/// The end of a list of entries.
const NONE: u32 = u32::MAX;

pub(crate) struct Wheel<A> {
    /// All ticks before this one have been processed.
    now: u64,
    heads: [[u32; SLOTS]; LEVELS],
    /// Which slots of a level are not empty.
    used: [u64; LEVELS],
    entries: Vec<Entry<A>>,
    free: Vec<u32>,
    /// Numbers the timers in the order in which they were set; timers of the same moment fire in this order.
    set: u64,
}

struct Entry<A> {
    at_ns: u64,
    number: u64,
    level: u8,
    slot: u8,
    next: u32,
    previous: u32,
    action: Option<A>,
}

/// Names one timer; another that takes its place in memory has another key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    index: u32,
    number: u64,
}

impl<A> Wheel<A> {
    pub(crate) fn new(now_ns: u64) -> Wheel<A> {
        Wheel {
            now: now_ns >> TICK_BITS,
            heads: [[NONE; SLOTS]; LEVELS],
            used: [0; LEVELS],
            entries: Vec::new(),
            free: Vec::new(),
            set: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    pub(crate) fn set(&mut self, at_ns: u64, action: A) -> Key {
        self.set += 1;
        let number = self.set;
        let entry =
            Entry { at_ns, number, level: 0, slot: 0, next: NONE, previous: NONE, action: Some(action) };
        let index = match self.free.pop() {
            Some(index) => {
                self.entries[index as usize] = entry;
                index
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        self.link(index);
        Key { index, number }
    }

    /// Cancels a timer and returns its action; `None` when it has fired or was cancelled already.
    pub(crate) fn cancel(&mut self, key: Key) -> Option<A> {
        let entry = self.entries.get_mut(key.index as usize).filter(|e| e.number == key.number)?;
        let action = entry.action.take()?;
        self.unlink(key.index);
        self.free.push(key.index);
        Some(action)
    }

    /// When to call [`Wheel::advance`] next: not after the first timer is due.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        let (level, slot) = self.next_slot()?;
        // At this time the timers of the slot move to lower levels.
        if level > 0 {
            return Some(self.start_of(level, slot) << TICK_BITS);
        }
        self.iterate(0, slot).map(|i| self.entries[i as usize].at_ns).min()
    }

    /// Hands out the actions that are due at `now_ns`, in the order of their times.
    pub(crate) fn advance(&mut self, now_ns: u64) -> Vec<A> {
        let target = now_ns >> TICK_BITS;
        let mut due = Vec::new();
        while let Some((level, slot)) = self.next_slot() {
            let start = self.start_of(level, slot);
            if start > target {
                break;
            }
            self.now = self.now.max(start);
            let indices: Vec<u32> = self.iterate(level, slot).collect();
            if level > 0 {
                for index in indices {
                    self.unlink(index);
                    self.link(index);
                }
                continue;
            }
            let before = due.len();
            let left = indices.len();
            due.extend(indices.into_iter().filter(|i| self.entries[*i as usize].at_ns <= now_ns));
            due[before..].iter().for_each(|i| self.unlink(*i));
            // Timers later in this tick stay in its slot.
            if due.len() - before < left {
                break;
            }
        }
        self.now = self.now.max(target);
        // The timers of a slot have no order.
        due.sort_by_key(|i| (self.entries[*i as usize].at_ns, self.entries[*i as usize].number));
        self.free.extend(&due);
        due.into_iter().filter_map(|i| self.entries[i as usize].action.take()).collect()
    }

    /// The first slot in time that holds a timer. A lower level lies within one slot of the next, so it comes first.
    fn next_slot(&self) -> Option<(usize, usize)> {
        (0..LEVELS).find_map(|level| {
            let here = self.now >> (6 * level) & 63;
            let ahead = self.used[level] & (u64::MAX << here);
            (ahead != 0).then(|| (level, ahead.trailing_zeros() as usize))
        })
    }

    /// The first tick of a slot.
    fn start_of(&self, level: usize, slot: usize) -> u64 {
        let shift = 6 * level;
        ((self.now >> shift & !63) | slot as u64) << shift
    }

    fn iterate(&self, level: usize, slot: usize) -> impl Iterator<Item = u32> {
        let next = |i: u32| Some(i).filter(|i| *i != NONE);
        std::iter::successors(next(self.heads[level][slot]), move |i| next(self.entries[*i as usize].next))
    }

    fn link(&mut self, index: u32) {
        // A time that has passed is due at once.
        let tick = (self.entries[index as usize].at_ns >> TICK_BITS).max(self.now);
        // The highest group of six bits in which the tick differs from now.
        let level = (tick ^ self.now).checked_ilog2().map_or(0, |bit| bit as usize / 6);
        let slot = (tick >> (6 * level) & 63) as usize;
        let head = std::mem::replace(&mut self.heads[level][slot], index);
        self.used[level] |= 1 << slot;
        let entry = &mut self.entries[index as usize];
        (entry.level, entry.slot, entry.next, entry.previous) = (level as u8, slot as u8, head, NONE);
        if head != NONE {
            self.entries[head as usize].previous = index;
        }
    }

    fn unlink(&mut self, index: u32) {
        let entry = &self.entries[index as usize];
        let (level, slot, next, previous) =
            (entry.level as usize, entry.slot as usize, entry.next, entry.previous);
        if next != NONE {
            self.entries[next as usize].previous = previous;
        }
        if previous != NONE {
            self.entries[previous as usize].next = next;
            return;
        }
        self.heads[level][slot] = next;
        if next == NONE {
            self.used[level] &= !(1 << slot);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use livetime_runtime::Random;

    /// The plain definition: a list that is searched.
    #[derive(Default)]
    struct Plain(Vec<(u64, u64)>);

    impl Plain {
        fn advance(&mut self, now: u64) -> Vec<u64> {
            let mut due: Vec<_> = self.0.extract_if(.., |(at, _)| *at <= now).collect();
            due.sort_unstable();
            due.into_iter().map(|(_, id)| id).collect()
        }
    }

    #[test]
    fn does_as_a_plain_list_does() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut now = random.next_u64() >> (20 + random.below(20));
            let (mut wheel, mut plain) = (Wheel::new(now), Plain::default());
            let mut keys = Vec::new();
            for id in 0..300 {
                let at = (now + (random.next_u64() >> (10 + random.below(50)))).saturating_sub(1000);
                keys.push((wheel.set(at, id), id));
                plain.0.push((at, id));
                if random.below(4) == 0 {
                    let (key, id) = keys[random.below(keys.len())];
                    let was_set = plain.0.iter().any(|(_, i)| *i == id);
                    plain.0.retain(|(_, i)| *i != id);
                    assert_eq!(wheel.cancel(key), was_set.then_some(id));
                }
                if random.below(3) == 0 {
                    now += random.next_u64() >> (12 + random.below(50));
                    let first = plain.0.iter().map(|(at, _)| *at).min();
                    assert!(wheel.next_ns() <= first || first.is_none(), "seed {seed}");
                    assert_eq!(wheel.advance(now), plain.advance(now), "seed {seed}");
                    assert_eq!(wheel.len(), plain.0.len());
                }
            }
            assert_eq!(wheel.advance(u64::MAX), plain.advance(u64::MAX));
            assert_eq!(wheel.next_ns(), None);
        }
    }

    #[test]
    fn next_time_is_exact_when_it_is_near() {
        let mut wheel = Wheel::new(0);
        wheel.set(5_000, 'a');
        wheel.set(1_500_000_000, 'b');
        assert_eq!(wheel.next_ns(), Some(5_000));
        assert!(wheel.advance(4_999).is_empty());
        assert_eq!(wheel.advance(5_000), ['a']);
        while wheel.len() > 0 {
            let next = wheel.next_ns().unwrap();
            assert!(next <= 1_500_000_000);
            let due = wheel.advance(next);
            assert_eq!(due.is_empty(), next < 1_500_000_000);
        }
    }
}
