//! Captures, attributes and pauses of a running graph, as faces ask for them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_control::access::Access;
use livetime_control::attributes::Problem;
use livetime_control::config;
use livetime_control::model::{Action, Answer, Bell, Caller, Change, Model};
use livetime_engine::{LossReason, Run, RunOptions, Value};

/// No test waits this long unless something is broken.
const LONG: Duration = livetime_testkit::HANG;

const TEXT: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire_time: 0, acquire_period: 0, acquire: false, \
image_mode: multiple, num_images: 3, finish_when_done: false}}
  stats: {type: statistics, from: cam}
  tiff: {type: tiff_files, from: stats, queue: 100, params: {mode: stream}}
";

fn model(text: &str) -> Model {
    let pipeline = config::parse("f", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let options = RunOptions { remember_frames: true, ..RunOptions::default() };
    let run = Run::start(&pipeline.graph, options).map_err(|e| format!("{e:?}")).unwrap();
    Model::start(&Arc::new(run), &Bell::default(), Access::default()).unwrap()
}

fn act(model: &Model, node: &str, change: Change) -> Answer {
    let number = model.run().graph().node(node).unwrap();
    model.act_and_wait(Caller::program(), Action::Change(number, change))
}

fn set(model: &Model, node: &str, param: &str, value: impl Into<Value>) {
    assert_eq!(act(model, node, Change::Set(param.into(), value.into())).result, Ok(()));
}

fn ledger_closes(model: Model) {
    model.end();
    model.run().stop();
    assert!(model.run().wait(LONG));
    assert_eq!(model.run().report().imbalances(), [""; 0]);
}

#[test]
fn an_acquisition_ends_when_its_frames_are_written() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = model(TEXT);
    set(&model, "tiff", "path", folder.path().to_str().unwrap());
    let begun = Arc::new(Mutex::new(Vec::new()));
    let list = begun.clone();
    model.on_begun(Arc::new(move |moment, node| {
        let tiff = &moment.nodes[node];
        list.lock().unwrap().push((tiff.value("capture").cloned(), tiff.value("num_captured").cloned()));
    }));
    // The capture of 6 frames takes two acquisitions; its answer waits for both.
    set(&model, "tiff", "num_capture", 6);
    let (tell, told) = channel();
    let number = model.run().graph().node("tiff").unwrap();
    let change = Action::Change(number, Change::LetWork("capture".into()));
    model.act(Caller::program(), change, move |answer| tell.send(answer).unwrap());
    // It is asked for on a thread of the model.
    while begun.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    for round in 1..=2 {
        let answer = act(&model, "cam", Change::Acquire { start: true, wait: true });
        assert_eq!(answer.result, Ok(()));
        let (_, tiff) = answer.moment.node("tiff").unwrap();
        assert_eq!(tiff.value("num_captured"), Some(&Value::Int(3 * round)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count() as i64, 3 * round);
    }
    let answer = told.recv_timeout(LONG).unwrap();
    assert_eq!(answer.result, Ok(()));
    assert_eq!(answer.moment.node("tiff").unwrap().1.value("capture"), Some(&Value::Bool(false)));
    let first = begun.lock().unwrap()[0].clone();
    assert_eq!(first, (Some(Value::Bool(true)), Some(Value::Int(0))));
    // Work that is refused, or over at once, is answered at once.
    let refused = act(&model, "tiff", Change::LetWork("read_file".into()));
    assert!(refused.result.unwrap_err().to_string().contains("image_files"));
    ledger_closes(model);
}

#[test]
fn a_flush_is_seen_and_counts_stay() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = model(&TEXT.replace("tiff: {type: tiff_files", "hdf: {type: hdf5_files"));
    set(&model, "hdf", "path", folder.path().to_str().unwrap());
    set(&model, "hdf", "capture", true);
    assert_eq!(act(&model, "cam", Change::Acquire { start: true, wait: true }).result, Ok(()));
    let begun = Arc::new(Mutex::new(Vec::new()));
    let list = begun.clone();
    model.on_begun(Arc::new(move |moment, node| {
        let hdf = &moment.nodes[node];
        list.lock().unwrap().push((hdf.value("flush_now").cloned(), hdf.value("num_captured").cloned()));
    }));
    let answer = act(&model, "hdf", Change::LetWork("flush_now".into()));
    assert_eq!(answer.result, Ok(()));
    assert_eq!(answer.moment.node("hdf").unwrap().1.value("num_captured"), Some(&Value::Int(3)));
    // Clients that follow the count never see another one: they would begin to wait anew.
    assert_eq!(*begun.lock().unwrap(), [(Some(Value::Bool(true)), Some(Value::Int(3)))]);
    ledger_closes(model);
}

