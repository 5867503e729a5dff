//! `trigger_candidate`: the activities of trigger algorithms become triggers, each a window of time to be read out.
//!
//! In: tables of [`ActivityRow`] with `watermark`; each edge is one algorithm's, and several edges may lead to one input. Out: tables of [`DecisionRow`], numbered from 1 on without gaps, with
//! `watermark`: no window begins before it any more. One table for every one that brought decisions or a later watermark.
//!
//! An activity stands for a candidate of its kind at its time, with that kind's window around it. Candidates in order of time merge with those they
//! overlap (`buffer`, `readout_limit`). A merged candidate must hold a required coincidence (`require`), is counted by the `prescale`, and is let
//! through if no other was in the `hold_off` before, and fewer than `most_open` are being read out. Each activity and each trigger that is
//! not let through is counted with the reason.
//!
//! All is reckoned in the time of the data, which the smallest watermark of all inputs moves on, so the same activities give the same
//! decisions however and whenever they come. With `dead_after`, a stream that is silent for so long while others are not is not waited for;
//! its activities count again when its watermark has come to the decisions, and those before are late.
//!
//!  Live, paused and dead time sum to the time that is decided on. A trigger counts as being read
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
mod inputs;
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
use inputs::{Inputs, Key};
use merge::{Merged, Merger};
use params::Texts;
pub use params::TriggerCandidateParams;

/// Makes triggers of activities.
pub struct TriggerCandidate {
    params: TriggerCandidateParams,
    texts: Texts,
    table: RowTable<ActivityRow>,
    activities: Vec<ActivityRow>,
    /// The largest input watermark, ignoring `u64::MAX`.
    latest: u64,
    inputs: Inputs,
    /// Streams that were never heard of are not waited for any more.
    has_begun: bool,
    /// When the first table came.
    first_ns: Option<u64>,
    /// The time of the epoch that decisions have come to.
    decided: u64,
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

    /// The smallest watermark of all streams; `None` while one has not been heard of.
    fn known(&mut self) -> Option<u64> {
        self.has_begun |= self.inputs.heard() >= self.params.inputs;
        if self.has_begun { self.inputs.known() } else { None }
    }

    /// Takes in the activities of a stream. When its watermark goes back, its clock was set back: from then on its activities wait until all other streams have
    /// come to that epoch of time. Returns whether they wait.
    fn follow(&mut self, (key, place): (Key, usize), watermark: u64, ctx: &Context) -> bool {
        let followed = self.inputs.follow(place, watermark, self.decided, ctx.data_ns());
        if followed.is_back {
            ctx.tell(format!("{} is back", name_of(key)));
        }
        let activities = std::mem::take(&mut self.activities);
        match followed.ahead.checked_sub(1) {
            None => {
                self.take(&activities, followed.known, ctx);
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
        followed.ahead > 0
    }

    /// All inputs have left the epoch: the held activities are decided on, and the next epoch begins.
    fn begin_epoch(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let merged = &mut self.merged;
        self.merger.finish(&self.texts.rules, |m| merged.push(m));
        self.decide_all();
        self.gate.advance(self.latest, self.params.most_open);
        let sent = self.send(self.latest, ctx);
        self.gate.begin_epoch();
        (self.decided, self.sent) = (0, None);
        let activities = self.later.pop_front().unwrap_or_default();
        self.take(&activities, 0, ctx);
        self.latest = self.inputs.begin_epoch();
        sent
    }

    fn decide_until(&mut self, known: u64) {
        self.decided = self.decided.max(known);
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
        (p.inputs_heard, p.inputs_dead) = (self.inputs.heard(), self.inputs.dead());
    }

    /// Decides as far as all streams have come.
    fn go_on(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(known) = self.known() else { return Ok(()) };
        self.decide_until(known);
        self.send(known, ctx)
    }

    /// A quarter of the limit, so that a stream is not waited for much longer.
    fn arm(&self, ctx: &mut Context) {
        let quarter_ns = (self.params.dead_after * 0.25e9) as u64;
        ctx.set_data_timer((quarter_ns > 0).then(|| ctx.data_ns().saturating_add(quarter_ns)));
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
            inputs: Inputs::default(),
            has_begun: false,
            first_ns: None,
            decided: 0,
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

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.arm(ctx);
        Ok(())
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        self.texts = self.params.texts()?;
        self.arm(ctx);
        Ok(())
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.table.read(frame, &mut self.activities)?;
        let watermark = watermark_of(frame).ok_or_else(|| {
            NodeError::new(
                "wanted activities with the attribute `watermark`, found none; trigger algorithms send it",
            )
        })?;
        let key = (input, ctx.sender());
        let place = match self.inputs.find(key) {
            Some(place) => place,
            None if self.inputs.heard() < self.params.inputs => self.inputs.enter(key, self.decided),
            None => {
                return Err(NodeError::new(format_args!(
                    "wanted `inputs: {}` or more in the parameters, found {}",
                    self.inputs.heard() + 1,
                    self.params.inputs
                )));
            }
        };
        self.first_ns.get_or_insert(ctx.data_ns());
        let is_ahead = self.follow((key, place), watermark, ctx);
        self.last = Some(frame.clone());
        if is_ahead && self.known() == Some(u64::MAX) {
            self.begin_epoch(ctx)?;
        }
        self.go_on(ctx)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.arm(ctx);
        let (after, now_ns) = (self.params.dead_after, ctx.data_ns());
        let after_ns = (after * 1e9) as u64;
        if after_ns == 0 || self.first_ns.is_none_or(|first_ns| now_ns.saturating_sub(first_ns) < after_ns) {
            return Ok(());
        }
        for key in self.inputs.bury(now_ns, after_ns) {
            self.params.deaths += 1;
            ctx.tell_error(format!(
                "{} is dead: nothing for {after} s while others go on; they do not wait for it any more",
                name_of(key)
            ));
        }
        let absent = self.params.inputs.saturating_sub(self.inputs.heard());
        if absent > 0 && !std::mem::replace(&mut self.has_begun, true) {
            ctx.tell_error(format!(
                "{absent} of {} inputs have not come: nothing waits for them",
                self.params.inputs
            ));
        }
        self.go_on(ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let unheard = self.params.inputs.saturating_sub(self.inputs.heard());
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

/// A stream in the log.
fn name_of((input, (node, output)): Key) -> String {
    let name = TriggerCandidate::SPEC.inputs.get(input).map_or("in", |port| port.name);
    format!("the stream of `{name}` from output {output} of node {node}")
}
