//! Parameters of `trigger_candidate`.

use livetime_engine::{NodeError, Params};

use super::kinds::{MOST_TICKS, Readout, parse_coincidences, parse_kinds, parse_windows};
use super::merge::Rules;

/// Parameters of `trigger_candidate`.
#[derive(Params)]
pub struct TriggerCandidateParams {
    /// Edges that lead to the node, one trigger algorithm to each: to in, in2 and so on, or several of them to one input. Nothing is decided
    /// before all have been heard of.
    #[param(default = 1, min = 1, max = 10_000)]
    pub inputs: usize,
    /// A stream that is silent for this long while others are not is not waited for any more; 0: all are waited for.
    #[param(default = 0.0, min = 0.0, max = 3600.0, unit = "s")]
    pub dead_after: f64,
    /// Readout before the time of a candidate.
    #[param(default = 12_500, min = 0, max = MOST_TICKS, unit = "ticks")]
    pub before: u64,
    /// Readout after the time of a candidate.
    #[param(default = 137_500, min = 0, max = MOST_TICKS, unit = "ticks")]
    pub after: u64,
    /// Readout of kinds that have their own, such as `supernova -500000000 +4500000000, prescale -1000 +1000`. Decisions have to wait
    /// for the longest time before a candidate that is named here.
    pub windows: String,
    /// How long after its first activity a trigger merges with others that overlap it.
    #[param(default = 500_000, min = 0, max = MOST_TICKS, unit = "ticks")]
    pub buffer: u64,
    /// A trigger does not take in others that would make its window longer.
    #[param(default = 500_000, min = 0, max = MOST_TICKS, unit = "ticks")]
    pub readout_limit: u64,
    /// Kinds that make no triggers, such as `prescale, bundle`.
    pub ignore: String,
    /// A trigger must hold all kinds of one of these coincidences, such as `adjacency + plane_coincidence,
    /// supernova`; empty: no coincidence is required.
    pub require: String,
    /// One trigger of this many is let through.
    #[param(default = 1, min = 1)]
    pub prescale: u64,
    /// Time after the start of a trigger in which there is no other.
    #[param(default = 0, min = 0, max = MOST_TICKS, unit = "ticks")]
    pub hold_off: u64,
    /// The most triggers that are read out at the same time; while they are, there are no others.
    #[param(default = 100, min = 1)]
    pub most_open: u32,
    /// How long after the end of its window a trigger counts as being read out.
    #[param(default = 0, min = 0, max = MOST_TICKS, unit = "ticks")]
    pub record_time: u64,
    /// Length of a tick of the clock: 20 for WIB1, 16 for WIB2 and WIBEth.
    #[param(default = 20, min = 1, max = 1_000_000, unit = "ns")]
    pub tick_ns: u64,
    /// Activities and triggers held at most; while there are as many, further activities are left out and counted.
    #[param(default = 65_536, min = 1, max = 10_000_000)]
    pub most_held: usize,
    /// Activities so far.
    #[param(readback, count)]
    pub activities: u64,
    /// Activities so far that came before the watermark of their sender; they were left out.
    #[param(readback, count)]
    pub late: u64,
    /// Activities left out so far because `most_held` were held.
    #[param(readback, count)]
    pub left_out: u64,
    /// Activities so far of kinds to be ignored.
    #[param(readback, count)]
    pub ignored: u64,
    /// Triggers so far that held none of the required coincidences.
    #[param(readback, count)]
    pub no_coincidence: u64,
    /// Triggers so far that the prescale left out.
    #[param(readback, count)]
    pub prescaled: u64,
    /// Triggers so far that came in the hold-off of another.
    #[param(readback, count)]
    pub held_off: u64,
    /// Triggers so far that came while `most_open` were being read out.
    #[param(readback, count)]
    pub while_dead: u64,
    /// Triggers let through so far.
    #[param(readback, count)]
    pub decisions: u64,
    /// Triggers that are being read out.
    #[param(readback)]
    pub open: u32,
    /// Streams that have been heard of.
    #[param(readback)]
    pub inputs_heard: usize,
    /// Streams that are dead now.
    #[param(readback)]
    pub inputs_dead: usize,
    /// Times that a stream was declared dead.
    #[param(readback, count)]
    pub deaths: u64,
    /// Time of the data in which triggers were let through. It sums with paused and dead time to all time that is decided on.
    #[param(readback, unit = "ms")]
    pub live_ms: f64,
    /// Time of the data in the hold-off of triggers.
    #[param(readback, unit = "ms")]
    pub paused_ms: f64,
    /// Time of the data in which `most_open` triggers were being read out.
    #[param(readback, unit = "ms")]
    pub dead_ms: f64,
}

/// The parsed text parameters.
pub(super) struct Texts {
    pub(super) rules: Rules,
    pub(super) ignore: u64,
    pub(super) require: Vec<u64>,
}

impl TriggerCandidateParams {
    /// Reads the texts.
    ///
    /// # Errors
    /// [`NodeError`] that names the invalid part.
    pub(super) fn texts(&self) -> Result<Texts, NodeError> {
        let rules = Rules {
            readout: Readout { before: self.before, after: self.after },
            windows: parse_windows(&self.windows).map_err(|e| e.of_param("windows"))?,
            buffer: self.buffer,
            limit: self.readout_limit,
        };
        Ok(Texts {
            rules,
            ignore: parse_kinds(&self.ignore, ',').map_err(|e| e.of_param("ignore"))?,
            require: parse_coincidences(&self.require).map_err(|e| e.of_param("require"))?,
        })
    }
}
