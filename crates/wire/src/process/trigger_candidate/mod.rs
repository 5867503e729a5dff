//! `trigger_candidate`: the activities of trigger algorithms become triggers, each a window of time to be read out.
//!
//! In: tables of [`ActivityRow`] with `watermark`, one algorithm to an input. Out: tables of [`DecisionRow`], numbered from 1 on without gaps, with
//! `watermark`: no window begins before it any more. One table for every one that brought decisions or a later watermark.
//!
//! An activity stands for a candidate of its kind at its time, with that kind's window around it. Candidates in order of time merge with those they
//! overlap (`buffer`, `readout_limit`). A merged candidate must hold a required coincidence (`require`), is counted by the `prescale`, and is let
//! through if no other was in the `hold_off` before, and fewer than `most_open` are being read out. Each activity and each trigger that is
//! not let through is counted with the reason.
//!
//! All is reckoned in the time of the data, which the smallest watermark of all inputs moves on, so the same activities give the same
//! decisions however and whenever they come. Live, paused and dead time sum to the time that is decided on. A trigger counts as being read
//! out until `record_time` after its window.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::trigger_candidate::TriggerCandidate;
//! use livetime_wire::{ActivityRow, DecisionRow, RowTable};
//!
//! let mut node = Harness::new::<TriggerCandidate>(&[("windows", "adjacency -100 +900".into())])?;
//! let activity = |time| ActivityRow { time_start: time, time_activity: time, kind: 24, ..ActivityRow::default() };
//! let (rows, mut out) = ([activity(5000), activity(5500)], Vec::new());
//! let table = RowTable::with(node.pool(), &rows, None, 6_000_000)?;
//! RowTable::<DecisionRow>::default().read(&node.feed(&table)?[0], &mut out)?;
//! assert_eq!((out[0].number, out[0].window_begin, out[0].window_end), (1, 4900, 6400));
//! assert_eq!((out[0].activities, out[0].has_kind(24)), (2, true));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod gate;
mod kinds;
mod merge;
mod params;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use livetime_engine::{Context, Node, NodeError, NodeSpec, PortSpec};
use livetime_frame::Frame;

use crate::{ActivityRow, DecisionRow, RowTable, inherit_times, watermark_of};
use gate::{Gate, State};
use merge::{Merged, Merger};
use params::Texts;
pub use params::TriggerCandidateParams;

const INPUTS: usize = 8;

/// Makes triggers of activities.
pub struct TriggerCandidate {
    params: TriggerCandidateParams,
    texts: Texts,
    table: RowTable<ActivityRow>,
    activities: Vec<ActivityRow>,
    /// The largest input watermark, ignoring `u64::MAX`.
    latest: u64,
    /// The watermark of each input that has been heard of.
    watermarks: [Option<u64>; INPUTS],
    /// How many epochs of time each input is ahead of the one that is decided on.
    ahead: [usize; INPUTS],
    /// Activities of the epochs to come.
    later: VecDeque<Vec<ActivityRow>>,
    merger: Merger,
    merged: Vec<Merged>,
    /// Triggers that the prescale has counted.
    counted: u64,
    gate: Gate,
    decisions: RowTable<DecisionRow>,
    rows: Vec<DecisionRow>,
    /// The watermark that was sent.
    sent: Option<u64>,
    /// The latest table; the last decisions copy its identity.
    last: Option<Frame>,
}

impl TriggerCandidate {
    /// Takes in activities; none of them may be before `known`.
    fn take(&mut self, activities: &[ActivityRow], known: u64, ctx: &Context) {
        for activity in activities {
            let p = &mut self.params;
            p.activities += 1;
            if activity.time_start < known {
                p.late += 1;
                ctx.late(1);
                if p.late.is_power_of_two() {
                    ctx.tell_error(format!(
                        "wanted activities not before the watermark {known}, found one of algorithm {} at {}; {} so far",
                        activity.algorithm, activity.time_start, p.late
                    ));
                }
            } else if self.texts.ignore & kinds::bit(activity.kind) != 0 {
                p.ignored += 1;
            } else if self.merger.held() >= p.most_held {
                p.left_out += 1;
                ctx.late(1);
            } else {
                self.merger.add(activity);
            }
        }
    }

