//! Our client with a soft IOC of EPICS base: `rsrv`, the server that all others are measured by.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use livetime_ca::Changes;
use livetime_ca::client::{Ask, Channel, Client, ClientConfig, Error, Event, Monitor};
use livetime_ca::dbr::{Dbr, Form, Native, Reading, Values};

/// Longer than any answer takes on a busy machine.
const LONG: Duration = livetime_testkit::HANG;

/// An IOC, ended with its test.
struct Ioc {
    child: Child,
    port: u16,
}

impl Ioc {
    fn start(port: u16, repeater: u16) -> Option<Ioc> {
        let python = livetime_testkit::python("ioc")?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/rsrv.py");
        let mut command = Command::new(python);
        command.arg(script).args([port.to_string(), repeater.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"), "the IOC did not start");
        Some(Ioc { child, port })
    }

    fn anywhere() -> Option<Ioc> {
        Ioc::start(free_port(), free_port())
    }

    fn config(&self) -> ClientConfig {
        ClientConfig { repeater: None, ..ClientConfig::loopback(self.port) }
    }

    fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }
}

impl Drop for Ioc {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn get(channel: &Channel, ask: impl Into<Ask>) -> Reading {
    channel.get(ask).wait(LONG).unwrap()
}

fn update(monitor: &mut Monitor) -> Reading {
    loop {
        match monitor.next(LONG) {
            Some(Event::Update(reading)) => return reading,
            Some(Event::Connected | Event::Disconnected) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn texts(text: &str) -> Values {
    Values::Text(vec![text.into()])
}

#[test]
fn every_kind_is_put_and_read_in_every_form() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let client = ioc.client();
    let all = [
        ("R:doubles", Values::Double(vec![1.0, 2.0, 4.0])),
        ("R:floats", Values::Float(vec![1.0, 2.0, 4.0])),
        ("R:longs", Values::Long(vec![1, 2, 4])),
        ("R:shorts", Values::Short(vec![1, 2, 4])),
        ("R:chars", Values::Char(vec![1, 2, 4].into())),
        ("R:texts", Values::Text(vec!["1".into(), "2".into(), "4".into()])),
    ];
    for (name, values) in all {
        let channel = client.channel(name);
        channel.put(values.clone()).wait(LONG).unwrap();
        for form in [Form::Plain, Form::Alarm, Form::Time, Form::Graphic, Form::Control] {
            assert_eq!(get(&channel, form).values, values, "{name} {form:?}");
        }
        assert_eq!(get(&channel, Ask::from(Form::Time).count(2)).values.len(), 2, "{name}");
        for native in [Native::Double, Native::Float, Native::Long, Native::Short, Native::Char, Native::Text]
        {
            let found = get(&channel, Dbr::Value(Form::Time, native)).values;
            let numbers = found.clone().converted(Native::Double, &Default::default()).unwrap();
            assert_eq!((found.native(), numbers), (native, Values::Double(vec![1.0, 2.0, 4.0])), "{name}");
        }
    }
}

#[test]
fn facts_limits_choices_and_times_are_read() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let client = ioc.client();
    let number = client.channel("R:ao");
    let facts = number.open().wait(LONG).unwrap();
    assert_eq!((facts.native, facts.count, facts.rights.write), (Native::Double, 1, true));
    assert_eq!(number.server().unwrap().port(), ioc.port);
    let about = get(&number, Form::Control).about;
    assert_eq!((&about.units[..], about.precision), ("mm", 3));
    let limits = about.limits;
    assert_eq!((limits.display, limits.control), ((-9.0, 9.0), (-8.0, 8.0)));
    assert_eq!((limits.alarm, limits.warning), ((-7.0, 7.0), (-6.0, 6.0)));
    number.put(Values::Double(vec![6.5])).wait(LONG).unwrap();
    let now = get(&number, Form::Time);
    // HIGH, minor; the record was processed in this century.
    assert_eq!((now.alarm.status, now.alarm.severity), (4, 1));
    assert!(now.stamp.ns() > 1_700_000_000_000_000_000);
    let choice = client.channel("R:bo");
    assert_eq!(get(&choice, Form::Graphic).about.choices, ["Done", "Acquire"]);
    choice.put(texts("Acquire")).wait(LONG).unwrap();
    assert_eq!(get(&choice, Form::Plain).values, Values::Enum(vec![1]));
    assert_eq!(get(&choice, Dbr::ClassName).values, texts("bo"));
    assert_eq!(client.channel("R:ao.EGU").get(Form::Plain).wait(LONG).unwrap().values, texts("mm"));
}

#[test]
fn long_arrays_and_long_texts_travel() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let client = ioc.client();
    let doubles = client.channel("R:doubles");
    let long = Values::Double((0..200_000).map(f64::from).collect());
    doubles.put(long.clone()).wait(LONG).unwrap();
    assert_eq!(get(&doubles, Form::Time).values, long);
    let path = format!("/data/{}", "x".repeat(200));
    let text = client.channel("R:lso.VAL$");
    text.put(Values::long_text(&path)).wait(LONG).unwrap();
    assert_eq!(get(&text, Form::Time).values.text(), Some(path));
    assert!(matches!(doubles.put(Values::Double(vec![0.0; 200_001])).wait(LONG), Err(Error::Invalid(_))));
    let cut = client.channel("R:text").put(texts(&"x".repeat(40))).wait(LONG).unwrap_err();
    assert_eq!(cut.to_string(), "wanted a text of at most 39 bytes, found 40 bytes");
}

#[test]
fn a_put_ends_with_all_that_it_began_and_is_refused_with_a_reason() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let client = ioc.client();
    let ended = client.channel("R:ended");
    client.channel("R:slow.PROC").put(Values::Long(vec![1])).wait(LONG).unwrap();
    assert_eq!(get(&ended, Form::Plain).values, Values::Long(vec![1]));
    // Without waiting it is only on its way; the same connection keeps the order.
    ended.write(Values::Long(vec![5])).wait(LONG).unwrap();
    assert_eq!(get(&ended, Form::Plain).values, Values::Long(vec![5]));
    let refused = |name: &str, text: &str| {
        let error = client.channel(name).put(texts(text)).wait(LONG).unwrap_err();
        assert!(matches!(error, Error::Refused(_)), "{error}");
        error.to_string()
    };
    assert_eq!(refused("R:disabled", "1"), "the server refused: the value could not be written");
    refused("R:ao", "many");
    assert_eq!(refused("R:read", "1"), "the server refused: this client may not write it");
}

#[test]
fn refused_puts_without_an_answer_are_logged() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lines);
    let log: livetime_ca::client::Log = Arc::new(move |line: &str| log.lock().unwrap().push(line.to_owned()));
    let client = Client::new(ClientConfig { log: Some(log), ..ioc.config() }).unwrap();
    let channel = client.channel("R:disabled");
    channel.write(Values::Long(vec![1])).wait(LONG).unwrap();
    get(&channel, Form::Plain);
    livetime_testkit::wait_until("a line of the log", || !lines.lock().unwrap().is_empty());
    assert!(lines.lock().unwrap()[0].starts_with("the put to R:disabled was refused: "));
}

