//! Routes of pictures.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame as Part, SizeHint};
use livetime_frame::Frame;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::body_of;
use crate::error::{Error, json_body};
use crate::picture::{
    Account, Header, Newest, Refused, Shared, Spec, header as header_for, npy, png, value_at,
};
use crate::query::Query;
use crate::session::Visitor;

type Routed = Result<Response, Error>;

/// How long one picture is waited for.
const WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Points of one question.
const MOST_POINTS: usize = 1000;

impl From<Refused> for Error {
    fn from(refused: Refused) -> Error {
        match refused {
            Refused::Gone => Error::not_found("there is no such view: it ends 5 s after the last request"),
            Refused::NothingNew => Error::new(StatusCode::NO_CONTENT, "nothing new"),
            Refused::TooMany(message) => Error::new(StatusCode::TOO_MANY_REQUESTS, message),
            Refused::Cannot(message) => Error::refused(message),
        }
    }
}

/// Nothing new is no error.
fn or_nothing(refused: Refused) -> Routed {
    match refused {
        Refused::NothingNew => Ok(StatusCode::NO_CONTENT.into_response()),
        refused => Err(refused.into()),
    }
}

fn view_json(id: u64) -> Value {
    json!({ "id": format!("{id:x}"), "url": format!("/api/v1/views/{id:x}") })
}

fn id_of(text: &str) -> Result<u64, Error> {
    // A text that is no number was never the number of a view.
    u64::from_str_radix(text, 16).map_err(|_| Error::from(Refused::Gone))
}

// ---- Views ----

pub(crate) async fn open(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> Routed {
    let (from, spec) = Spec::from_json(&body_of(&body)?).map_err(Error::bad)?;
    let id = app.views.open(&from, spec, visitor.from.ip().to_canonical())?;
    Ok((StatusCode::CREATED, json_body(&view_json(id))).into_response())
}

pub(crate) async fn change(State(app): State<Arc<App>>, Path(id): Path<String>, body: Bytes) -> Routed {
    let id = id_of(&id)?;
    let (from, spec) = Spec::from_json(&body_of(&body)?).map_err(Error::bad)?;
    app.views.change(id, &from, spec)?;
    Ok(json_body(&view_json(id)).into_response())
}

pub(crate) async fn close(State(app): State<Arc<App>>, Path(id): Path<String>) -> Routed {
    match app.views.close(id_of(&id)?) {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Refused::Gone.into()),
    }
}

pub(crate) async fn accounts(State(app): State<Arc<App>>) -> Response {
    let (views, ended) = app.views.accounts();
    let account = |account: &Account| json!({ "offered": account.offered, "sent": account.sent, "left_out": account.left_out, "waiting": account.waiting });
    let views = views.iter().map(|(id, from, of)| {
        let mut view = account(of);
        (view["id"], view["from"]) = (json!(format!("{id:x}")), json!(from));
        view
    });
    json_body(&json!({ "views": views.collect::<Vec<_>>(), "ended": account(&ended) })).into_response()
}

