//! The servers: a soft IOC with rsrv of EPICS base, a run of ours, and one picture of ours without a run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use livetime_ca::dbr::{About, Values};
use livetime_ca::server::{Pv, PvMap, Server, ServerConfig};
use livetime_pva::client::{Client, ClientConfig};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::{Side, hang_up, on_cores};
use crate::{Failed, Settings};

/// The name of the picture, and of the number by which it is asked for.
pub(super) const PICTURE: (&str, &str) = ("img", "img.PROC");

/// The longest start that is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A server in a process of its own; killed when it is dropped.
pub(super) struct Served {
    child: Child,
    pub(super) port: u16,
    // Where pvAccess is, of a run.
    address: Option<SocketAddr>,
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16, Failed> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Served {
    /// A soft IOC with the records of a database.
    pub(super) fn ioc(settings: &Settings, python: &Path, database: &Path) -> Result<Served, Failed> {
        let (port, begin) = (free_port()?, Instant::now());
        let mut command = on_cores(settings.apart, Side::Server, python);
        command.args(["-m", "epicscorelibs.ioc", "-d"]).arg(database);
        command.env("EPICS_CAS_SERVER_PORT", port.to_string()).env("EPICS_CAS_INTF_ADDR_LIST", "127.0.0.1");
        command.env("EPICS_CAS_AUTO_BEACON_ADDR_LIST", "NO").env("EPICS_CAS_BEACON_ADDR_LIST", "127.0.0.1");
        // A file `code.py` in the folder of the user is not the module of this name.
        command.env("PYTHONSAFEPATH", "1");
        command.env("EPICS_CA_MAX_ARRAY_BYTES", "10000000");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let ioc = Served { child, port, address: None };
        // A client that comes too early waits half a minute before it tries again.
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if begin.elapsed() > PATIENCE {
                return Err(format!("no soft IOC at port {port} within {PATIENCE:?}").into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(ioc)
    }

    /// A run of a pipeline file by the program `livetime`, served over pvAccess and, if that is wanted, over Channel Access.
    pub(super) fn run(settings: &Settings, pipeline: &Path, is_ca: bool) -> Result<Served, Failed> {
        let port = free_port()?;
        let mut command = on_cores(settings.apart, Side::Server, &settings.livetime);
        command.arg("run").arg(pipeline).args(["--json", "--no-web"]);
        if is_ca {
            command.arg(format!("--ca={port}"));
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child =
            child.map_err(|error| format!("cannot start {}: {error}", settings.livetime.display()))?;
        let log = child.stderr.take().map(|log| BufReader::new(log).lines());
        let mut log = log.ok_or("no pipe")?.map_while(Result::ok);
        let address = log.find_map(|line| line.split_once("... at ")?.1.parse().ok());
        // Its pipe must not become full from now on.
        std::thread::spawn(move || log.for_each(drop));
        Ok(Served { child, port, address: Some(address.ok_or("the run is not served")?) })
    }

    /// The picture of [`serve`](crate::serve).
    pub(super) fn picture(settings: &Settings) -> Result<Served, Failed> {
        let mut command = on_cores(settings.apart, Side::Server, &settings.program);
        command.args(["ca-peer", "--image", &settings.image_bytes.to_string()]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let port = serde_json::from_str::<Value>(&line).unwrap_or_default()["port"].as_u64();
        let port = port.and_then(|port| port.try_into().ok()).ok_or("the server process says no port")?;
        Ok(Served { child, port, address: None })
    }

    /// The names of all PVs of a run.
    pub(super) fn names(&self) -> Result<Vec<String>, Failed> {
        let address = self.address.ok_or("only a run tells its names")?;
        let client = Client::new(ClientConfig::name_servers(&[address]))?;
        let mut names = client.names(address).and_then(|names| names.wait(Duration::from_secs(60)))?;
        // A table, which Channel Access does not have: libca would wait for it.
        names.retain(|name| !name.ends_with(":Plugins_RBV"));
        Ok(names)
    }

    /// Bytes of memory that the process has now.
    pub(super) fn memory(&self) -> Result<f64, Failed> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        Ok(line.split_whitespace().next().unwrap_or_default().parse::<f64>()? * 1024.0)
    }

    /// Ends a run; its report.
    pub(super) fn report(mut self) -> Result<Value, Failed> {
        let pid = Pid::from_raw(self.child.id().try_into()?).ok_or("no process")?;
        // A run that is interrupted ends in order, and prints its report.
        kill_process(pid, Signal::INT)?;
        let mut report = String::new();
        if let Some(mut out) = self.child.stdout.take() {
            out.read_to_string(&mut report)?;
        }
        Ok(serde_json::from_str(&report)?)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        hang_up(&mut self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves one picture until the input of this process ends: each put to its trigger shows it anew. Writes the port to `out`.
///
/// # Errors
/// Text, when the server cannot be started or `out` is gone.
pub fn serve_picture(settings: &Settings, out: &mut dyn Write) -> Result<(), Failed> {
    // Two pictures in turns, so that each put changes the value.
    let pixels: [bytes::Bytes; 2] = [7_u8, 8].map(|pixel| vec![pixel; settings.image_bytes].into());
    let picture = Pv::new(Values::Char(pixels[0].clone()), About::default());
    let shown = picture.clone();
    let number = std::sync::atomic::AtomicUsize::new(0);
    let trigger = Pv::builder(Values::Char(vec![0].into()), About::default()).on_put(move |_, put| {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        shown.post(Values::Char(pixels[number % pixels.len()].clone()));
        put.done.finish(Ok(()));
    });
    let pvs = PvMap::new();
    pvs.add(PICTURE.0, picture);
    pvs.add(PICTURE.1, trigger.build());
    let server = Server::start(ServerConfig::loopback(), pvs)?;
    writeln!(out, "{}", json!({ "port": server.tcp_address().port() })).and_then(|()| out.flush())?;
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}
