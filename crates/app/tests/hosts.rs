//! One pipeline file over several hosts: each a process of the program, all of them on loopback.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc;

use livetime_testkit::wait_until;
use serde_json::Value;

use crate::common::{self, livetime};

/// A chain of three hosts, with two cuts between the first two and one from the first to the last.
const CHAIN: &str = "\
memory: 64 MiB
hosts:
  detector: {address: '127.LOOP.1:7440'}
  analysis: {address: '127.LOOP.2:7440'}
  storage: {address: '127.LOOP.3:7440'}
nodes:
  sim:
    type: sim_detector
    host: detector
    params: {max_size_x: 32, max_size_y: 16, data_type: u16, acquire_time: 100 us, acquire_period: 1 ms,
      image_mode: multiple, num_images: 1000}
  cut: {type: roi, host: analysis, from: sim, queue: 50, when_full: block,
    params: {enable_x: true, min_x: 0, size_x: 16}}
  stats: {type: statistics, host: analysis, from: sim, queue: 60, when_full: block}
  came: {type: npy_files, host: storage, from: cut, when_full: block,
    params: {path: 'FOLDER', file_name: came, grouping: stack}}
  raw: {type: npy_files, host: storage, from: sim, when_full: block,
    params: {path: 'FOLDER', file_name: raw, grouping: stack}}
";

/// A folder with a pipeline file, which all hosts get.
struct Site {
    folder: PathBuf,
    text: String,
}

impl Site {
    fn new(text: &str) -> Site {
        static NEXT: AtomicU8 = AtomicU8::new(0);
        let folder = common::temporary("hosts");
        std::fs::create_dir(&folder).unwrap();
        // Every address of 127.0.0.0/8 is this machine's: each test has some that no other process takes.
        let process = std::process::id();
        let network = [(process >> 8) as u8 & 0x7f, process as u8];
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let text =
            text.replace("LOOP.", &format!("{}.{}.", network[0] + 1, network[1] ^ number.wrapping_mul(53)));
        let site = Site { text: text.replace("FOLDER", folder.to_str().unwrap()), folder };
        site.write("pipeline.yaml", &site.text);
        site
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn file(&self) -> String {
        self.folder.join("pipeline.yaml").to_str().unwrap().to_owned()
    }

    fn start(&self, host: &str) -> Host {
        Host::start(&self.file(), host, &[])
    }

    /// The pixels of all pictures that a recorder wrote.
    fn stack(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(format!("{name}_0001.npy"))).unwrap()
    }

