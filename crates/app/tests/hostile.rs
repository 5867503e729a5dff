//! A run with images while clients of pvAccess do what they should not: monitors in masses that ask for deep queues and
//! read slowly or not at all, segments without end, sizes that no message has, connections by the hundred.
//!
//! For all their acts, the run loses nothing, and the program takes no more memory than `docs/pvs.md` says.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a test fails by panicking")]
#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::common::{Pipeline, serving};
use livetime_pva::client::{Client, ClientConfig, Event, Monitor};
use livetime_pva::proto::{
    ClientValidation, Command as Code, CreateChannel, RequestHead, ServerMessage, sub,
};
use livetime_pva::wire::{Assembler, Order, Reader, Writer};
use serde_json::Value;

/// All frames have to arrive: a full queue makes the detector wait, and memory that is missing is a loss.
const FILE: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'H:', port: 0, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 1024, max_size_y: 1024, acquire_time: 0, acquire_period: 10 ms}
  STATS1: {type: statistics, from: detector, when_full: block}
  PVA1: {type: pva_image, from: detector, when_full: block}
  Image1: {type: image, from: detector, when_full: block}
";

/// `memory_per_host` of the server: all these clients are one host.
const FOR_CLIENTS_MIB: u64 = 256;

struct Served {
    program: Child,
    address: String,
}

impl Served {
    fn start(path: &str) -> Served {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", path, "--json"]);
        let (program, address) = serving(command.stdout(Stdio::piped()));
        Served { program, address }
    }

    /// MiB of memory: `VmRSS:` is now, `VmHWM:` is at most.
    fn memory_mib(&self, which: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.program.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(which)).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
    }

    fn end(mut self) -> Value {
        let pid = self.program.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let mut report = String::new();
        self.program.stdout.take().unwrap().read_to_string(&mut report).unwrap();
        self.program.wait().unwrap();
        serde_json::from_str(&report).unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A client without manners.
struct Hostile {
    stream: TcpStream,
}

fn hello(address: &str) -> Option<Hostile> {
    let stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(livetime_testkit::HANG)).unwrap();
    stream.set_write_timeout(Some(livetime_testkit::HANG)).unwrap();
    let mut client = Hostile { stream };
    client.send(|w| {
        let (buffer, registry, qos, method) = (1 << 16, 0x7FFF, 0, "anonymous".into());
        ClientValidation { buffer, registry, qos, method, credentials: None }.encode(w).unwrap();
    })?;
    Some(client)
}

impl Hostile {
    fn send(&mut self, write: impl FnOnce(&mut Writer)) -> Option<()> {
        let mut writer = Writer::new(Order::Little);
        write(&mut writer);
        self.stream.write_all(&writer.to_vec()).ok()
    }

    /// Opens a channel; its number.
    fn open(&mut self, name: &str) -> Option<u32> {
        self.send(|w| CreateChannel { channels: vec![(1, name.into())] }.encode(w).unwrap())?;
        let (mut assembler, mut buffer) = (Assembler::new(1 << 20), [0; 4096]);
        loop {
            let count = self.stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
            let mut input = &buffer[..count];
            while let Some(message) = assembler.next(&mut input).unwrap() {
                let reader = Reader::new(message.bytes(), message.header.order);
                if let Ok(ServerMessage::ChannelCreated(created)) =
                    ServerMessage::decode(message.header.command, reader)
                {
                    return Some(created.sid);
                }
            }
        }
    }