    /// The smallest watermark of all inputs; `None` while one has not been heard of.
    fn known(&self) -> Option<u64> {
        let connected = self.watermarks.iter().zip(self.ahead).take(self.params.inputs.min(INPUTS));
        connected
            .map(|(watermark, ahead)| if ahead > 0 { Some(u64::MAX) } else { *watermark })
            .min()
            .flatten()
    }

    /// Takes in the activities of an input. When its watermark goes back, its clock was set back: from then on its activities wait until all other inputs have
    /// come to that epoch of time.
    fn follow(&mut self, input: usize, watermark: u64, ctx: &Context) {
        let known = self.watermarks[input].replace(watermark).unwrap_or(0);
        self.ahead[input] += usize::from(watermark < known);
        let activities = std::mem::take(&mut self.activities);
        match self.ahead[input].checked_sub(1) {
            None => {
                self.take(&activities, known, ctx);
                if watermark < u64::MAX {
                    self.latest = self.latest.max(watermark);
                }
            }
            Some(epoch) => {
                if self.later.len() <= epoch {
                    self.later.resize_with(epoch + 1, Vec::new);
                }
                self.later[epoch].extend_from_slice(&activities);
            }
        }
        self.activities = activities;
    }

    /// All inputs have left the epoch: the held activities are decided on, and the next epoch begins.
    fn begin_epoch(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let merged = &mut self.merged;
        self.merger.finish(&self.texts.rules, |m| merged.push(m));
        self.decide_all();
        self.gate.advance(self.latest, self.params.most_open);
        let sent = self.send(self.latest, ctx);
        self.gate.begin_epoch();
        (self.latest, self.sent) = (0, None);
        self.ahead.iter_mut().for_each(|ahead| *ahead = ahead.saturating_sub(1));
        let activities = self.later.pop_front().unwrap_or_default();
        self.take(&activities, 0, ctx);
        let of_epoch = self.watermarks.iter().zip(self.ahead).filter(|(_, ahead)| *ahead == 0);
        let told = of_epoch.filter_map(|(watermark, _)| *watermark).filter(|watermark| *watermark < u64::MAX);
        self.latest = told.max().unwrap_or(0);
        sent
    }

    fn decide_until(&mut self, known: u64) {
        let merged = &mut self.merged;
        self.merger.until(known, &self.texts.rules, |m| merged.push(m));
        self.decide_all();
        // At the end a sender promises all time there is.
        self.gate.advance(self.merger.oldest(known).min(self.latest), self.params.most_open);
    }

    fn decide_all(&mut self) {
        for at in 0..self.merged.len() {
            let merged = self.merged[at];
            self.decide(&merged);
        }
        self.merged.clear();
    }

    fn decide(&mut self, merged: &Merged) {
        let p = &mut self.params;
        self.gate.advance(merged.opened, p.most_open);
        let require = &self.texts.require;
        if !require.is_empty() && !require.iter().any(|kinds| merged.kinds & kinds == *kinds) {
            p.no_coincidence += 1;
            return;
        }
        self.counted += 1;
        if self.counted < p.prescale {
            p.prescaled += 1;
            return;
        }
        self.counted = 0;
        match self.gate.state_now(p.most_open) {
            State::Paused => p.held_off += 1,
            State::Dead => p.while_dead += 1,
            State::Live => {
                self.gate.pass(p.hold_off, merged.end.saturating_add(p.record_time));
                p.decisions += 1;
                self.rows.push(DecisionRow {
                    number: p.decisions,
                    // A parameter may have made windows longer since the watermark was sent.
                    window_begin: merged.begin.max(self.sent.unwrap_or(0)),
                    window_end: merged.end,
                    time_candidate: merged.time_candidate,
                    kinds: merged.kinds,
                    activities: merged.activities,
                });
            }
        }
    }

