//! `record_builder`: joins the fragments of several readout buffers into one record for each trigger.
//!
//! In: records of any number of senders, each with the fragments of the links that the sender reads: a [`TriggerRecord`] from a
//! `readout_buffer` of this graph, or bytes from a `record_bytes` of this or another host. Out: a [`TriggerRecord`] for each trigger, for
//! `trigger_records`. Data of bytes are not copied; their memory lives as long as the record.
//!
//! A record is sent when all `inputs` senders have answered its trigger, by the number of the decision; after `wait`; or, the oldest
//! first, when more than `most_waiting` records or `most_bytes` wait. Of a sender that has not answered, each link that it ever sent is in the
//! record, without data and with the whole window as missing (`not_yet`); so is each of the expected `links` that nobody sent (`never_received`).
//!
//! A missing answer is a loss of the run (`late`), once: when its record leaves without it. Its fragments are left out if they come later
//! (`tardy`). Left out and counted are also the second answer of a sender and the second fragment of a link (`repeated`), and, as errors, an answer
//! of another run or with another window (`foreign`), and one whose number is more than `most_ahead` beyond the newest (`far_ahead`).
//!
//! ```
//! use std::sync::Arc;
//! use livetime_engine::testing::Harness;
//! use livetime_wire::process::record_builder::RecordBuilder;
//! use livetime_wire::{DecisionRow, Fragment, RawFormat, TriggerRecord};
//!
//! let mut node = Harness::new::<RecordBuilder>(&[("inputs", 2.into())])?;
//! let mut memory = node.pool().allocator();
//! let mut answer = |link| {
//!     let decision = DecisionRow { number: 7, window_begin: 100, window_end: 200, ..DecisionRow::default() };
//!     let fragment = Fragment { link, format: RawFormat::Wib2, pieces: Vec::new(), missing: Vec::new() };
//!     let record = TriggerRecord { decision, fragments: vec![fragment], ..TriggerRecord::default() };
//!     memory.value(Arc::new(record)).map(|frame| frame.freeze())
//! };
//! assert!(node.feed_from(1, &answer(3)?)?.is_empty());
//! let out = node.feed_from(2, &answer(1)?)?;
//! let record = out[0].value::<TriggerRecord>()?;
//! assert_eq!((record.fragments[0].link, record.fragments[1].link, record.is_whole()), (1, 3, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fragments;
#[cfg(test)]
mod tests;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_formats::trigger::{Missing, MissingReason};
use livetime_frame::{Frame, PayloadKind};

use crate::{
    DecisionRow, Fragment, HitFragment, HitRow, LinkSet, RawFormat, RowTable, TriggerRecord, inherit_times,
};
use waiting::{Open, Sender, Waiting};

/// Parameters of `record_builder`.
#[derive(Params)]
pub struct RecordBuilderParams {
    /// Edges that lead to the node: one for each readout buffer.
    #[param(default = 1, min = 1, max = 10_000)]
    pub inputs: usize,
    /// Links that each record must have, for example `0-149`; empty: those that senders have sent before.
    pub links: String,
    /// How long a record waits for the answers of all senders.
    #[param(default = 5.0, min = 0.001, max = 3600.0, unit = "s")]
    pub wait: f64,
    /// Records that wait at most.
    #[param(default = 1000, min = 1, max = 1_000_000)]
    pub most_waiting: usize,
    /// Bytes of raw data that wait at most.
    #[param(default = 1_073_741_824, min = 1, max = 1_099_511_627_776_i64, unit = "B")]
    pub most_bytes: usize,
    /// How far the number of a trigger may be beyond the newest record's.
    #[param(default = 100_000, min = 1)]
    pub most_ahead: u64,
    /// Records so far.
    #[param(readback, count)]
    pub records: u64,
    /// Of these, records with the answers of all senders and no missing data.
    #[param(readback, count)]
    pub whole: u64,
    /// Answers of senders that records left without.
    #[param(readback, count)]
    pub missing: u64,
    /// Answers that came after their record had left.
    #[param(readback, count)]
    pub tardy: u64,
    /// Second answers of a sender, and second fragments of a link.
    #[param(readback, count)]
    pub repeated: u64,
    /// Answers of another run, or with another window than the record's.
    #[param(readback, count)]
    pub foreign: u64,
    /// Answers with a number that is too far ahead.
    #[param(readback, count)]
    pub far_ahead: u64,
    /// Senders that have sent something.
    #[param(readback)]
    pub senders: usize,
    /// Records that wait.
    #[param(readback)]
    pub waiting: usize,
    /// Bytes of raw data that wait.
    #[param(readback, unit = "B")]
    pub waiting_bytes: usize,
}

