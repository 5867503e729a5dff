//! A pool of hosts: one process shares the frames over workers, processes of their own, and puts the results in order.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use livetime_testkit::wait_until;
use serde_json::Value;

use crate::common::{self, Pipeline, livetime};

const WORKERS: usize = 4;
const FRAMES: u64 = 20_000;
const BYTES_OF_FRAME: u64 = 32 * 16 * 2;

const DETECTOR: &str = "\
memory: 256 MiB
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 32, max_size_y: 16, data_type: u16, acquire_time: 1 us, acquire_period: 1 us,
      image_mode: multiple, num_images: FRAMES}
";

const ALONE: &str = "
  turn: {type: transform, from: detector, when_full: block, params: {operation: rot90}}
  files: {type: npy_files, from: turn, when_full: block, params: {path: 'FOLDER', file_name: alone, grouping: stack}}
";

const SHARED: &str = "
  pool: {type: link_pool, from: detector, queue: 50, when_full: block,
    params: {to: 'WORKERS', window_frames: 8, retake_after: 0.2}}
BACKS  results: {type: in_order, from: [NAMES], when_full: block, params: {pool: pool, wait: 60}}
  files: {type: npy_files, from: results, when_full: block,
    params: {path: 'FOLDER', file_name: shared, grouping: stack}}
";

const WORKER: &str = "\
memory: 256 MiB
nodes:
  work: {type: link_in, params: {listen: 'OWN'}}
  turn: {type: transform, from: work, when_full: block, params: {operation: rot90}}
  back: {type: link_out, from: turn, when_full: block, params: {to: 'BACK', link: back, retain: received}}
";

/// A run in a process of its own.
struct Running(Child);

