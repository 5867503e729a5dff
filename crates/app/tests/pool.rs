//! A pool of hosts: one process shares the frames over workers, processes of their own, and puts the results in order.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use livetime_testkit::wait_until;
use serde_json::Value;

use crate::common::{self, Pipeline, livetime};

const WORKERS: usize = 4;
/// More than the workers take while four of them are killed and come back, also on a fast machine.
const FRAMES: u64 = 60_000;
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
  work: {type: link_in, params: {listen: 'OWN', peers_within: 60}}
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

    fn recorded(&self) -> u64 {
        recorded(self.folder.path())
    }

    /// The recorded file of a run of one process without links.
    fn alone(&self) -> Vec<u8> {
        let text = format!("{DETECTOR}{ALONE}").replace("FRAMES", &FRAMES.to_string());
        let alone = Pipeline::new("alone", &text.replace("FOLDER", self.folder.path()));
        assert_eq!(Running::start(&alone).end().0, Some(0));
        stack(self.folder.path(), "alone")
    }
}

/// Frames in the recorded file so far.
fn recorded(folder: &str) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().filter_map(Result::ok);
    let shared = files.filter(|file| file.file_name().to_string_lossy().starts_with("shared"));
    shared.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum::<u64>() / BYTES_OF_FRAME
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
    let ledger = ledger(hosts.folder.path(), &reports);
    assert_eq!(ledger["ledger_closed"], true, "{ledger}");
    assert_eq!(ledger["unintended_losses"], 0, "{ledger}");
}

