//! Threads that do not end although the run was aborted: their node does not return from a call.

use std::thread::JoinHandle;
use std::time::Duration;

use super::{ABORT_LIMIT, Report, Run};

impl Run {
    /// Waits for the end, at most for `limit`, then aborts, and waits [`ABORT_LIMIT`] once more. A run with a thread that has not ended by
    /// then has failed, and [`Report::failure`] names the node that does not return. Returns whether all threads have ended.
    ///
    /// It is [`Run::finish`] for a program that shares the run.
    pub fn wait_or_leave(&self, limit: Duration) -> bool {
        if self.wait(limit) {
            return true;
        }
        self.abort();
        if self.wait(ABORT_LIMIT) {
            return true;
        }
        let names = self.not_returning();
        // The last of these threads may have ended just now.
        if !names.is_empty() {
            self.shared.control.fail(accusation(&names));
        }
        names.is_empty()
    }

    /// The nodes in which threads are that have not ended. For a thread with several nodes: the nodes with a frame in
    /// their handler, or all of its nodes if there is none, because it may be any of them.
    pub fn not_returning(&self) -> Vec<String> {
        let report = self.report();
        let unfinished =
            self.threads.iter().zip(&report.threads).filter(|(thread, _)| !JoinHandle::is_finished(thread));
        let mut names: Vec<String> =
            unfinished.flat_map(|(_, thread)| culprits(&report, &thread.nodes)).collect();
        // Copies in a pool have one name.
        names.dedup();
        names
    }
}

/// The names of the nodes among `nodes`, which share a thread, that may keep the thread.
fn culprits(report: &Report, nodes: &[usize]) -> Vec<String> {
    let is_busy = |node: &usize| report.nodes[*node].under_way() > 0;
    let calls = |from: usize, to: usize| report.edges.iter().any(|e| e.nodes == (from, Some(to)));
    let busy: Vec<usize> = nodes.iter().copied().filter(is_busy).collect();
    // A node that runs inside the call of another keeps that one busy, too.
    let inner: Vec<usize> =
        busy.iter().copied().filter(|node| !busy.iter().any(|other| calls(*node, *other))).collect();
    let found = if inner.is_empty() { nodes } else { &inner };
    found.iter().map(|node| report.nodes[*node].name.clone()).collect()
}

/// In words.
fn accusation(names: &[String]) -> String {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (node, does) = if names.len() == 1 { ("node", "does") } else { ("nodes", "do") };
    format!("{node} {list} {does} not return from a call, and what was under way there is left behind")
}
