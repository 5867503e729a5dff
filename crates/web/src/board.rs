//! The newest moment, written down once for all clients that watch.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use livetime_control::model::{Model, Moment, NodeTimes};
use livetime_runtime::lock;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::show;

/// The graph's limit is estimated this often.
const LIMIT: Duration = Duration::from_secs(1);

/// The newest moment, as it is sent.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) moment: Arc<Moment>,
    /// Number of the graph, and its message.
    pub(crate) graph: u64,
    pub(crate) graph_text: Utf8Bytes,
    /// The message with the times of the nodes, and its number, which is new when it is another one.
    pub(crate) times: u64,
    pub(crate) times_text: Utf8Bytes,
    pub(crate) text: Utf8Bytes,
}

/// Parts that are made less often than moments.
#[derive(Default)]
pub(crate) struct Slow {
    /// The graph's limit, and the time of the estimate.
    limit: Option<(Instant, Value)>,
    times: (u64, Vec<NodeTimes>, Utf8Bytes),
}

/// Where the newest moment is put up.
pub(crate) struct Board {
    shown: watch::Sender<Option<Shown>>,
    graph: Mutex<Known>,
    watching: AtomicUsize,
    is_over: watch::Sender<bool>,
    /// The thread is to end.
    is_ended: AtomicBool,
}

/// The newest graph.
#[derive(Default)]
struct Known {
    number: u64,
    /// The source of the edges, which is cheaper to compare than the edges are to make.
    hash: u64,
    edges: Arc<Value>,
}

impl Board {
    pub(crate) fn new() -> Board {
        Board {
            shown: watch::channel(None).0,
            graph: Mutex::default(),
            watching: AtomicUsize::new(0),
            is_over: watch::channel(false).0,
            is_ended: AtomicBool::new(false),
        }
    }

    /// The message `graph` as it is now.
    pub(crate) fn graph_json(&self, model: &Model) -> Value {
        let (number, edges) = self.graph_of(model, &model.newest());
        graph_message(number, &edges)
    }

    /// The number of the graph of a moment, which is new if its edges are others than before.
    fn graph_of(&self, model: &Model, moment: &Moment) -> (u64, Arc<Value>) {
        let hash = show::edges_hash(moment);
        let mut known = lock(&self.graph);
        // The first graph has number 1, so that 0 means none.
        if known.number == 0 || known.hash != hash {
            let edges = Arc::new(show::edges_json(moment, model.run().graph()));
            *known = Known { number: known.number + 1, hash, edges };
        }
        (known.number, known.edges.clone())
    }

    /// Puts a moment up, if a client watches.
    pub(crate) fn put(&self, model: &Model, moment: Arc<Moment>, at_ns: i64, slow: &mut Slow) {
        if !self.is_watched() {
            // The next client must not see an old moment.
            self.shown.send_replace(None);
            return;
        }
        slow.update(&moment);
        let limit = slow.limit.as_ref().map_or(&Value::Null, |(_, limit)| limit);
        let (graph, edges) = self.graph_of(model, &moment);
        let old =
            // The text of an unchanged graph is not made again.
            self.shown.borrow().as_ref().filter(|shown| shown.graph == graph).map(|s| s.graph_text.clone());
        let graph_text = old.unwrap_or_else(|| graph_message(graph, &edges).to_string().into());
        let text = show::moment_json(&moment, graph, at_ns, limit).to_string().into();
        let (times, times_text) = (slow.times.0, slow.times.2.clone());
        self.shown.send_replace(Some(Shown { moment, graph, graph_text, times, times_text, text }));
    }

    /// Receives each moment that is put up.
    pub(crate) fn shown(&self) -> watch::Receiver<Option<Shown>> {
        self.shown.subscribe()
    }

    /// Counts a client that comes or goes.
    pub(crate) fn watch(&self, comes: bool) {
        match comes {
            // AcqRel: a client that came is seen before the next moment is put up.
            true => self.watching.fetch_add(1, Ordering::AcqRel),
            false => self.watching.fetch_sub(1, Ordering::AcqRel),
        };
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watching.load(Ordering::Acquire) > 0
    }

    /// Asks the thread that puts moments up to end.
    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Release);
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }

    /// Tells clients that the last moment has been put up.
    pub(crate) fn set_over(&self) {
        self.is_over.send_replace(true);
    }

    /// Becomes true when the last moment has been put up.
    pub(crate) fn over(&self) -> watch::Receiver<bool> {
        self.is_over.subscribe()
    }
}

fn graph_message(number: u64, edges: &Value) -> Value {
    json!({ "kind": "graph", "graph": number, "edges": edges })
}

impl Slow {
    fn update(&mut self, moment: &Moment) {
        // The estimate takes longer than a moment.
        if self.limit.as_ref().is_none_or(|(found, _)| found.elapsed() >= LIMIT) {
            self.limit = Some((Instant::now(), show::limit_json(&moment.report)));
        }
        let (number, known, text) = &mut self.times;
        // The text is made anew only if a time has changed.
        if *number == 0 || !known.iter().eq(moment.nodes.iter().map(|node| &node.times)) {
            *number += 1;
            *known = moment.nodes.iter().map(|node| node.times).collect();
            *text = show::times_json(moment).to_string().into();
        }
    }
}
