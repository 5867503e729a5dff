//! Routes of sessions and of control.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::app::App;
use crate::body::body_of;
use crate::error::{Error, json_body};
use crate::session::Visitor;

/// The rights of this caller, and the host by which it asked, so that a page behind a proxy sees whether that is its own.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Response {
    let mut rights = app.sessions.rights_json(&visitor);
    rights["host"] = headers.get(header::HOST).and_then(|host| host.to_str().ok()).into();
    json_body(&rights).into_response()
}

pub(crate) async fn begin(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> Result<Response, Error> {
    let body = body_of(&body)?;
    let token = body["token"].as_str().ok_or_else(|| Error::bad("`token`: wanted a text"))?;
    let user = match &body["user"] {
        Value::Null => "",
        user => user.as_str().ok_or_else(|| Error::bad("`user`: wanted a text"))?,
    };
    let (visitor, cookie) = app.sessions.begin(token, user, &visitor)?;
    Ok(with_cookie(json_body(&app.sessions.rights_json(&visitor)).into_response(), &cookie))
}

/// A client with the token names its user, for the log and for other clients.
pub(crate) async fn rename(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> Result<Response, Error> {
    let body = body_of(&body)?;
    let user = body["user"].as_str().ok_or_else(|| Error::bad("`user`: wanted a text"))?;
    let visitor = app.sessions.rename(&visitor, user)?;
    Ok(json_body(&app.sessions.rights_json(&visitor)).into_response())
}

pub(crate) async fn end(State(app): State<Arc<App>>, Extension(visitor): Extension<Visitor>) -> Response {
    let (mut guest, cookie) = app.sessions.end(&visitor);
    guest.rights.is_reader = app.is_reader(&guest);
    with_cookie(json_body(&app.sessions.rights_json(&guest)).into_response(), &cookie)
}

fn with_cookie(mut response: Response, cookie: &str) -> Response {
    // The cookie is made of our own letters only, so it is a valid header.
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

pub(crate) async fn control(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    body: Bytes,
) -> Result<Response, Error> {
    let take = body_of(&body)?["take"].as_bool().ok_or_else(|| Error::bad("`take`: wanted true or false"))?;
    if take && app.sessions.take(&visitor) {
        app.model.note(app.caller(&visitor), "take control");
    }
    if !take && app.sessions.release(&visitor) {
        app.model.note(app.caller(&visitor), "give control back");
    }
    Ok(json_body(&app.sessions.control_json(&visitor)).into_response())
}
