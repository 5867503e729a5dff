//! Plays a recording: which event is next, and when.

use std::ops::Range;

use livetime_engine::{Context, Next, NodeError};
use livetime_frame::{FrameMut, Layout};
use livetime_recording::select::{Selected, Verdict};
use livetime_recording::{Account, Memory, OnDamage, Ordered, Problem, ReadError, Recording, Wanted};

use super::Timing;

/// Time between two checks of a growing file: followed events come at most this late, at the price of 50 checks a
/// second.
const LOOK_AGAIN_NS: u64 = 20_000_000;
/// Unreadable places that get a line of the log each; the others are only counted.
const MOST_TOLD: usize = 10;

/// The options of a user.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) timing: Timing,
    pub(super) speed: f64,
    pub(super) loops: u64,
    pub(super) follow: bool,
    pub(super) threads: usize,
    pub(super) on_damage: OnDamage,
}

/// Sends a range of the events of a recording, repeatedly if that is wanted.
pub(super) struct Player {
    order: Ordered,
    range: Range<usize>,
    /// Which of these are sent; `None`: all.
    selected: Option<Selected>,
    /// Events that were not sent because they are not selected, by [`Verdict`].
    not_selected: [u64; 4],
    /// The event that is sent next.
    next: usize,
    /// Time of the run and of the recording when this pass began.
    begun: Option<(u64, u64)>,
    frames_in_pass: u64,
    passes: u64,
    /// Places that cannot be read and are entered as losses already.
    entered: usize,
}

impl Player {
    /// # Errors
    /// As [`Recording::detector`].
    pub(super) fn new(
        recording: Recording,
        wanted: Wanted,
        range: Range<usize>,
    ) -> livetime_formats::Result<Player> {
        let order = Ordered::new(recording, wanted)?;
        let next = range.start;
        Ok(Player {
            order,
            range,
            selected: None,
            not_selected: [0; 4],
            next,
            begun: None,
            frames_in_pass: 0,
            passes: 0,
            entered: 0,
        })
    }

    /// The first `entered` places that cannot be read are losses already: the same files were played before.
    pub(super) fn with_entered(self, entered: usize) -> Player {
        Player { entered, ..self }
    }

    /// Sends only events that are selected.
    pub(super) fn with_selected(self, selected: Option<Selected>) -> Player {
        Player { selected, ..self }
    }

    /// Events that were passed over because they are not wanted or lack a value that would decide, and the latter alone.
    pub(super) fn not_selected(&self) -> (u64, u64) {
        let [refused, without] =
            [Verdict::Refused, Verdict::WithoutValue].map(|verdict| self.not_selected[verdict as usize]);
        (refused + without, without)
    }

    /// How many places that cannot be read were entered as losses.
    pub(super) fn entered(&self) -> usize {
        self.entered
    }

    pub(super) fn account(&self) -> Account {
        self.order.account()
    }

    /// Events known.
    pub(super) fn events(&self) -> usize {
        self.order.recording().events()
    }

    /// The number behind the last event that may be sent. Events that may still get data are not sent while the run is
    /// followed.
    fn known(&self, settings: &Settings) -> usize {
        let recording = self.order.recording();
        // Of a growing file the last events may lack data of a stream that is written later.
        if settings.follow { recording.complete() } else { recording.events() }
    }

    /// The contract of [`livetime_engine::Node::produce`].
    ///
    /// # Errors
    /// [`NodeError`] for an event that cannot be read; the one behind it is next.
    pub(super) fn produce(&mut self, settings: &Settings, ctx: &mut Context) -> Result<Next, NodeError> {
        // Reading ahead would load the events that follow, also events that the selection leaves out.
        let threads = if self.selected.is_some() { 0 } else { settings.threads };
        (self.order.threads, self.order.on_damage) = (threads, settings.on_damage);
        // Damage that ends the run was told when it was met.
        if self.order.is_stopped() {
            return Ok(Next::Finished);
        }
        let end = self.known(settings).min(self.range.end);
        // Problems come first: opening the files may have found some before any event is read.
        self.enter_problems(ctx);
        // The end of a pass must not wait for time, so events without a picture are passed before the check.
        self.pass_over(end, ctx);
        if self.next >= end {
            return self.at_the_end(settings, ctx);
        }
        let now_ns = ctx.now_ns();
        let due_ns = self.due_ns(settings, now_ns);
        // The event is not taken yet: the parameters may change before it is due.
        if now_ns < due_ns {
            return Ok(Next::At(due_ns));
        }
        let event = self.next;
        // The event counts as taken before it is read, so that an error does not offer it again.
        self.next += 1;
        let read = self.read(event, end, ctx);
        // Reading an event may have shown that something else in it is broken.
        self.enter_problems(ctx);
        if let Some(frame) = read? {
            self.frames_in_pass += 1;
            ctx.emit(frame)?;
        }
        // Unwanted events are passed at once, so that the last wanted frame also ends the run.
        self.pass_over(end, ctx);
        // A followed file may grow, and `at_the_end` reports a pass without a frame.
        let is_last = self.next >= end && !settings.follow && self.frames_in_pass > 0;
        Ok(if is_last && self.is_last_pass(settings) { Next::Finished } else { Next::Now })
    }