    /// The first pixel of each picture in a file of its own, by which the detector numbers its pictures.
    fn singles(&self, name: &str) -> Vec<u16> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&self.folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| {
            let file = path.file_name().unwrap().to_str().unwrap();
            file.starts_with(name) && file.ends_with(".npy")
        });
        files.sort();
        let first = |path: PathBuf| {
            let bytes = std::fs::read(path).unwrap();
            u16::from_le_bytes([bytes[128], bytes[129]])
        };
        files.into_iter().map(first).collect()
    }

    fn ledger(&self, reports: &[&Value]) -> (Option<i32>, Value) {
        let files = reports.iter().enumerate();
        let files: Vec<String> = files
            .map(|(number, report)| self.write(&format!("report{number}.json"), &report.to_string()))
            .collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let output = livetime(&[&["ledger", "--json"], &*files].concat());
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The run of a host.
struct Host {
    program: Child,
    log: mpsc::Receiver<String>,
}

impl Host {
    fn start(file: &str, host: &str, more: &[&str]) -> Host {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", file, "--host", host, "--json", "--no-web", "--no-pva"]).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let (put, take) = mpsc::channel();
        let log = BufReader::new(program.stderr.take().unwrap()).lines();
        let host = host.to_owned();
        std::thread::spawn(move || {
            log.map_while(Result::ok).for_each(|line| {
                eprintln!("{host}: {line}");
                // The test may have heard enough.
                _ = put.send(line);
            });
        });
        Host { program, log: take }
    }

    /// Waits for a line of the log with `part`.
    fn hear(&self, part: &str) -> String {
        self.log.iter().find(|line| line.contains(part)).unwrap()
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.program.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    fn kill(mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }

    /// Its exit code and report.
    fn end(self) -> (Option<i32>, Value) {
        let output = self.program.wait_with_output().unwrap();
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

const HOSTS: [&str; 3] = ["detector", "analysis", "storage"];

#[test]
fn three_hosts_have_the_bits_of_one_process() {
    let (one, three) = (Site::new(CHAIN), Site::new(CHAIN));
    let output = livetime(&["run", &one.file(), "--host", "all", "--json", "--no-web", "--no-pva"]);
    assert_eq!(output.status.code(), Some(0), "{}", common::stderr(&output));
    let hosts = HOSTS.map(|host| three.start(host));
    let reports = hosts.map(|host| {
        let (code, report) = host.end();
        assert_eq!(code, Some(0), "{report}");
        report
    });
    for name in ["came", "raw"] {
        assert!(one.stack(name) == three.stack(name), "{name}: the same pixels in the same order");
    }
    let (code, ledger) = three.ledger(&reports.each_ref());
    assert_eq!((code, &ledger["ledger_closed"]), (Some(0), &true.into()), "{ledger}");
    let mut cuts: Vec<&str> =
        ledger["cuts"].as_array().unwrap().iter().map(|cut| cut["cut"].as_str().unwrap()).collect();
    cuts.sort_unstable();
    assert_eq!(cuts, ["cut-to-came", "sim-to-cut", "sim-to-raw", "sim-to-stats"]);
}

#[test]
fn an_interrupt_of_any_host_drains_all() {
    for interrupted in 0..3 {
        let site =
            Site::new(&CHAIN.replace("image_mode: multiple, num_images: 1000", "image_mode: continuous"));
        let hosts = HOSTS.map(|host| site.start(host));
        hosts[0].hear("a receiver is there");
        hosts[2].hear("a sender is there");
        hosts[2].hear("a sender is there");
        hosts[interrupted].signal("-INT");
        let reports = hosts.map(|host| {
            let (code, report) = host.end();
            assert_eq!(code, Some(0), "{report}");
            report
        });
        let (code, ledger) = site.ledger(&reports.each_ref());
        assert_eq!((code, &ledger["ledger_closed"]), (Some(0), &true.into()), "{ledger}");
        let (came, raw) = (site.stack("came"), site.stack("raw"));
        assert!(!came.is_empty() && !raw.is_empty());
    }
}

#[test]
fn a_killed_host_comes_back_and_the_ledger_closes() {
    let single = CHAIN.replace("file_name: came, grouping: stack", "file_name: came, grouping: single");
    // Slowly, so that the kill comes before the detector has ended: a host that starts after that waits for its sender.
    let single = single.replace("acquire_period: 1 ms", "acquire_period: 5 ms");
    let site = Site::new(&single);
    let [detector, analysis, storage] = HOSTS.map(|host| site.start(host));
    wait_until("recorded frames", || site.singles("came").len() >= 100);
    storage.kill();
    let storage = site.start("storage");
    let reports = [detector, analysis, storage].map(|host| host.end().1);
    // Each frame was kept by its sender until the recorder had it.
    let came = site.singles("came");
    let distinct: BTreeSet<u16> = came.iter().copied().collect();
    assert_eq!(distinct.len(), 1000, "none is missing");
    let again: u64 = reports
        .iter()
        .flat_map(|report| report["cuts"].as_array().unwrap())
        .map(|cut| cut["sent_again"].as_u64().unwrap())
        .sum();
    assert!(
        (came.len() - distinct.len()) as u64 <= again,
        "{} are recorded, {again} were sent again",
        came.len()
    );
    let (code, ledger) = site.ledger(&reports.each_ref());
    // The killed run is named: its acts after its last count are unknown.
    assert_eq!((code, &ledger["ledger_closed"]), (Some(3), &true.into()), "{ledger}");
    assert_eq!(ledger["unknown"].as_array().map(Vec::len), Some(1), "{ledger}");
}

#[test]
fn a_host_with_another_file_is_refused() {
    let site = Site::new(CHAIN);
    let other = site.write("other.yaml", &site.text.replace("queue: 50", "queue: 51"));
    let storage = Host::start(&other, "storage", &["--peers-within", "2s"]);
    storage.hear("waits for a sender at");
    let detector = site.start("detector");
    let told = detector.hear("give every host the same file");
    assert!(told.contains("wanted the pipeline file with hash"), "{told}");
    detector.kill();
    let (code, report) = storage.end();
    assert_eq!(code, Some(1), "no sender came: {report}");
}

#[test]
fn a_file_with_hosts_runs_with_a_host() {
    let site = Site::new(CHAIN);
    let file = site.file();
    let refused = |args: &[&str]| {
        let output = livetime(args);
        assert_eq!(output.status.code(), Some(2));
        common::stderr(&output)
    };
    let told = refused(&["run", &file]);
    assert!(told.contains("wanted --host with one of detector, analysis, storage"), "{told}");
    let told = refused(&["run", &file, "--host", "storge"]);
    assert!(told.contains("unknown host `storge`; did you mean `storage`?"), "{told}");
}

#[test]
fn check_shows_hosts_and_cuts() {
    let site = Site::new(CHAIN);
    let output = livetime(&["check", &site.file(), "--hosts", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", common::stderr(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cut = &json["cuts"][0];
    assert_eq!(
        (&cut["link"], &cut["from_host"], &cut["to_host"]),
        (&"sim-to-cut".into(), &"detector".into(), &"analysis".into())
    );
    assert_eq!(
        (&cut["frame_bytes"], &cut["rate_hz"], &cut["bytes_per_s"]),
        (&1024.into(), &1000.0.into(), &1_024_000.0.into())
    );
    assert_eq!(json["hosts"][1]["own_nodes"], serde_json::json!(["cut", "stats"]));
    let window = json["cuts"][0]["window_bytes"].as_u64().unwrap();
    assert!(json["hosts"][0]["windows_bytes"].as_u64().unwrap() >= window && window > 2000 * 1024);
    let output = livetime(&["check", &site.file(), "--hosts"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("sim on detector") && text.contains("ok: 3 hosts, 4 cuts"), "{text}");
    // As one process, and as one host.
    assert_eq!(livetime(&["check", &site.file()]).status.code(), Some(0));
    let one = livetime(&["check", &site.file(), "--host", "storage"]);
    let text = String::from_utf8(one.stdout).unwrap();
    assert!(text.contains("cut-to-came"), "{text}");
}

#[test]
fn an_abort_of_any_host_ends_all_at_once_with_a_reason() {
    for aborted in 0..3 {
        // Frames that a host that stands still has no room for keep the first interrupt from ending the run.
        let text = CHAIN.replace("image_mode: multiple, num_images: 1000", "image_mode: continuous");
        let site = Site::new(&text.replace(":7440'}", ":7440', links: {window_frames: 4}}"));
        let hosts = HOSTS.map(|host| site.start(host));
        hosts[0].hear("a receiver is there");
        hosts[2].hear("a sender is there");
        hosts[2].hear("a sender is there");
        let others: Vec<usize> = (0..3).filter(|host| *host != aborted).collect();
        others.iter().for_each(|host| hosts[*host].signal("-STOP"));
        hosts[aborted].signal("-INT");
        hosts[aborted].hear("again to abort");
        hosts[aborted].signal("-INT");
        others.iter().for_each(|host| hosts[*host].signal("-CONT"));
        let reports = hosts.map(Host::end);
        for host in others {
            let (code, report) = &reports[host];
            assert_eq!((*code, &report["ended_by"]), (Some(1), &"peer_aborted".into()), "{report}");
            assert_eq!(report["ledger_closed"], true, "{report}");
        }
        assert_eq!(reports[aborted].1["ended_by"], "aborted", "{}", reports[aborted].1);
    }
}
