//! How fast the server answers a client that does nothing but send gets and read bytes, over loopback.
//! `cargo run --release -p livetime-pva --example server_speed`

#![allow(clippy::print_stdout, reason = "it prints what it measured")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use livetime_pva::data::{Array, ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::proto::{Command, CreateChannel, RequestHead, sub};
use livetime_pva::request::parse;
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};
use livetime_pva::wire::{HEADER_LEN, Header, Order, Writer};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let spin = std::env::args().any(|argument| argument == "--spin");
    let spin = if spin { Duration::from_millis(1) } else { Duration::ZERO };
    if std::env::args().any(|argument| argument == "--single") {
        for _ in 0..5 {
            gets(1, 1, spin)?;
            raw(22)?;
        }
        return Ok(());
    }
    for (channels, elements) in [(1, 1), (1000, 1), (10_000, 1), (1000, 1000), (1, 100_000), (1, 1_000_000)] {
        gets(channels, elements, spin)?;
    }
    monitors(1 << 20)?;
    monitors(1)?;
    for bytes in [8, 8000, 800_000, 8_000_000] {
        raw(bytes)?;
    }
    Ok(())
}

/// The same without pvAccess: one thread answers 17 bytes with `bytes` bytes.
fn raw(bytes: usize) -> Outcome<()> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let mut stream = TcpStream::connect(listener.local_addr()?)?;
    let (mut other, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    other.set_nodelay(true)?;
    let server = std::thread::spawn(move || {
        let (mut request, answer) = ([0; 17], vec![1; bytes]);
        while other.read_exact(&mut request).is_ok() && other.write_all(&answer).is_ok() {}
    });
    let mut client = Client { stream: stream.try_clone()?, buffer: vec![0; 1 << 20] };
    let (begin, mut rounds) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_secs(1) {
        stream.write_all(&[0; 17])?;
        client.read(bytes)?;
        rounds += 1;
    }
    let rate = f64::from(rounds) / begin.elapsed().as_secs_f64();
    println!("raw TCP, {bytes} bytes: {rate:.0} answers/s {:.2} Gbit/s", rate * bytes as f64 * 8e-9);
    stream.shutdown(std::net::Shutdown::Both)?;
    server.join().map_err(|_| "the server is gone".into())
}

struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    fn connect(server: &Server) -> Outcome<Client> {
        let stream = TcpStream::connect(server.tcp_address())?;
        stream.set_nodelay(true)?;
        let mut client = Client { stream, buffer: vec![0; 1 << 20] };
        let hello = [&[0xCA, 2, 0, 1, 18, 0, 0, 0][..], &[0, 0, 1, 0, 0xFF, 0x7F, 0, 0, 9], b"anonymous"];
        client.stream.write_all(&hello.concat())?;
        client.skip(3)?;
        Ok(client)
    }

    /// Reads so many messages; returns the payload of the last.
    fn skip(&mut self, count: usize) -> Outcome<Vec<u8>> {
        let mut payload = Vec::new();
        for _ in 0..count {
            let mut header = [0; HEADER_LEN];
            self.stream.read_exact(&mut header)?;
            let header = Header::decode(&header)?;
            payload.resize(if header.control { 0 } else { header.size as usize }, 0);
            self.stream.read_exact(&mut payload)?;
        }
        Ok(payload)
    }

    fn read(&mut self, mut bytes: usize) -> Outcome<()> {
        while bytes > 0 {
            let end = bytes.min(self.buffer.len());
            match self.stream.read(&mut self.buffer[..end])? {
                0 => return Err("the server is gone".into()),
                count => bytes -= count,
            }
        }
        Ok(())
    }

    fn open(&mut self, names: &[String], command: Command) -> Outcome<Vec<u32>> {
        let mut writer = Writer::new(Order::HOST);
        let channels = names.iter().enumerate().map(|(i, name)| (i as u32, name.into())).collect();
        CreateChannel { channels }.encode(&mut writer)?;
        self.stream.write_all(&writer.to_vec())?;
        let mut sids = Vec::new();
        for _ in names {
            let created = self.skip(1)?;
            sids.push(u32::from_ne_bytes([created[4], created[5], created[6], created[7]]));
        }
        writer.clear();
        let request = parse("value")?;
        for (ioid, &sid) in sids.iter().enumerate() {
            RequestHead { command, sid, ioid: ioid as u32, sub: 0 }.init(&mut writer, &request, None)?;
        }
        let (bytes, mut stream) = (writer.to_vec(), self.stream.try_clone()?);
        let sender = std::thread::spawn(move || stream.write_all(&bytes));
        self.skip(names.len())?;
        sender.join().map_err(|_| "the sender is gone")??;
        Ok(sids)
    }
}

