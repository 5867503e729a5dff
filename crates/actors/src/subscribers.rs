//! The subscribers of a channel, in the order of their subscriptions.
//!
//! Adding and removing one takes constant time. Only a publisher makes a list of all, once per change; it
//! pays for each subscriber with a message anyway.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::sink::Sink;

/// The list of all subscribers, as publishers cache it.
pub(super) type List<T> = Arc<[Arc<dyn Sink<T>>]>;

/// Up to this many places are searched one by one, because an index would take more memory than a channel
/// with one subscriber.
const SEARCHED: usize = 32;

pub(super) struct Subscribers<T> {
    /// `None` where a subscriber has left.
    places: Vec<Option<Arc<dyn Sink<T>>>>,
    live: usize,
    /// Address and place of each; only where there are many.
    index: Option<BTreeSet<(usize, usize)>>,
    /// Made when it was wanted; empty after a change.
    list: Option<List<T>>,
}

impl<T> Default for Subscribers<T> {
    fn default() -> Subscribers<T> {
        Subscribers { places: Vec::new(), live: 0, index: None, list: None }
    }
}

/// Where it lies in memory; only ever compared.
fn address<T>(sink: &Arc<dyn Sink<T>>) -> usize {
    Arc::as_ptr(sink).cast::<()>() as usize
}

impl<T> Subscribers<T> {
    pub(super) fn len(&self) -> usize {
        self.live
    }

    pub(super) fn add(&mut self, sink: Arc<dyn Sink<T>>) {
        self.list = None;
        let place = (address(&sink), self.places.len());
        self.places.push(Some(sink));
        self.live += 1;
        match &mut self.index {
            Some(index) => _ = index.insert(place),
            None if self.places.len() > SEARCHED => self.compact(),
            None => {}
        }
    }

    /// Removes it as often as it was added.
    pub(super) fn remove(&mut self, sink: &Arc<dyn Sink<T>>) {
        self.list = None;
        for place in self.places_of(address(sink)) {
            // A gap keeps the places of the others, which the index names.
            self.places[place] = None;
            self.live -= 1;
        }
        if self.places.len() > 2 * self.live {
            self.compact();
        }
    }

    /// The places of this one, which are forgotten.
    fn places_of(&mut self, address_of: usize) -> Vec<usize> {
        let Some(index) = &mut self.index else {
            let is_it = |s: &Option<Arc<dyn Sink<T>>>| s.as_ref().is_some_and(|s| address(s) == address_of);
            return (0..self.places.len()).filter(|place| is_it(&self.places[*place])).collect();
        };
        let found: Vec<_> = index.range((address_of, 0)..=(address_of, usize::MAX)).copied().collect();
        found.iter().for_each(|entry| _ = index.remove(entry));
        found.into_iter().map(|(_, place)| place).collect()
    }

    /// Closes the gaps. Done when half of the places are empty, so its cost per change does not grow.
    fn compact(&mut self) {
        self.places.retain(Option::is_some);
        let entries = || self.places.iter().flatten().map(address).enumerate().map(|(place, at)| (at, place));
        self.index = (self.places.len() > SEARCHED).then(|| entries().collect());
    }

    /// All of them, in order.
    pub(super) fn list(&mut self) -> List<T> {
        self.list.get_or_insert_with(|| self.places.iter().flatten().cloned().collect()).clone()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::Chain;

    #[test]
    fn they_come_in_order_and_go_whatever_their_number() {
        let mut random = 1u64;
        let (mut tried, mut expected) = (Subscribers::<u32>::default(), Vec::<Arc<dyn Sink<u32>>>::new());
        for round in 0..2_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Grows for a while, then shrinks; some come twice.
            let grows = (random >> 33) % 10 < if round < 1_000 { 7 } else { 2 };
            match expected.get((random >> 40) as usize % expected.len().max(1)).cloned() {
                Some(old) if !grows => {
                    tried.remove(&old);
                    expected.retain(|sink| !Arc::ptr_eq(sink, &old));
                }
                Some(old) if random.is_multiple_of(16) => {
                    tried.add(old.clone());
                    expected.push(old);
                }
                _ => {
                    let sink = Chain::new(1).sink();
                    tried.add(sink.clone());
                    expected.push(sink);
                }
            }
            assert_eq!(tried.len(), expected.len());
            assert!(tried.list().iter().zip(&expected).all(|(a, b)| Arc::ptr_eq(a, b)));
            assert_eq!(tried.list().len(), expected.len());
        }
    }
}
