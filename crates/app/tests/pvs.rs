//! `livetime run` as clients of EPICS see it: p4p, pvaPy and ophyd-async against the program.
//!
//! Both come from `tools/peers.sh`; without them the tests say so and pass. Sockets are on loopback only.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it skips"
)]

use crate::common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Pipeline, own_nodes, serving};
use livetime_pva::client::{Client, ClientConfig};

const SERVED: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'T:', port: 0, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 32, acquire_period: 5 ms}
  Image1: {type: image, from: detector}
  STATS5: {type: statistics, from: detector}
  ROI1: {type: roi, from: detector, params: {size_x: 32, size_y: 16}}
  STATS1: {type: statistics, from: ROI1}
  PVA1: {type: pva_image, from: detector, queue: 100}
  TIFF1: {type: tiff_files, from: detector, every: 1000000000, params: {path: FOLDER, create_directory: -1}}
  sluggish: {type: slow, pv: slow, from: detector, queue: 100, params: {takes: 5 ms}}
";

/// A pipeline file of [`SERVED`] after `change`, and the folder of its TIFF files, removed at the end.
struct File {
    pipeline: Pipeline,
    folder: PathBuf,
}

impl File {
    fn new(name: &str, change: impl Fn(String) -> String) -> File {
        let folder = common::temporary(name);
        let text = change(SERVED.replace("FOLDER", folder.to_str().unwrap()));
        File { pipeline: Pipeline::new(name, &text), folder }
    }

    fn path(&self) -> &str {
        self.pipeline.path()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The program, ended when the test is over.
struct Served {
    program: Child,
    address: String,
}

impl Served {
    fn start(path: &str, args: &[&str]) -> Served {
        let mut command = own_nodes();
        command.args(["run", path]).args(args);
        let (program, address) = serving(command.stdout(Stdio::null()));
        Served { program, address }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

fn free_port() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// The interpreter that has the peers; `what` chooses the environment.
fn python(what: &[&str]) -> Option<PathBuf> {
    livetime_testkit::python(what.first().unwrap_or(&""))
}

/// Runs a script against the server to its end, for at most two minutes.
fn run_script(python: &Path, name: &str, served: &Served, more: &[&str]) -> String {
    let mut command = Command::new(python);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name));
    command.args([&served.address, "T:"]).args(more).env("PYTHONUNBUFFERED", "1");
    let output = livetime_testkit::run_to_end(&mut command).unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {text}");
    text
}

#[test]
fn p4p_reads_watches_writes_and_acquires() {
    let Some(python) = python(&[]) else { return };
    let file = File::new("p4p", |text| text);
    let served = Served::start(file.path(), &[]);
    let said = run_script(&python, "served.py", &served, &[]);
    assert!(said.ends_with("images good\n"), "{said}");
}

#[test]
fn libca_reads_watches_writes_and_acquires() {
    let Some(python) = python(&["ioc"]) else { return };
    let file = File::new("libca", |text| text);
    let port = free_port();
    let served = Served::start(file.path(), &[&format!("--ca={port}")]);
    let said = run_script(&python, "channel_access.py", &served, &[&port]);
    assert!(said.ends_with("pictures good\n"), "{said}");
}

/// Clients that are not EPICS base's own: caproto speaks the protocol by itself, cothread has libca under another face.
#[test]
fn caproto_and_cothread_read_watch_write_and_acquire() {
    let Some(python) = python(&["clients"]) else { return };
    for script in ["caproto_client.py", "cothread_client.py"] {
        let file = File::new("clients", |text| text);
        let [port, repeater] = [free_port(), free_port()];
        let served = Served::start(file.path(), &[&format!("--ca={port}")]);
        let said = run_script(&python, script, &served, &[&port, &repeater]);
        assert!(said.ends_with("pictures good\n"), "{said}");
    }
}

/// The library by which Phoebus, CS-Studio and the Archiver Appliance speak Channel Access.
#[test]
fn jca_reads_watches_writes_and_acquires() {
    let Some(jar) = livetime_testkit::java_peer("jca") else { return };
    let (file, port) = (File::new("jca", |text| text), free_port());
    let _served = Served::start(file.path(), &[&format!("--ca={port}")]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/JcaClient.java");
    let property = |name: &str, value: &str| format!("-Dcom.cosylab.epics.caj.CAJContext.{name}={value}");
    let mut command = Command::new("java");
    command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]).arg(property("addr_list", "127.0.0.1"));
    command.arg(property("auto_addr_list", "false")).arg(property("server_port", &port));
    command.arg(property("repeater_port", &free_port())).arg("-cp").arg(jar).arg(script).arg("T:");
    let output = livetime_testkit::run_to_end(&mut command).unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("pictures good"), "{said}");
}