impl Running {
    fn start(pipeline: &Pipeline) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", pipeline.path(), "--json", "--no-web", "--no-pva"]);
        Running(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Its exit code and report.
    fn end(self) -> (Option<i32>, Value) {
        let output = self.0.wait_with_output().unwrap();
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// Addresses that were free a moment ago.
fn addresses(count: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect()
}

/// The pipelines of the pool's host and of its workers.
struct Hosts {
    shared: Pipeline,
    workers: Vec<Pipeline>,
    folder: common::Folder,
}

impl Hosts {
    fn new(name: &str, change: impl Fn(String) -> String) -> Hosts {
        let folder = common::Folder::new(name);
        let (addresses, backs) = (addresses(WORKERS), addresses(WORKERS));
        let worker = |(here, there): (&String, &String)| {
            Pipeline::new("worker", &WORKER.replace("OWN", here).replace("BACK", there))
        };
        let workers = addresses.iter().zip(&backs).map(worker).collect();
        let names: Vec<String> = (0..WORKERS).map(|number| format!("back{number}")).collect();
        let back = |(name, address): (&String, &String)| {
            format!("  {name}: {{type: link_in, params: {{listen: '{address}', link: back, pool: pool}}}}\n")
        };
        let backs: String = names.iter().zip(&backs).map(back).collect();
        let text = format!("{DETECTOR}{SHARED}").replace("FRAMES", &FRAMES.to_string());
        let text = text.replace("WORKERS", &addresses.join(", ")).replace("BACKS", &backs);
        let text = text.replace("NAMES", &names.join(", ")).replace("FOLDER", folder.path());
        Hosts { shared: Pipeline::new("shared", &change(text)), workers, folder }
    }

    /// Frames in the recorded file so far.
    fn recorded(&self) -> u64 {
        let files = std::fs::read_dir(self.folder.path()).unwrap().filter_map(Result::ok);
        let shared = files.filter(|file| file.file_name().to_string_lossy().starts_with("shared"));
        shared.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum::<u64>() / BYTES_OF_FRAME
    }

    /// The recorded file of a run of one process without links.
    fn alone(&self) -> Vec<u8> {
        let text = format!("{DETECTOR}{ALONE}").replace("FRAMES", &FRAMES.to_string());
        let alone = Pipeline::new("alone", &text.replace("FOLDER", self.folder.path()));
        assert_eq!(Running::start(&alone).end().0, Some(0));
        stack(self.folder.path(), "alone")
    }
}

fn stack(folder: &str, name: &str) -> Vec<u8> {
    std::fs::read(Path::new(folder).join(format!("{name}_0001.npy"))).unwrap()
}

fn node<'a>(report: &'a Value, name: &str) -> &'a Value {
    let nodes = report["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["name"] == name).unwrap()
}

/// A column of the cuts of one side, summed.
fn sum(report: &Value, side: &str, key: &str) -> u64 {
    let cuts = report["cuts"].as_array().unwrap().iter().filter(|cut| cut["side"] == side);
    cuts.map(|cut| cut[key].as_u64().unwrap()).sum()
}

#[test]
fn killed_workers_cost_no_frame_no_order_and_no_bit() {
    let hosts = Hosts::new("pool", |text| text);
    let mut workers: Vec<Running> = hosts.workers.iter().map(Running::start).collect();
    let shared = Running::start(&hosts.shared);
    for round in 0..WORKERS {
        let (before, victim) = (hosts.recorded(), round);
        wait_until("recorded results", || hosts.recorded() >= before + 300);
        workers[victim].kill();
        // Some come back at once. The results of others can go on in order only with their frames at other workers.
        if round % 2 == 1 {
            let before = hosts.recorded();
            wait_until("results without the worker", || hosts.recorded() >= before + 300);
        }
        workers[victim] = Running::start(&hosts.workers[victim]);
    }
    let (code, report) = shared.end();
    assert_eq!((code, &report["exit_reason"]), (Some(0), &"ok".into()), "{report}");
    assert!(stack(hosts.folder.path(), "shared") == hosts.alone(), "the bits and the order of one process");
    let results = &node(&report, "results")["readbacks"];
    assert_eq!((&results["missing"], &results["tardy"]), (&0.into(), &0.into()), "{results}");
    // Retaken frames are no loss, and no second offer.
    let [offered, delivered, retaken, again] =
        ["offered", "delivered", "retaken", "sent_again"].map(|key| sum(&report, "sender", key));
    assert_eq!((offered - retaken, delivered), (FRAMES, FRAMES), "{report}");
    assert!(retaken > 0 && again > 0, "{report}");
    let repeated = results["repeated"].as_u64().unwrap_or(0);
    assert!(repeated <= again, "{repeated} results came twice, {again} frames were sent again");
    let pool = &node(&report, "pool")["readbacks"];
    assert_eq!((&pool["offered"], &pool["delivered"]), (&FRAMES.into(), &FRAMES.into()), "{pool}");
    // All accounts agree, and the ledger names the killed runs.
    let mut reports = vec![report];
    reports.extend(workers.into_iter().map(|worker| worker.end().1));
    let ledger = ledger(&hosts, &reports);
    assert_eq!(ledger["ledger_closed"], true, "{ledger}");
    assert_eq!(ledger["unintended_losses"], 0, "{ledger}");
}

/// The ledger of these reports together.
fn ledger(hosts: &Hosts, reports: &[Value]) -> Value {
    let mut files = Vec::new();
    for (number, report) in reports.iter().enumerate() {
        let file = format!("{}/report{number}.json", hosts.folder.path());
        std::fs::write(&file, report.to_string()).unwrap();
        files.push(file);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    serde_json::from_slice(&livetime(&[&["ledger", "--json"], &*files].concat()).stdout).unwrap()
}

#[test]
fn without_workers_frames_are_lost_with_a_reason_and_not_missed_twice() {
    let hosts = Hosts::new("empty-pool", |text| {
        text.replace(&format!("num_images: {FRAMES}"), "num_images: 30")
            .replace("retake_after: 0.2", "peers_within: 0.1")
    });
    let (code, report) = Running::start(&hosts.shared).end();
    assert_eq!(code, Some(3), "{report}");
    assert_eq!((sum(&report, "sender", "offered"), sum(&report, "sender", "delivered")), (30, 0), "{report}");
    assert_eq!(node(&report, "results")["readbacks"]["missing"], 0, "the link has counted them: {report}");
}
