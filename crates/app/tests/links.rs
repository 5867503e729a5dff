//! Graphs over two hosts: two processes of the program on loopback, with a link between them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::common::{self, Pipeline, livetime, stderr};

/// What the detector sends is recorded on both sides.
const SENDER: &str = "\
memory: 64 MiB
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 32, max_size_y: 16, data_type: u16, acquire_time: 100 us, acquire_period: 200 us,
      image_mode: multiple, num_images: 1000}
  link: {type: link_out, from: detector, queue: 50, when_full: block, params: {to: 'ADDRESS'}}
  sent: {type: npy_files, from: detector, when_full: block,
    params: {path: 'FOLDER', file_name: sent, grouping: stack}}
";

const RECEIVER: &str = "\
memory: 64 MiB
nodes:
  link: {type: link_in, params: {listen: '127.0.0.1:0'}}
  stats: {type: statistics, from: link, when_full: block}
  came: {type: npy_files, from: link, when_full: block,
    params: {path: 'FOLDER', file_name: came, grouping: stack}}
";

/// A run that waits for its sender, and where.
struct Receiving {
    program: Child,
    address: String,
    _pipeline: Pipeline,
}

impl Receiving {
    fn start(folder: &Path, change: impl Fn(String) -> String) -> Receiving {
        let text = change(RECEIVER.replace("FOLDER", folder.to_str().unwrap()));
        let pipeline = Pipeline::new("receiver", &text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", pipeline.path(), "--json", "--no-web", "--no-pva"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut log = BufReader::new(program.stderr.take().unwrap()).lines();
        let address = log.find_map(|line| {
            let line = line.ok()?;
            eprintln!("{line}");
            Some(line.split_once("waits for a sender at ")?.1.to_owned())
        });
        std::thread::spawn(move || log.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
        Receiving { program, address: address.expect("it listens"), _pipeline: pipeline }
    }

    /// Its exit code and report.
    fn end(self) -> (Option<i32>, Value) {
        let output = self.program.wait_with_output().unwrap();
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// Runs the sender to its end: exit code and report.
fn send(folder: &Path, address: &str, change: impl Fn(String) -> String) -> (Option<i32>, Value) {
    let text = SENDER.replace("FOLDER", folder.to_str().unwrap()).replace("ADDRESS", address);
    let pipeline = Pipeline::new("sender", &change(text));
    let output = livetime(&["run", pipeline.path(), "--json", "--no-web", "--no-pva"]);
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code(), report.unwrap_or_else(|e| panic!("{e}: {}", stderr(&output))))
}

fn node<'a>(report: &'a Value, name: &str) -> &'a Value {
    let nodes = report["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["name"] == name).unwrap()
}

fn stack(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(format!("{name}_0001.npy"))).unwrap()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = common::temporary(name);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn each_frame_crosses_once_and_in_order() {
    let folder = Folder::new("two-hosts");
    let receiver = Receiving::start(&folder.0, |text| text);
    let (code, sent) = send(&folder.0, &receiver.address, |text| text);
    assert_eq!((code, &sent["exit_reason"]), (Some(0), &"ok".into()), "{sent}");
    let (code, came) = receiver.end();
    assert_eq!((code, &came["exit_reason"]), (Some(0), &"ok".into()), "{came}");
    assert_eq!(node(&sent, "link")["readbacks"]["delivered"], 1000);
    assert_eq!(node(&came, "link")["emitted"], 1000);
    assert_eq!(node(&came, "stats")["completed"], 1000);
    assert!(stack(&folder.0, "sent") == stack(&folder.0, "came"), "the same pixels in the same order");
}
