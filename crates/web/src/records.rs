//! Routes of trigger records.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::error::{Error, json_body};
use crate::query::Query;
use crate::record::Output;

fn output(app: &App, query: Option<&str>) -> Result<(String, Arc<Output>), Error> {
    let query = Query::new(query);
    let name = query.get("from").ok_or_else(|| Error::bad("`from`: wanted an output, found none"))?;
    Ok((name.to_owned(), app.records.follow(&app.model, name)?))
}

pub(crate) async fn list(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Result<Response, Error> {
    let (name, output) = output(&app, query.as_deref())?;
    Ok(json_body(&output.list(&name)?).into_response())
}

pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(number): Path<u64>,
    RawQuery(query): RawQuery,
) -> Result<Response, Error> {
    let (name, output) = output(&app, query.as_deref())?;
    let missing = || Error::not_found(format!("record {number} of {name} is not kept any more"));
    let text = output.record(number).ok_or_else(missing)?;
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    Ok((headers, text.to_string()).into_response())
}
