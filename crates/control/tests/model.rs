//! The model of a running graph: versions, order, a node that hangs, alarms, acquisitions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use livetime_control::access::{Access, access_of};
use livetime_control::config;
use livetime_control::model::{
    Action, Bell, Bound, Caller, Change, Counter, Limit, Model, Quantity, Refused, Rewire, Severity, What,
};
use livetime_engine::{
    Context, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, Run, RunOptions, Value,
};
use livetime_frame::Frame;
use livetime_nodes::process::statistics::Statistics;

/// No test waits this long unless something is broken.
pub(crate) const LONG: Duration = livetime_testkit::HANG;

/// Lets frames through the node `gate` while it is open.
static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
/// Whether a frame stands before it.
static IS_STUCK: AtomicBool = AtomicBool::new(false);

/// Parameters of `gate`.
#[derive(Params)]
struct GateParams {
    /// Something to be set.
    number: i64,
    /// Every frame is an error.
    fails: bool,
    /// Frames wait for the gate.
    holds: bool,
}

/// Keeps its thread until the gate is open.
struct Gate(GateParams);

impl Node for Gate {
    type Params = GateParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "gate",
        "Keeps its thread until the gate is open.",
        &[PortSpec::array_of_dims("in", 2, 2)],
    );

    fn new(params: GateParams) -> Result<Gate, NodeError> {
        Ok(Gate(params))
    }

    fn params(&mut self) -> &mut GateParams {
        &mut self.0
    }

    fn frame(&mut self, _input: usize, _frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        if self.0.fails {
            return Err(NodeError::new("asked to fail"));
        }
        if !self.0.holds {
            return Ok(());
        }
        IS_STUCK.store(true, Ordering::Release);
        let is_open = GATE.1.wait_while(GATE.0.lock().unwrap(), |is_open| !*is_open);
        drop(is_open.unwrap());
        Ok(())
    }
}

fn open_gate() {
    *GATE.0.lock().unwrap() = true;
    GATE.1.notify_all();
}

const TEXT: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire_period: 2 ms}}
  stats: {type: statistics, from: cam}
  also: {type: statistics, from: stats}
";

/// A run of `text` with its model.
fn model(text: &str, access: Access) -> Model {
    let nodes = [livetime_nodes::ALL, livetime_sim::ALL, &[NodeType::of::<Gate>()]].concat();
    let pipeline = config::parse("f", text, &nodes, &[]).unwrap();
    let bell = Bell::default();
    let heard = bell.clone();
    let on_event: livetime_engine::EventHandler = Arc::new(move |event| heard.tell(event));
    let options = RunOptions { on_event: Some(on_event), remember_frames: true, ..RunOptions::default() };
    let run = Run::start(&pipeline.graph, options).map_err(|e| format!("{e:?}")).unwrap();
    Model::start(&Arc::new(run), &bell, access).unwrap()
}

fn node(model: &Model, name: &str) -> usize {
    model.run().graph().node(name).unwrap()
}

fn set(node: usize, param: &str, value: impl Into<Value>) -> Action {
    Action::Change(node, Change::Set(param.into(), value.into()))
}

fn ledger_closes(model: Model) {
    model.end();
    model.run().stop();
    assert!(model.run().wait(LONG));
    assert_eq!(model.run().report().imbalances(), [""; 0]);
}

