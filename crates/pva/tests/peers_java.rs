//! The pvAccess of Phoebus (core-pva) as a client of our server and as a server for our client.
//!
//! Its server listens at every address of the machine and cannot be told otherwise, so all of it runs where the
//! machine has no other address than loopback: in a network namespace. Without Java, its jar or `unshare` the tests
//! say so and pass.

#![cfg(all(feature = "client", feature = "server", target_os = "linux"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and says so when it skips"
)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_pva::client::{Client, ClientConfig, Event, Put};
use livetime_pva::data::{Array, Builder, Field, ScalarType, Structure, Type, Value};
use livetime_pva::nt;
use livetime_pva::server::{Call, PvMap, Server, ServerConfig, SharedPv};

const INSIDE: &str = "LIVETIME_ONLY_LOOPBACK";
const UDP: u16 = 5976;
const LONG: Duration = livetime_testkit::HANG;

/// The jar, if this runs where there is only loopback. If not, runs the calling test there.
fn jar() -> Option<PathBuf> {
    if let Some(jar) = std::env::var_os(INSIDE) {
        return Some(jar.into());
    }
    let jar = livetime_testkit::java_peer("core-pva")?;
    if !only_loopback("true").status().is_ok_and(|status| status.success()) {
        livetime_testkit::skip("machine/namespaces", "`unshare` cannot make a network namespace here");
        return None;
    }
    let mut test = only_loopback("exec \"$0\" --exact \"$1\" --nocapture");
    // Captured: this run of the test is not one more test.
    let thread = std::thread::current();
    test.arg(std::env::current_exe().unwrap()).arg(thread.name().unwrap()).env(INSIDE, jar);
    let output = test.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains(" 1 passed; "), "{said}");
    None
}

fn only_loopback(then: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--net", "sh", "-c"]);
    command.arg(format!("ip link set lo up && {then}"));
    command
}

/// Runs `class`, or what a file of source text has.
fn java(jar: &Path, class: &str) -> Command {
    let mut command = Command::new("java");
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-cp"]);
    command.arg(jar).arg(class).env("LC_ALL", "C.UTF-8").envs([
        ("EPICS_PVA_AUTO_ADDR_LIST", "NO"),
        ("EPICS_PVA_ADDR_LIST", "127.0.0.1"),
        ("EPICS_PVA_ENABLE_IPV6", "false"),
        ("EPICS_PVAS_INTF_ADDR_LIST", "127.0.0.1"),
        ("EPICS_PVA_SERVER_PORT", "0"),
        ("EPICS_PVA_MAX_ARRAY_FORMATTING", "200000"),
    ]);
    command.env("EPICS_PVA_BROADCAST_PORT", UDP.to_string());
    command.env("EPICS_PVAS_BROADCAST_PORT", UDP.to_string());
    command
}

/// The client for the command line. `by_name`: it asks this server and does not search.
fn client(jar: &Path, by_name: Option<&Server>) -> Command {
    let mut command = java(jar, "org.epics.pva.client.PVAClientMain");
    if let Some(server) = by_name {
        command
            .env("EPICS_PVA_ADDR_LIST", "")
            .env("EPICS_PVA_NAME_SERVERS", server.tcp_address().to_string());
    }
    command
}

