//! A run that is served, and the CPU time of its server's threads.

use crate::Failed;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use livetime_control::model::Model;
use livetime_engine::{Graph, Report, RunOptions};
use livetime_web::{Options, Served};

/// The longest edge of a picture that a page on a small screen asks for: bins of two.
pub(super) const FIT: u32 = 512;

pub(super) const SOURCE: &str = "detector.out";

/// A run has this long to end.
const END: Duration = Duration::from_secs(30);

/// A run that is served.
pub(super) struct Scene {
    pub(super) model: Model,
    served: Served,
}

impl Scene {
    pub(super) fn start(graph: &Graph) -> Result<Scene, Failed> {
        let model = Model::run_graph(graph, RunOptions::default())?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| format!("cannot listen: {e}"))?;
        let served = livetime_web::serve(listener, &model, Options::default())?;
        Ok(Scene { model, served })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.served.address()
    }

    pub(super) fn token(&self) -> &str {
        self.served.token()
    }

    /// Ends the run; its ledger closes.
    pub(super) fn end(self) -> Result<Report, Failed> {
        self.model.run().stop();
        drop(self.served);
        let report = self.model.finish(END);
        let imbalances = report.imbalances();
        match (&report.failure, imbalances.is_empty()) {
            (Some(failure), _) => Err(failure.clone().into()),
            (None, false) => Err(format!("the ledger does not close: {}", imbalances.join("; ")).into()),
            (None, true) => Ok(report),
        }
    }
}

/// CPU time so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Used {
    /// Of the threads of the server.
    pub(super) server: Duration,
    /// Of the threads of the model, which every face needs.
    pub(super) model: Duration,
}

impl Used {
    /// The use since the start of the present threads; `None` where the system does not report it.
    pub(super) fn now() -> Option<Used> {
        let mut used = Used::default();
        for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
            let read = |file: &str| fs::read_to_string(thread.path().join(file));
            // A thread that ends meanwhile has no files any more.
            let (Ok(name), Ok(times)) = (read("comm"), read("schedstat")) else { continue };
            // The first number is the time on a core.
            let time = Duration::from_nanos(times.split(' ').next()?.parse().ok()?);
            match name.trim() {
                // The two threads of the model.
                "looker" | "writer" => used.model += time,
                name if name.starts_with("web") => used.server += time,
                _ => {}
            }
        }
        Some(used)
    }

    /// Per cent of a core in `seconds`: of the server, of the model.
    pub(super) fn percent_since(self, before: Used, seconds: f64) -> [f64; 2] {
        let of = |now: Duration, before: Duration| 100.0 * now.saturating_sub(before).as_secs_f64() / seconds;
        [of(self.server, before.server), of(self.model, before.model)]
    }
}