/// Two runs with one prefix: the second one says so, over both protocols, and goes on.
#[test]
fn a_run_warns_of_another_server_with_its_names() {
    let [search, port] = [free_port(), free_port()];
    let file = File::new("same", |text| text.replace("search_port: 0", &format!("search_port: {search}")));
    let channel_access = format!("--ca={port}");
    let first = Served::start(file.path(), &[&channel_access, "--no-settings"]);
    let mut second = own_nodes();
    second.args(["run", file.path(), &channel_access, "--no-settings", "--frames", "3", "--json"]);
    second.env("EPICS_CA_ADDR_LIST", "127.0.0.1").env("EPICS_CA_AUTO_ADDR_LIST", "NO");
    second.env("EPICS_PVA_ADDR_LIST", format!("127.0.0.1:{search}")).env("EPICS_PVA_AUTO_ADDR_LIST", "NO");
    let output = second.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", common::stderr(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = report["events"].to_string();
    for wanted in [
        format!("another server at {} has `T:cam1:PortName_RBV` over pvAccess, too", first.address),
        format!("another server at 127.0.0.1:{port} has `T:cam1:PortName_RBV` over Channel Access, too"),
    ] {
        assert!(said.contains(&wanted) && common::stderr(&output).contains(&wanted), "{said}");
    }
}

/// A soft IOC and a run have the same fields, and the same alarms for the same limits.
#[test]
fn fields_of_records_are_those_of_epics_base() {
    let Some(python) = python(&["ioc"]) else { return };
    let file = File::new("fields", |text| text);
    let port = free_port();
    let served = Served::start(file.path(), &[&format!("--ca={port}"), "--set", "detector.acquire=false"]);
    let said = run_script(&python, "fields.py", &served, &[&port]);
    assert!(said.ends_with("texts good\n"), "{said}");
}

const COMPRESSED: &str = "\
memory: 64 MiB
pvaccess: {prefix: 'T:', port: 0, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 32, acquire: false}
  CODEC1: {type: compress, from: detector}
  PVA1: {type: pva_image, from: detector}
  PVA2: {type: pva_image, from: CODEC1}
  far:
    type: pva_source
    params: {channel: 'P:Image', auto_addresses: false, name_servers: '127.0.0.1:PORT'}
  CODEC2: {type: decompress, from: far}
  PVA3: {type: pva_image, from: CODEC2}
";

#[test]
fn p4p_and_pvapy_read_and_send_compressed_images() {
    let Some(python) = python(&["codecs"]) else { return };
    let port = free_port();
    let pipeline = Pipeline::new("codecs", &COMPRESSED.replace("PORT", &port));
    let served = Served::start(pipeline.path(), &[]);
    let said = run_script(&python, "image_codecs.py", &served, &[&port]);
    assert!(said.ends_with("taken good\n"), "{said}");
}

const WRITTEN: &str = "\
memory: 256 MiB
pvaccess: {prefix: 'T:', port: 0, search_port: 0, interfaces: 127.0.0.1}
nodes:
  camera: {type: array_source, params: {dimensions: [4, 3], data_type: u16}}
  PVA1: {type: pva_image, from: camera, queue: 100}
";

#[test]
fn p4p_writes_pictures_that_become_frames() {
    let Some(python) = python(&[]) else { return };
    let pipeline = Pipeline::new("written", WRITTEN);
    let served = Served::start(pipeline.path(), &[]);
    let said = run_script(&python, "array_source.py", &served, &[]);
    assert!(said.ends_with("ok\n"), "{said}");
}

