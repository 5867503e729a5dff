//! How long a client waits for a get while others flood the same server thread, over loopback.
//! `cargo run --release -p livetime-pva --example bystander [SECONDS]`
//!
//! A line has the flood, the bystander's gets in the middle, at 99 % and at most, the requests of the flood that were
//! answered per second, and the share of a core that the server's thread took.

#![allow(clippy::print_stdout, reason = "it prints what it measured")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::data::{Array, ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::proto::{Command, CreateChannel, RequestHead, RequestId, Search, sub};
use livetime_pva::request::parse;
use livetime_pva::server::{Event, PvMap, Server, ServerConfig, SharedPv};
use livetime_pva::wire::{HEADER_LEN, Header, Order, Writer};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The pause of the bystander between two gets.
const PAUSE: Duration = Duration::from_millis(2);

/// A message that a flood repeats, for the channel of this number.
type Repeated = fn(&mut Writer, u32) -> livetime_pva::Result<()>;

const FLOODS: [(&str, usize, &str, Repeated); 10] = [
    ("nothing", 0, "n", puts),
    ("refused puts", 20, "n", puts),
    ("monitors made and destroyed", 1, "n", monitors),
    ("monitors made and destroyed", 20, "n", monitors),
    ("gets", 20, "n", gets),
    ("lists of 60,000 names to open", 20, "n", channels),
    ("searches for 60,000 names", 20, "n", searches),
    ("pictures of 80 MB read", 4, "picture", gets),
    ("pictures of 8 MB written", 4, "written", pictures),
    ("4 million texts written", 4, "texts", texts),
];

fn main() -> Outcome<()> {
    let seconds = std::env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    println!(
        "{:30} {:>7} {:>9} {:>9} {:>9} {:>11} {:>6}",
        "flood", "clients", "p50 ms", "p99 ms", "max ms", "requests/s", "core"
    );
    for (name, clients, channel, repeated) in FLOODS {
        let server = Server::start(config(), pvs()?)?;
        let floods: Vec<Flood> =
            (0..clients).map(|_| Flood::start(&server, channel, repeated)).collect::<Outcome<_>>()?;
        let (begin, used) = (Instant::now(), server_seconds());
        let before = answered(&server);
        let mut waits = wait_beside(&server, Duration::from_secs(seconds))?;
        let took = begin.elapsed().as_secs_f64();
        let rate = (answered(&server) - before) as f64 / took;
        let core = (server_seconds() - used) / took;
        waits.sort_unstable();
        let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        println!(
            "{name:30} {clients:7} {:9.3} {:9.3} {:9.3} {rate:11.0} {core:6.2}",
            at(0.5),
            at(0.99),
            at(1.0)
        );
        floods.into_iter().try_for_each(Flood::end)?;
    }
    Ok(())
}

/// A server that tells its log of refusals, as a run does.
fn config() -> ServerConfig {
    let told = AtomicU64::new(0);
    let log = move |event: &Event| {
        told.fetch_add(event.to_string().len() as u64, Relaxed);
    };
    let mut config = ServerConfig { log: Some(Arc::new(log)), ..ServerConfig::loopback() };
    config.limits.message = 64 << 20;
    config
}

fn pvs() -> Outcome<PvMap> {
    let pvs = PvMap::new();
    for name in ["n", "bystander"] {
        pvs.add(name, SharedPv::new(Value::new(&nt::scalar(ScalarType::F64))));
    }
    let picture = |bytes: usize| -> Outcome<Value> {
        let mut value = Value::new(&nt::ndarray());
        value.set("value", Array::from(vec![1_u8; bytes]))?;
        Ok(value)
    };
    pvs.add("picture", SharedPv::new(picture(80_000_000)?));
    let written = SharedPv::builder().value(picture(1)?).on_put(|put| put.accept());
    pvs.add("written", written.build());
    let texts = Value::new(&nt::scalar_array(ScalarType::Str));
    pvs.add("texts", SharedPv::builder().value(texts).on_put(|put| put.accept()).build());
    Ok(pvs)
}

fn answered(server: &Server) -> u64 {
    let counts = server.statistics();
    counts.puts + counts.gets + counts.updates + counts.searches
}

/// The gets of a client that does nothing else.
fn wait_beside(server: &Server, time: Duration) -> Outcome<Vec<Duration>> {
    let client = Client::new(ClientConfig::name_servers(&[server.tcp_address()]))?;
    let limit = Duration::from_secs(60);
    let mut request = client.channel_at(server.tcp_address(), "bystander").get_request("")?;
    request.get(limit)?;
    let (begin, mut waits) = (Instant::now(), Vec::new());
    while begin.elapsed() < time {
        let asked = Instant::now();
        request.get(limit)?;
        waits.push(asked.elapsed());
        std::thread::sleep(PAUSE);
    }
    Ok(waits)
}

/// A client that sends without a pause, and reads what comes.
struct Flood {
    stream: TcpStream,
    threads: [JoinHandle<()>; 2],
}