fn gets(channels: usize, elements: usize, spin: Duration) -> Outcome<()> {
    let pvs = PvMap::new();
    let names: Vec<String> = (0..channels).map(|i| format!("speed:{i}")).collect();
    for name in &names {
        let value = match elements {
            1 => Value::new(&nt::scalar(ScalarType::F64)),
            many => {
                let mut value = Value::new(&nt::scalar_array(ScalarType::F64));
                value.set("value", Array::from(vec![1.0; many]))?;
                value
            }
        };
        pvs.add(name.as_str(), SharedPv::new(value));
    }
    let server = Server::start(ServerConfig { spin, ..ServerConfig::loopback() }, pvs)?;
    let mut client = Client::connect(&server)?;
    let begin = Instant::now();
    let sids = client.open(&names, Command::Get)?;
    let opened = begin.elapsed();
    let mut writer = Writer::new(Order::HOST);
    for (ioid, &sid) in sids.iter().enumerate() {
        RequestHead { command: Command::Get, sid, ioid: ioid as u32, sub: 0 }.encode(&mut writer, |_| {})?;
    }
    let requests = writer.to_vec();
    let size = if elements < 254 { 0 } else { 5 };
    let reply = HEADER_LEN + 6 + 2 + 8 * elements + size;
    let (begin, mut rounds) = (Instant::now(), 0);
    while begin.elapsed() < Duration::from_secs(1) {
        client.stream.write_all(&requests)?;
        client.read(reply * channels)?;
        rounds += 1;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let gets = (rounds * channels) as f64 / seconds;
    let gigabits = gets * (8 * elements * 8) as f64 / 1e9;
    println!(
        "{channels:6} x {elements:8}: {gets:10.0} gets/s {gigabits:6.2} Gbit/s, opened in {:.1} ms",
        opened.as_secs_f64() * 1e3
    );
    Ok(())
}

fn monitors(elements: usize) -> Outcome<()> {
    let pv = match elements {
        1 => SharedPv::new(Value::new(&nt::scalar(ScalarType::F64))),
        _ => SharedPv::new(Value::new(&nt::ndarray())),
    };
    let pvs = PvMap::new();
    pvs.add("speed", pv.clone());
    let server = Server::start(ServerConfig::loopback(), pvs)?;
    let mut client = Client::connect(&server)?;
    let sid = client.open(&["speed".into()], Command::Monitor)?[0];
    let mut writer = Writer::new(Order::HOST);
    RequestHead { command: Command::Monitor, sid, ioid: 0, sub: sub::START }.encode(&mut writer, |_| {})?;
    client.stream.write_all(&writer.to_vec())?;
    client.skip(1)?;
    let reader =
        std::thread::spawn(
            move || while client.stream.read(&mut client.buffer).is_ok_and(|count| count > 0) {},
        );
    let pixels = Array::from(vec![1u8; elements]);
    let (begin, mut posts) = (Instant::now(), 0u32);
    while begin.elapsed() < Duration::from_secs(1) {
        if elements > 1 {
            pv.wait_for_room(Duration::from_secs(1));
            pv.update(|value| value.set("value", pixels.clone()))?;
        } else {
            pv.update(|value| value.set("value", f64::from(posts)))?;
        }
        posts += 1;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let updates = server.statistics().updates as f64 / seconds;
    println!("monitor of {elements}: {:.0} posts/s, {updates:.0} updates/s", f64::from(posts) / seconds);
    drop(server);
    reader.join().map_err(|_| "the reader is gone")?;
    Ok(())
}
