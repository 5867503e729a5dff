//! The same channels in a soft IOC of EPICS base and here: a client of libca asks both for the same, at random, and the answers are the
//! same bytes.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use livetime_ca::dbr::{About, Limits, Values};
use livetime_ca::server::{Pv, PvMap, Server, ServerConfig};
use livetime_testkit::wait_until;

/// Requests of the program, and its seeds.
const STEPS: &str = "600";
const SEEDS: [&str; 3] = ["1", "2", "4"];

struct Ioc(Child);

impl Drop for Ioc {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The channels of `channels.db`.
fn channels() -> PvMap {
    let pvs = PvMap::new();
    // Limits of alarms that have no severity are no numbers.
    let none = (f64::NAN, f64::NAN);
    let no_limits = Limits { alarm: none, warning: none, ..Limits::default() };
    let display = |low, high| Limits { display: (low, high), ..no_limits };
    let about = |class: &str, units: &str, precision, limits| About {
        units: units.into(),
        precision,
        limits,
        class: class.into(),
        ..About::default()
    };
    let number = |name: &str, values, count, about| {
        pvs.add(name, Pv::builder(values, about).count(count).on_put(Pv::accept).build());
    };
    // A `longout` without limits for writing shows those for display there.
    let control = |limits: Limits| Limits { control: limits.display, ..limits };
    number("d:double", Values::Double(vec![1.5]), 1, about("ao", "mm", 3, display(-10.0, 10.0)));
    number("d:long", Values::Long(vec![7]), 1, about("longout", "counts", 0, control(display(0.0, 100.0))));
    let choices = ["Done", "Acquire", "Third"].map(str::to_owned).to_vec();
    number("d:enum", Values::Enum(vec![0]), 1, About { choices, ..about("mbbo", "", 0, no_limits) });
    number("d:text", Values::Text(vec!["text".into()]), 1, about("stringout", "", 0, no_limits));
    let array = |name: &str, values, count, units: &str, precision| {
        number(name, values, count, about("waveform", units, precision, no_limits));
    };
    array("d:float", Values::Float(vec![]), 1, "", 2);
    array("d:short", Values::Short(vec![]), 1, "", 0);
    array("d:char", Values::Char(vec![].into()), 1, "", 0);
    array("d:doubles", Values::Double(vec![]), 10, "V", 4);
    array("d:longs", Values::Long(vec![]), 7, "", 0);
    array("d:shorts", Values::Short(vec![]), 5, "", 0);
    array("d:chars", Values::Char(vec![].into()), 64, "", 0);
    array("d:floats", Values::Float(vec![]), 3, "", 0);
    array("d:texts", Values::Text(vec![]), 4, "", 0);
    pvs
}

/// An IOC that answers, and its port. The system may give a free port to another program before the IOC has it; then the
/// IOC ends, and is started at another one.
fn ioc(python: &Path) -> (Ioc, u16) {
    let mut begun = None;
    wait_until("an IOC that answers", || {
        let (ioc, port) = begun.get_or_insert_with(|| {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            (start(python, port), port)
        });
        if TcpStream::connect(("127.0.0.1", *port)).is_ok() {
            return ioc.0.try_wait().unwrap().is_none();
        }
        if ioc.0.try_wait().unwrap().is_some() {
            begun = None;
        }
        false
    });
    begun.unwrap()
}

fn start(python: &Path, port: u16) -> Ioc {
    let mut command = Command::new(python);
    command.args(["-m", "epicscorelibs.ioc", "-d"]);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/channels.db"));
    command.env("EPICS_CAS_SERVER_PORT", port.to_string()).env("EPICS_CAS_INTF_ADDR_LIST", "127.0.0.1");
    command.env("EPICS_CAS_AUTO_BEACON_ADDR_LIST", "NO").env("EPICS_CAS_BEACON_ADDR_LIST", "127.0.0.1");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    Ioc(child)
}

#[test]
fn rsrv_and_ours_answer_the_same() {
    let Some(python) = livetime_testkit::python("ioc") else { return };
    let (_ioc, port) = ioc(&python);
    let server = Server::start(ServerConfig::loopback(), channels()).unwrap();
    let ours = server.tcp_address().port();
    for seed in SEEDS {
        let mut command = Command::new(&python);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/rsrv_or_ours.py"));
        command.args([seed, STEPS, &port.to_string(), &ours.to_string()]);
        let output = livetime_testkit::run_to_end(&mut command).unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.ends_with(" 0 differ\n"), "seed {seed}: {text}");
    }
}