/// EPICS' own IOC loads the records that `livetime pvs --db` writes, and a client of Channel Access reads and writes through them.
#[test]
fn a_stock_ioc_serves_a_run_over_channel_access() {
    let Some(python) = python(&["ioc"]) else { return };
    let file = File::new("ioc", |text| text);
    let records = own_nodes().args(["pvs", file.path(), "--db"]).output().unwrap();
    assert!(records.status.success(), "{}", common::stderr(&records));
    let database = Pipeline::new("records", &common::stdout(&records));
    let served = Served::start(file.path(), &["--set", "detector.acquire_period=50ms"]);
    let said = run_script(&python, "records.py", &served, &[database.path()]);
    assert!(said.ends_with("ok\n"), "{said}");
}

#[test]
fn the_list_of_pvs_is_what_a_run_serves() {
    let file = File::new("listed", |text| text);
    let listed = own_nodes().args(["pvs", file.path(), "--json"]).output().unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let mut listed: Vec<String> =
        listed.as_array().unwrap().iter().map(|pv| pv["name"].as_str().unwrap().to_owned()).collect();
    let served = Served::start(file.path(), &[]);
    let address: std::net::SocketAddr = served.address.parse().unwrap();
    let client = Client::new(ClientConfig::name_servers(&[address])).unwrap();
    let mut names: Vec<String> = client.names(address).unwrap().wait(livetime_testkit::HANG).unwrap();
    names.sort();
    listed.sort();
    assert_eq!(names, listed);
}

#[test]
fn ophyd_async_finds_all_it_needs() {
    let Some(python) = python(&["ophyd"]) else { return };
    let file = File::new("ophyd", |text| text);
    let served = Served::start(file.path(), &["--set", "detector.acquire=false"]);
    let said = run_script(&python, "ophyd_sim.py", &served, &[]);
    assert!(said.ends_with("ophyd-async is content\n"), "{said}");
}

#[test]
fn ophyd_async_counts_images_of_another_server() {
    let Some(python) = python(&["ophyd"]) else { return };
    let file = File::new("shown", |text| text);
    let camera = Served::start(file.path(), &[]);
    let text = format!(
        "pvaccess: {{prefix: 'T:', port: 0, search_port: 0, interfaces: 127.0.0.1}}\n{}",
        follower(&camera.address)
    );
    let follower = Pipeline::new("counted", &text);
    let served = Served::start(follower.path(), &["--set", "far.acquire=false"]);
    let said = run_script(&python, "ophyd_pva.py", &served, &[]);
    assert!(said.ends_with("ophyd-async is content\n"), "{said}");
}

/// A graph that takes the pictures of a server.
fn follower(address: &str) -> String {
    format!(
        "nodes:\n  far:\n    type: pva_source\n    params: {{channel: 'T:Pva1:Image', auto_addresses: false, \
         name_servers: '{address}'}}\n  stats: {{type: statistics, from: far}}\n"
    )
}

/// Acts on PVs without Python: names, a value, a write, an acquisition.
#[test]
fn our_own_client_finds_and_starts_the_detector() {
    let file = File::new("own", |text| text);
    let served = Served::start(
        file.path(),
        &["--set", "detector.acquire=false", "--set", "detector.image_mode=single"],
    );
    let address: std::net::SocketAddr = served.address.parse().unwrap();
    let client = Client::new(ClientConfig::name_servers(&[address])).unwrap();
    let limit = livetime_testkit::HANG;
    let names = client.names(address).unwrap().wait(limit).unwrap();
    for name in ["T:cam1:Acquire", "T:Stats1:MeanValue_RBV", "T:slow:DroppedArrays_RBV", "T:Pva1:Image"] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
    client.channel("T:cam1:Offset").put(("value", 7.5)).wait(limit).unwrap();
    let offset = client.channel("T:cam1:Offset_RBV").get().wait(limit).unwrap();
    assert_eq!(offset.f64("value"), Some(7.5));
    client.channel("T:cam1:WaitForPlugins").put(("value", 1)).wait(limit).unwrap();
    let put = client.channel("T:cam1:Acquire").put_with("record[block=true]", ("value", 1));
    put.wait(limit).unwrap();
    let count = client.channel("T:slow:ArrayCounter_RBV").get().wait(limit).unwrap();
    assert_eq!(count.i64("value"), Some(1));
    let refused = client.channel("T:slow:ArrayCounter_RBV").put(("value", 1)).wait(limit);
    assert!(refused.is_err());
}

