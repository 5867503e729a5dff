//! A source of pvAccess whose server goes and comes back: the report says what is missing, or that it cannot be known.

#![cfg(target_os = "linux")]

use std::io::copy;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use livetime_pva::client::{Client, ClientConfig};

use crate::common::{Pipeline, Running, livetime, own_nodes, serving, stdout};

const SERVER: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'T:', port: PORT, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, acquire_period: 5 ms}}
  PVA1: {type: pva_image, from: detector, queue: 100}
";

/// A server with pictures, at the same address whenever it is started.
struct Camera {
    port: u16,
    command: Command,
    run: Option<Child>,
    _pipeline: Option<Pipeline>,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Camera {
    fn start(name: &str) -> Camera {
        let port = free_port();
        let pipeline = Pipeline::new(name, &SERVER.replace("PORT", &port.to_string()));
        let mut command = own_nodes();
        command.args(["run", "--no-web", "--no-black-box", pipeline.path()]);
        Camera::started(port, command, Some(pipeline))
    }

    /// The same by p4p; `None` without it.
    fn of_p4p() -> Option<Camera> {
        let (python, port) = (livetime_testkit::python("")?, free_port());
        let mut command = Command::new(python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/camera.py")).arg(port.to_string());
        Some(Camera::started(port, command, None))
    }

    fn started(port: u16, command: Command, pipeline: Option<Pipeline>) -> Camera {
        let mut camera = Camera { port, command, run: None, _pipeline: pipeline };
        camera.again();
        camera
    }

    fn again(&mut self) {
        let (run, address) = serving(self.command.stdout(Stdio::null()));
        assert!(address.ends_with(&format!(":{}", self.port)), "{address}");
        self.run = Some(run);
    }

    /// As `kill -9`.
    fn kill(&mut self) {
        let mut run = self.run.take().unwrap();
        run.kill().unwrap();
        run.wait().unwrap();
    }

    /// Ends the run as a person at its terminal does.
    fn end(&mut self) {
        let mut run = self.run.take().unwrap();
        let sent = Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
        assert!(sent.success() && run.wait().unwrap().code().is_some());
    }

    /// Waits until it has shown 20 more pictures.
    fn wait_for_more(&self) {
        let client = Client::new(ClientConfig::name_servers(&[([127, 0, 0, 1], self.port).into()])).unwrap();
        let image = client.channel("T:Pva1:Image");
        let number =
            || image.get_with("field(uniqueId)").wait(livetime_testkit::HANG).unwrap().i64("uniqueId");
        let count = || number().unwrap();
        let wanted = count() + 20;
        livetime_testkit::wait_until("pictures", || count() >= wanted);
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        if self.run.is_some() {
            self.kill();
        }
    }
}

/// A way to the camera that can be cut. It has the port of the camera at another address of this machine, because a server
/// names its port, and no address, to clients that search it.
#[derive(Clone)]
struct Cable {
    port: u16,
    /// `None` while it is cut.
    ends: Arc<Mutex<Option<Vec<TcpStream>>>>,
}

impl Cable {
    const ADDRESS: &str = "127.0.0.2";

    fn lay(port: u16) -> Cable {
        let cable = Cable { port, ends: Arc::new(Mutex::new(Some(Vec::new()))) };
        let listener = TcpListener::bind((Cable::ADDRESS, port)).unwrap();
        let laid = cable.clone();
        std::thread::spawn(move || listener.incoming().for_each(|client| laid.carry(client.unwrap())));
        cable
    }

    fn carry(&self, client: TcpStream) {
        let mut ends = self.ends.lock().unwrap();
        let (Some(ends), Ok(server)) = (&mut *ends, TcpStream::connect(("127.0.0.1", self.port))) else {
            return;
        };
        for (from, to) in [(&client, &server), (&server, &client)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
        }
        ends.extend([client, server]);
    }

    fn cut(&self) {
        let ends = self.ends.lock().unwrap().take();
        ends.into_iter().flatten().for_each(|end| drop(end.shutdown(Shutdown::Both)));
    }

    fn mend(&self) {
        *self.ends.lock().unwrap() = Some(Vec::new());
    }
}

/// A run whose `cam` takes the pictures of the server at `address`.
fn follow(name: &str, address: &str, port: u16) -> (Pipeline, Running) {
    follow_with(name, address, port, &["--no-black-box"])
}

fn follow_with(name: &str, address: &str, port: u16, more: &[&str]) -> (Pipeline, Running) {
    let text = format!(
        "nodes:\n  cam:\n    type: pva_source\n    params: {{channel: 'T:Pva1:Image', auto_addresses: false, \
         name_servers: '{address}:{port}', queue: 100}}\n  stats: {{type: statistics, from: cam, queue: 1000}}\n"
    );
    let pipeline = Pipeline::new(name, &text);
    let run = started(&pipeline, more);
    (pipeline, run)
}

fn started(pipeline: &Pipeline, more: &[&str]) -> Running {
    Running::start(&[&["--no-web", "--json", pipeline.path()], more].concat())
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
    killed_and_back(Camera::start("killed"));
}

#[test]
fn a_p4p_server_that_was_killed_and_is_back_is_an_unknown() {
    Camera::of_p4p().into_iter().for_each(killed_and_back);
}

fn killed_and_back(mut camera: Camera) {
    let (_pipeline, run) = follow("follower", "127.0.0.1", camera.port);
    wait_for_more(&run);
    camera.kill();
    camera.again();
    wait_for_more(&run);
    let (code, report) = end(run);
    let node = &report["nodes"][0];
    assert_eq!((code, &node["lost"]["unknown"]), (Some(3), &Value::from(1)), "{node}");
    let since = node["unknown_since"].as_str().unwrap();
    assert_eq!(node["readbacks"]["unknown_since"], since, "{node}");
    // The ledger says it, too.
    let kept = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(kept.path(), report.to_string()).unwrap();
    let ledger = livetime(&["ledger", kept.path().to_str().unwrap()]);
    let said = stdout(&ledger);
    assert!(said.contains(&format!("frames that cam missed since {since}\n")), "{said}");
    assert_eq!((ledger.status.code(), said.contains("1 frames")), (Some(3), false), "{said}");
}

#[test]
fn a_connection_that_was_cut_lost_a_number_that_is_known() {
    cut(Camera::start("cut"));
}

#[test]
fn a_connection_to_p4p_that_was_cut_lost_a_number_that_is_known() {
    Camera::of_p4p().into_iter().for_each(cut);
}

fn cut(camera: Camera) {
    let cable = Cable::lay(camera.port);
    let (_pipeline, run) = follow("cut-follower", Cable::ADDRESS, camera.port);
    wait_for_more(&run);
    cable.cut();
    camera.wait_for_more();
    cable.mend();
    wait_for_more(&run);
    let (code, report) = end(run);
    let node = &report["nodes"][0];
    let lost = node["lost"].as_object().unwrap();
    assert!(lost["disconnected"].as_u64().unwrap() >= 20 && !lost.contains_key("unknown"), "{node}");
    assert_eq!((code, node["readbacks"]["unknown_since"].as_str()), (Some(3), Some("")), "{node}");
    // Each picture from the first to the last one is a frame or a loss.
    let number = |name: &str| node["readbacks"][name].as_i64().unwrap();
    let all = number("last_unique_id") - number("first_unique_id") + 1;
    let missing: i64 = lost.values().map(|count| count.as_i64().unwrap()).sum();
    assert_eq!(all, node["emitted"].as_i64().unwrap() + missing, "{node}");
}

#[test]
fn a_run_that_ends_while_its_server_is_gone_counts_the_open_break() {
    let mut camera = Camera::start("gone");
    let (_pipeline, run) = follow("gone-follower", "127.0.0.1", camera.port);
    wait_for_more(&run);
    camera.kill();
    let mut run = run;
    run.log.find(|line| line.as_ref().is_ok_and(|line| line.contains("is gone"))).unwrap().unwrap();
    let (code, report) = end(run);
    let node = &report["nodes"][0];
    assert_eq!((code, &node["lost"]["unknown"]), (Some(3), &Value::from(1)), "{node}");
    assert_ne!(node["readbacks"]["unknown_since"], "", "{node}");
}

#[test]
fn a_server_that_ends_its_run_leaves_nothing_unknown_until_it_is_back() {
    let mut camera = Camera::start("ended");
    let (_pipeline, mut run) = follow("ended-follower", "127.0.0.1", camera.port);
    wait_for_more(&run);
    camera.end();
    run.log.find(|line| line.as_ref().is_ok_and(|line| line.contains("is gone"))).unwrap().unwrap();
    let (_, report) = end(run);
    let node = &report["nodes"][0];
    assert_eq!(
        (&node["lost"]["unknown"], &node["readbacks"]["unknown_since"]),
        (&Value::Null, &"".into()),
        "{node}"
    );
    // Another run of it has sent pictures that were not seen, as far as its follower can know.
    camera.again();
    let (_pipeline, run) = follow("again-follower", "127.0.0.1", camera.port);
    wait_for_more(&run);
    camera.end();
    camera.again();
    wait_for_more(&run);
    let (code, report) = end(run);
    assert_eq!((code, &report["nodes"][0]["lost"]["unknown"]), (Some(3), &Value::from(1)), "{report}");
}

/// A server of p4p that ends sends no word of it: its last pictures may be missing.
#[test]
fn a_p4p_server_that_ended_is_an_unknown() {
    let Some(mut camera) = Camera::of_p4p() else { return };
    let (_pipeline, mut run) = follow("p4p-follower", "127.0.0.1", camera.port);
    wait_for_more(&run);
    camera.end();
    run.log.find(|line| line.as_ref().is_ok_and(|line| line.contains("is gone"))).unwrap().unwrap();
    let (code, report) = end(run);
    assert_eq!((code, &report["nodes"][0]["lost"]["unknown"]), (Some(3), &Value::from(1)), "{report}");
}

#[test]
fn a_source_that_has_all_frames_that_it_wanted_has_missed_none() {
    let mut camera = Camera::start("enough");
    let text = format!(
        "nodes:\n  cam:\n    type: pva_source\n    params: {{channel: 'T:Pva1:Image', auto_addresses: false, \
         name_servers: '127.0.0.1:{}', image_mode: multiple, num_images: 10}}\n  end: {{type: 'null', from: cam}}\n",
        camera.port
    );
    let pipeline = Pipeline::new("enough-follower", &text);
    for frames in [&[][..], &["--frames", "5"]] {
        let args = [&["run", "--no-web", "--no-black-box", "--json", pipeline.path()], frames].concat();
        let output = own_nodes().args(args).stdin(Stdio::null()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let lost = report["nodes"][0]["lost"].as_object().unwrap();
        assert!(!lost.contains_key("unknown") && !lost.contains_key("disconnected"), "{report}");
    }
    camera.kill();
}

#[test]
fn what_came_between_a_killed_run_and_the_next_one_is_an_unknown() {
    let camera = Camera::start("follower-killed");
    let (pipeline, mut run) = follow_with("follower-to-kill", "127.0.0.1", camera.port, &[]);
    wait_for_more(&run);
    run.program.kill().unwrap();
    run.program.wait().unwrap();
    camera.wait_for_more();
    // The next run goes on with the account; the one after it begins its own, because that one was closed.
    for (is_next, wanted) in [(true, Value::from(1)), (false, Value::Null)] {
        let run = started(&pipeline, &[]);
        wait_for_more(&run);
        let (code, report) = end(run);
        let node = &report["nodes"][0];
        assert_eq!(node["lost"]["unknown"], wanted, "{node}");
        if is_next {
            let since = node["unknown_since"].as_str().unwrap().trim_end_matches('Z');
            let known = report["previous"][0]["known_until"].as_str().unwrap();
            assert!(code == Some(3) && known.starts_with(since), "{since} {known}");
        }
    }
}
