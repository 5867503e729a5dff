//! Trigger algorithms: hits in order become activities. One file per algorithm.
//!
//! | node | an activity is | file |
//! |---|---|---|
//! | `trigger_adjacency` | a long run of neighbouring channels in a window | `adjacency.rs` |
//! | `trigger_adc_window` | much charge in a window | `adc_window.rs` |
//! | `trigger_horizontal_muon` | much charge, many channels, a long run or much time over the threshold in a window | `horizontal_muon.rs` |
//! | `trigger_plane_coincidence` | much charge on several planes, but no long track | `plane_coincidence.rs` |
//! | `trigger_michel` | a track that ends with much charge and a kink | `michel.rs` |
//! | `trigger_channel_distance` | hits near each other, gathered one by one | `channel_distance.rs` |
//! | `trigger_dbscan` | a dense cluster in time and channel | `dbscan.rs` |
//! | `trigger_supernova` | several small clusters in seconds | `supernova.rs` |
//! | `trigger_prescale`, `trigger_bundle` | every n-th hit; every n hits | `prescale.rs`, `bundle.rs` |
//! | `trigger_2019` | long runs on two anode planes, as in ProtoDUNE-SP in 2019 | `chain_2019.rs` |
//!
//! All are the node [`Trigger`] around an [`Algorithm`]; algorithms that look at sliding windows are a [`window::Condition`].
//!
//! In: tables of [`HitRow`] in the order of (`time_start`, `channel`) with `watermark`, as `hit_merger` sends them. Out: tables of
//! [`ActivityRow`] with `watermark`, one for every table that brought activities or a later watermark.
//!
//! A window is tested as soon as the watermark has passed it. The result depends on the hits alone, neither on their
//! division into tables nor on the watermarks between them. A hit before the watermark or out of order is counted,
//! named and left out, and is a loss of the run (`late`), as are hits without room. A watermark that goes back begins a
//! new epoch of time: held hits are tested as at the end of a run, and the watermark of the activities goes back too.

pub mod adc_window;
pub mod adjacency;
pub mod bundle;
pub mod chain_2019;
pub mod channel_distance;
pub mod dbscan;
pub mod horizontal_muon;
pub mod michel;
mod params;
pub mod plane_coincidence;
pub mod prescale;
mod runs;
pub mod supernova;
#[cfg(test)]
mod tests;
pub mod window;

use std::sync::Arc;

use livetime_engine::{Context, Node, NodeError, NodeSpec, PortSpec};
use livetime_frame::Frame;

use crate::{ActivityRow, HitRow, RowTable, finder_of, inherit_times, link_of, watermark_of};

use params::trigger_params;
pub use params::{Counts, Planes, TriggerParams};

/// Finds activities in hits.
pub trait Algorithm: Default + Send + 'static {
    /// Parameters of the algorithm.
    type Params: TriggerParams;
    /// Name of the node.
    const NAME: &'static str;
    /// One sentence.
    const SUMMARY: &'static str;
    /// [`ActivityRow::algorithm`].
    const NUMBER: u16;
    /// [`ActivityRow::kind`].
    const KIND: u16;

    /// No hit before `time` will come any more: tests the windows that end by then. Called with the start of each hit before that hit, and with each
    /// watermark; whether it was also called with times between must make no difference.
    fn until(&mut self, time: u64, params: &Self::Params, found: &mut Found);

    /// The next hit.
    fn hit(&mut self, hit: &HitRow, params: &Self::Params, found: &mut Found);

    /// No activity will start before this, if no hit comes before it; `None` while nothing is held.
    fn earliest(&self) -> Option<u64>;

    /// Hits that are held.
    fn held(&self) -> usize {
        0
    }
}

/// The place for the activities that an algorithm finds.
#[derive(Debug, Default)]
pub struct Found {
    rows: Vec<ActivityRow>,
    algorithm: u16,
    kind: u16,
}

impl Found {
    /// Sends an activity; algorithm and kind are filled in.
    pub fn give(&mut self, row: ActivityRow) {
        self.rows.push(ActivityRow { algorithm: self.algorithm, kind: self.kind, ..row });
    }
}

/// Finds activities in merged hits with the algorithm `A`.
pub struct Trigger<A: Algorithm> {
    params: A::Params,
    algorithm: A,
    counts: Counts,
    table: RowTable<HitRow>,
    hits: Vec<HitRow>,
    activities: RowTable<ActivityRow>,
    found: Found,
    /// Start and channel of the latest hit.
    latest: (u64, u32),
    /// Which stream of hits this is: link and finder.
    stream: Option<(Option<u16>, Option<Arc<str>>)>,
    /// The watermark that came.
    known: u64,
    /// The watermark that was sent.
    sent: Option<u64>,
    /// The latest table; the last activities copy its identity.
    last: Option<Frame>,
}