#[test]
fn faces_that_act_at_once_see_one_order() {
    let model = model(TEXT, Access::default());
    let cam = node(&model, "cam");
    let is_done = AtomicBool::new(false);
    let (mut answers, seen) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut watch = model.watch(Duration::from_millis(1));
            let mut seen = Vec::new();
            while !is_done.load(Ordering::Acquire) {
                seen.extend(watch.next(Duration::from_millis(100)));
            }
            seen
        });
        let act = |first: i32| {
            let caller = Caller { face: if first == 0 { "a" } else { "b" }, ..Caller::program() };
            // None is the value that the node begins with.
            let offset = |n: i32| f64::from(first + 2 * n + 2);
            let act = |n| (offset(n), model.act_and_wait(caller.clone(), set(cam, "offset", offset(n))));
            (0..50).map(act).collect::<Vec<_>>()
        };
        let faces = [0, 1].map(|first| scope.spawn(move || act(first)));
        let answers: Vec<_> = faces.into_iter().flat_map(|face| face.join().unwrap()).collect();
        is_done.store(true, Ordering::Release);
        (answers, watcher.join().unwrap())
    });
    // Each face is answered with the node as its own action left it.
    for (offset, answer) in &answers {
        assert_eq!(answer.result, Ok(()));
        assert_eq!(answer.moment.nodes[cam].value("offset"), Some(&Value::Float(*offset)));
    }
    // The versions of the answers are one order, and the log has the same.
    answers.sort_by_key(|(_, answer)| answer.moment.version);
    assert!(answers.windows(2).all(|w| w[0].1.moment.version < w[1].1.moment.version));
    let logged: Vec<String> = model.log_since(0).iter().map(|entry| entry.what.to_string()).collect();
    let wanted =
        |offset: f64| format!("cam: offset = {offset}, by {}", if offset % 2.0 == 0.0 { "a" } else { "b" });
    assert_eq!(logged, answers.iter().map(|(offset, _)| wanted(*offset)).collect::<Vec<_>>());
    // A watcher sees versions grow, counts that never go back, and the values in that order.
    for pair in seen.windows(2) {
        assert!(pair[0].version < pair[1].version);
        assert!(pair[0].report.nodes[cam].emitted <= pair[1].report.nodes[cam].emitted);
    }
    let place = |value: &Value| answers.iter().position(|(offset, _)| Value::Float(*offset) == *value);
    let places: Vec<_> = seen.iter().filter_map(|m| place(m.nodes[cam].value("offset")?)).collect();
    assert!(places.is_sorted(), "{places:?}");
    ledger_closes(model);
}

#[test]
fn a_value_beyond_its_limit_is_an_alarm_of_the_answer_and_of_the_log() {
    let text = "nodes:\n  cam: {type: sim_detector, params: {acquire: false}}\n";
    let model = model(text, access_of(["192.0.2.1"]).unwrap());
    let cam = node(&model, "cam");
    let act = |action| model.act_and_wait(Caller::program(), action);
    let limit = |limit| Action::Change(cam, Change::Limit(Quantity::Param("offset"), limit));
    let stranger =
        Caller { from: Some("192.0.2.2:1".parse().unwrap()), is_local: false, ..Caller::program() };
    let refused = model.act_and_wait(stranger, limit(Limit::At(Bound::High, 5.0)));
    assert!(refused.result.is_err() && refused.moment.nodes[cam].state.limited.is_empty());
    act(limit(Limit::At(Bound::High, 5.0)));
    act(limit(Limit::Severity(Bound::High, Severity::Minor)));
    let alarm = |offset: f64| {
        let limited = act(set(cam, "offset", offset)).moment.nodes[cam].state.limited[0];
        (limited.beyond, limited.severity())
    };
    assert_eq!(alarm(5.0), (Some(Bound::High), Severity::Minor));
    assert_eq!(alarm(4.0), (None, Severity::None));
    let logged: Vec<String> = model.log_since(0).iter().map(|entry| entry.what.to_string()).collect();
    let wanted = "cam: alarm: offset is 5, beyond HIGH at 5: MINOR";
    assert!(logged.iter().any(|line| line == wanted), "{logged:?}");
    assert!(logged.contains(&"cam: alarm of offset: HIGH is MINOR, by program".to_owned()), "{logged:?}");
    ledger_closes(model);
}

