//! The client: a program in C with libca, built when the benchmark begins.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::Failed;

const SOURCE: &str = include_str!("client.c");

/// Where headers and libraries of EPICS are, as the Python with epicscorelibs says.
const PATHS: &str = "import epicscorelibs.path as p; print(p.include_path); print(p.lib_path)";

/// Which side of a connection a program is.
pub(super) enum Side {
    Client,
    Server,
}

/// The program, if `is_apart` on the cores of its side: clients have the last one, and servers the others.
pub(super) fn on_cores(is_apart: bool, side: Side, program: &Path) -> Command {
    let last = std::thread::available_parallelism().map_or(0, |count| count.get() - 1);
    // One core cannot be divided.
    if !is_apart || last == 0 {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    let cores = match side {
        Side::Client => last.to_string(),
        Side::Server => format!("0-{}", last - 1),
    };
    command.args(["-c", &cores]).arg(program);
    command
}

/// A folder with the client, removed when it is dropped.
pub(super) struct Client {
    folder: PathBuf,
    /// It has a core for itself.
    is_apart: bool,
}

impl Client {
    /// Builds the client with libca of `python`.
    pub(super) fn build(python: &Path, is_apart: bool) -> Result<Client, Failed> {
        let output = Command::new(python).args(["-c", PATHS]).output();
        let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let said = said.unwrap_or_default();
        let Some((include, libraries)) = said.trim().split_once('\n') else {
            let hint = "`bash tools/peers.sh ioc` prints one";
            return Err(
                format!("wanted a Python with epicscorelibs ({hint}), found {}", python.display()).into()
            );
        };
        let folder = std::env::temp_dir().join(format!("livetime-bench-ca-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        // Made before the build, so that the folder goes also after a failure.
        let client = Client { folder, is_apart };
        let source = client.file("client.c", SOURCE)?;
        let mut command = Command::new("cc");
        command.arg("-O2").arg("-o").arg(client.program()).arg(source).arg(format!("-I{include}"));
        command.args(["Linux", "Darwin"].map(|system| format!("-I{include}/os/{system}")));
        command.args(["gcc", "clang"].map(|compiler| format!("-I{include}/compiler/{compiler}")));
        command.args([format!("-L{libraries}"), "-lca".into(), "-lCom".into()]);
        // The program finds libca of this Python without settings of the environment.
        let output = command.arg(format!("-Wl,-rpath,{libraries}")).output()?;
        match output.status.success() {
            true => Ok(client),
            false => {
                Err(format!("cannot build the client: {}", String::from_utf8_lossy(&output.stderr)).into())
            }
        }
    }

    fn program(&self) -> PathBuf {
        self.folder.join("client")
    }

    /// A file beside the program.
    pub(super) fn file(&self, name: &str, content: &str) -> Result<PathBuf, Failed> {
        let path = self.folder.join(name);
        std::fs::write(&path, content)?;
        Ok(path)
    }

    /// A file of names.
    pub(super) fn names(&self, names: &[String]) -> Result<String, Failed> {
        Ok(self.file("names", &names.join("\n"))?.to_string_lossy().into_owned())
    }

    /// The client, started. It asks the server at this port for all names.
    fn command(&self, port: u16, args: &[&str]) -> Command {
        let mut command = on_cores(self.is_apart, Side::Client, &self.program());
        // No other server in the network is asked.
        command.args(args).env("EPICS_CA_ADDR_LIST", "").env("EPICS_CA_AUTO_ADDR_LIST", "NO");
        command.env("EPICS_CA_NAME_SERVERS", format!("127.0.0.1:{port}"));
        command.env("EPICS_CA_MAX_ARRAY_BYTES", "10000000");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    /// The client's results, when it has ended.
    pub(super) fn run(&self, port: u16, args: &[&str]) -> Result<Value, Failed> {
        self.begin(port, args)?.end()
    }

    /// Starts the client.
    pub(super) fn begin(&self, port: u16, args: &[&str]) -> Result<Running, Failed> {
        let (child, args) = (self.command(port, args).spawn()?, args.join(" "));
        Ok(Running { child, args })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A client at work; killed when it is dropped.
pub(super) struct Running {
    child: Child,
    args: String,
}

impl Running {
    /// The next line that the client says.
    pub(super) fn said(&mut self) -> Result<Value, Failed> {
        let mut line = String::new();
        if let Some(out) = &mut self.child.stdout {
            BufReader::new(out).read_line(&mut line)?;
        }
        let found: Value = serde_json::from_str(&line).unwrap_or_default();
        match found.is_object() && found["error"].is_null() {
            true => Ok(found),
            false => Err(format!("the client `{}` says `{}`", self.args, line.trim()).into()),
        }
    }

    /// Its results, when it has ended.
    pub(super) fn end(mut self) -> Result<Value, Failed> {
        let found = self.said()?;
        // A client that holds channels ends with its input.
        drop(self.child.stdin.take());
        self.child.wait()?;
        Ok(found)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Says a line to a child; a child that has ended hears nothing.
pub(super) fn hang_up(child: &mut Child) {
    if let Some(mut input) = child.stdin.take() {
        let _ = input.flush();
    }
}