/// Joins fragments to records.
pub struct RecordBuilder {
    params: RecordBuilderParams,
    expected: LinkSet,
    waiting: Waiting,
    /// What each sender has ever sent.
    known: BTreeMap<Sender, Known>,
    run: Option<u32>,
    hits: RowTable<HitRow>,
}

/// Links and streams of hits of a sender.
#[derive(Default)]
struct Known {
    links: BTreeMap<u16, RawFormat>,
    hits: BTreeSet<Option<u16>>,
}

impl Node for RecordBuilder {
    type Params = RecordBuilderParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "record_builder",
        "Joins the fragments of several readout buffers into one record for each trigger.",
        &[PortSpec::of("in", &[PayloadKind::Any, PayloadKind::Bytes])],
        &[PortSpec::value("out")],
    );

    fn new(params: RecordBuilderParams) -> Result<RecordBuilder, NodeError> {
        Ok(RecordBuilder {
            expected: LinkSet::parse(&params.links)?,
            params,
            waiting: Waiting::default(),
            known: BTreeMap::new(),
            run: None,
            hits: RowTable::default(),
        })
    }

    fn params(&mut self) -> &mut RecordBuilderParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Other(PayloadKind::Any)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let (answer, run) = fragments::read(frame, &self.hits, ctx)?;
        let sender = ctx.sender();
        self.check(&answer, sender, run)?;
        self.learn(&answer, sender);
        let number = answer.decision.number;
        if self.waiting.is_gone(number) {
            // Its record has left, and has counted it as missing.
            self.params.tardy += 1;
            return Ok(());
        }
        if self.put(answer, sender, frame, ctx) >= self.params.inputs {
            self.send(number, ctx)?;
        }
        self.send_due(ctx)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.send_due(ctx)
    }

    fn changed(&mut self, _index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        self.expected = LinkSet::parse(&self.params.links)?;
        ctx.set_data_timer(Some(ctx.data_ns()));
        Ok(())
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some((_, number)) = self.waiting.oldest() {
            self.send(number, ctx)?;
        }
        self.show();
        Ok(())
    }

    fn stop(&mut self) {
        // References hold memory of the pool, which the next run needs.
        self.waiting = Waiting::default();
    }
}

impl RecordBuilder {
    /// Refuses an answer that belongs to no record of this run.
    fn check(&mut self, answer: &TriggerRecord, sender: Sender, run: Option<u32>) -> Result<(), NodeError> {
        let (p, decision) = (&mut self.params, &answer.decision);
        let number = decision.number;
        if !self.known.contains_key(&sender) && self.known.len() >= p.inputs {
            let found = self.known.len() + 1;
            return Err(NodeError::new(format_args!(
                "wanted `inputs: {found}` or more in the parameters, found {}",
                p.inputs
            )));
        }
        if let (Some(wanted), Some(found)) = (self.run, run)
            && wanted != found
        {
            p.foreign += 1;
            return Err(NodeError::new(format_args!(
                "wanted an answer of run {wanted}, found one of {found}"
            )));
        }
        if let Some(open) = self.waiting.get(number)
            && window(&open.record.decision) != window(decision)
        {
            p.foreign += 1;
            let (wanted, found) = (window(&open.record.decision), window(decision));
            return Err(NodeError::new(format_args!(
                "wanted the window {wanted:?} for trigger {number}, found {found:?}"
            )));
        }
        if self.waiting.base().is_some_and(|base| number > base.saturating_add(p.most_ahead)) {
            p.far_ahead += 1;
            let most = p.most_ahead;
            return Err(NodeError::new(format_args!(
                "wanted a trigger at most {most} beyond the newest, found {number}"
            )));
        }
        self.run = self.run.or(run);
        Ok(())
    }

    fn learn(&mut self, answer: &TriggerRecord, sender: Sender) {
        let known = self.known.entry(sender).or_default();
        known.links.extend(answer.fragments.iter().map(|fragment| (fragment.link, fragment.format)));
        known.hits.extend(answer.hits.iter().map(|hits| hits.link));
    }

