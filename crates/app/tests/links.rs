//! Graphs over two hosts: two processes of the program on loopback, with a link between them, of each carrier.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use livetime_runtime::Random;
use livetime_testkit::wait_until;
use serde_json::Value;

use crate::common::{Folder, Pipeline, livetime};

/// The frames of the detector are recorded on both sides.
const SENDER: &str = "\
memory: 64 MiB
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 32, max_size_y: 16, data_type: u16, acquire_time: 100 us, acquire_period: 200 us,
      image_mode: multiple, num_images: 1000}
  link: {type: link_out, from: detector, queue: 50, when_full: block, params: {to: '127.0.0.1:9'}}
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

/// A run in a process of its own.
pub(crate) struct Running {
    program: Child,
    /// Where it waits for its sender.
    pub(crate) address: String,
    log: mpsc::Receiver<String>,
}

impl Running {
    fn start(pipeline: &Pipeline, set: &[&str]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", pipeline.path(), "--json", "--no-web", "--no-pva"]);
        set.iter().for_each(|set| _ = command.args(["--set", set]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let (put, take) = mpsc::channel();
        let log = BufReader::new(program.stderr.take().unwrap()).lines();
        std::thread::spawn(move || {
            log.map_while(Result::ok).for_each(|line| {
                eprintln!("{line}");
                // The test may have heard enough.
                _ = put.send(line);
            });
        });
        let mut running = Running { program, address: String::new(), log: take };
        // A sender says nothing of the kind.
        if pipeline.path().contains("receiver") {
            running.address = running.hear("waits for a sender at ");
        }
        running
    }

    /// Waits for a line of the log with `begin`, and returns the rest of it.
    pub(crate) fn hear(&self, begin: &str) -> String {
        let rest = |line: String| line.split_once(begin).map(|(_, rest)| rest.to_owned());
        self.log.iter().find_map(rest).unwrap()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.program.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    pub(crate) fn kill(mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }

    /// Its exit code and report.
    pub(crate) fn end(self) -> (Option<i32>, Value) {
        let output = self.program.wait_with_output().unwrap();
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// The two pipelines, and the folder into which both record.
pub(crate) struct Hosts {
    sender: Pipeline,
    receiver: Pipeline,
    pub(crate) folder: Folder,
}

impl Hosts {
    pub(crate) fn new(change: impl Fn(String) -> String) -> Hosts {
        let folder = Folder::new("two-hosts");
        let text = |text: &str| change(text.replace("FOLDER", folder.0.to_str().unwrap()));
        let (sender, receiver) = (text(SENDER), text(RECEIVER));
        Hosts {
            sender: Pipeline::new("sender", &sender),
            receiver: Pipeline::new("receiver", &receiver),
            folder,
        }
    }

    pub(crate) fn receive(&self, listen: &str) -> Running {
        Running::start(&self.receiver, &[&format!("link.listen={listen}")])
    }

    pub(crate) fn send(&self, to: &str) -> Running {
        Running::start(&self.sender, &[&format!("link.to={to}")])
    }

    /// The files of the receiver, in the order in which it wrote them.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(&self.folder.0).unwrap().map(|entry| entry.unwrap().path());
        let is_whole = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("came") && name.ends_with(".npy")
        };
        let mut files: Vec<PathBuf> = files.filter(is_whole).collect();
        files.sort();
        files
    }

    /// The first pixel of each, by which the detector numbers its pictures.
    pub(crate) fn came(&self) -> Vec<u16> {
        let first = |path: PathBuf| {
            let bytes = std::fs::read(path).unwrap();
            u16::from_le_bytes([bytes[128], bytes[129]])
        };
        self.files().into_iter().map(first).collect()
    }

    /// Waits for the ends of both runs, between which each frame came once and in order.
    pub(crate) fn end_without_a_loss(&self, sender: Running, receiver: Running) {
        let (code, sent) = sender.end();
        assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
        let (code, came) = receiver.end();
        assert_eq!((code, cut(&came)), (Some(0), [1000, 1000, 0, 0]), "{came}");
        assert!(self.came().windows(2).all(|pair| pair[1] == pair[0] + 1), "nothing twice, in order");
        assert_eq!(self.ledger(&[&sent, &came]).0, Some(0));
    }

    /// Exit code and ledger of these reports together.
    pub(crate) fn ledger(&self, reports: &[&Value]) -> (Option<i32>, Value) {
        let mut files = Vec::new();
        for (number, report) in reports.iter().enumerate() {
            let file = self.folder.0.join(format!("report{number}.json"));
            std::fs::write(&file, report.to_string()).unwrap();
            files.push(file.to_str().unwrap().to_owned());
        }
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let output = livetime(&[&["ledger", "--json"], &*files].concat());
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

fn node<'a>(report: &'a Value, name: &str) -> &'a Value {
    let nodes = report["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["name"] == name).unwrap()
}

pub(crate) fn stack(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(format!("{name}_0001.npy"))).unwrap()
}

/// One file for each picture.
pub(crate) fn one_by_one(text: String) -> String {
    text.replace("file_name: came, grouping: stack", "file_name: came, grouping: single")
        .replace("acquire_period: 200 us", "acquire_period: 1 ms")
}

/// Waits until the receiver has written some more files: how many, the seed decides.
pub(crate) fn some_more(hosts: &Hosts, random: &mut Random) {
    let wanted = hosts.files().len() + 50 + random.below(300);
    wait_until("recorded frames", || hosts.files().len() >= wanted);
}

/// A row of `cuts` without the fields that differ from run to run.
pub(crate) fn cut(report: &Value) -> [u64; 4] {
    let cuts = report["cuts"].as_array().unwrap();
    let sum = |key: &str| cuts.iter().map(|cut| cut[key].as_u64().unwrap()).sum();
    ["offered", "delivered", "queued", "in_doubt"].map(sum)
}

/// Each of these tests, for each carrier: the argument is where the receiver waits.
macro_rules! over_each_carrier {
    ($($test:ident),*) => {
        mod tcp { $(#[test] fn $test() { super::$test("127.0.0.1:0"); })* }
        #[cfg(feature = "zmq")]
        mod zmq { $(#[test] fn $test() { super::$test("zmq://127.0.0.1:0"); })* }
    };
}

over_each_carrier!(
    each_frame_crosses_once_and_in_order,
    a_killed_receiver_misses_nothing_and_what_it_may_have_twice_is_counted,
    a_killed_sender_leaves_frames_in_order_and_its_name_in_the_ledger,
    a_stopped_receiver_is_gone_and_comes_back,
    a_receiver_that_is_interrupted_hands_over_to_its_next_run
);

fn each_frame_crosses_once_and_in_order(listen: &str) {
    let hosts = Hosts::new(|text| text);
    let receiver = hosts.receive(listen);
    let sender = hosts.send(&receiver.address);
    let (code, sent) = sender.end();
    assert_eq!((code, &sent["exit_reason"]), (Some(0), &"ok".into()), "{sent}");
    let (code, came) = receiver.end();
    assert_eq!((code, &came["exit_reason"]), (Some(0), &"ok".into()), "{came}");
    assert_eq!(node(&sent, "link")["readbacks"]["delivered"], 1000);
    assert_eq!(node(&came, "link")["emitted"], 1000);
    assert_eq!(node(&came, "stats")["completed"], 1000);
    assert!(
        stack(&hosts.folder.0, "sent") == stack(&hosts.folder.0, "came"),
        "the same pixels in the same order"
    );
    // Both reports know the link, and agree.
    assert_eq!((cut(&sent), cut(&came)), ([1000, 1000, 0, 0], [1000, 1000, 0, 0]));
    let (code, ledger) = hosts.ledger(&[&sent, &came]);
    assert_eq!((code, ledger["cuts"].as_array().map(Vec::len)), (Some(0), Some(1)), "{ledger}");
    let (code, ledger) = hosts.ledger(&[&sent]);
    assert_eq!((code, &ledger["exit_reason"]), (Some(3), &"unknown".into()), "{ledger}");
}

fn a_killed_receiver_misses_nothing_and_what_it_may_have_twice_is_counted(listen: &str) {
    let mut random = Random::new(29);
    let hosts = Hosts::new(one_by_one);
    let mut receiver = hosts.receive(listen);
    let address = receiver.address.clone();
    let sender = hosts.send(&address);
    for _ in 0..2 {
        some_more(&hosts, &mut random);
        receiver.kill();
        receiver = hosts.receive(&address);
    }
    let (code, sent) = sender.end();
    assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
    let (_, came) = receiver.end();
    let (files, again) = (hosts.came(), sent["cuts"][0]["sent_again"].as_u64().unwrap());
    let distinct: BTreeSet<u16> = files.iter().copied().collect();
    let twice = (files.len() - distinct.len()) as u64;
    assert_eq!(distinct.len(), 1000, "none is missing");
    assert!(twice <= again, "{twice} are recorded twice, {again} were sent again");
    // Both sides agree, and the ledger names the killed runs.
    let (code, ledger) = hosts.ledger(&[&sent, &came]);
    assert_eq!((code, &ledger["ledger_closed"]), (Some(3), &true.into()), "{ledger}");
    assert_eq!(ledger["unknown"].as_array().map(Vec::len), Some(2), "{ledger}");
}

fn a_killed_sender_leaves_frames_in_order_and_its_name_in_the_ledger(listen: &str) {
    let mut random = Random::new(30);
    let hosts = Hosts::new(one_by_one);
    let receiver = hosts.receive(listen);
    let killed = hosts.send(&receiver.address);
    some_more(&hosts, &mut random);
    killed.kill();
    let (code, sent) = hosts.send(&receiver.address).end();
    assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
    let (_, came) = receiver.end();
    let cuts = came["cuts"].as_array().unwrap();
    let [first, second] = [0, 1].map(|place| cuts[place]["delivered"].as_u64().unwrap() as usize);
    let files = hosts.came();
    assert_eq!((cuts.len(), second, files.len()), (2, 1000, first + second), "{cuts:?}");
    let (of_killed, of_second) = files.split_at(first);
    let follow = |numbers: &[u16]| numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    assert!(follow(of_killed) && follow(of_second), "nothing twice, nothing missing, in order");
    let (code, ledger) = hosts.ledger(&[&sent, &came]);
    assert_eq!((code, &ledger["ledger_closed"]), (Some(3), &true.into()), "{ledger}");
    assert!(!ledger["unknown"].as_array().unwrap().is_empty(), "{ledger}");
}

fn a_stopped_receiver_is_gone_and_comes_back(listen: &str) {
    let hosts = Hosts::new(one_by_one);
    let receiver = hosts.receive(listen);
    let sender = hosts.send(&receiver.address);
    some_more(&hosts, &mut Random::new(31));
    receiver.signal("-STOP");
    sender.hear("the receiver is gone");
    receiver.signal("-CONT");
    hosts.end_without_a_loss(sender, receiver);
}

fn a_receiver_that_is_interrupted_hands_over_to_its_next_run(listen: &str) {
    let hosts = Hosts::new(one_by_one);
    let receiver = hosts.receive(listen);
    let sender = hosts.send(&receiver.address);
    some_more(&hosts, &mut Random::new(32));
    let address = receiver.address.clone();
    receiver.signal("-INT");
    let (code, first) = receiver.end();
    assert_eq!((code, &first["ended_by"]), (Some(0), &"interrupted".into()), "{first}");
    let second = hosts.receive(&address);
    let (code, sent) = sender.end();
    assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
    let (code, last) = second.end();
    assert_eq!(code, Some(0), "{last}");
    // Each was acknowledged before the first run ended, so that none comes twice.
    assert_eq!(hosts.came().len(), 1000);
    assert_eq!(hosts.ledger(&[&sent, &first, &last]).0, Some(0));
}

#[test]
#[cfg(feature = "zmq")]
fn keys_of_the_program_open_a_link_and_none_without_them_comes_in() {
    let folder = Folder::new("keys");
    let [one, other] = ["one", "other"].map(|name| folder.0.join(name).to_str().unwrap().to_owned());
    assert!(livetime(&["keys", &one, &other]).status.success());
    assert_eq!(livetime(&["keys", &one, &other]).status.code(), Some(1), "keys are never replaced");
    let hosts = Hosts::new(|text| {
        let text = text.replace("to: '127.0.0.1:9'", &format!("to: 'zmq://127.0.0.1:9', keys: '{one}'"));
        text.replace("listen: '127.0.0.1:0'", &format!("listen: 'zmq://127.0.0.1:0', keys: '{other}'"))
    });
    let receiver = hosts.receive("zmq://127.0.0.1:0");
    let to = format!("link.to={}", receiver.address);
    // A pipeline of its own: the next start of a killed one tells of its black box, and the ledger of a run that is unknown.
    let strangers = Hosts::new(|text| text);
    let stranger = Running::start(&strangers.sender, &[&to]);
    receiver.hear("wanted CURVE, found NULL");
    stranger.kill();
    let (code, sent) = hosts.send(&receiver.address).end();
    assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
    let (code, came) = receiver.end();
    assert_eq!((code, cut(&came)), (Some(0), [1000, 1000, 0, 0]), "{came}");
    assert_eq!(hosts.ledger(&[&sent, &came]).0, Some(0));
}
