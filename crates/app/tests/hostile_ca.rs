//! A run with images while clients of Channel Access do what they should not: monitors in masses, pictures that are asked for and not read,
//! puts of sizes that no PV has, halves of messages, connections by the hundred, searches in floods.
//!
//! For all their acts, the run loses nothing, a bystander is served, the log says why the clients are refused, and the
//! program takes no more memory than `docs/pvs.md` says.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test fails by panicking")]
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::{Child, Command as Program, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_ca::wire::{Assembler, Command, Header, MINOR, Message};
use serde_json::Value;

use crate::common::Pipeline;

/// All frames have to arrive: a full queue makes the detector wait, and memory that is missing is a loss.
const FILE: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'H:', port: 0, search_port: 0, interfaces: 127.0.0.1, writers: []}
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 1024, max_size_y: 1024, acquire_time: 0, acquire_period: 10 ms}
  STATS1: {type: statistics, from: detector, when_full: block}
  Image1: {type: image, from: detector, when_full: block}
";

/// `memory_per_host` of the servers: all these clients are one host.
const FOR_CLIENTS_MIB: u64 = 256;

/// Gets of a client that keeps to the rules, one after the other, while others do not.
const GETS: usize = 2000;

const CHAR: u16 = 4;
const DOUBLE: u16 = 6;

struct Served {
    program: Child,
    port: u16,
    log: JoinHandle<()>,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Served {
    fn start(path: &str) -> Served {
        let mut command = Program::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", path, "--json", "--ca=0", "--log", "debug"]);
        let mut program =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(program.stderr.take().unwrap()).lines().map_while(Result::ok);
        let port = log.find_map(|line| line.split_once("over Channel Access at 127.0.0.1:")?.1.parse().ok());
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let log = std::thread::spawn(move || log.for_each(|line| kept.lock().unwrap().push(line)));
        Served { program, port: port.unwrap(), log, lines }
    }

    /// Waits until the log has this line of the server.
    fn says(&self, wanted: &str) {
        let has = || {
            let lines = self.lines.lock().unwrap();
            lines.iter().any(|line| line.contains("channel access: ") && line.contains(wanted))
        };
        livetime_testkit::wait_until(&format!("`{wanted}` in the log"), has);
    }

    /// MiB of memory: `VmRSS:` is now, `VmHWM:` is at most.
    fn memory_mib(&self, which: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.program.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(which)).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
    }

    /// The report of the run.
    fn end(mut self) -> Value {
        let pid = self.program.id().to_string();
        assert!(Program::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let mut report = String::new();
        self.program.stdout.take().unwrap().read_to_string(&mut report).unwrap();
        self.program.wait().unwrap();
        self.log.join().unwrap();
        serde_json::from_str(&report).unwrap()
    }
}

struct Client {
    stream: TcpStream,
    found: Assembler,
}

impl Client {
    fn new(port: u16) -> Option<Client> {
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(livetime_testkit::HANG)).unwrap();
        stream.set_write_timeout(Some(livetime_testkit::HANG)).unwrap();
        Some(Client { stream, found: Assembler::new(4 << 20) })
    }

    fn say(&mut self, header: Header, payload: &[u8]) -> Option<()> {
        let mut bytes = Vec::new();
        Header { size: payload.len() as u32, ..header }.encode(&mut bytes);
        bytes.extend(payload);
        self.stream.write_all(&bytes).ok()
    }

    /// The next message; `None` when the server has closed the connection.
    fn next(&mut self) -> Option<Message> {
        let mut buffer = [0; 64 << 10];
        loop {
            if let Some(message) = self.found.next().unwrap() {
                return Some(message);
            }
            let count = self.stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
            self.found.push(&buffer[..count]);
        }
    }

    fn answer(&mut self, wanted: Command) -> Option<Header> {
        loop {
            let header = self.next()?.header;
            if header.command == wanted as u16 {
                return Some(header);
            }
        }
    }

    /// Opens a channel; its number and its count.
    fn open(&mut self, name: &str) -> Option<(u32, u32)> {
        let mut payload = name.as_bytes().to_vec();
        payload.resize((payload.len() + 1).next_multiple_of(8), 0);
        let (command, second) = (Command::CreateChannel as u16, MINOR.into());
        self.say(Header { command, first: 1, second, ..Header::default() }, &payload)?;
        self.answer(Command::CreateChannel).map(|header| (header.second, header.count))
    }

    fn get(&mut self, sid: u32) -> Option<Header> {
        self.say(request(Command::ReadNotify, DOUBLE, 1, sid), &[])?;
        self.answer(Command::ReadNotify)
    }
}

fn request(command: Command, data_type: u16, count: u32, sid: u32) -> Header {
    Header { command: command as u16, size: 0, data_type, count, first: sid, second: 7 }
}

fn mask() -> [u8; 16] {
    let mut mask = [0; 16];
    mask[13] = 1;
    mask
}

