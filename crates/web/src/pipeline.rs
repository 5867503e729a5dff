//! The pipeline file as the run now stands.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use livetime_control::config::{Difference, Problems, Saved, Standing, save};
use livetime_control::model::{Model, NodeMoment};
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{Error, json_body};
use crate::query::Query;
use crate::reads::{FRESH, PATIENCE, aside};

pub(crate) async fn show(State(app): State<Arc<App>>, RawQuery(query): RawQuery) -> Result<Response, Error> {
    let query = Query::new(query.as_deref());
    let wants_text = match query.get("as") {
        None | Some("json") => false,
        Some("yaml") => true,
        Some(other) => return Err(Error::bad(format!("`as`: wanted json or yaml, found `{other}`"))),
    };
    let asked = app.clone();
    // The text is parsed and checked, which may look at files.
    let saved = aside(move || now(&asked.model)).await?;
    if !wants_text {
        return Ok(json_body(&saved_json(&app, &saved)).into_response());
    }
    let headers = [
        (header::CONTENT_TYPE, "application/yaml; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"pipeline.yaml\""),
    ];
    Ok((headers, saved.text).into_response())
}

fn now(model: &Model) -> Saved {
    let moment = model.at_most_old(FRESH, PATIENCE);
    let standings: Vec<Standing> = moment.nodes.iter().map(|node| standing(node)).collect();
    save(model.run().graph(), &standings)
}

fn standing(node: &NodeMoment) -> Standing {
    // Values that a caller has set: a node may change other parameters itself, as the number of its next file.
    let is_written = |name: &str| node.state.written.iter().any(|written| written == name);
    let values = node.specs.iter().zip(node.values.iter()).filter(|(spec, _)| is_written(spec.name));
    let inputs = node.state.edges();
    Standing {
        values: values.map(|(spec, value)| (spec.name, value.clone())).collect(),
        inputs: inputs.map(|input| (input.from.clone(), input.to.clone(), input.options)).collect(),
        is_enabled: node.state.is_enabled,
    }
}

fn saved_json(app: &App, saved: &Saved) -> Value {
    let difference = |Difference { node, what, was, now }: &Difference| json!({ "node": node, "what": what, "was": was, "now": now });
    json!({
        "name": app.run_json()["pipeline"],
        "file": &*app.model.run().graph().text,
        "now": saved.text,
        "differences": saved.differences.iter().map(difference).collect::<Vec<_>>(),
        "notes": saved.notes,
        "problem": saved.problem.as_ref().map(ToString::to_string),
        "problems": saved.problem.as_ref().map_or_else(|| json!([]), Problems::json),
    })
}
