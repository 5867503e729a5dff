//! Routes of files that were recorded, or are being recorded.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::app::App;
use crate::error::{Error, json_body};
use crate::pictures::{Wanted, points, values};
use crate::query::Query;
use crate::threads::spawn;

type Routed = Result<Response, Error>;

/// Bytes of a file that are read at a time, and pieces that wait for a client.
const PIECE: usize = 64 << 10;
const PIECES: usize = 4;

pub(crate) async fn written(State(app): State<Arc<App>>) -> Routed {
    Ok(json_body(&app.recorded.written(app.model.newest()).await?).into_response())
}

pub(crate) async fn list(State(app): State<Arc<App>>) -> Routed {
    Ok(json_body(&app.recorded.list().await?).into_response())
}

fn path_of(query: &Query) -> Result<String, Error> {
    query.get("path").map(str::to_owned).ok_or_else(|| Error::bad("`path`: wanted a file, found none"))
}

/// File, event and detector.
fn place_of(query: &Query) -> Result<(String, usize, String), Error> {
    let event = query.number("event").map_err(Error::bad)?.unwrap_or(0);
    Ok((path_of(query)?, event, query.get("detector").unwrap_or_default().to_owned()))
}

pub(crate) async fn summary(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Routed {
    let path = path_of(&Query::new(query.as_deref()))?;
    Ok(json_body(&app.recorded.summary(path).await?).into_response())
}

pub(crate) async fn event(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Routed {
    let (path, event, detector) = place_of(&Query::new(query.as_deref()))?;
    Ok(json_body(&app.recorded.event(path, event, detector).await?).into_response())
}

pub(crate) async fn picture(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Routed {
    let query = Query::new(query.as_deref());
    let wanted = Wanted::of(&query)?;
    let (path, event, detector) = place_of(&query)?;
    let (source, frame) = app.recorded.frame(path, event, detector).await?;
    wanted.answer(&app, &source, frame).await
}

pub(crate) async fn at(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Routed {
    let query = Query::new(query.as_deref());
    let points = points(&query)?;
    let (path, event, detector) = place_of(&query)?;
    let (_, frame) = app.recorded.frame(path, event, detector).await?;
    values(&frame.frame, &query, &points)
}

// ---- A file as it is ----

pub(crate) async fn download(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Routed {
    let path = app.recorded.file(path_of(&Query::new(query.as_deref()))?).await?;
    let (kind, is_shown) = kind(&path);
    let name: String = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default().into();
    let opened =
        spawn_blocking(move || File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)))).await;
    let gone = |_| Error::not_found("the file cannot be read");
    let (length, file) =
        opened.map_err(|e| Error::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?.map_err(gone)?;
    let (sender, pieces) = mpsc::channel(PIECES);
    // The answer has announced this length: the rest of a file that grows is left out.
    spawn_reading(file.take(length), sender)?;
    let how = if is_shown { "inline" } else { "attachment" };
    // Letters that a header may hold; others are not worth a second name.
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '_' };
    let name = format!("{how}; filename=\"{}\"", name.chars().map(plain).collect::<String>());
    let mut response = Body::new(Pieces { pieces, left: length }).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(name) = name.parse() {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

/// The type of a file, and whether a browser may show it. Never a type that could hold a script.
fn kind(path: &Path) -> (&'static str, bool) {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("png") => ("image/png", true),
        Some("jpg" | "jpeg") => ("image/jpeg", true),
        Some("json") => ("application/json", false),
        _ => ("application/octet-stream", false),
    }
}

/// Reads on a thread of its own: a slow client must not take one of the few that all others share.
fn spawn_reading(
    mut file: impl Read + Send + 'static,
    to: mpsc::Sender<std::io::Result<Bytes>>,
) -> Result<(), Error> {
    let read = move || loop {
        let mut piece = Vec::with_capacity(PIECE);
        match file.by_ref().take(PIECE as u64).read_to_end(&mut piece) {
            Ok(0) => return,
            // The client has gone, so the rest of the file is not read.
            Ok(_) if to.blocking_send(Ok(piece.into())).is_err() => return,
            Ok(_) => {}
            Err(error) => {
                let _ = to.blocking_send(Err(error));
                return;
            }
        }
    };
    let thread = spawn("web download", read);
    thread
        .map(|_| ())
        .map_err(|e| Error::new(StatusCode::SERVICE_UNAVAILABLE, format!("cannot start a thread: {e}")))
}

/// The body of an answer, piece by piece as the client takes it.
struct Pieces {
    pieces: mpsc::Receiver<std::io::Result<Bytes>>,
    left: u64,
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let piece = std::task::ready!(self.pieces.poll_recv(context));
        Poll::Ready(match piece {
            Some(Ok(piece)) => {
                self.left = self.left.saturating_sub(piece.len() as u64);
                Some(Ok(Frame::data(piece)))
            }
            Some(Err(error)) => Some(Err(error)),
            // The file was cut meanwhile: the client must not take it for whole.
            None if self.left > 0 => {
                self.left = 0;
                Some(Err(std::io::ErrorKind::UnexpectedEof.into()))
            }
            None => None,
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
