//! `livetime run`: runs a pipeline, shows its state, and reports.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_ca::server as ca;
use livetime_control::black_box::BlackBox;
use livetime_control::model::{Account, Model, Moment};
use livetime_engine::{
    Event, EventHandler, Graph, GraphError, Node, NodeKind, NodeType, Report, Run, RunOptions, Services, lock,
};
use livetime_nodes::sources::pva_source::PvaSource;
use livetime_pva::client::Client;
use livetime_pva::net::Variables;
use livetime_pva::server as pva;
use serde_json::{Value, json};

use crate::commands::run_args::RunArgs;
use crate::commands::same_names::Search;
use crate::config::{self, Pipeline};
use crate::interrupts::Interrupts;
use crate::log::queue::{Reader, Writer, queue};
use crate::log::{Level, Line};
use crate::metrics::{self, Metrics};
use crate::output::{Exit, Failure, Output};
use crate::pvs::{Bell, Served, access_of, free_prefix, instances, listen_at};
use crate::report::live::{self, LiveTable};
use crate::report::table::Style;
use crate::report::{EndedBy, Ending, json::ending_json, summary};
use crate::trace::TraceFile;

/// How often to check whether the run has ended or should end.
const LOOK: Duration = Duration::from_millis(20);
/// How often the live table is drawn.
const DRAW: Duration = Duration::from_millis(250);
/// How often a line is written where there is no terminal.
const LINE: Duration = Duration::from_secs(5);
/// The shown state is at most this old. If a node hangs, a newer state is awaited for at most the second
/// time.
const FRESH: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_millis(200);
/// How long the frames under way may take after the sources have ended.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);
/// The number of places of panics that are reported.
const MOST_PANICS: usize = 100;

pub(crate) fn run(args: &RunArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    run_here(args, nodes, &mut |_| (), output)
}

/// Runs it in this process. `ended` gets the report before it is printed.
pub(crate) fn run_here(
    args: &RunArgs,
    nodes: &[NodeType],
    ended: &mut dyn FnMut(&Report),
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (mut pipeline, search) = choose(args, nodes, output)?;
    let mut keeping = super::kept::open(&mut pipeline, &args.pipeline, &args.kept, output);
    let name = shown_name(args);
    let place = super::black_box::place(args, output);
    let interrupted = place.as_ref().map(super::black_box::interrupted).unwrap_or_default();
    let (listener, mut trace) = open_beside(args)?;
    let is_live = output.is_terminal && !args.pipeline.json;
    let interrupts = Interrupts::counted(output);
    let (writer, log) = queue(output.level);
    log_panics(writer.clone());
    let bell = Bell::default();
    let options = || RunOptions {
        max_frames: args.frames,
        remember_frames: pipeline.pvaccess.enabled,
        on_event: Some(tell(bell.clone())),
        services: reading(Services::default().with(interrupts.starting()).with(interrupted.clone())),
        ..RunOptions::default()
    };
    let started = super::kept::start(&mut pipeline.graph, &mut keeping, options, output);
    let run = Arc::new(started.map_err(|errors| not_started(&name, &errors, args.pipeline.json, output))?);
    interrupts.watch(&run);
    let black_box = place.map(|place| super::black_box::begin(place, &run, &writer));
    trace.iter_mut().for_each(|trace| trace.start(run.tracer()));
    let model = Model::start(&run, &bell, pipeline.pvaccess.access.clone());
    let model = model.map_err(|problem| Failure::new(Exit::Failed, problem))?;
    // From here on the model holds the run.
    drop(run);
    super::kept::keep(&model, keeping, output);
    let metrics = listener.map(|listener| serve_metrics(listener, &model, output)).transpose()?;
    let same_names = same_names(search, &bell);
    let served = serve(&model, &mut pipeline, writer, output);
    let page = super::web::serve(&name, &pipeline, &model, output);
    let watch = Watch::new(args.duration, interrupts);
    let mut beside = Beside { served, page, metrics, trace, settings: None, black_box };
    let (mut report, ended_by) = watch.until_end(model, &mut beside, Show::new(is_live, log, bell), output);
    // The events of equal names came before the run, so they are first in its report.
    report.events.splice(0..0, same_names);
    let trace = beside.trace.take().map(|trace| trace.write(&report)).transpose();
    let traced = trace.unwrap_or_else(|problem| {
        report.unfinished.push(problem.to_string());
        None
    });
    ended(&report);
    let ending = Ending::new(&name, &report, ended_by);
    let exit = print(&ending, &beside, args.pipeline.json, output)?;
    // After the report: a program that is killed before leaves its black box.
    if let Some(black_box) = beside.black_box {
        super::black_box::remove(black_box, output);
    }
    if let Some(text) = traced {
        output.tell(Level::Info, text);
    }
    Ok(exit)
}

