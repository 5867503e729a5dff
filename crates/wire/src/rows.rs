//! The rows of the tables of wire readout.

use std::cmp::Reverse;

use livetime_formats::trigger::{TriggerActivity, TriggerCandidate};

use super::table::row;

row! {
    /// A hit: a pulse on one wire.
    HitRow {
        /// When the pulse came over the threshold, ticks of the clock. The delay of the filter is subtracted, except
        /// for hits of the algorithm `seed`, which are 5 samples late as in the original.
        time_start: u64,
        /// Offline number of the wire; without a channel map, 65536 · link + channel of the frame.
        channel: u32,
        /// Sum over the samples over the threshold, counts.
        adc_integral: u32,
        /// Highest value, counts.
        adc_peak: u16,
        /// Samples over the threshold.
        samples_over: u16,
        /// Samples from the start to the peak.
        samples_to_peak: u16,
        /// Link that the wire is read by.
        link: u16,
        /// Plane: 0 and 1 induction, 2 collection.
        plane: u8,
        /// [`HitRow::CUT`], [`HitRow::GAP`], [`HitRow::FAULTY`], [`HitRow::SATURATED`], [`HitRow::OPEN`], or several, or 0.
        flags: u8,
    }
}

impl HitRow {
    /// Flag: the pulse was still over the threshold when the hit was ended because of its length.
    pub const CUT: u8 = 1;
    /// Flag: the hit was ended because frames are missing.
    pub const GAP: u8 = 2;
    /// Flag: a frame under the hit has faults.
    pub const FAULTY: u8 = 4;
    /// Flag: the sum does not fit and is its highest value.
    pub const SATURATED: u8 = 8;
    /// Flag: the pulse was still over the threshold when the run ended.
    pub const OPEN: u8 = 16;

    /// Time of the peak, ticks of the clock that gives a sample every `sample_step`.
    pub fn time_peak(&self, sample_step: u64) -> u64 {
        self.time_start.saturating_add(sample_step * u64::from(self.samples_to_peak))
    }

    /// When the pulse was below the threshold again.
    pub fn time_end(&self, sample_step: u64) -> u64 {
        self.time_start.saturating_add(sample_step * u64::from(self.samples_over))
    }
}

row! {
    /// The state of a piece of the time of a link.
    LedgerRow {
        /// Number of the link in the run.
        link: u16,
        /// Begin, ticks of the clock.
        begin: u64,
        /// End, which does not belong to it.
        end: u64,
        /// [`super::State`] as a number.
        state: u8,
        /// More about it, as [`livetime_formats::wib::Faults::bits`]: the faults of a corrupt frame. For absent and dropped
        /// time, the faults of the unused frames that came in its place. Else 0.
        bits: u32,
    }
}

row! {
    /// The result of a trigger algorithm: hits that belong together.
    ActivityRow {
        /// First hit, ticks of the clock.
        time_start: u64,
        /// End of the last hit.
        time_end: u64,
        /// Time of the highest hit's peak.
        time_peak: u64,
        /// When the algorithm's condition was fulfilled: the time that a trigger is for.
        time_activity: u64,
        /// Sum over the hits, counts.
        adc_integral: u64,
        /// Lowest offline channel.
        channel_start: u32,
        /// Highest offline channel.
        channel_end: u32,
        /// Channel of the highest hit.
        channel_peak: u32,
        /// Hits.
        hits: u32,
        /// Highest value, counts.
        adc_peak: u16,
        /// Number of the algorithm: as in [`livetime_formats::trigger::TriggerActivity::algorithm`].
        algorithm: u16,
        /// Kind of candidate that follows from it: 2 low energy, 3 supernova, 5 prescale, 6 ADC window, 7 horizontal muon,
        /// 8 Michel, 9 plane coincidence, 10 DBSCAN, 11 channel distance, 24 adjacency.
        kind: u16,
    }
}