#[test]
fn monitors_follow_values_alarms_and_properties() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let client = ioc.client();
    let (number, units) = (client.channel("R:ao"), client.channel("R:ao.EGU"));
    let mut values = number.monitor(Form::Time, Changes::VALUE);
    let mut alarms = number.monitor(Form::Alarm, Changes::ALARM);
    let mut properties = number.monitor(Form::Control, Changes::PROPERTY);
    assert_eq!(update(&mut values).values, Values::Double(vec![1.5]));
    assert_eq!(update(&mut alarms).alarm.severity, 0);
    assert_eq!(update(&mut properties).about.units, "mm");
    number.put(Values::Double(vec![2.0])).wait(LONG).unwrap();
    number.put(Values::Double(vec![7.5])).wait(LONG).unwrap();
    assert_eq!(update(&mut values).values, Values::Double(vec![2.0]));
    assert_eq!(update(&mut values).values, Values::Double(vec![7.5]));
    // Of the two puts only the second one changed the alarm.
    let alarm = update(&mut alarms);
    assert_eq!((alarm.values, alarm.alarm.severity), (Values::Double(vec![7.5]), 2));
    units.put(texts("um")).wait(LONG).unwrap();
    assert_eq!(update(&mut properties).about.units, "um");
    let mut counter = client.channel("R:counter").monitor(Form::Plain, Changes::VALUE);
    let number = |reading: Reading| match reading.values {
        Values::Double(values) => values[0],
        other => panic!("{other:?}"),
    };
    let first = number(update(&mut counter));
    assert_eq!([1.0, 2.0, 3.0].map(|_| number(update(&mut counter)) - first), [1.0, 2.0, 3.0]);
}