/// The ledger of these reports together.
fn ledger(folder: &str, reports: &[Value]) -> Value {
    let mut files = Vec::new();
    for (number, report) in reports.iter().enumerate() {
        let file = format!("{folder}/report{number}.json");
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

/// The same in one file.
const IN_A_FILE: &str = "\
memory: 256 MiB
hosts:
  daq: {address: 'LOOP.9:7440'}
  workers: {count: 3, address: 'LOOP.{}:7440', links: {window_frames: 8, retake_after: 0.2, wait: 60}}
  store: {address: 'LOOP.8:7440'}
nodes:
  detector:
    type: sim_detector
    host: daq
    params: {max_size_x: 32, max_size_y: 16, data_type: u16, acquire_time: 1 us, acquire_period: 1 us,
      image_mode: IMAGES}
  turn: {type: transform, host: workers, from: detector, when_full: block, params: {operation: rot90}}
  stats: {type: statistics, host: workers, from: turn, when_full: block}
  files: {type: npy_files, host: store, from: turn, when_full: block,
    params: {path: 'FOLDER', file_name: shared, grouping: stack}}
";

/// The hosts of a pipeline file; tests kill some.
struct Site {
    file: Pipeline,
    folder: common::Folder,
}

const PARTS: [&str; 5] = ["daq", "workers.1", "workers.2", "workers.3", "store"];

impl Site {
    fn new(name: &str, images: &str) -> Site {
        let folder = common::Folder::new(name);
        static NEXT: AtomicU32 = AtomicU32::new(0);
        // Every address of 127.0.0.0/8 is this machine's: other tests and processes have other ones.
        let process = std::process::id();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let network = format!("127.{}.{}", (process >> 8) % 120 + 130, (process + 53 * number) % 250 + 1);
        let text = IN_A_FILE.replace("LOOP", &network).replace("IMAGES", images);
        Site { file: Pipeline::new("pool", &text.replace("FOLDER", folder.path())), folder }
    }

    fn start(&self, host: &str) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", self.file.path(), "--host", host, "--json", "--no-web", "--no-pva"]);
        Running(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn recorded(&self) -> u64 {
        recorded(self.folder.path())
    }
}

fn interrupt(running: &Running) {
    let sent = Command::new("kill").args(["-INT", &running.0.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// The reports of runs that end without a fault.
fn end_well(hosts: impl IntoIterator<Item = Running>) -> Vec<Value> {
    let end = |host: Running| {
        let (code, report) = host.end();
        assert_eq!(code, Some(0), "{report}");
        report
    };
    hosts.into_iter().map(end).collect()
}

fn assert_closes(site: &Site, reports: &[Value]) {
    let ledger = ledger(site.folder.path(), reports);
    let found = (&ledger["ledger_closed"], &ledger["unintended_losses"]);
    assert_eq!(found, (&true.into(), &0.into()), "{ledger}");
}

#[test]
fn workers_of_one_file_are_killed_and_leave_and_the_bits_are_those_of_one_process() {
    let site = Site::new("pool-in-a-file", &format!("multiple, num_images: {FRAMES}"));
    let mut hosts: Vec<Running> = PARTS.iter().map(|host| site.start(host)).collect();
    let until = |more: u64| {
        let before = site.recorded();
        wait_until("recorded results", || site.recorded() >= before + more);
    };
    until(300);
    hosts[2].kill();
    until(300);
    hosts[2] = site.start(PARTS[2]);
    until(300);
    // A worker that is stopped leaves, and the others go on.
    interrupt(&hosts[3]);
    let left = hosts.remove(3).end();
    assert_eq!(left.0, Some(0), "{}", left.1);
    let reports = end_well(hosts);
    let shared = stack(site.folder.path(), "shared");
    std::fs::remove_file(Path::new(site.folder.path()).join("shared_0001.npy")).unwrap();
    assert_eq!(site.start("all").end().0, Some(0));
    assert!(shared == stack(site.folder.path(), "shared"), "the bits and the order of one process");
    let results = &node(&reports[0], "turn-in-order")["readbacks"];
    assert_eq!((&results["missing"], &results["tardy"]), (&0.into(), &0.into()), "{results}");
    let pool = &node(&reports[0], "detector-to-turn")["readbacks"];
    assert_eq!((&pool["offered"], &pool["delivered"]), (&FRAMES.into(), &FRAMES.into()), "{pool}");
    assert_closes(&site, &[reports, vec![left.1]].concat());
}

#[test]
fn an_interrupt_before_or_behind_a_pool_drains_it() {
    for interrupted in [0, 4] {
        let site = Site::new("stopped-pool", "continuous");
        let hosts = PARTS.map(|host| site.start(host));
        wait_until("recorded results", || site.recorded() >= 300);
        interrupt(&hosts[interrupted]);
        let reports = end_well(hosts);
        let results = &node(&reports[0], "turn-in-order")["readbacks"];
        assert_eq!((&results["missing"], &results["repeated"]), (&0.into(), &0.into()), "{results}");
        assert_closes(&site, &reports);
    }
}

#[test]
fn a_pool_is_shown_with_its_workers() {
    let site = Site::new("shown-pool", "continuous");
    let output = livetime(&["check", site.file.path(), "--hosts"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("workers.1 to workers.3: each turn, stats; "), "{text}");
    assert!(text.contains("ok: 5 hosts, 3 cuts"), "{text}");
    let output = livetime(&["run", site.file.path(), "--host", "workers"]);
    let told = common::stderr(&output);
    assert!(told.contains("wanted the name of a worker, workers.1 to workers.3"), "{told}");
    let told = common::stderr(&livetime(&["run", site.file.path()]));
    assert!(told.contains("wanted --host with one of daq, workers.1 to workers.3, store"), "{told}");
}

#[test]
#[cfg(feature = "zmq")]
fn keys_of_all_links_are_made_from_the_file() {
    use std::os::unix::fs::PermissionsExt;

    let site = Site::new("pool-with-keys", "multiple, num_images: 500");
    let keys = Path::new(site.folder.path()).join("keys");
    let folder = keys.to_str().unwrap();
    let text = std::fs::read_to_string(site.file.path()).unwrap();
    let text = text
        .replace("address: '", "address: 'zmq://")
        .replace("daq: {", &format!("daq: {{keys: '{folder}/daq', "));
    let text = text.replace("workers: {", &format!("workers: {{keys: '{folder}/workers.{{}}', "));
    let file =
        Pipeline::new("keys", &text.replace("store: {", &format!("store: {{keys: '{folder}/store', ")));
    let check = || {
        let output = livetime(&["check", file.path(), "--hosts", "--keys", folder, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", common::stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["keys"].clone()
    };
    assert_eq!(check(), serde_json::json!({"made": 7, "kept": 0}));
    let secret = keys.join("workers.2/detector-to-turn-2/secret.key");
    let before = std::fs::read(&secret).unwrap();
    assert_eq!(secret.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(check(), serde_json::json!({"made": 0, "kept": 7}));
    assert_eq!(std::fs::read(&secret).unwrap(), before);
    // A half of a pair is not replaced.
    std::fs::remove_file(keys.join("daq/detector-to-turn-2/peer.key")).unwrap();
    let output = livetime(&["check", file.path(), "--hosts", "--keys", folder]);
    assert_eq!(output.status.code(), Some(1), "{}", common::stderr(&output));
    std::fs::remove_dir_all(&keys).unwrap();
    check();
    let site = Site { file, ..site };
    let reports = PARTS.map(|host| site.start(host)).map(|host| {
        let (code, report) = host.end();
        assert_eq!(code, Some(0), "{report}");
        report
    });
    let ledger = ledger(site.folder.path(), &reports);
    assert_eq!(
        (&ledger["ledger_closed"], &ledger["unintended_losses"]),
        (&true.into(), &0.into()),
        "{ledger}"
    );
    assert_eq!(site.recorded(), 500);
    let one = text.replace(&format!("keys: '{folder}/daq', "), "");
    let refused = livetime(&["check", Pipeline::new("one-key", &one).path(), "--hosts"]);
    let told = common::stderr(&refused);
    assert!(told.contains("wanted the key `keys` of host `daq` too"), "{told}");
}