    fn show(&mut self) {
        let ms = |ticks: u64| ticks as f64 * self.params.tick_ns as f64 / 1e6;
        let [live, paused, dead] = [State::Live, State::Paused, State::Dead].map(|s| ms(self.gate.ticks(s)));
        let p = &mut self.params;
        (p.live_ms, p.paused_ms, p.dead_ms, p.open) = (live, paused, dead, self.gate.open());
    }

    /// Sends the decisions, and the time up to which all is decided.
    fn send(&mut self, known: u64, ctx: &mut Context) -> Result<(), NodeError> {
        self.show();
        let bound = self.merger.earliest(known, &self.texts.rules).max(self.sent.unwrap_or(0));
        if self.rows.is_empty() && self.sent == Some(bound) {
            return Ok(());
        }
        let mut table = self.decisions.frame(&self.rows, ctx)?;
        self.rows.clear();
        if let Some(last) = &self.last {
            inherit_times(&mut table, last);
        }
        self.decisions.set_watermark(&mut table, bound);
        self.sent = Some(bound);
        ctx.emit(table)
    }
}

impl Node for TriggerCandidate {
    type Params = TriggerCandidateParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "trigger_candidate",
        "Makes triggers, windows of time to be read out, of the activities of trigger algorithms.",
        &[
            PortSpec::table("in"),
            PortSpec::table("in2"),
            PortSpec::table("in3"),
            PortSpec::table("in4"),
            PortSpec::table("in5"),
            PortSpec::table("in6"),
            PortSpec::table("in7"),
            PortSpec::table("in8"),
        ],
        &[PortSpec::table("decisions")],
    );

    fn new(params: TriggerCandidateParams) -> Result<TriggerCandidate, NodeError> {
        Ok(TriggerCandidate {
            texts: params.texts()?,
            params,
            table: RowTable::default(),
            activities: Vec::new(),
            latest: 0,
            watermarks: [None; INPUTS],
            ahead: [0; INPUTS],
            later: VecDeque::new(),
            merger: Merger::default(),
            merged: Vec::new(),
            counted: 0,
            gate: Gate::default(),
            decisions: RowTable::default(),
            rows: Vec::new(),
            sent: None,
            last: None,
        })
    }

    fn params(&mut self) -> &mut TriggerCandidateParams {
        &mut self.params
    }

    fn changed(&mut self, _index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        self.texts = self.params.texts()?;
        Ok(())
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.table.read(frame, &mut self.activities)?;
        let watermark = watermark_of(frame).ok_or_else(|| {
            NodeError::new(
                "wanted activities with the attribute `watermark`, found none; trigger algorithms send it",
            )
        })?;
        if input >= self.params.inputs {
            return Err(NodeError::new(format_args!(
                "wanted `inputs: {}` or more in the parameters, found {}",
                input + 1,
                self.params.inputs
            )));
        }
        self.follow(input, watermark, ctx);
        self.last = Some(frame.clone());
        if self.known() == Some(u64::MAX) && self.ahead[input] > 0 {
            self.begin_epoch(ctx)?;
        }
        let Some(known) = self.known() else { return Ok(()) };
        self.decide_until(known);
        self.send(known, ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let unheard =
            self.watermarks[..self.params.inputs.min(INPUTS)].iter().filter(|w| w.is_none()).count();
        if unheard > 0 && self.last.is_some() {
            ctx.tell_error(format!(
                "{unheard} of {} inputs have never been heard of; is the parameter `inputs` right?",
                self.params.inputs
            ));
        }
        let merged = &mut self.merged;
        self.merger.finish(&self.texts.rules, |m| merged.push(m));
        self.decide_all();
        self.gate.advance(self.latest, self.params.most_open);
        while !self.later.is_empty() {
            self.begin_epoch(ctx)?;
            let merged = &mut self.merged;
            self.merger.finish(&self.texts.rules, |m| merged.push(m));
            self.decide_all();
        }
        self.send(u64::MAX, ctx)
    }

    fn stop(&mut self) {
        self.last = None;
    }
}
