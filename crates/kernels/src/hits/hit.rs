//! Hits, and the buffer for them.

/// A pulse on one channel. Times are in ticks of the samples, amplitudes in counts of the ADC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Hit {
    /// First tick over the threshold, on the scale of the `first` that came with the samples.
    pub start: i64,
    /// Sum over the ticks over the threshold.
    pub sum: i32,
    /// Ticks over the threshold.
    pub over: u16,
    /// Ticks from `start` to the peak; 0 in the seed's algorithm, which does not look for it.
    pub to_peak: u16,
    /// Highest value; 0 in the seed's algorithm.
    pub peak: i16,
    /// Position of the channel in the row of samples.
    pub channel: u16,
    /// [`Hit::CUT`], [`Hit::GAP`], or 0.
    pub flags: u16,
    /// Ticks from [`Hit::end`] to the tick at which it was known that the hit has ended.
    pub late: u16,
}

impl Hit {
    /// Flag: the pulse was still over the threshold when the hit was ended because of its length. The rest of the pulse
    /// may be another hit.
    pub const CUT: u16 = 1;
    /// Flag: the hit was ended because the stream was interrupted.
    pub const GAP: u16 = 2;

    /// First tick that is not over the threshold any more.
    ///
    /// ```
    /// use livetime_kernels::hits::Hit;
    /// assert_eq!(Hit { start: 100, over: 7, ..Hit::default() }.end(), 107);
    /// ```
    pub fn end(&self) -> i64 {
        self.start.wrapping_add(i64::from(self.over))
    }
}

/// Memory for hits, which never grows: a hit that finds no room is counted and lost.
///
/// ```
/// use livetime_kernels::hits::HitBuffer;
/// let buffer = HitBuffer::with_capacity(1000);
/// assert!(buffer.hits().is_empty() && buffer.lost() == 0);
/// ```
#[derive(Debug, Default)]
pub struct HitBuffer {
    hits: Vec<Hit>,
    /// Working memory, as large.
    unordered: Vec<Hit>,
    lost: u64,
}

impl HitBuffer {
    /// Room for `capacity` hits. `channels · (ticks + 1) / 2` is enough for any samples of one call.
    pub fn with_capacity(capacity: usize) -> HitBuffer {
        HitBuffer { hits: Vec::with_capacity(capacity), unordered: Vec::with_capacity(capacity), lost: 0 }
    }

    /// All hits since the last [`HitBuffer::clear`]. Hits of one call are ordered by the tick at which their end was
    /// found, then by channel; so the order does not depend on how a stream is cut into calls.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// Hits that found no room, since the buffer was made.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Clears the hits; keeps the memory and the count of lost hits.
    pub fn clear(&mut self) {
        self.hits.clear();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, hit: Hit) {
        if self.hits.len() < self.hits.capacity() {
            self.hits.push(hit);
        } else {
            self.lost += 1;
        }
    }

    /// Orders the hits from position `from` on, which were found in `ticks` ticks from `first` on. Hits of the same
    /// tick are in order already.
    pub(super) fn order(&mut self, from: usize, first: i64, ticks: usize) {
        let Some(new) = self.hits.get_mut(from..).filter(|new| new.len() > 1) else { return };
        let found = |hit: &Hit| hit.end().wrapping_sub(first).wrapping_add(hit.late.into());
        if ticks > BUCKETS {
            // A stable sort takes memory; here the channel decides between hits of one tick.
            new.sort_unstable_by_key(|hit| found(hit) << 16 | i64::from(hit.channel));
            return;
        }
        let bucket = |hit: &Hit| (found(hit) as usize).min(BUCKETS - 1);
        let mut begins = [0u32; BUCKETS + 1];
        for hit in &*new {
            begins[bucket(hit) + 1] += 1;
        }
        for i in 1..=BUCKETS {
            begins[i] += begins[i - 1];
        }
        self.unordered.clear();
        self.unordered.extend_from_slice(new);
        // In the order of `new`, so that hits of one tick keep theirs.
        for hit in &self.unordered {
            let place = &mut begins[bucket(hit)];
            new[*place as usize] = *hit;
            *place += 1;
        }
    }
}

/// Ticks that are ordered by counting.
const BUCKETS: usize = 64;