    /// Thousands of monitors of one channel, each with a deep queue and a window that is opened repeatedly, while next to
    /// nothing is read.
    fn watch_in_masses(mut self, name: &str, monitors: u32, ended: &AtomicBool) {
        let Some(sid) = self.open(name) else { return };
        let request = livetime_pva::request::parse("record[pipeline=true,queueSize=100]field()").unwrap();
        for ioid in 1..=monitors {
            let head = RequestHead { command: Code::Monitor, sid, ioid, sub: 0 };
            let start = RequestHead { sub: sub::START, ..head };
            let sent = self.send(|w| {
                head.init(w, &request, Some(100)).unwrap();
                start.encode(w, |_| {}).unwrap();
            });
            if sent.is_none() {
                break;
            }
            // The answers have to be read, or the server does not listen any more.
            if ioid % 200 == 0 {
                self.sip(1 << 20);
            }
        }
        while !ended.load(Ordering::Relaxed) {
            for ioid in (1..=monitors).step_by(97) {
                let more = RequestHead { command: Code::Monitor, sid, ioid, sub: sub::PIPELINE };
                if self.send(|w| more.encode(w, |w| w.u32(1000)).unwrap()).is_none() {
                    return;
                }
            }
            self.sip(64 << 10);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Reads what is there, at most so much.
    fn sip(&mut self, most: usize) {
        let mut buffer = vec![0; most];
        self.stream.set_nonblocking(true).unwrap();
        // Whether something was there, or the server has closed, is seen elsewhere.
        let _ = self.stream.read(&mut buffer);
        self.stream.set_nonblocking(false).unwrap();
    }

    /// Whether the server has ended the connection within a while.
    fn is_ended(&mut self) -> bool {
        let mut buffer = [0; 4096];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() == ErrorKind::ConnectionReset,
            }
        }
    }
}

/// Empty segments without end, and a message that announces more than there is.
fn nonsense(address: &str) {
    let mut endless = hello(address).unwrap();
    let mut segments = vec![0xCA, 2, 0x10, 2, 0, 0, 0, 0];
    segments.extend([0xCA, 2, 0x30, 2, 0, 0, 0, 0].repeat(100_000));
    let _ = endless.stream.write_all(&segments);
    assert!(endless.is_ended(), "segments without end");
    let mut huge = hello(address).unwrap();
    let _ = huge.stream.write_all(&[0xCA, 2, 0, 11, 0xFF, 0xFF, 0xFF, 0x7F]);
    assert!(huge.is_ended(), "a message of 2 GB");
}

#[test]
fn hostile_clients_cost_a_run_nothing() {
    let file = Pipeline::new("hostile", FILE);
    let served = Served::start(file.path());
    let address = served.address.clone();
    let before = served.memory_mib("VmRSS:");
    let ended = AtomicBool::new(false);
    let mut bystander = Bystander::new(&address);
    bystander.see(3);
    std::thread::scope(|scope| {
        for name in ["H:Pva1:Image", "H:Pva1:Image", "H:Pva1:Image", "H:Pva1:Image", "H:image1:ArrayData"] {
            let client = hello(&address).unwrap();
            let ended = &ended;
            scope.spawn(move || client.watch_in_masses(name, 20_000, ended));
        }
        nonsense(&address);
        // Clients that ask for many images and read none.
        let lazy: Vec<_> = (0..50).filter_map(|_| ask_and_do_not_read(&address)).collect();
        assert!(lazy.len() > 40, "{}", lazy.len());
        // More connections than one host may have.
        let many: Vec<_> = (0..600).map_while(|_| TcpStream::connect(&address).ok()).collect();
        bystander.see(20);
        std::thread::sleep(Duration::from_secs(4));
        ended.store(true, Ordering::Relaxed);
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
    assert_eq!(report["pool"]["exhausted"], 0, "clients hold no memory that the detector needs");
    eprintln!("{before} MiB before, {most} MiB at most");
}

fn ask_and_do_not_read(address: &str) -> Option<Hostile> {
    let mut client = hello(address)?;
    let sid = client.open("H:Pva1:Image")?;
    let head = RequestHead { command: Code::Get, sid, ioid: 1, sub: 0 };
    client.send(|w| {
        head.init(w, &livetime_pva::request::parse("").unwrap(), None).unwrap();
        (0..100).for_each(|_| head.encode(w, |_| {}).unwrap());
    })?;
    Some(client)
}

/// A client that keeps to the protocol still gets its images.
struct Bystander {
    monitor: Monitor,
    _client: Client,
}

impl Bystander {
    fn new(address: &str) -> Bystander {
        let client = Client::new(ClientConfig::name_servers(&[])).unwrap();
        let channel = client.channel_at(address.parse().unwrap(), "H:Pva1:Image");
        Bystander { monitor: channel.monitor("field(uniqueId)").unwrap(), _client: client }
    }

    fn see(&mut self, images: usize) {
        let (mut seen, end) = (0, Instant::now() + livetime_testkit::HANG);
        while seen < images {
            assert!(Instant::now() < end, "only {seen} images");
            if let Ok(Some(Event::Update(_))) = self.monitor.next(livetime_testkit::HANG) {
                seen += 1;
            }
        }
    }
}