    /// Puts an answer to its record; from how many senders that has answers now.
    fn put(&mut self, mut answer: TriggerRecord, sender: Sender, frame: &Frame, ctx: &Context) -> usize {
        let number = answer.decision.number;
        if let Some(open) = self.waiting.get(number) {
            if open.senders.contains(&sender) {
                self.params.repeated += 1;
                return open.senders.len();
            }
            let before = answer.fragments.len() + answer.hits.len();
            let is_there = |link: u16| open.record.fragments.iter().any(|fragment| fragment.link == link);
            answer.fragments.retain(|fragment| !is_there(fragment.link));
            answer.hits.retain(|hits| open.record.hits.iter().all(|other| other.link != hits.link));
            self.params.repeated += (before - answer.fragments.len() - answer.hits.len()) as u64;
            let bytes = answer.bytes();
            return self.waiting.join(number, sender, bytes, answer);
        }
        let (bytes, since_ns) = (answer.bytes(), ctx.data_ns());
        let (origin, senders) = (frame.clone(), BTreeSet::from([sender]));
        self.waiting.begin(Open { record: answer, senders, origin, bytes, since_ns });
        1
    }

    /// Sends records that no longer wait.
    fn send_due(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let wait_ns = (self.params.wait * 1e9) as u64;
        while let Some((since_ns, number)) = self.waiting.oldest() {
            let is_much = self.waiting.len() > self.params.most_waiting
                || self.waiting.bytes() > self.params.most_bytes;
            if !is_much && since_ns.saturating_add(wait_ns) > ctx.data_ns() {
                break;
            }
            self.send(number, ctx)?;
        }
        ctx.set_data_timer(self.waiting.oldest().map(|(since_ns, _)| since_ns.saturating_add(wait_ns)));
        self.show();
        Ok(())
    }

    fn send(&mut self, number: u64, ctx: &mut Context) -> Result<(), NodeError> {
        let Some(Open { mut record, senders, origin, .. }) = self.waiting.take(number) else { return Ok(()) };
        let missing = self.params.inputs.saturating_sub(senders.len()) as u64;
        for (_, known) in self.known.iter().filter(|(sender, _)| !senders.contains(sender)) {
            name_missing(known, &mut record);
        }
        self.name_expected(&mut record);
        record.fragments.sort_by_key(|fragment| fragment.link);
        record.hits.sort_by_key(|hits| hits.link);
        let p = &mut self.params;
        p.records += 1;
        p.whole += u64::from(missing == 0 && record.is_whole());
        if missing > 0 {
            let before = p.missing;
            p.missing += missing;
            ctx.late(missing);
            // The first, and then ever fewer.
            if before.checked_ilog2() != p.missing.checked_ilog2() {
                ctx.tell_error(format!(
                    "the record of trigger {number} leaves without the answers of {missing} of {} readout buffers; {} so far",
                    p.inputs, p.missing
                ));
            }
        }
        let mut frame = ctx.value(Arc::new(record))?;
        inherit_times(&mut frame, &origin);
        ctx.emit(frame)
    }

    /// Names the expected links that nobody has sent.
    fn name_expected(&self, record: &mut TriggerRecord) {
        let of_record = record.fragments.first().map(|fragment| fragment.format);
        let of_others = || self.known.values().flat_map(|known| known.links.values()).next().copied();
        let Some(format) = of_record.or_else(of_others) else { return };
        let is_there: BTreeSet<u16> = record.fragments.iter().map(|fragment| fragment.link).collect();
        for link in self.expected.numbers().filter(|link| !is_there.contains(link)) {
            let missing = vec![whole_window(&record.decision, MissingReason::NeverReceived)];
            record.fragments.push(Fragment { link, format, pieces: Vec::new(), missing });
        }
    }

    fn show(&mut self) {
        let p = &mut self.params;
        (p.senders, p.waiting) = (self.known.len(), self.waiting.len());
        p.waiting_bytes = self.waiting.bytes();
    }
}

/// Names all that a sender ever sent, and has not sent for this record.
fn name_missing(known: &Known, record: &mut TriggerRecord) {
    let missing = || vec![whole_window(&record.decision, MissingReason::NotYet)];
    let links: BTreeSet<u16> = record.fragments.iter().map(|fragment| fragment.link).collect();
    let absent = known.links.iter().filter(|(link, _)| !links.contains(link));
    let fragments: Vec<Fragment> = absent
        .map(|(link, format)| Fragment {
            link: *link,
            format: *format,
            pieces: Vec::new(),
            missing: missing(),
        })
        .collect();
    let absent = known.hits.iter().filter(|link| record.hits.iter().all(|hits| hits.link != **link));
    let hits: Vec<HitFragment> =
        absent.map(|link| HitFragment { link: *link, tables: Vec::new(), missing: missing() }).collect();
    record.fragments.extend(fragments);
    record.hits.extend(hits);
}

fn whole_window(decision: &DecisionRow, reason: MissingReason) -> Missing {
    Missing { begin: decision.window_begin, end: decision.window_end, reason }
}

fn window(decision: &DecisionRow) -> (u64, u64) {
    (decision.window_begin, decision.window_end)
}
