//! Results by number, until their turn has come.

use std::collections::VecDeque;

/// Keeps results that came before their turn, and gives them away in the order of their numbers, which begin at 0.
///
/// It does no locking: threads that share one keep it under a lock.
///
/// ```
/// use livetime_runtime::ordered::Places;
///
/// let mut places = Places::default();
/// let numbers = [places.open(), places.open(), places.open()];
/// places.fill(numbers[1], "second");
/// assert_eq!(places.take_next(), None);
/// places.fill(numbers[0], "first");
/// assert_eq!([places.take_next(), places.take_next()], [Some("first"), Some("second")]);
/// assert_eq!((places.under_way(), places.first()), (1, 2));
/// ```
#[derive(Debug)]
pub struct Places<T> {
    first: u64,
    /// The results of the numbers `first`, `first + 1`, …; `None` for those without a result yet.
    results: VecDeque<Option<T>>,
}

impl<T> Default for Places<T> {
    fn default() -> Places<T> {
        Places::with_capacity(0)
    }
}

impl<T> Places<T> {
    /// With memory for `capacity` results under way, so that they need no more.
    pub fn with_capacity(capacity: usize) -> Places<T> {
        Places { first: 0, results: VecDeque::with_capacity(capacity) }
    }

    /// The first number whose result was not taken.
    #[inline]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// How many numbers are open: from the first one whose result was not taken to the last one that is known
    /// here.
    #[inline]
    pub fn under_way(&self) -> usize {
        self.results.len()
    }

    /// Gives the next number out.
    #[inline]
    pub fn open(&mut self) -> u64 {
        self.results.push_back(None);
        self.first + self.results.len() as u64 - 1
    }

    /// Stores the result of a number. A number that was not opened here, because it was assigned elsewhere,
    /// is opened now. The result of a number that was already taken is dropped.
    #[inline]
    pub fn fill(&mut self, number: u64, result: T) {
        let Some(place) = number.checked_sub(self.first) else { return };
        let place = place as usize;
        while self.results.len() <= place {
            self.results.push_back(None);
        }
        self.results[place] = Some(result);
    }

    /// True when the next result is there.
    #[inline]
    pub fn is_ready(&self) -> bool {
        matches!(self.results.front(), Some(Some(_)))
    }

    /// The result whose turn it is, if it is there.
    #[inline]
    pub fn take_next(&mut self) -> Option<T> {
        if !self.is_ready() {
            return None;
        }
        self.first += 1;
        self.results.pop_front().flatten()
    }

    /// As [`take_next`](Places::take_next), but the number stays under way, and no other result is returned,
    /// until [`end_next`](Places::end_next). For callers that process the result, in order, without holding
    /// the lock.
    #[inline]
    pub fn begin_next(&mut self) -> Option<T> {
        self.results.front_mut().and_then(Option::take)
    }

    /// Frees the place that [`begin_next`](Places::begin_next) gave away.
    #[inline]
    pub fn end_next(&mut self) {
        if let Some(None) = self.results.front() {
            self.results.pop_front();
            self.first += 1;
        }
    }

    /// All results that are there, in their order, whether or not others are missing before them.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.first += self.results.len() as u64;
        self.results.drain(..).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_is_under_way_until_it_is_ended() {
        let mut places = Places::default();
        let numbers = [places.open(), places.open()];
        numbers.into_iter().for_each(|number| places.fill(number, number));
        assert_eq!((places.begin_next(), places.begin_next(), places.take_next()), (Some(0), None, None));
        assert_eq!((places.under_way(), places.first()), (2, 0));
        places.end_next();
        assert_eq!((places.begin_next(), places.under_way(), places.first()), (Some(1), 1, 1));
    }

    #[test]
    fn numbers_from_elsewhere_are_put_in_order_too() {
        let mut places = Places::default();
        [3, 1, 0].into_iter().for_each(|number| places.fill(number, number));
        assert_eq!(std::iter::from_fn(|| places.take_next()).collect::<Vec<_>>(), [0, 1]);
        assert_eq!((places.under_way(), places.open()), (2, 4));
        // Its turn is over.
        places.fill(0, 7);
        assert_eq!(places.drain().collect::<Vec<_>>(), [3]);
        assert_eq!((places.first(), places.open()), (5, 5));
    }
}
