//! Tables of the taps along a row of bytes, and the portable loops over them.

use super::taps::{MOST, Taps};

/// Samples of the output that are made together.
pub(super) const GROUP: usize = 16;

/// Bytes of the input that half a group may be taken from.
pub(super) const WINDOW: usize = 16;

/// Digits of 1/64 and of the weights.
pub(super) const COARSE: u32 = 6;

/// Bits of the fine part of a weight, below the coarse part.
pub(super) const FINE: u32 = 7;

/// Weights of two taps.
pub(super) type Pairs = [[i8; 2]; GROUP];

/// The steps that make a row, [`GROUP`] samples at a time. A list for each purpose: together they must fit into the L1 cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Where the first tap of each sample lies in the row.
    pub(super) starts: Vec<[u32; GROUP]>,
    /// Where the window of each half begins.
    pub(super) windows: Vec<[u32; 2]>,
    /// Which bytes of the window are the first two taps of each sample.
    pub(super) places: Vec<[[u8; 2]; GROUP]>,
    /// Coarse and fine parts of the weights of the first two taps, and of the last two where there are four.
    pub(super) weights: Vec<Vec<[Pairs; 2]>>,
    /// Bytes from one tap to the next.
    pub(super) samples: usize,
    /// Added to every sum: half a step, and the mean of the bits that are cut off.
    pub(super) half: i16,
    /// Whether the taps of every half of a group lie within a window.
    pub(super) narrow: bool,
    /// Whether any weight has a fine part; there is none with factors of 2, 4, 8.
    pub(super) fine: bool,
    /// Where the last window ends.
    pub(super) reach: usize,
}

/// The weights in parts of `one`; the weights of each element add up to it.
pub(super) fn quantised(taps: &Taps<f64>, one: i32) -> Taps<i32> {
    let mut parts = taps.map(|w| (w * f64::from(one)).round() as i32);
    parts.each_mut(|weights| {
        let missing = one - weights.iter().sum::<i32>();
        // The largest weight takes the rounding of all: there it is the smallest part.
        if let Some(largest) = weights.iter_mut().max() {
            *largest += missing;
        }
    });
    parts
}

impl Groups {
    pub(super) fn new(columns: &Taps<f64>, samples: usize, half: i16) -> Groups {
        let pairs = columns.most().div_ceil(2);
        let columns = quantised(columns, 1 << (COARSE + FINE));
        let mut groups = Groups { samples, half, weights: vec![Vec::new(); pairs], ..Groups::default() };
        for start in (0..columns.len() * samples).step_by(GROUP) {
            groups.push(&columns, start);
        }
        let places = groups.places.as_flattened().as_flattened();
        let parts = groups.weights.iter().flatten();
        groups.fine = parts.into_iter().any(|[_, fine]| fine.as_flattened().iter().any(|w| *w != 0));
        let last = groups.windows.as_flattened().iter().copied().max().unwrap_or(0) as usize;
        groups.reach = last + 2 * pairs.saturating_sub(1) * samples + WINDOW;
        groups.narrow = places.iter().all(|place| usize::from(*place) < WINDOW);
        groups
    }

    /// The group of samples from `start` on; samples behind the end of the row repeat the last one.
    fn push(&mut self, columns: &Taps<i32>, start: usize) {
        let last = columns.len() * self.samples - 1;
        let mut starts = [0; GROUP];
        let mut weights = [[[[0; 2]; GROUP]; 2]; MOST / 2];
        for i in 0..GROUP {
            let sample = (start + i).min(last);
            let (first, taps) = columns.of(sample / self.samples);
            starts[i] = (first * self.samples + sample % self.samples) as u32;
            for (tap, weight) in taps.iter().enumerate() {
                // To the nearest, so that the fine part lies from −64 to 63.
                let coarse = (weight + (1 << (FINE - 1))) >> FINE;
                weights[tap / 2][0][i][tap % 2] = coarse as i8;
                weights[tap / 2][1][i][tap % 2] = (weight - (coarse << FINE)) as i8;
            }
        }
        let window = |half: &[u32]| half.iter().copied().min().unwrap_or(0);
        let windows = [window(&starts[..GROUP / 2]), window(&starts[GROUP / 2..])];
        self.places.push(std::array::from_fn(|i| {
            let place = (starts[i] - windows[i / (GROUP / 2)]) as usize;
            // A place beyond the window only has to say that the group is not narrow.
            [place, place + self.samples].map(|p| p.min(usize::from(u8::MAX)) as u8)
        }));
        self.starts.push(starts);
        self.windows.push(windows);
        for (list, weights) in self.weights.iter_mut().zip(weights) {
            list.push(weights);
        }
    }
}

pub(super) fn along_row_portable(row: &[u8], groups: &Groups, to: &mut [[i16; GROUP]]) {
    for (g, to) in to.iter_mut().enumerate() {
        *to = [groups.half; GROUP];
        for (pair, weights) in groups.weights.iter().enumerate() {
            let row = &row[2 * pair * groups.samples..];
            let (starts, [coarse, fine]) = (&groups.starts[g], &weights[g]);
            for i in 0..GROUP {
                let place = starts[i] as usize;
                let taps = [row[place], row[place + groups.samples]].map(i16::from);
                let product = |w: [i8; 2]| taps[0] * i16::from(w[0]) + taps[1] * i16::from(w[1]);
                to[i] += product(coarse[i]) + (product(fine[i]) >> FINE);
            }
        }
    }
}

pub(super) fn blend_rows_portable<const N: usize>(
    rows: [&[i16]; N],
    weights: [i16; N],
    digits: u32,
    to: &mut [u8],
) {
    let mut blocks = rows.map(|row| row[..to.len()].chunks(2 * GROUP));
    for to in to.chunks_mut(2 * GROUP) {
        let mut sums = [0; 2 * GROUP];
        for (blocks, weight) in blocks.iter_mut().zip(weights) {
            for (sum, v) in sums.iter_mut().zip(blocks.next().unwrap_or_default()) {
                // The upper half of the product, as the vector instruction gives it.
                *sum += ((i32::from(*v) * i32::from(weight)) >> 16) as i16;
            }
        }
        for (to, sum) in to.iter_mut().zip(sums) {
            *to = (sum >> digits).clamp(0, 255) as u8;
        }
    }
}