    /// Skips to the next selected event, and counts the skipped ones. An event whose small data cannot be read is a
    /// loss.
    fn pass_over(&mut self, end: usize, ctx: &Context) {
        let Some(selected) = &self.selected else { return };
        while self.next < end && !selected.has(self.next) {
            let verdict = selected.verdict(self.next);
            self.not_selected[verdict as usize] += 1;
            if verdict == Verdict::Unreadable {
                let place = self.order.recording().place(self.next);
                ctx.unreadable(1, format!("{place}: its small data, which `select` needs, cannot be read"));
            }
            self.next += 1;
        }
    }

    fn read(&mut self, event: usize, end: usize, ctx: &mut Context) -> Result<Option<FrameMut>, NodeError> {
        let before = self.order.layout();
        let read = self.order.read(event, end, &mut Graph(ctx));
        if let (Some(before), Some(layout)) = (before, self.order.layout())
            && before != layout
        {
            ctx.tell(format!("event {event} has {layout}, those before had {before}"));
        }
        read.map_err(|error| match error {
            ReadError::Fault(fault) => NodeError::new(fault.why),
            ReadError::Memory(error) => error,
        })
    }

    /// Enters unreadable places that were found since the last call into the ledger: each is one loss,
    /// because the number of events behind it is unknown.
    fn enter_problems(&mut self, ctx: &Context) {
        let new = self.order.recording().problems_from(self.entered);
        // The limit counts the problems since the start, not since the last call.
        let told = MOST_TOLD.saturating_sub(self.entered);
        for Problem { path, why, .. } in new.iter().take(told) {
            ctx.unreadable(1, format!("{}: {why}", path.display()));
        }
        let more = new.len().saturating_sub(told);
        if more > 0 {
            ctx.unreadable(more as u64, format!("and {more} more places that cannot be read"));
        }
        self.entered += new.len();
    }

    /// The end of the events.
    fn at_the_end(&mut self, settings: &Settings, ctx: &Context) -> Result<Next, NodeError> {
        // A file that is finished is not looked at again.
        if settings.follow && self.next < self.range.end && self.order.recording().may_grow() {
            self.order.refresh().map_err(NodeError::new)?;
            let has_more = self.known(settings) > self.next;
            return Ok(if has_more { Next::Now } else { Next::At(ctx.now_ns() + LOOK_AGAIN_NS) });
        }
        // A pass without a frame would repeat for ever without a pause.
        if self.frames_in_pass == 0 {
            let which = if self.selected.is_some() { "all that `select` wants" } else { "all events" };
            let why = format!("wanted a picture of the detector, found none in {which}; the source ends");
            ctx.tell_error(why);
            return Ok(Next::Finished);
        }
        if self.is_last_pass(settings) {
            return Ok(Next::Finished);
        }
        self.passes += 1;
        // The clock of the pass begins with its first event.
        (self.next, self.begun, self.frames_in_pass) = (self.range.start, None, 0);
        Ok(Next::Now)
    }

    fn is_last_pass(&self, settings: &Settings) -> bool {
        // 0 means without end.
        settings.loops != 0 && self.passes + 1 >= settings.loops
    }

    /// When the next event is due on the run's clock.
    fn due_ns(&mut self, settings: &Settings, now_ns: u64) -> u64 {
        if settings.timing == Timing::Fast {
            return now_ns;
        }
        let time_ns = self.order.recording().time_ns(self.next);
        let (begun_ns, first_ns) = *self.begun.get_or_insert((now_ns, time_ns));
        // The speed is at least this, because a speed of 0 would divide by zero.
        let since_ns = time_ns.saturating_sub(first_ns) as f64 / settings.speed.max(1e-9);
        begun_ns.saturating_add(since_ns as u64)
    }
}

/// The memory of a running graph.
struct Graph<'a>(&'a mut Context);

impl Memory for Graph<'_> {
    type Error = NodeError;

    fn array(&mut self, layout: Layout) -> Result<FrameMut, NodeError> {
        self.0.array(layout)
    }

    fn array_ahead(&mut self, layout: Layout) -> Option<FrameMut> {
        self.0.array_ahead(layout)
    }
}
