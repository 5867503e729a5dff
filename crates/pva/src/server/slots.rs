//! Things by number, the numbers used again.

/// Things by number. A number of something removed is given to the next.
pub(crate) struct Slots<T> {
    slots: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Slots<T> {
        Slots { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    /// The number that the next thing gets.
    pub(crate) fn next(&self) -> usize {
        self.free.last().copied().unwrap_or(self.slots.len())
    }

    pub(crate) fn insert(&mut self, thing: T) -> usize {
        if let Some(index) = self.free.pop() {
            self.slots[index] = Some(thing);
            return index;
        }
        self.slots.push(Some(thing));
        self.slots.len() - 1
    }

    pub(crate) fn remove(&mut self, index: usize) -> Option<T> {
        let thing = self.slots.get_mut(index)?.take()?;
        self.free.push(index);
        Some(thing)
    }

    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.slots.get(index)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.slots.get_mut(index)?.as_mut()
    }

    /// One more than the highest number.
    pub(crate) fn end(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    /// Removes all.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        self.free.clear();
        std::mem::take(&mut self.slots).into_iter().flatten()
    }
}
