//! The rows of the tables of wire readout.

use super::table::row;

row! {
    /// A hit: a pulse on one wire.
    HitRow {
        /// When the pulse came over the threshold, ticks of the clock; the filter's delay is taken off.
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
        /// [`HitRow::CUT`], [`HitRow::GAP`], [`HitRow::FAULTY`], [`HitRow::SATURATED`], or several, or 0.
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
    /// What became of a piece of the time of a link.
    LedgerRow {
        /// Number of the link in the run.
        link: u16,
        /// Begin, ticks of the clock.
        begin: u64,
        /// End, which does not belong to it.
        end: u64,
        /// [`super::State`] as a number.
        state: u8,
        /// More about it, as [`livetime_formats::wib::Faults::bits`]: the faults of a corrupt frame; of absent and dropped time those of what
        /// came instead and was not used; else 0.
        bits: u32,
    }
}

row! {
    /// What a trigger algorithm found: hits that belong together.
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
