//! Several streams of a run as one: the pieces of an event become one datagram, in the order of time.

use std::sync::Arc;

use livetime_formats::file::{Head, Stores};
use livetime_formats::xtc1::run::{Event, Piece, Problem, Run, RunTransition};
use livetime_formats::xtc1::{Configs, DatagramHeader, Transition};
use livetime_formats::{Error, Result};

use super::job::{BLOCK, Job, LIMIT, Source, size_of};
use super::report::{Joined, Lost, Report};
use super::select::Selector;
use super::split::EventSplit;

/// Reads the pieces of each event, and the copies of each transition.
pub(super) struct Merge<'a> {
    run: &'a Run,
    stores: &'a Stores,
    selector: Selector<'a>,
    split: EventSplit,
    block: usize,
    next_event: usize,
    next_transition: usize,
    /// Transitions of cameras, each to be put to the first one of its kind.
    cameras: Vec<&'a RunTransition>,
    configs: Arc<Configs>,
    /// Where the run keeps `configs`.
    configs_at: usize,
    pieces: Vec<Piece>,
    passed: u64,
    joined: Joined,
}

/// The next item in the order of time.
enum Next<'a> {
    Event(&'a Event),
    Transition(&'a RunTransition),
}

impl<'a> Merge<'a> {
    pub(super) fn new(
        (run, stores): (&'a Run, &'a Stores),
        selector: Selector<'a>,
        split: EventSplit,
        block: usize,
    ) -> Merge<'a> {
        let counts = run.counts();
        let joined = Joined {
            cameras_left_out: counts.camera_unmatched + counts.camera_invalid + counts.camera_ambiguous,
            ..Joined::default()
        };
        Merge {
            run,
            stores,
            selector,
            split,
            block: block.min(BLOCK),
            next_event: 0,
            next_transition: 0,
            cameras: run.camera_transitions().iter().collect(),
            configs: Arc::default(),
            configs_at: 0,
            pieces: Vec::new(),
            passed: 0,
            joined,
        }
    }

    fn peek(&self) -> Option<Next<'a>> {
        let event = self.run.events().get(self.next_event);
        let transition = self.run.transitions().get(self.next_transition);
        match (event, transition) {
            // Of equal times the transition comes first: it may configure the event.
            (Some(event), Some(t)) if event.clock < t.header.clock => Some(Next::Event(event)),
            (_, Some(transition)) => Some(Next::Transition(transition)),
            (Some(event), None) => Some(Next::Event(event)),
            (None, None) => None,
        }
    }

    /// Whether the event was added, or need not be.
    fn add_event(&mut self, job: &mut Job, filled: &mut usize, event: &Event) -> Result<bool> {
        let header =
            DatagramHeader { env: event.env, stamp: event.stamp, clock: event.clock, ..any_header() };
        let pieces = self.run.pieces(event);
        if self.selector.wants(&header) {
            let configs = self.run.configs(event);
            // Configurations are compared by address: a run keeps each one once.
            let at = std::ptr::from_ref(configs) as usize;
            let begins_file = self.split.is_due(self.selector.taken);
            // A job has one configuration, and a new file begins with a job.
            if !job.is_empty() && (begins_file || at != self.configs_at) {
                return Ok(false);
            }
            if at != self.configs_at {
                (self.configs, self.configs_at) = (Arc::new(configs.clone()), at);
            }
            self.pieces.clear();
            self.pieces.extend_from_slice(pieces);
            if !self.read(job, filled)? {
                return Ok(false);
            }
            job.configs = self.configs.clone();
            job.starts_file |= begins_file;
            self.joined.pieces += pieces.len() as u64 - 1;
        }
        self.selector.pass(&header);
        self.passed += pieces.iter().map(|p| p.length).sum::<u64>();
        self.next_event += 1;
        Ok(true)
    }

    fn add_transition(
        &mut self,
        job: &mut Job,
        filled: &mut usize,
        transition: &RunTransition,
    ) -> Result<bool> {
        let kind = transition.header.transition();
        self.pieces.clear();
        self.pieces.extend_from_slice(self.run.copies(transition));
        let of_cameras = self.cameras.iter().filter(|t| t.header.transition() == kind);
        self.pieces.extend(of_cameras.map(|t| t.piece));
        if !self.read(job, filled)? {
            return Ok(false);
        }
        // Copies of a transition in other streams are joined here, once.
        self.cameras.retain(|t| t.header.transition() != kind);
        self.joined.copies += self.pieces.len() as u64 - 1;
        self.passed += self.pieces.iter().map(|p| p.length).sum::<u64>();
        self.next_transition += 1;
        Ok(true)
    }

    /// Reads `pieces`, and adds them to the job as one event or transition, unless the job is full.
    fn read(&self, job: &mut Job, filled: &mut usize) -> Result<bool> {
        let length: u64 = self.pieces.iter().map(|p| p.length).sum();
        // Each job holds the event several times.
        if length > LIMIT {
            return Err(Error::new(format!("at most {LIMIT} bytes in an event"), length.to_string()));
        }
        // A datagram larger than a block is a job alone.
        if !job.is_empty() && *filled + length as usize > self.block {
            return Ok(false);
        }
        let mut at = *filled;
        for piece in &self.pieces {
            let end = at + piece.length as usize;
            self.run.read_piece(piece, &mut job.room(end)[at..])?;
            let head = DatagramHeader::parse(&job.input[at..end]);
            // The file may have been replaced since the scan.
            if !head.is_ok_and(|head| head.length() == piece.length) {
                return Err(Error::new("the datagram that was there at the scan", "another one"));
            }
            at = end;
        }
        let mut at = *filled;
        job.add_pieces(self.pieces.iter().map(|piece| {
            let start = at;
            at += piece.length as usize;
            start..at
        }));
        *filled = at;
        Ok(true)
    }
}

impl Source for Merge<'_> {
    fn fill(&mut self, job: &mut Job) -> Result<bool> {
        job.begin(self.configs.clone());
        let mut filled = 0;
        while let Some(next) = self.peek() {
            // `false` leaves the item for the next job.
            let was_added = match next {
                Next::Event(event) => self.add_event(job, &mut filled, event)?,
                Next::Transition(transition) => self.add_transition(job, &mut filled, transition)?,
            };
            if !was_added {
                break;
            }
        }
        job.progress = self.passed;
        Ok(!job.is_empty())
    }

    fn account(&self, report: &mut Report) {
        report.events_left_out = self.selector.left_out();
        report.joined = self.joined;
        report.lost = lost(self.run, self.stores);
    }
}

fn any_header() -> DatagramHeader {
    DatagramHeader::new(Transition::L1Accept, 0, 0)
}

/// The parts of the files of a run that could not be read.
fn lost(run: &Run, stores: &Stores) -> Vec<Lost> {
    let lost = |problem: &Problem| {
        let offset = problem.error.offset();
        let size = size_of(stores, &problem.path);
        Lost {
            path: problem.path.clone(),
            offset: offset.unwrap_or(0),
            length: offset.map_or(0, |offset| size.saturating_sub(offset)),
            reason: problem.error.reason(),
        }
    };
    run.problems().iter().map(lost).collect()
}
