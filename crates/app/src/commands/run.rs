//! `livetime run`: runs a pipeline, shows what happens, and reports.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use livetime_engine::{EventHandler, NodeType, Report, Run, RunOptions};

use crate::cli::RunArgs;
use crate::config;
use crate::output::{Exit, Failure, Output};
use crate::report::live::{self, LiveTable};
use crate::report::table::Style;
use crate::report::{EndedBy, Ending, json, summary};

/// How often to look whether the run has ended or shall end.
const LOOK: Duration = Duration::from_millis(20);
/// How often the live table is drawn.
const DRAW: Duration = Duration::from_millis(250);
/// How often a line is written where there is no terminal.
const LINE: Duration = Duration::from_secs(5);
/// How long the frames under way may take after the sources have ended.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);
/// Log lines that wait; more are dropped here, and counted by the engine.
const LOG_LINES: usize = 1000;
/// Log lines written at once; a node that fails on every frame must not scroll everything else away.
const LINES_AT_ONCE: usize = 10;

pub(crate) fn run(args: &RunArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let pipeline = super::load(&args.pipeline, nodes, output)?;
    let file = args.pipeline.file.as_ref();
    let name = file.map_or(config::DEFAULT.0.to_owned(), |path| path.display().to_string());
    let is_live = output.is_terminal && !args.pipeline.json;
    let interrupts = count_interrupts(output);
    let (sender, log) = sync_channel(LOG_LINES);
    if is_live {
        log_panics(sender.clone());
    }
    let options =
        RunOptions { max_frames: args.frames, on_event: Some(log_events(sender)), ..RunOptions::default() };
    let run = Run::start(&pipeline.graph, options).map_err(|errors| {
        let messages: Vec<String> = errors.iter().map(|e| e.message.clone()).collect();
        Failure::new(Exit::Failed, format!("{name} did not start: {}", messages.join("; ")))
    })?;
    let watch = Watch::new(&run, args.duration, interrupts);
    let (report, ended_by) = watch.until_end(run, &log, Show::new(is_live), output);
    let ending = Ending::new(&name, &report, ended_by);
    let style = Style { width: None, is_coloured: output.is_coloured };
    if args.pipeline.json {
        output.json(&json::ending_json(&ending))?;
    } else {
        output.data(&summary::summary(&ending, style))?;
    }
    Ok(ending.exit().0)
}

/// Counts Ctrl-C and signals to terminate instead of dying from them.
fn count_interrupts(output: &mut Output) -> Arc<AtomicUsize> {
    let interrupts = Arc::new(AtomicUsize::new(0));
    let counter = interrupts.clone();
    let set = ctrlc::set_handler(move || _ = counter.fetch_add(1, Ordering::Relaxed));
    if let Err(e) = set {
        output.log(format_args!("livetime: Ctrl-C will end the program at once, without a report: {e}"));
    }
    interrupts
}

/// Events go to the main thread, which alone writes.
fn log_events(log: SyncSender<String>) -> EventHandler {
    Arc::new(move |event| _ = log.try_send(summary::event(event)))
}

/// A node's panic is contained by the engine; its text must not land in the middle of the live table.
fn log_panics(log: SyncSender<String>) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        match thread.name() {
            Some(name) if name != "main" => _ = log.try_send(format!("thread `{name}` {panic}")),
            _ => usual(panic),
        }
    }));
}

/// Decides when a run ends.
struct Watch {
    until: Option<Instant>,
    interrupts: Arc<AtomicUsize>,
    ended_by: EndedBy,
    /// Since when the sources are told to end.
    draining: Option<Instant>,
    /// The last report, and when it was made.
    last: Report,
    looked: Instant,
}

impl Watch {
    fn new(run: &Run, duration: Option<Duration>, interrupts: Arc<AtomicUsize>) -> Watch {
        let started = Instant::now();
        Watch {
            until: duration.and_then(|d| started.checked_add(d)),
            interrupts,
            ended_by: EndedBy::Sources,
            draining: None,
            last: run.report(),
            looked: started,
        }
    }

    /// Shows the run until it ends by itself or has to.
    fn until_end(
        mut self,
        run: Run,
        log: &Receiver<String>,
        mut show: Show,
        output: &mut Output,
    ) -> (Report, EndedBy) {
        while !run.is_finished() && !self.must_abort(&run, output) {
            show.log(log, output);
            if self.looked.elapsed() >= show.period {
                let report = run.report();
                if report.failure.is_some() && self.draining.is_none() {
                    self.drain(&run, EndedBy::Failure);
                }
                show.report(&self.last, &report, self.draining.is_some(), output);
                (self.last, self.looked) = (report, Instant::now());
            }
            std::thread::sleep(self.until_next_look());
        }
        if self.ended_by == EndedBy::DrainLimit {
            output.log(format_args!("livetime: not drained within {} s: aborting", DRAIN_LIMIT.as_secs()));
        }
        let report = run.finish(Duration::ZERO);
        show.log(log, output);
        show.table.erase(output.out);
        (report, self.ended_by)
    }

    /// Looks at the clock and at the interrupts; true when the run must not go on even to drain.
    fn must_abort(&mut self, run: &Run, output: &mut Output) -> bool {
        let interrupts = self.interrupts.load(Ordering::Relaxed);
        match self.draining {
            None if interrupts > 0 => {
                self.drain(run, EndedBy::Interrupt);
                output.log("livetime: ending the sources and handling what is under way; again to abort");
            }
            None if self.until.is_some_and(|until| Instant::now() >= until) => {
                self.drain(run, EndedBy::Duration);
            }
            Some(_) if interrupts > usize::from(self.ended_by == EndedBy::Interrupt) => {
                self.ended_by = EndedBy::Abort;
                return true;
            }
            Some(since) if since.elapsed() > DRAIN_LIMIT => {
                self.ended_by = EndedBy::DrainLimit;
                return true;
            }
            _ => {}
        }
        false
    }

    fn drain(&mut self, run: &Run, ended_by: EndedBy) {
        run.stop();
        self.ended_by = ended_by;
        self.draining = Some(Instant::now());
    }

    fn until_next_look(&self) -> Duration {
        let left = self.until.filter(|_| self.draining.is_none());
        left.map_or(LOOK, |until| until.saturating_duration_since(Instant::now()).min(LOOK))
    }
}

/// Shows a run: as a table on a terminal, as lines elsewhere.
struct Show {
    is_live: bool,
    table: LiveTable,
    /// Time between reports.
    period: Duration,
}

impl Show {
    fn new(is_live: bool) -> Show {
        Show { is_live, table: LiveTable::default(), period: if is_live { DRAW } else { LINE } }
    }

    fn log(&mut self, log: &Receiver<String>, output: &mut Output) {
        let lines: Vec<String> = log.try_iter().collect();
        if lines.is_empty() {
            return;
        }
        self.table.erase(output.out);
        lines.iter().take(LINES_AT_ONCE).for_each(|line| output.log(line));
        if lines.len() > LINES_AT_ONCE {
            output.log(format_args!("and {} more events", lines.len() - LINES_AT_ONCE));
        }
    }

    fn report(&mut self, before: &Report, now: &Report, is_draining: bool, output: &mut Output) {
        if !self.is_live {
            output.log(live::line(before, now));
            return;
        }
        let status = if is_draining { "draining" } else { "running" };
        // A terminal that does not tell its size is taken for the usual one.
        let size = crossterm::terminal::size().ok().filter(|(w, h)| *w > 0 && *h > 0).unwrap_or((80, 24));
        let lines = live::lines(before, now, status, size, output.is_coloured);
        self.table.draw(output.out, &lines);
    }
}
