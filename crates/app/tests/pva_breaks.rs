//! A source of pvAccess whose server goes and comes back: the report says what is missing, or that it cannot be known.

#![cfg(target_os = "linux")]

use std::net::TcpListener;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::{Pipeline, Running, own_nodes, serving};

const SERVER: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'T:', port: PORT, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, acquire_period: 5 ms}}
  PVA1: {type: pva_image, from: detector, queue: 100}
";

/// A run with pictures, at the same address whenever it is started.
struct Camera {
    pipeline: Pipeline,
    port: u16,
    run: Option<Child>,
}

impl Camera {
    fn start(name: &str) -> Camera {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let pipeline = Pipeline::new(name, &SERVER.replace("PORT", &port.to_string()));
        let mut camera = Camera { pipeline, port, run: None };
        camera.again();
        camera
    }

    fn again(&mut self) {
        let mut command = own_nodes();
        command.args(["run", "--no-web", "--no-black-box", self.pipeline.path()]);
        let (run, address) = serving(command.stdout(Stdio::null()));
        assert!(address.ends_with(&format!(":{}", self.port)), "{address}");
        self.run = Some(run);
    }

    /// As `kill -9`.
    fn kill(&mut self) {
        let mut run = self.run.take().unwrap();
        run.kill().unwrap();
        run.wait().unwrap();
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        if self.run.is_some() {
            self.kill();
        }
    }
}

/// A run whose `cam` takes the pictures at `port`.
fn follow(name: &str, port: u16) -> (Pipeline, Running) {
    let text = format!(
        "nodes:\n  cam:\n    type: pva_source\n    params: {{channel: 'T:Pva1:Image', auto_addresses: false, \
         name_servers: '127.0.0.1:{port}'}}\n  stats: {{type: statistics, from: cam, queue: 1000}}\n"
    );
    let pipeline = Pipeline::new(name, &text);
    let run = Running::start(&["--no-web", "--no-black-box", "--json", pipeline.path()]);
    (pipeline, run)
}

fn sent(run: &Running) -> f64 {
    let metrics = run.metrics();
    let line = metrics.lines().find(|line| line.starts_with("livetime_frames_sent_total{node=\"cam\"}"));
    line.and_then(|line| line.rsplit(' ').next()).unwrap().parse().unwrap()
}

fn wait_for_more(run: &Running) {
    run.wait_for("livetime_frames_sent_total{node=\"cam\"}", sent(run) + 20.0);
}

/// Waits for the end of a run; returns its exit code and its report.
fn ending(run: Running) -> (Option<i32>, Value) {
    std::thread::spawn(move || run.log.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
    let output = run.program.wait_with_output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

fn end(run: Running) -> (Option<i32>, Value) {
    run.signal("-INT");
    ending(run)
}

#[test]
fn a_server_that_was_killed_and_is_back_is_an_unknown() {
    let mut camera = Camera::start("killed");
    let (_pipeline, run) = follow("follower", camera.port);
    wait_for_more(&run);
    camera.kill();
    camera.again();
    wait_for_more(&run);
    let (code, report) = end(run);
    let node = &report["nodes"][0];
    assert_eq!((code, &node["lost"]), (Some(3), &serde_json::json!({"unknown": 1})), "{report}");
    assert_eq!(report["unintended_losses"], 1, "{report}");
    assert!(node["readbacks"]["unknown_since"].as_str().is_some_and(|since| since.ends_with('Z')), "{node}");
}