impl ActivityRow {
    /// An activity of one hit, on a clock that gives a sample every `sample_step`. The activity's time is the hit's
    /// start.
    pub fn of(hit: &HitRow, sample_step: u64) -> ActivityRow {
        ActivityRow {
            time_start: hit.time_start,
            time_end: hit.time_end(sample_step),
            time_peak: hit.time_peak(sample_step),
            time_activity: hit.time_start,
            adc_integral: hit.adc_integral.into(),
            channel_start: hit.channel,
            channel_end: hit.channel,
            channel_peak: hit.channel,
            hits: 1,
            adc_peak: hit.adc_peak,
            ..ActivityRow::default()
        }
    }

    /// Adds the hits of another activity; time, algorithm and kind stay. Of equal peaks the first in time is kept, then
    /// the one of the lowest channel, so that the result does not depend on the order.
    pub fn join(&mut self, other: &ActivityRow) {
        let peak = |a: &ActivityRow| (a.adc_peak, Reverse(a.time_peak), Reverse(a.channel_peak));
        if peak(other) > peak(self) {
            (self.adc_peak, self.time_peak, self.channel_peak) =
                (other.adc_peak, other.time_peak, other.channel_peak);
        }
        self.time_start = self.time_start.min(other.time_start);
        self.time_end = self.time_end.max(other.time_end);
        self.channel_start = self.channel_start.min(other.channel_start);
        self.channel_end = self.channel_end.max(other.channel_end);
        self.adc_integral = self.adc_integral.saturating_add(other.adc_integral);
        self.hits = self.hits.saturating_add(other.hits);
    }

    /// As the experiments' tools store it; `detector` is the number of the detector. Channels beyond 31 bits, which no
    /// detector has, become the highest.
    ///
    /// ```
    /// use livetime_wire::ActivityRow;
    /// let row = ActivityRow { time_activity: 7, channel_end: 99, algorithm: 10, kind: 24, ..ActivityRow::default() };
    /// let record = row.record(3);
    /// assert_eq!((record.time_activity, record.channels[1], record.algorithm), (7, 99, 10));
    /// assert_eq!(record.bytes().len(), 80);
    /// ```
    pub fn record(&self, detector: u16) -> TriggerActivity {
        let channels = [self.channel_start, self.channel_end, self.channel_peak];
        TriggerActivity {
            time_start: self.time_start,
            time_end: self.time_end,
            time_peak: self.time_peak,
            time_activity: self.time_activity,
            channels: channels.map(|c| i32::try_from(c).unwrap_or(i32::MAX)),
            adc_integral: self.adc_integral,
            adc_peak: self.adc_peak,
            detector,
            kind: Self::OF_WIRES,
            algorithm: self.algorithm.into(),
        }
    }

    /// Kind of an activity in records: found on wires. (Activities there have the kinds of primitives, candidates have their own.)
    const OF_WIRES: i32 = 1;
}

row! {
    /// A trigger: a window of time to be read out.
    DecisionRow {
        /// Number of the trigger in the run, from 1 on without gaps.
        number: u64,
        /// Begin of the window, ticks of the clock. The `time_start` of watermarks.
        window_begin: u64,
        /// End of the window, which does not belong to it.
        window_end: u64,
        /// Time of the trigger.
        time_candidate: u64,
        /// Bit `n` for candidates of kind `n`; see [`ActivityRow::kind`].
        kinds: u64,
        /// Activities that made it.
        activities: u32,
    }
}

impl DecisionRow {
    /// Whether a candidate of this kind belongs to it.
    pub fn has_kind(&self, kind: u16) -> bool {
        kind < 64 && self.kinds >> kind & 1 == 1
    }

    /// The kinds of its candidates, lowest first.
    pub fn kinds(&self) -> impl Iterator<Item = u16> + use<> {
        let kinds = self.kinds;
        (0..64).filter(move |kind| kinds >> kind & 1 == 1)
    }

