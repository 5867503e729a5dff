//! The bytes for a client: answers in one buffer, and large arrays where they lie.

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::{Buf, Bytes};

use super::price::SMALL;

/// Arrays of at least so many bytes are sent from where they lie. A copy of a short one takes less time than its entry in the list.
pub(super) const SHARED: usize = 16 << 10;

#[derive(Default)]
pub(super) struct Output {
    /// Answers, and heads of arrays.
    pub(super) bytes: Vec<u8>,
    /// How much of `bytes` is sent.
    sent: usize,
    /// Arrays in the order of sending, each with the length of `bytes` that goes before it.
    arrays: VecDeque<(usize, Bytes)>,
    /// Unsent bytes of all arrays.
    shared: usize,
}

impl Output {
    /// Sends an array behind all that is there.
    pub(super) fn share(&mut self, array: Bytes) {
        self.shared += array.len();
        self.arrays.push_back((self.bytes.len(), array));
    }

    /// How many bytes are not sent yet.
    pub(super) fn pending(&self) -> usize {
        self.bytes.len() - self.sent + self.shared
    }

    /// The memory that it holds, the arrays included: they would be gone without this client.
    pub(super) fn held(&self) -> usize {
        self.bytes.capacity() + self.shared
    }

    /// The next bytes in one piece. Others may follow.
    pub(super) fn next(&self) -> &[u8] {
        match self.arrays.front() {
            Some((before, array)) if self.sent >= *before => array,
            Some((before, _)) => &self.bytes[self.sent..*before],
            None => &self.bytes[self.sent..],
        }
    }

    /// The next pieces, together at most `room` bytes. Returns how many of `slices` are used.
    pub(super) fn slices<'a>(&'a self, slices: &mut [IoSlice<'a>], mut room: usize) -> usize {
        let (mut used, mut from) = (0, self.sent);
        let mut add = |piece: &'a [u8]| {
            let piece = &piece[..piece.len().min(room)];
            if let Some(slice) = slices.get_mut(used).filter(|_| !piece.is_empty()) {
                *slice = IoSlice::new(piece);
                (used, room) = (used + 1, room - piece.len());
            }
        };
        for (before, array) in &self.arrays {
            add(&self.bytes[from..*before]);
            add(array);
            from = *before;
        }
        add(&self.bytes[from..]);
        used
    }

    /// So many bytes are sent.
    pub(super) fn sent(&mut self, count: usize) {
        let mut left = count.min(self.pending());
        while left > 0 {
            let piece = left.min(self.next().len());
            left -= piece;
            match self.arrays.front_mut() {
                Some((before, array)) if self.sent >= *before => {
                    array.advance(piece);
                    self.shared -= piece;
                    if array.is_empty() {
                        self.arrays.pop_front();
                    }
                }
                _ => self.sent += piece,
            }
        }
        self.tidy_up();
    }

    /// Gives back the memory of answers that are sent.
    fn tidy_up(&mut self) {
        let unsent = self.bytes.len() - self.sent;
        if unsent == 0 && self.arrays.is_empty() {
            self.bytes.clear();
            // The room of a large answer is given back; answers of usual length keep theirs.
            self.bytes.shrink_to(SMALL);
        } else if self.sent > unsent {
            // Bytes that a slow client has read must not stay in front of bytes that it has not.
            self.bytes.drain(..self.sent);
            self.arrays.iter_mut().for_each(|(before, _)| *before -= self.sent);
        } else {
            return;
        }
        self.sent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers and arrays in turns: the client gets them in this order, however few bytes are taken at once.
    #[test]
    fn answers_and_arrays_keep_their_order() {
        for step in [1, 7, 100, 20_000, 1 << 20] {
            let (mut output, mut wanted, mut found) = (Output::default(), Vec::new(), Vec::new());
            for round in 0..5_u8 {
                let answer = vec![round; usize::from(round) * 40];
                let array = vec![100 + round; SHARED + usize::from(round)];
                output.bytes.extend(&answer);
                output.share(array.clone().into());
                wanted.extend([answer, array].concat());
                take(&mut output, step, &mut found);
            }
            output.bytes.extend([200; 10]);
            wanted.extend([200; 10]);
            while output.pending() > 0 {
                take(&mut output, step, &mut found);
            }
            assert!(found == wanted, "{step}");
            assert!(output.next().is_empty() && output.held() <= SMALL);
        }
    }

    fn take(output: &mut Output, step: usize, found: &mut Vec<u8>) {
        let mut slices = [IoSlice::new(&[]); 3];
        let used = output.slices(&mut slices, step);
        let before = found.len();
        slices[..used].iter().for_each(|slice| found.extend(&**slice));
        let taken = found.len() - before;
        assert!(
            taken > 0
                && taken <= step
                && found[before..].starts_with(&output.next()[..taken.min(output.next().len())])
        );
        output.sent(taken);
    }
}