#[test]
fn a_node_that_hangs_delays_no_other() {
    let text = format!("{TEXT}  stuck: {{type: gate, from: cam, queue: 1000, params: {{holds: true}}}}\n");
    let model = model(&text, Access::default());
    let [cam, stuck] = ["cam", "stuck"].map(|name| node(&model, name));
    while !IS_STUCK.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    let (tell, told) = channel();
    for number in [1, 2] {
        let tell = tell.clone();
        model.act(Caller::program(), set(stuck, "number", number), move |answer| {
            tell.send((stuck, answer)).unwrap()
        });
    }
    model.act(Caller::program(), set(cam, "offset", 7), move |answer| tell.send((cam, answer)).unwrap());
    let (first, answer) = told.recv_timeout(LONG).unwrap();
    assert_eq!((first, &answer.result), (cam, &Ok(())));
    assert_eq!(answer.moment.nodes[cam].value("offset"), Some(&Value::Float(7.0)));
    // Moments go on, with everything of all others.
    let mut watch = model.watch(Duration::from_millis(5));
    let mut emitted = answer.moment.report.nodes[cam].emitted;
    let mut grown = 0;
    while grown < 5 {
        let moment = watch.next(LONG).unwrap();
        assert_eq!(moment.report.nodes[stuck].completed, 0);
        assert_eq!(moment.nodes[cam].value("offset"), Some(&Value::Float(7.0)));
        grown += usize::from(moment.report.nodes[cam].emitted > emitted);
        emitted = moment.report.nodes[cam].emitted;
    }
    open_gate();
    // Both were done in their order, or refused because the gate stayed shut too long.
    let last: Vec<_> = told.iter().take(2).collect();
    assert!(last.iter().all(|(number, _)| *number == stuck));
    if let (_, answer) = &last[1]
        && answer.result.is_ok()
    {
        assert_eq!(answer.moment.nodes[stuck].value("number"), Some(&Value::Int(2)));
    }
    drop(watch);
    ledger_closes(model);
}

/// Keeps the thread of a statistics node until what is returned is dropped.
fn hang(model: &Model, name: &str) -> std::sync::mpsc::Sender<()> {
    let (go, hang) = channel::<()>();
    let (tell, hangs) = channel();
    let visit = move |_: &mut Statistics| {
        tell.send(()).unwrap();
        let _ = hang.recv();
    };
    model.run().visit_later(node(model, name), visit).unwrap();
    hangs.recv_timeout(LONG).unwrap();
    go
}

#[test]
fn who_rewires_to_a_node_that_hangs_delays_nobody() {
    let text =
        format!("{TEXT}  one: {{type: statistics, from: cam}}\n  two: {{type: statistics, from: cam}}\n");
    let model = model(&text, Access::default());
    let [cam, one, two] = ["cam", "one", "two"].map(|name| node(&model, name));
    let from = |name: &str, queue: usize| {
        Change::Rewire(Rewire { node: Some(name.into()), queue: Some(queue), ..Rewire::default() })
    };
    let go = hang(&model, "stats");
    let (tell, told) = channel();
    let to_stats = Action::Change(one, from("stats", 9));
    model.act(Caller::program(), to_stats.clone(), move |answer| tell.send(answer).unwrap());
    for n in 1..=5 {
        let act = |action| model.act_and_wait(Caller::program(), action);
        assert_eq!(act(Action::Change(two, from("cam", 10 + n))).result, Ok(()));
        assert_eq!(act(set(cam, "offset", n as i64)).result, Ok(()));
    }
    assert!(told.try_recv().is_err());
    let answer = told.recv_timeout(LONG).unwrap();
    assert!(answer.result.unwrap_err().to_string().contains("`stats` did not answer"));
    // It has its frames from where it had them.
    let input = model.newest().nodes[one].state.input.clone().unwrap();
    assert_eq!((&*input.from, input.options.queue), ("cam.out", 20));
    let completed = |model: &Model| model.run().report().nodes[one].completed;
    let before = completed(&model);
    while completed(&model) == before {
        std::thread::yield_now();
    }
    drop(go);
    assert_eq!(model.act_and_wait(Caller::program(), to_stats).result, Ok(()));
    ledger_closes(model);
}