/// With the stores in which nodes open addresses.
fn reading(services: Services) -> Services {
    services.with(crate::stores::of_environment(None))
}

/// The pipeline file as messages name it.
fn shown_name(args: &RunArgs) -> String {
    let file = args.pipeline.file.as_ref();
    let name = file.map_or(config::DEFAULT.0.to_owned(), |path| path.display().to_string());
    // Hosts share a pipeline file, so a report is named after its host, too.
    args.pipeline.host_part().map_or(name.clone(), |host| format!("{name}@{host}"))
}

/// The pipeline with the choices of the command line and the environment, and the search for other servers of its names.
fn choose(
    args: &RunArgs,
    nodes: &[NodeType],
    output: &mut Output,
) -> Result<(Pipeline, Option<Search>), Failure> {
    let mut pipeline = super::load(&args.pipeline, nodes, output)?;
    super::hosts::choose(&mut pipeline, args)?;
    choose_serving(&mut pipeline, args, output);
    super::web::choose(&mut pipeline, args);
    choose_servers(&mut pipeline, &Variables::from_env());
    let search = choose_prefix(&mut pipeline, output);
    Ok((pipeline, search))
}

/// Prints how the run ended, and returns its exit code.
fn print(ending: &Ending, beside: &Beside, as_json: bool, output: &mut Output) -> Result<Exit, Failure> {
    let style = Style { width: None, is_coloured: output.is_coloured };
    match as_json {
        true => {
            let mut json = ending_json(ending);
            json["settings"] = beside.settings.as_ref().map_or(Value::Null, Account::json);
            super::black_box::add(beside.black_box.as_ref(), &mut json);
            output.json(&json)?;
        }
        false => {
            let lines = beside.black_box.iter().flat_map(BlackBox::lines).map(|line| line + "\n");
            output.data(&(lines.collect::<String>() + &summary::summary(ending, style)))?;
        }
    }
    Ok(ending.exit().0)
}

/// Services beside the run, which must release it before the end.
#[derive(Default)]
struct Beside {
    served: Option<Served>,
    page: Option<livetime_web::Served>,
    metrics: Option<Metrics>,
    trace: Option<TraceFile>,
    /// Where the values came from at the end.
    settings: Option<Account>,
    /// Removed when the report is printed.
    black_box: Option<BlackBox>,
}

/// The address and the file that were asked for, before anything starts.
fn open_beside(args: &RunArgs) -> Result<(Option<metrics::Listener>, Option<TraceFile>), Failure> {
    let failure = |what: String, e: std::io::Error| Failure::new(Exit::Failed, format!("{what}: {e}"));
    let listen = |address| {
        metrics::listen(address)
            .map(|listener| listener.also_for(&args.metrics_host))
            .map_err(|e| failure(format!("cannot serve metrics at {address}"), e))
    };
    let create = |path: &std::path::PathBuf| {
        TraceFile::create(path, args.trace_every).map_err(|e| Failure::new(Exit::Failed, e))
    };
    Ok((args.metrics.map(listen).transpose()?, args.trace.as_ref().map(create).transpose()?))
}