impl<A: Algorithm> Trigger<A> {
    /// Whether the hit comes in order; counts and names it if not.
    fn is_in_order(&mut self, hit: &HitRow, ctx: &Context) -> bool {
        let place = (hit.time_start, hit.channel);
        if place >= self.latest && hit.time_start >= self.known {
            self.latest = place;
            return true;
        }
        self.counts.late += 1;
        ctx.late(1);
        // The first, and then ever fewer: a broken sender must not fill the log.
        if self.counts.late.is_power_of_two() {
            ctx.tell_error(format!(
                "wanted hits in order and not before the watermark {}, found one at {} on channel {} after one at {} on channel \
                 {}; {} so far",
                self.known, hit.time_start, hit.channel, self.latest.0, self.latest.1, self.counts.late
            ));
        }
        false
    }

    /// A watermark belongs to one stream: hits of another stream would look like hits after a clock that was set back.
    ///
    /// # Errors
    /// [`NodeError`] when `frame` is of another stream than the frames before.
    fn is_of_stream(&mut self, frame: &Frame) -> Result<(), NodeError> {
        let new = (link_of(frame), finder_of(frame));
        let stream = self.stream.get_or_insert_with(|| new.clone());
        if *stream == new {
            return Ok(());
        }
        let name = |(link, finder): &(Option<u16>, Option<Arc<str>>)| {
            let of = link.map_or(String::new(), |link| format!(" of link {link}"));
            format!("`{}`{of}", finder.as_deref().unwrap_or("?"))
        };
        Err(NodeError::new(format_args!(
            "wanted hits of one stream, found those from {} and from {}; put a `hit_merger` in front",
            name(stream),
            name(&new)
        )))
    }

    fn take(&mut self, hit: &HitRow, ctx: &Context) {
        if !self.params.planes().hold(hit.plane) {
            return;
        }
        self.counts.hits += 1;
        self.algorithm.until(hit.time_start, &self.params, &mut self.found);
        if self.algorithm.held() < self.params.most_hits() {
            self.algorithm.hit(hit, &self.params, &mut self.found);
        } else {
            self.counts.left_out += 1;
            ctx.late(1);
        }
    }

    /// The clock was set back: the held hits are complete, and are not compared with later hits.
    fn begin_epoch(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.algorithm.until(u64::MAX, &self.params, &mut self.found);
        let sent = self.send(ctx);
        self.algorithm = A::default();
        (self.latest, self.known, self.sent) = ((0, 0), 0, None);
        sent
    }

    /// Sends the activities, and the time up to which all are found.
    fn send(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let bound = self.algorithm.earliest().map_or(self.known, |earliest| earliest.min(self.known));
        let bound = self.sent.map_or(bound, |sent| sent.max(bound));
        self.counts.held = self.algorithm.held();
        self.counts.activities += self.found.rows.len() as u64;
        self.params.show(&self.counts);
        if self.found.rows.is_empty() && self.sent == Some(bound) {
            return Ok(());
        }
        let mut table = self.activities.frame(&self.found.rows, ctx)?;
        self.found.rows.clear();
        if let Some(last) = &self.last {
            inherit_times(&mut table, last);
        }
        self.activities.set_watermark(&mut table, bound);
        self.sent = Some(bound);
        ctx.emit(table)
    }
}

impl<A: Algorithm> Node for Trigger<A> {
    type Params = A::Params;

    const SPEC: NodeSpec =
        NodeSpec::process(A::NAME, A::SUMMARY, &[PortSpec::table("in")], &[PortSpec::table("activities")]);

    fn new(params: A::Params) -> Result<Trigger<A>, NodeError> {
        Ok(Trigger {
            params,
            algorithm: A::default(),
            counts: Counts::default(),
            table: RowTable::default(),
            hits: Vec::new(),
            activities: RowTable::default(),
            found: Found { rows: Vec::new(), algorithm: A::NUMBER, kind: A::KIND },
            latest: (0, 0),
            stream: None,
            known: 0,
            sent: None,
            last: None,
        })
    }

    fn params(&mut self) -> &mut A::Params {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let mut hits = std::mem::take(&mut self.hits);
        let read = self.table.read(frame, &mut hits);
        self.hits = hits;
        read?;
        let watermark = watermark_of(frame).ok_or_else(no_watermark)?;
        self.is_of_stream(frame)?;
        if watermark < self.known {
            self.begin_epoch(ctx)?;
        }
        for number in 0..self.hits.len() {
            let hit = self.hits[number];
            if self.is_in_order(&hit, ctx) {
                self.take(&hit, ctx);
            }
        }
        self.known = self.known.max(watermark);
        self.algorithm.until(self.known, &self.params, &mut self.found);
        self.last = Some(frame.clone());
        self.send(ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.known = u64::MAX;
        self.algorithm.until(self.known, &self.params, &mut self.found);
        self.send(ctx)
    }

    fn stop(&mut self) {
        self.last = None;
    }
}

fn no_watermark() -> NodeError {
    NodeError::new("wanted hits with the attribute `watermark`, found none; `hit_merger` sends it")
}