#[test]
fn a_slow_node_keeps_nobody_from_writing_to_another() {
    let file = File::new("order", |text| text.replace("takes: 5 ms", "takes: 500 ms"));
    let served = Served::start(file.path(), &[]);
    let address: std::net::SocketAddr = served.address.parse().unwrap();
    let client = Client::new(ClientConfig::name_servers(&[address])).unwrap();
    let limit = livetime_testkit::HANG;
    let (tell, told) = std::sync::mpsc::channel();
    // The slow node takes each of these between two of its frames.
    let writes = [
        ("T:slow:FailEvery", 1001),
        ("T:slow:FailEvery", 1002),
        ("T:slow:FailEvery", 1003),
        ("T:cam1:Offset", 7),
    ];
    for (name, value) in writes {
        let (pending, tell) = (client.channel(name).put(("value", value)), tell.clone());
        std::thread::spawn(move || tell.send(pending.wait(limit).map(|()| value)));
    }
    drop(tell);
    let order: Vec<i32> = told.iter().map(Result::unwrap).collect();
    // Threads that wait for answers of the same moment come in any order; the last value of the node tells its order.
    assert!(order.len() == 4 && order.last() != Some(&7), "{order:?}");
    let last = client.channel("T:slow:FailEvery_RBV").get().wait(limit).unwrap();
    assert_eq!(last.i64("value"), Some(1003));
}