#[test]
fn a_capture_whose_frames_were_lost_ends_and_says_what_is_missing() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = model(&TEXT.replace("queue: 100", "queue: 1"));
    set(&model, "tiff", "path", folder.path().to_str().unwrap());
    set(&model, "tiff", "num_capture", 6);
    let (tell, told) = channel();
    let number = model.run().graph().node("tiff").unwrap();
    let change = Action::Change(number, Change::LetWork("capture".into()));
    model.act(Caller::program(), change, move |answer| tell.send(answer).unwrap());
    let capture = |model: &Model| model.newest().nodes[number].value("capture").cloned();
    while capture(&model) != Some(Value::Bool(true)) {
        std::thread::yield_now();
    }
    // The writer is held up, so that its queue of one is full when the frames come.
    let (let_go, held) = channel::<()>();
    let hold = move |_: &mut livetime_nodes::sinks::tiff_files::TiffFiles| held.recv().unwrap();
    let visited = model.run().visit_later(number, hold).unwrap();
    assert_eq!(act(&model, "cam", Change::Acquire { start: true, wait: false }).result, Ok(()));
    let arrived = |model: &Model| model.run().report().nodes[number].arrived();
    while arrived(&model) < 3 {
        std::thread::yield_now();
    }
    let_go.send(()).unwrap();
    visited.recv_timeout(LONG).unwrap();
    // Three of six are on their way or lost: more may come, so it goes on.
    assert_eq!(act(&model, "cam", Change::Acquire { start: true, wait: true }).result, Ok(()));
    let answer = told.recv_timeout(LONG).unwrap();
    let (counts, tiff) = answer.moment.node("tiff").unwrap();
    let Some(Value::Int(captured)) = tiff.value("num_captured").cloned() else { panic!("no count") };
    let missing =
        format!("wanted 6 frames, found {captured}: {} lost at stats.out -> tiff.in", counts.lost_before);
    let result = answer.result.map_err(|refused| (refused.code(), refused.to_string()));
    assert_eq!((result, captured as u64 + counts.lost_before), (Err(("short_capture", missing)), 6));
    assert_eq!(tiff.value("capture"), Some(&Value::Bool(false)));
    let message = format!("wanted 6 frames, found {captured}");
    assert_eq!(tiff.value("write_message"), Some(&Value::from(message.as_str())));
    ledger_closes(model);
}

#[test]
fn a_capture_that_is_stopped_is_answered() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = model(TEXT);
    set(&model, "tiff", "path", folder.path().to_str().unwrap());
    let (tell, told) = channel();
    let number = model.run().graph().node("tiff").unwrap();
    let change = Action::Change(number, Change::LetWork("capture".into()));
    model.act(Caller::program(), change, move |answer| tell.send(answer).unwrap());
    set(&model, "tiff", "capture", false);
    assert_eq!(told.recv_timeout(LONG).unwrap().result, Ok(()));
    ledger_closes(model);
}

#[test]
fn work_that_is_over_at_once_is_seen_to_begin() {
    let text = "nodes:\n  cam: {type: sim_detector, params: {acquire: false}}\n  \
                cb: {type: circular_buffer, from: cam}\n";
    let model = model(text);
    let begun = Arc::new(Mutex::new(Vec::new()));
    let list = begun.clone();
    model.on_begun(Arc::new(move |moment, node| {
        list.lock().unwrap().push((moment.version, moment.nodes[node].value("trigger").cloned()));
    }));
    // Outside of a capture a trigger is taken back at once.
    let answer = act(&model, "cb", Change::LetWork("trigger".into()));
    assert_eq!(answer.result, Ok(()));
    let (_, cb) = answer.moment.node("cb").unwrap();
    assert_eq!(cb.value("trigger"), Some(&Value::Bool(false)));
    let begun = begun.lock().unwrap().clone();
    assert!(begun.len() == 1 && begun[0].0 < answer.moment.version, "{begun:?}");
    assert_eq!(begun[0].1, Some(Value::Bool(true)));
    ledger_closes(model);
}

