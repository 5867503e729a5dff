//! Running graphs and agents as numbers for Prometheus: `GET /metrics` of a run's server, or an address for them alone.
//!
//! `families` and `agents` turn a report into families of metrics, and `text` writes them down in both formats.

mod agents;
mod families;
mod readbacks;
mod text;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use livetime_actors::Reporter;
use livetime_control::model::Model;
pub use livetime_control::web::address;
use livetime_runtime::lock;

use crate::guard::{self, Hosts, own_name};
use crate::server::Server;
pub(crate) use text::Format;

/// The numbers for a scraper are at most this old, or, if a node hangs, have waited this long for newer ones.
const FRESH: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_millis(200);
/// A text is made anew after this time, however often it is asked for.
const KEPT: Duration = Duration::from_millis(100);

/// Numbers that are served until this is dropped.
///
/// ```
/// use std::io::{Read, Write};
/// use livetime_actors::{AgentError, System};
/// use livetime_web::metrics;
///
/// let system = System::default();
/// let words = system.channel::<String>("words")?;
/// system.agent_fn("listener", &words, |_: String, _| ())?;
/// words.publish("frame".into());
/// let served = metrics::listen(([127, 0, 0, 1], 0).into())?.serve_agents(system.reporter())?;
///
/// let address = served.url().replace("http://", "").replace("/metrics", "");
/// let mut client = std::net::TcpStream::connect(address)?;
/// client.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
/// let mut answer = String::new();
/// client.read_to_string(&mut answer)?;
/// assert!(answer.contains("livetime_messages_offered_total{agent=\"listener\",from=\"words\"} 1"), "{answer}");
/// # Ok::<(), AgentError>(())
/// ```
pub struct Metrics {
    server: Server,
}

/// An address for them, taken before the run starts.
pub struct Listener {
    listener: TcpListener,
    names: Vec<String>,
    commit: String,
}

/// Takes the address.
///
/// # Errors
/// When it is not of this machine, or taken.
pub fn listen(address: SocketAddr) -> io::Result<Listener> {
    Ok(Listener { listener: TcpListener::bind(address)?, names: Vec::new(), commit: "unknown".into() })
}

impl Listener {
    /// Answers also clients that call this machine by one of `names`; `*` is every name. Without that only requests are
    /// answered whose `Host` is an address, `localhost` or the machine's own name, so that no web page can read the
    /// numbers by giving this machine a name of its own.
    pub fn also_for(mut self, names: &[String]) -> Listener {
        self.names.extend_from_slice(names);
        self
    }

    /// Names the commit that the program was built from.
    pub fn of_commit(self, commit: &str) -> Listener {
        // The version comes from the library, the commit only from the program.
        Listener { commit: commit.to_owned(), ..self }
    }

    /// Serves the numbers of the model of a run.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve(self, model: Model) -> io::Result<Metrics> {
        let texts = Texts::of_run(model, &self.commit);
        self.serve_texts(texts)
    }

    /// Serves the reports of the agents of a system, until it ends.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn serve_agents(self, system: Reporter) -> io::Result<Metrics> {
        let commit = self.commit.clone();
        let texts = Texts::new(move |format| agents::exposition(system.report().as_ref(), format, &commit));
        self.serve_texts(texts)
    }

    fn serve_texts(self, texts: Texts) -> io::Result<Metrics> {
        let hosts = Arc::new(Hosts::new(own_name().as_deref(), &self.names));
        let router = Router::new()
            .route("/metrics", get(answer))
            .fallback(async || (StatusCode::NOT_FOUND, "there is only /metrics\n"))
            .method_not_allowed_fallback(async || (StatusCode::METHOD_NOT_ALLOWED, "wanted GET or HEAD\n"))
            .layer(from_fn_with_state(hosts, check_host))
            .with_state(Arc::new(texts));
        Ok(Metrics { server: Server::start("metrics", self.listener, router, false)? })
    }
}

async fn check_host(State(hosts): State<Arc<Hosts>>, request: Request, next: Next) -> Response {
    let head =
        guard::Request { method: request.method(), path: request.uri().path(), headers: request.headers() };
    // A page of another site could reach the numbers by a name that leads here.
    if head.check_host(&hosts).is_err() {
        let wanted = "wanted a name or an address of this machine in `Host`; others are allowed with --metrics-host NAME\n";
        return (StatusCode::MISDIRECTED_REQUEST, wanted).into_response();
    }
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Answers a scraper in the format that it wants.
async fn answer(State(texts): State<Arc<Texts>>, headers: HeaderMap) -> Response {
    let format = wanted_format(&headers);
    // The text may have to wait for nodes.
    let made = tokio::task::spawn_blocking(move || texts.text(format)).await;
    match made {
        Ok(text) => ([(header::CONTENT_TYPE, format.content_type())], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// OpenMetrics if the client accepts it.
pub(crate) fn wanted_format(headers: &HeaderMap) -> Format {
    let names_it = |value: &HeaderValue| {
        value.to_str().is_ok_and(|text| text.to_ascii_lowercase().contains("application/openmetrics-text"))
    };
    match headers.get_all(header::ACCEPT).iter().any(names_it) {
        true => Format::OpenMetrics,
        false => Format::Prometheus,
    }
}

/// The texts that were made last.
pub(crate) struct Texts {
    render: Box<dyn Fn(Format) -> String + Send + Sync>,
    made: Mutex<BTreeMap<&'static str, (Instant, String)>>,
}

impl Texts {
    fn new(render: impl Fn(Format) -> String + Send + Sync + 'static) -> Texts {
        Texts { render: Box::new(render), made: Mutex::default() }
    }

    /// Of the model of a run.
    pub(crate) fn of_run(model: Model, commit: &str) -> Texts {
        let commit = commit.to_owned();
        Texts::new(move |format| {
            let moment = model.at_most_old(FRESH, PATIENCE);
            families::exposition(&moment.report, Some(&moment), format, &commit)
        })
    }

    /// The text in this format, at most 100 ms old.
    pub(crate) fn text(&self, format: Format) -> String {
        // Locked while a text is made: scrapers that ask together share it.
        let mut made = lock(&self.made);
        // Several scrapers share one text, because a report takes the time of nodes.
        let known = made.get(format.content_type()).filter(|(at, _)| at.elapsed() < KEPT);
        if let Some((_, text)) = known {
            return text.clone();
        }
        let text = (self.render)(format);
        made.insert(format.content_type(), (Instant::now(), text.clone()));
        text
    }
}

impl Metrics {
    /// Where they are.
    pub fn url(&self) -> String {
        format!("http://{}/metrics", self.server.address())
    }
}
