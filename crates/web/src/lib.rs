//! A running graph over HTTP: the page, its state ten times a second, pictures, changes, metrics. `docs/spec/web.md` is the protocol.
//!
//! Three items come first: [`serve`] serves the [`Model`] of a run, [`Options`] say to whom and with which rights, and
//! [`Served`] is the running server.
//!
//! This crate is a face of the run's model, as PVs are another one. The thread `web` has all sockets. The thread `web state`
//! writes each moment down once for all clients. The thread `web views` makes pictures. Each output that a client looks at is
//! an edge of the run, with a thread that takes its newest frame. No public type of this crate is asynchronous.
//!
//! ```
//! use std::io::{Read, Write};
//! use livetime_control::{config, model::Model};
//! use livetime_engine::RunOptions;
//!
//! let text = "nodes:\n  cam: {type: sim_detector}\n";
//! let pipeline = config::parse("my.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
//! let model = Model::run_graph(&pipeline.graph, RunOptions::default())?;
//! let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
//! let served = livetime_web::serve(listener, &model, livetime_web::Options::default())?;
//!
//! let mut client = std::net::TcpStream::connect(served.address())?;
//! client.write_all(b"GET /api/v1/nodes/cam HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.contains("\"name\":\"cam\""), "{answer}");
//! served.end();
//! model.finish(std::time::Duration::from_secs(10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod app;
mod assets;
mod board;
mod body;
mod changes;
pub mod client;
mod client_error;
mod door;
mod error;
mod files;
#[cfg(test)]
#[path = "../../control/src/report/fixture.rs"]
mod fixture;
#[cfg(test)]
mod golden;
mod guard;
mod history;
pub mod metrics;
mod options;
mod over_hosts;
mod picture;
mod pictures;
mod pipeline;
mod query;
mod reads;
mod record;
mod recorded;
mod records;
mod routes;
mod seats;
mod serve_error;
mod server;
mod session;
mod sessions;
mod show;
mod state;
mod threads;
mod wrong;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use livetime_control::model::Model;

use app::App;
use server::Server;

/// Reads bytes as everything that a client may send: for fuzzing.
#[doc(hidden)]
pub fn read_as_anything(text: &str) {
    let query = query::Query::new(Some(text));
    let _ = picture::Spec::from_query(|name| query.get(name).map(str::to_owned));
    let _ = (query.number::<u64>("after"), query.number::<f64>("since_ms"));
    let _ = state::wish(text);
    if let Ok(body) = serde_json::from_str(text) {
        let _ = picture::Spec::from_json(&body);
    }
}

/// The number of further ports that are tried when one is taken.
const TRIED: u16 = 50;
/// How long clients may take to hear that the run has ended.
const FAREWELL: Duration = Duration::from_millis(500);

pub use options::{HostOfGraph, Options};
pub use record::Describe;
pub use serve_error::{NoRandom, ServeError};

/// A run that is served. Ends when it is dropped, or with [`Served::end`].
pub struct Served {
    app: Arc<App>,
    server: Option<Server>,
    state: Option<JoinHandle<()>>,
}

/// Takes `address`, or if it is taken the next free port of some fifty, or else any free one.
///
/// # Errors
/// When the address is not of this machine, or not for this program.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let last = address.port().saturating_add(TRIED);
    let mut found = TcpListener::bind(address);
    for port in address.port().saturating_add(1)..=last {
        match &found {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                found = TcpListener::bind(SocketAddr::new(address.ip(), port));
            }
            _ => break,
        }
    }
    match &found {
        // Any other port is better than a run without a page.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            TcpListener::bind(SocketAddr::new(address.ip(), 0))
        }
        _ => found,
    }
}

/// A token of 128 random bits in hexadecimal, which cannot be guessed.
///
/// # Errors
/// When the system gives no random numbers.
pub fn new_token() -> Result<String, NoRandom> {
    session::secret()
}

/// Serves the run of `model` to clients that connect to `listener`.
///
/// # Errors
/// [`ServeError`] when the system gives no thread, or when the rules would open more than they say. The run goes on all
/// the same.
pub fn serve(listener: TcpListener, model: &Model, options: Options) -> Result<Served, ServeError> {
    let address = listener.local_addr().map_err(ServeError::Socket)?;
    let app = Arc::new(App::new(model.clone(), options, address)?);
    let server = Server::start("web", listener, routes::router(&app), true).map_err(ServeError::Socket)?;
    let putting = app.clone();
    let state = threads::spawn("web state", move || state::put_up(&putting)).map_err(ServeError::Socket)?;
    Ok(Served { app, server: Some(server), state: Some(state) })
}

impl Served {
    /// Where clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.server.as_ref().map_or(([127, 0, 0, 1], 0).into(), Server::address)
    }

    /// The address of the page; one that listens at all addresses is shown as this machine.
    pub fn url(&self) -> String {
        let address = self.address();
        match address.ip().is_unspecified() {
            true => format!("http://localhost:{}/", address.port()),
            false => format!("http://{address}/"),
        }
    }

    /// The same with the token, which a browser does not send to any server.
    pub fn link(&self) -> String {
        format!("{}#t={}", self.url(), self.app.sessions.token())
    }

    /// A client that knows it may change the run.
    pub fn token(&self) -> &str {
        self.app.sessions.token()
    }

    /// Tells clients that the run has ended, and ends.
    pub fn end(self) {}
}

impl Drop for Served {
    fn drop(&mut self) {
        self.app.board.end();
        if let Some(state) = self.state.take() {
            // A thread that panicked has said so.
            let _ = state.join();
        }
        let until = Instant::now() + FAREWELL;
        while self.app.sessions.watching() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.server = None;
        self.app.views.sources.end();
        self.app.views.maker.end();
        self.app.records.end();
        self.app.recorded.end();
    }
}
