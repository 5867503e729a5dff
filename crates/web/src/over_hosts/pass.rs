//! Requests for another host, handed on to its page.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response as HttpResponse, StatusCode, header};
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::ask::{Answer, Held, Question};
use super::fault::Fault;
use super::hosts::OverHosts;
use super::inner;
use super::other::{Foreign, HOST};
use super::tunnel::tunnel;
use crate::error::Error;
use crate::session::Visitor;

/// The head of an answer may take this long: a node that hangs takes 5 s, and a picture may be waited for.
const HEAD: Duration = Duration::from_secs(60);
/// And each part of its body.
const PART: Duration = Duration::from_secs(30);

/// Headers of a request that the other host sees. The others are for this server: cookies, `Origin`, the token.
const ASKED: [HeaderName; 5] = [
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::CONTENT_TYPE,
    header::IF_NONE_MATCH,
    header::USER_AGENT,
];
/// The same of a request for a WebSocket.
const UPGRADING: [HeaderName; 6] = [
    header::CONNECTION,
    header::UPGRADE,
    header::SEC_WEBSOCKET_KEY,
    header::SEC_WEBSOCKET_VERSION,
    header::SEC_WEBSOCKET_PROTOCOL,
    header::SEC_WEBSOCKET_EXTENSIONS,
];
/// Headers of an answer that the caller sees.
const ANSWERED: [HeaderName; 12] = [
    header::ALLOW,
    header::CACHE_CONTROL,
    header::CONTENT_DISPOSITION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::ETAG,
    header::RETRY_AFTER,
    header::VARY,
    header::SEC_WEBSOCKET_ACCEPT,
    header::SEC_WEBSOCKET_PROTOCOL,
    header::SEC_WEBSOCKET_EXTENSIONS,
];
/// So do these of our own, as `livetime-place`.
const OWN: &str = "livetime-";

impl OverHosts {
    /// Hands a request on. The guard has judged the caller's rights, and has taken the body.
    ///
    /// # Errors
    /// Why there is no answer of the other host.
    pub(crate) async fn pass(&self, visitor: &Visitor, mut request: Request) -> Result<Response, Error> {
        if visitor.door().is_some() || request.headers().contains_key(HOST) {
            let message = "wanted a request of a person, found one that another host hands on";
            return Err(Error::new(StatusCode::LOOP_DETECTED, message));
        }
        let path = request.uri().path().to_owned();
        let nothing = || Error::not_found("there is nothing at this address");
        let (name, inner) = inner::split(&path).ok_or_else(nothing)?;
        let host = self.host(name)?.clone();
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        let is_upgrade = request.headers().contains_key(header::UPGRADE);
        let client = is_upgrade.then(|| hyper::upgrade::on(&mut request));
        let mut headers = only(request.headers(), &ASKED);
        if is_upgrade {
            headers.extend(only(request.headers(), &UPGRADING));
        }
        let question = Question {
            method: request.method().clone(),
            path: format!("{inner}{query}"),
            headers,
            body: std::mem::take(request.body_mut()),
            person: self.person(visitor),
            limit: HEAD,
        };
        let answer = self.ask(&host, question).await.map_err(|fault| fault.refusal())?;
        handed(answer, client, host.page.as_deref().unwrap_or_default()).map_err(|fault| fault.refusal())
    }
}

fn only(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    names
        .iter()
        .flat_map(|name| headers.get_all(name).iter().map(|value| (name.clone(), value.clone())))
        .collect()
}

/// The answer for the caller.
fn handed(answer: Answer, client: Option<hyper::upgrade::OnUpgrade>, page: &str) -> Result<Response, Fault> {
    let Answer { mut response, held } = answer;
    let status = response.status();
    let strange = |found: String| Fault::Strange { page: page.to_owned(), found };
    let mut headers = only(response.headers(), &ANSWERED);
    for (name, value) in response.headers().iter().filter(|(name, _)| name.as_str().starts_with(OWN)) {
        headers.insert(name.clone(), value.clone());
    }
    let body = match (status, client) {
        (StatusCode::SWITCHING_PROTOCOLS, Some(client)) => {
            headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            tokio::spawn(tunnel(client, hyper::upgrade::on(&mut response), held));
            Body::empty()
        }
        _ if status.is_informational() => return Err(strange(format!("the status {status}"))),
        _ if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
            return Err(strange(format!("the status {status}")));
        }
        _ => Body::new(Streamed { body: response.into_body(), _held: held, patience: Box::pin(sleep(PART)) }),
    };
    let mut answer = HttpResponse::new(body);
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer.extensions_mut().insert(Foreign);
    Ok(answer)
}

/// A body as it comes. It holds the connection to the other host.
struct Streamed {
    body: Incoming,
    _held: Held,
    patience: Pin<Box<Sleep>>,
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Poll::Ready(part) = Pin::new(&mut self.body).poll_frame(context) {
            self.patience.as_mut().reset(Instant::now() + PART);
            return Poll::Ready(part.map(|part| part.map_err(io::Error::other)));
        }
        ready!(self.patience.as_mut().poll(context));
        Poll::Ready(Some(Err(io::ErrorKind::TimedOut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
