//! Events that a reducer takes in at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::EventPictures;
use crate::error::Step;

/// Events of a run that follow each other, at most [`BLOCK_BYTES`](crate::BLOCK_BYTES) or one event.
#[derive(Debug)]
pub struct Block<'a> {
    events: &'a [EventPictures<'a>],
    is_stopped: &'a AtomicBool,
    /// The event that was last taken from [`Block::events`].
    current: Cell<Option<usize>>,
}

impl<'a> Block<'a> {
    pub(crate) fn new(events: &'a [EventPictures<'a>], is_stopped: &'a AtomicBool) -> Block<'a> {
        Block { events, is_stopped, current: Cell::new(None) }
    }

    /// Events that a reducer gives to another one; nothing stops it.
    pub fn of(events: &'a [EventPictures<'a>]) -> Block<'a> {
        static IS_STOPPED: AtomicBool = AtomicBool::new(false);
        Block::new(events, &IS_STOPPED)
    }

    /// Other pictures of these events, for a reducer that shows them to others; stopped when this one is.
    pub fn with<'b>(&'b self, events: &'b [EventPictures<'b>]) -> Block<'b> {
        Block::new(events, self.is_stopped)
    }

    /// The events in order. The iterator ends early when the analysis is stopped; partial results of the block are then
    /// thrown away.
    pub fn events(&self) -> impl Iterator<Item = &EventPictures<'a>> {
        let goes_on = |_: &&EventPictures<'a>| !self.is_stopped.load(Ordering::Relaxed);
        self.events.iter().take_while(goes_on).inspect(|event| self.current.set(Some(event.event)))
    }

    /// The events as a slice, for reducers that need many side by side.
    pub fn all(&self) -> &[EventPictures<'a>] {
        self.events
    }

    /// Where a reducer is.
    pub(crate) fn step(&self) -> Step {
        let (first, last) = (self.events.first(), self.events.last());
        let (first, last) = (first.map_or(0, |e| e.event), last.map_or(0, |e| e.event));
        self.current.get().map_or(Step::Block(first, last), Step::Event)
    }
}