fn serve_metrics(
    listener: metrics::Listener,
    model: &Model,
    output: &mut Output,
) -> Result<Metrics, Failure> {
    let served = listener.serve(model.clone());
    let metrics = served.map_err(|e| Failure::new(Exit::Failed, format!("cannot serve metrics: {e}")))?;
    output.tell(Level::Info, format_args!("serving metrics at {}", metrics.url()));
    Ok(metrics)
}

/// A file that cannot be opened, a device that does not answer.
fn not_started(name: &str, errors: &[GraphError], as_json: bool, output: &mut Output) -> Failure {
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    if as_json {
        let (exit_code, exit_reason) = (Exit::Failed as u8, "not_started");
        let error = |(error, message): (&GraphError, &String)| json!({ "code": error.fault().code(), "message": message });
        let errors: Vec<Value> = errors.iter().zip(&messages).map(error).collect();
        let refusal = json!({
            "ok": false, "exit_code": exit_code, "exit_reason": exit_reason, "errors": errors,
        });
        if let Err(failure) = output.json(&refusal) {
            return failure;
        }
    }
    Failure::new(Exit::Failed, format!("{name} did not start: {}", messages.join("; ")))
}

/// Events go to the model, which keeps them and tells alarms at once to all faces.
fn tell(bell: Bell) -> EventHandler {
    Arc::new(move |event| bell.tell(event))
}

/// The command line overrides the file. A served run continues after an acquisition and waits for the next
/// one, unless the file or the command line sets `finish_when_done`.
fn choose_serving(pipeline: &mut Pipeline, args: &RunArgs, output: &mut Output) {
    let options = &mut pipeline.pvaccess;
    let is_wanted = args.pva
        || args.ca.is_some()
        || args.prefix.is_some()
        || !args.listen.is_empty()
        || !args.writers.is_empty();
    options.enabled = (options.enabled || is_wanted) && !args.no_pva;
    if let Some(port) = args.ca {
        options.channel_access.enabled = true;
        options.channel_access.port = port.or(options.channel_access.port);
    }
    if let Some(prefix) = &args.prefix {
        options.prefix.clone_from(prefix);
        options.is_prefix_chosen = true;
    }
    if !options.enabled {
        return;
    }
    // The parser of the arguments has checked both, so no error is lost here.
    if let (false, Ok(found)) = (args.listen.is_empty(), listen_at(args.listen.iter().map(String::as_str))) {
        (options.server.addresses, options.server.groups) = found;
    }
    if let (false, Ok(access)) = (args.writers.is_empty(), access_of(args.writers.iter().map(String::as_str)))
    {
        options.access = access;
    }
    for problem in options.follow(&Variables::from_env()) {
        output.tell(Level::Warn, problem);
    }
    for number in 0..pipeline.graph.nodes().len() {
        let decl = &pipeline.graph.nodes()[number];
        if decl.node_type.spec.kind == NodeKind::Source && !decl.is_set(FINISH) {
            // Sources without this parameter continue by themselves or end for good.
            let _ = pipeline.graph.set(number, FINISH, &false.into());
        }
    }
}

/// Two servers with the same names would answer for one another: a run that was given no prefix takes one that is free,
/// and another one searches its names.
fn choose_prefix(pipeline: &mut Pipeline, output: &mut Output) -> Option<Search> {
    take_free_prefix(pipeline, output);
    Search::begin(pipeline)
}

/// Lets all faces tell of another server that has the names of the run. The acquisition goes on meanwhile; only the PVs
/// wait.
fn same_names(search: Option<Search>, bell: &Bell) -> Vec<Event> {
    let found = search.map(Search::end).unwrap_or_default();
    found.iter().for_each(|event| bell.tell(event));
    found
}