pub(crate) async fn next(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Routed {
    // A client names the picture that it has, so that it gets each one once.
    let after = Query::new(query.as_deref()).number("after").map_err(Error::bad)?;
    match app.views.next(id_of(&id)?, after).await {
        Ok((header, picture)) => Ok(message(&header, picture)),
        Err(refused) => or_nothing(refused),
    }
}

/// Header and payload: two pieces of memory, one write to the socket. The payload is not copied for a client.
fn message(header: &Header, picture: Arc<Shared>) -> Response {
    let head = Bytes::copy_from_slice(&header.encode());
    let place = picture.made.place.and_then(|place| HeaderValue::try_from(place.to_string()).ok());
    // The picture counts as under way until the client has it.
    let payload = Bytes::from_owner(Sent(picture));
    // Each picture is another one, so no cache may keep it.
    let headers = [(header::CONTENT_TYPE, "application/octet-stream"), (header::CACHE_CONTROL, "no-store")];
    let mut response = (headers, Body::new(Pieces([payload, head]))).into_response();
    if let Some(place) = place {
        response.headers_mut().insert("livetime-place", place);
    }
    response
}

struct Sent(Arc<Shared>);

impl AsRef<[u8]> for Sent {
    fn as_ref(&self) -> &[u8] {
        &self.0.made.payload
    }
}

/// A body of pieces, the last one goes first. A piece that has gone is empty.
struct Pieces([Bytes; 2]);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Part<Bytes>, Self::Error>>> {
        // The pieces are stored backwards, so that the last one is taken without moving.
        let next = self.0.iter_mut().rev().find(|piece| !piece.is_empty());
        Poll::Ready(next.map(|piece| Ok(Part::data(std::mem::take(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.iter().all(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

// ---- Values ----

pub(crate) async fn at(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Routed {
    let query = Query::new(query.as_deref());
    let points = points(&query)?;
    let Some(newest) = app.views.newest(id_of(&id)?)? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    values(&newest.frame, &query, &points)
}

/// Pairs of x and y.
pub(crate) fn points(query: &Query) -> Result<Vec<(usize, usize)>, Error> {
    let (x, y) = (numbers(query, "x")?, numbers(query, "y")?);
    // Points are bounded, because each one searches in the picture.
    if x.len() != y.len() || x.len() > MOST_POINTS {
        return Err(Error::bad(format!(
            "wanted as many x as y, at most {MOST_POINTS}, found {} and {}",
            x.len(),
            y.len()
        )));
    }
    Ok(x.into_iter().zip(y).collect())
}

/// The exact values of these pixels: lists if the query has lists.
pub(crate) fn values(frame: &Frame, query: &Query, points: &[(usize, usize)]) -> Routed {
    let values = points.iter().map(|(x, y)| value_at(frame, *x, *y)).collect::<Result<Vec<_>, _>>();
    let values = values.map_err(Error::refused)?;
    let is_list = query.get("x").is_some_and(|x| x.contains(','));
    // A client that asks for one point gets one number.
    let one = |list: Value| if is_list { list } else { list[0].clone() };
    Ok(json_body(&json!({
        "sequence": frame.header().sequence,
        "x": one(points.iter().map(|(x, _)| *x).collect()),
        "y": one(points.iter().map(|(_, y)| *y).collect()),
        "value": one(json!(values)),
    }))
    .into_response())
}

fn numbers(query: &Query, name: &str) -> Result<Vec<usize>, Error> {
    let text = query.get(name).unwrap_or_default();
    let wanted = |_| Error::bad(format!("`{name}`: wanted whole numbers from 0 on, found `{text}`"));
    text.split(',').map(|number| number.parse().map_err(wanted)).collect()
}

// ---- One picture ----

/// How one picture is wanted, as the query says it.
pub(crate) struct Wanted {
    format: String,
    spec: Spec,
    range: Option<(f64, f64)>,
}

impl Wanted {
    pub(crate) fn of(query: &Query) -> Result<Wanted, Error> {
        let format = query.get("as").unwrap_or("png").to_owned();
        if !["png", "npy", "raw"].contains(&&*format) {
            return Err(Error::bad(format!("`as`: wanted png, npy or raw, found `{format}`")));
        }
        let spec = Spec::from_query(|name| query.get(name).map(str::to_owned)).map_err(Error::bad)?;
        Ok(Wanted { format, spec, range: spec_range(query)? })
    }

    /// The picture of a frame of the output `source`.
    pub(crate) async fn answer(self, app: &App, source: &str, newest: Arc<Newest>) -> Routed {
        let Wanted { format, spec, range } = self;
        let picture = app.views.maker.make(source, newest.clone(), spec).await.map_err(Error::refused)?;
        let head = header_for(&picture.made, &newest, 0);
        let mut response = match &*format {
            "raw" => message(&head, picture),
            _ => {
                // Encoding takes long and would hold up other requests on this thread.
                let file = tokio::task::spawn_blocking(move || file(&format, &picture, range)).await;
                let file = file.map_err(|e| Error::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?;
                file?.into_response()
            }
        };
        for (name, value) in
            [("livetime-sequence", head.sequence as i64), ("livetime-time-ns", head.event_time_ns)]
        {
            response.headers_mut().insert(name, value.into());
        }
        Ok(response)
    }
}

pub(crate) async fn one(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Routed {
    let query = Query::new(query.as_deref());
    let from = query.get("from").ok_or_else(|| Error::bad("`from`: wanted an output"))?;
    let wanted = Wanted::of(&query)?;
    let wait = query.number::<u64>("wait_ms").map_err(Error::bad)?.map_or(WAIT, Duration::from_millis);
    // The wait is bounded, so that a client cannot hold a connection for ever.
    match app.views.one(from, wait.min(LONGEST_WAIT)).await {
        Ok((source, newest)) => wanted.answer(&app, &source, newest).await,
        Err(refused) => or_nothing(refused),
    }
}

fn spec_range(query: &Query) -> Result<Option<(f64, f64)>, Error> {
    let Some(text) = query.get("range") else { return Ok(None) };
    // A part that is no number shortens the list, which is then refused.
    let numbers: Vec<f64> = text.split(',').filter_map(|number| number.parse().ok()).collect();
    crate::picture::range_of(&numbers).map(Some).map_err(Error::bad)
}

fn file(
    format: &str,
    picture: &Shared,
    range: Option<(f64, f64)>,
) -> Result<impl IntoResponse + use<>, Error> {
    if picture.made.header.colours == 0 {
        return Err(Error::refused("wanted a picture, found a table: ask for `as=raw`"));
    }
    let (kind, bytes) = match format {
        "npy" => ("application/octet-stream", npy(&picture.made)),
        _ => ("image/png", png(&picture.made, range).map_err(Error::refused)?),
    };
    Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")], bytes))
}
