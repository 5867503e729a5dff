//! A server under load: searches in masses, many PVs at the start, and a run at its rate with clients.

use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use livetime_ca::wire::{Assembler, Command, Header, MINOR};
use serde_json::{Value, json};

use super::servers::{PATIENCE, Served};
use super::{Bench, Row, database, graph, names, number};
use crate::Failed;
use crate::served::GRAPH;

/// Searches per second of a flood, and how often some of them are sent.
const SEARCHES: u64 = 100_000;
const BURST: Duration = Duration::from_millis(1);

/// Clients of the run at its rate, and channels that each watches.
const CLIENTS: usize = 10;
const WATCHED: usize = 50;

/// Channels of the bystander's run.
const FEW: usize = 100;

/// The block that serves the run at loopback alone.
const SERVED: &str = "pvaccess: {prefix: 'B:', port: 0, search_port: 0, interfaces: 127.0.0.1}\n";

impl Bench<'_> {
    fn running(&self) -> Result<(Served, String), Failed> {
        let pipeline = self.client.file("rate.yaml", &format!("{SERVED}{GRAPH}"))?;
        let run = Served::run(self.settings, &pipeline, true)?;
        let names = self.client.file("rate.names", &run.names()?.join("\n"))?;
        Ok((run, names.to_string_lossy().into_owned()))
    }

    /// The time of a get by a bystander while another host searches.
    pub(super) fn flood(&self, case: &str) -> Result<Row, Failed> {
        let mut found = [Vec::new(), Vec::new()];
        let mut last = json!({});
        for _ in 0..self.settings.repeats() {
            let (run, our_names) = self.running()?;
            let (ours, sent) = self.bystander(run.port, &our_names, "B:cam1:AcquireTime")?;
            let report = run.report()?;
            last = json!({ "ours": ours, "searches_per_s": sent, "lost": report["unintended_losses"] });
            found[0].push(number(&ours, "p99_us"));
            let database = self.client.file("few.db", &database(FEW))?;
            let rsrv = Served::ioc(self.settings, self.python, &database)?;
            let (rsrv, _) = self.bystander(rsrv.port, &self.client.names(&names(FEW))?, "n1")?;
            found[1].push(number(&rsrv, "p99_us"));
            last["rsrv"] = rsrv;
        }
        let [ours, rsrv] = found;
        Ok(Row { case: format!("{case}, p99"), unit: "us", is_cost: true, ours, rsrv, more: last })
    }

    /// The results of a client with gets during a flood, and the searches per second that were sent.
    fn bystander(&self, port: u16, names: &str, known: &str) -> Result<(Value, u64), Failed> {
        let (ended, sent, begin) = (AtomicBool::new(false), AtomicU64::new(0), Instant::now());
        let seconds = self.seconds.max(1.0).to_string();
        let found = std::thread::scope(|scope| {
            scope.spawn(|| flood(port, known, &ended, &sent));
            let found = self.client.run(port, &["get", names, "1", &seconds, "1000"]);
            // Relaxed: the sign guards no memory.
            ended.store(true, Relaxed);
            found
        });
        Ok((found?, (sent.load(Relaxed) as f64 / begin.elapsed().as_secs_f64()) as u64))
    }

    /// From the start of the program to the first value of a client.
    pub(super) fn start(&self, case: &str) -> Result<Row, Failed> {
        let count = if self.settings.quick { 10_000 } else { 100_000 };
        let mut found = [Vec::new(), Vec::new()];
        let (pipeline, records) = (
            // A statistics node has about 156 PVs for its 60 numbers.
            self.client.file("many.yaml", &graph(count * 60 / 156))?,
            self.client.file("many.db", &database(count))?,
        );
        let mut pvs = 0;
        for _ in 0..self.settings.repeats() {
            let begin = Instant::now();
            let run = Served::run(self.settings, &pipeline, true)?;
            first_value(run.port, "B:cam1:AcquireTime")?;
            found[0].push(begin.elapsed().as_secs_f64() * 1e3);
            pvs = run.names()?.len();
            let begin = Instant::now();
            let ioc = Served::ioc(self.settings, self.python, &records)?;
            first_value(ioc.port, "n1")?;
            found[1].push(begin.elapsed().as_secs_f64() * 1e3);
        }
        let [ours, rsrv] = found;
        let (case, more) =
            (format!("{case} of {count} PVs"), json!({ "pvs_of_ours": pvs, "records_of_rsrv": count }));
        Ok(Row { case, unit: "ms", is_cost: true, ours, rsrv, more })
    }

    /// Frames that a run loses with clients, and without.
    pub(super) fn clients(&self, case: &str) -> Result<Row, Failed> {
        let (mut lost, mut alone, mut updates) = (Vec::new(), Vec::new(), 0.0);
        let seconds = self.seconds.max(1.0);
        for _ in 0..self.settings.repeats() {
            // Runs alone and runs with clients take turns.
            let (run, _) = self.running()?;
            std::thread::sleep(Duration::from_secs_f64(seconds));
            alone.push(number(&run.report()?, "unintended_losses"));
            let (run, names) = self.running()?;
            let args = ["watch", &names, &WATCHED.to_string(), &seconds.to_string()];
            let clients = (0..CLIENTS).map(|_| self.client.begin(run.port, &args));
            let clients = clients.collect::<Result<Vec<_>, _>>()?;
            updates = 0.0;
            for client in clients {
                updates += number(&client.end()?, "updates_per_s");
            }
            lost.push(number(&run.report()?, "unintended_losses"));
        }
        let more =
            json!({ "lost_without_clients": alone, "updates_per_s": updates, "watched_by_each": WATCHED });
        Ok(Row { case: case.into(), unit: "frames lost", is_cost: true, ours: lost, rsrv: Vec::new(), more })
    }
}

