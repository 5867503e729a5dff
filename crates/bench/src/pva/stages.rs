//! `livetime-bench pva-stages`: mean and deviation of each stage of one get.
//!
//! Client and server are the state machines of the real ones, joined by a TCP connection, and run in turn on one
//! thread, so that each stage can be timed by itself. The difference to `pva-get` is the time that two processes need
//! to wake each other up.

use crate::Failed;
use std::io::{IoSlice, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use livetime_pva::data::Value;
use livetime_pva::proto::client::{Answer, Connection, Event, Identity, Job};
use livetime_pva::server::{PvMap, ServerConfig, Service, Session, SharedPv};
use livetime_pva::wire::{Assembler, BitSet, Order, Writer};
use serde_json::json;

use super::peer::doubles;
use super::rounded;
use crate::{Progress, Record, Settings};
use livetime_control::report::table::{Style, Table};

/// The stages in the order of time.
const STAGES: [&str; 8] = [
    "client: call to serialisation",
    "client: write to the socket",
    "server: read from the socket",
    "server: parse, look up, answer",
    "server: write to the socket",
    "client: read from the socket",
    "client: deserialisation",
    "get",
];

pub(crate) fn run(settings: &Settings, progress: &mut Progress) -> Result<Record, Failed> {
    let elements = settings.elements.first().copied().unwrap_or(1);
    progress.log(format!("a channel of {elements} elements"));
    let mut pair = Pair::connect(elements)?;
    let rounds = if settings.quick { 1_000 } else { 50_000 / (1 + elements / 1000) };
    // The first rounds fill caches, and are not counted.
    (0..rounds / 10).try_for_each(|_| pair.round(&mut |_, _| {}))?;
    // In turn, so that both see the same machine: a value that the server has encoded already, and one that is new.
    let mut sums = [[[0.0; 2]; STAGES.len()]; 2];
    for round in 0..2 * rounds {
        let changes = round % 2;
        if changes == 1 {
            pair.change(round)?;
        }
        let sums = &mut sums[changes];
        pair.round(&mut |stage, ns| {
            sums[stage][0] += ns;
            sums[stage][1] += ns * ns;
        })?;
    }
    let columns = ["stage", "mean ns", "deviation ns", "new value: mean ns", "deviation ns"];
    let mut table = Table::new(&columns).right(1..5);
    let mut rows = Vec::new();
    let of = |[sum, squares]: [f64; 2]| {
        let mean = sum / rounds as f64;
        // Rounding may make the variance of equal times negative.
        (mean, (squares / rounds as f64 - mean * mean).max(0.0).sqrt())
    };
    for (name, (kept, new)) in STAGES.iter().zip(sums[0].into_iter().zip(sums[1])) {
        let ((mean, deviation), (new_mean, new_deviation)) = (of(kept), of(new));
        let cells = [mean, deviation, new_mean, new_deviation].map(|ns| format!("{ns:.0}"));
        table.row([(*name).to_owned()].into_iter().chain(cells));
        rows.push(json!({
            "stage": name,
            "mean_ns": rounded(mean, 1),
            "deviation_ns": rounded(deviation, 1),
            "new_value_mean_ns": rounded(new_mean, 1),
            "new_value_deviation_ns": rounded(new_deviation, 1),
        }));
    }
    let serialisation = serialisation(elements, rounds)?;
    let note = format!(
        "\nA value that has not changed since the last get is sent as it was encoded then; a new one is encoded first. \
         Encoding a new value alone: {serialisation:.0} ns.\n"
    );
    let json = json!({
        "rows": rows, "elements": elements, "rounds": rounds, "serialisation_ns": rounded(serialisation, 1),
    });
    Ok(Record { json, table: table.render(Style::default()) + &note })
}

/// Mean time to encode a value, in ns.
fn serialisation(elements: usize, rounds: usize) -> Result<f64, Failed> {
    let value = doubles(elements)?;
    let everything = BitSet::from_iter([0]);
    let mut writer = Writer::new(Order::HOST);
    let begin = Instant::now();
    for _ in 0..rounds {
        writer.clear();
        // Else the compiler could leave the work out.
        std::hint::black_box(&value).encode_bits(&mut writer, &everything);
        std::hint::black_box(writer.len());
    }
    Ok(begin.elapsed().as_secs_f64() * 1e9 / rounds as f64)
}

/// A client, a server, and the connection between them.
struct Pair {
    pv: SharedPv,
    client: TcpStream,
    server: TcpStream,
    connection: Connection<(), ()>,
    assembler: Assembler,
    session: Session,
    started: Instant,
    incoming: Vec<u8>,
    open: bool,
    ioid: Option<u32>,
    value: Option<Value>,
}

impl Pair {
    fn connect(elements: usize) -> Result<Pair, Failed> {
        let pvs = PvMap::new();
        let pv = SharedPv::new(doubles(elements)?);
        pvs.add("bench:0", pv.clone());
        let (client, server) = sockets().map_err(|e| format!("a TCP connection to ourselves: {e}"))?;
        let service = Service::new(&ServerConfig::loopback(), pvs);
        let address = server.peer_addr()?;
        let session = Session::new(&service, address, || {}, Duration::ZERO);
        let mut pair = Pair {
            pv,
            client,
            server,
            connection: Connection::new(Identity::anonymous(), Instant::now()),
            assembler: Assembler::new(1 << 30),
            session,
            started: Instant::now(),
            incoming: vec![0; 64 << 10],
            open: false,
            ioid: None,
            value: None,
        };
        let cid = pair.connection.create_channel((), "bench:0").ok_or("no channel")?;
        pair.settle(|pair| pair.open)?;
        let request = livetime_pva::request::parse("field(value)")?;
        let begun = pair.connection.begin(cid, Job::Get, &request, false, ());
        pair.ioid = Some(begun.map_err(|()| "the channel is not open")?);
        pair.settle(|pair| pair.value.is_some())?;
        Ok(pair)
    }

    /// Lets both talk until `done`.
    fn settle(&mut self, done: impl Fn(&Pair) -> bool) -> Result<(), Failed> {
        for _ in 0..100 {
            self.serve(&mut |_, _| {})?;
            self.read_answers(&mut |_, _| {})?;
            if done(self) {
                return Ok(());
            }
            self.send()?;
        }
        Err("client and server do not come to an end".into())
    }

    /// One get; tells each stage's ns.
    fn round(&mut self, tell: &mut impl FnMut(usize, f64)) -> Result<(), Failed> {
        let begin = Instant::now();
        let value = self.value.take().ok_or("no value")?;
        let asked = self.ioid.map(|ioid| self.connection.get_again(ioid, value));
        let serialised = Instant::now();
        if !matches!(asked, Some(Ok(()))) {
            return Err("the request is gone".into());
        }
        self.send()?;
        tell(0, ns(begin, serialised));
        tell(1, ns(serialised, Instant::now()));
        while self.value.is_none() {
            self.serve(tell)?;
            self.read_answers(tell)?;
        }
        tell(7, ns(begin, Instant::now()));
        Ok(())
    }

    /// Gives the server another value.
    fn change(&mut self, round: usize) -> Result<(), Failed> {
        let posted = self.pv.update(|value| match value.array("value").cloned() {
            None => value.set("value", round as f64),
            // The array's memory is not encoded but sent without a copy.
            Some(array) => value.set("value", array),
        });
        posted.map_err(Failed::from)
    }

    fn send(&mut self) -> Result<(), Failed> {
        let output = self.connection.output();
        let sent = output.chunks().try_for_each(|chunk| self.client.write_all(chunk));
        output.clear();
        sent.map_err(Failed::from)
    }

    /// The server's turn: everything that has come is answered.
    fn serve(&mut self, tell: &mut impl FnMut(usize, f64)) -> Result<(), Failed> {
        let begin = Instant::now();
        let count = match self.server.read(&mut self.incoming) {
            Ok(count) => count,
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => 0,
            Err(e) => return Err(e.into()),
        };
        let read = Instant::now();
        let now = self.started.elapsed();
        self.session.receive(&self.incoming[..count], now)?;
        self.session.work(1 << 30)?;
        let answered = Instant::now();
        loop {
            let mut slices = [IoSlice::new(&[]); 16];
            let used = self.session.slices(&mut slices);
            if used == 0 {
                break;
            }
            match self.server.write_vectored(&slices[..used]) {
                Ok(sent) => self.session.sent(sent, now),
                // The client has to read first.
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(e) => return Err(e.into()),
            }
        }
        if count > 0 {
            tell(2, ns(begin, read));
            tell(3, ns(read, answered));
            tell(4, ns(answered, Instant::now()));
        }
        Ok(())
    }

    /// The client's turn.
    fn read_answers(&mut self, tell: &mut impl FnMut(usize, f64)) -> Result<(), Failed> {
        let begin = Instant::now();
        let count = match self.client.read(&mut self.incoming) {
            Ok(count) => count,
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => 0,
            Err(e) => return Err(e.into()),
        };
        let read = Instant::now();
        let (open, value) = (&mut self.open, &mut self.value);
        let mut input = &self.incoming[..count];
        while let Some(message) = self.assembler.next(&mut input)? {
            let received = self.connection.receive(&message, &mut |event| match event {
                Event::Opened(_) => *open = true,
                Event::Answered(_, Ok(Answer::Value(new))) => *value = Some(new),
                _ => {}
            });
            received?;
        }
        if count > 0 {
            tell(5, ns(begin, read));
            tell(6, ns(read, Instant::now()));
        }
        Ok(())
    }
}

fn sockets() -> std::io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let client = TcpStream::connect(listener.local_addr()?)?;
    let (server, _) = listener.accept()?;
    for socket in [&client, &server] {
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
    }
    Ok((client, server))
}

fn ns(from: Instant, to: Instant) -> f64 {
    to.duration_since(from).as_secs_f64() * 1e9
}
