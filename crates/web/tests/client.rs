//! A run that is served, and clients of it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use livetime_control::config;
use livetime_control::model::Model;
use livetime_engine::RunOptions;
use livetime_web::{Options, ServeError, Served};
use serde_json::Value;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// No answer takes this long, however busy the machine is.
pub(crate) const LONG: Duration = livetime_testkit::HANG;

/// A small camera, a region and statistics.
pub(crate) const SMALL: &str = "nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, data_type: u16, acquire_period: 5 ms, acquire_time: 0 s}}
  roi: {type: roi, from: cam, params: {size_x: 16, size_y: 16}}
  stats: {type: statistics, from: roi}
";

/// A run that is served.
pub(crate) struct Run {
    pub(crate) model: Model,
    pub(crate) served: Served,
}

impl Run {
    pub(crate) fn start(text: &str) -> Run {
        Run::with_files(text, Vec::new())
    }

    /// One that may browse these folders besides its own.
    pub(crate) fn with_files(text: &str, files: Vec<std::path::PathBuf>) -> Run {
        Run::with_options(text, Options { files, ..Options::default() })
    }

    pub(crate) fn with_options(text: &str, options: Options) -> Run {
        Run::try_with_options(text, options).unwrap()
    }

    pub(crate) fn try_with_options(text: &str, options: Options) -> Result<Run, ServeError> {
        let pipeline =
            config::parse("small.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])
                .unwrap();
        let model = Model::run_graph(&pipeline.graph, RunOptions::default()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let options = Options { pipeline: "small.yaml".into(), ..options };
        match livetime_web::serve(listener, &model, options) {
            Ok(served) => Ok(Run { model, served }),
            Err(why) => {
                model.run().stop();
                model.finish(LONG);
                Err(why)
            }
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.served.address()
    }

    /// The answer to a request without rights.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], None)
    }

    /// The answer to a request with the token.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let token = format!("Bearer {}", self.served.token());
        self.ask(method, path, &[("Authorization", &token)], Some(body))
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        ask(self.address(), method, path, headers, body)
    }

    /// A socket with the state of the run.
    pub(crate) fn state(&self) -> Socket {
        let url = format!("ws://{}/api/v1/state", self.address());
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(LONG)).unwrap();
        }
        Socket { socket }
    }

    /// Ends everything; the ledger closes.
    pub(crate) fn end(self) {
        self.model.run().stop();
        self.served.end();
        let report = self.model.finish(LONG);
        assert!(report.imbalances().is_empty(), "{:?}", report.imbalances());
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The sentence of an error.
    pub(crate) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }
}

/// One request on a connection of its own.
pub(crate) fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Answer {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        text += &format!("Host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
    let body = body.map(Value::to_string).unwrap_or_default();
    if !body.is_empty() {
        text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: answer[end + 4..].to_vec() }
}

/// A socket with the state of a run.
pub(crate) struct Socket {
    pub(crate) socket: WebSocket<MaybeTlsStream<TcpStream>>,
}

impl Socket {
    /// The next message; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(tungstenite::Error::ConnectionClosed) => return None,
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// The next message of this kind; moments on the way are acknowledged.
    pub(crate) fn wait_for(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().unwrap_or_else(|| panic!("the end, waiting for {kind}"));
            if message["kind"] == "moment" {
                let seen = serde_json::json!({ "kind": "seen", "version": message["version"] });
                // The last one comes from a server that may have gone.
                let _ = self.socket.send(Message::text(seen.to_string()));
            }
            if message["kind"] == kind {
                return message;
            }
        }
    }
}