/// Searches for a name that is there and for others, from an address of their own, until `ended`.
fn flood(port: u16, known: &str, ended: &AtomicBool, sent: &AtomicU64) -> Result<(), Failed> {
    let socket = UdpSocket::bind("127.0.0.9:0")?;
    let searches = [known, "no:such:name"].map(search);
    let begin = Instant::now();
    while !ended.load(Relaxed) {
        // By the time since the begin, so that a burst that comes late makes up for it.
        let due = begin.elapsed().as_millis() as u64 * (SEARCHES / 1000);
        for number in sent.load(Relaxed)..due {
            // A full buffer of the server loses searches, as in any network.
            let _ = socket.send_to(&searches[number as usize % 2], ("127.0.0.1", port));
        }
        sent.store(due, Relaxed);
        std::thread::sleep(BURST);
    }
    Ok(())
}

/// A message with a text.
fn message(command: Command, data_type: u16, count: u32, first: u32, second: u32, text: &str) -> Vec<u8> {
    // A text ends with 0, and payloads are filled up to 8 bytes.
    let size = (text.len() + 1).next_multiple_of(8);
    let mut bytes = Vec::new();
    let header = Header { command: command as u16, size: size as u32, data_type, count, first, second };
    header.encode(&mut bytes);
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + size - text.len(), 0);
    bytes
}

fn search(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Header { command: Command::Version as u16, count: MINOR.into(), ..Header::default() }.encode(&mut bytes);
    // 5: a server without this name does not answer.
    bytes.extend(message(Command::Search, 5, MINOR.into(), 1, 1, name));
    bytes
}

/// Waits until a server at this port gives the value of a channel.
fn first_value(port: u16, name: &str) -> Result<(), Failed> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else {
            // The program has not opened its port yet.
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        if value(stream, name)? {
            return Ok(());
        }
    }
    Err(format!("no value of `{name}` within {PATIENCE:?}").into())
}

/// Whether a connection gives the value of a channel.
fn value(mut stream: TcpStream, name: &str) -> Result<bool, Failed> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut bytes = Vec::new();
    Header { command: Command::Version as u16, count: MINOR.into(), ..Header::default() }.encode(&mut bytes);
    bytes.extend(message(Command::CreateChannel, 0, 0, 1, MINOR.into(), name));
    stream.write_all(&bytes)?;
    let (mut found, mut buffer) = (Assembler::new(1 << 16), [0; 4096]);
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(false);
        }
        found.push(&buffer[..count]);
        while let Some(message) = found.next()? {
            match Command::from_number(message.header.command) {
                Some(Command::CreateFailed) => return Ok(false),
                Some(Command::ReadNotify) => return Ok(true),
                Some(Command::CreateChannel) => {
                    let (command, first) = (Command::ReadNotify as u16, message.header.second);
                    let mut get = Vec::new();
                    Header { command, data_type: 0, count: 1, first, second: 1, size: 0 }.encode(&mut get);
                    stream.write_all(&get)?;
                }
                _ => {}
            }
        }
    }
}
