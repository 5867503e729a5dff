//! A graph over three hosts with pages, and requests to them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc;

use serde_json::{Value, json};

use crate::common;

pub(super) const HOSTS: [&str; 3] = ["detector", "analysis", "storage"];

/// The page of `analysis` is at the machine of its links.
const FILE: &str = "\
memory: 64 MiB
hosts:
  detector: {address: '127.LOOP.21:7440', page: '127.LOOP.21:8090'}
  analysis: {address: '127.LOOP.22:7440'}
  storage: {address: '127.LOOP.23:7440', page: '127.LOOP.23:8090'}
nodes:
  sim:
    type: sim_detector
    host: detector
    params: {max_size_x: 32, max_size_y: 16, data_type: u16, acquire_time: 0 s, acquire_period: 5 ms, image_mode: continuous}
  cut: {type: roi, host: analysis, from: sim, params: {enable_x: true, min_x: 0, size_x: 16}}
  stats: {type: statistics, host: storage, from: cut}
";

pub(super) const TOKEN: &str = "0123456789abcdef-of-all-hosts";

/// A number of its own for each site of this process.
static NEXT: AtomicU8 = AtomicU8::new(0);

/// A folder with a pipeline file and a token, which all hosts get.
pub(super) struct Site {
    folder: PathBuf,
    pub(super) text: String,
    loopback: String,
}

impl Site {
    pub(super) fn new() -> Site {
        let folder = common::temporary("pages");
        std::fs::create_dir(&folder).unwrap();
        // Every address of 127.0.0.0/8 is this machine's: each test has some that no other test takes.
        let process = std::process::id();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let loopback =
            format!("127.{}.{}", (process >> 8) as u8 | 0x80, process as u8 ^ number.wrapping_mul(37));
        let text = FILE.replace("127.LOOP", &loopback);
        let site = Site { folder, text, loopback };
        site.write("pipeline.yaml", &site.text);
        let token = site.write("token", TOKEN);
        std::fs::set_permissions(token, std::fs::Permissions::from_mode(0o600)).unwrap();
        site
    }

    pub(super) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.file(name), text).unwrap();
        self.file(name)
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// Where the page of a host is.
    pub(super) fn page(&self, host: &str) -> String {
        let number = HOSTS.iter().position(|name| *name == host).unwrap() + 21;
        format!("{}.{number}:8090", self.loopback)
    }

    pub(super) fn start(&self, host: &str) -> Host {
        self.start_with(host, "token")
    }

    /// With the token in this file.
    pub(super) fn start_with(&self, host: &str, token: &str) -> Host {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", &self.file("pipeline.yaml"), "--host", host, "--no-pva", "--web-token-file"]);
        command.arg(self.file(token)).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let (put, log) = mpsc::channel();
        let lines = BufReader::new(program.stderr.take().unwrap()).lines();
        let (name, page) = (host.to_owned(), self.page(host));
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| {
                eprintln!("{name}: {line}");
                // The test may have heard enough.
                _ = put.send(line);
            });
        });
        let host = Host { program, log };
        let told = host.hear("the page of this run: ");
        assert!(told.contains(&page), "{told}");
        host
    }

    pub(super) fn bearer(&self) -> String {
        format!("Authorization: Bearer {TOKEN}\r\n")
    }

    /// The whole answer of a host's page.
    pub(super) fn ask(&self, host: &str, method: &str, path: &str, headers: &str, body: &str) -> String {
        let address = self.page(host);
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(livetime_testkit::HANG)).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}");
        let length = body.len();
        // A refused client may be too slow to have asked.
        let _ =
            write!(stream, "{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    pub(super) fn get(&self, host: &str, path: &str) -> String {
        self.ask(host, "GET", path, "", "")
    }

    pub(super) fn json(&self, host: &str, path: &str) -> Value {
        body(&self.get(host, path))
    }

    /// All hosts as one of them shows them.
    pub(super) fn states(&self, host: &str) -> Value {
        self.json(host, "/api/v1/hosts")["hosts"].clone()
    }

    /// The headers of a browser whose user has a session.
    pub(super) fn session(&self, host: &str, user: &str) -> String {
        let body = json!({ "token": TOKEN, "user": user }).to_string();
        let answer = self.ask(host, "POST", "/api/v1/session", "", &body);
        let cookie = answer.split_once("set-cookie: ").unwrap().1.split(';').next().unwrap();
        format!("Cookie: {cookie}\r\nOrigin: http://{}\r\n", self.page(host))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The body of an answer as JSON; null for anything else.
pub(super) fn body(answer: &str) -> Value {
    let text = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    serde_json::from_str(text).unwrap_or_default()
}

/// A metric that this host alone has.
pub(super) fn own_metric(host: &str) -> &'static str {
    match host {
        "detector" => "node=\"sim\"",
        "analysis" => "node=\"cut\"",
        _ => "node=\"stats\"",
    }
}

/// The run of a host, ended with the test.
pub(super) struct Host {
    program: Child,
    log: mpsc::Receiver<String>,
}

impl Host {
    /// Waits for a line of the log with `part`.
    pub(super) fn hear(&self, part: &str) -> String {
        self.log.iter().find(|line| line.contains(part)).unwrap()
    }

    pub(super) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.program.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    pub(super) fn kill(self) {
        drop(self);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// A WebSocket by hand: its messages are short texts.
pub(super) struct Socket {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Socket {
    pub(super) fn open(site: &Site, host: &str, path: &str, headers: &str) -> Socket {
        let address = site.page(host);
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(livetime_testkit::HANG)).unwrap();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n{headers}"
        );
        write!(
            stream,
            "{head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .unwrap();
        let mut socket = Socket { stream, unread: Vec::new() };
        let mut end = None;
        while end.is_none() {
            socket.read();
            end = socket.unread.windows(4).position(|four| four == b"\r\n\r\n");
        }
        let head = String::from_utf8(socket.unread.drain(..end.unwrap() + 4).collect()).unwrap();
        assert!(head.starts_with("HTTP/1.1 101 ") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
        socket
    }

    fn read(&mut self) {
        let mut bytes = [0; 4096];
        let read = self.stream.read(&mut bytes).unwrap();
        assert!(read > 0, "the socket ended");
        self.unread.extend(&bytes[..read]);
    }

    /// The next message of a kind.
    pub(super) fn next(&mut self, kind: &str) -> Value {
        loop {
            let message: Value = serde_json::from_slice(&self.frame()).unwrap_or_default();
            if message["kind"] == kind {
                return message;
            }
        }
    }

    fn frame(&mut self) -> Vec<u8> {
        loop {
            let (head, length) = match self.unread.get(1) {
                Some(126) if self.unread.len() >= 4 => {
                    (4, usize::from(u16::from_be_bytes([self.unread[2], self.unread[3]])))
                }
                Some(length) if *length < 126 => (2, usize::from(*length)),
                _ => (0, usize::MAX),
            };
            if length != usize::MAX && self.unread.len() >= head + length {
                self.unread.drain(..head);
                return self.unread.drain(..length).collect();
            }
            self.read();
        }
    }

    /// Sends a text of less than 126 letters, masked by zero.
    pub(super) fn say(&mut self, message: &Value) {
        let text = message.to_string();
        self.stream
            .write_all(&[&[0x81, 0x80 | text.len() as u8, 0, 0, 0, 0], text.as_bytes()].concat())
            .unwrap();
    }
}