fn phoebus(jar: &Path, by_name: Option<&Server>, arguments: &[&str]) -> String {
    let output = client(jar, by_name).args(arguments).stderr(Stdio::inherit()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{arguments:?}");
    text.lines().for_each(|line| println!("{}", line.chars().take(200).collect::<String>()));
    text
}

fn value(ty: &Arc<Structure>, field: impl Into<Field>) -> Value {
    let mut value = Value::new(ty);
    value.set("value", field).unwrap();
    value
}

fn pvs() -> PvMap {
    let pvs = PvMap::new();
    let add = |name: &str, value: Value| pvs.add(name, SharedPv::writable(value));
    for kind in ScalarType::ALL {
        let text = if kind == ScalarType::Bool { "true" } else { "17" };
        let mut scalar = Value::new(&nt::scalar(kind));
        let bit = scalar.bit("value").unwrap();
        scalar.set_str(bit, text).unwrap();
        add(&format!("J:{}", kind.name()), scalar);
    }
    add("J:text", value(&nt::scalar(ScalarType::Str), "grüße"));
    add("J:doubles", value(&nt::scalar_array(ScalarType::F64), vec![1.5, 2.5, -3.5]));
    let many: Vec<f64> = (0..100_000).map(f64::from).collect();
    add("J:many", value(&nt::scalar_array(ScalarType::F64), many));
    add(
        "J:texts",
        value(&nt::scalar_array(ScalarType::Str), vec!["a".to_string(), String::new(), "c".into()]),
    );
    let mut choice = Value::new(&nt::enumerated());
    choice.set("value.choices", vec!["Single".to_string(), "Multiple".into(), "Continuous".into()]).unwrap();
    choice.set("value.index", 1).unwrap();
    add("J:enum", choice);
    let mut table =
        Value::new(&nt::table(&[("number", ScalarType::F64), ("text", ScalarType::Str)]).unwrap());
    table.set("labels", vec!["number".to_string(), "text".into()]).unwrap();
    table.set("value.number", vec![1.25, 2.0]).unwrap();
    table.set("value.text", vec!["x".to_string(), "y".into()]).unwrap();
    add("J:table", table);
    add("J:image", image());
    pvs.add("J:readonly", SharedPv::new(value(&nt::scalar(ScalarType::F64), 4.5)));
    pvs
}

fn image() -> Value {
    let pixels: Vec<u16> = (0..400 * 300).map(|i| i as u16).collect();
    let mut image = value(&nt::ndarray(), Array::from(pixels));
    image.set("uniqueId", 7).unwrap();
    let bit = image.bit("dimension").unwrap();
    let Type::StructureArray(ty) = image.structure().nodes()[bit].ty.clone() else { panic!() };
    let sizes = [400, 300].map(|size| {
        let mut dimension = Value::new(&ty);
        dimension.set("size", size).unwrap();
        Some(dimension)
    });
    image.set("dimension", Field::StructArray(sizes.into())).unwrap();
    let mut mode = Value::new(&nt::attribute());
    mode.set("name", nt::COLOR_MODE).unwrap();
    mode.set("value", 0).unwrap();
    image.set("attribute", Field::StructArray(vec![Some(mode)])).unwrap();
    image
}

fn has(text: &str, wanted: &[&str]) {
    for wanted in wanted {
        assert!(text.contains(wanted), "no `{wanted}` in what it said last");
    }
}

fn serve_to_phoebus(jar: &Path, type_cache: bool, by_name: bool) {
    let pvs = pvs();
    let config = ServerConfig { udp_port: Some(UDP), type_cache, ..ServerConfig::loopback() };
    let server = Server::start(config, pvs.clone()).unwrap();
    let by_name = by_name.then_some(&server);
    let ask = |arguments: &[&str]| phoebus(jar, by_name, arguments);
    // It cannot ask a name server for several names at once: it changes its list while it sends it.
    let ask_all = |command: &str, names: &[&str]| match by_name {
        None => ask(&[&[command], names].concat()),
        Some(_) => names.iter().map(|name| ask(&[command, name])).collect(),
    };
    let names: Vec<String> = ScalarType::ALL.iter().map(|kind| format!("J:{}", kind.name())).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Each takes a second.
    let names = if by_name.is_some() { &names[..2] } else { &names };
    let text = ask_all("get", names);
    has(&text, &["boolean value true", "byte value 17"]);
    if by_name.is_none() {
        has(&text, &["double value 17", "string value 17", "ulong value 17"]);
    }
    has(&text, &["alarm_t alarm [NO_ALARM]", "highAlarmLimit"]);
    let text = ask_all("get", &["J:text", "J:doubles", "J:texts", "J:enum", "J:table", "J:image", "J:many"]);
    has(&text, &["grüße", "1.5, 2.5, -3.5", "Continuous", "index 1", "1.25, 2", "uniqueId 7", "size 400"]);
    has(&text, &["ushort", "ColorMode", "99999.0"]);
    let text = ask_all("info", &["J:image", "J:enum", "J:table", "J:double"]);
    has(
        &text,
        &["epics:nt/NTNDArray:1.0", "epics:nt/NTEnum:1.0", "epics:nt/NTTable:1.0", "ubyte[] ubyteValue"],
    );
    let text = ask(&["get", "-r", "field(value)", "J:double"]);
    assert!(text.contains("double value 17") && !text.contains("userTag 1"), "{text}");
    puts(&ask, &pvs);
    monitors(jar, by_name, &pvs);
    println!("{:?}", server.statistics());
}

fn puts(ask: &dyn Fn(&[&str]) -> String, pvs: &PvMap) {
    let now = |name: &str| pvs.get(name).unwrap().value().unwrap();
    ask(&["put", "J:double", "2.75"]);
    assert_eq!(now("J:double").f64("value"), Some(2.75));
    ask(&["put", "-c", "J:int32_t", "--", "-12"]);
    assert_eq!(now("J:int32_t").i64("value"), Some(-12));
    ask(&["put", "J:text", "schöne neue"]);
    assert_eq!(now("J:text").str("value"), Some("schöne neue"));
    ask(&["put", "-r", "value.index", "J:enum", "2"]);
    assert_eq!(now("J:enum").i64("value.index"), Some(2));
    ask(&["put", "J:readonly", "1"]);
    assert_eq!(now("J:readonly").f64("value"), Some(4.5));
}

/// A client that continues until it is dropped, and what it has said.
struct Watching {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Watching {
    fn start(mut command: Command) -> Watching {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let said = Arc::new(Mutex::new(String::new()));
        let saying = Arc::clone(&said);
        std::thread::spawn(move || lines.for_each(|line| *saying.lock().unwrap() += &format!("{line}\n")));
        Watching { child, said }
    }

    fn wait_for(&self, wanted: &str) {
        let end = Instant::now() + LONG;
        while !self.said.lock().unwrap().contains(wanted) {
            assert!(Instant::now() < end, "no `{wanted}` in\n{}", self.said.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn monitors(jar: &Path, by_name: Option<&Server>, pvs: &PvMap) {
    let mut command = client(jar, by_name);
    command.env("EPICS_PVA_MAX_ARRAY_FORMATTING", "5").args(["monitor", "J:float"]);
    // See `ask_all`.
    if by_name.is_none() {
        command.args(["J:image", "J:enum"]);
    }
    let watching = Watching::start(command);
    watching.wait_for("float value 17");
    if by_name.is_none() {
        watching.wait_for("uniqueId 7");
    }
    for number in 1..=5 {
        pvs.get("J:float").unwrap().update(|value| value.set("value", number as f32 + 0.5)).unwrap();
        watching.wait_for(&format!("float value {number}.5"));
        if by_name.is_none() {
            pvs.get("J:image").unwrap().update(|value| value.set("uniqueId", 100 + number)).unwrap();
            watching.wait_for(&format!("uniqueId 10{number}"));
        }
    }
    // The client would show a value that was never sent as NaN.
    assert!(!watching.said.lock().unwrap().contains("NaN"));
}

#[test]
fn phoebus_knows_types_by_number() {
    let Some(jar) = jar() else { return };
    serve_to_phoebus(&jar, true, false);
}

#[test]
fn phoebus_is_told_types_in_full_and_where_the_server_is() {
    let Some(jar) = jar() else { return };
    serve_to_phoebus(&jar, false, true);
}

/// Client and server of our own, written in Java with core-pva.
const PHOEBUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/Phoebus.java");

/// Adds the numbers `a` and `b`, which are texts in what core-pva sends.
fn sum() -> SharedPv {
    let ty = Builder::new("sum_t")
        .member("sum", ScalarType::F64)
        .array("names", ScalarType::Str)
        .structure()
        .unwrap();
    let number = |call: &Call, name: &str| call.argument(name)?.as_str()?.parse::<f64>().ok();
    let builder = SharedPv::builder().on_call(move |call| match (number(&call, "a"), number(&call, "b")) {
        (Some(a), Some(b)) => {
            let mut answer = Value::new(&ty);
            answer.set("sum", a + b).unwrap();
            answer.set("names", vec!["a".to_string(), "b".into()]).unwrap();
            call.reply(answer);
        }
        _ => call.refuse("wanted a and b"),
    });
    builder.build()
}

#[test]
fn phoebus_puts_arrays_and_calls() {
    let Some(jar) = jar() else { return };
    let pvs = pvs();
    pvs.add("J:none", SharedPv::writable(value(&nt::scalar_array(ScalarType::F64), vec![1.0])));
    pvs.add("J:sum", sum());
    let config = ServerConfig { udp_port: Some(UDP), ..ServerConfig::loopback() };
    let _server = Server::start(config, pvs.clone()).unwrap();
    let output = java(&jar, PHOEBUS).arg("client").output().unwrap();
    let [text, log] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    println!("{text}{log}");
    assert!(output.status.success());
    has(&text, &["sum_t 42.5 a+b", "no answer"]);
    // It does not tell the caller of a refusal.
    has(&log, &["ERROR: wanted a and b"]);
    let now = |name: &str| pvs.get(name).unwrap().value().unwrap();
    let numbers = |name: &str| now(name).array("value").unwrap().iter_f64().collect::<Vec<_>>();
    assert_eq!(numbers("J:doubles"), [0.25, -1e300, 3.0]);
    assert!(numbers("J:many").into_iter().eq(halves()));
    assert_eq!(numbers("J:none"), []);
    assert_eq!(now("J:texts").get("value").unwrap().as_strings().unwrap(), ["grüße", "", "drei"]);
}

/// As many as `Phoebus.MANY`.
fn halves() -> impl Iterator<Item = f64> {
    (0..100_000).map(|i| f64::from(i) / 2.0)
}

#[test]
fn we_put_arrays_to_and_call_what_phoebus_serves() {
    let Some(jar) = jar() else { return };
    let mut command = java(&jar, PHOEBUS);
    command.arg("server").stdin(Stdio::piped());
    let server = Watching::start(command);
    server.wait_for("ready");
    let client = Client::new(ClientConfig::loopback(UDP)).unwrap();
    let get = |name: &str| client.channel(name).get().wait(LONG).unwrap();
    let put = |name: &str, field: Field| client.channel(name).put(("value", field)).wait(LONG).unwrap();
    let numbers = |value: &Value| value.array("value").unwrap().iter_f64().collect::<Vec<_>>();
    assert!(numbers(&get("S:many")).into_iter().eq(halves()));
    let doubles = client.channel("S:doubles");
    let mut monitor = doubles.monitor("").unwrap();
    let mut next = || loop {
        match monitor.next(LONG).unwrap().expect("no update") {
            Event::Update(update) => return update.value,
            _ => continue,
        }
    };
    assert_eq!(numbers(&next()), [1.0, 2.5]);
    put("S:doubles", vec![-0.5, 1e300].into());
    let update = next();
    assert_eq!((numbers(&update), update.str("descriptor")), (vec![-0.5, 1e300], Some("an array")));
    put("S:many", vec![7.5; 20_000].into());
    assert_eq!(numbers(&get("S:many")), [7.5; 20_000]);
    put("S:texts", vec!["grüße".to_string(), String::new(), "drei".into(), "vier".into()].into());
    assert_eq!(get("S:texts").get("value").unwrap().as_strings().unwrap(), ["grüße", "", "drei", "vier"]);
    call(&client);
}

fn call(client: &Client) {
    let ask = |b: &str| {
        let mut uri =
            Value::new(&nt::uri(&[("a", ScalarType::Str.into()), ("b", ScalarType::Str.into())]).unwrap());
        for (path, text) in [("scheme", "pva"), ("path", "S:sum"), ("query.a", "20"), ("query.b", b)] {
            uri.set(path, text).unwrap();
        }
        client.channel("S:sum").rpc(uri).wait(LONG)
    };
    let answer = ask("22.5").unwrap().unwrap().into_value().unwrap();
    assert_eq!((answer.id(), answer.f64("sum"), answer.str("of")), ("sum_t", Some(42.5), Some("S:sum")));
    assert!(ask("many").unwrap_err().to_string().contains("many"));
}

struct Demo(Child);

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn we_read_watch_and_write_what_phoebus_serves() {
    let Some(jar) = jar() else { return };
    let mut demo = java(&jar, "org.epics.pva.server.ServerDemo");
    let _demo = Demo(demo.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let client = Client::new(ClientConfig::loopback(UDP)).unwrap();
    let channel = client.channel("demo");
    let first = channel.get().wait(LONG).unwrap();
    assert_eq!((first.id(), first.str("tag")), ("demo_t", Some("Hello!")));
    assert_eq!(first.str("alarm.message"), Some("OK"));
    let ty = channel.info().wait(LONG).unwrap();
    assert!(matches!(ty, Type::Structure(ty) if ty.id() == "demo_t"));
    let mut monitor = channel.monitor("").unwrap();
    let mut seen = Vec::new();
    let end = Instant::now() + LONG;
    while seen.len() < 3 && Instant::now() < end {
        if let Ok(Some(Event::Update(update))) = monitor.next(livetime_testkit::HANG) {
            seen.push(update.value.f64("value").unwrap());
        }
    }
    assert!(seen.len() == 3 && seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    client.channel("demo3").put(Put::field("value", 42.5)).wait(LONG).unwrap();
    let read = client.channel("demo3").get().wait(LONG).unwrap();
    println!("demo3 after the put: {:?}", read.f64("value"));
}