fn take_free_prefix(pipeline: &mut Pipeline, output: &mut Output) {
    let options = &mut pipeline.pvaccess;
    if !options.enabled || options.is_prefix_chosen || options.server.udp_port.is_none() {
        return;
    }
    let instance = instances(&pipeline.graph, &options.names).into_iter().next();
    let (Some(instance), Ok(client)) = (instance, Client::from_env()) else { return };
    let free = free_prefix(&client, &options.prefix, &format!("{instance}:PortName_RBV"));
    if free != options.prefix {
        let taken = std::mem::replace(&mut options.prefix, free);
        output.log(format_args!(
            "livetime: another server has PVs {taken}...: this run has {}... (--prefix chooses)",
            options.prefix
        ));
    }
}

/// Sources that take images from other servers look for them where the environment says, unless the file does.
fn choose_servers(pipeline: &mut Pipeline, environment: &Variables) {
    const CHOICES: [(&str, &str); 3] = [
        ("addresses", "EPICS_PVA_ADDR_LIST"),
        ("name_servers", "EPICS_PVA_NAME_SERVERS"),
        ("search_port", "EPICS_PVA_BROADCAST_PORT"),
    ];
    let sources: Vec<usize> = (0..pipeline.graph.nodes().len())
        .filter(|n| pipeline.graph.nodes()[*n].node_type.spec.name == PvaSource::SPEC.name)
        .collect();
    for number in sources {
        for (param, variable) in CHOICES {
            set_unless_set(&mut pipeline.graph, number, param, environment.get(&[variable]).map(Into::into));
        }
        let automatic = environment.flag(&["EPICS_PVA_AUTO_ADDR_LIST"], true).ok().map(Into::into);
        set_unless_set(&mut pipeline.graph, number, "auto_addresses", automatic);
    }
}

fn set_unless_set(graph: &mut Graph, node: usize, param: &str, value: Option<livetime_engine::Value>) {
    if let Some(value) = value.filter(|_| !graph.nodes()[node].is_set(param)) {
        // An environment variable with a wrong value counts as not set.
        let _ = graph.set(node, param, &value);
    }
}

const FINISH: &str = "finish_when_done";

/// Serves the run if requested. A run that cannot be served runs nevertheless.
fn serve(model: &Model, pipeline: &mut Pipeline, log: Writer, output: &mut Output) -> Option<Served> {
    let options = &mut pipeline.pvaccess;
    if !options.enabled {
        return None;
    }
    let ca_log = log.clone();
    options.channel_access.log = Some(Arc::new(move |event: &ca::Event| {
        let level = match event {
            ca::Event::Refused { .. } => Level::Info,
            ca::Event::Problem(_) | ca::Event::Ended(_) => Level::Warn,
            _ => Level::Debug,
        };
        ca_log.tell(level, format_args!("channel access: {event}"));
    }));
    options.server.log = Some(Arc::new(move |event: &pva::Event| {
        let level = match event {
            // The model logs its own actions.
            pva::Event::Write { outcome: Err(_), .. } => Level::Info,
            pva::Event::Problem(_) => Level::Warn,
            _ => Level::Debug,
        };
        log.tell(level, format_args!("pvaccess: {event}"));
    }));
    match Served::of(model, &pipeline.plan, options) {
        Ok(served) => {
            if let Some(address) = served.address() {
                output.tell(Level::Info, format_args!("serving PVs {}... at {address}", options.prefix));
            }
            if let Some(address) = served.channel_access() {
                output.tell(Level::Info, format_args!("the same PVs over Channel Access at {address}"));
            }
            if let Some(reason) = served.moved() {
                output.log(format_args!(
                    "livetime: it is not port {}, because {reason}",
                    options.server.tcp_port
                ));
            }
            Some(served)
        }
        Err(error) => {
            output.tell(Level::Warn, format_args!("the run is not served: {error}"));
            None
        }
    }
}