#[test]
fn rights_that_change_are_told() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let client = ioc.client();
    let (locked, lock) = (client.channel("R:locked"), client.channel("R:lock"));
    assert!(locked.open().wait(LONG).unwrap().rights.write);
    locked.put(Values::Long(vec![3])).wait(LONG).unwrap();
    let writes = |wanted: bool| {
        livetime_testkit::wait_until("other rights", || locked.facts().unwrap().rights.write == wanted);
    };
    lock.put(Values::Long(vec![1])).wait(LONG).unwrap();
    writes(false);
    assert!(matches!(locked.put(Values::Long(vec![4])).wait(LONG), Err(Error::Refused(_))));
    lock.put(Values::Long(vec![0])).wait(LONG).unwrap();
    writes(true);
}

#[test]
fn names_are_found_over_tcp() {
    let Some(ioc) = Ioc::anywhere() else { return };
    let server: SocketAddr = ([127, 0, 0, 1], ioc.port).into();
    let client = Client::new(ClientConfig::name_servers(&[server])).unwrap();
    assert_eq!(get(&client.channel("R:long"), Form::Plain).values, Values::Long(vec![-7]));
    let bound = client.channel_at(server, "R:text");
    assert_eq!(get(&bound, Form::Plain).values, texts("first"));
}

/// Hands beacons to clients that have registered, as a repeater does.
fn repeat(socket: UdpSocket) {
    let mut clients = Vec::new();
    let mut datagram = [0; 2000];
    while let Ok((len, from)) = socket.recv_from(&mut datagram) {
        match datagram[..2] {
            [0, 24] => {
                clients.push(from);
                let confirm = [&[0, 17][..], &[0; 14]].concat();
                socket.send_to(&confirm, from).unwrap();
            }
            [0, 13] => {
                // The address of the sender takes the place of a missing one.
                if datagram[12..16] == [0; 4] {
                    datagram[12..16].copy_from_slice(&[127, 0, 0, 1]);
                }
                clients.iter().for_each(|client| _ = socket.send_to(&datagram[..len], client));
            }
            _ => {}
        }
    }
}

#[test]
fn channels_come_back_after_a_restart_and_beacons_are_heard() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (port, repeater) = (free_port(), socket.local_addr().unwrap());
    std::thread::spawn(move || repeat(socket));
    let Some(ioc) = Ioc::start(port, repeater.port()) else { return };
    let client = Client::new(ClientConfig { repeater: Some(repeater), ..ioc.config() }).unwrap();
    let channel = client.channel("R:long");
    let mut monitor = channel.monitor(Form::Plain, Changes::VALUE);
    assert_eq!(update(&mut monitor).values, Values::Long(vec![-7]));
    channel.put(Values::Long(vec![9])).wait(LONG).unwrap();
    assert_eq!(update(&mut monitor).values, Values::Long(vec![9]));
    assert!(client.servers(Duration::from_secs(1)).unwrap().contains(&([127, 0, 0, 1], port).into()));
    drop(ioc);
    assert_eq!(monitor.next(LONG), Some(Event::Disconnected));
    let late = channel.get(Form::Plain).wait(Duration::from_millis(300)).unwrap_err().to_string();
    assert!(late.contains(&format!("searched by UDP at 127.0.0.1:{port}")), "{late}");
    let waiting = channel.get(Form::Plain);
    let _ioc = Ioc::start(port, repeater.port()).unwrap();
    assert_eq!(waiting.wait(LONG).unwrap().values, Values::Long(vec![-7]));
    assert_eq!(monitor.next(LONG), Some(Event::Connected));
    assert_eq!(update(&mut monitor).values, Values::Long(vec![-7]));
}
