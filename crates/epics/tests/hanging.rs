//! A node that hangs, and clients that write to PVs: only clients of that node wait.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use livetime_control::access::Access;
use livetime_control::config;
use livetime_control::model::{Bell, Model};
use livetime_engine::{Run, RunOptions};
use livetime_epics::{Options, Served};
use livetime_nodes::process::statistics::Statistics;
use livetime_pva::client::{Client, ClientConfig, Event};
use livetime_pva::server::ServerConfig;

/// No test waits this long unless something is broken.
const LONG: Duration = livetime_testkit::HANG;

const TEXT: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire_period: 2 ms}}
  STATS1: {type: statistics, from: cam}
  STATS2: {type: statistics, from: cam}
  STATS3: {type: statistics, from: cam}
";

#[test]
fn a_put_that_concerns_a_node_that_hangs_delays_no_other() {
    let pipeline = config::parse("f", TEXT, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let run = Run::start(&pipeline.graph, RunOptions::default()).map_err(|e| format!("{e:?}")).unwrap();
    let run = Arc::new(run);
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let prefix = options.prefix.clone();
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[served.address().unwrap()])).unwrap();
    let pv = |name: &str| client.channel(&format!("{prefix}{name}"));
    let text = |name: &str| pv(name).get().wait(LONG).unwrap().str("value").unwrap().to_owned();

    let (go, hang) = channel::<()>();
    let (tell, hangs) = channel();
    let visit = move |_: &mut Statistics| {
        tell.send(()).unwrap();
        let _ = hang.recv();
    };
    run.visit_later(pipeline.graph.node("STATS1").unwrap(), visit).unwrap();
    hangs.recv_timeout(LONG).unwrap();

    // One client connects a plugin to the node that hangs, one sets a parameter of it: both wait.
    let (tell, told) = channel();
    for (name, value) in [("Stats2:NDArrayPort", "STATS1"), ("Stats1:CentroidThreshold", "3")] {
        let (put, tell) = (pv(name).put(("value", value)), tell.clone());
        std::thread::spawn(move || tell.send((name, put.wait(LONG))).unwrap());
    }
    // Another plugin is connected anew, the detector is written to, and what they show goes on.
    let mut counter = pv("cam1:ArrayCounter_RBV").monitor("field(value)").unwrap();
    for n in 1..=5 {
        pv("Stats3:QueueSize").put(("value", 10 + n)).wait(LONG).unwrap();
        pv("cam1:Offset").put(("value", f64::from(n))).wait(LONG).unwrap();
        let offset = pv("cam1:Offset_RBV").get().wait(LONG).unwrap().f64("value");
        assert_eq!(offset, Some(f64::from(n)));
        while !matches!(counter.next(LONG).unwrap(), Some(Event::Update(_))) {}
    }
    assert!(told.try_recv().is_err());
    let answers: Vec<_> = told.iter().take(2).collect();
    assert!(answers.iter().all(|(_, result)| result.is_err()), "{answers:?}");
    assert_eq!(text("Stats2:NDArrayPort_RBV"), "cam");
    drop(go);
    pv("Stats2:NDArrayPort").put(("value", "STATS1")).wait(LONG).unwrap();
    assert_eq!(text("Stats2:NDArrayPort_RBV"), "STATS1");
    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(LONG));
    assert_eq!(run.report().imbalances(), [""; 0]);
}
