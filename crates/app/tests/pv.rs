//! `livetime pv` with a server of pvxs (p4p).

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says when it skips"
)]

use crate::common;

use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use common::{stderr, stdout};
use serde_json::Value;

struct Server {
    child: Child,
    stdin: ChildStdin,
    lines: BufReader<std::process::ChildStdout>,
    udp: u16,
    port: String,
}

impl Server {
    fn start() -> Option<Server> {
        let python = livetime_testkit::python("")?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pva/tests/peers/types_pvxs.py");
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(python);
        command.arg(script).args([&udp.to_string(), "0"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("PORT ").unwrap().into();
        Some(Server { child, stdin, lines, udp, port })
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.arg("pv").args(args);
        command.env("EPICS_PVA_ADDR_LIST", "127.0.0.1").env("EPICS_PVA_AUTO_ADDR_LIST", "NO");
        command.env("EPICS_PVA_INTF_ADDR_LIST", "127.0.0.1").env_remove("EPICS_PVA_NAME_SERVERS");
        command.env("EPICS_PVA_BROADCAST_PORT", self.udp.to_string());
        command
    }

    fn pv(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.pv(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
        stdout(&output)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn times_are_local_unless_utc_is_wanted() {
    let Some(server) = Server::start() else { return };
    let time = ["timeStamp.secondsPastEpoch=1795164220", "timeStamp.nanoseconds=500000000"];
    server.ok(&["put", "scalar:d", "value=1.5", time[0], time[1]]);
    let get = |zone: &str, more: &[&str]| {
        let output = server.command(&[&["get", "scalar:d"], more].concat()).env("TZ", zone).output().unwrap();
        stdout(&output)
    };
    assert_eq!(get("FAR-14", &["--utc"]), "scalar:d 2026-11-20 08:43:40.500Z 1.5\n");
    assert_eq!(get("UTC0", &[]), "scalar:d 2026-11-20 08:43:40.500 1.5\n");
    assert_eq!(get("FAR-14", &[]), "scalar:d 2026-11-20 22:43:40.500 1.5\n");
    let json: Value = serde_json::from_str(&get("FAR-14", &["--json"])).unwrap();
    assert_eq!(json[0]["time"], "2026-11-20T08:43:40.5Z");
}

#[test]
fn values_are_read_and_written() {
    let Some(server) = Server::start() else { return };
    let text = server.ok(&["get", "scalar:d", "enum", "array:h"]);
    let ends: Vec<_> = text.lines().collect();
    assert!(text.starts_with("scalar:d "), "{text}");
    assert!(
        ends[0].ends_with("4.25") && ends[1].ends_with("(1) On") && ends[2].ends_with("[0, 1, 2, 3, 4]"),
        "{text}"
    );

    let text = server.ok(&["put", "enum", "Broken"]);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("Old : enum ") && lines[0].ends_with("(1) On"), "{text}");
    assert!(lines[1].starts_with("New : enum ") && lines[1].ends_with("(2) Broken"), "{text}");
    let text = server.ok(&["put", "array:d", "[1, 2.5]"]);
    assert!(text.lines().nth(1).unwrap().ends_with("[1, 2.5]"), "{text}");
    let text = server.ok(&["put", "scalar:i", "-5"]);
    assert!(text.trim_end().ends_with(" -5"), "{text}");
    server.ok(&["put", "scalar:d", "value=1.5", "alarm.severity=2"]);
    assert!(server.ok(&["get", "scalar:d"]).contains(" 1.5 MAJOR NONE"));

    let json: Value = serde_json::from_str(&server.ok(&["get", "scalar:d", "image", "--json"])).unwrap();
    assert_eq!((&json[0]["name"], &json[0]["value"]), (&"scalar:d".into(), &1.5.into()));
    assert_eq!(json[1]["value"]["shape"], serde_json::json!([640, 480]));
    assert_eq!(
        (&json[1]["value"]["dtype"], &json[1]["value"]["bytes"]),
        (&"uint16_t".into(), &614_400.into())
    );
    let image = server.ok(&["get", "image"]);
    assert!(image.contains("[640 x 480] uint16_t, raw, 614400 bytes"), "{image}");
}

#[test]
fn failures_have_their_exit_codes() {
    let Some(server) = Server::start() else { return };
    let missing = server.pv(&["get", "nosuch", "scalar:d", "-w", "300ms"]);
    assert_eq!(missing.status.code(), Some(1));
    let error = stderr(&missing);
    assert!(error.contains("nosuch") && error.contains(&format!("127.0.0.1:{}", server.udp)), "{error}");
    assert!(stdout(&missing).starts_with("scalar:d "));
    let refused = server.pv(&["put", "refused", "1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(stderr(&refused), "livetime: the server refused: not today\n");
    let text = server.pv(&["put", "scalar:i", "many"]);
    assert_eq!(text.status.code(), Some(2));
    assert!(stderr(&text).contains("int32_t"), "{}", stderr(&text));
    assert!(!stderr(&text).contains("server refused"), "it was not asked: {}", stderr(&text));
    // Options may stand behind the value, as --help shows.
    server.ok(&["put", "scalar:i", "-7", "-w", "60s"]);
    server.ok(&["put", "scalar:d", "value=3", "-r", "record[process=true]", "-w", "60s"]);
    assert!(server.ok(&["get", "scalar:d"]).trim_end().ends_with(" 3"));
    for wrong in
        [&["get"][..], &["get", "x", "-r", "field("], &["get", "x", "-w", "soon"], &["list", "1.2.3.4:x"]]
    {
        assert_eq!(server.pv(wrong).status.code(), Some(2), "{wrong:?}");
    }
    for help in ["get", "put", "monitor", "info", "list"] {
        assert!(server.ok(&[help, "--help"]).contains("Example"));
    }
}

#[test]
fn types_servers_and_names_are_listed() {
    let Some(server) = Server::start() else { return };
    let info = server.ok(&["info", "scalar:d"]);
    let address = format!("127.0.0.1:{}", server.port);
    assert!(info.contains(&format!("Server: {address}")) && info.contains("double value"), "{info}");
    let servers = server.ok(&["list", "-w", "600ms"]);
    assert!(servers.starts_with("GUID 0x") && servers.contains(&format!("tcp@[ {address} ]")), "{servers}");
    let names = server.ok(&["list", &address]);
    assert!(names.lines().any(|name| name == "array:large"), "{names}");
    assert!(server.ok(&["list", &address, "--info"]).contains("implLang"));
    let names: Value = serde_json::from_str(&server.ok(&["list", &address, "--json"])).unwrap();
    assert!(names.as_array().unwrap().contains(&"image".into()));
}

#[test]
fn changes_are_printed_until_there_were_enough() {
    let Some(mut server) = Server::start() else { return };
    let mut child =
        server.command(&["monitor", "counter", "-n", "3", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        || serde_json::from_str::<Value>(&printed.next().unwrap().unwrap()).unwrap()["value"].clone();
    assert_eq!(next(), 0);
    for number in [5, 6] {
        writeln!(server.stdin, "post counter {number}").unwrap();
        server.lines.read_line(&mut String::new()).unwrap();
        assert_eq!(next(), number);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // The server goes, and with it the updates that are still wanted.
    let mut child = server.command(&["monitor", "counter", "-n", "3", "-w", "200ms"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(printed.next().unwrap().unwrap().ends_with('6'));
    server.child.kill().unwrap();
    assert_eq!(printed.next().unwrap().unwrap(), "counter *** disconnected");
    let output = child.wait_with_output().unwrap();
    let said = "livetime: counter: no server has it so far\n".to_owned();
    assert_eq!((output.status.code(), stderr(&output)), (Some(1), said));
    let never = server.pv(&["monitor", "nosuch", "-n", "1", "-w", "200ms"]);
    assert_eq!(
        (never.status.code(), stderr(&never)),
        (Some(1), "livetime: nosuch: no server has it so far\n".into())
    );
}