    /// As the experiments' tools store it: a candidate for the window, of the lowest of its kinds, 0 if it has none. `detector` is the
    /// number of the detector.
    ///
    /// ```
    /// use livetime_wire::DecisionRow;
    /// let row = DecisionRow { window_begin: 10, window_end: 90, kinds: 1 << 24, ..DecisionRow::default() };
    /// let record = row.record(3);
    /// assert_eq!((record.time_start, record.time_end, record.kind), (10, 90, 24));
    /// assert_eq!(record.bytes().len(), 48);
    /// ```
    pub fn record(&self, detector: u16) -> TriggerCandidate {
        TriggerCandidate {
            time_start: self.window_begin,
            time_end: self.window_end,
            time_candidate: self.time_candidate,
            detector,
            kind: self.kinds().next().unwrap_or_default().into(),
            algorithm: 0,
        }
    }
}

row! {
    /// A piece of raw data worth keeping: 12 ticks of 16 channels that follow each other in the frame.
    RegionRow {
        /// Time of the first tick, ticks of the clock: a multiple of 12 samples since 1970.
        time_start: u64,
        /// Link.
        link: u16,
        /// Group of channels: 16 · group is the first of them in the frame.
        group: u16,
        /// Bit `n` for channel `n` of the group: marked by a hit.
        channels: u16,
        /// Bit `n` for tick `n`: received. Samples of the others are 0.
        ticks: u16,
    }
}

row! {
    /// A pulse that a simulation put into the samples.
    TruthRow {
        /// When it is highest, ticks of the clock. The `time_start` of watermarks.
        time_peak: u64,
        /// Offline number of the wire.
        channel: u32,
        /// Sum of its positive side, counts.
        adc_integral: u32,
        /// Highest value, counts.
        adc_peak: u16,
        /// Standard deviation of the Gaussian, hundredths of a sample.
        width: u16,
        /// Link that the wire is read by.
        link: u16,
        /// Plane: 0 and 1 induction, 2 collection.
        plane: u8,
        /// 0 test pulse, 1 decay of argon-39, 2 cosmic track.
        origin: u8,
        /// 1 when it swings down before, else 0.
        bipolar: u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(time_start: u64, channel: u32, adc_peak: u16) -> HitRow {
        HitRow {
            time_start,
            channel,
            adc_peak,
            adc_integral: 100,
            samples_over: 4,
            samples_to_peak: 1,
            ..HitRow::default()
        }
    }

    #[test]
    fn joined_in_any_order_an_activity_is_the_same() {
        let rows = [hit(50, 9, 30), hit(25, 4, 70), hit(100, 7, 70)].map(|h| ActivityRow::of(&h, 25));
        let joined = |order: [usize; 3]| {
            let mut row = ActivityRow { time_activity: 0, ..rows[order[0]] };
            order[1..].iter().for_each(|i| row.join(&rows[*i]));
            row
        };
        let row = joined([0, 1, 2]);
        assert_eq!((row.time_start, row.time_end, row.time_peak), (25, 200, 50));
        assert_eq!((row.channel_start, row.channel_end, row.channel_peak), (4, 9, 4));
        assert_eq!((row.hits, row.adc_integral, row.adc_peak), (3, 300, 70));
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            assert_eq!(joined(order), row);
        }
    }

    #[test]
    fn records_hold_what_the_rows_say() {
        let row = ActivityRow {
            channel_start: u32::MAX,
            adc_integral: u64::MAX,
            adc_peak: 5,
            ..ActivityRow::of(&hit(10, 3, 5), 25)
        };
        let record = TriggerActivity::read(&row.record(4).bytes()).unwrap();
        assert_eq!((record.channels, record.adc_integral), ([i32::MAX, 3, 3], u64::MAX));
        assert_eq!((record.time_start, record.time_end, record.detector, record.kind), (10, 110, 4, 1));
        let decision = DecisionRow { kinds: 1 << 7 | 1 << 24, time_candidate: 8, ..DecisionRow::default() };
        let record = TriggerCandidate::read(&decision.record(4).bytes()).unwrap();
        assert_eq!((record.kind, record.time_candidate, record.detector), (7, 8, 4));
        assert!(decision.has_kind(24) && !decision.has_kind(0) && !decision.has_kind(64));
    }
}
