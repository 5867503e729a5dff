//! Plays a recording: which event is next, and when.

use std::sync::{Arc, PoisonError, RwLock};

use livetime_engine::{Context, Next, NodeError};
use livetime_frame::{Flags, FrameMut, Layout};

use super::loader::{Loaded, Loader};
use super::{Picture, Recording, Timing};

/// When it is looked again whether a file has grown.
const LOOK_AGAIN_NS: u64 = 20_000_000;

/// What a user may want.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) timing: Timing,
    pub(crate) speed: f64,
    pub(crate) loops: u64,
    pub(crate) follow: bool,
    pub(crate) threads: usize,
}

/// What happened so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Account {
    pub(crate) frames: u64,
    pub(crate) missing: u64,
    pub(crate) failures: u64,
    pub(crate) damaged: u64,
    pub(crate) passes: u64,
}

/// Sends the events `first..end` of a recording, again and again if that is wanted.
pub(in crate::sources) struct Player<R: Recording> {
    recording: Arc<RwLock<R>>,
    first: usize,
    end: usize,
    /// The event that is sent next, and the one that is read next.
    next: usize,
    ahead: usize,
    loader: Option<Loader>,
    scratch: R::Scratch,
    /// The layout of the last frame.
    layout: Option<Layout>,
    /// Memory that was meant for an event without the detector.
    spare: Option<FrameMut>,
    /// Time of the run and of the recording when this pass began.
    begun: Option<(u64, u64)>,
    frames_in_pass: u64,
    account: Account,
}

impl<R: Recording> Player<R> {
    pub(crate) fn new(recording: R, (first, end): (usize, usize)) -> Player<R> {
        Player {
            recording: Arc::new(RwLock::new(recording)),
            first,
            end,
            next: first,
            ahead: first,
            loader: None,
            scratch: R::Scratch::default(),
            layout: None,
            spare: None,
            begun: None,
            frames_in_pass: 0,
            account: Account::default(),
        }
    }

    pub(crate) fn account(&self) -> Account {
        self.account
    }

    /// Events known.
    pub(crate) fn events(&self) -> usize {
        self.with(R::events)
    }

    /// The contract of [`livetime_engine::Node::produce`].
    ///
    /// # Errors
    /// [`NodeError`] for an event that cannot be read; the one behind it is next.
    pub(crate) fn produce(&mut self, settings: &Settings, ctx: &mut Context) -> Result<Next, NodeError> {
        let known = self.events();
        if self.next >= known.min(self.end) {
            return self.at_the_end(settings, ctx);
        }
        let now_ns = ctx.now_ns();
        let due_ns = self.due_ns(settings, now_ns);
        if now_ns < due_ns {
            return Ok(Next::At(due_ns));
        }
        let event = self.next;
        let frame = self.take(event, known.min(self.end), settings, ctx)?;
        if let Some(mut frame) = frame {
            frame.header_mut().sequence = self.account.frames + 1;
            self.account.damaged += u64::from(frame.header().flags.contains(Flags::DAMAGED));
            self.account.frames += 1;
            self.frames_in_pass += 1;
            ctx.emit(frame)?;
        }
        let is_last = self.next >= self.end.min(known) && !settings.follow && self.frames_in_pass > 0;
        Ok(if is_last && self.is_last_pass(settings) { Next::Finished } else { Next::Now })
    }

    /// What comes behind the last event.
    fn at_the_end(&mut self, settings: &Settings, ctx: &Context) -> Result<Next, NodeError> {
        if settings.follow && self.next < self.end && self.with(R::may_grow) {
            let mut recording = self.recording.write().unwrap_or_else(PoisonError::into_inner);
            recording.refresh().map_err(NodeError::new)?;
            let has_more = recording.events() > self.next;
            return Ok(if has_more { Next::Now } else { Next::At(ctx.now_ns() + LOOK_AGAIN_NS) });
        }
        if self.frames_in_pass == 0 {
            ctx.tell_error("wanted a picture of the detector, found none in all events; the source ends");
            return Ok(Next::Finished);
        }
        if self.is_last_pass(settings) {
            return Ok(Next::Finished);
        }
        self.account.passes += 1;
        (self.next, self.ahead, self.begun, self.frames_in_pass) = (self.first, self.first, None, 0);
        Ok(Next::Now)
    }

