//! One request to the page of another host, on a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use livetime_runtime::lock;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::fault::Fault;
use super::hosts::OverHosts;
use super::other::{HOST, Other, RUN};
use super::person::{self, Person};

/// A host that cannot be connected to in this time counts as unreachable.
pub(super) const CONNECT: Duration = Duration::from_secs(1);
/// Bytes of the head of an answer, and its headers.
const LONGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// A request for another host.
pub(super) struct Question {
    pub(super) method: Method,
    /// Path and query.
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Body,
    /// `None`: this host asks for itself.
    pub(super) person: Option<Person>,
    /// How long the head of the answer may take.
    pub(super) limit: Duration,
}

/// The answer, and all that ends with it.
pub(super) struct Answer {
    pub(super) response: Response<Incoming>,
    pub(super) held: Held,
}

/// The connection of a request, which ends when this is dropped.
pub(super) struct Held {
    connection: JoinHandle<()>,
    _permits: Option<[OwnedSemaphorePermit; 2]>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl OverHosts {
    /// Asks a host.
    ///
    /// # Errors
    /// Why there is no answer of this host.
    pub(super) async fn ask(&self, host: &Arc<Other>, question: Question) -> Result<Answer, Fault> {
        // Many people at one host must not make it look gone: for itself this one asks once at a time.
        let permits = question.person.is_some().then(|| self.permits(host)).transpose()?;
        // The token that a run has refused is not sent to it again: it would count as a guess.
        let refused = lock(&host.refused).clone();
        if let Some(run) = refused {
            let (answer, connection) = self.send(host, health(), None).await?;
            connection.abort();
            if answer.headers().get(RUN).is_some_and(|found| found.as_bytes() == run.as_bytes()) {
                return Err(Fault::Token { name: host.name.clone() });
            }
            *lock(&host.refused) = None;
        }
        let (response, connection) = self.send(host, question, Some(&self.token)).await?;
        let held = Held { connection, _permits: permits };
        if response.status() == StatusCode::UNAUTHORIZED {
            let run = response.headers().get(RUN).and_then(|run| run.to_str().ok()).map(str::to_owned);
            *lock(&host.refused) = run;
            return Err(Fault::Token { name: host.name.clone() });
        }
        Ok(Answer { response, held })
    }

    fn permits(&self, host: &Other) -> Result<[OwnedSemaphorePermit; 2], Fault> {
        let busy = |_| Fault::Busy { name: host.name.clone() };
        let of_host = host.requests.clone().try_acquire_owned().map_err(busy)?;
        Ok([of_host, self.requests.clone().try_acquire_owned().map_err(busy)?])
    }

    async fn send(
        &self,
        host: &Other,
        question: Question,
        token: Option<&str>,
    ) -> Result<(Response<Incoming>, JoinHandle<()>), Fault> {
        let page = host.page.clone().ok_or_else(|| Fault::NoPage { name: host.name.clone() })?;
        let stream = self.connected(&page).await?;
        let mut builder = http1::Builder::new();
        builder.max_headers(MOST_HEADERS).max_buf_size(LONGEST_HEAD);
        let broken = |error| Fault::Broken { page: page.clone(), error };
        let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let connection = Aborted(Some(tokio::spawn(async move {
            // The request that waits for the answer gets the error of the connection.
            let _ = connection.with_upgrades().await;
        })));
        let limit = question.limit;
        let request = request(host, &page, question, token)?;
        let late = |_| Fault::Late { page: page.clone() };
        let response = timeout(limit, sender.send_request(request)).await.map_err(late)?.map_err(broken)?;
        check(host, &page, &response)?;
        Ok((response, connection.kept()))
    }

    async fn connected(&self, page: &str) -> Result<TcpStream, Fault> {
        let late = |_| Fault::Late { page: page.to_owned() };
        let connecting = async {
            let addresses = self.names.addresses(page).await?;
            TcpStream::connect(&*addresses).await
        };
        let stream = timeout(CONNECT, connecting).await.map_err(late)?;
        let stream = stream.map_err(|error| Fault::Unreachable { page: page.to_owned(), error })?;
        // Small requests leave at once.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

/// A task that ends with this, unless it is kept.
struct Aborted(Option<JoinHandle<()>>);

impl Aborted {
    fn kept(mut self) -> JoinHandle<()> {
        // It is taken only here, where it ends.
        self.0.take().unwrap_or_else(|| tokio::spawn(async {}))
    }
}

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// The question that needs no token.
fn health() -> Question {
    Question {
        method: Method::GET,
        path: "/healthz".into(),
        headers: HeaderMap::new(),
        body: Body::empty(),
        person: None,
        limit: CONNECT,
    }
}

fn request(
    host: &Other,
    page: &str,
    question: Question,
    token: Option<&str>,
) -> Result<Request<Body>, Fault> {
    let Question { method, path, headers, body, person, .. } = question;
    // All parts were checked before: the file's names, our token, a path of our routes.
    let strange =
        || Fault::Strange { page: page.to_owned(), found: "a request that HTTP has no words for".into() };
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| strange());
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().map_err(|_| strange())?;
    *request.headers_mut() = headers;
    let headers = request.headers_mut();
    headers.insert(header::HOST, value(page)?);
    headers.insert(HOST, value(&host.name)?);
    if let Some(token) = token {
        headers.insert(header::AUTHORIZATION, value(&format!("Bearer {token}"))?);
    }
    if let Some(person) = person {
        headers.insert(person::HEADER, person.value().ok_or_else(strange)?);
    }
    Ok(request)
}

/// Whether the answer is of this host.
fn check(host: &Other, page: &str, response: &Response<Incoming>) -> Result<(), Fault> {
    let found = response.headers().get(HOST).map(HeaderValue::as_bytes);
    match found {
        Some(name) if name == host.name.as_bytes() => Ok(()),
        Some(name) => Err(Fault::Another {
            page: page.to_owned(),
            wanted: host.name.clone(),
            found: String::from_utf8_lossy(name).chars().filter(|c| !c.is_control()).take(80).collect(),
        }),
        None => Err(Fault::Strange {
            page: page.to_owned(),
            found: format!("an answer {} that names no host of a graph", response.status().as_u16()),
        }),
    }
}