#[test]
fn an_error_is_in_a_moment_at_once() {
    let text = format!("{TEXT}  bad: {{type: gate, from: cam}}\n");
    let model = model(&text, Access::default());
    // By itself the looker would come back in an hour.
    let mut watch = model.watch(Duration::from_secs(3600));
    let has_error =
        |moment: &livetime_control::model::Moment| moment.report.events.iter().any(|e| e.node == "bad");
    let answer = model.act_and_wait(Caller::program(), set(node(&model, "bad"), "fails", true));
    drop(answer);
    while !has_error(&watch.next(LONG).unwrap()) {}
    let is_error = |what: &What| matches!(what, What::Event(event) if event.node == "bad" && event.is_error);
    assert!(model.log_since(0).iter().any(|entry| is_error(&entry.what)));
    drop(watch);
    ledger_closes(model);
}

#[test]
fn an_acquisition_is_answered_when_all_behind_it_is_done() {
    let text = TEXT.replace(
        "acquire_period: 2 ms",
        "acquire: false, image_mode: multiple, num_images: 3, finish_when_done: false",
    );
    let model = model(&text, Access::default());
    let [cam, stats, also] = ["cam", "stats", "also"].map(|name| node(&model, name));
    let begun = Arc::new(Mutex::new(Vec::new()));
    let list = begun.clone();
    model.on_begun(Arc::new(move |moment, node| {
        let emitted = moment.report.nodes[node].emitted;
        list.lock().unwrap().push((node, emitted, moment.nodes[node].state.is_acquiring));
    }));
    let act = |change: Change| model.act_and_wait(Caller::program(), Action::Change(cam, change));
    assert_eq!(act(Change::WaitForNodes(true)).result, Ok(()));
    for round in 1..=3 {
        let answer = act(Change::Acquire { start: true, wait: true });
        assert_eq!(answer.result, Ok(()));
        let moment = answer.moment;
        assert_eq!(moment.report.nodes[also].completed, 3 * round);
        let state = &moment.nodes[cam].state;
        assert_eq!((state.is_acquiring, state.is_busy, state.acquisitions), (false, false, round));
        // The detector counts from 1 on.
        assert_eq!(moment.nodes[stats].last.map(|last| last.sequence), Some(3 * round));
    }
    // It was told before the detector sent anything.
    assert_eq!(*begun.lock().unwrap(), [(cam, 0, true), (cam, 3, true), (cam, 6, true)]);
    ledger_closes(model);
}

/// Clients that do not wait for their put take the end of the acquisition for the end of its results.
#[test]
fn an_acquisition_lasts_until_the_nodes_that_it_waits_for_have_its_frames() {
    let text = TEXT.replace(
        "acquire_period: 2 ms",
        "acquire: false, image_mode: multiple, num_images: 3, finish_when_done: false",
    );
    let model = model(&text, Access::default());
    let [cam, stats, also] = ["cam", "stats", "also"].map(|name| node(&model, name));
    let act = |node, change| model.act_and_wait(Caller::program(), Action::Change(node, change));
    assert_eq!(act(also, Change::Await(true)).result, Ok(()));
    let go = hang(&model, "stats");
    let start = || act(cam, Change::Acquire { start: true, wait: false });
    assert!(start().moment.nodes[cam].state.acquires());
    let mut watch = model.watch(Duration::from_millis(1));
    // The detector has ended, and its frames are still on the way.
    let moment = std::iter::repeat_with(|| watch.next(LONG).unwrap())
        .find(|moment| !moment.nodes[cam].state.is_acquiring);
    let state = moment.unwrap().nodes[cam].state.clone();
    assert!(state.acquires() && state.is_busy, "{state:?}");
    drop(go);
    let mut until_over = || {
        let mut moments = std::iter::repeat_with(|| watch.next(LONG).unwrap());
        moments.find(|moment| !moment.nodes[cam].state.acquires()).unwrap()
    };
    let moment = until_over();
    assert_eq!(moment.report.nodes[also].completed, 3);
    assert_eq!(moment.nodes[also].last.map(|last| last.sequence), Some(3));
    // Once more, and then without.
    start();
    assert_eq!(until_over().report.nodes[also].completed, 6);
    assert_eq!(act(also, Change::Await(false)).result, Ok(()));
    let go = hang(&model, "stats");
    start();
    assert!(until_over().report.nodes[stats].completed < 9);
    drop(go);
    drop(watch);
    ledger_closes(model);
}

