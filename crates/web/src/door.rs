//! The routes to the hosts of a graph: the page of each, requests that are handed on, and the states of all.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::app::App;
use crate::assets;
use crate::error::{Error, json_body};
use crate::session::Visitor;

/// `GET /api/v1/host`: the state of this host alone.
pub(crate) async fn own(State(app): State<Arc<App>>) -> Response {
    json_body(&own_state(&app)).into_response()
}

fn own_state(app: &App) -> Value {
    let moment = app.model.newest();
    let report = &moment.report;
    let state = match (&report.failure, report.finished || app.model.is_ended()) {
        (Some(_), _) => "failed",
        (None, true) => "ended",
        (None, false) => "running",
    };
    let book = &moment.losses;
    json!({
        "state": state,
        "failure": report.failure,
        "losses": book.standing.name(),
        "text": book.newest().map(|newest| newest.loss.describe(report)),
        "unintended": book.sums.unintended,
        "closed": report.imbalances().is_empty(),
        "in_doubt": report.cuts.iter().map(|cut| cut.in_doubt).sum::<u64>(),
        "frames": livetime_control::report::rates::frames_of_sources(report),
    })
}

/// `GET /api/v1/hosts`: all hosts of the graph, with what is known of each.
pub(crate) async fn all(State(app): State<Arc<App>>) -> Response {
    let hosts = app.over_hosts.states(|| own_state(&app)).await;
    json_body(&json!({ "hosts": hosts })).into_response()
}

/// `/hosts/NAME`: relative addresses of the page need the slash.
pub(crate) async fn slash(State(app): State<Arc<App>>, Path(name): Path<String>) -> Result<Response, Error> {
    app.over_hosts.host(&name)?;
    let to = HeaderValue::from_str(&format!("/hosts/{name}/")).map_err(Error::bad)?;
    Ok((StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, to)]).into_response())
}

pub(crate) async fn page(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    app.over_hosts.host(&name)?;
    Ok(assets::index(headers).await)
}

pub(crate) async fn part(
    State(app): State<Arc<App>>,
    Path((name, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Error> {
    app.over_hosts.host(&name)?;
    assets::asset(Path(file), headers).await
}

/// Everything else is handed on.
pub(crate) async fn pass(
    State(app): State<Arc<App>>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Result<Response, Error> {
    app.over_hosts.pass(&visitor, request).await
}
