//! `livetime pv --ca` with a soft IOC of EPICS base and with a run, and attributes of frames over both protocols.

use crate::common;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use common::{Pipeline, own_nodes, serving, stderr, stdout};
use serde_json::Value;

/// A program that serves channels at this port, ended with its test.
struct Server {
    program: Child,
    port: u16,
    /// Of pvAccess.
    address: String,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Environment of a client and of a run whose attributes are PVs.
fn environment(command: &mut Command, port: u16) {
    command.env("EPICS_CA_ADDR_LIST", "127.0.0.1").env("EPICS_CA_AUTO_ADDR_LIST", "NO");
    command.env("EPICS_CA_SERVER_PORT", port.to_string()).env_remove("EPICS_CA_NAME_SERVERS");
}

impl Server {
    fn ioc() -> Option<Server> {
        let python = livetime_testkit::python("ioc")?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ca/tests/peers/rsrv.py");
        let (port, repeater) = (free_port(), free_port());
        let mut command = Command::new(python);
        command.arg(script).args([port.to_string(), repeater.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut program = command.spawn().unwrap();
        let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"), "the IOC did not start");
        Some(Server { program, port, address: String::new() })
    }

    /// A run of [`SERVED`] whose attributes may be PVs of its own; the pipeline file must outlive it.
    fn run(name: &str, folder: &Path) -> (Pipeline, Server) {
        let (port, pva_port) = (free_port(), free_port().to_string());
        let text = SERVED.replace("FOLDER", folder.to_str().unwrap()).replace("PORT", &pva_port);
        let file = Pipeline::new(name, &text);
        let mut command = own_nodes();
        command.args(["run", file.path(), &format!("--ca={port}")]).stdout(Stdio::null());
        environment(&mut command, port);
        command.env("EPICS_PVA_NAME_SERVERS", format!("127.0.0.1:{pva_port}"));
        command.env("EPICS_PVA_AUTO_ADDR_LIST", "NO").env("EPICS_PVA_ADDR_LIST", "");
        let (program, address) = serving(&mut command);
        (file, Server { program, port, address })
    }

    fn pv(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        environment(&mut command, self.port);
        command.env("EPICS_PVA_NAME_SERVERS", &self.address).env("EPICS_PVA_AUTO_ADDR_LIST", "NO");
        command.env("EPICS_PVA_ADDR_LIST", "").env("TZ", "UTC0");
        command.arg("pv").args(args).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.pv(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
        stdout(&output)
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args)).unwrap()
    }

    /// The exit code and stderr of a command that fails.
    fn fails(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.pv(args);
        (output.status.code(), stderr(&output))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

#[test]
fn records_of_an_ioc_are_read_and_written() {
    let Some(ioc) = Server::ioc() else { return };
    let text = ioc.ok(&["get", "--ca", "R:ao", "R:long", "R:text", "R:ao.EGU"]);
    let ends: Vec<_> = text.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(ends, ["1.5", "-7", "first", "mm"], "{text}");
    assert!(ioc.ok(&["put", "--ca", "R:ao", "7.5"]).trim_end().ends_with(" 7.5 MAJOR DEVICE HIHI"));
    let text = ioc.ok(&["put", "--ca", "R:bo", "Acquire"]);
    assert!(text.starts_with("Old : R:bo ") && text.trim_end().ends_with("(1) Acquire"), "{text}");
    assert!(ioc.ok(&["put", "--ca", "R:shorts", "[1, 2]"]).trim_end().ends_with(" [1, 2]"));
    assert!(ioc.ok(&["put", "--ca", "-S", "R:chars", "/data/x"]).trim_end().ends_with(" /data/x"));
    let long = "x".repeat(200);
    assert!(ioc.ok(&["put", "--ca", "R:lso.VAL$", &long]).trim_end().ends_with(&long));
    // The sequence takes 0.3 s; the put ends with it.
    ioc.ok(&["put", "--ca", "R:slow.PROC", "1"]);
    assert!(ioc.ok(&["get", "--ca", "R:ended"]).trim_end().ends_with(" 1"));
    let json = ioc.json(&["put", "--ca", "R:long", "-3", "--json"]);
    assert_eq!((&json["old"]["value"], &json["new"]["value"]), (&(-7).into(), &(-3).into()));
    let json = &ioc.json(&["get", "--ca", "R:ao", "--json"])[0];
    assert_eq!((&json["type"], &json["display"]["units"]), (&"epics:nt/NTScalar:1.0".into(), &"mm".into()));
    assert_eq!(json["valueAlarm"]["highWarningLimit"], 6.0);
    let info = ioc.ok(&["info", "--ca", "R:read"]);
    let wanted = format!(
        "R:read\nServer: 127.0.0.1:{}\nType: DBF_LONG\nCount: 1\nAccess: read\nRecord: longout\n",
        ioc.port
    );
    assert_eq!(info, wanted);
    let text = ioc.ok(&["monitor", "--ca", "R:counter", "-n", "3"]);
    let numbers = text.lines().map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap());
    let numbers: Vec<f64> = numbers.collect();
    assert_eq!([numbers[1] - numbers[0], numbers[2] - numbers[1]], [1.0, 1.0]);
}

#[test]
fn failures_of_channel_access_have_their_exit_codes() {
    let Some(ioc) = Server::ioc() else { return };
    let (code, error) = ioc.fails(&["get", "--ca", "R:nosuch", "-w", "300ms"]);
    assert!(
        code == Some(1) && error.contains(&format!("searched by UDP at 127.0.0.1:{}", ioc.port)),
        "{error}"
    );
    let (code, error) = ioc.fails(&["put", "--ca", "R:disabled", "1"]);
    assert_eq!(
        (code, &error[..]),
        (Some(1), "livetime: the server refused: the value could not be written\n")
    );
    // Programs read the same on stdout.
    for (args, code, message) in [
        (
            &["put", "--ca", "R:disabled", "1", "--json"][..],
            "failed",
            "the server refused: the value could not",
        ),
        (&["put", "--ca", "R:ao", "many", "--json"], "usage", "wanted a number, found `many`"),
        (&["list", "--ca", "10.0.0.5", "--json"], "usage", "Channel Access has no list of the names"),
        (&["put", "R:nosuch", "1", "--json", "-w", "50ms"], "failed", ""),
        (&["list", "nowhere:x", "--json"], "usage", ""),
    ] {
        let output = ioc.pv(args);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&json["ok"], &json["errors"][0]["code"]), (&false.into(), &code.into()), "{json}");
        assert!(json["errors"][0]["message"].as_str().unwrap().starts_with(message), "{json}");
    }
    let (code, error) = ioc.fails(&["put", "--ca", "R:read", "1"]);
    assert_eq!((code, &error[..]), (Some(1), "livetime: the server refused: this client may not write it\n"));
    // A number that does not fit is the server's to refuse, a text that is none is not even sent.
    assert_eq!(ioc.fails(&["put", "--ca", "R:shorts", "70000"]).0, Some(1));
    let (code, error) = ioc.fails(&["put", "--ca", "R:ao", "many"]);
    assert_eq!((code, &error[..]), (Some(2), "livetime: wanted a number, found `many`\n"));
    let (code, error) = ioc.fails(&["put", "--ca", "R:bo", "Nothing"]);
    assert_eq!((code, &error[..]), (Some(2), "livetime: wanted one of Done, Acquire, found `Nothing`\n"));
    assert_eq!(ioc.fails(&["put", "--ca", "R:text", &"x".repeat(40)]).0, Some(2));
    assert!(ioc.fails(&["put", "--ca", "R:chars", "/data"]).1.contains("--long-text"));
    for wrong in [
        &["get", "--ca", "R:ao", "-r", "field(value)"][..],
        &["monitor", "--ca", "R:ao", "-m", "x"],
        &["get", "R:ao", "-S"],
        &["list", "--ca", "127.0.0.1"],
    ] {
        assert_eq!(ioc.fails(wrong).0, Some(2), "{wrong:?}");
    }
    let output = ioc.pv(&["get", "--ca", "R:nosuch", "-w", "300ms", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert!(json[0]["error"].as_str().unwrap().starts_with("get of `R:nosuch`: no answer within 300ms"));
}

const SERVED: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'T:', port: PORT, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 32, acquire: false, image_mode: single, acquire_time: 1 ms}
  Image1: {type: image, from: detector}
  STATS1: {type: statistics, from: detector}
  TIFF1: {type: tiff_files, from: detector, params: {path: FOLDER, create_directory: -1}}
";

#[test]
fn both_protocols_show_the_same_of_a_run() {
    let folder = tempfile::TempDir::new().unwrap();
    let (_file, run) = Server::run("both", folder.path());
    for name in ["T:cam1:AcquireTime", "T:cam1:ImageMode", "T:cam1:PortName_RBV", "T:cam1:MaxSizeX_RBV"] {
        let of = |more: &[&str]| run.json(&[&["get", name, "--json"], more].concat())[0].clone();
        let (pva, ca) = (of(&[]), of(&["--ca"]));
        for key in ["name", "type", "value", "time"] {
            assert_eq!(pva[key], ca[key], "{name} {key}");
        }
        assert_eq!(pva["display"]["units"], ca["display"]["units"], "{name}");
    }
    let text = run.ok(&["put", "--ca", "T:cam1:ImageMode", "Multiple"]);
    assert!(text.trim_end().ends_with("(1) Multiple"), "{text}");
    run.ok(&["put", "--ca", "T:cam1:NumImages", "3"]);
    // The put ends with the acquisition.
    run.ok(&["put", "--ca", "T:cam1:Acquire", "1", "-w", "10m"]);
    assert!(run.ok(&["get", "--ca", "T:cam1:ArrayCounter_RBV"]).trim_end().ends_with(" 3"));
    let path = folder.path().to_str().unwrap();
    assert!(run.ok(&["get", "--ca", "T:TIFF1:FilePath.VAL$"]).contains(path));
    assert_eq!(run.fails(&["put", "--ca", "T:cam1:AcquirePeriod", "-1"]).0, Some(1));
    let info = &run.json(&["info", "--ca", "T:cam1:AcquireTime", "--json"])[0];
    assert_eq!(
        (&info["type"], &info["record"], &info["write"]),
        (&"DBF_DOUBLE".into(), &"ao".into(), &true.into())
    );
}

/// The run reads PVs of its own, over each of the protocols that it serves.
#[test]
fn attributes_of_frames_are_pvs_of_both_protocols() {
    let folder = tempfile::TempDir::new().unwrap();
    let (_file, run) = Server::run("attributes", folder.path());
    let attribute = |name: &str, source: &str, dbrtype: &str| {
        format!("<Attribute name='{name}' type='EPICS_PV' source='{source}' dbrtype='{dbrtype}'/>")
    };
    let list = [
        attribute("over_ca", "ca://T:cam1:AcquireTime", "DBR_DOUBLE"),
        attribute("over_pva", "pva://T:cam1:AcquireTime", "DBR_DOUBLE"),
        attribute("without", "T:cam1:AcquireTime", "DBR_DOUBLE"),
        attribute("choice", "ca://T:cam1:ImageMode", "DBR_STRING"),
        attribute("not_there", "ca://T:cam1:Nothing", "DBR_NATIVE"),
    ];
    let text = format!("<Attributes>{}</Attributes>", list.concat());
    let xml = folder.path().join("attributes.xml");
    std::fs::write(&xml, text).unwrap();
    run.ok(&["put", "T:cam1:NDAttributesFile", xml.to_str().unwrap()]);
    run.ok(&["put", "T:TIFF1:AutoSave", "1"]);
    let frame = |number: u32| {
        run.ok(&["put", "--ca", "T:cam1:Acquire", "1", "-w", "10m"]);
        let path = folder.path().join(format!("frame_{number:03}.tif"));
        livetime_testkit::wait_until("a file", || path.exists());
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
    };
    let of = |text: &str, name: &str| {
        let found = text.split(&format!("{name}:")).nth(1).and_then(|rest| rest.split('\0').next());
        found.unwrap().to_owned()
    };
    let names = ["over_ca", "over_pva", "without", "choice", "not_there"];
    let all = |text: &str| names.map(|name| of(text, name)).join(" ");
    // The first frames may be older than the first values.
    let is_known =
        |text: &String| text.matches("NaN").count() == 1 && text.split(' ').all(|value| !value.is_empty());
    let known = (1..1000).map(|number| all(&frame(number))).find(is_known);
    assert_eq!(known.as_deref(), Some("0.001 0.001 0.001 Single NaN"));
}
