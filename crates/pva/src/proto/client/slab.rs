//! Things with numbers that a peer repeats.

// A million at a time; the rest of the number says how often the place was used before.
const INDEX_BITS: u32 = 20;
const INDEX: u32 = (1 << INDEX_BITS) - 1;

/// Keeps things by number. The number of a thing that is gone is not used again soon.
#[derive(Debug)]
pub(super) struct Slab<T> {
    base: u32,
    places: Vec<SlabPlace<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct SlabPlace<T> {
    id: u32,
    thing: Option<T>,
}

impl<T> Slab<T> {
    /// Nothing; the first thing will have number `base`.
    pub(super) fn new(base: u32) -> Slab<T> {
        Slab { base, places: Vec::new(), free: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Keeps `thing` and returns its number; gives it back if there are too many.
    pub(super) fn insert(&mut self, thing: T) -> Result<u32, T> {
        if let Some(index) = self.free.pop() {
            let place = &mut self.places[index as usize];
            place.thing = Some(thing);
            return Ok(place.id);
        }
        let index = self.places.len() as u32;
        if index > INDEX {
            return Err(thing);
        }
        let id = self.base.wrapping_add(index);
        self.places.push(SlabPlace { id, thing: Some(thing) });
        Ok(id)
    }

    fn index(&self, id: u32) -> usize {
        (id.wrapping_sub(self.base) & INDEX) as usize
    }

    pub(super) fn get(&self, id: u32) -> Option<&T> {
        self.places.get(self.index(id)).filter(|place| place.id == id)?.thing.as_ref()
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        let index = self.index(id);
        self.places.get_mut(index).filter(|place| place.id == id)?.thing.as_mut()
    }

    pub(super) fn remove(&mut self, id: u32) -> Option<T> {
        let index = self.index(id);
        let place = self.places.get_mut(index).filter(|place| place.id == id)?;
        let thing = place.thing.take()?;
        place.id = place.id.wrapping_add(1 << INDEX_BITS);
        self.free.push(index as u32);
        Some(thing)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.places.iter().filter(|place| place.thing.is_some()).map(|place| place.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_numbers_mean_nothing() {
        let mut slab = Slab::new(0x1234_5678);
        assert_eq!(slab.insert('a'), Ok(0x1234_5678));
        assert_eq!(slab.insert('b'), Ok(0x1234_5679));
        assert_eq!(slab.remove(0x1234_5678), Some('a'));
        assert_eq!(slab.remove(0x1234_5678), None);
        let again = slab.insert('c').unwrap();
        assert_ne!(again, 0x1234_5678);
        assert_eq!((slab.get(0x1234_5678), slab.get(again)), (None, Some(&'c')));
        assert_eq!(slab.get_mut(0), None);
        assert_eq!(slab.len(), 2);
        assert_eq!(slab.ids().collect::<Vec<_>>(), [again, 0x1234_5679]);
    }
}