    fn is_last_pass(&self, settings: &Settings) -> bool {
        settings.loops != 0 && self.account.passes + 1 >= settings.loops
    }

    /// When the next event is due on the run's clock.
    fn due_ns(&mut self, settings: &Settings, now_ns: u64) -> u64 {
        if settings.timing == Timing::Fast {
            return now_ns;
        }
        let time_ns = self.with(|r| r.event_time_ns(self.next));
        let (begun_ns, first_ns) = *self.begun.get_or_insert((now_ns, time_ns));
        let since_ns = time_ns.saturating_sub(first_ns) as f64 / settings.speed.max(1e-9);
        begun_ns.saturating_add(since_ns as u64)
    }

    /// The frame of the event, which is the next that is read: from the threads if they have it. `None` if the detector is not in it.
    fn take(
        &mut self,
        event: usize,
        end: usize,
        settings: &Settings,
        ctx: &mut Context,
    ) -> Result<Option<FrameMut>, NodeError> {
        self.read_ahead(event, end, settings, ctx)?;
        self.next += 1;
        let loaded = match self.loader.as_mut().filter(|loader| loader.under_way() > 0) {
            Some(loader) => match loader.take() {
                Ok(loaded) => loaded,
                Err(why) => {
                    // With new threads, which begin behind this event.
                    self.loader = None;
                    return Err(self.failed(why));
                }
            },
            None => Loaded::OtherLayout,
        };
        match loaded {
            Loaded::Frame(frame) => Ok(Some(frame)),
            Loaded::Missing(frame) => {
                self.spare = Some(frame);
                self.account.missing += 1;
                Ok(None)
            }
            Loaded::Failed(why, frame) => {
                self.spare = Some(frame);
                Err(self.failed(why))
            }
            Loaded::OtherLayout => self.read_here(event, ctx),
        }
    }

    /// Gives threads the events from `event` on, as many as they can hold.
    fn read_ahead(
        &mut self,
        event: usize,
        end: usize,
        settings: &Settings,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let Some(layout) = self.layout.filter(|_| settings.threads > 0) else { return Ok(()) };
        if self.loader.is_none() {
            self.loader = Some(Loader::start(&self.recording, settings.threads).map_err(NodeError::new)?);
        }
        let Some(loader) = &mut self.loader else { return Ok(()) };
        if loader.under_way() == 0 {
            self.ahead = event;
        }
        while self.ahead < end && loader.has_room() {
            let frame = match self.spare.take() {
                Some(frame) if super::loader::layout_of(&frame) == Some(layout) => frame,
                // What is under way must not wait for memory that only it can bring back.
                _ => match ctx.array_ahead(layout) {
                    Some(frame) => frame,
                    None => break,
                },
            };
            loader.give(self.ahead, frame);
            self.ahead += 1;
        }
        Ok(())
    }

    /// Reads the event on this thread, into memory of the layout that it turns out to have.
    fn read_here(&mut self, event: usize, ctx: &mut Context) -> Result<Option<FrameMut>, NodeError> {
        let (mut frame, mut refused) = (None, None);
        let mut show = |picture: &Picture<'_>| match ctx.array(picture.layout) {
            Ok(mut memory) => {
                picture.fill(&mut memory);
                frame = Some((memory, picture.layout));
                Ok(())
            }
            Err(error) => {
                refused = Some(error);
                Ok(())
            }
        };
        let recording = self.recording.read().unwrap_or_else(PoisonError::into_inner);
        let read = recording.read(event, &mut self.scratch, &mut show);
        drop(recording);
        if let Some(error) = refused {
            return Err(error);
        }
        read.map_err(|why| self.failed(why))?;
        let Some((frame, layout)) = frame else {
            self.account.missing += 1;
            return Ok(None);
        };
        if let Some(before) = self.layout.replace(layout).filter(|before| *before != layout) {
            ctx.tell(format!("event {event} has {layout}, those before had {before}"));
        }
        Ok(Some(frame))
    }

    fn failed(&mut self, why: String) -> NodeError {
        self.account.failures += 1;
        NodeError::new(why)
    }

    fn with<T>(&self, ask: impl FnOnce(&R) -> T) -> T {
        ask(&self.recording.read().unwrap_or_else(PoisonError::into_inner))
    }
}