/// The engine contains and reports the panic of a node. The place of the panic is logged once, not for every
/// frame, and not in the middle of the live table.
fn log_panics(log: Writer) {
    let usual = std::panic::take_hook();
    let told = Mutex::new(BTreeSet::new());
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        let Some(name) = thread.name().filter(|name| *name != "main") else { return usual(panic) };
        let place = panic.location().map(ToString::to_string);
        let mut told = lock(&told);
        if told.len() < MOST_PANICS && told.insert(place) {
            log.tell(Level::Error, format_args!("thread `{name}` {panic}"));
        }
    }));
}

/// Decides when a run ends.
struct Watch {
    until: Option<Instant>,
    interrupts: Interrupts,
    ended_by: EndedBy,
    drain_limit: Duration,
    /// When the sources were asked to end.
    draining: Option<Instant>,
    /// The time of the last shown state.
    looked: Instant,
}

impl Watch {
    fn new(duration: Option<Duration>, interrupts: Interrupts) -> Watch {
        let started = Instant::now();
        Watch {
            until: duration.and_then(|d| started.checked_add(d)),
            interrupts,
            ended_by: EndedBy::Sources,
            drain_limit: DRAIN_LIMIT,
            draining: None,
            looked: started,
        }
    }

    /// Shows the run until it ends by itself or has to.
    fn until_end(
        mut self,
        model: Model,
        beside: &mut Beside,
        mut show: Show,
        output: &mut Output,
    ) -> (Report, EndedBy) {
        let run = model.run().clone();
        while !run.is_finished() && !self.must_abort(&run, output) {
            show.log(output);
            if let Some(trace) = &mut beside.trace {
                trace.collect();
            }
            if self.looked.elapsed() >= show.period {
                let moment = model.at_most_old(FRESH, PATIENCE);
                if moment.report.failure.is_some() && self.draining.is_none() {
                    self.drain(&run, EndedBy::Failure);
                }
                show.moment(&moment, self.draining.is_some(), output);
                self.looked = Instant::now();
            }
            std::thread::sleep(self.until_next_look());
        }
        if self.ended_by == EndedBy::DrainLimit {
            output.tell(Level::Error, format_args!("not drained within {:?}: aborting", self.drain_limit));
        }
        if run.is_aborted_by_node() && self.ended_by != EndedBy::Abort {
            self.ended_by = EndedBy::PeerAbort;
        }
        if !run.is_finished() {
            // Who waits for the answer of a node that hangs waits no longer.
            run.abort();
        }
        // Wakes everything that waits for the run, and makes all services release it.
        model.end();
        beside.settings = model.settings();
        (beside.served, beside.page, beside.metrics) = (None, None, None);
        beside.black_box.iter().for_each(BlackBox::end);
        drop(model);
        let report = finish(run);
        show.log(output);
        show.table.erase(output.out);
        (report, self.ended_by)
    }

