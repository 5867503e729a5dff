//! The requests that read.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use livetime_control::report::json::report_json;
use livetime_runtime::lock;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::app::App;
use crate::error::{Error, json_body};
use crate::history::Step;
use crate::metrics;
use crate::query::Query;
use crate::session::Visitor;
use crate::{show, state};

/// An answer is at most this old, or, if a node hangs, has waited this long for a newer moment.
pub(crate) const FRESH: Duration = Duration::from_millis(20);
pub(crate) const PATIENCE: Duration = Duration::from_millis(200);

pub(crate) async fn health(State(app): State<Arc<App>>) -> Response {
    // A probe wants to know whether the run goes on, and not whether this server does.
    match app.model.is_ended() || app.model.newest().report.finished {
        true => (StatusCode::SERVICE_UNAVAILABLE, "the run has ended\n").into_response(),
        false => "ok\n".into_response(),
    }
}

pub(crate) async fn describe(State(app): State<Arc<App>>, visitor: Extension<Visitor>) -> impl IntoResponse {
    json_body(&app.describe_json(&visitor))
}

/// Runs on another thread the work that may wait for the looker.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    spawn_blocking(work).await.map_err(|e| Error::new(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))
}

pub(crate) async fn report(State(app): State<Arc<App>>) -> Result<Response, Error> {
    // The answer may wait for nodes, which must not hold up other requests.
    let value = aside(move || report_json(&app.model.at_most_old(FRESH, PATIENCE).report)).await?;
    Ok(json_body(&value).into_response())
}

pub(crate) async fn metrics(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, Error> {
    let format = metrics::wanted_format(&headers);
    let text = aside(move || app.metrics.text(format)).await?;
    Ok(([(header::CONTENT_TYPE, format.content_type())], text).into_response())
}

pub(crate) async fn settings(State(app): State<Arc<App>>) -> impl IntoResponse {
    json_body(&app.model.settings().map_or(Value::Null, |settings| settings.json()))
}

pub(crate) async fn nodes(State(app): State<Arc<App>>) -> impl IntoResponse {
    let moment = app.model.newest();
    let nodes: Vec<Value> =
        (0..moment.nodes.len()).map(|node| show::node_json(&moment, app.model.run(), node)).collect();
    json_body(&json!({ "version": moment.version, "nodes": nodes }))
}

pub(crate) async fn node(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Response, Error> {
    let number = app.model.run().graph().node(&name).map_err(Error::not_found)?;
    Ok(json_body(&show::node_json(&app.model.newest(), app.model.run(), number)).into_response())
}

pub(crate) async fn log(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Result<Response, Error> {
    let since = Query::new(query.as_deref()).number("since").map_err(Error::bad)?.unwrap_or(0);
    let entries = app.model.log_since(since);
    // Without new entries the client asks from the same number again.
    let next = entries.last().map_or(since, |entry| entry.number + 1);
    let entries: Vec<Value> = entries.iter().map(show::entry_json).collect();
    Ok(json_body(&json!({ "entries": entries, "next": next })).into_response())
}

pub(crate) async fn history(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
) -> Result<Response, Error> {
    let query = Query::new(query.as_deref());
    let history = lock(&app.history);
    // Without names the answer is the list of all names.
    let Some(names) = query.get("of").filter(|names| !names.is_empty()) else {
        return Ok(json_body(&history.names()).into_response());
    };
    let names: Vec<&str> = names.split(',').collect();
    let since_ms = query.number("since_ms").map_err(Error::bad)?.unwrap_or(f64::NEG_INFINITY);
    let step = match query.get("step") {
        None | Some("fine") => Step::Fine,
        Some("coarse") => Step::Coarse,
        Some(other) => return Err(Error::bad(format!("`step`: wanted fine or coarse, found `{other}`"))),
    };
    let bytes = history.read(&names, since_ms, step).map_err(Error::bad)?;
    let headers = [(header::CONTENT_TYPE, "application/octet-stream"), (header::CACHE_CONTROL, "no-store")];
    let mut response = (headers, bytes).into_response();
    let unknown = history.unknown(&names).join(",");
    // Names with letters that no header takes are no names of ours.
    if let (false, Ok(value)) = (unknown.is_empty(), HeaderValue::from_str(&unknown)) {
        response.headers_mut().insert(HeaderName::from_static("livetime-unknown"), value);
    }
    Ok(response)
}

/// Messages of clients are short.
const LONGEST_MESSAGE: usize = 16 << 10;
/// Read from a client at once. A socket keeps this much memory for as long as it is open.
const READ: usize = 4 << 10;

pub(crate) async fn state(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    let upgrade = upgrade.map_err(|e| Error::bad(format!("wanted a WebSocket: {}", e.body_text())))?;
    // Without these limits a client could make the server keep megabytes.
    let upgrade = upgrade.max_message_size(LONGEST_MESSAGE).max_frame_size(LONGEST_MESSAGE);
    let upgrade = upgrade.read_buffer_size(READ);
    Ok(upgrade.on_upgrade(move |socket| state::talk(socket, app, visitor)))
}
