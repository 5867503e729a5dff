//! The page of a run, from the program's side: the link, and who else can use it.

use crate::common;

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use common::{Pipeline, livetime, stderr, stdout};

const FILE: &str = "\
web: {address: '127.0.0.1:0'}
nodes:
  cam: {type: sim_detector, params: {max_size_x: 32, max_size_y: 16, acquire_period: 5 ms, acquire_time: 0 s}}
  stats: {type: statistics, from: cam}
";

/// A run with a page, ended with the test.
struct Served {
    program: Child,
    /// Without the token, as a program tells it whose log is no terminal.
    url: String,
    token: String,
    /// Reads what the program logs, so that it can go on.
    _file: Pipeline,
}

impl Served {
    fn start(name: &str, text: &str, more: &[&str]) -> Served {
        let folder = tempfile::tempdir().unwrap();
        let token = folder.path().join("token");
        let more: Vec<&str> =
            ["--web-token-file", token.to_str().unwrap()].iter().chain(more).copied().collect();
        let mut served = Served::start_with(name, text, &more);
        std::fs::read_to_string(token).unwrap().trim().clone_into(&mut served.token);
        served
    }

    /// Whose token is the test's business.
    fn start_with(name: &str, text: &str, more: &[&str]) -> Served {
        let file = Pipeline::new(name, text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(["run", file.path()]).args(more).stdin(Stdio::null()).stdout(Stdio::null());
        let mut program = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(program.stderr.take().unwrap()).lines();
        let url = log.find_map(|line| Some(line.unwrap().split_once("the page of this run: ")?.1.to_owned()));
        std::thread::spawn(move || log.for_each(drop));
        Served { program, url: url.unwrap(), token: String::new(), _file: file }
    }

    /// Address and token.
    fn parts(&self) -> (&str, &str) {
        (self.url.trim_start_matches("http://").trim_end_matches('/'), &self.token)
    }

    fn link(&self) -> String {
        format!("{}#t={}", self.url, self.token)
    }

    fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> String {
        let (address, _) = self.parts();
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{more}");
        write!(stream, "{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn the_link_opens_the_page_and_lets_change() {
    let served = Served::start("web-link", FILE, &[]);
    let (_, token) = served.parts();
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    assert!(served.ask("GET", "/", "", "").contains("Livetime"));
    let set = r#"{"set": {"offset": 7}}"#;
    assert!(served.ask("PATCH", "/api/v1/nodes/cam", "", set).starts_with("HTTP/1.1 403 "));
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let answer = served.ask("PATCH", "/api/v1/nodes/cam", &bearer, set);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"offset\":7"), "{answer}");
    assert!(served.ask("GET", "/metrics", "", "").contains("livetime_frames_sent_total{node=\"cam\"}"));
}

#[test]
fn another_terminal_shows_the_run() {
    let served = Served::start("web-top", FILE, &[]);
    let output = livetime(&["top", &served.link(), "--once"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(text.contains("running") && text.contains("live time") && text.contains("\nstats "), "{text}");
    assert_eq!(livetime(&["top", "http://a b/"]).status.code(), Some(2));
    // A port that was free a moment ago has no run.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = livetime(&["top", &free.to_string()]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(stderr(&nobody).contains("cannot connect to "), "{}", stderr(&nobody));
}

#[test]
fn a_port_that_is_taken_is_no_reason_to_stop() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let served = Served::start("web-taken", FILE, &["--web", &address]);
    assert!(served.parts().0 != address, "{}", served.url);
    drop(served);
    let file = Pipeline::new("web-none", FILE);
    let without = livetime(&["run", file.path(), "--frames", "3", "--no-web"]);
    assert!(!stderr(&without).contains("the page of this run"), "{}", stderr(&without));
    let elsewhere = livetime(&["run", file.path(), "--frames", "3", "--web", "192.0.2.1:80"]);
    assert_eq!(elsewhere.status.code(), Some(0));
    assert!(
        stderr(&elsewhere).contains(" warn this run has no page: 192.0.2.1:80: "),
        "{}",
        stderr(&elsewhere)
    );
}

#[test]
fn a_token_comes_from_a_file_that_others_cannot_read_and_goes_to_no_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    let write = |token: &str, mode: u32| {
        std::fs::write(&path, token).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    };
    let own = format!("token_file: '{}'}}", path.display());
    let text = FILE.replace("'127.0.0.1:0'}", &format!("'127.0.0.1:0', {own}"));
    write("0123456789abcdef-own\n", 0o600);
    let served = Served::start_with("web-token", &text, &[]);
    let set = r#"{"set": {"offset": 7}}"#;
    let bearer = "Authorization: Bearer 0123456789abcdef-own\r\n";
    assert!(served.ask("PATCH", "/api/v1/nodes/cam", bearer, set).starts_with("HTTP/1.1 200 "));
    drop(served);
    let file = Pipeline::new("web-short", &text);
    let log = || stderr(&livetime(&["run", file.path(), "--frames", "3"]));
    let told = log();
    assert!(told.contains("the page of this run: http://") && !told.contains("0123456789abcdef"), "{told}");
    assert!(told.contains(&format!("the token of the page is in {}", path.display())), "{told}");
    for (token, mode, why) in [
        ("0123456789abcdef-own\n", 0o644, "found mode 0644: `chmod 600 "),
        ("0123456789abcdef-own\n", 0o640, "found mode 0640: `chmod 600 "),
        ("short\n", 0o600, "at least 16 letters"),
    ] {
        write(token, mode);
        let refused = log();
        assert!(refused.contains("warn this run has no page") && refused.contains(why), "{refused}");
    }
    // One that is not there is made.
    std::fs::remove_file(&path).unwrap();
    log();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_to_string(&path).unwrap().trim().len(), 32);
}