impl Flood {
    fn start(server: &Server, channel: &str, repeated: Repeated) -> Outcome<Flood> {
        let stream = TcpStream::connect(server.tcp_address())?;
        let (mut input, mut output) = (stream.try_clone()?, stream.try_clone()?);
        let hello = [&[0xCA, 2, 0, 1, 18, 0, 0, 0][..], &[0, 0, 1, 0, 0xFF, 0x7F, 0, 0, 9], b"anonymous"];
        output.write_all(&hello.concat())?;
        let mut writer = Writer::new(Order::HOST);
        CreateChannel { channels: vec![(0, channel.into())] }.encode(&mut writer)?;
        output.write_all(&writer.to_vec())?;
        let mut created = Vec::new();
        for _ in 0..4 {
            created = message(&mut input)?;
        }
        let sid = u32::from_ne_bytes([created[4], created[5], created[6], created[7]]);
        writer.clear();
        for (ioid, command) in [(1, Command::Get), (2, Command::Put)] {
            RequestHead { command, sid, ioid, sub: 0 }.init(&mut writer, &parse("")?, None)?;
        }
        output.write_all(&writer.to_vec())?;
        writer.clear();
        while writer.len() < 256 << 10 {
            repeated(&mut writer, sid)?;
        }
        let bytes = writer.to_vec();
        let send = std::thread::spawn(move || while output.write_all(&bytes).is_ok() {});
        let mut buffer = vec![0; 1 << 20];
        let read = std::thread::spawn(move || while input.read(&mut buffer).is_ok_and(|count| count > 0) {});
        Ok(Flood { stream, threads: [send, read] })
    }

    fn end(self) -> Outcome<()> {
        self.stream.shutdown(Shutdown::Both)?;
        self.threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a client is gone".into()))
    }
}

/// The payload of the next message.
fn message(input: &mut TcpStream) -> Outcome<Vec<u8>> {
    let mut header = [0; HEADER_LEN];
    input.read_exact(&mut header)?;
    let header = Header::decode(&header)?;
    let mut payload = vec![0; if header.control { 0 } else { header.size as usize }];
    input.read_exact(&mut payload)?;
    Ok(payload)
}

fn gets(writer: &mut Writer, sid: u32) -> livetime_pva::Result<()> {
    RequestHead { command: Command::Get, sid, ioid: 1, sub: 0 }.encode(writer, |_| {})
}

fn puts(writer: &mut Writer, sid: u32) -> livetime_pva::Result<()> {
    // The second field, and a number for it.
    let head = RequestHead { command: Command::Put, sid, ioid: 2, sub: 0 };
    head.encode(writer, |writer| writer.raw(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0]))
}

fn monitors(writer: &mut Writer, sid: u32) -> livetime_pva::Result<()> {
    let head = RequestHead { command: Command::Monitor, sid, ioid: 3, sub: 0 };
    head.init(writer, &parse("")?, None)?;
    RequestHead { sub: sub::START, ..head }.encode(writer, |_| {})?;
    RequestId { sid, ioid: 3 }.destroy(writer)
}

fn names() -> Vec<(u32, std::borrow::Cow<'static, str>)> {
    (0..60_000).map(|id| (id, "nobody has this".into())).collect()
}

fn channels(writer: &mut Writer, _: u32) -> livetime_pva::Result<()> {
    CreateChannel { channels: names() }.encode(writer)
}

fn searches(writer: &mut Writer, _: u32) -> livetime_pva::Result<()> {
    let address = std::net::Ipv4Addr::UNSPECIFIED.into();
    let protocols = vec!["tcp".into()];
    Search { sequence: 0, flags: 1, address, port: 0, protocols, channels: names() }.encode(writer)
}

fn pictures(writer: &mut Writer, sid: u32) -> livetime_pva::Result<()> {
    let mut value = Value::new(&nt::ndarray());
    value.set("value", Array::from(vec![1_u8; 8_000_000]))?;
    let head = RequestHead { command: Command::Put, sid, ioid: 2, sub: 0 };
    head.encode(writer, |writer| value.encode_changed(writer))
}

fn texts(writer: &mut Writer, sid: u32) -> livetime_pva::Result<()> {
    let mut value = Value::new(&nt::scalar_array(ScalarType::Str));
    value.set("value", vec![String::new(); 4_000_000])?;
    let head = RequestHead { command: Command::Put, sid, ioid: 2, sub: 0 };
    head.encode(writer, |writer| value.encode_changed(writer))
}

/// The time that the server's thread ran, in seconds.
fn server_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let is_it = |stat: &String| stat.contains("(pva-server-0)");
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok()).filter(is_it);
    // The fields behind the name: 12 are before the time in the program and in the kernel, in hundredths of a second.
    let ticks = |stat: String| -> Option<f64> {
        let mut fields = stat.rsplit(") ").next()?.split(' ').skip(11);
        Some(fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?)
    };
    stats.filter_map(ticks).sum::<f64>() / 100.0
}