#[test]
fn changes_that_are_not_parameters_act_and_refusals_say_why() {
    let text = format!("{TEXT}  roi: {{type: roi, from: cam}}\n");
    let model = model(&text, access_of(["ops@any"]).unwrap());
    let [cam, also, roi] = ["cam", "also", "roi"].map(|name| node(&model, name));
    let act = |change: Change| model.act_and_wait(Caller::program(), Action::Change(also, change));
    let from =
        |name: &str| Change::Rewire(Rewire { node: Some(name.into()), queue: Some(7), ..Rewire::default() });
    let answer = act(from("cam"));
    assert_eq!(answer.result, Ok(()));
    let input = answer.moment.nodes[also].state.input.clone().unwrap();
    assert_eq!((&*input.from, input.options.queue), ("cam.out", 7));
    assert!(act(from("nobody")).result.unwrap_err().to_string().contains("unknown node"));
    assert!(act(Change::Set("no_such".into(), 1.into())).result.is_err());
    let all = |min_x: i32, other: &str| {
        let values = vec![("min_x".into(), min_x.into()), (other.into(), 5.into())];
        model.act_and_wait(Caller::program(), Action::Change(roi, Change::SetAll(values)))
    };
    assert_eq!(all(2, "size_x").result, Ok(()));
    let answer = all(3, "no_such");
    assert!(answer.result.is_err());
    assert_eq!(answer.moment.nodes[roi].value("min_x"), Some(&Value::Int(2)));

    let answer = act(Change::Enable(false));
    assert!(!answer.moment.nodes[also].state.is_enabled);
    let answer = act(Change::Recount(Counter::Frames, 0));
    let state = &answer.moment.nodes[also].state;
    assert!(state.frames.wrapping_sub(state.offsets.frames) < 100);

    let somebody = |user: &str| Caller {
        face: "test",
        user: user.into(),
        from: Some(([10, 1, 2, 3], 5).into()),
        is_local: false,
        has_token: false,
        door: None,
    };
    assert_eq!(model.act_and_wait(somebody("ops"), set(cam, "offset", 3)).result, Ok(()));
    let refused = model.act_and_wait(somebody("me"), set(cam, "offset", 4));
    assert_eq!(
        refused.result.unwrap_err().to_string(),
        "me at 10.1.2.3:5 (test) is not among those who may act"
    );
    assert!(model.act_and_wait(Caller::program(), set(99, "offset", 4)).result.is_err());
    assert_eq!(model.act_and_wait(Caller::program(), Action::Stop).result, Ok(()));
    assert!(model.run().wait(LONG));
    ledger_closes(model);
}

#[test]
fn what_waits_at_the_end_is_told() {
    let text = TEXT
        .replace("acquire_period: 2 ms", "acquire: false, image_mode: continuous, finish_when_done: false");
    let model = model(&text, Access::default());
    let (tell, told) = channel();
    let start = Change::Acquire { start: true, wait: true };
    model.act(Caller::program(), Action::Change(0, start), move |answer| tell.send(answer.result).unwrap());
    // It waits by now, or is not begun: in both cases the caller learns of the end.
    model.act_and_wait(Caller::program(), set(0, "offset", 1));
    model.end();
    assert_eq!(told.recv().unwrap(), Err(Refused::RunEnded));
    assert!(model.is_ended() && model.newer_than(model.newest().version, LONG).is_none());
    ledger_closes(model);
}
