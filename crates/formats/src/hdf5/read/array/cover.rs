//! Whether boxes together cover an array.

/// Marks of the elements of a row.
#[derive(Default)]
pub(super) struct Cover {
    marks: Vec<u64>,
}

impl Cover {
    /// Whether each element of an array of this shape is in at least one of the boxes, which lie in it: begin and
    /// length along each axis. The marks take a bit for each element; the work is at most that of copying the boxes.
    pub(super) fn is_whole(&mut self, shape: &[u64], boxes: &[&[(u64, u64)]]) -> bool {
        let volume = |sizes: &mut dyn Iterator<Item = u64>| sizes.fold(1, u64::saturating_mul);
        let all = volume(&mut shape.iter().copied());
        let each = boxes.iter().map(|lengths| volume(&mut lengths.iter().map(|(_, length)| *length)));
        let each: Vec<u64> = each.collect();
        // Boxes that are too small together need no marks, nor does one that covers all.
        if each.iter().copied().fold(0, u64::saturating_add) < all {
            return false;
        }
        if each.iter().any(|elements| *elements >= all) {
            return true;
        }
        self.marks.clear();
        self.marks.resize(all.div_ceil(64) as usize, 0);
        boxes.iter().for_each(|lengths| self.mark(shape, lengths, 0));
        let marked: u64 = self.marks.iter().map(|word| u64::from(word.count_ones())).sum();
        marked == all
    }

    /// Marks a box, whose first elements lie behind `before` whole parts along the axes before.
    fn mark(&mut self, shape: &[u64], lengths: &[(u64, u64)], before: u64) {
        let ([size, shape @ ..], [(begin, length), lengths @ ..]) = (shape, lengths) else {
            return self.set(before, 1);
        };
        let first = before * size + begin;
        if shape.is_empty() {
            return self.set(first, *length);
        }
        (first..first + length).for_each(|before| self.mark(shape, lengths, before));
    }

    fn set(&mut self, first: u64, count: u64) {
        let end = first + count;
        let mut at = first;
        while at < end {
            let (word, bit) = ((at / 64) as usize, at % 64);
            let bits = (64 - bit).min(end - at);
            // A shift by 64 is not defined.
            let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            if let Some(word) = self.marks.get_mut(word) {
                *word |= ones << bit;
            }
            at += bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_whole_when_each_element_is_in_a_box(
            shape in (1..5u64, 1..4u64, 1..70u64),
            boxes in prop::collection::vec(
                ((0..5u64, 1..6u64), (0..4u64, 1..5u64), (0..70u64, 1..71u64)), 0..12,
            ),
        ) {
            let shape = [shape.0, shape.1, shape.2];
            let within = |(begin, length): (u64, u64), size: u64| {
                let begin = begin % size;
                (begin, length.min(size - begin))
            };
            let boxes: Vec<Vec<(u64, u64)>> = boxes
                .into_iter()
                .map(|(z, y, x)| vec![within(z, shape[0]), within(y, shape[1]), within(x, shape[2])])
                .collect();
            let has = |one: &[(u64, u64)], place: [u64; 3]| {
                one.iter().zip(place).all(|((begin, length), at)| (*begin..begin + length).contains(&at))
            };
            let rows = (0..shape[0]).flat_map(|z| (0..shape[1]).map(move |y| [z, y]));
            let mut places = rows.flat_map(|[z, y]| (0..shape[2]).map(move |x| [z, y, x]));
            let wanted = places.all(|place| boxes.iter().any(|one| has(one, place)));
            let given: Vec<&[(u64, u64)]> = boxes.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(Cover::default().is_whole(&shape, &given), wanted);
        }
    }

    #[test]
    fn a_row_of_one_value_is_whole_with_any_mapping() {
        assert!(Cover::default().is_whole(&[], &[&[]]));
        assert!(!Cover::default().is_whole(&[], &[]));
    }
}