    /// Checks the time limits and interrupts; true when the run must not even drain any more.
    fn must_abort(&mut self, run: &Run, output: &mut Output) -> bool {
        let interrupts = self.interrupts.count();
        match self.draining {
            None if interrupts > 0 => {
                self.drain(run, EndedBy::Interrupt);
                output.tell(Level::Info, "ending the sources and handling what is under way; again to abort");
            }
            None if self.until.is_some_and(|until| Instant::now() >= until) => {
                self.drain(run, EndedBy::Duration);
            }
            Some(_) if interrupts > usize::from(self.ended_by == EndedBy::Interrupt) => {
                self.ended_by = EndedBy::Abort;
                return true;
            }
            Some(since) if since.elapsed() > self.drain_limit => {
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

fn finish(run: Arc<Run>) -> Report {
    match Arc::try_unwrap(run) {
        Ok(run) => run.finish(Duration::ZERO),
        // A service did not release the run: the report only lacks the last readings of the threads.
        Err(run) => {
            run.wait_or_leave(Duration::ZERO);
            run.report()
        }
    }
}

/// Shows a run: as a table on a terminal, as lines elsewhere.
struct Show {
    is_live: bool,
    table: LiveTable,
    /// Time between reports.
    period: Duration,
    /// Lines beside the ones of the run: from servers, and about panics.
    beside: Reader,
    /// Keeps the events of the run, and the changes to it; and the number of the next entry to be written.
    bell: Bell,
    next: u64,
}

impl Show {
    fn new(is_live: bool, beside: Reader, bell: Bell) -> Show {
        let period = if is_live { DRAW } else { LINE };
        Show { is_live, table: LiveTable::default(), period, beside, bell, next: 0 }
    }

    fn log(&mut self, output: &mut Output) {
        let entries = self.bell.log_since(self.next);
        self.next = entries.last().map_or(self.next, |entry| entry.number + 1);
        for line in self.beside.lines(entries.iter().map(Line::of_entry)) {
            self.table.erase(output.out);
            output.line(&line);
        }
    }

    fn moment(&mut self, moment: &Moment, is_draining: bool, output: &mut Output) {
        if !self.is_live {
            output.tell(Level::Info, live::line(&moment.into()));
            return;
        }
        let status = if is_draining { "draining" } else { "running" };
        // A terminal of unknown size is assumed to have the usual one.
        let size = crossterm::terminal::size().ok().filter(|(w, h)| *w > 0 && *h > 0).unwrap_or((80, 24));
        let lines = live::lines(&moment.into(), status, size, output.is_coloured);
        self.table.draw(output.out, &lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_nodes;
    use livetime_control::access::Access;

    const SLOW: &str = "\
nodes:
  cam: {type: counter, params: {period: 1 ms}}
  end: {type: slow, from: cam, queue: 1000, params: {takes: 50 ms}}
";

    /// Runs with a drain limit of 200 ms; returns the report, the cause of the end, stdout and stderr.
    fn watched(text: &str, is_terminal: bool) -> (Report, EndedBy, String, String) {
        let pipeline = config::parse("f", text, &test_nodes::all(), &[]).unwrap();
        let (_writer, log) = queue(Level::Info);
        let bell = Bell::default();
        let options = RunOptions { on_event: Some(tell(bell.clone())), ..RunOptions::default() };
        let run = Arc::new(Run::start(&pipeline.graph, options).unwrap());
        let model = Model::start(&run, &bell, Access::default()).unwrap();
        drop(run);
        let mut watch = Watch::new(Some(Duration::from_millis(400)), Interrupts::default());
        watch.drain_limit = Duration::from_millis(200);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut output =
            Output { out: &mut out, err: &mut err, is_terminal, is_coloured: false, level: Level::Info };
        let show = Show::new(is_terminal, log, bell);
        let (report, ended_by) = watch.until_end(model, &mut Beside::default(), show, &mut output);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (report, ended_by, text(out), text(err))
    }

    #[test]
    fn what_does_not_drain_is_aborted_and_accounted_for() {
        let (report, ended_by, out, err) = watched(SLOW, false);
        assert_eq!((ended_by, &*out), (EndedBy::DrainLimit, ""));
        assert!(err.ends_with("Z error not drained within 200ms: aborting\n"), "{err}");
        assert_eq!(err.lines().count(), 1);
        assert!(report.unintended_losses() > 0);
        assert_eq!(report.imbalances(), [""; 0]);
    }

    #[test]
    fn a_terminal_shows_the_table_and_is_left_clean() {
        let (_, ended_by, out, err) = watched(&SLOW.replace("50 ms", "0 s, fail_every: 1"), true);
        assert_eq!(ended_by, EndedBy::Duration);
        assert!(out.contains("running ") && out.contains("latency p99"), "{out}");
        assert!(out.ends_with("\x1b[J\x1b[?2026l"), "{out:?}");
        assert!(err.contains("error end: asked to fail"), "{err}");
    }
}