#[test]
fn what_a_node_does_not_send_is_an_intended_loss() {
    let model = model(TEXT);
    let acquire = || act(&model, "cam", Change::Acquire { start: true, wait: true });
    set(&model, "cam", "num_images", 5);
    assert_eq!(act(&model, "cam", Change::WaitForNodes(true)).result, Ok(()));
    let answer = act(&model, "cam", Change::Send(false));
    assert!(!answer.moment.node("cam").unwrap().1.state.sends);
    let moment = acquire().moment;
    assert_eq!(moment.node("stats").unwrap().0.received, 0);
    let number = model.run().graph().node("stats").unwrap();
    let lost: u64 = moment.edges_to(number).filter_map(|edge| edge.lost.get(&LossReason::Decimated)).sum();
    assert_eq!((lost, moment.report.unintended_losses()), (5, 0));
    act(&model, "cam", Change::Send(true));
    assert_eq!(acquire().moment.node("stats").unwrap().0.received, 5);
    ledger_closes(model);
}

#[test]
fn attributes_travel_with_the_frames_from_the_first_one_on() {
    let folder = tempfile::TempDir::new().unwrap();
    let model = model(TEXT);
    set(&model, "tiff", "path", folder.path().to_str().unwrap());
    set(&model, "tiff", "capture", true);
    let xml = "<Attributes><Attribute name='sum' type='PARAM' source='TOTAL' datatype='DOUBLE'/>\
               <Attribute name='who' type='CONST' source='me'/></Attributes>";
    let answer = act(&model, "stats", Change::Attributes(xml.into()));
    assert_eq!(answer.result, Ok(()));
    assert_eq!(&*answer.moment.node("stats").unwrap().1.state.attributes, xml);
    let own = "<Attributes><Attribute name='n' type='PARAM' source='NUM_CAPTURED' datatype='INT'/>\
               <Attribute name='t' type='EPICS_PV' source='nobody:has:this' dbrtype='DBR_DOUBLE'/></Attributes>";
    assert_eq!(act(&model, "tiff", Change::Attributes(own.into())).result, Ok(()));
    act(&model, "cam", Change::Acquire { start: true, wait: true });
    let mut sums = std::collections::BTreeSet::new();
    for number in 1..=3 {
        // A TIFF has attributes as texts.
        let bytes = std::fs::read(folder.path().join(format!("frame_{number:03}.tif"))).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let of =
            |name: &str| text.split(name).nth(1).and_then(|rest| rest.split('\0').next()).unwrap().to_owned();
        assert_eq!((of("who:"), of("n:"), of("t:")), ("me".into(), (number - 1).to_string(), "NaN".into()));
        sums.insert(of("sum:").parse::<f64>().unwrap() as u64);
    }
    // The ramp grows by one in each pixel from frame to frame.
    let sums: Vec<u64> = sums.into_iter().collect();
    assert_eq!((sums[1] - sums[0], sums[2] - sums[1]), (128, 128));
    let bad = act(&model, "stats", Change::Attributes("<Attributes><Attribute/></Attributes>".into()));
    assert!(bad.result.unwrap_err().to_string().contains("attributes:1:13: wanted `name`, found none"));
    assert_eq!(bad.moment.node("stats").unwrap().1.state.attributes_problem, Some(Problem::Syntax));
    let missing = act(&model, "stats", Change::Attributes("/no/such/file.xml".into()));
    assert!(missing.result.unwrap_err().to_string().contains("`/no/such/file.xml`"));
    let unknown = xml.replace("TOTAL", "NOTHING");
    assert!(
        act(&model, "stats", Change::Attributes(unknown))
            .result
            .unwrap_err()
            .to_string()
            .contains("`NOTHING`")
    );
    ledger_closes(model);
}
