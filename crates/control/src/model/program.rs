//! Acts of a program on a run of its own.

use std::sync::Arc;
use std::time::Duration;

use livetime_engine::{Graph, Report, Run, RunOptions, Value};

use super::{Action, Bell, Caller, Change, Model, Moment, Refused, StartError};
use crate::access::Access;

/// No moment is that long in coming.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);

impl Model {
    /// Starts a run of `graph`, and its model: this program may act on it, and whom [`Access::default`] lets. The run's errors
    /// ring the model's bell beside what `options` do with them.
    ///
    /// ```
    /// use std::time::Duration;
    /// use livetime_control::{config, model::Model};
    /// use livetime_engine::RunOptions;
    ///
    /// let text = "nodes:\n  cam: {type: sim_detector}\n  stats: {type: statistics, from: cam}\n";
    /// let pipeline = config::parse("my.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
    /// let model = Model::run_graph(&pipeline.graph, RunOptions::default())?;
    /// model.set("cam", "offset", 20.0)?;
    /// for moment in model.moments(Duration::from_millis(50)).take(3) {
    ///     let (counts, stats) = moment.node("stats").ok_or("no such node")?;
    ///     println!("{} frames, mean {:?}", counts.completed, stats.value("mean"));
    /// }
    /// assert!(model.finish(Duration::from_secs(10)).imbalances().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Everything that keeps the graph from running, a line each.
    pub fn run_graph(graph: &Graph, mut options: RunOptions) -> Result<Model, StartError> {
        let bell = Bell::default();
        let (heard, theirs) = (bell.clone(), options.on_event.take());
        options.on_event = Some(Arc::new(move |event| {
            heard.tell(event);
            theirs.iter().for_each(|tell| tell(event));
        }));
        let run = Run::start(graph, options).map_err(StartError::Graph)?;
        Model::start(&Arc::new(run), &bell, Access::default())
    }

    /// Writes parameter `param` of the node called `node`, as this program. Returns when the node has taken it.
    ///
    /// # Errors
    /// Why not: no such node or parameter, a value that is not acceptable, or a node that does not answer.
    pub fn set(&self, node: &str, param: &str, value: impl Into<Value>) -> Result<(), Refused> {
        let node = self.run().graph().node(node)?;
        let change = Change::Set(param.into(), value.into());
        self.act_and_wait(Caller::program(), Action::Change(node, change)).result
    }

    /// Each moment from the newest on until the model ends, at least one in `period`. A slower reader misses some.
    pub fn moments(&self, period: Duration) -> impl Iterator<Item = Arc<Moment>> + use<> {
        let mut watch = self.watch(period);
        std::iter::from_fn(move || watch.next(FOREVER))
    }

    /// Stops the run, waits for its end, at most for `limit`, and ends the model. A run that has not ended then is
    /// aborted. If others hold the model or its run, the report lacks a last look at the threads.
    pub fn finish(self, limit: Duration) -> Report {
        let run = self.run().clone();
        run.stop();
        if !run.wait(limit) {
            // The abort ends the wait of threads that ask a node that hangs.
            run.abort();
        }
        self.end();
        drop(self);
        match Arc::try_unwrap(run) {
            Ok(run) => run.finish(Duration::ZERO),
            // Another holder keeps the run alive: the report lacks only the last times of the threads.
            Err(run) => {
                run.wait_or_leave(Duration::ZERO);
                run.report()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::config;

    fn graph(text: &str) -> Graph {
        config::parse("p.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap().graph
    }

    #[test]
    fn what_is_not_there_is_refused_and_named() {
        let model =
            Model::run_graph(&graph("nodes:\n  cam: {type: sim_detector}\n"), RunOptions::default()).unwrap();
        assert!(model.set("can", "offset", 20.0).unwrap_err().to_string().contains("can"));
        assert!(model.set("cam", "offsett", 20.0).unwrap_err().to_string().contains("offsett"));
        assert_eq!(model.set("cam", "offset", 20.0), Ok(()));
        assert!(model.finish(livetime_testkit::HANG).imbalances().is_empty());
    }

    #[test]
    fn a_graph_that_cannot_run_says_why_and_events_come_to_both() {
        let missing = "nodes:\n  run: {type: recording, params: {file: /nowhere.xtc}}\n";
        let error = Model::run_graph(&graph(missing), RunOptions::default()).err().unwrap().to_string();
        assert!(error.contains("/nowhere.xtc"), "{error}");

        let told = Arc::new(AtomicU64::new(0));
        let count = told.clone();
        let tell = move |_: &livetime_engine::Event| _ = count.fetch_add(1, Ordering::Relaxed);
        let options = RunOptions { on_event: Some(Arc::new(tell)), ..RunOptions::default() };
        let text = "nodes:\n  cam: {type: sim_detector}\n  end: {type: tiff_files, from: cam, params: {path: /nowhere}}\n";
        let model = Model::run_graph(&graph(text), options).unwrap();
        // A folder that is missing is an error of the node at its start.
        assert!(model.moments(Duration::from_millis(10)).any(|_| told.load(Ordering::Relaxed) > 0));
        assert!(!model.log_since(0).is_empty());
        model.finish(livetime_testkit::HANG);
    }
}