#[test]
fn the_pictures_of_one_run_are_the_detector_of_another() {
    let file = File::new("first", |text| text);
    let first = Served::start(file.path(), &[]);
    let text = follower(&first.address);
    let second = Pipeline::new("second", &text);
    let mut command = own_nodes();
    command.args(["run", second.path(), "--frames", "50", "--duration", "20s", "--json"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ledger_closed"], true, "{report}");
    assert_eq!((&report["nodes"][0]["emitted"], &report["nodes"][1]["completed"]), (&50.into(), &50.into()));
}

#[test]
fn a_port_that_is_taken_does_not_stop_the_run() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let file = File::new("taken", |text| text.replace("port: 0, search", &format!("port: {port}, search")));
    let served = Served::start(file.path(), &[]);
    assert!(!served.address.ends_with(&format!(":{port}")), "{}", served.address);
    // An address that this machine does not have.
    let file = File::new("nowhere", |text| text.replace("127.0.0.1", "192.0.2.1"));
    let mut command = own_nodes();
    command.args(["run", file.path(), "--duration", "100ms", "--json"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = common::stderr(&output);
    assert!(said.contains(" warn the run is not served"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}

#[test]
fn the_command_line_decides_whether_a_run_is_served() {
    let run = |name: &str, is_off: bool, args: &[&str]| {
        let off = |text: String| text.replace("prefix: 'T:'", "enabled: false");
        let file = File::new(name, |text| if is_off { off(text) } else { text });
        let mut command = own_nodes();
        command.args(["run", file.path(), "--duration", "100ms", "--json"]).args(args);
        common::stderr(&command.stdin(Stdio::null()).output().unwrap())
    };
    assert!(run("with", false, &["--prefix", "X:"]).contains("serving PVs X:..."));
    assert!(!run("without", false, &["--no-pva"]).contains("serving"));
    assert!(!run("off", true, &[]).contains("serving"));
    assert!(run("on", true, &["--pva"]).contains("serving PVs 13SIM1:..."));
}

#[test]
fn this_machine_may_write_at_each_of_its_addresses_and_others_learn_what_would_allow_it() {
    let limit = livetime_testkit::HANG;
    let put = |served: &Served| {
        let client = Client::new(ClientConfig::name_servers(&[served.address.parse().unwrap()])).unwrap();
        client.channel("T:cam1:Offset").put(("value", 7.5)).wait(limit)
    };
    // The address of an interface, where there is one: then the client has that address, too.
    let own = livetime_pva::net::own_addresses().into_iter().find(|a| a.is_ipv4() && !a.is_loopback());
    let place = own.map_or("127.0.0.1".into(), |address| address.to_string());
    let file = File::new("interface", |text| text);
    let served = Served::start(file.path(), &["--listen", &place]);
    assert!(served.address.starts_with(&place), "{}", served.address);
    put(&served).unwrap();
    let served = Served::start(file.path(), &["--writers", "192.0.2.1,ops@any"]);
    let refused = put(&served).unwrap_err().to_string();
    assert!(
        refused.contains("127.0.0.1 is not among those who may write; `--writers 127.0.0.1`"),
        "{refused}"
    );
}

#[test]
fn another_port_than_was_asked_for_is_explained() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let file = File::new("moved", |text| text.replace("port: 0, search", &format!("port: {port}, search")));
    let output = own_nodes().args(["run", file.path(), "--duration", "50ms"]).output().unwrap();
    let said = common::stderr(&output);
    assert!(
        said.contains(&format!("it is not port {port}, because another program has port {port}")),
        "{said}"
    );
}

#[test]
fn values_and_sizes_are_those_of_areadetector() {
    // Without the nodes that take no colours.
    let file = File::new("as-upstream", |text| text.split_inclusive('\n').take(7).collect());
    let idle = ["--set", "detector.acquire=false", "--set", "detector.color_mode=rgb1"];
    let served =
        Served::start(file.path(), &[&idle[..], &["--set", "detector.image_mode=multiple"]].concat());
    let client = Client::new(ClientConfig::name_servers(&[served.address.parse().unwrap()])).unwrap();
    let limit = livetime_testkit::HANG;
    let get = |name: &str| {
        let value = client.channel(&format!("T:{name}")).get().wait(limit).unwrap();
        value.i64("value").or(value.i64("value.index")).unwrap()
    };
    let put = |name: &str, value: i32| client.channel(&format!("T:{name}")).put(("value", value)).wait(limit);
    // Of nothing wanted one is taken, as there.
    put("cam1:NumImages", 0).unwrap();
    let acquire = client.channel("T:cam1:Acquire").put_with("record[block=true]", ("value", 1));
    acquire.wait(limit).unwrap();
    assert_eq!((get("cam1:NumImages_RBV"), get("cam1:NumImagesCounter_RBV")), (0, 1));
    // Clients would take 3 for a third dimension.
    assert_eq!((get("cam1:ArraySizeZ_RBV"), get("cam1:ArraySizeX_RBV")), (0, 64));
    // The size of the next frame is known before it comes, and the region is left as it was written until then.
    put("cam1:SizeX", 20).unwrap();
    assert_eq!((get("cam1:ArraySizeX_RBV"), get("cam1:SizeX_RBV")), (20, 20));
    put("cam1:BinX", 3).unwrap();
    assert_eq!((get("cam1:ArraySizeX_RBV"), get("cam1:SizeX_RBV")), (6, 20));
}

/// An `image` that shares its thread with a node that takes a minute and more for a frame.
const HANGING: &str = "\
pvaccess: {prefix: 'T:', port: 0, search_port: 0, interfaces: 127.0.0.1}
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 32, acquire_period: 5 ms}
  STATS1: {type: statistics, from: detector}
  sluggish: {type: slow, pv: slow, from: detector, params: {takes: 100 s}, placement: {group: hangs}}
  Image1: {type: image, from: detector, placement: {group: hangs}}
  PVA1: {type: pva_image, from: detector, placement: {group: hangs}}
";

#[test]
fn a_node_that_hangs_delays_the_pvs_of_no_other() {
    let pipeline = Pipeline::new("hangs", HANGING);
    let served = Served::start(pipeline.path(), &[]);
    let client = Client::new(ClientConfig::name_servers(&[served.address.parse().unwrap()])).unwrap();
    let mut monitor = client.channel("T:Stats1:ArrayCounter_RBV").monitor("field(value)").unwrap();
    let mut updates = 0;
    // Were each update to wait for the node, it would be done after twenty of them.
    while updates < 40 {
        if let Ok(Some(livetime_pva::client::Event::Update(_))) = monitor.next(livetime_testkit::HANG) {
            updates += 1;
        }
    }
    let done = client.channel("T:slow:Completed_RBV").get().wait(livetime_testkit::HANG).unwrap();
    assert_eq!(done.i64("value"), Some(0));
}
