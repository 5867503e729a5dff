//! Outputs of nodes that clients watch: one edge and one thread each.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_control::model::Model;
use livetime_engine::{Cause, EdgeOptions, Outlet, OutletError, WhenFull};
use livetime_runtime::lock;
use tokio::sync::watch;

use super::left::Left;
use super::newest::Newest;
use super::not_shown::NotShown;
use crate::threads::spawn;

/// Frames per second that the program takes of an output: no screen shows more.
const MAX_RATE_HZ: f64 = 30.0;
/// A thread that waits for a frame sees after this time that the last client has gone.
const LOOK: Duration = Duration::from_millis(100);
/// An output without a client is left after this time, because a client of single pictures comes again soon.
const LINGER: Duration = Duration::from_secs(1);
/// Outputs that are watched at one time; each holds a frame and has a thread.
const MOST: usize = 16;

/// An output that is watched.
pub(crate) struct Source {
    /// Its name, as `node.output`.
    pub(crate) name: String,
    pub(crate) newest: watch::Receiver<Option<Arc<Newest>>>,
    /// The number of the last frame of earlier periods.
    pub(super) began: u64,
    is_ended: Arc<AtomicBool>,
}

impl Drop for Source {
    fn drop(&mut self) {
        self.is_ended.store(true, Ordering::Release);
    }
}

/// All outputs that are watched. An output is left soon after the last handle to its [`Source`] is gone.
pub(crate) struct Sources {
    model: Mutex<Option<Model>>,
    known: Mutex<Known>,
    /// Outputs that were watched before; locked after `known`.
    left: Mutex<Left>,
}

#[derive(Default)]
struct Known {
    /// With when each was asked for last.
    sources: BTreeMap<String, (Arc<Source>, Instant)>,
    threads: Vec<JoinHandle<()>>,
}

impl Known {
    /// Takes out the outputs without a request in this time and without a holder.
    fn unwatched(&mut self, linger: Duration) -> Vec<Arc<Source>> {
        let is_over = |_: &String, (source, asked): &mut (Arc<Source>, Instant)| {
            // The list itself holds one reference.
            Arc::strong_count(source) == 1 && asked.elapsed() > linger
        };
        self.sources.extract_if(.., is_over).map(|(_, (source, _))| source).collect()
    }
}

impl Sources {
    pub(crate) fn new(model: Model) -> Sources {
        Sources { model: Mutex::new(Some(model)), known: Mutex::default(), left: Mutex::default() }
    }

    /// The output called `output`, as `node` (its first one) or `node.output`.
    ///
    /// # Errors
    /// When there is no such output, or too many are watched.
    pub(crate) fn get(&self, output: &str) -> Result<Arc<Source>, NotShown> {
        let model = lock(&self.model);
        let model = model.as_ref().ok_or(NotShown::Ended)?;
        let name = full_name(model, output);
        let mut known = lock(&self.known);
        known.threads.retain(|thread| !thread.is_finished());
        if let Some((source, asked)) = known.sources.get_mut(&name) {
            *asked = Instant::now();
            return Ok(source.clone());
        }
        // Room is needed now: outputs without a client do not linger.
        self.leave(known.unwatched(Duration::ZERO));
        if known.sources.len() >= MOST {
            return Err(NotShown::TooManyOutputs(MOST));
        }
        let (source, thread) = start(model, &name, &self.left)?;
        known.threads.push(thread);
        known.sources.insert(name, (source.clone(), Instant::now()));
        Ok(source)
    }

    /// Leaves outputs without a client.
    pub(crate) fn tidy(&self) {
        let mut known = lock(&self.known);
        let over = known.unwatched(LINGER);
        self.leave(over);
    }

    /// A client that asks for one of these outputs again meanwhile waits for the copy of its last frame.
    fn leave(&self, over: Vec<Arc<Source>>) {
        let mut left = lock(&self.left);
        for source in over {
            let newest = source.newest.borrow().clone();
            let number = newest.as_ref().map_or(source.began, |newest| newest.number);
            left.keep(&source.name, number, newest.as_deref());
        }
    }

    /// Leaves all outputs, for good.
    pub(crate) fn end(&self) {
        // The model goes first, so that no output is watched anew.
        *lock(&self.model) = None;
        let mut known = lock(&self.known);
        for (source, _) in std::mem::take(&mut known.sources).into_values() {
            source.is_ended.store(true, Ordering::Release);
        }
        let threads = std::mem::take(&mut known.threads);
        // Unlocked, so that requests are answered while the threads end.
        drop(known);
        for thread in threads {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

/// `node.output`, also for the short form `node`.
fn full_name(model: &Model, output: &str) -> String {
    let graph = model.run().graph();
    let node = graph.node(output).ok().and_then(|node| graph.nodes().get(node));
    let port = node.and_then(|node| node.node_type.spec.outputs.first());
    port.map_or(output.to_owned(), |port| format!("{output}.{}", port.name))
}

fn start(model: &Model, name: &str, left: &Mutex<Left>) -> Result<(Arc<Source>, JoinHandle<()>), NotShown> {
    let run = model.run();
    let options =
        EdgeOptions { when_full: WhenFull::Latest, max_rate_hz: Some(MAX_RATE_HZ), ..EdgeOptions::default() };
    let outlet = run.subscribe(name, options).map_err(|e| NotShown::Output(Box::new(e)))?;
    let (began, last) = lock(left).take(name);
    let (sender, newest) = watch::channel(last);
    let is_ended = Arc::new(AtomicBool::new(false));
    let watching = is_ended.clone();
    let thread = spawn("web pictures", move || take(outlet, began, &sender, &watching));
    let thread = thread.map_err(|e| NotShown::Thread(Cause::new(Arc::new(e))))?;
    Ok((Arc::new(Source { name: name.to_owned(), newest, began, is_ended }), thread))
}

/// Takes frames until no client wants them, or none will come.
fn take(mut outlet: Outlet, began: u64, newest: &watch::Sender<Option<Arc<Newest>>>, is_ended: &AtomicBool) {
    let mut number = began;
    while !is_ended.load(Ordering::Acquire) {
        match outlet.recv(LOOK) {
            Ok(frame) => {
                number += 1;
                let entry_ns = frame.header().entry_ns;
                // 0 stands for a frame without a stamp.
                let age_ns = if entry_ns == 0 { 0 } else { outlet.now_ns().saturating_sub(entry_ns) };
                let age = Duration::from_nanos(age_ns);
                newest.send_replace(Some(Arc::new(Newest { frame, number, came: Instant::now(), age })));
            }
            Err(OutletError::TimedOut) => {}
            Err(OutletError::Ended) => return,
        }
    }
}