/// Opens the picture when there is one, by one connection: a log of many connections would leave lines out.
fn picture(port: u16) -> (Client, u32) {
    let mut client = Client::new(port).unwrap();
    loop {
        let (sid, count) = client.open("H:image1:ArrayData").unwrap();
        if count > 1 {
            return (client, sid);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Thousands of monitors of a picture, of which next to nothing is read.
fn watch_in_masses(port: u16, ended: &AtomicBool) {
    let (mut client, sid) = picture(port);
    for _ in 0..5000 {
        if client.say(request(Command::EventAdd, CHAR, 0, sid), &mask()).is_none() {
            return;
        }
        sip(&mut client, 1 << 20);
    }
    while !ended.load(Relaxed) {
        sip(&mut client, 64 << 10);
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Reads what is there, at most so much.
fn sip(client: &mut Client, most: usize) {
    client.stream.set_nonblocking(true).unwrap();
    // Whether something was there, or the server has closed, is seen elsewhere.
    let _ = client.stream.read(&mut vec![0; most]);
    client.stream.set_nonblocking(false).unwrap();
}

/// Asks for many pictures and reads none.
fn ask_and_do_not_read(port: u16) -> Client {
    let (mut client, sid) = picture(port);
    client.stream.set_nonblocking(true).unwrap();
    for _ in 0..200 {
        let sent = client.say(request(Command::ReadNotify, CHAR, 0, sid), &[]);
        if sent.is_none() {
            break;
        }
    }
    client
}

/// A put longer than any, a put that is not allowed, and messages that make no sense. The log says so of each; a few lines at a time, since
/// the log leaves out lines that come in masses.
fn nonsense(served: &Served) {
    let port = served.port;
    let mut client = Client::new(port).unwrap();
    let (sid, _) = client.open("H:cam1:AcquireTime").unwrap();
    client.say(request(Command::WriteNotify, DOUBLE, 1, sid), &[0; 8]).unwrap();
    assert_ne!(client.answer(Command::WriteNotify).unwrap().first, 1, "a put by a client that may not write");
    served.says("refused WriteNotify of `H:cam1:AcquireTime`: this client may not write it");
    client.say(request(Command::WriteNotify, DOUBLE, 1, sid), &vec![0; 5 << 20]).unwrap();
    assert_ne!(client.answer(Command::WriteNotify).unwrap().first, 1, "a put of 5 MiB");
    assert_eq!(client.get(sid).unwrap().first, 1, "the connection goes on");
    let mut greedy = Client::new(port).unwrap();
    let (sid, _) = greedy.open("H:cam1:AcquireTime").unwrap();
    (0..1001).for_each(|_| greedy.say(request(Command::EventAdd, DOUBLE, 1, sid), &mask()).unwrap());
    greedy.answer(Command::Error).unwrap();
    served.says("this host has 1000 monitors of this record already");
    let mut huge = Client::new(port).unwrap();
    let command = Command::Search as u16;
    let mut bytes = Vec::new();
    Header { command, size: u32::MAX - 7, count: 1, ..Header::default() }.encode(&mut bytes);
    huge.stream.write_all(&bytes).unwrap();
    while huge.next().is_some() {}
    served.says(
        "closed: wanted a client that keeps to its bounds, found wanted a message of at most 4194304 bytes",
    );
}

fn flood(port: u16, ended: &AtomicBool) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut search = Vec::new();
    Header { command: 0, count: MINOR.into(), ..Header::default() }.encode(&mut search);
    let command = Command::Search as u16;
    Header { command, size: 16, data_type: 5, count: MINOR.into(), first: 1, second: 1 }.encode(&mut search);
    search.extend(b"H:cam1:Acquire\0\0");
    while !ended.load(Relaxed) {
        (0..100).for_each(|_| _ = socket.send_to(&search, ("127.0.0.1", port)));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn hostile_clients_of_channel_access_cost_a_run_nothing() {
    let file = Pipeline::new("hostile-ca", FILE);
    let served = Served::start(file.path());
    let port = served.port;
    drop(picture(port));
    let before = served.memory_mib("VmRSS:");
    let ended = AtomicBool::new(false);
    let mut bystander = Client::new(port).unwrap();
    let (sid, _) = bystander.open("H:cam1:ArrayCounter_RBV").unwrap();
    nonsense(&served);
    std::thread::scope(|scope| {
        (0..4).for_each(|_| _ = scope.spawn(|| watch_in_masses(port, &ended)));
        scope.spawn(|| flood(port, &ended));
        let lazy: Vec<_> = (0..50).map(|_| ask_and_do_not_read(port)).collect();
        // More connections than one host may have, and halves of messages.
        let many: Vec<_> = (0..600).map_while(|_| Client::new(port)).collect();
        many.iter().for_each(|client| _ = (&client.stream).write_all(&[0, 15, 0, 0]));
        for _ in 0..GETS {
            assert_eq!(bystander.get(sid).unwrap().first, 1, "a client that keeps to the rules");
        }
        ended.store(true, Relaxed);
        drop((many, lazy));
    });
    let most = served.memory_mib("VmHWM:");
    assert!(most <= before + 64 + FOR_CLIENTS_MIB, "{before} MiB before, {most} MiB at most");
    let report = served.end();
    assert_eq!(
        (&report["ledger_closed"], &report["unintended_losses"]),
        (&true.into(), &0.into()),
        "{report:#}"
    );
    eprintln!("{before} MiB before, {most} MiB at most");
}
