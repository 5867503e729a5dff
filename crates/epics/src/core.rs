//! State shared by the threads that serve a run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use livetime_control::model::{Answer, Model, Moment};
use livetime_engine::lock;
use livetime_pva::server::Put;

use super::link::Links;
use super::node::NodePvs;
use super::picture::Pictures;
use super::point::now;
use super::run_pvs::RunPvs;

/// How long the thread waits for a moment. The end of the run publishes one, so this only bounds the cost of
/// a lost thread.
const WAIT: Duration = Duration::from_secs(1);

/// The data shared by the threads that serve a run.
pub(super) struct Core {
    pub(super) model: Model,
    pub(super) nodes: Vec<Mutex<NodePvs>>,
    pub(super) whole: Mutex<RunPvs>,
    pub(super) pictures: Mutex<Pictures>,
    pub(super) puts: Mutex<Puts>,
    pub(super) links: Links,
    pub(super) is_ended: AtomicBool,
    /// Time between two updates.
    pub(super) period: Duration,
}

/// Puts that end when the moment of this version is shown.
#[derive(Default)]
pub(super) struct Puts {
    /// Version of the moment that is shown as a whole.
    shown: u64,
    waiting: Vec<(u64, Put)>,
}

impl Core {
    /// Shows moment after moment, until the end.
    pub(super) fn update(&self) {
        let mut shown = 0;
        while !self.is_ended.load(Ordering::Acquire) && !self.model.is_ended() {
            if let Some(moment) = self.model.newer_than(shown, WAIT) {
                shown = moment.version;
                self.show(&moment);
            }
        }
        // The last moment may have come while the loop ended.
        let last = self.model.newest();
        if last.version > shown {
            self.show(&last);
        }
    }

    /// Shows in this order: values of nodes, counts, the state of acquisitions, pictures, and the ends of
    /// waiting puts.
    fn show(&self, moment: &Moment) {
        // The order of the lines below is what clients rely on: at the end of an acquisition all values are shown.
        let (run, now) = (self.model.run(), now());
        lock(&self.pictures).ask(run);
        self.nodes.iter().for_each(|node| lock(node).show_params(moment, now));
        self.nodes.iter().for_each(|node| lock(node).show_bases(moment, now));
        lock(&self.whole).show(moment, self.model.settings(), now);
        self.nodes.iter().for_each(|node| lock(node).show_acquisition(moment, now));
        // Nodes answer between their frames; waiting half a period leaves the other half for showing.
        lock(&self.pictures).show(run, &moment.report, Instant::now() + self.period / 2);
        self.finish(moment.version);
    }

    fn finish(&self, version: u64) {
        let mut puts = lock(&self.puts);
        puts.shown = version;
        let is_shown = |put: &mut (u64, Put)| put.0 <= version;
        let over: Vec<(u64, Put)> = puts.waiting.extract_if(.., is_shown).collect();
        // The answer calls code of the server, which may take its own locks.
        drop(puts);
        over.into_iter().for_each(|(_, put)| put.accept());
    }

    /// Shows the result of a put, and completes it. Called on the thread that carried it out.
    pub(super) fn answered(&self, number: usize, put: Put, answer: Answer) {
        lock(&self.nodes[number]).show_all(&answer.moment);
        put.finish(answer.result);
    }

    /// Ends a put that waited for an acquisition when all that belongs to this is shown.
    pub(super) fn acquired(&self, put: Put, answer: Answer) {
        let mut puts = lock(&self.puts);
        // The put waits until the values of this moment are shown.
        if answer.result.is_ok() && puts.shown < answer.moment.version {
            return puts.waiting.push((answer.moment.version, put));
        }
        // As in `finish`: the answer is sent without the lock.
        drop(puts);
        put.finish(answer.result);
    }
}
